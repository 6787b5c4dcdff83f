/* Every accountant on random plans: the long run. */
#include "privacy/accounting/methods_order.h"

static void a_thousand_random_plans_keep_the_order(void **state)
{
    (void)state;
    enum { PLANS = 1000 };
    int answered = 0;
    for (uint64_t i = 0; i < PLANS; i++) {
        const double count_max = i % 3 == 0 ? 1e5 : i % 3 == 1 ? 64.0 : 3000.0;
        answered += order_check_plan(700000 + i, (cross_range){1e-5, count_max});
    }
    print_message("%d plans, %d answers beside the exact ones\n", PLANS, answered);
    assert_true(answered >= 3 * PLANS); /* rdp, basic, and one more at least */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_random_plans_keep_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
