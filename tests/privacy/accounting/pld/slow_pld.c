/* exact and pld on 1200 random plans, and every reference answer: pld_agreement.h and pld_vectors.h say
 * what must hold. */
#include "privacy/accounting/pld_agreement.h"
#include "privacy/accounting/pld_vectors.h"

static void two_accountants_that_share_no_integral_agree(void **state)
{
    (void)state;
    agreement sums = {0};
    for (uint64_t seed = 1; seed <= 1200; seed++)
        agreement_check(seed * UINT64_C(0x2545f4914f6cdd1d), 1e-6, 1e6, &sums);
    print_message("%d plans: %d within 0.1 %%, %d bracketed within 1 %%, %d by pairs\n",
                  sums.plans, sums.close, sums.bracketed, sums.pairs);
    assert_true(sums.plans >= 1000);
    assert_true(sums.pairs >= sums.plans * 2 / 3);
    assert_true(sums.close >= sums.plans * 9 / 10);
    assert_true(sums.bracketed >= sums.plans * 8 / 10);
}

static void every_reference_is_inside_the_bracket(void **state)
{
    (void)state;
    assert_true(pld_check_vectors(1) >= 153);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reference_is_inside_the_bracket),
        cmocka_unit_test(two_accountants_that_share_no_integral_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
