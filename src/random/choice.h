/* random/choice.h: choose one of many by integer scores, with probabilities that need exp().
 *
 * Distribution, with gap_j = best score - scores[j] and x_j = slope gap_j, slope rational:
 *
 * - rejection: P(j) proportional to exp(-x_j).
 * - weighted: P(j) proportional to measures[j] exp(-x_j).
 * - permute and flip: visit in random order, take j with probability exp(-x_j).
 *
 * Exactness: total variation zero. Only uniform integers and comparisons; no exp(), no log(), no
 * normaliser. A candidate with any score keeps its exact probability. Proof note: choice.md.
 *
 * Timing: the number of used words depends on the scores. Not constant-time.
 */
#ifndef SOT_RANDOM_CHOICE_H
#define SOT_RANDOM_CHOICE_H

#include "random/stairs.h"

/* The sum of all measures may not exceed this. */
#define SOT_CHOICE_MEASURE_MAX (UINT64_C(1) << 62)

/* All three: count >= 1, any int64 scores. The caller calls sot_rng_check() before releasing the
 * result. */

/* Expected trials: count over the sum of exp(-x_j), at most `count`. */
size_t sot_choice_rejection(sotto_rng *rng, sot_slope slope, const int64_t *scores,
                            size_t count);

/* At most `count` trials. `scratch` has room for `count` numbers; afterwards it holds the part of
 * the order that was visited: wipe it. */
size_t sot_choice_permute_and_flip(sotto_rng *rng, sot_slope slope, const int64_t *scores,
                                   size_t count, size_t *scratch);

/* At least one measure is positive, their sum is at most SOT_CHOICE_MEASURE_MAX. A candidate of
 * measure 0 is never chosen and its score never read. Expected trials: below 11, for any scores.
 * `scratch` has room for `count` sums; afterwards it depends on the scores: wipe it. */
size_t sot_choice_weighted(sotto_rng *rng, sot_slope slope, const int64_t *scores,
                           const uint64_t *measures, size_t count, sot_u128 *scratch);

#endif
