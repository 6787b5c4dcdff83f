/* The whole grid of corners: minutes. */
#include "privacy/accounting/corners.h"

static const double sigmas[] = {0.3, 0.5, 1.0, 4.0, 30.0, 1000.0};
static const double counts[] = {1.0, 2.0, 3.0, 10.0, 50.0, 1e3, 1e6, 1e9};
static const double deltas[] = {1e-2, 1e-5, 1e-10, 1e-30};
static const double epsilons[] = {0.0, 1e-6, 0.1, 3.0, 50.0, 700.0};

static void walk(const double *rates, size_t rate_count, sotto_adjacency adjacency)
{
    const corner_grid grid = {rates,
                              sigmas,
                              counts,
                              deltas,
                              epsilons,
                              rate_count,
                              sizeof sigmas / sizeof sigmas[0],
                              sizeof counts / sizeof counts[0],
                              sizeof deltas / sizeof deltas[0],
                              sizeof epsilons / sizeof epsilons[0]};
    const size_t checked = corner_walk(&grid, adjacency);
    print_message("%zu answers checked\n", checked);
    assert_true(checked == rate_count * 6 * 8 * 10);
}

static void every_corner_has_a_sound_and_honest_answer(void **state)
{
    (void)state;
    static const double rates[] = {1e-9, 1e-7, 1e-5, 1e-3,     0.01,
                                   0.1,  0.5,  0.9,  0.999999, 1.0};
    walk(rates, sizeof rates / sizeof rates[0], SOTTO_ADD_REMOVE);
}

static void exchanged_records_have_them_too(void **state)
{
    (void)state;
    static const double rates[] = {1e-9, 1e-5, 0.01, 0.5, 0.999999, 1.0};
    walk(rates, sizeof rates / sizeof rates[0], SOTTO_REPLACE_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_corner_has_a_sound_and_honest_answer),
        cmocka_unit_test(exchanged_records_have_them_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
