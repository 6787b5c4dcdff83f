/* Every model by every method, and every statistic, on tables of 1 and 200 columns with hardly any row: trainings succeed,
 * verify and have noise, and nothing shows but what was paid for. The rest is in slow_wide.c.
 *
 * False alarms: below 1e-6 for the whole program; where noise is compared with its distribution, seeds are fixed. */
#include "support.h"

#include <sotto/ledger.h>

#include "wide_releases.h"

/* ---- all of them ---- */

static void expect_plan(sotto_model_kind model, sotto_method method, bool sparse)
{
    sotto_error error = {0};
    sotto_training *training = NULL;
    sotto_train_config config = wide_config(model, method);
    wide_scene scene = wide_scene_new(200, wide_target_of(model), sparse);
    sotto_schema *schema = wide_parse(scene.schema);
    if (is_stable_method(method)) config.public_n = 3;
    wide_set_name(&config, (wide_shape){.columns = 200, .sparse = sparse});
    const sotto_status status = sotto_training_plan(&config, schema, &training, &error);
    if ((status == SOTTO_OK) != wide_learns(model, method))
        fail_msg("%s: %s", wide_name, error.message);
    if (status != SOTTO_OK && strstr(error.message, sotto_method_name(method)) == NULL &&
        strstr(error.message, sotto_model_kind_name(model)) == NULL)
        fail_msg("%s: the refusal names neither: %s", wide_name, error.message);
    sotto_training_free(training);
    sotto_schema_free(schema);
    wide_scene_free(&scene);
}

/* What is not learned is refused by the plan, before anything is charged or read. */
static void every_model_and_method_is_planned_or_refused(void **state)
{
    (void)state;
    for (int model = 1; wide_is_model(model); model++)
        for (int method = 0; wide_is_method(method); method++)
            for (int sparse = 0; sparse < 2; sparse++)
                expect_plan((sotto_model_kind)model, (sotto_method)method, sparse == 1);
}

static void every_learner_learns_from_one_column(void **state)
{
    (void)state;
    wide_check_all((wide_shape){.columns = 1, .rows = 0});
    wide_check_all(
        (wide_shape){.columns = 1, .rows = 1, .sparse = true, .missing = true});
}

static void every_learner_learns_from_200_columns(void **state)
{
    (void)state;
    wide_check_all((wide_shape){.columns = 200, .rows = 3});
    wide_check_all((wide_shape){.columns = 200, .rows = 2, .sparse = true});
}

static void every_learner_shows_nothing_of_200_columns(void **state)
{
    (void)state;
    wide_expect_no_leaks((wide_shape){.columns = 200, .rows = 3}, TAPE_HIGH);
}

static void every_statistic_is_released(void **state)
{
    (void)state;
    static const size_t columns[] = {1, 200, 500};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        wide_check_releases((wide_shape){.columns = columns[i], .rows = i});
        wide_check_releases((wide_shape){
            .columns = columns[i], .rows = 3, .missing = true, .sparse = i == 1});
    }
}

/* ---- matrices of more entries than a chunk of noise ---- */

typedef struct by_matrix {
    sotto_model_kind model;
    sotto_method method;
} by_matrix;

static const by_matrix matrices[] = {{SOTTO_MODEL_LINEAR, SOTTO_METHOD_STATISTICS},
                                     {SOTTO_MODEL_LINEAR, SOTTO_METHOD_ADASSP},
                                     {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_NEWTON}};
enum { MATRICES = sizeof matrices / sizeof matrices[0] };

/* 0 rows and a lambda far above the noise of A: theta is the noise of v over lambda, up to 1e-3, and v is the last row of the
 * matrix. statistics.md: its scale is that of the moments' event over R. */
static void expect_noise_of_plan(size_t columns)
{
    const double lambda = 1e9, bound = sqrt((double)columns + 1.0);
    sotto_error error;
    sotto_training *training = NULL;
    sotto_train_config config = wide_config(SOTTO_MODEL_LINEAR, SOTTO_METHOD_STATISTICS);
    wide_scene scene = wide_scene_new(columns, WIDE_NUMBER, false);
    sotto_schema *schema = wide_parse(scene.schema);
    tape_table *table = tape_table_new(scene.list, columns + 1, 0, 1);
    double squares = 0.0;
    config.lambda = lambda;
    wide_store(&scene, table, false, wide_path(&scene));
    assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
    const sotto_event *moments = sotto_plan_event(sotto_training_events(training), 0);
    sotto_model *model = wide_train(config, schema, wide_path(&scene), 29 + columns);
    assert_int_equal(sotto_model_coefficients(model), columns + 1);
    for (size_t i = 0; i <= columns; i++) {
        const double noise =
            sotto_model_coefficient(model, i) * lambda / (moments->scale / bound);
        squares += noise * noise;
        for (size_t j = 0; j < i; j++) /* nothing is used twice */
            assert_true(sotto_model_coefficient(model, i) !=
                        sotto_model_coefficient(model, j));
    }
    /* Chi-square with columns + 1 degrees; more than 6 deviations away: probability below 5e-7. */
    const double degrees = (double)columns + 1.0;
    assert_within(squares, degrees - 6.0 * sqrt(2.0 * degrees),
                  degrees + 6.0 * sqrt(2.0 * degrees));
    assert_int_equal(unlink(wide_path(&scene)), 0);
    sotto_model_free(model);
    sotto_training_free(training);
    tape_table_free(table);
    sotto_schema_free(schema);
    wide_scene_free(&scene);
}

