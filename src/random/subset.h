/* random/subset.h: a uniform subset of k out of n.
 *
 * Claim       Every k-subset of {0, ..., n - 1} has probability 1 / (n choose k).
 * Exactness   Total variation zero: uniform integers only. Proof note: subset.md.
 * Timing      The hash table's probes depend on the subset. Not constant-time.
 */
#ifndef SOT_RANDOM_SUBSET_H
#define SOT_RANDOM_SUBSET_H

#include "random/rng.h"

/* Writes the subset in ascending order. Memory O(k), k (1 + log k) steps; n <= 2^63, k <= n. */
SOTTO_MUST_CHECK sotto_status sot_subset_draw(sotto_rng *rng, uint64_t n, size_t k,
                                              uint64_t *out, sotto_error *error);

#endif
