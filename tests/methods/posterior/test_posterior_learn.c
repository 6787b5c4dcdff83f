/* The two learners on rows: what they write, and when they do not. */
#include "support.h"

#include "posterior_scene.h"

#include "base/memory.h"

enum { ROWS = 12, DRAWS = 3, NUMBERS_MOST = DRAWS * 3 * SCENE_COLUMNS };

static sotto_train_config few_steps(sotto_model_kind model)
{
    sotto_train_config config = drawn_config(model, SOTTO_METHOD_REGULARIZED_EM, 1e-6);
    config.lambda = 20.0;
    config.radius = 1.25;
    config.draws = DRAWS;
    return config;
}

/* Multiples of the grid, in the ball but for the correction, each draw another one; the same bits for any number of threads. */
static void draws_are_written_one_after_another(void **state)
{
    (void)state;
    const sotto_model_kind models[] = {SOTTO_MODEL_LOGISTIC, SOTTO_MODEL_LINEAR,
                                       SOTTO_MODEL_SOFTMAX};
    for (int model = 0; model < 3; model++) {
        scene at;
        sotto_error error;
        double theta[NUMBERS_MOST] = {0}, again[NUMBERS_MOST] = {0};
        sot_matrix matrix = scene_matrix(models[model], ROWS, 9);
        assert_ok(drawn_begin(&at, few_steps(models[model]), &error), &error);
        const size_t numbers = sot_learner_coefficients(at.learner),
                     each = numbers / DRAWS;
        assert_ok(scene_learn(&at, &matrix, 5, 1, theta, &error), &error);
        assert_ok(scene_learn(&at, &matrix, 5, 2, again, &error), &error);
        assert_memory_equal(theta, again, numbers * sizeof(double));
        for (size_t draw = 0; draw < DRAWS; draw++) {
            double squares = 0.0;
            for (size_t i = 0; i < each; i++) {
                const double units = theta[draw * each + i] / at.learner->grid;
                assert_true(units == nearbyint(units));
                squares += theta[draw * each + i] * theta[draw * each + i];
            }
            assert_within(sqrt(squares), 1e-3, 1.25 + 1e-3);
            assert_true(theta[draw * each] != theta[(draw + 1) % DRAWS * each]);
        }
        scene_end(&at);
        scene_matrix_free(&matrix);
    }
}

/* The sampler's bounds are for so many rows. */
static void more_rows_than_planned_for_are_refused(void **state)
{
    (void)state;
    scene at;
    sotto_error error;
    double theta[NUMBERS_MOST] = {0};
    sotto_train_config config = few_steps(SOTTO_MODEL_LOGISTIC);
    config.adjacency = SOTTO_REPLACE_ONE;
    config.public_n = ROWS - 1;
    sot_matrix matrix = scene_matrix(SOTTO_MODEL_LOGISTIC, ROWS, 9);
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_refused(scene_learn(&at, &matrix, 5, 1, theta, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "more rows than the 11", NULL);
    scene_end(&at);
    scene_matrix_free(&matrix);
}

static void failing_memory_releases_nothing(void **state)
{
    (void)state;
    scene at;
    sotto_error error;
    sot_matrix matrix = scene_matrix(SOTTO_MODEL_LOGISTIC, ROWS, 9);
    sotto_train_config config = few_steps(SOTTO_MODEL_LOGISTIC);
    config.draws = 1;
    assert_ok(drawn_begin(&at, config, &error), &error);
    size_t failures = 0;
    for (size_t nth = 1; nth < 400; nth++) {
        double theta[NUMBERS_MOST];
        for (int i = 0; i < NUMBERS_MOST; i++)
            theta[i] = 7.5;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = scene_learn(&at, &matrix, 5, 1, theta, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) break;
        failures++;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_true(theta[0] == 7.5 && theta[SCENE_COLUMNS - 1] == 7.5);
    }
    assert_in_range(failures, 5, 398);
    scene_end(&at);
    scene_matrix_free(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_written_one_after_another),
        cmocka_unit_test(more_rows_than_planned_for_are_refused),
        cmocka_unit_test(failing_memory_releases_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
