#include "privacy/ledger/amount.h"

#include <assert.h>
#include <math.h>

#include "numeric/outward.h"

/* Units are below 1, so the scaling multiplies: it is exact, also for subnormal values, or
 * overflows to infinity, which the comparison refuses. Above 2^53 every double is whole. */
static bool whole(double value, int unit, double (*rounding)(double), int64_t *out_amount)
{
    if (!(value >= 0.0)) return false; /* NaN too */
    const double units = rounding(ldexp(value, -unit));
    if (!(units <= 0x1p62 - 0x1p9)) return false; /* the last double below 2^62 */
    *out_amount = (int64_t)units;
    return true;
}

bool sot_amount_up(double value, int unit, int64_t *out_amount)
{
    return whole(value, unit, ceil, out_amount);
}

bool sot_amount_down(double value, int unit, int64_t *out_amount)
{
    return whole(value, unit, floor, out_amount);
}

/* Units of 10^-12 in `value`, whole where they are whole but for the rounding of doubles. */
static bool decimal(double value, double (*rounding)(double), int64_t *out_amount)
{
    if (!(value >= 0.0)) return false; /* NaN too */
    const bool up = rounding == ceil;
    const double near = value * 1e12, nearest = nearbyint(near);
    const double far = up ? sot_mul_up(value, 1e12) : sot_mul_down(value, 1e12);
    const double units = fabs(near - nearest) <= 0x1p-50 * near ? nearest : rounding(far);
    if (!(units <= 0x1p62 - 0x1p9)) return false;
    *out_amount = (int64_t)units;
    return true;
}

bool sot_decimal_up(double value, int64_t *out_amount)
{
    return decimal(value, ceil, out_amount);
}

bool sot_decimal_down(double value, int64_t *out_amount)
{
    return decimal(value, floor, out_amount);
}

/* The quotient is the nearest double, so that 10^11 units are 0.1: a value that decimal() takes back to the same units. */
double sot_decimal_value(int64_t amount)
{
    return (double)amount / 1e12;
}

bool sot_amount_add(int64_t a, int64_t b, int64_t *out_sum)
{
    assert(a >= 0 && a <= sot_amount_max && b >= 0 && b <= sot_amount_max);
    if (a > sot_amount_max - b) return false;
    *out_sum = a + b;
    return true;
}

double sot_amount_value_up(int64_t amount, int unit)
{
    double nearest = (double)amount;
    if ((int64_t)nearest < amount) nearest = sot_next_up(nearest);
    return ldexp(nearest, unit);
}

double sot_amount_value_down(int64_t amount, int unit)
{
    double nearest = (double)amount;
    if ((int64_t)nearest > amount) nearest = sot_next_down(nearest);
    return ldexp(nearest, unit);
}
