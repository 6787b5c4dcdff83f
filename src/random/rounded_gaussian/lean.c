#include <math.h>

#include "base/memory.h"
#include "random/normal.h"
#include "random/rounded_gaussian/kernel.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

enum {
    BLOCK = SOT_ROUNDED_GAUSSIAN_BLOCK,
    KNOWN_BITS = 40,
    HEAD_PLACE_BITS = 17,  /* of the place in the head */
    HEAD_ENTRY_SHIFT = 18, /* 32 - SOT_TILES_ENTRY_BITS */
};

/* From larger ones more than 3 in 100 would stay open. */
#define LEAN_SIGMA_MOST 0x1p25

void sot_lean_portable(const sot_rounded_gaussian_task *task, const sot_lean_block *block,
                       int64_t *out, sot_lean_masks *out_masks)
{
    const sot_tiles *tiles = task->tiles;
    const double scale = task->sigma * SOT_LEAN_SCALE;
    const double settled = 0.5 - task->sigma * SOT_LEAN_GUARD;
    const double round_by = 0x1.8p52; /* y < 4 sigma: adding it rounds to an integer */
    memset(out_masks, 0, sizeof *out_masks);
    for (size_t i = 0; i < BLOCK; i++) {
        const uint32_t head = sot_lean_head(block, i);
        const uint32_t entry = head >> HEAD_ENTRY_SHIFT;
        const uint32_t place =
            (head & ((1u << HEAD_PLACE_BITS) - 1)) << 7 | (uint32_t)block->tails[i] >> 1;
        const uint32_t d = (uint32_t)tiles->strip_of[entry] << 24 | place;
        const double y = ((double)d + 0.5) * scale;
        const double nearest = (y + round_by) - round_by;
        const bool negative = (head >> HEAD_PLACE_BITS & 1) != 0;
        const uint64_t is_open = !(fabs(y - nearest) <= settled);
        out[i] = (int64_t)(negative ? -nearest : nearest);
        out_masks->open[i / 64] |= is_open << (i % 64);
        out_masks->crossed[i / 64] |= (uint64_t)(entry >= tiles->quick) << (i % 64);
    }
}

/* The number whose forty bits are known, from a word of which they are the high ones. */
static void extend(sotto_rng *rng, uint64_t known, uint32_t strip, sot_normal *normal)
{
    const uint64_t word = known | sot_rng_u64(rng) >> KNOWN_BITS;
    const uint64_t place = word & ((UINT64_C(1) << SOT_NORMAL_PLACE_BITS) - 1);
    normal->negative = (word >> SOT_NORMAL_PLACE_BITS & 1) != 0;
    normal->magnitude.word[0] = (uint64_t)strip << SOT_NORMAL_PLACE_BITS | place;
    normal->magnitude.count = 1;
}

/* Finishes a number that the kernel left open; `value` is the kernel's result from forty
 * bits. */
static int64_t finish(sotto_rng *rng, const sot_rounded_gaussian_task *task,
                      const sot_normal_chord *chords, uint64_t known, bool is_open,
                      int64_t value, sot_normal *normal)
{
    const sot_tiles *tiles = task->tiles;
    const uint32_t entry = (uint32_t)(known >> (64 - SOT_TILES_ENTRY_BITS));
    const uint32_t strip = tiles->strip_of[entry];
    if (entry >= tiles->tail) {
        sot_normal_from_word(rng, tiles, known, normal); /* it has no place in a strip */
    } else if (entry < tiles->quick) {
        extend(rng, known, strip, normal);
    } else {
        const uint64_t place = known & ((UINT64_C(1) << SOT_NORMAL_PLACE_BITS) - 1);
        const uint64_t v_word = sot_rng_u64(rng);
        const double above = sot_normal_above(&chords[strip], entry, place, v_word);
        const double error = sot_normal_chord_error(tiles);
        if (above < -error && !is_open) return value;
        bool under = above < -error;
        if (above <= error) {
            extend(rng, known, strip, normal);
            if (!under)
                under = sot_normal_decide(rng, tiles, entry, v_word, &normal->magnitude);
        }
        if (!under) sot_normal_from_word(rng, tiles, sot_rng_u64(rng), normal);
    }
    return sot_normal_round(rng, normal, task->exact_sigma);
}

static sotto_status fill(sotto_rng *rng, double sigma, sot_lean_kernel kernel,
                         int64_t *out, size_t count, sotto_error *error)
{
    const sot_rounded_gaussian_task task = {
        .tiles = sot_normal_tiles(),
        .sigma = sigma,
        .exact_sigma = sot_dyadic_from(sigma),
    };
    const sot_normal_chord *chords = sot_normal_chords();
    sot_lean_block block;
    sot_lean_masks masks;
    int64_t rest[BLOCK]; /* of a last partial block: sampled whole, then truncated */
    sot_normal normal;
    for (size_t done = 0; done < count; done += BLOCK) {
        const size_t size = count - done < BLOCK ? count - done : BLOCK;
        int64_t *to = size == BLOCK ? out + done : rest;
        sot_rng_bytes(rng, &block, sizeof block);
        kernel(&task, &block, to, &masks);
        for (size_t m = 0; m < SOT_LEAN_MASKS; m++) {
            uint64_t later = masks.open[m] | masks.crossed[m];
            for (; later != 0; later &= later - 1) {
                const unsigned bit = (unsigned)__builtin_ctzll(later);
                const size_t i = 64 * m + bit;
                const uint64_t known = sot_lean_known(&block, i);
                to[i] = finish(rng, &task, chords, known, masks.open[m] >> bit & 1, to[i],
                               &normal);
            }
        }
        if (to == rest) {
            memcpy(out + done, rest, size * sizeof *rest);
            sot_wipe(rest, sizeof rest);
        }
    }
    sot_wipe(&block, sizeof block);
    sot_wipe(&normal, sizeof normal);
    const sotto_status status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out, count * sizeof *out);
    return status;
}

sotto_status sot_rounded_gaussian_fill_lean(sotto_rng *rng, double sigma, int64_t *out,
                                            size_t count, sotto_error *error)
{
    if (!(sigma <= LEAN_SIGMA_MOST))
        return sot_rounded_gaussian_fill(rng, sigma, out, count, error);
    const sotto_status status = sot_rounded_gaussian_check(sigma, error);
    if (status != SOTTO_OK) return status;
    sot_lean_kernel kernel = sot_lean_avx512();
    if (kernel == NULL) kernel = sot_lean_avx2();
    if (kernel == NULL) kernel = sot_lean_portable;
    return fill(rng, sigma, kernel, out, count, error);
}

sotto_status sot_rounded_gaussian_fill_lean_portable(sotto_rng *rng, double sigma,
                                                     int64_t *out, size_t count,
                                                     sotto_error *error)
{
    if (!(sigma <= LEAN_SIGMA_MOST))
        return sot_rounded_gaussian_fill_portable(rng, sigma, out, count, error);
    const sotto_status status = sot_rounded_gaussian_check(sigma, error);
    if (status != SOTTO_OK) return status;
    return fill(rng, sigma, sot_lean_portable, out, count, error);
}
