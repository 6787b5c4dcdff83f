/* Frank and Wolfe's method: the corners it walks to, what a choice costs, the sensitivity of the
 * scores, refusals. */
#include "methods/convex/erm_scene.h"

#include "base/memory.h"

enum { ROWS = 60, DIMENSION_MOST = 3 * SCENE_COLUMNS };

static sotto_train_config settings(sotto_model_kind model, double delta)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = model;
    config.method = SOTTO_METHOD_FRANK_WOLFE;
    config.epsilon = 0.75;
    config.delta = delta;
    config.steps = 20;
    config.radius = 2.5;
    return config;
}

/* ---- the walk ---- */

/* Logistic regression without noise: the best corner, exactly, step by step. */
static void plain_walk(const sot_matrix *matrix, const sotto_train_config *config,
                       double lambda, double *theta)
{
    memset(theta, 0, SCENE_COLUMNS * sizeof *theta);
    for (uint64_t step = 0; step < config->steps; step++) {
        double gradient[SCENE_COLUMNS] = {0};
        for (size_t i = 0; i < matrix->rows; i++) {
            const float *x = matrix->dense + i * SCENE_STRIDE;
            double margin = 0.0;
            for (size_t j = 0; j < SCENE_COLUMNS; j++)
                margin += theta[j] * (double)x[j];
            const double y = matrix->labels[i];
            for (size_t j = 0; j < SCENE_COLUMNS; j++)
                gradient[j] -= y / (1.0 + exp(y * margin)) * (double)x[j];
        }
        size_t best = 0;
        for (size_t j = 0; j < SCENE_COLUMNS; j++) {
            gradient[j] += lambda * theta[j];
            if (fabs(gradient[j]) > fabs(gradient[best])) best = j;
        }
        const double part = 2.0 / ((double)step + 2.0);
        for (size_t j = 0; j < SCENE_COLUMNS; j++)
            theta[j] *= 1.0 - part;
        theta[best] += (gradient[best] > 0.0 ? -part : part) * config->radius;
    }
}

/* With an epsilon as large as this, every choice is the best corner. */
static void with_much_epsilon_it_is_the_plain_method(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        sotto_error error;
        scene at;
        double theta[DIMENSION_MOST], plain[SCENE_COLUMNS];
        sotto_train_config config =
            settings(SOTTO_MODEL_LOGISTIC, k % 2 == 0 ? 1e-6 : SOTTO_UNSET);
        config.epsilon = 2e6;
        if (k >= 2) config.lambda = 3.5;
        if (k % 2 == 0) config.epsilon = 600.0;
        assert_ok(scene_begin(&at, config, &error), &error);
        sot_matrix matrix =
            scene_matrix(config.model, k % 2 == 0 ? 3000 : ROWS, 17 + (uint64_t)k);
        plain_walk(&matrix, &config, k >= 2 ? 3.5 : 0.0, plain);
        assert_ok(scene_learn(&at, &matrix, 2, 2, theta, &error), &error);
        for (size_t j = 0; j < SCENE_COLUMNS; j++)
            assert_within(theta[j], plain[j] - 1e-9, plain[j] + 1e-9);
        scene_matrix_free(&matrix);
        scene_end(&at);
    }
}

static void what_leaves_is_in_the_ball_and_sparse(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sotto_error error;
        scene at;
        double theta[DIMENSION_MOST], length = 0.0;
        size_t filled = 0;
        sotto_train_config config = settings(SOTTO_MODEL_SOFTMAX, 1e-6);
        config.steps = 4;
        assert_ok(scene_begin(&at, config, &error), &error);
        sot_matrix matrix = scene_matrix(config.model, ROWS, seed);
        assert_ok(scene_learn(&at, &matrix, seed, 1, theta, &error), &error);
        for (size_t j = 0; j < DIMENSION_MOST; j++) {
            length += fabs(theta[j]);
            filled += theta[j] != 0.0;
        }
        assert_within(length, 0.0, config.radius * (1.0 + 1e-12));
        assert_in_range(filled, 1, 4); /* a corner a step */
        scene_matrix_free(&matrix);
        scene_end(&at);
    }
}

/* ---- the price ---- */

static double price(const scene *at, double delta)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_account account;
    assert_ok(sotto_plan_new(at->config.adjacency, &plan, &error), &error);
    assert_ok(at->learner->plan(at->learner, plan, &error), &error);
    assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, delta, &account, &error), &error);
    sotto_plan_free(plan);
    return account.epsilon;
}

