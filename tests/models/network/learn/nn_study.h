/* The learner of networks on a small table, without the run around it: as a plan, and as a run of the tape
 * harness. */
#ifndef SOTTO_TESTS_NN_STUDY_H
#define SOTTO_TESTS_NN_STUDY_H

#include <stdio.h>
#include <string.h>

#include <sotto/train_config.h>

#include "base/memory.h"
#include "data/batches/table.h"
#include "models/network/learn/nn.h"
#include "models/network/learn/parts.h"
#include "privacy/mechanisms/gate/gate.h"
#include "tape.h"

static const char *const nn_towns[] = {"Lund", "Ystad", NULL};
static const char *const nn_answers[] = {"no", "maybe", "yes", NULL};

static const tape_column nn_columns[] = {{"age", 18.0, 90.0, NULL},
                                         {"weight", 0.0, 4.0, NULL},
                                         {"town", 0.0, 0.0, nn_towns},
                                         {"smokes", 0.0, 0.0, nn_answers}};
enum { NN_COLUMNS = sizeof nn_columns / sizeof nn_columns[0] };

static const char nn_schema[] =
    "{\"dataset\": \"study-7\", \"target\": \"smokes\", \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"weight\", \"type\": \"number\", \"lower\": 0, \"upper\": 4},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\"]},"
    "{\"name\": \"smokes\", \"type\": \"category\", "
    "\"values\": [\"no\", \"maybe\", \"yes\"]}]}";

static const char nn_plain_net[] =
    "{\"kind\": \"network\", \"version\": 1, \"layers\": ["
    "{\"type\": \"dense\", \"units\": 5}, {\"type\": \"tanh\"}, "
    "{\"type\": \"dense\", \"units\": \"outputs\"}]}";
static const char nn_norm_net[] =
    "{\"kind\": \"network\", \"version\": 1, \"layers\": ["
    "{\"type\": \"data-norm\", \"clip\": 0.75, \"clip_squares\": 0.5, \"noise\": 9}, "
    "{\"type\": \"dense\", \"units\": 5}, {\"type\": \"tanh\"}, "
    "{\"type\": \"dense\", \"units\": \"outputs\"}]}";

/* Two data norms: the first moves channels alone, and makes one release. */
static const char nn_center_net[] =
    "{\"kind\": \"network\", \"version\": 1, \"layers\": ["
    "{\"type\": \"data-norm\", \"clip\": 0.6, \"noise\": 9}, "
    "{\"type\": \"data-norm\", \"clip\": 0.75, \"clip_squares\": 0.5, \"noise\": 9}, "
    "{\"type\": \"dense\", \"units\": \"outputs\"}]}";

struct nn_scene;

typedef struct nn_study {
    sotto_train_config config;
    bool n_is_public;    /* declare the table's own number of rows */
    const char *network; /* NULL: nn_plain_net */
    const char *schema;  /* NULL: nn_schema */
    size_t threads;      /* 0: one */
    tape_run run;        /* NULL: nn_run() */
    struct nn_scene
        *kept; /* its learner and plan, which are public: made once for many runs;
                              NULL: each run makes its own */
} nn_study;

static inline sotto_train_config nn_config(sotto_adjacency adjacency)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_NETWORK;
    config.method = SOTTO_METHOD_SGD;
    config.adjacency = adjacency;
    config.epsilon = 2.5;
    config.delta = 1e-5;
    config.expected_rows = 8;
    config.batch = 4;
    config.steps = 4;
    config.clip = 0.375;
    return config;
}

/* Everything that a learner stands on. */
typedef struct nn_scene {
    char network[64]; /* a file */
    sotto_train_config config;
    sotto_schema *schema;
    sot_encoding *encoding;
    sot_learner *learner;
    sotto_plan *plan;
} nn_scene;

static inline sotto_status nn_write_network(const char *text, char out_path[64])
{
    (void)snprintf(out_path, 64, "/tmp/sotto-nn-XXXXXX");
    const int file = mkstemp(out_path);
    FILE *stream = file < 0 ? NULL : fdopen(file, "w");
    if (stream == NULL) return SOTTO_IO;
    const bool ok = fputs(text, stream) >= 0;
    return fclose(stream) == 0 && ok ? SOTTO_OK : SOTTO_IO;
}

static inline void nn_scene_end(nn_scene *scene)
{
    sotto_plan_free(scene->plan);
    sot_learner_free(scene->learner);
    sot_encoding_free(scene->encoding);
    sotto_schema_free(scene->schema);
    if (scene->network[0] != '\0') (void)remove(scene->network);
    *scene = (nn_scene){0};
}

