#include "numeric/outward.h"

#include <assert.h>
#include <float.h>
#include <stdint.h>
#include <string.h>

/* The proofs below are about single roundings to double. */
_Static_assert(FLT_EVAL_METHOD == 0,
               "wider intermediates break the error-free transforms");
_Static_assert(FLT_RADIX == 2 && DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024,
               "IEEE 754 binary64 is assumed");

/* Below this magnitude the residual of a product or quotient may not be a double. It can
 * have bits down to 2^-106 of the result, and 2^-1066 is above DBL_TRUE_MIN, 2^-1074. */
#define RESIDUAL_IS_SAFE 0x1p-960

/* The number of doubles by which libm's result is moved. */
enum { LIBM_MARGIN = 4 };

/* ---- neighbours ---- */

double sot_next_up(double x)
{
    if (!isfinite(x)) return x;
    if (x == 0.0) return DBL_TRUE_MIN;
    /* The encoding without its sign bit, read as an integer, is ordered as the magnitude;
     * inf follows DBL_MAX and DBL_TRUE_MIN follows zero. */
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = x > 0.0 ? bits + 1 : bits - 1;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

double sot_next_down(double x)
{
    return -sot_next_up(-x);
}

/* ---- one rounding, moved to the right side ---- */

/* `nearest` is the rounded result and `error` has the sign of (exact - nearest). */
static double round_up(double nearest, double error)
{
    return error > 0.0 ? sot_next_up(nearest) : nearest;
}

/* Returns the upward result if `nearest` overflowed from finite arguments. The exact
 * result is finite, so -inf is too low and the smallest double, -DBL_MAX, is the
 * answer. */
static double overflow_up(double nearest)
{
    return nearest > 0.0 ? nearest : -DBL_MAX;
}

double sot_add_up(double a, double b)
{
    const double sum = a + b;
    if (!isfinite(sum)) {
        return isinf(sum) && isfinite(a) && isfinite(b) ? overflow_up(sum) : sum;
    }
    /* Fast2Sum: with |large| >= |small| both differences are exact, and neither overflows
     * if the sum did not (Boldo, Graillat & Muller, ACM TOMS 44(1), 2017). */
    const double large = fabs(a) >= fabs(b) ? a : b;
    const double small = fabs(a) >= fabs(b) ? b : a;
    return round_up(sum, small - (sum - large));
}

double sot_add_down(double a, double b)
{
    /* Rounding to nearest is symmetric: down(a + b) = -up(-a - b). */
    return -sot_add_up(-a, -b);
}

double sot_sub_up(double a, double b)
{
    return sot_add_up(a, -b);
}

double sot_sub_down(double a, double b)
{
    return -sot_add_up(-a, b);
}

/* The sign of a * b - product, where `product` is a * b rounded to nearest and finite. */
static double product_residual(double a, double b, double product)
{
    if (fabs(product) >= RESIDUAL_IS_SAFE) return fma(a, b, -product);
    if (a == 0.0 || b == 0.0) return 0.0;
    /* Significands in [1/2, 1). The product scaled alike is at most 1 (2 if it was
     * rounded up to DBL_TRUE_MIN) and the scaling is exact: nothing underflows. */
    int a_exponent;
    int b_exponent;
    const double a_significand = frexp(a, &a_exponent);
    const double b_significand = frexp(b, &b_exponent);
    const double scaled = ldexp(product, -(a_exponent + b_exponent));
    return fma(a_significand, b_significand, -scaled);
}

double sot_mul_up(double a, double b)
{
    const double product = a * b;
    if (!isfinite(product)) {
        return isinf(product) && isfinite(a) && isfinite(b) ? overflow_up(product)
                                                            : product;
    }
    return round_up(product, product_residual(a, b, product));
}

double sot_mul_down(double a, double b)
{
    return -sot_mul_up(-a, b);
}

/* Returns the sign of a / b - quotient, where `quotient` is a / b rounded to nearest;
 * all are finite and b is not zero. a - quotient * b has the sign of
 * (a / b - quotient) * b. */
static double quotient_residual(double a, double b, double quotient)
{
    double remainder;
    if (fabs(a) >= RESIDUAL_IS_SAFE && fabs(quotient) >= RESIDUAL_IS_SAFE) {
        remainder = fma(-quotient, b, a);
    } else {
        /* As for the product: significands, and the quotient scaled alike, below 4. */
        int a_exponent;
        int b_exponent;
        const double a_significand = frexp(a, &a_exponent);
        const double b_significand = frexp(b, &b_exponent);
        const double scaled = ldexp(quotient, b_exponent - a_exponent);
        remainder = fma(-scaled, b_significand, a_significand);
    }
    return b > 0.0 ? remainder : -remainder;
}

double sot_div_up(double a, double b)
{
    if (b == 0.0) { /* spelled out, because sanitizers trap the division */
        if (a == 0.0 || isnan(a)) return (double)NAN;
        return signbit(a) == signbit(b) ? (double)INFINITY : -(double)INFINITY;
    }
    const double quotient = a / b;
    if (!isfinite(quotient)) {
        return isinf(quotient) && isfinite(a) ? overflow_up(quotient) : quotient;
    }
    if (isinf(b) || a == 0.0) return quotient; /* zero, and exact */
    return round_up(quotient, quotient_residual(a, b, quotient));
}

double sot_div_down(double a, double b)
{
    return -sot_div_up(-a, b);
}

/* The sign of sqrt(x) - root, from x - root^2 = (sqrt(x) - root)(sqrt(x) + root). */
static double root_residual(double x, double root)
{
    if (!isfinite(root) || x == 0.0) return 0.0;
    if (x < RESIDUAL_IS_SAFE) { /* 4^300 x is normal, and 2^300 root its rounded root */
        x *= 0x1p600;
        root *= 0x1p300;
    }
    return fma(-root, root, x);
}

double sot_sqrt_up(double x)
{
    const double root = sqrt(x);
    return round_up(root, root_residual(x, root));
}

double sot_sqrt_down(double x)
{
    const double root = sqrt(x);
    return root_residual(x, root) < 0.0 ? sot_next_down(root) : root;
}

/* ---- libm with a margin ---- */

/* x moved by LIBM_MARGIN doubles. */
static double margin_up(double x)
{
    for (int i = 0; i < LIBM_MARGIN; i++)
        x = sot_next_up(x);
    return x;
}

static double margin_down(double x)
{
    return -margin_up(-x);
}

double sot_exp_up(double x)
{
    if (x == 0.0 || !isfinite(x)) return exp(x);
    const double upper = margin_up(exp(x));
    return x < 0.0 ? fmin(upper, 1.0) : upper;
}

double sot_exp_down(double x)
{
    if (x == 0.0 || !isfinite(x)) return exp(x);
    const double value = exp(x);
    if (isinf(value)) return DBL_MAX; /* overflow: the exact value is finite */
    return fmax(margin_down(value), x > 0.0 ? 1.0 : 0.0);
}

double sot_log_up(double x)
{
    return x == 1.0 ? 0.0 : margin_up(log(x)); /* margins leave infinities and NaN */
}

double sot_log_down(double x)
{
    return x == 1.0 ? 0.0 : margin_down(log(x));
}

double sot_expm1_up(double x)
{
    if (x == 0.0 || !isfinite(x)) return expm1(x);
    return margin_up(expm1(x));
}

double sot_expm1_down(double x)
{
    if (x == 0.0 || !isfinite(x)) return expm1(x);
    const double value = expm1(x);
    if (isinf(value)) return DBL_MAX;
    return fmax(margin_down(value), fmax(x, -1.0)); /* e^x >= 1 + x */
}

double sot_log1p_up(double x)
{
    if (x == 0.0 || !(x > -1.0) || isinf(x)) return log1p(x);
    return fmin(margin_up(log1p(x)), x); /* log(1 + x) <= x */
}

double sot_log1p_down(double x)
{
    if (x == 0.0 || !(x > -1.0) || isinf(x)) return log1p(x);
    return margin_down(log1p(x));
}

/* ---- results with a known error ---- */

double sot_widen_up(double x, double relative)
{
    assert(relative >= 0.0);
    if (!isfinite(x)) return x;
    const double moved = sot_add_up(x, sot_mul_up(fabs(x), relative));
    return sot_add_up(moved, DBL_TRUE_MIN);
}

double sot_widen_down(double x, double relative)
{
    return -sot_widen_up(-x, relative);
}
