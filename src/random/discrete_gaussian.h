/* random/discrete_gaussian.h: Gaussian noise on the integers.
 *
 * Distribution: P(x) proportional to exp(-x^2 / (2 sigma^2)) for integers x, sigma^2 rational. An
 * integer release of l2-sensitivity D is D^2/(2 sigma^2)-zCDP (Canonne, Kamath & Steinke, NeurIPS
 * 2020). For Gaussian DP use random/rounded_gaussian/rounded_gaussian.h: this distribution is not
 * exactly GDP.
 *
 * Exactness: reference: total variation below 2^-2000. Table: below 2^-900. Both only because
 * memory is finite; no rounded number decides. Proof note: discrete_gaussian.md.
 *
 * Timing: neither sampler is constant-time. The reference's time grows with |x| (Jin et al., S&P
 * 2022); the table's fast path (97 of 100 samples) does not depend on x.
 */
#ifndef SOT_RANDOM_DISCRETE_GAUSSIAN_H
#define SOT_RANDOM_DISCRETE_GAUSSIAN_H

#include "random/discrete_laplace.h"
#include "random/rng.h"
#include "random/tiles.h"

enum { SOT_DISCRETE_GAUSSIAN_LOG2_TV = -900 };

/* Largest part of a sigma^2: for the table, and for the reference. Sigma is at least 2^-10. */
#define SOT_DISCRETE_GAUSSIAN_MAX           (UINT64_C(1) << 62)
#define SOT_DISCRETE_GAUSSIAN_REFERENCE_MAX (UINT64_C(1) << 50)

/* Returns the smallest sigma^2 = n / 2^k that is at least the square of the double `sigma`. k is
 * such that n has at most 50 bits (62 if k = 0) and k <= 50. So noise calibrated in doubles is
 * sampled with a rational variance, never with less noise. For 2^-10 <= sigma <= 2^30; the square
 * grows by less than 2^-29 of itself. */
SOTTO_MUST_CHECK sotto_status sot_variance_at_least(double sigma, sot_ratio *out_variance,
                                                    sotto_error *error);

/* The reference, one sample at a time: discrete Laplace proposals of scale
 * floor(sigma) + 1 (Canonne, Kamath & Steinke, Algorithm 3). */
SOTTO_MUST_CHECK sotto_status sot_discrete_gaussian_reference(sotto_rng *rng,
                                                              sot_ratio variance,
                                                              int64_t *out, size_t count,
                                                              sotto_error *error);

/* A table for one variance (18 KiB, built in some 30 microseconds); read-only, so threads may
 * share it. */
typedef struct sot_discrete_gaussian sot_discrete_gaussian;

SOTTO_MUST_CHECK sotto_status sot_discrete_gaussian_new(sot_ratio variance,
                                                        sot_discrete_gaussian **out_table,
                                                        sotto_error *error);
void sot_discrete_gaussian_free(sot_discrete_gaussian *table); /* NULL is fine */

SOTTO_MUST_CHECK sotto_status
sot_discrete_gaussian_fill(const sot_discrete_gaussian *table, sotto_rng *rng,
                           int64_t *out, size_t count, sotto_error *error);

/* Returns the parts of a table, for tests against the curve: its tiles, and the number of
 * integers in a strip. */
const sot_tiles *sot_discrete_gaussian_tiles(const sot_discrete_gaussian *table,
                                             uint64_t *out_strip_width);

/* Bounds of x^2 / (2 sigma^2) for tiles.h; `point` is a sot_discrete_gaussian_point, x < 2^38. */
typedef struct sot_discrete_gaussian_point {
    sot_ratio variance;
    uint64_t x;
} sot_discrete_gaussian_point;

void sot_discrete_gaussian_exponent(sotto_rng *rng, void *point, unsigned fraction,
                                    sot_wide *out_lower, sot_wide *out_upper);

#endif
