/* The regularised incomplete beta function, after DiDonato & Morris, "Algorithm 708",
 * ACM TOMS 18 (1992) 360. */
#include "numeric/special.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "numeric/stirling.h"

static const double two_pi = 0x1.921fb54442d18p+2;

/* A point of the distribution, with values that a rounding subtraction would spoil. */
typedef struct beta_point {
    double a, b;
    double x, y; /* y = 1 - x */
    double
        distance; /* a - (a + b) x = a y - b x: the scaled distance of x below the mean */
} beta_point;

/* Returns a - a x - b x with the rounding errors of both products and both differences
 * added back. Near the mean it is a small difference of numbers as large as a, and its
 * square over a is the exponent of the result. It is good to an ulp plus a 2^-104. */
static double scaled_distance(double a, double b, double x)
{
    const double ax = a * x;
    const double bx = b * x;
    const double product_errors = fma(a, x, -ax) + fma(b, x, -bx);
    const double first = a - ax;
    const double first_error = (a - first) - ax; /* exact: a >= ax */
    const double second = first - bx;
    /* TwoSum (Knuth): no order of |first|, |bx| is known. */
    const double back = second - first;
    const double second_error = (first - (second - back)) - (bx + back);
    return second + (first_error + second_error - product_errors);
}

/* x^a y^b / B(a, b). With D = distance, sx/a = 1 - D/a and sy/b = 1 + D/b for s = a + b,
 * so Stirling's formula for B leaves
 *     sqrt(a b / (2 pi s)) exp(-a g(-D/a) - b g(D/b) + errors),
 * where g(t) = t - log(1 + t) is never negative. */
static double beta_power(const beta_point *p)
{
    const double s = p->a + p->b;
    const double exponent =
        p->a * sot_log_deviation(-p->distance / p->a, s / p->a, p->x) +
        p->b * sot_log_deviation(p->distance / p->b, s / p->b, p->y);
    const double errors =
        sot_stirling_error(s) - sot_stirling_error(p->a) - sot_stirling_error(p->b);
    return sqrt(p->a / s * (p->b / two_pi)) * exp(errors - exponent);
}

/* I_x(a, b) B(a, b) / (x^a y^b) for x at or below the mean: a continued fraction
 * (DiDonato & Morris, eq. 9) with positive terms until n > b, by the modified Lentz
 * algorithm. It takes about sqrt(max(a, b)) / 4 steps near the mean and a few dozen away
 * from it. NaN if it does not settle. */
static double beta_fraction(const beta_point *p)
{
    enum { STEPS_MAX = 5000000 };
    const double a = p->a;
    const double b = p->b;
    const double x = p->x;
    double denominator = a / (a + 1.0) * (p->distance + 1.0);
    double value = denominator;
    double c = denominator; /* ratios of successive convergents' numerators */
    double d = 0.0;         /* and, inverted, denominators */
    for (int n = 1; n <= STEPS_MAX; n++) {
        const double step = n;
        const double odd = a + 2.0 * step - 1.0;
        const double fraction = step * (b - step) / odd * x;
        const double numerator =
            (a + step - 1.0) / odd * (a + b + step - 1.0) * x * fraction;
        denominator =
            step + fraction +
            (a + step) / (odd + 2.0) * (p->distance + 1.0 + step * (1.0 + p->y));
        c = denominator + numerator / c;
        d = 1.0 / (denominator + numerator * d);
        const double change = c * d;
        value *= change;
        if (fabs(change - 1.0) <= DBL_EPSILON) return 1.0 / value;
    }
    return (double)NAN;
}

/* I_x(a, b) and 1 - I_x(a, b). The one on x's side of the mean comes from the fraction
 * and is accurate even if it is tiny. */
typedef struct beta_values {
    double lower, upper;
    double power; /* x^a y^b / B(a, b) */
} beta_values;

