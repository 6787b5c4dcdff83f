/* Whole tunings on neighbours: with every release of every training forced equal, the winner and all that leaves are
 * equal too. */
#include "support.h"

#include "tune_study.h"

static const char *leak_of(sotto_tune_config config, uint64_t seed)
{
    tune_study study = {.config = config, .seed = seed, .writes_file = true};
    const tape_study tape = tune_study_of(&study);
    static const tape_row rows[] = {TAPE_ORDINARY, TAPE_HIGH, TAPE_NAN,
                                    TAPE_UNKNOWN_CATEGORY, TAPE_NO_ROW};
    const char *leak = NULL;
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 5, 11);
    for (size_t i = 0; leak == NULL && i < sizeof rows / sizeof rows[0]; i++) {
        tape_table *neighbour = tape_neighbour(table, config.train.adjacency, rows[i], 2);
        if (neighbour != NULL) leak = tape_check(&tape, table, neighbour);
        tape_table_free(neighbour);
    }
    tape_table_free(table);
    return leak;
}

static void expect_no_leak(sotto_tune_config config)
{
    tune_study study = {.config = config, .seed = 5};
    const tape_study tape = tune_study_of(&study);
    assert_true(study_releases(&tape));
    const char *leak = leak_of(config, 5);
    if (leak != NULL) fail_msg("%s", leak);
}

static void a_tuning_with_public_scores_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(
        tune_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, 1e-6, "lambda=20,80"));
    expect_no_leak(tune_config(SOTTO_METHOD_GD, SOTTO_REPLACE_ONE, 1e-6,
                               "steps=2,3;learning-rate=0.5,2"));
}

static void a_pure_tuning_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(
        tune_config(SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE, SOTTO_UNSET, "lambda=1,10"));
}

/* The score is a release of its own: the exact one must not decide. */
static void a_paid_score_shows_nothing(void **state)
{
    (void)state;
    sotto_tune_config config =
        tune_config(SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE, 1e-6, "lambda=1,10,100");
    config.validation = NULL;
    config.score_epsilon = 0.125;
    config.runs = tune_runs(SOTTO_RUNS_NEGATIVE_BINOMIAL, 0.0, 6.0);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const char *leak = leak_of(config, seed);
        if (leak != NULL) fail_msg("%s", leak);
    }
    config.train.adjacency = SOTTO_REPLACE_ONE;
    expect_no_leak(config);
}

/* Poisson (pure: its price is quick to find then), and rows of which several are one person's. */
static void other_laws_and_units_show_nothing(void **state)
{
    (void)state;
    sotto_tune_config config =
        tune_config(SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE, SOTTO_UNSET, "lambda=1,10");
    config.runs = tune_runs(SOTTO_RUNS_POISSON, SOTTO_UNSET, 4.0);
    tune_study poisson = {.config = config, .seed = 5};
    const tape_study tape = tune_study_of(&poisson);
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 5, 11);
    tape_table *neighbour = tape_neighbour(table, SOTTO_ADD_REMOVE, TAPE_HIGH, 1);
    const char *leak = tape_check(&tape, table, neighbour);
    if (leak != NULL) fail_msg("%s", leak);
    assert_true(study_releases(&tape));
    tape_table_free(table);
    tape_table_free(neighbour);
    config = tune_config(SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE, 1e-6, "lambda=1,10");
    config.validation = NULL;
    config.score_epsilon = 0.125;
    tune_study units = {.config = config, .seed = 6, .schema = study_unit_schema};
    const tape_study of_units = tune_study_of(&units);
    assert_true(study_releases(&of_units));
    table = tape_table_new(tape.columns, tape.column_count, 7, 11);
    for (size_t place = 0; place < 7; place += 3) {
        neighbour = tape_neighbour(table, SOTTO_ADD_REMOVE, TAPE_NO_ROW, place);
        leak = tape_check(&of_units, table, neighbour);
        if (leak != NULL) fail_msg("%s", leak);
        tape_table_free(neighbour);
    }
    tape_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tuning_with_public_scores_shows_nothing),
        cmocka_unit_test(a_pure_tuning_shows_nothing),
        cmocka_unit_test(a_paid_score_shows_nothing),
        cmocka_unit_test(other_laws_and_units_show_nothing),
    };
    return cmocka_run_group_tests(tests, tune_write_validation, tune_remove_validation);
}
