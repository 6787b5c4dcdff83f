/* Neighbours in Arrow streams, in every layout and for every release and learner. Layouts differ in how cells lie in memory, which one
 * learner shows as well as eight. */
#include "arrow_cases.h"

static const source_layout layouts[] = {SOURCE_ARROW,       SOURCE_ARROW_DECIMAL,
                                        SOURCE_ARROW_CODES, SOURCE_ARROW_APART,
                                        SOURCE_ARROW_VIEWS, SOURCE_ARROW_STREAM};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };
static const source_layout of_methods[] = {SOURCE_ARROW_CODES, SOURCE_ARROW_STREAM};

static void releases_show_nothing_of_a_row_or_a_layout(void **state)
{
    (void)state;
    check_releases(layouts, LAYOUTS);
}

static void trainings_show_nothing_of_a_row_or_a_layout(void **state)
{
    (void)state;
    check_trainings(layouts, LAYOUTS, 1);
    check_trainings(of_methods, 2, STUDIES_MAX);
}

/* The last layout, a stream, is refused with a unit: test_stability.c. */
static void units_show_nothing_however_their_ids_lie(void **state)
{
    (void)state;
    expect_none(source_leak_of_units(layouts, LAYOUTS - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_show_nothing_of_a_row_or_a_layout),
        cmocka_unit_test(trainings_show_nothing_of_a_row_or_a_layout),
        cmocka_unit_test(units_show_nothing_however_their_ids_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
