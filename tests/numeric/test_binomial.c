#include "numeric/reference.h"

#include "numeric/special.h"
#include "numeric/stirling.h"

#define STATED 2e-15

/* lgamma has 60 digits left after the differences for k = 1e-20, n = 1e15 cancel. */
enum { WIDE_BITS = 400 };

/* log Gamma(x + 1) added to `sum` with a sign. */
static void add_log_factorial(mpfr_ptr sum, mpfr_srcptr x, int sign)
{
    mpfr_t value;
    mpfr_init2(value, WIDE_BITS);
    mpfr_add_ui(value, x, 1, MPFR_RNDN);
    mpfr_lngamma(value, value, MPFR_RNDN);
    mpfr_mul_si(value, value, sign, MPFR_RNDN);
    mpfr_add(sum, sum, value, MPFR_RNDN);
    mpfr_clear(value);
}

static void exact_log_binomial(mpfr_ptr out, double n, double k)
{
    mpfr_t argument;
    mpfr_init2(argument, WIDE_BITS);
    mpfr_set_zero(out, 1);
    mpfr_set_d(argument, n, MPFR_RNDN);
    add_log_factorial(out, argument, 1);
    mpfr_sub_d(argument, argument, k, MPFR_RNDN);
    add_log_factorial(out, argument, -1);
    mpfr_set_d(argument, k, MPFR_RNDN);
    add_log_factorial(out, argument, -1);
    mpfr_clear(argument);
}

static void check_pair(double n, double k, worst_error *worst)
{
    mpfr_t exact;
    mpfr_init2(exact, WIDE_BITS);
    exact_log_binomial(exact, n, k);
    note_error(worst, reference_error(sot_log_binomial(n, k), exact), n, k, 0.0);
    mpfr_clear(exact);
}

static void whole_arguments_keep_the_stated_error(void **state)
{
    (void)state;
    worst_error worst = {0};
    uint64_t seed = 3;
    for (int n = 1; n <= 40; n++) {
        for (int k = 1; k < n; k++)
            check_pair(n, k, &worst);
    }
    for (int i = 0; i < 1200; i++) {
        const double n = floor(next_log_between(&seed, 2.0, 1e15));
        const double small = floor(next_log_between(&seed, 1.0, fmin(n, 50.0)));
        check_pair(n, small, &worst);
        check_pair(n, n - small, &worst);
        check_pair(n, floor(0.5 * n * (1.0 + 1e-3 * next_uniform(&seed))), &worst);
        check_pair(n, floor(next_log_between(&seed, 1.0, n)), &worst);
    }
    assert_worst(&worst, STATED, 5000, "log_binomial, integers");
}

static void real_arguments_keep_the_stated_error(void **state)
{
    (void)state;
    worst_error worst = {0};
    uint64_t seed = 4;
    for (int i = 0; i < 1500; i++) {
        const double n = next_log_between(&seed, 1e-10, 1e15);
        check_pair(n, n * next_uniform(&seed), &worst);
        check_pair(n, next_log_between(&seed, 1e-20, 1.0) * n, &worst);
        const double k = next_log_between(&seed, 1e-15, fmin(n, 30.0));
        check_pair(n, fmin(k, n), &worst);
        check_pair(n, fmax(n - k, 0.0), &worst);
    }
    assert_worst(&worst, STATED, 6000, "log_binomial, reals");
}

static double by_lgamma(double n, double k)
{
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

static void the_comparison_catches_differences_of_lgamma(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, WIDE_BITS);
    exact_log_binomial(exact, 1e15, 3.0);
    assert_true(reference_error(by_lgamma(1e15, 3.0), exact) > 1e-4);
    assert_true(reference_error(sot_log_binomial(1e15, 3.0), exact) <= STATED);
    mpfr_clear(exact);
}

