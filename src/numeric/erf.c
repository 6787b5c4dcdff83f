/* The error function's family, all from Mills' ratio M(x) = Phi(-x) / phi(x).
 *
 * M is smooth and slowly varying on x >= 0, where one Chebyshev series gives it to a few
 * units in the last place. The Gaussian factor exp(-x^2/2) is computed separately, with
 * x^2 as an unevaluated sum of two doubles. So no function here has the underflow or the
 * cancellation of erfc. */
#include "numeric/special.h"

#include <math.h>

#include "numeric/mills_series.h"

static const double sqrt_two = 0x1.6a09e667f3bcdp+0;            /* sqrt(2) */
static const double sqrt_half_pi = 0x1.40d931ff62706p+0;        /* sqrt(pi/2) = M(0) */
static const double sqrt_two_pi = 0x1.40d931ff62706p+1;         /* sqrt(2 pi) */
static const double inverse_sqrt_two_pi = 0x1.9884533d43651p-2; /* 1 / sqrt(2 pi) */
static const double inverse_sqrt_pi = 0x1.20dd750429b6dp-1;     /* 1 / sqrt(pi) */
static const double log_sqrt_two_pi = 0x1.d67f1c864beb5p-1;     /* log(2 pi) / 2 */

/* From here on M(x) = (1 - 1/x^2 + ...) / x is 1 / x to the last bit. */
#define MILLS_IS_RECIPROCAL 1e9

/* Clenshaw's recurrence for sum_k series[k] T_k(t). */
static double chebyshev_sum(const double *series, int terms, double t)
{
    double next = 0.0;
    double after_next = 0.0;
    for (int k = terms - 1; k > 0; k--) {
        const double current = series[k] + (2.0 * t * next - after_next);
        after_next = next;
        next = current;
    }
    return series[0] + (t * next - after_next);
}

static double half_line_variable(double x)
{
    return (x - MILLS_SERIES_CENTRE) / (x + MILLS_SERIES_CENTRE);
}

/* Mills' ratio for x >= 0. */
static double mills_right(double x)
{
    if (x > MILLS_IS_RECIPROCAL) return 1.0 / x;
    return chebyshev_sum(mills_series, MILLS_TERMS, half_line_variable(x)) / (1.0 + x);
}

/* Returns e^(a b), without the error of rounding a * b. With the product as hi + lo, it
 * is e^hi (1 + lo), where |lo| < 2^-43 makes lo^2 negligible. */
static double exp_of_product(double a, double b)
{
    const double product = a * b;
    if (product > 800.0) return (double)INFINITY;
    if (product < -800.0) return 0.0;
    const double value = exp(product);
    return isinf(value) ? value : value + value * fma(a, b, -product);
}

double sot_mills(double x)
{
    if (x >= 0.0) return mills_right(x);
    /* Phi(-x) = 1 - Phi(x); the term taken away is at most half of the first. */
    return sqrt_two_pi * exp_of_product(0.5 * x, x) - mills_right(-x);
}

double sot_mills_slope(double x)
{
    if (x < 0.0) return 1.0 - x * sot_mills(x);
    if (x > MILLS_IS_RECIPROCAL) return 1.0 / x / x;
    return chebyshev_sum(slope_series, SLOPE_TERMS, half_line_variable(x)) /
           (1.0 + x * (1.0 + x));
}

double sot_erfcx(double x)
{
    if (x > MILLS_IS_RECIPROCAL) return inverse_sqrt_pi / x;
    const double right = mills_right(sqrt_two * fabs(x)) / sqrt_half_pi;
    return x < 0.0 ? 2.0 * exp_of_product(x, x) - right : right;
}

double sot_log_erfc(double x)
{
    /* erfc(x) = 1 - erf(x) is near 1 at x = 0 and at most 2 on the left. */
    if (x < 0.5) return log1p(-erf(x));
    return log(sot_erfcx(x)) - x * x;
}

/* Phi(-x) for x >= 0. */
static double upper_tail(double x)
{
    return inverse_sqrt_two_pi * exp_of_product(-0.5 * x, x) * mills_right(x);
}

double sot_ndtr(double x)
{
    return x < 0.0 ? upper_tail(-x) : 1.0 - upper_tail(x);
}

double sot_log_ndtr(double x)
{
    if (x >= 0.0) return log1p(-upper_tail(x));
    if (x > -1.0) return log(upper_tail(-x));
    /* Three terms of one sign: M(-x) < 1. */
    return log(mills_right(-x)) - log_sqrt_two_pi - 0.5 * x * x;
}