static void the_plan_spends_the_budget_and_no_more(void **state)
{
    (void)state;
    for (uint64_t steps = 1; steps <= 200; steps += 66) {
        sotto_error error;
        scene at;
        sotto_train_config config = settings(SOTTO_MODEL_HUBER, 1e-6);
        config.steps = steps;
        assert_ok(scene_begin(&at, config, &error), &error);
        assert_within(price(&at, 1e-6), 0.98 * config.epsilon, config.epsilon);
        /* Composing many choices with a delta pays. */
        const double share = config.epsilon / (double)steps;
        assert_true(scene_setting(&at, "choice_epsilon") >= share * (1.0 - 1e-9));
        if (steps > 100) assert_true(scene_setting(&at, "choice_epsilon") > 3.0 * share);
        scene_end(&at);
        config.delta = SOTTO_UNSET;
        assert_ok(scene_begin(&at, config, &error), &error);
        assert_within(price(&at, 0.0), 0.999 * config.epsilon, config.epsilon);
        scene_end(&at);
    }
}

/* ---- the sensitivity of a score ---- */

/* A coordinate of a record's gradient, in units: the largest over hard rows is within what the scores
 * declare, and close to it. */
static void a_coordinate_moves_by_no_more_than_declared(void **state)
{
    (void)state;
    static const sotto_model_kind models[] = {SOTTO_MODEL_LOGISTIC, SOTTO_MODEL_HUBER,
                                              SOTTO_MODEL_SOFTMAX, SOTTO_MODEL_POISSON};
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        sotto_error error;
        scene at;
        double most = 0.0;
        assert_ok(scene_begin(&at, settings(models[k], 1e-6), &error), &error);
        const sot_empirical *empirical = at.learner->empirical;
        sot_matrix matrix = scene_matrix(models[k], 1, 3);
        for (int sign = -1; sign <= 1; sign += 2) {
            double theta[DIMENSION_MOST] = {0};
            int64_t units[DIMENSION_MOST] = {0};
            memset(matrix.dense, 0, SCENE_STRIDE * sizeof(float));
            matrix.dense[2] = 1.0f;
            theta[2] = 40.0 * sign;
            if (models[k] == SOTTO_MODEL_SOFTMAX) matrix.labels[0] = 1.0;
            assert_ok(empirical->operations->add_gradient(empirical, &matrix, NULL, 0,
                                                          theta, 0x1p-17, NULL, units,
                                                          &error),
                      &error);
            for (size_t j = 0; j < DIMENSION_MOST; j++)
                most = fmax(most, fabs((double)units[j]) * 0x1p-17);
        }
        const double bound = empirical->facts.coordinate_bound;
        assert_within(most, 0.99 * bound, bound * (1.0 + 0x1p-20));
        scene_matrix_free(&matrix);
        scene_end(&at);
    }
}

/* ---- refusals, memory ---- */

static void refuse(sotto_train_config config, sotto_status expected, const char *word)
{
    sotto_error error;
    scene at;
    assert_refused(scene_begin(&at, config, &error), expected, &error, word, NULL);
    scene_end(&at);
}

static void what_it_cannot_do_is_refused(void **state)
{
    (void)state;
    sotto_train_config config = settings(SOTTO_MODEL_HINGE, 1e-6);
    refuse(config, SOTTO_UNSUPPORTED, "kink");
    config = settings(SOTTO_MODEL_LOGISTIC, 1e-6);
    config.steps = 0;
    refuse(config, SOTTO_INVALID_ARGUMENT, "`expected_rows` is missing");
    config.steps = 3000000;
    refuse(config, SOTTO_INVALID_ARGUMENT, "at most 1000000");
    config.steps = 5;
    config.learning_rate = 1.0;
    refuse(config, SOTTO_INVALID_ARGUMENT, "`learning_rate` has no meaning");
    config = settings(SOTTO_MODEL_LOGISTIC, 1e-6);
    config.radius = -1.0;
    refuse(config, SOTTO_INVALID_ARGUMENT, "radius");
}

static void want_of_memory_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    scene at;
    double theta[DIMENSION_MOST];
    sotto_train_config config = settings(SOTTO_MODEL_LOGISTIC, 1e-6);
    config.steps = 2;
    assert_ok(scene_begin(&at, config, &error), &error);
    sot_matrix matrix = scene_matrix(config.model, ROWS, 12);
    (void)sot_test_fail_allocation(0);
    assert_ok(scene_learn(&at, &matrix, 1, 1, theta, &error), &error);
    const size_t needed = sot_test_fail_allocation(0);
    for (size_t nth = 1; nth <= needed; nth++) {
        (void)sot_test_fail_allocation(nth);
        assert_int_equal(scene_learn(&at, &matrix, 1, 1, theta, &error),
                         SOTTO_OUT_OF_MEMORY);
    }
    (void)sot_test_fail_allocation(0);
    scene_matrix_free(&matrix);
    scene_end(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_much_epsilon_it_is_the_plain_method),
        cmocka_unit_test(what_leaves_is_in_the_ball_and_sparse),
        cmocka_unit_test(the_plan_spends_the_budget_and_no_more),
        cmocka_unit_test(a_coordinate_moves_by_no_more_than_declared),
        cmocka_unit_test(what_it_cannot_do_is_refused),
        cmocka_unit_test(want_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
