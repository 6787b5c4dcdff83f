/* Every model by every method that it has, on a few neighbours that pull hard: nothing shows but what
 * was paid for. slow_train_models.c tries all neighbours. */
#include "support.h"

#include "model_study.h"

/* Rows at the end: those before keep their places, and with them their coins. */
static void expect_no_leak(sotto_train_config config)
{
    static const tape_row rows[] = {TAPE_HIGH, TAPE_MINUS_INFINITE, TAPE_UNKNOWN_CATEGORY,
                                    TAPE_NO_ROW};
    const bool replaces = config.adjacency == SOTTO_REPLACE_ONE;
    train_study study = model_study_of(config);
    const tape_study tape = model_tape_of(&study);
    assert_true(study_releases(&tape));
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 7, 11);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t place = replaces || rows[i] == TAPE_NO_ROW ? 6 : 7;
        tape_table *neighbour = tape_neighbour(table, config.adjacency, rows[i], place);
        if (neighbour == NULL) continue;
        const char *leak = tape_check(&tape, table, neighbour);
        if (leak != NULL)
            fail_msg("%s by %s: %s", sotto_model_kind_name(config.model),
                     sotto_method_name(config.method), leak);
        tape_table_free(neighbour);
    }
    tape_table_free(table);
}

static const sotto_model_kind smooth[] = {
    SOTTO_MODEL_LOGISTIC, SOTTO_MODEL_SVM,     SOTTO_MODEL_LINEAR, SOTTO_MODEL_HUBER,
    SOTTO_MODEL_SOFTMAX,  SOTTO_MODEL_POISSON, SOTTO_MODEL_CUSTOM};
enum { SMOOTH = sizeof smooth / sizeof smooth[0] };

static void expect_of_all(sotto_method method, double delta, bool with_hinge)
{
    for (int adjacency = SOTTO_ADD_REMOVE; adjacency <= SOTTO_REPLACE_ONE; adjacency++) {
        if (is_stable_method(method) && adjacency == SOTTO_ADD_REMOVE) continue;
        for (size_t i = 0; i < SMOOTH; i++)
            expect_no_leak(
                model_config(smooth[i], method, (sotto_adjacency)adjacency, delta));
        if (with_hinge)
            expect_no_leak(model_config(SOTTO_MODEL_HINGE, method,
                                        (sotto_adjacency)adjacency, delta));
    }
}

static void objective_shows_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_METHOD_OBJECTIVE, SOTTO_UNSET, false);
    expect_no_leak(
        model_config(SOTTO_MODEL_SVM, SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, 1e-6));
    expect_no_leak(
        model_config(SOTTO_MODEL_HUBER, SOTTO_METHOD_OBJECTIVE, SOTTO_REPLACE_ONE, 1e-6));
}

static void output_shows_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_METHOD_OUTPUT, 1e-6, true);
    expect_of_all(SOTTO_METHOD_OUTPUT, SOTTO_UNSET, true);
}

static void gradient_descent_shows_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_METHOD_GD, 1e-6, true);
}

/* Planning a sampled plan takes long: one model under either adjacency. */
static void stochastic_descent_shows_nothing(void **state)
{
    (void)state;
    static const sotto_model_kind models[] = {SOTTO_MODEL_SOFTMAX, SOTTO_MODEL_HINGE};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        expect_no_leak(model_config(models[i], SOTTO_METHOD_SGD,
                                    i % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE,
                                    1e-6));
}

static void stable_steps_show_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_METHOD_GD_OUTPUT, 1e-6, false);
    expect_of_all(SOTTO_METHOD_PERMUTATION_SGD, SOTTO_UNSET, false);
}

static void frank_wolfe_shows_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_METHOD_FRANK_WOLFE, 1e-6, false);
    expect_of_all(SOTTO_METHOD_FRANK_WOLFE, SOTTO_UNSET, false);
}

/* The data-free terms and the ball, all at once. */
static void terms_and_a_ball_show_nothing(void **state)
{
    (void)state;
    static const sotto_method methods[] = {SOTTO_METHOD_OBJECTIVE, SOTTO_METHOD_OUTPUT,
                                           SOTTO_METHOD_GD};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        sotto_train_config config = model_config(
            i == 1 ? SOTTO_MODEL_SOFTMAX : SOTTO_MODEL_LINEAR, methods[i],
            SOTTO_ADD_REMOVE, methods[i] == SOTTO_METHOD_GD ? 1e-6 : SOTTO_UNSET);
        config.l1 = 0.75;
        expect_no_leak(config);
        config.radius = 0.375;
        expect_no_leak(config);
    }
}

/* Objective perturbation in a ball so small that theta is on its boundary: there the neighbour is given the
 * same pressure, and nothing else shows. */
static void the_boundary_of_a_ball_shows_nothing(void **state)
{
    (void)state;
    static const sotto_model_kind models[] = {SOTTO_MODEL_LOGISTIC, SOTTO_MODEL_SOFTMAX,
                                              SOTTO_MODEL_HUBER};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        for (int pure = 0; pure < 2; pure++) {
            sotto_train_config config = model_config(
                models[i], SOTTO_METHOD_OBJECTIVE,
                pure ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE, pure ? SOTTO_UNSET : 1e-6);
            config.radius = 0x1p-6;
            expect_no_leak(config);
        }
    }
}

/* The same rows in another order are the same data: not where coins and places in a shuffled order belong to
 * rows by their place. */
static void the_order_of_rows_shows_nothing(void **state)
{
    (void)state;
    static const sotto_method methods[] = {SOTTO_METHOD_GD_OUTPUT,
                                           SOTTO_METHOD_FRANK_WOLFE};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        train_study study = model_study_of(
            model_config(SOTTO_MODEL_HUBER, methods[i], SOTTO_REPLACE_ONE, 1e-6));
        const tape_study tape = model_tape_of(&study);
        tape_table *table = tape_table_new(tape.columns, tape.column_count, 9, 5);
        const char *leak = tape_check_order(&tape, table);
        if (leak != NULL) fail_msg("%s", leak);
        tape_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objective_shows_nothing),
        cmocka_unit_test(output_shows_nothing),
        cmocka_unit_test(gradient_descent_shows_nothing),
        cmocka_unit_test(stochastic_descent_shows_nothing),
        cmocka_unit_test(stable_steps_show_nothing),
        cmocka_unit_test(frank_wolfe_shows_nothing),
        cmocka_unit_test(terms_and_a_ball_show_nothing),
        cmocka_unit_test(the_boundary_of_a_ball_shows_nothing),
        cmocka_unit_test(the_order_of_rows_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
