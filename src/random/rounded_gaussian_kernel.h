/* random/rounded_gaussian_kernel.h: the fast path of rounded_gaussian.c, over one block.
 *
 * A kernel reads `count` random words, writes out[i] = round(sigma Z_i) for every word that settles
 * its number alone, and lists the others in `out_deferred`, in order. It draws nothing and may
 * defer as many as it likes: a deferred number is finished from the same word by exact means, so
 * what a kernel defers changes the time and never the result.
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

#endif
