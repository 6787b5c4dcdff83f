/* tests/numeric/exact_beta.h: the incomplete beta function by MPFR, and the comparisons
 * that the fast and the slow test share. */
#ifndef SOTTO_TESTS_NUMERIC_EXACT_BETA_H
#define SOTTO_TESTS_NUMERIC_EXACT_BETA_H

#include "numeric/reference.h"

#include "numeric/special.h"

/* The relative errors stated in special.h. */
#define STATED         1e-12
#define STATED_INVERSE 2e-12

/* ---- exact values ---- */

/* log B(a, b). */
static inline void exact_log_beta(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b)
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
 * (DLMF 8.17.8): every term is positive, and for x below the mean every factor is below
 * 1. */
static inline void exact_below_mean(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b,
                                    mpfr_srcptr x, mpfr_srcptr y)
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

static inline void exact_beta(mpfr_ptr out, double a_value, double b_value, mpfr_srcptr x)
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

/* ---- comparisons ---- */

/* A point near the mean, in a tail, or anywhere; NaN if it is not inside (0, 1). */
static inline double draw_x(uint64_t *seed, double a, double b, int kind)
{
    const double mean = a / (a + b);
    const double sigma = sqrt(mean * (b / (a + b)) / (a + b + 1.0));
    double x = next_uniform(seed);
    if (kind % 4 == 0) x = mean + sigma * next_between(seed, -9.0, 9.0);
    if (kind % 4 == 1) x = mean * next_log_between(seed, 1e-6, 1.0);
    if (kind % 4 == 2) x = mean + sigma * next_between(seed, -1.0, 1.0);
    return x > 0.0 && x < 1.0 ? x : (double)NAN;
}

static inline void check_point(double a, double b, double x, worst_error *worst)
{
    mpfr_t argument;
    mpfr_t exact;
    mpfr_inits2(REFERENCE_BITS, argument, exact, (mpfr_ptr)0);
    mpfr_set_d(argument, x, MPFR_RNDN);
    exact_beta(exact, a, b, argument);
    note_error(worst, reference_error(sot_incomplete_beta(a, b, x), exact), a, b, x);
    mpfr_clears(argument, exact, (mpfr_ptr)0);
}

static inline void compare_shapes(double smallest, double largest, int rounds,
                                  size_t points, const char *name)
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

/* I at the doubles two steps below and above x encloses p, but for a relative
 * STATED_INVERSE. */
static inline void check_inverse(double a, double b, double p)
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

#endif
