#include "numeric/stirling.h"

#include <float.h>
#include <math.h>

/* Returns sum_{k >= 1} square^k / (2k + 1), which is atanh(r)/r - 1 at square = r^2, for
 * square <= 1/9. The remainder after 17 terms is below 1e-18. */
static double atanh_remainder(double square)
{
    double sum = 0.0;
    for (int k = 17; k > 0; k--)
        sum = square * (1.0 / (2 * k + 1) + sum);
    return sum;
}

/* stirling_error(x) - stirling_error(x + 1) = (x + 1/2) log(1 + 1/x) - 1; the product is
 * atanh(r) / r with r = 1/(2x + 1). */
static double stirling_step(double x)
{
    if (x < 1.0) return (x + 0.5) * log1p(1.0 / x) - 1.0;
    const double r = 1.0 / (2.0 * x + 1.0);
    return atanh_remainder(r * r);
}

double sot_stirling_error(double x)
{
    double steps = 0.0;
    for (; x < 10.0; x += 1.0)
        steps += stirling_step(x);
    /* Stirling's series, B_2k / (2k (2k-1) x^(2k-1)) (DLMF 5.11.1): the error is less
     * than the first term left out, 3617 / 122400 x^-15 <= 3e-17. */
    const double u = 1.0 / x;
    const double v = u * u;
    const double series =
        1.0 / 12 -
        v * (1.0 / 360 -
             v * (1.0 / 1260 -
                  v * (1.0 / 1680 - v * (1.0 / 1188 - v * (691.0 / 360360 - v / 156)))));
    return steps + u * series;
}

double sot_log_deviation(double t, double scale, double z)
{
    if (t < -0.5 || t > 1.0) {
        /* The product would lose the digits that a subnormal z still has. */
        return t - (z < DBL_MIN ? log(scale) + log(z) : log(scale * z));
    }
    /* With r = t / (2 + t), log(1 + t) = 2 atanh(r) and t - 2 r = r t. */
    const double r = t / (2.0 + t);
    return r * (t - 2.0 * atanh_remainder(r * r));
}
