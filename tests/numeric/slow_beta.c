/* The comparisons of test_beta.c where the reference itself takes long: large shapes near
 * the mean, small ones near the ends, and many inverses. */
#include "numeric/exact_beta.h"

static void the_function_keeps_its_stated_error_at_any_size(void **state)
{
    (void)state;
    compare_shapes(1e-3, 1e4, 2000, 1500, "incomplete_beta, 1e-3 to 1e4");
    compare_shapes(1.0, 1e7, 500, 400, "incomplete_beta, 1 to 1e7");
    compare_shapes(1e6, 1e8, 100, 80, "incomplete_beta, 1e6 to 1e8");
    compare_shapes(1e8, 1e10, 12, 8, "incomplete_beta, 1e8 to 1e10");
}

static void the_inverse_inverts_at_any_size(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int i = 0; i < 300; i++) {
        const double a = next_log_between(&seed, 1e-3, 1e5);
        const double b = next_log_between(&seed, 1e-3, 1e5);
        check_inverse(a, b, next_uniform(&seed));
        check_inverse(a, b, next_log_between(&seed, 1e-300, 0.5));
        check_inverse(a, b, 1.0 - next_log_between(&seed, 1e-15, 0.5));
    }
    for (int i = 0; i < 8; i++) {
        const double a = next_log_between(&seed, 1e7, 1e9);
        check_inverse(a, next_log_between(&seed, 1e7, 1e9), next_uniform(&seed));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_function_keeps_its_stated_error_at_any_size),
        cmocka_unit_test(the_inverse_inverts_at_any_size),
    };
    return cmocka_run_group_tests(tests, widen_reference_range, NULL);
}
