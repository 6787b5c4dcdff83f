/* Every method on neighbours of every kind: nothing shows but what was paid for. */
#include "support.h"

#include "train_tape_promises.h"

static void expect_no_leak(sotto_train_config config)
{
    train_study study = {.config = config};
    const tape_study tape = study_of(&study);
    assert_true(study_releases(&tape));
    const char *leak = study_leak_of(&tape, config.adjacency, 5, 2);
    if (leak == NULL && config.adjacency == SOTTO_ADD_REMOVE)
        leak = study_leak_of(&tape, config.adjacency, 0, 0); /* the first row of all */
    if (leak != NULL) fail_msg("%s", leak);
}

/* The number of rows is public, and the files are really written. */
static void a_public_number_of_rows_shows_nothing_else(void **state)
{
    (void)state;
    train_study study = {.config = study_config(SOTTO_METHOD_GD, SOTTO_REPLACE_ONE, 1e-6),
                         .n_is_public = true,
                         .writes_file = true};
    study.config.expected_rows = 0;
    const tape_study tape = study_of(&study);
    assert_true(study_releases(&tape));
    const char *leak = study_leak_of(&tape, SOTTO_REPLACE_ONE, 6, 2);
    if (leak != NULL) fail_msg("%s", leak);
}

/* The same rows in another order are the same data. */
static void the_order_of_rows_shows_nothing(void **state)
{
    (void)state;
    static const sotto_method methods[] = {SOTTO_METHOD_OBJECTIVE, SOTTO_METHOD_OUTPUT,
                                           SOTTO_METHOD_GD};
    for (size_t i = 0; i < 3; i++) {
        train_study study = {.config = study_config(methods[i], SOTTO_ADD_REMOVE, 1e-6)};
        const tape_study tape = study_of(&study);
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
        cmocka_unit_test(pure_objective_shows_nothing),
        cmocka_unit_test(named_calibrations_show_nothing),
        cmocka_unit_test(output_shows_nothing),
        cmocka_unit_test(gradient_descent_shows_nothing),
        cmocka_unit_test(a_public_number_of_rows_shows_nothing_else),
        cmocka_unit_test(the_order_of_rows_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
