/* The accountant beside balls: the long run, two thousand plans with up to 1e7 steps. */
#include "support.h"

#ifdef SOTTO_HAVE_ARB

#include "privacy/accounting/arb_check.h"

static void two_thousand_random_plans_are_priced_truly(void **state)
{
    (void)state;
    assert_int_equal(check_plans(2000000, 2000, 1e5, 1e6), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_thousand_random_plans_are_priced_truly),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

#else

static void balls_need_the_arb_library(void **state)
{
    (void)state;
    print_message("built without Arb: nothing was compared\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(balls_need_the_arb_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
