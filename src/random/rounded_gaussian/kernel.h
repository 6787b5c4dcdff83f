/* random/rounded_gaussian/kernel.h: the fast path of rounded_gaussian.c, over one block.
 *
 * A kernel reads `count` random words, and writes out[i] = round(sigma Z_i) for every word that
 * decides its number. It lists the others in `out_deferred`, in order. It samples nothing and may
 * defer any number: a deferred number is finished from the same word by exact means. So deferring
 * changes the time and never the result.
 */
#ifndef SOT_RANDOM_ROUNDED_GAUSSIAN_KERNEL_H
#define SOT_RANDOM_ROUNDED_GAUSSIAN_KERNEL_H

#include "random/digits.h"
#include "random/tiles.h"

enum { SOT_ROUNDED_GAUSSIAN_BLOCK = 256 };

typedef struct sot_rounded_gaussian_task {
    const sot_tiles *tiles;
    double sigma;
    sot_dyadic exact_sigma;
} sot_rounded_gaussian_task;

typedef size_t (*sot_rounded_gaussian_kernel)(const sot_rounded_gaussian_task *task,
                                              const uint64_t *words, size_t count,
                                              int64_t *out, uint16_t *out_deferred);

/* Integers only; right for every sigma. */
size_t sot_rounded_gaussian_portable(const sot_rounded_gaussian_task *task,
                                     const uint64_t *words, size_t count, int64_t *out,
                                     uint16_t *out_deferred);

/* Four at a time in doubles with a guard band, for sigma <= 2^44; NULL where the compiler or the
 * processor lacks AVX2. */
sot_rounded_gaussian_kernel sot_rounded_gaussian_avx2(void);

/* The same, eight at a time; NULL where there is no AVX-512 (F and DQ). */
sot_rounded_gaussian_kernel sot_rounded_gaussian_avx512(void);

/* ---- lean: forty bits of each word, the others drawn when they are needed ---- */

enum { SOT_LEAN_MASKS = SOT_ROUNDED_GAUSSIAN_BLOCK / 64 };

/* A block as its bytes come from the generator: number i has 32 bits of `heads`, little-endian, and
 * 8 of `tails`. */
typedef struct sot_lean_block {
    uint32_t heads[SOT_ROUNDED_GAUSSIAN_BLOCK];
    uint8_t tails[SOT_ROUNDED_GAUSSIAN_BLOCK];
} sot_lean_block;

static inline uint32_t sot_lean_head(const sot_lean_block *block, size_t i)
{
    const uint8_t *bytes = (const uint8_t *)&block->heads[i];
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* Returns the known part of the word: its high forty bits. */
static inline uint64_t sot_lean_known(const sot_lean_block *block, size_t i)
{
    return (uint64_t)sot_lean_head(block, i) << 32 | (uint64_t)block->tails[i] << 24;
}

/* Writes out[i] for all i < SOT_ROUNDED_GAUSSIAN_BLOCK and bit i of two masks. `crossed`: the
 * entry is not quick. `open`: forty bits do not decide the rounding. One formula in doubles
 * defines `open` (rounded_gaussian.md), the same in every kernel, because the next random words
 * depend on it. */
typedef struct sot_lean_masks {
    uint64_t crossed[SOT_LEAN_MASKS], open[SOT_LEAN_MASKS];
} sot_lean_masks;

typedef void (*sot_lean_kernel)(const sot_rounded_gaussian_task *task,
                                const sot_lean_block *block, int64_t *out,
                                sot_lean_masks *out_masks);

void sot_lean_portable(const sot_rounded_gaussian_task *task, const sot_lean_block *block,
                       int64_t *out, sot_lean_masks *out_masks);
sot_lean_kernel sot_lean_avx2(void);   /* NULL where there is no AVX2 */
sot_lean_kernel sot_lean_avx512(void); /* NULL where there is no AVX-512 (F and DQ) */

/* The strips of a block, for vector kernels. One byte load a number: on the processors measured a
 * gather is slower. */
static inline void sot_lean_look_up(const sot_tiles *tiles, const uint32_t *heads,
                                    uint8_t strips[SOT_ROUNDED_GAUSSIAN_BLOCK])
{
    enum {
        SHIFT = 32 - SOT_TILES_ENTRY_BITS,
        QUARTER = SOT_ROUNDED_GAUSSIAN_BLOCK / 4 /* no neighbours: stored one by one */
    };
    const uint8_t *strip_of = tiles->strip_of;
    for (size_t i = 0; i < QUARTER; i++) {
        strips[i] = strip_of[heads[i] >> SHIFT];
        strips[i + QUARTER] = strip_of[heads[i + QUARTER] >> SHIFT];
        strips[i + 2 * QUARTER] = strip_of[heads[i + 2 * QUARTER] >> SHIFT];
        strips[i + 3 * QUARTER] = strip_of[heads[i + 3 * QUARTER] >> SHIFT];
    }
}

/* sigma |Z| lies within sigma 2^-31 (1 + 2^-16) of y = (d + 1/2) sigma 2^-30, including the
 * rounding of y. d is the strip and 24 digits of the place. */
#define SOT_LEAN_SCALE 0x1p-30
#define SOT_LEAN_GUARD 0x1.0001p-31

/* Checks the argument of all samplers of this distribution: 2^-20 <= sigma <= 2^56. */
SOTTO_MUST_CHECK sotto_status sot_rounded_gaussian_check(double sigma,
                                                         sotto_error *error);

#endif
