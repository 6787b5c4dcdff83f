#include "numeric/reference.h"

#include "numeric/special.h"

/* The relative errors stated in special.h. */
#define STATED         1e-12
#define STATED_INVERSE 2e-12

/* ---- exact values ---- */

/* log B(a, b). */
static void exact_log_beta(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b)
{
    mpfr_t term;
    mpfr_init2(term, mpfr_get_prec(out));
    mpfr_add(term, a, b, MPFR_RNDN);
    mpfr_lngamma(out, term, MPFR_RNDN);
    mpfr_neg(out, out, MPFR_RNDN);
    mpfr_lngamma(term, a, MPFR_RNDN);
    mpfr_add(out, out, term, MPFR_RNDN);
    mpfr_lngamma(term, b, MPFR_RNDN);
    mpfr_add(out, out, term, MPFR_RNDN);
    mpfr_clear(term);
}

/* I_x(a, b) = x^a y^b / (a B(a, b)) sum_{n >= 0} prod_{i < n} (a + b + i) x / (a + 1 + i)
 * (DLMF 8.17.8): every term is positive, and for x below the mean every factor is below 1. */
static void exact_below_mean(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr x,
                             mpfr_srcptr y)
{
    mpfr_t numerator;
    mpfr_t denominator;
    mpfr_t term;
    mpfr_t sum;
    mpfr_inits2(REFERENCE_BITS, numerator, denominator, term, sum, (mpfr_ptr)0);
    mpfr_add(numerator, a, b, MPFR_RNDN);
    mpfr_add_ui(denominator, a, 1, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_ui(sum, 1, MPFR_RNDN);
    while (mpfr_get_exp(term) > mpfr_get_exp(sum) - 90) {
        mpfr_mul(term, term, numerator, MPFR_RNDN);
        mpfr_mul(term, term, x, MPFR_RNDN);
        mpfr_div(term, term, denominator, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
        mpfr_add_ui(numerator, numerator, 1, MPFR_RNDN);
        mpfr_add_ui(denominator, denominator, 1, MPFR_RNDN);
    }
    mpfr_log(out, x, MPFR_RNDN);
    mpfr_mul(out, out, a, MPFR_RNDN);
    mpfr_log(term, y, MPFR_RNDN);
    mpfr_fma(out, term, b, out, MPFR_RNDN);
    exact_log_beta(term, a, b);
    mpfr_sub(out, out, term, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
    mpfr_mul(out, out, sum, MPFR_RNDN);
    mpfr_div(out, out, a, MPFR_RNDN);
    mpfr_clears(numerator, denominator, term, sum, (mpfr_ptr)0);
}

static void exact_beta(mpfr_ptr out, double a_value, double b_value, mpfr_srcptr x)
{
    mpfr_t a;
    mpfr_t b;
    mpfr_t y;
    mpfr_t mean;
    mpfr_inits2(REFERENCE_BITS, a, b, mean, (mpfr_ptr)0);
    mpfr_init2(y, 1200); /* 1 - x exactly */
    mpfr_set_d(a, a_value, MPFR_RNDN);
    mpfr_set_d(b, b_value, MPFR_RNDN);
    mpfr_ui_sub(y, 1, x, MPFR_RNDN);
    mpfr_add(mean, a, b, MPFR_RNDN);
    mpfr_div(mean, a, mean, MPFR_RNDN);
    if (mpfr_cmp(x, mean) <= 0) {
        exact_below_mean(out, a, b, x, y);
    } else {
        exact_below_mean(out, b, a, y, x);
        mpfr_ui_sub(out, 1, out, MPFR_RNDN);
    }
    mpfr_clears(a, b, y, mean, (mpfr_ptr)0);
}

/* ---- the function ---- */

/* A point near the mean, in a tail, or anywhere; NaN if it is not inside (0, 1). */
static double draw_x(uint64_t *seed, double a, double b, int kind)
{
    const double mean = a / (a + b);
    const double sigma = sqrt(mean * (b / (a + b)) / (a + b + 1.0));
    double x = next_uniform(seed);
    if (kind % 4 == 0) x = mean + sigma * next_between(seed, -9.0, 9.0);
    if (kind % 4 == 1) x = mean * next_log_between(seed, 1e-6, 1.0);
    if (kind % 4 == 2) x = mean + sigma * next_between(seed, -1.0, 1.0);
    return x > 0.0 && x < 1.0 ? x : (double)NAN;
}

static void check_point(double a, double b, double x, worst_error *worst)
{
    mpfr_t argument;
    mpfr_t exact;
    mpfr_inits2(REFERENCE_BITS, argument, exact, (mpfr_ptr)0);
    mpfr_set_d(argument, x, MPFR_RNDN);
    exact_beta(exact, a, b, argument);
    note_error(worst, reference_error(sot_incomplete_beta(a, b, x), exact), a, b, x);
    mpfr_clears(argument, exact, (mpfr_ptr)0);
}

static void compare_shapes(double smallest, double largest, int rounds, size_t points,
                           const char *name)
{
    worst_error worst = {0};
    uint64_t seed = 1992;
    for (int i = 0; i < rounds; i++) {
        const double a = next_log_between(&seed, smallest, largest);
        const double b = next_log_between(&seed, smallest, largest);
        const double x = draw_x(&seed, a, b, i);
        if (!isnan(x)) check_point(a, b, x, &worst);
    }
    assert_worst(&worst, STATED, points, name);
}

static void the_function_keeps_its_stated_error(void **state)
{
    (void)state;
    compare_shapes(0.5, 100.0, 2000, 1600, "incomplete_beta, 0.5 to 100");
    compare_shapes(1e-3, 1e4, 1500, 1200, "incomplete_beta, 1e-3 to 1e4");
    compare_shapes(1.0, 1e6, 120, 90, "incomplete_beta, 1 to 1e6");
    compare_shapes(1e6, 1e8, 20, 15, "incomplete_beta, 1e6 to 1e8");
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
    /* The factor in front, at a point where I_x = 1/2: its error would be the result's. */
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

/* I at the doubles two steps below and above x encloses p, but for a relative STATED_INVERSE. */
static void check_inverse(double a, double b, double p)
{
    const double x = sot_incomplete_beta_inverse(a, b, p);
    assert_true(x >= 0.0 && x <= 1.0);
    const double below = nextafter(nextafter(x, 0.0), 0.0);
    const double above = nextafter(nextafter(x, 1.0), 1.0);
    mpfr_t argument;
    mpfr_t low;
    mpfr_t high;
    mpfr_inits2(REFERENCE_BITS, argument, low, high, (mpfr_ptr)0);
    mpfr_set_zero(low, 1);
    mpfr_set_ui(high, 1, MPFR_RNDN);
    mpfr_set_d(argument, below, MPFR_RNDN);
    if (below > 0.0) exact_beta(low, a, b, argument);
    mpfr_set_d(argument, above, MPFR_RNDN);
    if (above < 1.0) exact_beta(high, a, b, argument);
    mpfr_mul_d(low, low, 1.0 - STATED_INVERSE, MPFR_RNDN);
    mpfr_mul_d(high, high, 1.0 + STATED_INVERSE, MPFR_RNDN);
    if (mpfr_cmp_d(low, p) > 0 || mpfr_cmp_d(high, p) < 0) {
        print_error("inverse(%.17g, %.17g, %.17g) = %.17g\n", a, b, p, x);
        fail();
    }
    mpfr_clears(argument, low, high, (mpfr_ptr)0);
}

static void the_inverse_inverts(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int i = 0; i < 600; i++) {
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
    /* 10 of 100 at 95 %: 0.049 to 0.1762 (Clopper & Pearson 1934, read to four places). */
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
