/* random/rounded_gaussian/rounded_gaussian.h: Gaussian noise rounded to the integers, exactly, in
 * bulk.
 *
 * Distribution: out = round(sigma Z), Z standard normal: P(out = n) is the normal probability of
 * (n - 1/2, n + 1/2) over sigma. Rounding is post-processing of a real Gaussian. So a release
 * with this noise on integer sums inherits the Gaussian mechanism's exact analysis (GDP
 * mu = sensitivity / sigma).
 *
 * Exactness: total variation at most 2^SOT_ROUNDED_GAUSSIAN_LOG2_TV a sample, far below the 2^-60
 * that the gate allows. The real Z is sampled digit by digit (random/normal.h). If the known
 * digits leave two integers possible, more are sampled. No double decides anything unless a guard
 * band shows that it must be right. Proof note: rounded_gaussian.md.
 *
 * Range: 2^-20 <= sigma <= 2^56, in units of the grid. |Z| < 44 always, so |out| < 2^62.
 *
 * Same bits: the vector code (AVX-512 or AVX2) and the portable code return the same numbers from
 * the same stream. Both return the exact rounding.
 *
 * Timing: about 3 in 100 samples leave the fast path. Not constant-time; where time is observed,
 * sample before the data are touched.
 */
#ifndef SOT_RANDOM_ROUNDED_GAUSSIAN_ROUNDED_GAUSSIAN_H
#define SOT_RANDOM_ROUNDED_GAUSSIAN_ROUNDED_GAUSSIAN_H

#include "random/rng.h"

enum { SOT_ROUNDED_GAUSSIAN_LOG2_TV = -900 };

SOTTO_MUST_CHECK sotto_status sot_rounded_gaussian_fill(sotto_rng *rng, double sigma,
                                                        int64_t *out, size_t count,
                                                        sotto_error *error);

/* The same distribution from 40 bits a number instead of 64, so other numbers from the same
 * stream. It is for long vectors, where the generator costs most, and useful for sigma <= 2^25;
 * above it this is sot_rounded_gaussian_fill(). The same bits on every machine, and for every
 * division of `count` into multiples of 256. */
SOTTO_MUST_CHECK sotto_status sot_rounded_gaussian_fill_lean(sotto_rng *rng, double sigma,
                                                             int64_t *out, size_t count,
                                                             sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_rounded_gaussian_fill_lean_portable(
    sotto_rng *rng, double sigma, int64_t *out, size_t count, sotto_error *error);

/* The same numbers without vector code. */
SOTTO_MUST_CHECK sotto_status sot_rounded_gaussian_fill_portable(
    sotto_rng *rng, double sigma, int64_t *out, size_t count, sotto_error *error);

/* The reference: the same distribution from Karney's algorithm, one number at a time. */
SOTTO_MUST_CHECK sotto_status sot_rounded_gaussian_karney(sotto_rng *rng, double sigma,
                                                          int64_t *out, size_t count,
                                                          sotto_error *error);

/* True when sot_rounded_gaussian_fill() uses vector code on this machine. */
bool sot_rounded_gaussian_is_vectorised(void);

#endif
