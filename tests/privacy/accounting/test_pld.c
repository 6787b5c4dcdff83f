/* The accountant pld: its bounds, its agreement with exact, its refusals. */
#include "privacy/accounting/pld_agreement.h"
#include "privacy/accounting/plans.h"

#include <time.h>

static void two_accountants_that_share_no_integral_agree(void **state)
{
    (void)state;
    agreement sums = {0};
    for (uint64_t seed = 1; seed <= 60; seed++)
        agreement_check(seed * UINT64_C(0x2545f4914f6cdd1d) + 77, 1e-3, 1e3, &sums);
    print_message("%d plans: %d within 0.1 %%, %d bracketed within 1 %%\n", sums.plans,
                  sums.close, sums.bracketed);
    assert_true(sums.close >= 54);
    assert_true(sums.bracketed >= 48);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_accountants_that_share_no_integral_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
