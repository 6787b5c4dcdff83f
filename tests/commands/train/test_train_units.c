/* The unit is a person with at most two rows: any of them may come, go or change. */
#include "support.h"

#include "train_study.h"

/* Which of a person's rows are kept depends on their order, so that only neighbours are compared. */
static void expect_no_leak(sotto_train_config config)
{
    train_study study = {.config = config, .schema = study_unit_schema};
    const tape_study tape = study_of(&study);
    assert_true(study_releases(&tape));
    const char *leak = study_leak_of(&tape, config.adjacency, 7, 3);
    if (leak != NULL) fail_msg("%s", leak);
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

/* Both rows of a person come at once, and pull the same way. */
static void both_rows_of_a_person_show_nothing(void **state)
{
    (void)state;
    train_study study = {.config = study_config(SOTTO_METHOD_GD, SOTTO_ADD_REMOVE, 1e-6),
                         .schema = study_unit_schema};
    const tape_study tape = study_of(&study);
    for (int answer = 0; answer < 2; answer++) {
        tape_table *table = tape_table_new(tape.columns, tape.column_count, 5, 7);
        for (size_t row = 3; row < 5; row++) {
            tape_cell *cells = &table->cells[row * tape.column_count];
            cells[0].number = 90.0;
            cells[1].text = study_towns[0];
            cells[2].text = "p9";
            cells[3].text = study_answers[answer];
        }
        tape_table *less = tape_neighbour(table, SOTTO_ADD_REMOVE, TAPE_NO_ROW, 4);
        tape_table *neighbour = tape_neighbour(less, SOTTO_ADD_REMOVE, TAPE_NO_ROW, 3);
        const char *leak = tape_check(&tape, table, neighbour);
        if (leak != NULL) fail_msg("%s", leak);
        tape_table_free(table);
        tape_table_free(less);
        tape_table_free(neighbour);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_rows_of_a_person_show_nothing),
        cmocka_unit_test(a_person_more_or_less_shows_nothing),
        cmocka_unit_test(a_person_exchanged_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
