/* tests/numeric/exact_normal.h: the error function's family by MPFR. */
#ifndef SOTTO_TESTS_NUMERIC_EXACT_NORMAL_H
#define SOTTO_TESTS_NUMERIC_EXACT_NORMAL_H

#include "numeric/reference.h"

/* sum_{k >= 1} (-1)^k (2k-1)!! / x^(2k): M(x) = (1 + sum) / x. For x > 1000 the term left
 * out, the 17th, is below 1e-84. */
static inline void asymptotic_sum(mpfr_ptr out, mpfr_srcptr x)
{
    mpfr_t square;
    mpfr_init2(square, REFERENCE_BITS);
    mpfr_sqr(square, x, MPFR_RNDN);
    mpfr_set_zero(out, 1);
    for (unsigned k = 16; k > 0; k--) { /* Horner: s = -(2k-1)/x^2 (1 + s) */
        mpfr_add_ui(out, out, 1, MPFR_RNDN);
        mpfr_mul_si(out, out, -(long)(2 * k - 1), MPFR_RNDN);
        mpfr_div(out, out, square, MPFR_RNDN);
    }
    mpfr_clear(square);
}

/* e^(x^2) erfc(x). */
static inline void exact_erfcx(mpfr_ptr out, mpfr_srcptr x)
{
    mpfr_t y;
    mpfr_init2(y, REFERENCE_BITS);
    if (mpfr_cmp_d(x, 1e3) > 0) { /* (1 + sum(sqrt(2) x)) / (sqrt(pi) x) */
        mpfr_sqrt_ui(y, 2, MPFR_RNDN);
        mpfr_mul(y, y, x, MPFR_RNDN);
        asymptotic_sum(out, y);
        mpfr_add_ui(out, out, 1, MPFR_RNDN);
        mpfr_const_pi(y, MPFR_RNDN);
        mpfr_sqrt(y, y, MPFR_RNDN);
        mpfr_mul(y, y, x, MPFR_RNDN);
        mpfr_div(out, out, y, MPFR_RNDN);
    } else if (mpfr_cmp_d(x, -1e3) < 0) {
        mpfr_set_inf(out, 1);
    } else {
        mpfr_sqr(y, x, MPFR_RNDN);
        mpfr_exp(y, y, MPFR_RNDN);
        mpfr_erfc(out, x, MPFR_RNDN);
        mpfr_mul(out, out, y, MPFR_RNDN);
    }
    mpfr_clear(y);
}

/* log erfc(x) = log1p(-erf(x)) left of 1, log erfcx(x) - x^2 right of it. */
static inline void exact_log_erfc(mpfr_ptr out, mpfr_srcptr x)
{
    if (mpfr_cmp_d(x, 1.0) < 0) {
        mpfr_erf(out, x, MPFR_RNDN);
        mpfr_neg(out, out, MPFR_RNDN);
        mpfr_log1p(out, out, MPFR_RNDN);
        return;
    }
    mpfr_t square;
    mpfr_init2(square, REFERENCE_BITS);
    exact_erfcx(out, x);
    mpfr_log(out, out, MPFR_RNDN);
    mpfr_sqr(square, x, MPFR_RNDN);
    mpfr_sub(out, out, square, MPFR_RNDN);
    mpfr_clear(square);
}

/* out = x / sqrt(2) * sign. */
static inline void over_sqrt_two(mpfr_ptr out, mpfr_srcptr x, int sign)
{
    mpfr_sqrt_ui(out, 2, MPFR_RNDN);
    mpfr_div(out, x, out, MPFR_RNDN);
    mpfr_mul_si(out, out, sign, MPFR_RNDN);
}

static inline void exact_mills(mpfr_ptr out, mpfr_srcptr x)
{
    mpfr_t y;
    mpfr_init2(y, REFERENCE_BITS);
    over_sqrt_two(y, x, 1);
    exact_erfcx(out, y);
    mpfr_const_pi(y, MPFR_RNDN);
    mpfr_div_ui(y, y, 2, MPFR_RNDN);
    mpfr_sqrt(y, y, MPFR_RNDN);
    mpfr_mul(out, out, y, MPFR_RNDN);
    mpfr_clear(y);
}

static inline void exact_mills_slope(mpfr_ptr out, mpfr_srcptr x)
{
    if (mpfr_cmp_d(x, 1e3) > 0) {
        asymptotic_sum(out, x);
        mpfr_neg(out, out, MPFR_RNDN);
        return;
    }
    exact_mills(out, x);
    mpfr_mul(out, out, x, MPFR_RNDN);
    mpfr_ui_sub(out, 1, out, MPFR_RNDN);
}

static inline void exact_ndtr(mpfr_ptr out, mpfr_srcptr x)
{
    mpfr_t y;
    mpfr_init2(y, REFERENCE_BITS);
    over_sqrt_two(y, x, -1);
    mpfr_erfc(out, y, MPFR_RNDN);
    mpfr_div_ui(out, out, 2, MPFR_RNDN);
    mpfr_clear(y);
}

static inline void exact_log_ndtr(mpfr_ptr out, mpfr_srcptr x)
{
    mpfr_t y;
    mpfr_init2(y, REFERENCE_BITS);
    if (mpfr_sgn(x) > 0) { /* log1p(-Phi(-x)) */
        mpfr_neg(y, x, MPFR_RNDN);
        exact_ndtr(out, y);
        mpfr_neg(out, out, MPFR_RNDN);
        mpfr_log1p(out, out, MPFR_RNDN);
    } else {
        over_sqrt_two(y, x, -1);
        exact_log_erfc(out, y);
        mpfr_const_log2(y, MPFR_RNDN);
        mpfr_sub(out, out, y, MPFR_RNDN);
    }
    mpfr_clear(y);
}

#endif
