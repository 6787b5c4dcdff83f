/* Tables with as many columns as wanted, dense (CSV) or sparse (LIBSVM), their schemas, and trainings on them.
 *
 * A scene is public: columns, target, format. A table of the tape harness gives the rows. */
#ifndef SOTTO_TESTS_WIDE_STUDY_H
#define SOTTO_TESTS_WIDE_STUDY_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sotto/train.h>

#include "commands/train/model_study.h"

typedef enum wide_target { WIDE_TWO, WIDE_THREE, WIDE_NUMBER, WIDE_COUNT } wide_target;

static const char *const wide_two[] = {"0", "1", NULL};
static const char *const wide_three[] = {"0", "1", "2", NULL};

typedef struct wide_scene {
    size_t columns; /* features; the target stands behind them */
    wide_target target;
    bool sparse;
    tape_column *list; /* columns + 1 */
    char (*names)[24];
    char *schema;
} wide_scene;

static inline void *wide_need(void *memory)
{
    if (memory == NULL) abort();
    return memory;
}

/* ---- schemas ---- */

static inline void wide_write_target(wide_target target, bool sparse, FILE *out)
{
    static const char *const columns[] = {
        "\"category\", \"values\": [\"0\", \"1\"]",
        "\"category\", \"values\": [\"0\", \"1\", \"2\"]",
        "\"number\", \"lower\": -1, \"upper\": 1",
        "\"integer\", \"lower\": 0, \"upper\": 6"};
    static const char *const members[] = {"\"labels\": [0, 1]", "\"labels\": [0, 1, 2]",
                                          "\"target\": {\"lower\": -1, \"upper\": 1}",
                                          "\"target\": {\"lower\": 0, \"upper\": 6}"};
    if (sparse)
        fputs(members[target], out);
    else
        fprintf(out, "{\"name\": \"y\", \"type\": %s}", columns[target]);
}

static inline void wide_write_schema(const wide_scene *scene, FILE *out)
{
    if (scene->sparse) {
        fprintf(
            out,
            "{\"dataset\": \"wide\", \"features\": %zu, \"row_norm\": {\"bound\": 1.5, "
            "\"rule\": \"clip\"}, \"numbers\": {\"lower\": -1, \"upper\": 1}, ",
            scene->columns);
        wide_write_target(scene->target, true, out);
        fputs("}", out);
        return;
    }
    fputs("{\"dataset\": \"wide\", \"target\": \"y\", \"columns\": [", out);
    for (size_t j = 0; j < scene->columns; j++)
        fprintf(out,
                "{\"name\": \"%s\", \"type\": \"number\", \"lower\": -1, "
                "\"upper\": 1}, ",
                scene->names[j]);
    wide_write_target(scene->target, false, out);
    fputs("]}", out);
}

static inline wide_scene wide_scene_new(size_t columns, wide_target target, bool sparse)
{
    size_t size = 0;
    wide_scene scene = {.columns = columns, .target = target, .sparse = sparse};
    scene.list = wide_need(calloc(columns + 1, sizeof *scene.list));
    scene.names = wide_need(calloc(columns, sizeof *scene.names));
    for (size_t j = 0; j < columns; j++) {
        (void)snprintf(scene.names[j], sizeof scene.names[j], "x%zu", j);
        scene.list[j] = (tape_column){scene.names[j], -1.0, 1.0, NULL};
    }
    scene.list[columns] = (tape_column){"y", target == WIDE_NUMBER ? -1.0 : 0.0,
                                        target == WIDE_NUMBER ? 1.0 : 6.0,
                                        target == WIDE_TWO     ? wide_two
                                        : target == WIDE_THREE ? wide_three
                                                               : NULL};
    FILE *text = wide_need(open_memstream(&scene.schema, &size));
    wide_write_schema(&scene, text);
    if (fclose(text) != 0) abort();
    return scene;
}

static inline void wide_scene_free(wide_scene *scene)
{
    free(scene->list);
    free(scene->names);
    free(scene->schema);
}

static inline sotto_schema *wide_parse(const char *text)
{
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    if (sotto_schema_parse("wide.json", text, strlen(text), &schema, &error) !=
        SOTTO_OK) {
        fprintf(stderr, "%s\n", error.message);
        abort();
    }
    return schema;
}

/* ---- files ---- */

static inline void wide_write_cell(const tape_cell *cell, FILE *file)
{
    if (cell->text != NULL)
        fputs(cell->text, file);
    else
        fprintf(file, "%.17g", cell->number);
}

/* About one number of ten is listed: those far from 0, so that a record decides for itself. */
static inline void wide_write_sparse_row(const wide_scene *scene, const tape_table *table,
                                         size_t row, bool missing, FILE *file)
{
    if (!missing) wide_write_cell(tape_at(table, row, scene->columns), file);
    for (size_t j = 0; j < scene->columns && !missing; j++) {
        const double number = tape_at(table, row, j)->number;
        if (!(fabs(number) < 0.9)) fprintf(file, " %zu:%.17g", j + 1, number);
    }
    fputc('\n', file);
}

static inline void wide_write_row(const wide_scene *scene, const tape_table *table,
                                  size_t row, bool missing, FILE *file)
{
    for (size_t j = 0; j <= scene->columns; j++) {
        if (j > 0) fputc(',', file);
        if (!missing) wide_write_cell(tape_at(table, row, j), file);
    }
    fputc('\n', file);
}

