/* The accountant against an independent computation, on random plans: the long run. */
#include "privacy/accounting/cross_check.h"

static void a_thousand_random_plans_agree_with_the_reference(void **state)
{
    (void)state;
    enum { PLANS = 1200, KERNELS = SOTTO_KERNEL_COMPOSITION_THEOREM + 1 };
    int narrow = 0;
    int tight = 0;
    int kernels[KERNELS] = {0};
    for (uint64_t i = 0; i < PLANS; i++) {
        const double count_max = i % 3 == 0 ? 1e6 : i % 3 == 1 ? 64.0 : 3000.0;
        const cross_result result =
            cross_check_plan(50000 + i, (cross_range){1e-6, count_max}, 320);
        narrow += result.narrow;
        tight += result.width <= 1e-6;
        assert_true(result.kernel > 0 && (int)result.kernel < KERNELS);
        kernels[result.kernel]++;
    }
    print_message("%d plans: the reference within 10 %% on %d; epsilon to 1e-6 on %d\n",
                  PLANS, narrow, tight);
    for (int kernel = SOTTO_KERNEL_CLOSED_FORM; kernel < KERNELS; kernel++) {
        print_message("  %s: %d\n", sotto_kernel_name((sotto_kernel)kernel),
                      kernels[kernel]);
    }
    assert_true(narrow >= 3 * PLANS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_random_plans_agree_with_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
