/* The source tape: commands as runs of the tape harness, on tables that lie in storage in many ways (source_place.h): the
 * whole command runs from there.
 */
#ifndef SOTTO_TESTS_SOURCE_STUDY_H
#define SOTTO_TESTS_SOURCE_STUDY_H

#include <sotto/release.h>
#include <sotto/train.h>
#include <sotto/tune.h>

#include "commands/pate/pate_scene.h"
#include "commands/source_place.h"

/* ---- commands ---- */

typedef struct source_study {
    const char *name;
    source_layout layout;
    const char *where; /* NULL: the layout's condition */
    const char *schema;
    bool is_release, is_tuning, is_accuracy, is_pate;
    bool needs_n; /* replace-one: the number of rows, unless they are selected */
    sotto_release_config release;
    sotto_train_config train;
} source_study;

static inline void source_print(sotto_status status, const sotto_error *error,
                                const char *text, const char *json, const char *page)
{
    if (status == SOTTO_OK) {
        printf("%s%s%s", text, json, page);
    } else {
        fprintf(stderr, "%s\n", error->message);
    }
}

/* A model of the study's table, for the accuracy on its rows. */
#define SOURCE_MODEL(unit)                                                               \
    "{\"kind\": \"model\", \"version\": 1, \"model\": \"logistic\", "                    \
    "\"method\": \"none\", \"settings\": {}, \"classes\": [\"no\", \"yes\"], "           \
    "\"schema\": {\"dataset\": \"source-1\", " unit SOURCE_COLUMNS_JSON                  \
    ", \"features\": [\"age\", \"visits\", \"town=Lund\", \"town=Ystad\", "              \
    "\"(intercept)\"], \"coefficients\": [\"0x1.8p+1\", \"-0x1p+0\", \"0x1p-1\", "       \
    "\"0x1p+0\", \"-0x1p-3\"]}"

static inline sotto_model *source_model(const source_study *study)
{
    static const char of_rows[] = SOURCE_MODEL("");
    static const char of_units[] =
        SOURCE_MODEL("\"unit\": {\"column\": \"person\", \"rows\": 2}, ");
    const char *text = study->schema == source_unit_schema ? of_units : of_rows;
    sotto_model *model = NULL;
    source_must(sotto_model_parse("model.json", text, strlen(text), &model, NULL) ==
                SOTTO_OK);
    return model;
}

static inline sotto_status source_release(const source_study *study, uint64_t n,
                                          const sotto_schema *schema,
                                          const sotto_data_file *file,
                                          const sotto_records *records)
{
    sotto_error error = {0};
    sotto_release_result *result = NULL;
    sotto_release_config config = study->release;
    sotto_model *model = study->is_accuracy ? source_model(study) : NULL;
    config.public_n = n;
    config.insecure_test = true;
    config.test_seed = 20261116;
    config.model = model;
    if (model != NULL) schema = sotto_model_schema(model);
    const sotto_status status =
        records != NULL ? sotto_release_records(&config, schema, records, &result, &error)
                        : sotto_release_data(&config, schema, file, &result, &error);
    source_print(status, &error, status == SOTTO_OK ? sotto_release_text(result) : "",
                 status == SOTTO_OK ? sotto_release_json(result) : "",
                 status == SOTTO_OK ? sotto_release_certificate(result) : "");
    sotto_release_free(result);
    sotto_model_free(model);
    return status;
}

static inline sotto_status source_learn(const source_study *study, uint64_t n,
                                        const sotto_schema *schema,
                                        const sotto_data_file *file,
                                        const sotto_records *records)
{
    sotto_error error = {0};
    sotto_train_result *result = NULL;
    sotto_train_config config = study->train;
    sotto_status status;
    config.public_n = n;
    config.insecure_test = true;
    config.test_seed = 20261116;
    config.threads = 1;
    if (study->is_tuning) {
        sotto_tune_config tune = sotto_tune_defaults();
        tune.train = config;
        tune.grid = "lambda=90,200";
        tune.score_epsilon = 0.1;
        status = sotto_runs_from_mean(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 2.0, &tune.runs,
                                      &error);
        if (status == SOTTO_OK)
            status = records != NULL
                         ? sotto_tune_records(&tune, schema, records, &result, &error)
                         : sotto_tune_data(&tune, schema, file, &result, &error);
    } else {
        status = records != NULL
                     ? sotto_train_records(&config, schema, records, &result, &error)
                     : sotto_train_data(&config, schema, file, &result, &error);
    }
    source_print(status, &error, status == SOTTO_OK ? sotto_train_text(result) : "",
                 status == SOTTO_OK ? sotto_train_json(result) : "",
                 status == SOTTO_OK ? sotto_train_certificate(result) : "");
    sotto_train_free(result);
    return status;
}

