#include "random/run_count.h"

#include <math.h>

#include "random/bernoulli.h"

/* True with probability (l + shape)/(l + 1), -1 < shape <= 1, l >= 1, or l = 0 and shape >= 0.
 * One of l + 1 equal parts is sampled. For shape > 0, l of them are successes and one is with
 * probability shape. For shape < 0, l - 1 are, one is except with probability -shape, and one is
 * not. */
static bool goes_on(sotto_rng *rng, double shape, uint64_t l)
{
    const uint64_t part = sot_rng_below(rng, l + 1);
    if (shape >= 0.0) return part < l || sot_bernoulli_double(rng, shape);
    if (part + 1 < l) return true;
    return part + 1 == l && !sot_bernoulli_double(rng, -shape);
}

/* Samples P(k) proportional to `(1 - gamma)^k prod_{l=first}^{k-1} (l + shape)/(l + 1)`,
 * k >= first, by steps up from `first`. Each step ends with probability gamma, or goes one up, or
 * is rejected and begins anew. */
static uint64_t walk(sotto_rng *rng, double shape, double gamma, uint64_t first)
{
    for (uint64_t k = first;;) {
        if (sot_bernoulli_double(rng, gamma)) return k;
        k = goes_on(rng, shape, k) ? k + 1 : first;
    }
}

/* For -1 < shape < 0 the product is Sibuya's distribution of index -shape: the first k = 1, 2,
 * ... where a coin of probability -shape/k succeeds. Weighted with (1 - gamma)^(k - 1): each step
 * up survives with 1 - gamma. */
static uint64_t sibuya(sotto_rng *rng, double index, double gamma)
{
    for (uint64_t k = 1;;) {
        if (sot_rng_below(rng, k) == 0 && sot_bernoulli_double(rng, index)) return k;
        k = sot_bernoulli_double(rng, gamma) ? 1 : k + 1;
    }
}

/* Not truncated, shape > 1: the sum of floor(shape) geometric numbers from 0 on and one
 * with the remaining shape. */
static uint64_t sum_from_zero(sotto_rng *rng, double shape, double gamma)
{
    const double whole = floor(shape);
    uint64_t sum = shape > whole ? walk(rng, shape - whole, gamma, 0) : 0;
    for (uint64_t i = 0; i < (uint64_t)whole; i++) {
        while (!sot_bernoulli_double(rng, gamma))
            sum++;
    }
    return sum;
}

uint64_t sot_run_count_negative_binomial(sotto_rng *rng, double shape, double gamma)
{
    assert(shape > -1.0 && gamma > 0.0 && gamma < 1.0);
    if (shape <= -0.1) return sibuya(rng, -shape, gamma);
    if (shape <= 1.0) return walk(rng, shape, gamma, 1);
    uint64_t k = 0;
    while (k == 0)
        k = sum_from_zero(rng, shape, gamma);
    return k;
}

/* P(k) = 1/(e k!). Proposals have probability 2^-(k+1). They are accepted with 1/2 at 0,
 * 1 at 1 and 2, then prod_{l=3}^k 2/l. */
static uint64_t poisson_one(sotto_rng *rng)
{
    for (;;) {
        uint64_t k = 0;
        while (sot_rng_u64(rng) >> 63 != 0)
            k++;
        bool taken = k > 0 || sot_rng_u64(rng) >> 63 != 0;
        for (uint64_t l = 3; taken && l <= k; l++)
            taken = sot_rng_below(rng, l) < 2;
        if (taken) return k;
    }
}

uint64_t sot_run_count_poisson(sotto_rng *rng, double mean)
{
    assert(mean >= 0.0 && mean < 0x1p53);
    const double whole = floor(mean);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < (uint64_t)whole; i++)
        sum += poisson_one(rng);
    /* A Poisson number of mean 1 of which each point is kept with probability p has mean p. */
    for (uint64_t left = mean > whole ? poisson_one(rng) : 0; left > 0; left--)
        sum += sot_bernoulli_double(rng, mean - whole) ? 1 : 0;
    return sum;
}