static void the_ends_are_exact(void **state)
{
    (void)state;
    assert_same(sot_log_binomial(0.0, 0.0), 0.0);
    assert_same(sot_log_binomial(2.375, 0.0), 0.0);
    assert_same(sot_log_binomial(2.375, 2.375), 0.0);
    assert_same(sot_log_binomial(INFINITY, 0.0), 0.0);
    assert_same(sot_log_binomial(INFINITY, 2.375), INFINITY);
    assert_relative(sot_log_binomial(1e300, 1.0), log(1e300), 1e-15);
    assert_relative(sot_log_binomial(2.0, 1.0), log(2.0), 1e-15);
}

static void arguments_outside_the_domain_give_nan(void **state)
{
    (void)state;
    assert_true(isnan(sot_log_binomial(2.0, 3.0)));
    assert_true(isnan(sot_log_binomial(2.0, -1.0)));
    assert_true(isnan(sot_log_binomial(INFINITY, INFINITY)));
    assert_true(isnan(sot_log_binomial(NAN, 1.0)));
    assert_true(isnan(sot_log_binomial(2.0, NAN)));
}

/* ---- what Stirling leaves out ---- */

static void stirling_errors_keep_their_stated_error(void **state)
{
    (void)state;
    mpfr_t x;
    mpfr_t exact;
    mpfr_t term;
    mpfr_inits2(WIDE_BITS, x, exact, term, (mpfr_ptr)0);
    worst_error worst = {0};
    uint64_t seed = 5;
    for (int i = 0; i < 1500; i++) {
        const double argument = next_log_between(&seed, 1e-300, 1e18);
        mpfr_set_d(x, argument, MPFR_RNDN);
        mpfr_const_pi(term, MPFR_RNDN); /* x - (x + 1/2) log x - log(2 pi) / 2 + ... */
        mpfr_mul_ui(term, term, 2, MPFR_RNDN);
        mpfr_log(term, term, MPFR_RNDN);
        mpfr_div_si(term, term, -2, MPFR_RNDN);
        mpfr_add(exact, x, term, MPFR_RNDN);
        add_log_factorial(exact, x, 1);
        mpfr_log(term, x, MPFR_RNDN);
        mpfr_add_d(x, x, 0.5, MPFR_RNDN);
        mpfr_mul(term, term, x, MPFR_RNDN);
        mpfr_sub(exact, exact, term, MPFR_RNDN);
        const double value = sot_stirling_error(argument);
        mpfr_sub_d(term, exact, value, MPFR_RNDN);
        const double scale = 1.0 + mpfr_get_d(exact, MPFR_RNDN);
        note_error(&worst, fabs(mpfr_get_d(term, MPFR_RNDN)) / scale, argument, value,
                   0.0);
    }
    mpfr_clears(x, exact, term, (mpfr_ptr)0);
    assert_worst(&worst, 5e-16, 1500, "stirling_error");
}

static void log_deviations_keep_their_stated_error(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_t logarithm;
    mpfr_inits2(WIDE_BITS, exact, logarithm, (mpfr_ptr)0);
    worst_error worst = {0};
    uint64_t seed = 6;
    for (int i = 0; i < 4000; i++) {
        const double magnitude = next_log_between(&seed, 1e-30, 1e5);
        const double t = i % 2 == 0 ? magnitude : -fmin(magnitude, next_uniform(&seed));
        mpfr_set_d(exact, t, MPFR_RNDN);
        mpfr_log1p(logarithm, exact, MPFR_RNDN);
        mpfr_sub(exact, exact, logarithm, MPFR_RNDN);
        note_error(&worst, reference_error(sot_log_deviation(t, 1.0, 1.0 + t), exact), t,
                   0.0, 0.0);
    }
    mpfr_clears(exact, logarithm, (mpfr_ptr)0);
    assert_worst(&worst, 1e-15, 4000, "log_deviation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_arguments_keep_the_stated_error),
        cmocka_unit_test(real_arguments_keep_the_stated_error),
        cmocka_unit_test(the_comparison_catches_differences_of_lgamma),
        cmocka_unit_test(the_ends_are_exact),
        cmocka_unit_test(arguments_outside_the_domain_give_nan),
        cmocka_unit_test(stirling_errors_keep_their_stated_error),
        cmocka_unit_test(log_deviations_keep_their_stated_error),
    };
    return cmocka_run_group_tests(tests, widen_reference_range, NULL);
}