static void wide_moments_have_the_noise_of_the_plan(void **state)
{
    (void)state;
    static const size_t columns[] = {179, 180, 181, 200, 500};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        expect_noise_of_plan(columns[i]);
}

static void any_number_of_threads_gives_the_same_model(void **state)
{
    (void)state;
    for (size_t i = 0; i < MATRICES; i++) {
        sotto_train_config config = wide_config(matrices[i].model, matrices[i].method);
        wide_scene scene = wide_scene_new(200, wide_target_of(config.model), false);
        sotto_schema *schema = wide_parse(scene.schema);
        tape_table *table = tape_table_new(scene.list, 201, 600, 3); /* two chunks */
        wide_store(&scene, table, false, wide_path(&scene));
        sotto_model *first = wide_train(config, schema, wide_path(&scene), 5);
        for (size_t threads = 2; threads <= 3; threads++) {
            config.threads = threads;
            sotto_model *other = wide_train(config, schema, wide_path(&scene), 5);
            assert_int_equal(wide_differing(first, other), 0);
            sotto_model_free(other);
        }
        assert_int_equal(unlink(wide_path(&scene)), 0);
        sotto_model_free(first);
        tape_table_free(table);
        sotto_schema_free(schema);
        wide_scene_free(&scene);
    }
}

typedef struct entry_counts {
    size_t reserved, committed;
} entry_counts;

static sotto_status count_entry(const sotto_ledger_entry *entry, void *context,
                                sotto_error *error)
{
    entry_counts *counts = context;
    (void)error;
    counts->reserved += entry->kind == SOTTO_LEDGER_RESERVE;
    counts->committed += entry->kind == SOTTO_LEDGER_COMMIT;
    return SOTTO_OK;
}

static void train_with_ledger(const by_matrix *by, size_t columns, const char *path)
{
    sotto_train_config config = wide_config(by->model, by->method);
    wide_scene scene = wide_scene_new(columns, wide_target_of(by->model), false);
    sotto_schema *schema = wide_parse(scene.schema);
    tape_table *table = tape_table_new(scene.list, columns + 1, 2, 3);
    config.ledger = path;
    config.epsilon = 0.1;
    wide_store(&scene, table, false, wide_path(&scene));
    sotto_model_free(wide_train(config, schema, wide_path(&scene), 0));
    assert_int_equal(unlink(wide_path(&scene)), 0);
    tape_table_free(table);
    sotto_schema_free(schema);
    wide_scene_free(&scene);
}

/* The matrix of 180 columns, a constant column and a target has 182^2 entries, more than SOT_NOISE_LONG. */
static void every_charge_for_a_wide_matrix_is_used(void **state)
{
    (void)state;
    static const size_t columns[] = {179, 180, 181, 182, 200};
    enum { SIZES = sizeof columns / sizeof columns[0] };
    sotto_error error;
    sotto_ledger *ledger = NULL;
    entry_counts counts = {0};
    char directory[] = "wide_ledger_XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    (void)snprintf(path, sizeof path, "%s/wide.ledger", directory);
    sotto_ledger_config config = sotto_ledger_defaults();
    (void)snprintf(config.dataset, sizeof config.dataset, "wide");
    config.epsilon = 20.0;
    config.delta = 1e-3;
    config.adjacency = SOTTO_ADD_REMOVE;
    assert_ok(sotto_ledger_init(path, &config, &error), &error);
    for (size_t i = 0; i < MATRICES; i++)
        for (size_t k = 0; k < SIZES; k++)
            train_with_ledger(&matrices[i], columns[k], path);
    assert_ok(sotto_ledger_open(path, &ledger, &error), &error);
    assert_ok(sotto_ledger_visit(ledger, count_entry, &counts, &error), &error);
    sotto_ledger_close(ledger);
    assert_int_equal(counts.reserved, (size_t)MATRICES * SIZES);
    assert_int_equal(counts.committed, counts.reserved);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_and_method_is_planned_or_refused),
        cmocka_unit_test(every_learner_learns_from_one_column),
        cmocka_unit_test(every_learner_learns_from_200_columns),
        cmocka_unit_test(every_learner_shows_nothing_of_200_columns),
        cmocka_unit_test(every_statistic_is_released),
        cmocka_unit_test(wide_moments_have_the_noise_of_the_plan),
        cmocka_unit_test(any_number_of_threads_gives_the_same_model),
        cmocka_unit_test(every_charge_for_a_wide_matrix_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
