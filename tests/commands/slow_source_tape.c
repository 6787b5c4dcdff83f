/* Neighbours in storage, in every layout. */
#include "support.h"

#include "source_cases.h"

static void expect_none(const char *leak)
{
    if (leak != NULL) fail_msg("%s", leak);
}

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

static const source_layout of_all[] = {
    SOURCE_CSV,           SOURCE_PERMUTED, SOURCE_TSV,        SOURCE_GZIP,
    SOURCE_STREAM,        SOURCE_DECLARED, SOURCE_TABLE,      SOURCE_WHERE,
    SOURCE_WITHOUT_ROWID, SOURCE_NARROW,   SOURCE_JSON_LINES, SOURCE_SEMICOLONS};
/* A stream with a unit is refused: test_stability.c. */
static const source_layout of_units[] = {
    SOURCE_CSV,      SOURCE_PERMUTED,   SOURCE_TSV,       SOURCE_GZIP,
    SOURCE_DECLARED, SOURCE_TABLE,      SOURCE_WHERE,     SOURCE_WITHOUT_ROWID,
    SOURCE_NARROW,   SOURCE_JSON_LINES, SOURCE_SEMICOLONS};
/* A stored row leaves, moves, or is one of all: every method. The other layouts differ in how a file is read, which
 * one method shows as well as ten. */
static const source_layout of_methods[] = {SOURCE_STREAM, SOURCE_WHERE,
                                           SOURCE_WITHOUT_ROWID};

static void releases_show_nothing_of_a_stored_row(void **state)
{
    (void)state;
    expect_none(
        source_leak_of_all(true, STUDIES_MAX, SOTTO_ADD_REMOVE, of_all, LENGTH(of_all)));
    expect_none(
        source_leak_of_all(true, STUDIES_MAX, SOTTO_REPLACE_ONE, of_all, LENGTH(of_all)));
}

static void trainings_show_nothing_of_a_stored_row(void **state)
{
    (void)state;
    static const sotto_adjacency adjacencies[] = {SOTTO_ADD_REMOVE, SOTTO_REPLACE_ONE};
    for (size_t i = 0; i < LENGTH(adjacencies); i++) {
        expect_none(source_leak_of_all(false, STUDIES_MAX, adjacencies[i], of_methods,
                                       LENGTH(of_methods)));
        expect_none(source_leak_of_all(false, 1, adjacencies[i], of_all, LENGTH(of_all)));
    }
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
