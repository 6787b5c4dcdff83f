/* Quantiles of the normal distribution: a rough start, then two steps of Halley's
 * iteration, which cubes the error each time. The function is accurate to the last bits
 * where it is used. */
#include "numeric/special.h"

#include <math.h>

static const double sqrt_two = 0x1.6a09e667f3bcdp+0;
static const double sqrt_two_pi = 0x1.40d931ff62706p+1;
static const double pi = 0x1.921fb54442d18p+1;

/* log 2 as a sum of two doubles; adding the first to a number near -log 2 is exact
 * (Sterbenz). */
static const double log_two_high = 0x1.62e42fefa39efp-1;
static const double log_two_low = 0x1.abc9e3b39803fp-56;

/* The distribution is treated as central between these probabilities. */
#define CENTRAL_HALF_WIDTH 0.25
#define LOG_QUARTER        (-0x1.62e42fefa39efp+0) /* log(1/4) */
#define LOG_THREE_QUARTERS (-0x1.269621134db92p-2) /* log(3/4) */

/* x with Phi(x) = 1/2 + offset, |offset| <= 1/4: erf has a full relative accuracy around
 * 0, and so has x. */
static double central_quantile(double offset)
{
    /* Three terms of the Taylor series of the inverse: relative error at most 2e-3. */
    const double s = pi * offset * offset;
    double x = sqrt_two_pi * offset * (1.0 + s * (1.0 / 3.0 + s * (7.0 / 30.0)));
    for (int i = 0; i < 2; i++) {
        const double residual = 0.5 * erf(x / sqrt_two) - offset;
        const double step = residual * sqrt_two_pi * exp(0.5 * x * x); /* over phi(x) */
        x -= step / (1.0 + 0.5 * x * step);
    }
    return x;
}

/* z > 0 with log Phi(-z) = log_p, for p <= 1/4. */
static double tail_quantile(double log_p)
{
    const double t = sqrt_two * sqrt(-log_p);
    /* z = t - log(t sqrt(2 pi)) / t + ..., and the second term is below 1e-19 of the
     * first. */
    if (log_p < -1e20) return t;
    /* Abramowitz & Stegun 26.2.23: absolute error at most 4.5e-4. */
    double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int i = 0; i < 2; i++) {
        /* Halley for h(z) = log Phi(-z) - log_p: with Mills' ratio M, h' = -1/M and
         * h'' = -(1 - z M) / M^2. */
        const double h = sot_log_ndtr(-z) - log_p;
        z += h * sot_mills(z) / (1.0 + 0.5 * h * sot_mills_slope(z));
    }
    return z;
}

double sot_normal_quantile(double p)
{
    if (!(p >= 0.0 && p <= 1.0)) return (double)NAN;
    if (p == 0.0) return -(double)INFINITY;
    if (p == 1.0) return (double)INFINITY;
    /* Both subtractions are exact (Sterbenz). */
    if (fabs(p - 0.5) <= CENTRAL_HALF_WIDTH) return central_quantile(p - 0.5);
    return p < 0.5 ? -tail_quantile(log(p)) : tail_quantile(log(1.0 - p));
}

double sot_normal_quantile_log(double log_p)
{
    if (!(log_p <= 0.0)) return (double)NAN;
    if (log_p == 0.0) return (double)INFINITY;
    if (log_p < LOG_QUARTER) return isinf(log_p) ? log_p : -tail_quantile(log_p);
    if (log_p > LOG_THREE_QUARTERS) return tail_quantile(log(-expm1(log_p)));
    /* p - 1/2 = (2p - 1) / 2 = expm1(log p + log 2) / 2. */
    return central_quantile(0.5 * expm1((log_p + log_two_high) + log_two_low));
}
