/* Every statistic on every neighbour by one row replaced: nothing shows but what was paid for. */
#include "support.h"

#include "release_study.h"

static void one_row_replaced_shows_nothing(void **state)
{
    (void)state;
    const char *leak = study_leak(SOTTO_REPLACE_ONE, 0, STUDIES_MAX);
    if (leak != NULL) fail_msg("%s", leak);
}

/* One answer a row, in the order of the rows: here another order is another output. */
static void one_answer_replaced_shows_nothing(void **state)
{
    (void)state;
    release_study study = {.config = sotto_release_defaults(), .n_is_public = true};
    study.config.statistic = SOTTO_RELEASE_RESPONSES;
    study.config.column = "town";
    study.config.epsilon = 1.5;
    study.config.adjacency = SOTTO_REPLACE_ONE;
    const tape_study tape = study_of(&study);
    assert_true(study_releases(&tape));
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 6, 31);
    for (int row = 0; row < TAPE_ROWS; row++) {
        for (size_t at = 0; at < 6; at++) {
            tape_table *other =
                tape_neighbour(table, SOTTO_REPLACE_ONE, (tape_row)row, at);
            if (other == NULL) continue;
            const char *leak = tape_check(&tape, table, other);
            if (leak == NULL) leak = tape_check(&tape, other, table);
            if (leak != NULL) fail_msg("%s", leak);
            tape_table_free(other);
        }
    }
    tape_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_replaced_shows_nothing),
        cmocka_unit_test(one_answer_replaced_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
