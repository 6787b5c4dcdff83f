/* tests/numeric/reference.h: exact values by MPFR, and points to compare at. */
#ifndef SOTTO_TESTS_NUMERIC_REFERENCE_H
#define SOTTO_TESTS_NUMERIC_REFERENCE_H

#include "support.h"

#include <float.h>

#include <mpfr.h>

/* Enough for every reference here: the deepest cancellation, 1 - x M(x) at x = 1000,
 * costs 20 bits after e^(x^2/2) has cost 20, and 53 are compared. */
enum { REFERENCE_BITS = 160 };

/* MPFR's default range ends at 2^(-2^30), and erfc(1e5) is far below it. Call it
 * first. */
static inline int widen_reference_range(void **state)
{
    (void)state;
    return mpfr_set_emin(mpfr_get_emin_min()) | mpfr_set_emax(mpfr_get_emax_max());
}

/* ---- points ---- */

/* splitmix64 (Steele, Lea & Flood, OOPSLA 2014): a fixed seed makes a fixed test. */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform on [0, 1). */
static inline double next_uniform(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

static inline double next_between(uint64_t *state, double lower, double upper)
{
    return lower + (upper - lower) * next_uniform(state);
}

/* Log-uniform on [lower, upper], both positive. */
static inline double next_log_between(uint64_t *state, double lower, double upper)
{
    return exp(next_between(state, log(lower), log(upper)));
}

/* Any bit pattern that is a finite double: all exponents, subnormals too, are equally
 * likely. */
static inline double next_finite_double(uint64_t *state)
{
    for (;;) {
        const uint64_t bits = next_random(state);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) return value;
    }
}

/* ---- comparison ---- */

/* |value - exact| / |exact|; 0 if both are zero or the same infinity, else infinite where
 * it makes no sense. Where exact is below DBL_MIN the error is taken relative to DBL_MIN,
 * minus the one DBL_TRUE_MIN that rounding there costs. */
static inline double reference_error(double value, mpfr_srcptr exact)
{
    if (isnan(value) || mpfr_nan_p(exact)) return INFINITY;
    /* The value a correctly rounded function would return; settles overflow and zero. */
    if (value == mpfr_get_d(exact, MPFR_RNDN)) return 0.0;
    if (isinf(value) || mpfr_inf_p(exact) || mpfr_zero_p(exact)) return INFINITY;
    mpfr_t error;
    mpfr_init2(error, REFERENCE_BITS);
    mpfr_sub_d(error, exact, value, MPFR_RNDN);
    double result;
    if (mpfr_cmpabs_ui(exact, 0) != 0 && fabs(mpfr_get_d(exact, MPFR_RNDN)) < DBL_MIN) {
        result = fmax(0.0, fabs(mpfr_get_d(error, MPFR_RNDN)) - DBL_TRUE_MIN) / DBL_MIN;
    } else {
        mpfr_div(error, error, exact, MPFR_RNDN);
        result = fabs(mpfr_get_d(error, MPFR_RNDN));
    }
    mpfr_clear(error);
    return result;
}

/* The two are the same number, or both NaN. */
static inline void assert_same(double value, double expected)
{
    if (value == expected || (isnan(value) && isnan(expected))) return;
    print_error("%.17g is not %.17g\n", value, expected);
    fail();
}

/* The larger of two errors; unlike fmax() it keeps a NaN, so that no comparison passes by
 * one. */
static inline double worse(double largest, double error)
{
    return error > largest || isnan(error) ? error : largest;
}

/* The largest error seen, and where. */
typedef struct worst_error {
    double error;
    double at[3];
    size_t points;
} worst_error;

static inline void note_error(worst_error *worst, double error, double a, double b,
                              double c)
{
    worst->points++;
    if (!(error <= worst->error)) {
        worst->error = error;
        worst->at[0] = a;
        worst->at[1] = b;
        worst->at[2] = c;
    }
}

/* Fails unless at least `points` were compared and the largest error is within `allowed`.
 * Set SOTTO_TEST_VERBOSE in the environment to see the margins. */
static inline void assert_worst(const worst_error *worst, double allowed, size_t points,
                                const char *name)
{
    const int broken = !(worst->error <= allowed) || worst->points < points;
    if (broken || getenv("SOTTO_TEST_VERBOSE") != NULL) {
        print_message("%s: largest error %.3g (allowed %.3g) at %.17g, %.17g, %.17g; "
                      "%zu points\n",
                      name, worst->error, allowed, worst->at[0], worst->at[1],
                      worst->at[2], worst->points);
    }
    assert_false(broken);
}

#endif