static inline sotto_status nn_scene_begin(const nn_study *study, size_t rows,
                                          nn_scene *scene, sotto_error *error)
{
    const char *schema = study->schema == NULL ? nn_schema : study->schema;
    *scene = (nn_scene){.config = study->config};
    if (study->n_is_public) scene->config.public_n = rows;
    sotto_status status = nn_write_network(
        study->network == NULL ? nn_plain_net : study->network, scene->network);
    scene->config.network = scene->network;
    if (status == SOTTO_OK)
        status =
            sotto_schema_parse("s.json", schema, strlen(schema), &scene->schema, error);
    if (status == SOTTO_OK)
        status = sot_encoding_new(scene->schema, NULL, SOT_TARGET_CLASSES,
                                  &scene->encoding, error);
    const sot_learner_setup setup = {.config = &scene->config,
                                     .encoding = scene->encoding,
                                     .schema = scene->schema,
                                     .unit_rows = 1,
                                     .method = scene->config.method};
    if (status == SOTTO_OK) status = sot_nn_new(&setup, &scene->learner, error);
    if (status == SOTTO_OK && scene->learner->plan != NULL) {
        status = sotto_plan_new(scene->config.adjacency, &scene->plan, error);
        if (status == SOTTO_OK)
            status = scene->learner->plan(scene->learner, scene->plan, error);
    }
    return status;
}

/* Plan, gate, learn; the coefficients in `theta`. */
static inline sotto_status nn_learn(nn_scene *scene, const sot_matrix *matrix,
                                    uint64_t seed, size_t threads, double *theta,
                                    sotto_error *error)
{
    sotto_rng *rng = NULL;
    sotto_gate *gate = NULL;
    sot_table *table = NULL;
    sot_pool *pool = NULL;
    sotto_status status = sotto_rng_new_for_test(seed, &rng, error);
    if (status == SOTTO_OK && scene->plan != NULL)
        status = sotto_gate_new(scene->plan, rng, &gate, error);
    if (status == SOTTO_OK && gate != NULL) status = sotto_gate_open(gate, error);
    if (status == SOTTO_OK) status = sot_table_of_matrix(matrix, &table, error);
    if (status == SOTTO_OK) status = sot_pool_new(threads, &pool, error);
    if (status == SOTTO_OK)
        status = scene->learner->learn(scene->learner, gate, table, pool, theta, error);
    if (status == SOTTO_OK && gate != NULL) status = sotto_gate_finish(gate, error);
    sot_pool_free(pool);
    sot_table_free(table);
    sotto_gate_free(gate);
    sotto_rng_free(rng);
    return status;
}

/* What a learner's data norms have learned. */
static inline void nn_forget_norms(sot_net *net)
{
    for (size_t i = 0; i < net->layer_count; i++) {
        sot_layer *layer = &net->layers[i];
        if (layer->kind != SOT_LAYER_DATA_NORM) continue;
        sot_free(layer->mean);
        sot_free(layer->deviation);
        layer->mean = layer->deviation = NULL;
    }
}

static inline sotto_status nn_load(const nn_scene *scene, const char *path,
                                   sot_matrix **out_matrix, sotto_error *error)
{
    sot_source *source = NULL;
    sotto_rng *rng = NULL;
    sotto_status status =
        sot_source_open_file(path, scene->schema, false, &source, error);
    if (status == SOTTO_OK) status = sotto_rng_new_for_test(1, &rng, error);
    if (status == SOTTO_OK)
        status = sot_matrix_load(source, scene->schema, scene->encoding, rng, out_matrix,
                                 error);
    sotto_rng_free(rng);
    sot_source_close(source);
    return status;
}

/* What a run shows: settings, and what it learned. */
static inline sotto_status nn_show(const nn_study *study, nn_scene *scene,
                                   const char *path, sotto_error *error)
{
    const size_t count = sot_learner_coefficients(scene->learner);
    sot_matrix *matrix = NULL;
    double *theta = sot_new_array(count, sizeof *theta);
    sotto_status status = nn_load(scene, path, &matrix, error);
    if (status == SOTTO_OK) {
        status = theta == NULL
                     ? SOTTO_OUT_OF_MEMORY
                     : nn_learn(scene, matrix, 20261116,
                                study->threads == 0 ? 1 : study->threads, theta, error);
    }
    for (size_t i = 0; status == SOTTO_OK && i < scene->learner->setting_count; i++)
        printf("%s %.17g\n", scene->learner->settings[i].name,
               scene->learner->settings[i].value);
    for (size_t i = 0; status == SOTTO_OK && i < count; i++)
        printf("%.17g\n", theta[i]);
    sot_free(theta);
    sot_matrix_free(matrix);
    return status;
}

static inline int nn_run(const tape_table *table, const tape_place *place, void *context)
{
    const nn_study *study = context;
    nn_scene own = {0};
    nn_scene *scene = study->kept != NULL ? study->kept : &own;
    sotto_error error = {0};
    sotto_status status = SOTTO_OK;
    if (study->kept == NULL) status = nn_scene_begin(study, table->rows, scene, &error);
    if (status == SOTTO_OK) {
        nn_forget_norms(scene->learner->net);
        status = nn_show(study, scene, place->input_path, &error);
    }
    if (status != SOTTO_OK) fprintf(stderr, "%s\n", error.message);
    nn_scene_end(&own);
    return status == SOTTO_OK ? 0 : 1;
}

static inline tape_study nn_tape_of(nn_study *study)
{
    return (tape_study){.run = study->run == NULL ? nn_run : study->run,
                        .context = study,
                        .columns = nn_columns,
                        .column_count = NN_COLUMNS};
}

#endif
