/* Neighbours in Arrow streams: one row comes, goes or changes, and with it bounds of batches, dictionaries, bytes beneath nulls
 * and the order of columns. Nothing shows but what was paid for. slow_arrow_tape.c has every layout and learner. */
#include "arrow_cases.h"

static void releases_show_nothing_of_a_row_or_a_layout(void **state)
{
    (void)state;
    static const source_layout layouts[] = {SOURCE_ARROW_CODES, SOURCE_ARROW_STREAM};
    check_releases(layouts, 2);
}

static void trainings_show_nothing_of_a_row_or_a_layout(void **state)
{
    (void)state;
    static const source_layout layouts[] = {SOURCE_ARROW, SOURCE_ARROW_STREAM};
    check_trainings(layouts, 2, 2);
}

static void odd_cells_and_empty_streams_show_nothing(void **state)
{
    (void)state;
    check_layouts();
}

static void units_show_nothing_however_their_ids_lie(void **state)
{
    (void)state;
    static const source_layout layouts[] = {SOURCE_ARROW_CODES, SOURCE_ARROW_VIEWS};
    expect_none(source_leak_of_units(layouts, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_show_nothing_of_a_row_or_a_layout),
        cmocka_unit_test(trainings_show_nothing_of_a_row_or_a_layout),
        cmocka_unit_test(odd_cells_and_empty_streams_show_nothing),
        cmocka_unit_test(units_show_nothing_however_their_ids_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
