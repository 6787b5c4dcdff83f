#include "random/discrete_laplace.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/bernoulli.h"

int64_t sot_discrete_laplace_unchecked(sotto_rng *rng, sot_ratio scale)
{
    const uint64_t p = scale.numerator;
    for (;;) {
        /* u + p v is geometric with ratio exp(-1/p): v counts whole steps of exp(-1). */
        const uint64_t u = sot_rng_below(rng, p);
        if (!sot_bernoulli_exp_unchecked(rng, u, p)) continue;
        uint64_t v = 0;
        while (sot_bernoulli_exp_unchecked(rng, 1, 1))
            v++;
        /* Below 2^50 + 2^50 2^64: no overflow. */
        const sot_u128 magnitude = (u + (sot_u128)p * v) / scale.denominator;
        const bool negative = (sot_rng_u64(rng) & 1) != 0;
        if (negative && magnitude == 0) continue; /* 0 has one name, not two */
        const int64_t bounded = magnitude > INT64_MAX ? INT64_MAX : (int64_t)magnitude;
        return negative ? -bounded : bounded;
    }
}

sotto_status sot_discrete_laplace_fill(sotto_rng *rng, sot_ratio scale, int64_t *out,
                                       size_t count, sotto_error *error)
{
    if (scale.numerator == 0 || scale.denominator == 0 ||
        scale.numerator > SOT_DISCRETE_LAPLACE_MAX ||
        scale.denominator > SOT_DISCRETE_LAPLACE_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "scale is %" PRIu64 "/%" PRIu64
                        "; give a positive ratio with parts of at most 2^50",
                        scale.numerator, scale.denominator);
    }
    for (size_t i = 0; i < count; i++)
        out[i] = sot_discrete_laplace_unchecked(rng, scale);
    const sotto_status status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out, count * sizeof *out);
    return status;
}
