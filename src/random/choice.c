#include "random/choice.h"

#include "base/plant.h"
#include "random/bernoulli.h"

/* The difference of two int64 always fits 64 unsigned bits. */
static uint64_t gap_between(int64_t best, int64_t score)
{
    assert(best >= score);
    return (uint64_t)best - (uint64_t)score;
}

/* A gap as x = slope * gap = whole + part / denominator. */
static sot_u128 scaled(sot_slope slope, uint64_t gap)
{
    assert(slope.numerator <= SOT_SLOPE_NUMERATOR_MAX);
    assert(slope.denominator >= 1 && slope.denominator <= SOT_SLOPE_DENOMINATOR_MAX);
    return (sot_u128)slope.numerator * gap;
}

static bool keep(sotto_rng *rng, sot_slope slope, uint64_t gap)
{
    return sot_bernoulli_exp_unchecked(rng, scaled(slope, gap), slope.denominator);
}

static int64_t best_of(const int64_t *scores, size_t count)
{
    int64_t best = scores[0];
    for (size_t i = 1; i < count; i++) {
        if (scores[i] > best) best = scores[i];
    }
    return best;
}

size_t sot_choice_rejection(sotto_rng *rng, sot_slope slope, const int64_t *scores,
                            size_t count)
{
    assert(count >= 1);
    const int64_t best = best_of(scores, count);
    for (;;) {
        const size_t candidate = (size_t)sot_rng_below(rng, count);
        if (keep(rng, slope, gap_between(best, scores[candidate]))) return candidate;
    }
}

size_t sot_choice_permute_and_flip(sotto_rng *rng, sot_slope slope, const int64_t *scores,
                                   size_t count, size_t *scratch)
{
    assert(count >= 1);
    const int64_t best = best_of(scores, count);
    for (size_t i = 0; i < count; i++)
        scratch[i] = i;
    /* Fisher and Yates' shuffle, one place at a time, as far as it is needed. The best candidate
     * is always kept, so the loop ends in the array. */
    for (size_t place = 0;; place++) {
        assert(place < count);
        const size_t other = SOT_PLANTED(permute_and_flip_in_file_order)
                                 ? place
                                 : place + (size_t)sot_rng_below(rng, count - place);
        const size_t candidate = scratch[other];
        scratch[other] = scratch[place];
        scratch[place] = candidate;
        if (keep(rng, slope, gap_between(best, scores[candidate]))) return candidate;
    }
}

/* ---- weighted ---- */

/* 1/e = sum over k >= 1 of t_k = 2k/(2k+1)!, all positive (pairs of the alternating series). A slot k
 * is drawn with probability s_k >= (8/3) t_k and then accepted with (8/3) t_k / s_k:
 *     k           1       2       3, 4, ...
 *     s_k         80/90   8/90    (2/90) 2^-(k-2)
 *     accepted    1       1       2/7 times the product of 1/((i-1)(2i+1)) over i = 4 .. k
 * Together with a coin of (ratio)/(8/3) before. Every coin has small integer parts; k is unbounded. */
bool sot_bernoulli_over_e(sotto_rng *rng, uint64_t numerator, uint64_t denominator)
{
    if (!sot_bernoulli_unchecked(rng, (sot_u128)3 * numerator, (sot_u128)8 * denominator))
        return false;
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

/* An integer envelope of 2^62 exp(-n): level[0] = 2^62, level[n+1] = ceil(3/8 level[n]), which never
 * falls below exp(-1) level[n], until it is 1 and stays so. */
enum { LEVELS = 48 };
#define TOP_LEVEL (UINT64_C(1) << 62)

typedef struct envelope {
    uint64_t level[LEVELS];
    size_t last; /* level[last] is the first 1 */
} envelope;

static envelope make_envelope(void)
{
    envelope steps = {.level = {TOP_LEVEL}};
    while (steps.level[steps.last] > 1) {
        const uint64_t above = steps.level[steps.last++];
        assert(steps.last < LEVELS);
        steps.level[steps.last] = (uint64_t)(((sot_u128)3 * above + 7) / 8);
    }
    return steps;
}

/* True with probability 2^62 exp(-x) / level[min(floor(x), last)], x = scaled / denominator: one coin
 * (level[i] / level[i+1]) / e for each whole step on the stairs, then what is left of x. */
static bool keep_below_envelope(sotto_rng *rng, const envelope *steps,
                                sot_u128 scaled_gap, sot_u128 denominator)
{
    const sot_u128 whole = scaled_gap / denominator;
    const size_t down = whole < steps->last ? (size_t)whole : steps->last;
    for (size_t i = 0; i < down; i++) {
        if (!sot_bernoulli_over_e(rng, steps->level[i], steps->level[i + 1]))
            return false;
    }
    return sot_bernoulli_exp_unchecked(rng, scaled_gap - down * denominator, denominator);
}

/* The best score among candidates that can be chosen at all. */
static int64_t best_with_measure(const int64_t *scores, const uint64_t *measures,
                                 size_t count)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        if (measures[i] == 0) continue;
        if (best == count || scores[i] > scores[best]) best = i;
    }
    assert(best < count);
    return scores[best];
}

/* The first i with sums[i] > target; sums does not decrease and sums[count-1] > target. */
static size_t find_sum(const sot_u128 *sums, size_t count, sot_u128 target)
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

size_t sot_choice_weighted(sotto_rng *rng, sot_slope slope, const int64_t *scores,
                           const uint64_t *measures, size_t count, sot_u128 *scratch)
{
    assert(count >= 1);
    const envelope steps = make_envelope();
    const int64_t best = best_with_measure(scores, measures, count);
    sot_u128 total = 0; /* at most 2^62 2^62 */
    for (size_t i = 0; i < count; i++) {
        if (measures[i] > 0) {
            const sot_u128 whole =
                scaled(slope, gap_between(best, scores[i])) / slope.denominator;
            const size_t step = whole < steps.last ? (size_t)whole : steps.last;
            /* Planted: "exp(-45) is nothing", as with weights in floating point. */
            const bool vanishes =
                SOT_PLANTED(choice_far_cells_vanish) && step == steps.last;
            total += vanishes ? 0 : (sot_u128)measures[i] * steps.level[step];
        }
        scratch[i] = total;
    }
    assert(total >> 124 == 0 || total == (sot_u128)1 << 124);
    for (;;) {
        const sot_u128 target = sot_rng_below_wide(rng, total);
        const size_t candidate = find_sum(scratch, count, target);
        const sot_u128 scaled_gap = scaled(slope, gap_between(best, scores[candidate]));
        if (keep_below_envelope(rng, &steps, scaled_gap, slope.denominator))
            return candidate;
    }
}
