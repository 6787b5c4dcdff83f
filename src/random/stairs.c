#include "random/stairs.h"

#include "random/bernoulli.h"

/* 1/e is the sum over k >= 1 of t_k = 2k/(2k+1)!, all positive (pairs of the alternating series).
 * A slot k is sampled with probability s_k >= (8/3) t_k and then accepted with (8/3) t_k / s_k:
 *     k           1       2       3, 4, ...
 *     s_k         80/90   8/90    (2/90) 2^-(k-2)
 *     accepted    1       1       2/7 times the product of 1/((i-1)(2i+1)) over i = 4 .. k
 * Together with a coin of (ratio)/(8/3) before. Every coin has small integer parts; k is
 * unbounded. */
bool sot_bernoulli_over_e(sotto_rng *rng, sot_u128 numerator, sot_u128 denominator)
{
    if (!sot_bernoulli_unchecked(rng, 3 * numerator, 8 * denominator)) return false;
    if (sot_rng_below(rng, 90) < 88) return true; /* slots 1 and 2 */
    uint64_t slot = 3;
    while ((sot_rng_u64(rng) & 1) != 0)
        slot++;
    if (sot_rng_below(rng, 7) >= 2) return false;
    for (uint64_t i = 4; i <= slot; i++) {
        if (sot_rng_below(rng, (i - 1) * (2 * i + 1)) != 0) return false;
    }
    return true;
}

static sot_u128 step_down(sot_u128 value)
{
    return (3 * value + 7) / 8;
}

sot_stairs sot_stairs_make(void)
{
    sot_stairs stairs = {.level = {SOT_STAIRS_TOP}};
    while (stairs.level[stairs.last] > 1) {
        const uint64_t above = stairs.level[stairs.last++];
        assert(stairs.last < SOT_STAIRS_ROOM);
        stairs.level[stairs.last] = (uint64_t)step_down(above);
    }
    return stairs;
}

size_t sot_stairs_step(const sot_stairs *stairs, sot_u128 scaled, sot_u128 denominator)
{
    const sot_u128 whole = sot_whole_part(scaled, denominator);
    return whole < stairs->last ? (size_t)whole : stairs->last;
}

/* One coin (level[i] / level[i+1]) / e for each whole step on the stairs, then one for
 * the rest of x. */
bool sot_stairs_keep(sotto_rng *rng, const sot_stairs *stairs, sot_u128 scaled,
                     sot_u128 denominator)
{
    const size_t down = sot_stairs_step(stairs, scaled, denominator);
    for (size_t i = 0; i < down; i++) {
        if (!sot_bernoulli_over_e(rng, stairs->level[i], stairs->level[i + 1]))
            return false;
    }
    return sot_bernoulli_exp_unchecked(rng, scaled - down * denominator, denominator);
}

sot_u128 sot_stairs_down(sot_u128 value, sot_u128 steps)
{
    for (; steps > 0 && value > 1; steps--)
        value = step_down(value);
    return value;
}

bool sot_stairs_keep_down(sotto_rng *rng, sot_u128 value, sot_u128 steps)
{
    for (; steps > 0 && value > 1; steps--) {
        const sot_u128 below = step_down(value);
        if (!sot_bernoulli_over_e(rng, value, below)) return false;
        value = below;
    }
    return sot_bernoulli_exp_unchecked(rng, steps, 1);
}

size_t sot_find_sum(const sot_u128 *sums, size_t count, sot_u128 target)
{
    size_t low = 0;
    size_t high = count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sums[middle] > target) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}
