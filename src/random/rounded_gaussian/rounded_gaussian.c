#include "random/rounded_gaussian/rounded_gaussian.h"

#include "base/error.h"
#include "base/memory.h"
#include "random/normal.h"
#include "random/rounded_gaussian/kernel.h"

/* With D = word[0] of the magnitude, sigma |Z| lies in [D, D + 1) mantissa 2^-point, where
 * point = 55 - exponent is in [51, 127]. D mantissa < 2^110, and with the half below 2^128. The
 * number is decided if both ends, plus one half, have the same integer part. */
size_t sot_rounded_gaussian_portable(const sot_rounded_gaussian_task *task,
                                     const uint64_t *words, size_t count, int64_t *out,
                                     uint16_t *out_deferred)
{
    const sot_tiles *tiles = task->tiles;
    const uint64_t mantissa = task->exact_sigma.mantissa;
    const unsigned point = (unsigned)(55 - task->exact_sigma.exponent);
    const sot_u128 half = (sot_u128)1 << (point - 1);
    const uint64_t place_mask = (UINT64_C(1) << SOT_NORMAL_PLACE_BITS) - 1;
    size_t deferred = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = words[i];
        const uint32_t entry = (uint32_t)(word >> (64 - SOT_TILES_ENTRY_BITS));
        const uint64_t strip = tiles->strip_of[entry];
        const uint64_t digits = (strip << SOT_NORMAL_PLACE_BITS) | (word & place_mask);
        const sot_u128 low = (sot_u128)digits * mantissa + half;
        const uint64_t rounded = (uint64_t)(low >> point);
        const uint64_t upper = (uint64_t)((low + (mantissa - 1)) >> point);
        const uint64_t minus = 0 - (word >> SOT_NORMAL_PLACE_BITS & 1);
        out[i] = (int64_t)((rounded ^ minus) - minus);
        if (entry >= tiles->quick || rounded != upper)
            out_deferred[deferred++] = (uint16_t)i;
    }
    return deferred;
}

sotto_status sot_rounded_gaussian_check(double sigma, sotto_error *error)
{
    if (sigma >= 0x1p-20 && sigma <= 0x1p56) return SOTTO_OK; /* false for NaN */
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "sigma is %g grid units; choose the grid so that it lies between 2^-20 and "
        "2^56",
        sigma);
}

static sotto_status fill(sotto_rng *rng, double sigma, sot_rounded_gaussian_kernel kernel,
                         int64_t *out, size_t count, sotto_error *error)
{
    sotto_status status = sot_rounded_gaussian_check(sigma, error);
    if (status != SOTTO_OK) return status;
    const sot_rounded_gaussian_task task = {
        .tiles = sot_normal_tiles(),
        .sigma = sigma,
        .exact_sigma = sot_dyadic_from(sigma),
    };
    uint64_t words[SOT_ROUNDED_GAUSSIAN_BLOCK];
    uint16_t deferred[SOT_ROUNDED_GAUSSIAN_BLOCK];
    sot_normal normal;
    for (size_t done = 0; done < count;) {
        const size_t left = count - done;
        const size_t block =
            left < SOT_ROUNDED_GAUSSIAN_BLOCK ? left : SOT_ROUNDED_GAUSSIAN_BLOCK;
        sot_rng_words(rng, words, block);
        const size_t open = kernel(&task, words, block, out + done, deferred);
        for (size_t i = 0; i < open; i++) {
            sot_normal_from_word(rng, task.tiles, words[deferred[i]], &normal);
            out[done + deferred[i]] = sot_normal_round(rng, &normal, task.exact_sigma);
        }
        done += block;
    }
    sot_wipe(words, sizeof words);
    sot_wipe(&normal, sizeof normal);
    status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out, count * sizeof *out);
    return status;
}

sotto_status sot_rounded_gaussian_fill(sotto_rng *rng, double sigma, int64_t *out,
                                       size_t count, sotto_error *error)
{
    sot_rounded_gaussian_kernel kernel = sot_rounded_gaussian_avx512();
    if (kernel == NULL) kernel = sot_rounded_gaussian_avx2();
    if (kernel == NULL || !(sigma <= 0x1p44)) kernel = sot_rounded_gaussian_portable;
    return fill(rng, sigma, kernel, out, count, error);
}

sotto_status sot_rounded_gaussian_fill_portable(sotto_rng *rng, double sigma,
                                                int64_t *out, size_t count,
                                                sotto_error *error)
{
    return fill(rng, sigma, sot_rounded_gaussian_portable, out, count, error);
}

sotto_status sot_rounded_gaussian_karney(sotto_rng *rng, double sigma, int64_t *out,
                                         size_t count, sotto_error *error)
{
    sotto_status status = sot_rounded_gaussian_check(sigma, error);
    if (status != SOTTO_OK) return status;
    const sot_dyadic exact_sigma = sot_dyadic_from(sigma);
    sot_normal normal;
    for (size_t i = 0; i < count; i++) {
        sot_normal_karney(rng, &normal);
        out[i] = sot_normal_round(rng, &normal, exact_sigma);
    }
    sot_wipe(&normal, sizeof normal);
    status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out, count * sizeof *out);
    return status;
}

bool sot_rounded_gaussian_is_vectorised(void)
{
    return sot_rounded_gaussian_avx512() != NULL || sot_rounded_gaussian_avx2() != NULL;
}
