#include "random/choice.h"

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
        const size_t other = place + (size_t)sot_rng_below(rng, count - place);
        const size_t candidate = scratch[other];
        scratch[other] = scratch[place];
        scratch[place] = candidate;
        if (keep(rng, slope, gap_between(best, scores[candidate]))) return candidate;
    }
}

/* ---- weighted ---- */

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

size_t sot_choice_weighted(sotto_rng *rng, sot_slope slope, const int64_t *scores,
                           const uint64_t *measures, size_t count, sot_u128 *scratch)
{
    assert(count >= 1);
    const sot_stairs stairs = sot_stairs_make();
    const int64_t best = best_with_measure(scores, measures, count);
    sot_u128 total = 0; /* at most 2^62 2^62 */
    for (size_t i = 0; i < count; i++) {
        if (measures[i] > 0) {
            const size_t step = sot_stairs_step(
                &stairs, scaled(slope, gap_between(best, scores[i])), slope.denominator);
            total += (sot_u128)measures[i] * stairs.level[step];
        }
        scratch[i] = total;
    }
    assert(total >> 124 == 0 || total == (sot_u128)1 << 124);
    for (;;) {
        const sot_u128 target = sot_rng_below_wide(rng, total);
        const size_t candidate = sot_find_sum(scratch, count, target);
        const sot_u128 scaled_gap = scaled(slope, gap_between(best, scores[candidate]));
        if (sot_stairs_keep(rng, &stairs, scaled_gap, slope.denominator))
            return candidate;
    }
}
