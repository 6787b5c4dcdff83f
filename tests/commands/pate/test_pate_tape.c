/* Teachers, labels and a student on neighbours: nothing shows but the votes that were paid for, and these move by no
 * more than was declared. */
#include "pate_study.h"

static void a_row_that_comes_or_goes_moves_one_vote(void **state)
{
    (void)state;
    const pate_study study = {.aggregator = SOTTO_PATE_CONFIDENT,
                              .adjacency = SOTTO_ADD_REMOVE,
                              .agreement_noise = 1.75};
    expect_no_leak(study, 9, 2);
    expect_no_leak(study, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_that_comes_or_goes_moves_one_vote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
