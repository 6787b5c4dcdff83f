/* Posterior draws on a few neighbours that pull hard: nothing shows but what was paid for, and the potential moves no more than was
 * declared. slow_posterior_tape.c tries all neighbours. */
#include "support.h"

#include "posterior_study.h"

static void expect_no_leak(sotto_train_config config)
{
    static const tape_row rows[] = {TAPE_HIGH, TAPE_MINUS_INFINITE, TAPE_NO_ROW};
    train_study study = model_study_of(config);
    const tape_study tape = model_tape_of(&study);
    assert_true(study_releases(&tape));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *leak = study_pair_leak(config, rows[i]);
        if (leak != NULL)
            fail_msg("%s by %s: %s", sotto_model_kind_name(config.model),
                     sotto_method_name(config.method), leak);
    }
}

static void expect_of_all(sotto_method method, sotto_adjacency adjacency, double delta)
{
    for (size_t i = 0; i < DRAWN_MODELS; i++)
        expect_no_leak(drawn_config(drawn_models[i], method, adjacency, delta));
}

static void regularized_em_shows_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_METHOD_REGULARIZED_EM, SOTTO_ADD_REMOVE, 1e-6);
    expect_of_all(SOTTO_METHOD_REGULARIZED_EM, SOTTO_REPLACE_ONE, 1e-6);
}

static void pure_draws_show_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_METHOD_REGULARIZED_EM, SOTTO_ADD_REMOVE, SOTTO_UNSET);
    expect_of_all(SOTTO_METHOD_POSTERIOR, SOTTO_REPLACE_ONE, SOTTO_UNSET);
}

static void the_posterior_shows_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_METHOD_POSTERIOR, SOTTO_ADD_REMOVE, 1e-6);
    expect_no_leak(drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_POSTERIOR,
                                SOTTO_REPLACE_ONE, 1e-6));
}

/* Several draws, and a sampler whose constants are public; no ball that binds; the order of rows. */
static void other_ways_to_draw_show_nothing(void **state)
{
    (void)state;
    sotto_train_config config = drawn_config(
        SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM, SOTTO_ADD_REMOVE, 1e-6);
    config.draws = 3;
    expect_no_leak(config);
    config.draws = 0;
    config.public_constants = true;
    config.expected_rows = 8;
    expect_no_leak(config);
    config.public_constants = false;
    config.radius = SOTTO_UNSET;
    expect_no_leak(config);
    train_study study = model_study_of(config);
    const tape_study tape = model_tape_of(&study);
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 7, 5);
    const char *leak = tape_check_order(&tape, table);
    if (leak != NULL) fail_msg("%s", leak);
    tape_table_free(table);
}

/* ---- pairs that reach for the bounds ---- */

static void set_row(tape_table *table, double age, double visits, const char *town,
                    const char *smokes)
{
    tape_cell *row = &table->cells[5 * table->column_count];
    row[0].number = age;
    row[1].number = visits;
    row[2].text = town;
    row[3].text = smokes;
}

static const char *leak_between(sotto_train_config config, const char *one_town,
                                const char *one, const char *other_town,
                                const char *other)
{
    train_study study = model_study_of(config);
    const tape_study tape = model_tape_of(&study);
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 6, 11);
    tape_table *neighbour = tape_neighbour(table, SOTTO_REPLACE_ONE, TAPE_ORDINARY, 5);
    set_row(table, 90.0, 4.0, one_town, one);
    set_row(neighbour, 90.0, 4.0, other_town, other);
    const char *leak = tape_check(&tape, table, neighbour);
    tape_table_free(neighbour);
    tape_table_free(table);
    return leak;
}

/* The same person with the other answer moves the gradient twice as far as one who comes or goes: in a small ball by 1 against
 * sigma(R B). Add-remove's declaration does not cover it, and the tape sees that. */
static void a_changed_answer_counts_twice(void **state)
{
    (void)state;
    sotto_train_config config = drawn_config(
        SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM, SOTTO_REPLACE_ONE, 1e-6);
    config.radius = 0.125;
    const char *leak = leak_between(config, "Lund", "yes", "Lund", "no");
    if (leak != NULL) fail_msg("%s", leak);
    config.adjacency = SOTTO_ADD_REMOVE;
    leak = leak_between(config, "Lund", "yes", "Lund", "no");
    assert_non_null(leak);
    assert_non_null(strstr(leak, "potential"));
    /* Pure: the loss goes from one end of the ball to the other, and the changed answer's the other way. */
    config.delta = SOTTO_UNSET;
    leak = leak_between(config, "Lund", "yes", "Lund", "no");
    assert_non_null(leak);
    config.adjacency = SOTTO_REPLACE_ONE;
    leak = leak_between(config, "Lund", "yes", "Lund", "no");
    if (leak != NULL) fail_msg("%s", leak);
}

/* Without a ball two towns can be told apart as far as one likes: both rows pull with their whole length. */
static void without_a_ball_two_rows_pull_with_their_whole_length(void **state)
{
    (void)state;
    sotto_train_config config = drawn_config(
        SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM, SOTTO_REPLACE_ONE, 1e-6);
    config.radius = SOTTO_UNSET;
    const char *leak = leak_between(config, "Lund", "no", "Ystad", "yes");
    if (leak != NULL) fail_msg("%s", leak);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regularized_em_shows_nothing),
        cmocka_unit_test(pure_draws_show_nothing),
        cmocka_unit_test(the_posterior_shows_nothing),
        cmocka_unit_test(other_ways_to_draw_show_nothing),
        cmocka_unit_test(a_changed_answer_counts_twice),
        cmocka_unit_test(without_a_ball_two_rows_pull_with_their_whole_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
