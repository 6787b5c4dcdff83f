/* random/discrete_laplace.h: two-sided geometric noise with a rational scale.
 *
 * Distribution: P(x) = (1 - r)/(1 + r) r^|x|, r = exp(-1/scale), x any integer.
 *
 * Exactness: total variation below 2^-11000 (results beyond 2^63, which become the largest
 * integers); otherwise only integers and fair coins. Proof note: discrete_laplace.md.
 *
 * Source: Canonne, Kamath & Steinke, NeurIPS 2020, Algorithm 2.
 *
 * Timing: the number of used words grows with |x| (Jin et al., S&P 2022). Not constant-time;
 * where time is observed, sample before the data are touched.
 */
#ifndef SOT_RANDOM_DISCRETE_LAPLACE_H
#define SOT_RANDOM_DISCRETE_LAPLACE_H

#include "random/rng.h"

/* A positive rational; both parts at least 1. */
typedef struct sot_ratio {
    uint64_t numerator;
    uint64_t denominator;
} sot_ratio;

/* Largest part of `scale`: 2^50. */
#define SOT_DISCRETE_LAPLACE_MAX (UINT64_C(1) << 50)

SOTTO_MUST_CHECK sotto_status sot_discrete_laplace_fill(sotto_rng *rng, sot_ratio scale,
                                                        int64_t *out, size_t count,
                                                        sotto_error *error);

/* Returns one sample; `scale` is already checked. */
int64_t sot_discrete_laplace_unchecked(sotto_rng *rng, sot_ratio scale);

#endif