/* `missing`: every cell of every row is empty, the target's too. */
static inline void wide_store(const wide_scene *scene, const tape_table *table,
                              bool missing, const char *path)
{
    FILE *file = wide_need(fopen(path, "w"));
    for (size_t j = 0; j <= scene->columns && !scene->sparse; j++)
        fprintf(file, "%s%s", j > 0 ? "," : "", scene->list[j].name);
    if (!scene->sparse) fputc('\n', file);
    for (size_t row = 0; row < table->rows; row++)
        (scene->sparse ? wide_write_sparse_row : wide_write_row)(scene, table, row,
                                                                 missing, file);
    if (fclose(file) != 0) abort();
}

static inline const char *wide_path(const wide_scene *scene)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "wide_%ld.%s", (long)getpid(),
                   scene->sparse ? "libsvm" : "csv");
    return path;
}

/* ---- trainings ---- */

static inline wide_target wide_target_of(sotto_model_kind model)
{
    switch (model) {
    case SOTTO_MODEL_LINEAR:
    case SOTTO_MODEL_HUBER:
    case SOTTO_MODEL_CUSTOM:
        return WIDE_NUMBER;
    case SOTTO_MODEL_POISSON:
        return WIDE_COUNT;
    case SOTTO_MODEL_SOFTMAX:
    case SOTTO_MODEL_NETWORK:
        return WIDE_THREE;
    case SOTTO_MODEL_UNSET:
    case SOTTO_MODEL_LOGISTIC:
    case SOTTO_MODEL_SVM:
    case SOTTO_MODEL_HINGE:
    case SOTTO_MODEL_CONCEPT:
    case SOTTO_MODEL_ADDITIVE:
        break;
    }
    return WIDE_TWO;
}

/* Few concepts of any number of columns: 8 cuts a column, so that permute-and-flip and laplace may visit all. */
static const char wide_concept[] = "{\"class\": \"stumps\", \"bits\": 3}";

static inline void wide_set_steps(sotto_train_config *config)
{
    switch (config->method) {
    case SOTTO_METHOD_GD:
    case SOTTO_METHOD_SGD:
    case SOTTO_METHOD_FRANK_WOLFE:
        config->steps = 4;
        config->expected_rows = 8;
        break;
    case SOTTO_METHOD_NEWTON:
    case SOTTO_METHOD_PERMUTATION_SGD:
    case SOTTO_METHOD_GD_OUTPUT:
        config->steps = 2;
        break;
    case SOTTO_METHOD_POSTERIOR:
    case SOTTO_METHOD_REGULARIZED_EM:
        config->lambda = 40.0;
        config->radius = 0.75;
        break;
    case SOTTO_METHOD_AUTO:
    case SOTTO_METHOD_OUTPUT:
        config->expected_rows = 8;
        break;
    case SOTTO_METHOD_OBJECTIVE:
    case SOTTO_METHOD_NONE:
    case SOTTO_METHOD_STATISTICS:
    case SOTTO_METHOD_ADASSP:
    case SOTTO_METHOD_EXPONENTIAL:
    case SOTTO_METHOD_PERMUTE_AND_FLIP:
    case SOTTO_METHOD_LAPLACE:
        break;
    }
}

/* Settings under which a model that has the method learns by it, whatever the rows are. */
static inline sotto_train_config wide_config(sotto_model_kind model, sotto_method method)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = model;
    config.method = method;
    config.threads = 1;
    config.data_is_public = method == SOTTO_METHOD_NONE;
    if (!config.data_is_public) config.epsilon = 0.75;
    if (!config.data_is_public && model != SOTTO_MODEL_CONCEPT) config.delta = 1e-6;
    wide_set_steps(&config);
    if (is_stable_method(method)) config.adjacency = SOTTO_REPLACE_ONE;
    if (method == SOTTO_METHOD_SGD) config.batch = 4;
    if (model == SOTTO_MODEL_CUSTOM) config.loss = &model_loss;
    if (model == SOTTO_MODEL_ADDITIVE) config.bins = 2;
    if (model == SOTTO_MODEL_CONCEPT) config.concept = wide_concept;
    if (model == SOTTO_MODEL_CONCEPT) config.expected_rows = 0;
    if (model == SOTTO_MODEL_NETWORK) {
        config.network = "mlp";
        config.expected_rows = is_stable_method(method) ? 0 : 8;
        config.steps = 2;
    }
    return config;
}

/* ---- under the tape ---- */

typedef struct wide_study {
    const wide_scene *scene;
    sotto_train_config config;
} wide_study;

/* As study_run(), from a file of the scene's format. */
static inline int wide_run(const tape_table *table, const tape_place *place,
                           void *context)
{
    const wide_study *study = context;
    sotto_train_config config = study->config;
    sotto_error error = {0};
    sotto_train_result *result = NULL;
    char path[512];
    (void)snprintf(path, sizeof path, "%s-wide.%s", place->input_path,
                   study->scene->sparse ? "libsvm" : "csv");
    wide_store(study->scene, table, false, path);
    config.insecure_test = true;
    config.test_seed = 20261117;
    if (is_stable_method(config.method)) config.public_n = table->rows;
    sotto_schema *schema = wide_parse(study->scene->schema);
    const sotto_status status = sotto_train_data(
        &config, schema, &(const sotto_data_file){.path = path}, &result, &error);
    if (status == SOTTO_OK)
        printf("%s%s", sotto_train_text(result), sotto_train_json(result));
    else
        fprintf(stderr, "%s\n", error.message);
    sotto_train_free(result);
    sotto_schema_free(schema);
    (void)unlink(path);
    return status == SOTTO_OK ? 0 : 1;
}

static inline tape_study wide_tape(wide_study *study)
{
    return (tape_study){.run = wide_run,
                        .context = study,
                        .columns = study->scene->list,
                        .column_count = study->scene->columns + 1};
}

#endif
