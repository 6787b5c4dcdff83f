/* The search of test_objective_losses.c, at length. */
#include "privacy/accounting/loss_cases.h"

static void no_random_neighbours_exceed_a_claim(void **state)
{
    (void)state;
    for (size_t l = 0; l < LOSSES; l++) {
        for (int adjacency = SOTTO_ADD_REMOVE; adjacency <= SOTTO_REPLACE_ONE;
             adjacency++) {
            for (uint64_t rows = 1; rows <= 3; rows++) {
                const double worst =
                    loss_search(&losses[l], (sotto_adjacency)adjacency, rows, 80, 5);
                print_message("%s, adjacency %d, %d rows: true/claimed up to %.5f\n",
                              losses[l].name, adjacency, (int)rows, worst);
                assert_within(worst, 0.0, 1.0 + loss_rounding);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_random_neighbours_exceed_a_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
