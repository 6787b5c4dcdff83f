/* The unit is a person with at most two rows: any of them may come, go or change. */
#include "support.h"

#include "train_study.h"

/* Which of a person's rows are kept depends on their order, so that only neighbours are compared. */
static void expect_no_leak(sotto_train_config config)
{
    train_study study = {.config = config, .schema = study_unit_schema};
    const tape_study tape = study_of(&study);
    assert_true(study_releases(&tape));
    for (size_t rows = 1; rows <= 9; rows += 4) {
        tape_table *table = tape_table_new(tape.columns, tape.column_count, rows, rows);
        for (size_t i = 0; i < TAPE_ROWS * rows; i++) {
            tape_table *neighbour = tape_neighbour(
                table, config.adjacency, (tape_row)(i % TAPE_ROWS), i / TAPE_ROWS);
            if (neighbour == NULL) continue;
            const char *leak = tape_check(&tape, table, neighbour);
            if (leak == NULL) leak = tape_check(&tape, neighbour, table);
            if (leak != NULL) fail_msg("row %zu: %s", i, leak);
            tape_table_free(neighbour);
        }
        tape_table_free(table);
    }
}

static void a_person_more_or_less_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, 1e-6));
    expect_no_leak(study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, SOTTO_UNSET));
    expect_no_leak(study_config(SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE, 1e-6));
    expect_no_leak(study_config(SOTTO_METHOD_GD, SOTTO_ADD_REMOVE, 1e-6));
}

static void a_person_exchanged_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_REPLACE_ONE, 1e-6));
    expect_no_leak(study_config(SOTTO_METHOD_OUTPUT, SOTTO_REPLACE_ONE, SOTTO_UNSET));
    expect_no_leak(study_config(SOTTO_METHOD_GD, SOTTO_REPLACE_ONE, 1e-6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_person_more_or_less_shows_nothing),
        cmocka_unit_test(a_person_exchanged_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
