#include "numeric/unit_roots.h"

#include <math.h>

/* pi as a sum of 29 bits and the rest: the first times up to 24 bits is exact. */
static const long double pi_high = 0x1.921fb54p+1L;
static const long double pi_low = 0x1.10b4611a62633p-29L;

/* Returns exp(-2 pi i k / size) for k <= size / 8. The angle, at most pi/4, is a sum of
 * two numbers; libm gets the first, the derivatives the second. */
static sot_complex root_in_first_octant(size_t k, size_t size)
{
    const long double turns = 2.0L * (long double)k / (long double)size; /* exact */
    const long double large = pi_high * turns;                           /* exact */
    const long double small = pi_low * turns;
    const long double angle = large + small;
    const long double rest = small - (angle - large);
    const long double c = cosl(angle);
    const long double s = sinl(angle);
    return (sot_complex){(double)(c - rest * s), -(double)(s + rest * c)};
}

void sot_fill_unit_roots(sot_complex *roots, size_t size)
{
    const size_t quarter = size / 4;
    for (size_t k = 0; 2 * k <= quarter; k++) {
        const sot_complex root = root_in_first_octant(k, size);
        roots[k] = root;
        roots[quarter - k] = (sot_complex){-root.im, -root.re};
    }
    if (quarter % 2 ==
        0) { /* an eighth turn: both parts are the double nearest to sqrt(1/2) */
        const double sqrt_half = 0x1.6a09e667f3bcdp-1;
        roots[quarter / 2] = (sot_complex){sqrt_half, -sqrt_half};
    }
}

sot_complex sot_unit_root(const sot_complex *roots, size_t size, size_t k)
{
    const size_t quarter = size / 4;
    const sot_complex root = roots[k % quarter];
    switch (k / quarter) { /* times (-i)^quadrant */
    case 0:
        return root;
    case 1:
        return (sot_complex){root.im, -root.re};
    case 2:
        return (sot_complex){-root.re, -root.im};
    default:
        return (sot_complex){-root.im, root.re};
    }
}
