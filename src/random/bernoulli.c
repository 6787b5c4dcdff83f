#include "random/bernoulli.h"

#include <inttypes.h>

#include "base/error.h"
#include "random/digits.h"

bool sot_bernoulli_unchecked(sotto_rng *rng, sot_u128 numerator, sot_u128 denominator)
{
    assert(denominator >= 1 && numerator <= denominator);
    return sot_rng_below_wide(rng, denominator) < numerator;
}

/* exp(-g) for g = numerator / denominator in [0, 1]. The k-th coin succeeds with probability g/k;
 * it is tossed as two coins, g and 1/k, so that no product can overflow. The first failure is at an
 * odd k with probability sum over odd k of (g^(k-1)/(k-1)! - g^k/k!) = exp(-g). */
static bool exp_of_fraction(sotto_rng *rng, sot_u128 numerator, sot_u128 denominator)
{
    for (uint64_t k = 1;; k++) {
        if (!sot_bernoulli_unchecked(rng, numerator, denominator)) return k % 2 == 1;
        if (k > 1 && sot_rng_below(rng, k) != 0) return k % 2 == 1;
    }
}

bool sot_bernoulli_exp_unchecked(sotto_rng *rng, sot_u128 numerator, sot_u128 denominator)
{
    assert(denominator >= 1 && denominator >> 127 == 0);
    const sot_u128 whole = numerator / denominator;
    for (sot_u128 i = 0; i < whole; i++) {
        if (!exp_of_fraction(rng, 1, 1))
            return false; /* after e/(e-1) rounds on average */
    }
    return exp_of_fraction(rng, numerator % denominator, denominator);
}

/* A uniform number is compared with mantissa 2^exponent, 64 binary digits at a time. */
bool sot_bernoulli_double(sotto_rng *rng, double probability)
{
    assert(probability >= 0.0 && probability <= 1.0);
    if (probability == 0.0 || probability == 1.0) return probability == 1.0;
    const sot_dyadic exact = sot_dyadic_from(probability);
    for (int shift = exact.exponent + 64;; shift += 64) {
        uint64_t digits = 0; /* floor(probability 2^(64 i)) mod 2^64 */
        if (shift >= 0) {
            digits = exact.mantissa
                     << shift; /* the bits shifted out on the left were compared before */
        } else if (shift > -64) {
            digits = exact.mantissa >> -shift;
        }
        const uint64_t word = sot_rng_u64(rng);
        if (word != digits) return word < digits;
        if (shift >= 0) return false; /* all further digits are 0 */
    }
}

static sotto_status check_ratio(uint64_t numerator, uint64_t denominator,
                                sotto_error *error)
{
    if (denominator == 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "denominator is 0; give a ratio with a denominator of at least 1");
    }
    if (numerator > SOT_BERNOULLI_MAX || denominator > SOT_BERNOULLI_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "ratio %" PRIu64 "/%" PRIu64
                        " has a part above 2^62; reduce or round it",
                        numerator, denominator);
    }
    return SOTTO_OK;
}

sotto_status sot_bernoulli(sotto_rng *rng, uint64_t numerator, uint64_t denominator,
                           bool *out, sotto_error *error)
{
    sotto_status status = check_ratio(numerator, denominator, error);
    if (status != SOTTO_OK) return status;
    if (numerator > denominator) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "probability %" PRIu64 "/%" PRIu64
                        " is above 1; give a numerator of at most the denominator",
                        numerator, denominator);
    }
    const bool success = sot_bernoulli_unchecked(rng, numerator, denominator);
    status = sot_rng_check(rng, error);
    if (status == SOTTO_OK) *out = success;
    return status;
}

sotto_status sot_bernoulli_exp(sotto_rng *rng, uint64_t numerator, uint64_t denominator,
                               bool *out, sotto_error *error)
{
    sotto_status status = check_ratio(numerator, denominator, error);
    if (status != SOTTO_OK) return status;
    const bool success = sot_bernoulli_exp_unchecked(rng, numerator, denominator);
    status = sot_rng_check(rng, error);
    if (status == SOTTO_OK) *out = success;
    return status;
}
