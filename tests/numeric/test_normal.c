#include "numeric/exact_normal.h"

#include "numeric/special.h"

/* The relative error stated in special.h. */
#define STATED 2e-15

/* |x / exact - 1|, where `exact` solves log Phi = log_p: with log_p given to full
 * precision, one Newton step from x, |log Phi(x) - log_p| M(-x), is the distance to the
 * solution up to its square. */
static double quantile_error(double x, mpfr_srcptr log_p)
{
    mpfr_t argument;
    mpfr_t distance;
    mpfr_t mills;
    mpfr_inits2(REFERENCE_BITS, argument, distance, mills, (mpfr_ptr)0);
    mpfr_set_d(argument, x, MPFR_RNDN);
    exact_log_ndtr(distance, argument);
    mpfr_sub(distance, distance, log_p, MPFR_RNDN);
    mpfr_neg(mills, argument, MPFR_RNDN);
    exact_mills(mills, mills);
    mpfr_mul(distance, distance, mills, MPFR_RNDN);
    mpfr_div(distance, distance, argument, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(distance, MPFR_RNDN));
    mpfr_clears(argument, distance, mills, (mpfr_ptr)0);
    return error;
}

static void check_probability(double p, worst_error *worst)
{
    mpfr_t log_p;
    mpfr_init2(log_p, REFERENCE_BITS);
    mpfr_set_d(log_p, p, MPFR_RNDN);
    mpfr_log(log_p, log_p, MPFR_RNDN);
    note_error(worst, quantile_error(sot_normal_quantile(p), log_p), p, 0.0, 0.0);
    mpfr_clear(log_p);
}

static void check_log_probability(double log_p, worst_error *worst)
{
    mpfr_t exact;
    mpfr_init2(exact, 53);
    mpfr_set_d(exact, log_p, MPFR_RNDN);
    note_error(worst, quantile_error(sot_normal_quantile_log(log_p), exact), log_p, 0.0,
               0.0);
    mpfr_clear(exact);
}

static void quantiles_keep_their_stated_error_in_both_tails(void **state)
{
    (void)state;
    worst_error worst = {0};
    uint64_t seed = 77;
    for (int i = 0; i < 1500; i++) {
        check_probability(next_uniform(&seed), &worst);
        check_probability(next_log_between(&seed, DBL_TRUE_MIN, 0.5), &worst);
        check_probability(1.0 - next_log_between(&seed, 0x1p-53, 0.5), &worst);
        /* around the median, where x itself vanishes */
        const double offset = next_log_between(&seed, 0x1p-54, 0.3);
        check_probability(0.5 - offset, &worst);
        if (0.5 + offset > 0.5) check_probability(0.5 + offset, &worst);
    }
    check_probability(0.25, &worst);
    check_probability(0.75, &worst);
    check_probability(nextafter(0.25, 0.0), &worst);
    check_probability(nextafter(0.75, 1.0), &worst);
    check_probability(DBL_TRUE_MIN, &worst);
    assert_worst(&worst, STATED, 6000, "normal_quantile");
}

static void log_quantiles_keep_their_stated_error(void **state)
{
    (void)state;
    worst_error worst = {0};
    uint64_t seed = 78;
    const double log_half = -0x1.62e42fefa39efp-1;
    for (int i = 0; i < 1500; i++) {
        check_log_probability(-next_log_between(&seed, 1e-300, 1e300), &worst);
        check_log_probability(-next_between(&seed, 0.0, 3.0), &worst);
        check_log_probability(-next_log_between(&seed, 1.0, 1e25), &worst);
        const double factor = 1.0 + next_log_between(&seed, 1e-16, 0.5);
        check_log_probability(log_half * factor, &worst);
        check_log_probability(log_half / factor, &worst);
    }
    check_log_probability(log_half, &worst);
    check_log_probability(-1.79e308, &worst);
    assert_worst(&worst, STATED, 7500, "normal_quantile_log");
}

static double float_quantile(double p)
{
    return (double)(float)sot_normal_quantile(p);
}

static void the_comparison_catches_a_lost_digit(void **state)
{
    (void)state;
    mpfr_t log_p;
    mpfr_init2(log_p, REFERENCE_BITS);
    mpfr_set_d(log_p, 0.3, MPFR_RNDN);
    mpfr_log(log_p, log_p, MPFR_RNDN);
    assert_true(quantile_error(sot_normal_quantile(0.3), log_p) <= STATED);
    assert_true(quantile_error(float_quantile(0.3), log_p) > 1e-9);
    assert_true(quantile_error(sot_normal_quantile(0.3) * (1.0 + 1e-14), log_p) > STATED);
    mpfr_clear(log_p);
}

static void the_ends_and_the_median_are_exact(void **state)
{
    (void)state;
    assert_same(sot_normal_quantile(0.0), -INFINITY);
    assert_same(sot_normal_quantile(1.0), INFINITY);
    assert_same(sot_normal_quantile(0.5), 0.0);
    assert_same(sot_normal_quantile_log(0.0), INFINITY);
    assert_same(sot_normal_quantile_log(-INFINITY), -INFINITY);
    assert_true(isfinite(sot_normal_quantile_log(-DBL_MAX)));
    /* symmetric to the bit where both probabilities are doubles */
    assert_same(sot_normal_quantile(0.0625), -sot_normal_quantile(0.9375));
    assert_same(sot_normal_quantile(0.375), -sot_normal_quantile(0.625));
}

static void what_is_no_probability_gives_nan(void **state)
{
    (void)state;
    const double wrong[] = {-DBL_TRUE_MIN, nextafter(1.0, 2.0), INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_true(isnan(sot_normal_quantile(wrong[i])));
    assert_true(isnan(sot_normal_quantile_log(DBL_TRUE_MIN)));
    assert_true(isnan(sot_normal_quantile_log(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_keep_their_stated_error_in_both_tails),
        cmocka_unit_test(log_quantiles_keep_their_stated_error),
        cmocka_unit_test(the_comparison_catches_a_lost_digit),
        cmocka_unit_test(the_ends_and_the_median_are_exact),
        cmocka_unit_test(what_is_no_probability_gives_nan),
    };
    return cmocka_run_group_tests(tests, widen_reference_range, NULL);
}