static beta_values beta_evaluate(double a, double b, double x)
{
    const beta_point p = {a, b, x, 1.0 - x, scaled_distance(a, b, x)};
    const beta_point mirrored = {b, a, p.y, p.x, -p.distance};
    const bool below_mean = p.distance >= 0.0;
    beta_values values = {.power = beta_power(&p)};
    /* The power underflows far from the mean only, and the value on that side with it. */
    const double smaller =
        values.power == 0.0 ? 0.0
                            : values.power * beta_fraction(below_mean ? &p : &mirrored);
    values.lower = below_mean ? smaller : 1.0 - smaller;
    values.upper = below_mean ? 1.0 - smaller : smaller;
    return values;
}

static bool are_shapes(double a, double b)
{
    return a > 0.0 && b > 0.0 && isfinite(a) && isfinite(b);
}

double sot_incomplete_beta(double a, double b, double x)
{
    if (!are_shapes(a, b) || !(x >= 0.0 && x <= 1.0)) return (double)NAN;
    if (x == 0.0 || x == 1.0) return x;
    return beta_evaluate(a, b, x).lower;
}

/* ---- the inverse ---- */

/* log I_x - log p, or log q - log(1 - I_x) if q is smaller, with its derivative in log x.
 * It is an increasing function of x, nearly linear in the tails. */
typedef struct residual {
    double value, slope;
} residual;

static residual inverse_residual(double a, double b, double x, double p, double q)
{
    const beta_values v = beta_evaluate(a, b, x);
    const double derivative = v.power / (1.0 - x); /* x dI/dx */
    if (p <= q) {
        if (v.lower == 0.0) return (residual){-(double)INFINITY, 0.0};
        return (residual){log(v.lower) - log(p), derivative / v.lower};
    }
    if (v.upper == 0.0) return (residual){(double)INFINITY, 0.0};
    return (residual){log(q) - log(v.upper), derivative / v.upper};
}

/* Returns x in [0, 1/2] with I_x(a, b) = p, where 1 - p = q and I_(1/2) >= p. Newton's
 * iteration in log x, inside a bracket that is halved, in log x, if a step leaves it. */
static double inverse_below_half(double a, double b, double p, double q)
{
    enum { STEPS_MAX = 200 };
    double low = 0.0;
    double high = 0.5;
    double x = fmin(a / (a + b), 0.5);
    double previous = (double)INFINITY;
    for (int i = 0; i < STEPS_MAX && high > DBL_TRUE_MIN; i++) {
        x = fmax(x, DBL_TRUE_MIN);
        const residual r = inverse_residual(a, b, x, p, q);
        if (isnan(r.value)) return (double)NAN;
        if (r.value == 0.0) return x;
        if (r.value > 0.0)
            high = x;
        else
            low = x;
        if (nextafter(low, high) >= high) break;

        const double step = r.slope > 0.0 ? -r.value / r.slope : (double)INFINITY;
        const double next = x * exp(step);
        if (!(next > low && next < high) && fabs(step) > 1e-9) {
            x = high > 4.0 * low ? sqrt(fmax(low, DBL_TRUE_MIN)) * sqrt(high)
                                 : 0.5 * (low + high);
            previous = (double)INFINITY;
            continue;
        }
        x = next;
        /* Converged, or down to the rounding error of the residual. */
        if (fabs(step) <= 4.0 * DBL_EPSILON) break;
        if (fabs(step) < 1e-9 && fabs(step) >= 0.5 * previous) break;
        previous = fabs(step);
    }
    return high > DBL_TRUE_MIN ? x : 0.0;
}

double sot_incomplete_beta_inverse(double a, double b, double p)
{
    if (!are_shapes(a, b) || !(p >= 0.0 && p <= 1.0)) return (double)NAN;
    if (p == 0.0 || p == 1.0) return p;
    /* The smaller of x and 1 - x is solved for: it is the one with digits to get
     * right. */
    const residual half = inverse_residual(a, b, 0.5, p, 1.0 - p);
    if (half.value >= 0.0) return inverse_below_half(a, b, p, 1.0 - p);
    return 1.0 - inverse_below_half(b, a, 1.0 - p, p);
}
