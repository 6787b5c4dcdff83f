/* Every method on every table and neighbour: nothing shows but what was paid for. */
#include "support.h"

#include "train_tape_promises.h"

static void expect_no_leak(sotto_train_config config)
{
    train_study study = {.config = config};
    const tape_study tape = study_of(&study);
    assert_true(study_releases(&tape));
    const char *leak = tape_check_neighbours(&tape, config.adjacency);
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
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 6, 11);
    for (int row = 0; row < TAPE_ROWS; row++) {
        tape_table *neighbour =
            tape_neighbour(table, SOTTO_REPLACE_ONE, (tape_row)row, 2);
        if (neighbour == NULL) continue;
        const char *leak = tape_check(&tape, table, neighbour);
        if (leak != NULL) fail_msg("%s", leak);
        tape_table_free(neighbour);
    }
    tape_table_free(table);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
