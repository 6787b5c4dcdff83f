/* Neighbours in storage: one stored row comes, goes or changes, and nothing shows but what was paid for. The layouts that
 * decide most; slow_source_tape.c has all. */
#include "support.h"

#include "source_cases.h"

static void expect_none(const char *leak)
{
    if (leak != NULL) fail_msg("%s", leak);
}

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

static const source_layout of_releases[] = {SOURCE_STREAM, SOURCE_WHERE,
                                            SOURCE_WITHOUT_ROWID, SOURCE_JSON_LINES};
static const source_layout of_trainings[] = {SOURCE_WHERE, SOURCE_JSON_LINES};
static const source_layout of_units[] = {SOURCE_PERMUTED, SOURCE_WHERE,
                                         SOURCE_WITHOUT_ROWID, SOURCE_JSON_LINES,
                                         SOURCE_SEMICOLONS};

static void releases_show_nothing_of_a_stored_row(void **state)
{
    (void)state;
    expect_none(source_leak_of_all(true, STUDIES_MAX, SOTTO_ADD_REMOVE, of_releases,
                                   LENGTH(of_releases)));
    expect_none(source_leak_of_all(true, STUDIES_MAX, SOTTO_REPLACE_ONE, of_releases,
                                   LENGTH(of_releases)));
}

static void trainings_show_nothing_of_a_stored_row(void **state)
{
    (void)state;
    expect_none(source_leak_of_all(false, 2, SOTTO_ADD_REMOVE, of_trainings,
                                   LENGTH(of_trainings)));
    expect_none(source_leak_of_all(false, 2, SOTTO_REPLACE_ONE, of_trainings,
                                   LENGTH(of_trainings)));
}

static void units_show_nothing_wherever_their_rows_are(void **state)
{
    (void)state;
    expect_none(source_leak_of_units(of_units, LENGTH(of_units)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_show_nothing_of_a_stored_row),
        cmocka_unit_test(trainings_show_nothing_of_a_stored_row),
        cmocka_unit_test(units_show_nothing_wherever_their_rows_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