/* Teachers from storage, and the labels that they give to public rows. */
static inline sotto_status source_pate(const source_study *study, uint64_t n,
                                       const sotto_schema *schema,
                                       const sotto_data_file *file,
                                       const tape_place *place)
{
    sotto_error error = {0};
    sotto_pate_result *teachers = NULL, *labels = NULL;
    char directory[SCENE_BYTES], rows[SCENE_BYTES];
    (void)snprintf(directory, sizeof directory, "%s.teachers", place->input_path);
    (void)snprintf(rows, sizeof rows, "%s.public.csv", place->input_path);
    FILE *public_file = fopen(rows, "w");
    source_must(public_file != NULL &&
                fputs("age,visits,town\n81,2,Lund\n88,5,Ystad\n", public_file) >= 0 &&
                fclose(public_file) == 0);
    const sotto_data_file asked = {.path = rows};
    scene_remove(directory);
    sotto_pate_teach_config teach = scene_teach(directory, 4);
    teach.training.adjacency = study->train.adjacency;
    teach.training.public_n = n;
    const sotto_pate_label_config label = scene_label(SOTTO_PATE_GNMAX, directory, 2);
    sotto_status status = sotto_pate_teach(&teach, schema, file, &teachers, &error);
    source_print(status, &error, status == SOTTO_OK ? sotto_pate_text(teachers) : "",
                 status == SOTTO_OK ? sotto_pate_json(teachers) : "", "");
    if (status == SOTTO_OK) {
        status = sotto_pate_label_rows(&label, NULL, &asked, &labels, &error);
        source_print(status, &error, status == SOTTO_OK ? sotto_pate_text(labels) : "",
                     status == SOTTO_OK ? sotto_pate_json(labels) : "", "");
    }
    sotto_pate_free(teachers);
    sotto_pate_free(labels);
    scene_remove(directory);
    (void)unlink(rows);
    return status;
}

/* From storage to everything that leaves. */
static inline int source_run(const tape_table *table, const tape_place *place,
                             void *context)
{
    const source_study *study = context;
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    source_place stored;
    const uint64_t n = study->needs_n && !source_selects(study->layout) ? table->rows : 0;
    source_store(table, place, study->layout, study->where, &stored);
    sotto_status status = sotto_schema_parse("schema.json", study->schema,
                                             strlen(study->schema), &schema, &error);
    source_must(status == SOTTO_OK);
    const sotto_records *records = stored.arrow == NULL ? NULL : &stored.records;
    status = study->is_release ? source_release(study, n, schema, &stored.file, records)
             : study->is_pate  ? source_pate(study, n, schema, &stored.file, place)
                               : source_learn(study, n, schema, &stored.file, records);
    sotto_schema_free(schema);
    source_remove(&stored);
    return status == SOTTO_OK ? 0 : 1;
}

static inline tape_study source_tape(source_study *study)
{
    return (tape_study){.run = source_run,
                        .context = study,
                        .columns = source_columns,
                        .column_count = SOURCE_COLUMNS};
}

static inline const char *source_name_leak(const source_study *study, const char *leak)
{
    static char found[2048];
    (void)snprintf(found, sizeof found, "%s from %s: %s", study->name,
                   source_names[study->layout], leak);
    return found;
}

/* Every kind of row comes, goes or takes the place of another; both ways. NULL, or a leak. */
static inline const char *source_leak(source_study *study, sotto_adjacency adjacency,
                                      size_t rows, size_t place)
{
    const tape_study tape = source_tape(study);
    const char *leak = NULL;
    int exit_code = -1;
    tape_table *table = tape_table_new(source_columns, SOURCE_COLUMNS, rows, 11);
    if (tape_releases(&tape, table, &exit_code) == 0 || exit_code != 0)
        leak = exit_code == 0 ? "it releases nothing" : "it fails";
    for (int row = 0; row < TAPE_ROWS && leak == NULL; row++) {
        tape_table *neighbour = tape_neighbour(table, adjacency, (tape_row)row, place);
        if (neighbour == NULL) continue;
        leak = tape_check(&tape, table, neighbour);
        if (leak == NULL) leak = tape_check(&tape, neighbour, table);
        tape_table_free(neighbour);
    }
    tape_table_free(table);
    return leak == NULL ? NULL : source_name_leak(study, leak);
}

#endif
