#include "numeric/special.h"

#include <math.h>

#include "numeric/stirling.h"

/* From here on Stirling's formula serves, below it products. */
#define SMALL_K 10.0

static const double two_pi = 0x1.921fb54442d18p+2;

/* psi(y + 1 + m) - psi(y + 1) for y >= SHIFT, m >= 0: the asymptotic series
 *     psi(y + 1) = log y + 1/(2y) - sum_k B_2k / (2k y^2k)          (DLMF 5.11.2)
 * differenced term by term, each difference with its factor m taken out, so that nothing
 * cancels however small m is. */
static double digamma_difference(double y, double m)
{
    /* -B_2k / (2k); the next term, 1/12 y^-14, adds less than 1e-16 of the result. */
    static const double c[] = {0.0,       -1.0 / 12,  1.0 / 120,    -1.0 / 252,
                               1.0 / 240, -1.0 / 132, 691.0 / 32760};
    const double a = 1.0 / y;
    const double b = 1.0 / (y + m);
    const double b_minus_a = -a * (m * b);
    /* Horner's rule twice gives (P(b^2) - P(a^2)) / (b^2 - a^2). */
    double value = 0.0;
    double divided = 0.0;
    for (int k = 6; k >= 0; k--) {
        divided = divided * (a * a) + value;
        value = value * (b * b) + c[k];
    }
    return log1p(m * a) + b_minus_a * (0.5 + (b + a) * divided);
}

/* log C(m + f, f) for 0 <= f < 1, m >= f. The products of the gamma functions combine to
 *     C(m + f, f) = prod_{i >= 1} (1 + m f / (i (i + m + f))),
 * whose factors are all above 1. The product from SHIFT + 1 on is the exponential of the
 * integral over x from 0 to f of psi(SHIFT + 1 + x + m) - psi(SHIFT + 1 + x): a smooth
 * function whose nearest pole is SHIFT + 1 away, so 5 Gauss nodes give 1e-18. */
static double log_binomial_fraction(double m, double f)
{
    enum { SHIFT = 16, NODES = 5 };
    /* Nodes and weights on [0, 1] (Abramowitz & Stegun 25.4.30). */
    static const double nodes[NODES][2] = {
        {0x1.80498fd662cb6p-5, 0x1.e539ec36e038cp-4},
        {0x1.d89b804cc91f6p-3, 0x1.ea1da25ae415bp-3},
        {0x1.0000000000000p-1, 0x1.23456789abcdfp-2},
        {0x1.89d91feccdb82p-1, 0x1.ea1da25ae415bp-3},
        {0x1.e7fb670299d35p-1, 0x1.e539ec36e038cp-4},
    };
    if (f == 0.0) return 0.0;
    double sum = 0.0;
    for (int j = 0; j < NODES; j++)
        sum += f * nodes[j][1] * digamma_difference(SHIFT + f * nodes[j][0], m);
    for (int i = SHIFT; i > 0; i--)
        sum += log1p(m / (i + m + f) * f / i);
    return sum;
}

/* k below SMALL_K, k <= m = n - k: whole factors (1 + m / (f + i)), and the fraction. */
static double log_binomial_small(double m, double k)
{
    const double whole = floor(k);
    const double fraction = k - whole;
    double sum = log_binomial_fraction(m, fraction);
    for (double i = whole; i > 0.0; i -= 1.0)
        sum += log1p(m / (fraction + i));
    return sum;
}

/* Stirling's formula for the three factorials; the two large terms are positive. */
static double log_binomial_large(double n, double m, double k)
{
    const double entropy = k * log(n / k) - m * log1p(-k / n);
    const double errors =
        sot_stirling_error(n) - sot_stirling_error(k) - sot_stirling_error(m);
    return entropy + (errors - 0.5 * log(two_pi * k * (m / n)));
}

double sot_log_binomial(double n, double k)
{
    if (!(k >= 0.0 && n >= k) || isinf(k)) return (double)NAN;
    /* n - k is exact for k >= n / 2 (Sterbenz), and rounded, which moves the result by as
     * little, otherwise. */
    const double rest = n - k;
    const double smaller = fmin(k, rest);
    const double larger = fmax(k, rest);
    if (smaller == 0.0) return 0.0;
    if (isinf(n)) return n;
    if (smaller < SMALL_K) return log_binomial_small(larger, smaller);
    return log_binomial_large(n, larger, smaller);
}
