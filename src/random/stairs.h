/* random/stairs.h: integers above exp(-x), and the coins that make up for the difference.
 *
 * Idea        A choice with weights m exp(-x) is proposed with integer weights that are no less, and kept with the ratio
 *             of the two. The integers fall by 3/8 per step of 1 in x, rounded up; 3/8 > 1/e.
 * Exactness   Total variation zero: integers, comparisons and coins with rational parts. Proof note: choice.md.
 * Timing      The number of words drawn depends on x. Not constant-time.
 */
#ifndef SOT_RANDOM_STAIRS_H
#define SOT_RANDOM_STAIRS_H

#include "random/rng.h"

/* The weight lost per unit of score, numerator / denominator. A gap is below 2^64, so that
 * numerator * gap is below 2^117. */
typedef struct sot_slope {
    uint64_t numerator;   /* at most 2^53 */
    sot_u128 denominator; /* 1 .. 2^126 */
} sot_slope;

#define SOT_SLOPE_NUMERATOR_MAX   (UINT64_C(1) << 53)
#define SOT_SLOPE_DENOMINATOR_MAX ((sot_u128)1 << 126)

#define SOT_STAIRS_TOP (UINT64_C(1) << 62)
enum { SOT_STAIRS_ROOM = 48 };

/* An integer envelope of 2^62 exp(-n): level[0] = 2^62, level[n+1] = ceil(3/8 level[n]). It never
 * falls below exp(-1) level[n], until it is 1 and stays so. */
typedef struct sot_stairs {
    uint64_t level[SOT_STAIRS_ROOM];
    size_t last; /* level[last] is the first 1 */
} sot_stairs;

sot_stairs sot_stairs_make(void);

/* floor(x) of x = scaled / denominator: ten times faster when both have 64 bits, as they mostly do. */
static inline sot_u128 sot_whole_part(sot_u128 scaled, sot_u128 denominator)
{
    return (scaled | denominator) >> 64 == 0 ? (uint64_t)scaled / (uint64_t)denominator
                                             : scaled / denominator;
}

/* The step of x = scaled / denominator: min(floor(x), last). */
size_t sot_stairs_step(const sot_stairs *stairs, sot_u128 scaled, sot_u128 denominator);

/* True with probability 2^62 exp(-x) / level[step of x]. */
bool sot_stairs_keep(sotto_rng *rng, const sot_stairs *stairs, sot_u128 scaled,
                     sot_u128 denominator);

/* The same from any integer, 1 .. 2^123: 3/8 of it rounded up, `steps` times or until it is 1. */
sot_u128 sot_stairs_down(sot_u128 value, sot_u128 steps);
/* True with probability value exp(-steps) / sot_stairs_down(value, steps). */
bool sot_stairs_keep_down(sotto_rng *rng, sot_u128 value, sot_u128 steps);

/* True with probability (numerator / denominator) / e; the ratio is at most 8/3, its parts at most 2^124. */
bool sot_bernoulli_over_e(sotto_rng *rng, sot_u128 numerator, sot_u128 denominator);

/* The first i with sums[i] > target; sums does not decrease and sums[count-1] > target. */
size_t sot_find_sum(const sot_u128 *sums, size_t count, sot_u128 target);

#endif
