/* Which model learns by which method, and what every such training must do, however wide the table and however few the
 * rows: succeed, verify, and have noise. */
#ifndef SOTTO_TESTS_WIDE_LEARNERS_H
#define SOTTO_TESTS_WIDE_LEARNERS_H

#include "support.h"

#include <sotto/certificate.h>
#include <sotto/model.h>

#include "wide_study.h"

/* ---- all of them ---- */

static inline bool wide_is_model(int model)
{
    return strcmp(sotto_model_kind_name((sotto_model_kind)model), "unknown") != 0;
}

static inline bool wide_is_method(int method)
{
    return strcmp(sotto_method_name((sotto_method)method), "unknown") != 0;
}

/* Methods of every smooth convex loss. */
static inline bool wide_is_general(sotto_method method)
{
    switch (method) {
    case SOTTO_METHOD_AUTO:
    case SOTTO_METHOD_OUTPUT:
    case SOTTO_METHOD_OBJECTIVE:
    case SOTTO_METHOD_GD:
    case SOTTO_METHOD_NONE:
    case SOTTO_METHOD_SGD:
    case SOTTO_METHOD_PERMUTATION_SGD:
    case SOTTO_METHOD_GD_OUTPUT:
    case SOTTO_METHOD_FRANK_WOLFE:
    case SOTTO_METHOD_POSTERIOR:
    case SOTTO_METHOD_REGULARIZED_EM:
        return true;
    case SOTTO_METHOD_NEWTON:
    case SOTTO_METHOD_STATISTICS:
    case SOTTO_METHOD_ADASSP:
    case SOTTO_METHOD_EXPONENTIAL:
    case SOTTO_METHOD_PERMUTE_AND_FLIP:
    case SOTTO_METHOD_LAPLACE:
        break;
    }
    return false;
}

/* The switch names every model: a new one does not compile until its methods are stated here. */
static inline bool wide_learns(sotto_model_kind model, sotto_method method)
{
    switch (model) {
    case SOTTO_MODEL_LOGISTIC:
        return wide_is_general(method) || method == SOTTO_METHOD_NEWTON;
    case SOTTO_MODEL_LINEAR:
        return wide_is_general(method) || method == SOTTO_METHOD_STATISTICS ||
               method == SOTTO_METHOD_ADASSP;
    case SOTTO_MODEL_SVM:
    case SOTTO_MODEL_HUBER:
    case SOTTO_MODEL_SOFTMAX:
    case SOTTO_MODEL_POISSON:
    case SOTTO_MODEL_CUSTOM:
    case SOTTO_MODEL_ADDITIVE:
        return wide_is_general(method);
    case SOTTO_MODEL_HINGE:
        return method == SOTTO_METHOD_AUTO || method == SOTTO_METHOD_OUTPUT ||
               method == SOTTO_METHOD_GD || method == SOTTO_METHOD_SGD ||
               method == SOTTO_METHOD_NONE;
    case SOTTO_MODEL_NETWORK:
        return method == SOTTO_METHOD_AUTO || method == SOTTO_METHOD_SGD ||
               method == SOTTO_METHOD_GD || method == SOTTO_METHOD_NONE;
    case SOTTO_MODEL_CONCEPT:
        return method == SOTTO_METHOD_AUTO || method == SOTTO_METHOD_NONE ||
               method == SOTTO_METHOD_EXPONENTIAL ||
               method == SOTTO_METHOD_PERMUTE_AND_FLIP || method == SOTTO_METHOD_LAPLACE;
    case SOTTO_MODEL_UNSET:
        break;
    }
    return false;
}

/* ---- one training ---- */

typedef struct wide_shape {
    size_t columns, rows;
    bool sparse, missing;
} wide_shape;

/* For messages: the training that is running. */
static char wide_name[200];

static inline void wide_set_name(const sotto_train_config *config, wide_shape shape)
{
    (void)snprintf(wide_name, sizeof wide_name, "%s by %s, %zu columns, %zu rows%s%s",
                   sotto_model_kind_name(config->model),
                   sotto_method_name(config->method), shape.columns, shape.rows,
                   shape.sparse ? ", sparse" : "", shape.missing ? ", missing" : "");
}

static inline sotto_model *wide_model_of(sotto_train_result *result)
{
    sotto_error error;
    sotto_model *model = NULL;
    const char *json = sotto_train_json(result);
    assert_ok(sotto_model_parse("m.json", json, strlen(json), &model, &error), &error);
    return model;
}

/* `seed` 0: noise from the operating system. Free the model. */
static inline sotto_model *wide_train(sotto_train_config config,
                                      const sotto_schema *schema, const char *path,
                                      uint64_t seed)
{
    sotto_error error = {0};
    sotto_train_result *result = NULL;
    config.insecure_test = seed > 0;
    config.test_seed = seed;
    if (sotto_train_data(&config, schema, &(const sotto_data_file){.path = path}, &result,
                         &error) != SOTTO_OK)
        fail_msg("%s: %s", wide_name, error.message);
    const char *json = sotto_train_json(result);
    if (seed == 0 && config.method != SOTTO_METHOD_NONE &&
        sotto_certificate_verify(json, strlen(json), &error) != SOTTO_OK)
        fail_msg("%s: %s", wide_name, error.message);
    sotto_model *model = wide_model_of(result);
    sotto_train_free(result);
    return model;
}

static inline size_t wide_differing(const sotto_model *a, const sotto_model *b)
{
    size_t count = 0;
    assert_int_equal(sotto_model_coefficients(a), sotto_model_coefficients(b));
    for (size_t i = 0; i < sotto_model_coefficients(a); i++)
        count += sotto_model_coefficient(a, i) != sotto_model_coefficient(b, i);
    return count;
}

