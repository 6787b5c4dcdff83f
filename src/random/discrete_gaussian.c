#include "random/discrete_gaussian.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/bernoulli.h"
#include "random/digits.h"

sotto_status sot_variance_at_least(double sigma, sot_ratio *out_variance,
                                   sotto_error *error)
{
    if (!(sigma >= 0x1p-10 && sigma <= 0x1p30)) { /* the negation catches NaN */
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "sigma is %g; choose the grid so that it lies between 2^-10 and 2^30", sigma);
    }
    /* sigma^2 = square 2^(2 exponent), 2^104 <= square < 2^106. */
    const sot_dyadic exact = sot_dyadic_from(sigma);
    const sot_u128 square = (sot_u128)exact.mantissa * exact.mantissa;
    const int bits_above_point = 106 + 2 * exact.exponent; /* -19 .. 62 */
    int k = 50 - bits_above_point;
    if (k < 0) k = 0;
    if (k > 50) k = 50;
    /* n = ceil(square / 2^drop); drop = -2 exponent - k is in 44 .. 74. */
    const unsigned drop = (unsigned)(-2 * exact.exponent - k);
    const sot_u128 n = (square + (((sot_u128)1 << drop) - 1)) >> drop;
    out_variance->numerator = (uint64_t)n;
    out_variance->denominator = UINT64_C(1) << k;
    return SOTTO_OK;
}

/* floor(sqrt(numerator / denominator)) + 1: the least t with t^2 > numerator / denominator. */
static uint64_t laplace_scale(sot_ratio variance)
{
    const uint64_t floor_of_variance = variance.numerator / variance.denominator;
    uint64_t t =
        (uint64_t)sqrt((double)floor_of_variance); /* at most 2^25: one off at most */
    while (t * t > floor_of_variance)
        t--;
    while ((t + 1) * (t + 1) <= floor_of_variance)
        t++;
    return t + 1;
}

/* One proposal y of discrete Laplace(t), kept with probability `exp(-(|y| - v/t)^2 / (2v))`,
 * where v = n/d: exp(-a^2 / b) with a = | |y| t d - n | and b = 2 n d t^2.
 *
 * No overflow: v >= 1 gives t <= 2 sqrt(v), so b <= 8 n^2 <= 2^103; v < 1 gives t = 1 and
 * b <= 2^101. If |y| t d < 2^63, then a < 2^63 and a^2 < 2^126. Otherwise |y| >= 2^63 / (t d),
 * which is at least 2^11 t (t^2 d <= 4 n <= 2^52, or t = 1 and d <= 2^50). Such a proposal has
 * probability below exp(-2048); dropping it moves the distribution by less than 2^-2900. */
static bool keep_proposal(sotto_rng *rng, sot_ratio variance, uint64_t t, uint64_t y)
{
    const uint64_t n = variance.numerator;
    const uint64_t d = variance.denominator;
    const sot_u128 product = (sot_u128)y * (t * d); /* t d <= 2^51 */
    if (product >> 63 != 0) return false;
    const uint64_t scaled = (uint64_t)product;
    const uint64_t a = scaled > n ? scaled - n : n - scaled;
    return sot_bernoulli_exp_unchecked(rng, (sot_u128)a * a, (sot_u128)2 * n * d * t * t);
}

sotto_status sot_discrete_gaussian_reference(sotto_rng *rng, sot_ratio variance,
                                             int64_t *out, size_t count,
                                             sotto_error *error)
{
    const uint64_t most = SOT_DISCRETE_GAUSSIAN_REFERENCE_MAX;
    if (variance.numerator == 0 || variance.denominator == 0 ||
        variance.numerator > most || variance.denominator > most ||
        variance.numerator < variance.denominator >> 20) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sigma^2 is %" PRIu64 "/%" PRIu64
                        "; give a ratio of at least 2^-20 with parts of at most 2^50",
                        variance.numerator, variance.denominator);
    }
    const uint64_t t = laplace_scale(variance);
    const sot_ratio scale = {.numerator = t, .denominator = 1};
    for (size_t i = 0; i < count; i++) {
        int64_t proposal = 0;
        do {
            proposal = sot_discrete_laplace_unchecked(rng, scale);
        } while (!keep_proposal(rng, variance, t,
                                (uint64_t)(proposal < 0 ? -proposal : proposal)));
        out[i] = proposal;
    }
    const sotto_status status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out, count * sizeof *out);
    return status;
}
