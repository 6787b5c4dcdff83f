/* numeric/proportion.h: exact confidence limits of a probability from counts.
 *
 * Theorem: Clopper & Pearson, Biometrika 1934. If k of n independent trials of probability p
 * succeed, p is above the lower limit with probability at least 1 - alpha. The same holds for the
 * upper one; each by itself, so halve alpha for both. lower solves P[Bin(n, p) >= k] = alpha,
 * upper P[Bin(n, p) <= k] = alpha.
 *
 * Rounding: limits outward, tails up; the quantiles' stated errors (special.h) are taken on the
 * safe side.
 */
#ifndef SOT_NUMERIC_PROPORTION_H
#define SOT_NUMERIC_PROPORTION_H

#include <stdint.h>

/* Counts up to 2^33, n >= 1, k <= n, 0 < alpha < 1. 0 for k = 0, and 1 for k = n. */
double sot_proportion_lower(uint64_t k, uint64_t n, double alpha);
double sot_proportion_upper(uint64_t k, uint64_t n, double alpha);

/* At least P[Bin(n, p) >= k], at most 1; 0 <= p <= 1. */
double sot_binomial_tail_upper(uint64_t n, double p, uint64_t k);

#endif