/* A choice has few outcomes. Of all others every number has noise of its own, at least 2^20 steps of the result wide. */
static inline bool wide_is_choice(const sotto_train_config *config)
{
    return config->model == SOTTO_MODEL_CONCEPT ||
           config->method == SOTTO_METHOD_FRANK_WOLFE;
}

/* Two runs without noise would be equal. `first` has fresh noise: that half of its numbers agree with those of the
 * seeded run has a probability below 2^-20 for one number, and less for more. */
static inline void wide_expect_noise(const sotto_train_config *config,
                                     const sotto_schema *schema, const char *path,
                                     const sotto_model *first)
{
    enum { SEEDS = 8 };
    bool found = false;
    for (uint64_t seed = 1; seed <= SEEDS && !found; seed++) {
        sotto_model *other = wide_train(*config, schema, path, seed);
        const size_t differing = wide_differing(first, other);
        found = wide_is_choice(config) ? differing > 0
                                       : 2 * differing > sotto_model_coefficients(first);
        sotto_model_free(other);
        if (!found && !wide_is_choice(config)) break;
    }
    if (!found) fail_msg("%s: no noise", wide_name);
}

/* Without a public number of rows these methods have no plan: the refusal is that of the plan, which sees no row. */
static inline void wide_expect_refusal(const sotto_train_config *config,
                                       const sotto_schema *schema, const char *path)
{
    sotto_error planned = {0}, run = {0};
    sotto_training *training = NULL;
    sotto_train_result *result = NULL;
    const sotto_status status = sotto_training_plan(config, schema, &training, &planned);
    assert_int_not_equal(status, SOTTO_OK);
    assert_int_equal(sotto_train_data(config, schema,
                                      &(const sotto_data_file){.path = path}, &result,
                                      &run),
                     status);
    assert_string_equal(planned.message, run.message);
    assert_true(strlen(run.message) > 20);
}

/* Rows that are declared public may decide: a network has nothing to start from. */
static inline bool wide_needs_rows(const sotto_train_config *config)
{
    return config->model == SOTTO_MODEL_NETWORK && config->method == SOTTO_METHOD_NONE;
}

static inline void wide_check(sotto_model_kind model, sotto_method method,
                              wide_shape shape)
{
    if (model == SOTTO_MODEL_ADDITIVE && shape.sparse) return; /* bins need columns */
    sotto_train_config config = wide_config(model, method);
    wide_scene scene = wide_scene_new(shape.columns, wide_target_of(model), shape.sparse);
    sotto_schema *schema = wide_parse(scene.schema);
    tape_table *table =
        tape_table_new(scene.list, scene.columns + 1, shape.rows, 7 + shape.rows);
    const char *path = wide_path(&scene);
    wide_set_name(&config, shape);
    wide_store(&scene, table, shape.missing, path);
    if (is_stable_method(method)) config.public_n = shape.rows;
    if (is_stable_method(method) && shape.rows == 0) {
        wide_expect_refusal(&config, schema, path);
    } else if (!wide_needs_rows(&config) || shape.rows > 0) {
        sotto_model *learned = wide_train(config, schema, path, 0);
        if (method != SOTTO_METHOD_NONE)
            wide_expect_noise(&config, schema, path, learned);
        sotto_model_free(learned);
    }
    assert_int_equal(unlink(path), 0);
    tape_table_free(table);
    sotto_schema_free(schema);
    wide_scene_free(&scene);
}

/* Calls wide_check() for every model with every method that it learns by. */
static inline void wide_check_all(wide_shape shape)
{
    for (int model = 1; wide_is_model(model); model++)
        for (int method = 0; wide_is_method(method); method++)
            if (wide_learns((sotto_model_kind)model, (sotto_method)method))
                wide_check((sotto_model_kind)model, (sotto_method)method, shape);
}

/* ---- neighbours ---- */

/* `row` comes in behind the others, or the last one goes or is exchanged: coins and places of the others stay. */
static inline void wide_expect_no_leak(sotto_model_kind model, sotto_method method,
                                       wide_shape shape, tape_row row)
{
    wide_scene scene = wide_scene_new(shape.columns, wide_target_of(model), shape.sparse);
    wide_study study = {.scene = &scene, .config = wide_config(model, method)};
    const tape_study tape = wide_tape(&study);
    const sotto_adjacency adjacency = study.config.adjacency;
    const bool takes = adjacency == SOTTO_REPLACE_ONE || row == TAPE_NO_ROW;
    tape_table *table = tape_table_new(tape.columns, tape.column_count, shape.rows, 11);
    tape_table *neighbour =
        tape_neighbour(table, adjacency, row, takes ? shape.rows - 1 : shape.rows);
    wide_set_name(&study.config, shape);
    const char *leak = neighbour == NULL ? NULL : tape_check(&tape, table, neighbour);
    if (leak != NULL) fail_msg("%s: %s", wide_name, leak);
    tape_table_free(neighbour);
    tape_table_free(table);
    wide_scene_free(&scene);
}

static inline void wide_expect_no_leaks(wide_shape shape, tape_row row)
{
    for (int model = 1; wide_is_model(model); model++)
        for (int method = 0; wide_is_method(method); method++)
            if (wide_learns((sotto_model_kind)model, (sotto_method)method) &&
                method != SOTTO_METHOD_NONE)
                wide_expect_no_leak((sotto_model_kind)model, (sotto_method)method, shape,
                                    row);
}

#endif
