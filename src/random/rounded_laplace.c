#include "random/rounded_laplace.h"

#include "base/error.h"
#include "base/memory.h"
#include "random/exponential.h"

sotto_status sot_rounded_laplace_fill(sotto_rng *rng, double scale, int64_t *out,
                                      size_t count, sotto_error *error)
{
    if (!(scale >= 0x1p-20 && scale <= 0x1p53)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "scale is %g; give one from 2^-20 to 2^53", scale);
    }
    const sot_dyadic exact = sot_dyadic_from(scale);
    sot_digits magnitude = {0};
    for (size_t i = 0; i < count; i++) {
        sot_exponential_digits(rng, &magnitude);
        const int64_t size = sot_digits_round(rng, &magnitude, exact);
        out[i] = (sot_rng_u64(rng) & 1) != 0 ? -size : size;
    }
    sot_wipe(&magnitude, sizeof magnitude);
    const sotto_status status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out, count * sizeof *out);
    return status;
}
