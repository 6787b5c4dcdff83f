/* A learner on its own: made of a schema text and settings, run on a matrix of made-up rows. */
#ifndef SOTTO_TESTS_ERM_SCENE_H
#define SOTTO_TESTS_ERM_SCENE_H

#include "support.h"

#include "methods/convex/erm.h"

/* One schema for every model: rows of norm at most 1, no constant column. */
#define SCENE_MATRIX                                                                     \
    "\"row_norm\": {\"bound\": 1.0, \"rule\": \"clip\"}, \"intercept\": 0, "             \
    "\"features\": 5}"

typedef struct scene {
    sotto_schema *schema;
    sot_encoding *encoding;
    sotto_train_config config;
    sot_learner_setup setup;
    sot_learner *learner; /* NULL: refused */
} scene;

static inline sot_target_role scene_role(sotto_model_kind model)
{
    if (model == SOTTO_MODEL_POISSON) return SOT_TARGET_COUNT;
    return model == SOTTO_MODEL_LINEAR || model == SOTTO_MODEL_HUBER ? SOT_TARGET_NUMBER
                                                                     : SOT_TARGET_CLASSES;
}

static inline const char *scene_text(sotto_model_kind model)
{
    if (scene_role(model) != SOT_TARGET_CLASSES)
        return "{\"target\": {\"lower\": 0, \"upper\": 4}, " SCENE_MATRIX;
    if (model == SOTTO_MODEL_SOFTMAX) return "{\"labels\": [0, 1, 2], " SCENE_MATRIX;
    return "{\"labels\": [-1, 1], " SCENE_MATRIX;
}

typedef sotto_status (*scene_maker)(const sot_learner_setup *setup,
                                    sot_learner **out_learner, sotto_error *error);

/* Makes the learner of `config`; the status is the maker's. `at` must not move afterwards. */
static inline sotto_status scene_begin_with(scene *at, sotto_train_config config,
                                            scene_maker maker, sotto_error *error)
{
    const char *text = scene_text(config.model);
    *at = (scene){.config = config};
    sotto_status status =
        sotto_schema_parse("test", text, strlen(text), &at->schema, error);
    if (status == SOTTO_OK)
        status = sot_encoding_new(at->schema, NULL, scene_role(config.model),
                                  &at->encoding, error);
    if (status != SOTTO_OK) return status;
    at->setup = (sot_learner_setup){.config = &at->config,
                                    .encoding = at->encoding,
                                    .unit_rows = 1,
                                    .method = config.method};
    return maker(&at->setup, &at->learner, error);
}

static inline sotto_status scene_begin(scene *at, sotto_train_config config,
                                       sotto_error *error)
{
    return scene_begin_with(at, config, sot_erm_new, error);
}

static inline void scene_end(scene *at)
{
    sot_learner_free(at->learner);
    sot_encoding_free(at->encoding);
    sotto_schema_free(at->schema);
}

static inline double scene_setting(const scene *at, const char *name)
{
    for (size_t i = 0; i < at->learner->setting_count; i++)
        if (strcmp(at->learner->settings[i].name, name) == 0)
            return at->learner->settings[i].value;
    fail_msg("no setting %s", name);
    return NAN;
}

/* One run through a gate of its own. */
static inline sotto_status scene_learn(const scene *at, const sot_matrix *matrix,
                                       uint64_t seed, size_t threads, double *out_theta,
                                       sotto_error *error)
{
    sotto_rng *rng = NULL;
    sotto_plan *plan = NULL;
    sotto_gate *gate = NULL;
    sot_table *table = NULL;
    sot_pool *pool = NULL;
    sotto_status status = sotto_rng_new_for_test(seed, &rng, error);
    if (status == SOTTO_OK) status = sotto_plan_new(at->config.adjacency, &plan, error);
    if (status == SOTTO_OK) status = at->learner->plan(at->learner, plan, error);
    if (status == SOTTO_OK) status = sotto_gate_new(plan, rng, &gate, error);
    if (status == SOTTO_OK) status = sotto_gate_open(gate, error);
    if (status == SOTTO_OK) status = sot_table_of_matrix(matrix, &table, error);
    if (status == SOTTO_OK) status = sot_pool_new(threads, &pool, error);
    if (status == SOTTO_OK)
        status = at->learner->learn(at->learner, gate, table, pool, out_theta, error);
    if (status == SOTTO_OK) status = sotto_gate_finish(gate, error);
    sot_pool_free(pool);
    sot_table_free(table);
    sotto_gate_free(gate);
    sotto_plan_free(plan);
    sotto_rng_free(rng);
    return status;
}

/* ---- rows ---- */

enum { SCENE_COLUMNS = 5, SCENE_STRIDE = 16 };

static inline uint64_t scene_mixed(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In [-1, 1), a multiple of 2^-20. */
static inline double scene_uniform(uint64_t *state)
{
    return (double)(int64_t)(scene_mixed(state) >> 43) * 0x1p-20 - 1.0;
}

/* Row `row` becomes one of norm almost 1, with a label of the model's. */
static inline void scene_row(sot_matrix *matrix, sotto_model_kind model, size_t row,
                             uint64_t *state)
{
    float *x = matrix->dense + row * SCENE_STRIDE;
    double squares = 0.0, plane = 0.0;
    double wide[SCENE_COLUMNS];
    for (size_t j = 0; j < SCENE_COLUMNS; j++) {
        wide[j] = scene_uniform(state);
        squares += wide[j] * wide[j];
    }
    for (size_t j = 0; j < SCENE_COLUMNS; j++) {
        x[j] =
            (float)(trunc(wide[j] / sqrt(squares) * 0x1p22 * (1.0 - 0x1p-20)) * 0x1p-22);
        plane += (double)x[j] * (j % 2 == 0 ? 1.25 : -0.75);
    }
    plane += 0.25 * scene_uniform(state);
    matrix->labels[row] = model == SOTTO_MODEL_SOFTMAX   ? (plane < -0.375  ? 0.0
                                                            : plane < 0.375 ? 1.0
                                                                            : 2.0)
                          : model == SOTTO_MODEL_POISSON ? rint(2.0 + plane)
                          : scene_role(model) == SOT_TARGET_NUMBER
                              ? trunc(plane * 0x1p18) * 0x1p-20
                              : (plane < 0.0 ? -1.0 : 1.0);
}

static inline sot_matrix scene_matrix(sotto_model_kind model, size_t rows, uint64_t seed)
{
    sot_matrix matrix = {.rows = rows, .columns = SCENE_COLUMNS, .stride = SCENE_STRIDE};
    matrix.dense = aligned_alloc(64, (rows + 1) * SCENE_STRIDE * sizeof(float));
    matrix.labels = calloc(rows + 1, sizeof(double));
    assert_true(matrix.dense != NULL && matrix.labels != NULL);
    memset(matrix.dense, 0, (rows + 1) * SCENE_STRIDE * sizeof(float));
    for (size_t i = 0; i < rows; i++)
        scene_row(&matrix, model, i, &seed);
    return matrix;
}

static inline void scene_matrix_free(sot_matrix *matrix)
{
    free(matrix->dense);
    free(matrix->labels);
}

#endif
