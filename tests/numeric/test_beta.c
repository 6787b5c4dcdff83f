#include "numeric/exact_beta.h"

/* ---- the function ---- */

static void the_function_keeps_its_stated_error(void **state)
{
    (void)state;
    compare_shapes(0.5, 100.0, 2000, 1600, "incomplete_beta, 0.5 to 100");
    compare_shapes(1e-3, 1e4, 200, 150, "incomplete_beta, 1e-3 to 1e4");
    compare_shapes(1.0, 1e6, 60, 45, "incomplete_beta, 1 to 1e6");
    compare_shapes(1e6, 1e8, 8, 6, "incomplete_beta, 1e6 to 1e8");
}

static void whole_shapes_keep_the_stated_error(void **state)
{
    (void)state;
    worst_error worst = {0};
    uint64_t seed = 1934;
    for (int i = 0; i < 1000; i++) { /* Clopper-Pearson: k + 1, n - k */
        const double n = floor(next_log_between(&seed, 1.0, 3000.0));
        const double k = floor(n * next_uniform(&seed));
        const double x = draw_x(&seed, k + 1.0, n - k, i);
        if (!isnan(x)) check_point(k + 1.0, n - k, x, &worst);
    }
    assert_worst(&worst, STATED, 850, "incomplete_beta, integers");
}

static void closed_forms_hold_at_any_size(void **state)
{
    (void)state;
    /* I_x(a, 1) = x^a, I_x(1, b) = 1 - (1 - x)^b, I_(1/2)(a, a) = 1/2. */
    assert_relative(sot_incomplete_beta(1e10, 1.0, 1.0 - 0x1p-33),
                    exp(1e10 * log1p(-0x1p-33)), STATED);
    assert_relative(sot_incomplete_beta(1.0, 1e10, 0x1p-40),
                    -expm1(1e10 * log1p(-0x1p-40)), STATED);
    assert_relative(sot_incomplete_beta(2.5, 1.0, 0.25), 0x1p-5, STATED);
    assert_relative(sot_incomplete_beta(1e10, 1e10, 0.5), 0.5, STATED);
    assert_relative(sot_incomplete_beta(1e-3, 1e-3, 0.5), 0.5, STATED);
}

static double by_lgamma_power(double a, double b, double x)
{
    return exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
}

static void the_comparison_catches_a_power_by_lgamma(void **state)
{
    (void)state;
    /* The factor in front, at a point where I_x = 1/2: its error would be the
     * result's. */
    const double a = 12345678.0;
    mpfr_t exact;
    mpfr_t half;
    mpfr_inits2(REFERENCE_BITS, exact, half, (mpfr_ptr)0);
    mpfr_set_d(half, a, MPFR_RNDN);
    exact_log_beta(exact, half, half);
    mpfr_neg(exact, exact, MPFR_RNDN);
    mpfr_const_log2(half, MPFR_RNDN);
    mpfr_mul_d(half, half, 2.0 * a, MPFR_RNDN);
    mpfr_sub(exact, exact, half, MPFR_RNDN);
    mpfr_exp(exact, exact, MPFR_RNDN);
    assert_true(reference_error(by_lgamma_power(a, a, 0.5), exact) > 10.0 * STATED);
    mpfr_clears(exact, half, (mpfr_ptr)0);
}

static void the_ends_and_the_domain_are_respected(void **state)
{
    (void)state;
    assert_same(sot_incomplete_beta(2.375, 3.5, 0.0), 0.0);
    assert_same(sot_incomplete_beta(2.375, 3.5, 1.0), 1.0);
    assert_same(sot_incomplete_beta(1e8, 1e8, 1e-9), 0.0);
    assert_same(sot_incomplete_beta(1e8, 1e8, 1.0 - 1e-9), 1.0);
    const double wrong[][3] = {
        {0.0, 1.0, 0.5}, {1.0, -1.0, 0.5},     {1.0, 1.0, -0.1},
        {1.0, 1.0, 1.1}, {INFINITY, 1.0, 0.5}, {1.0, INFINITY, 0.5},
        {NAN, 1.0, 0.5}, {1.0, NAN, 0.5},      {1.0, 1.0, NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_true(isnan(sot_incomplete_beta(wrong[i][0], wrong[i][1], wrong[i][2])));
        assert_true(
            isnan(sot_incomplete_beta_inverse(wrong[i][0], wrong[i][1], wrong[i][2])));
    }
}

/* ---- the inverse ---- */

static void the_inverse_inverts(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int i = 0; i < 200; i++) {
        const double a = next_log_between(&seed, 0.1, 1000.0);
        const double b = next_log_between(&seed, 0.1, 1000.0);
        check_inverse(a, b, next_uniform(&seed));
        check_inverse(a, b, next_log_between(&seed, 1e-300, 0.5));
        check_inverse(a, b, 1.0 - next_log_between(&seed, 1e-15, 0.5));
        const double n = 1.0 + floor(next_log_between(&seed, 1.0, 3000.0));
        check_inverse(1.0 + floor(n * next_uniform(&seed)), n, 0.025);
    }
    check_inverse(1e7, 3e7, 1e-10);
    check_inverse(1e-3, 1e-3, 0.3);
    check_inverse(1e-3, 5.0, 1e-3);
}

static void clopper_pearson_limits_are_those_of_the_tables(void **state)
{
    (void)state;
    /* k = 0 of n: the upper limit at level alpha is 1 - alpha^(1/n); k = n mirrors it. */
    assert_relative(sot_incomplete_beta_inverse(1.0, 20.0, 0.95),
                    -expm1(log(0.05) / 20.0), 1e-13);
    assert_relative(sot_incomplete_beta_inverse(20.0, 1.0, 0.05), exp(log(0.05) / 20.0),
                    1e-13);
    /* 10 of 100 at 95 %: 0.049 to 0.1762 (Clopper & Pearson 1934, read to four
     * places). */
    assert_within(sot_incomplete_beta_inverse(10.0, 91.0, 0.025), 0.04895, 0.04905);
    assert_within(sot_incomplete_beta_inverse(11.0, 90.0, 0.975), 0.17615, 0.17625);
}

static void inverse_ends_are_exact(void **state)
{
    (void)state;
    assert_same(sot_incomplete_beta_inverse(2.375, 3.5, 0.0), 0.0);
    assert_same(sot_incomplete_beta_inverse(2.375, 3.5, 1.0), 1.0);
    assert_same(sot_incomplete_beta_inverse(1e-3, 2.0, 1e-200), 0.0); /* underflows */
    assert_same(sot_incomplete_beta_inverse(2.0, 1e-3, 0.9), 1.0);
    assert_relative(sot_incomplete_beta_inverse(2.375, 2.375, 0.5), 0.5, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_function_keeps_its_stated_error),
        cmocka_unit_test(whole_shapes_keep_the_stated_error),
        cmocka_unit_test(closed_forms_hold_at_any_size),
        cmocka_unit_test(the_comparison_catches_a_power_by_lgamma),
        cmocka_unit_test(the_ends_and_the_domain_are_respected),
        cmocka_unit_test(the_inverse_inverts),
        cmocka_unit_test(clopper_pearson_limits_are_those_of_the_tables),
        cmocka_unit_test(inverse_ends_are_exact),
    };
    return cmocka_run_group_tests(tests, widen_reference_range, NULL);
}
