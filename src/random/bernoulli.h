/* random/bernoulli.h: coins with an exactly given probability.
 *
 * Exactness   Total variation zero: uniform integers and comparisons only, no rounding.
 *             Proof note: bernoulli.md.
 * Timing      The number of words drawn depends on the outcome. Not constant-time.
 */
#ifndef SOT_RANDOM_BERNOULLI_H
#define SOT_RANDOM_BERNOULLI_H

#include "random/rng.h"

/* Largest numerator and denominator that the checked functions accept. */
#define SOT_BERNOULLI_MAX (UINT64_C(1) << 62)

/* True with probability numerator / denominator; 0 <= numerator <= denominator, denominator >= 1. */
SOTTO_MUST_CHECK sotto_status sot_bernoulli(sotto_rng *rng, uint64_t numerator,
                                            uint64_t denominator, bool *out,
                                            sotto_error *error);

/* True with probability exp(-numerator / denominator); denominator >= 1. */
SOTTO_MUST_CHECK sotto_status sot_bernoulli_exp(sotto_rng *rng, uint64_t numerator,
                                                uint64_t denominator, bool *out,
                                                sotto_error *error);

/* The same for use inside samplers that have checked their input: wider, no status. The
 * denominator is at least 1 and at most 2^127. */
bool sot_bernoulli_unchecked(sotto_rng *rng, sot_u128 numerator, sot_u128 denominator);
bool sot_bernoulli_exp_unchecked(sotto_rng *rng, sot_u128 numerator,
                                 sot_u128 denominator);

/* True with probability exactly the real number that the double is, from 0 to 1. */
bool sot_bernoulli_double(sotto_rng *rng, double probability);

#endif
