/* random/run_count.h: samplers of the number of runs, by distributions of random stopping.
 *
 * Distribution: truncated negative binomial (shape > -1, 0 < gamma < 1): P(k) proportional to
 * `(1 - gamma)^k prod_{l=1}^{k-1} (l + shape)/(l + 1)`, k = 1, 2, ... (1: geometric, 0:
 * logarithmic). Poisson: P(k) = e^-mean mean^k / k!, k = 0, 1, ...
 *
 * Exactness: total variation zero, for the doubles as given. Only uniform integers and coins, no
 * exp(), no log(), no table. Proof note: run_count.md.
 *
 * Timing: grows with the result. Not constant-time; the runs themselves are not either.
 */
#ifndef SOT_RANDOM_RUN_COUNT_H
#define SOT_RANDOM_RUN_COUNT_H

#include "random/rng.h"

/* The caller has checked the parameters (and their cost: run_count.md), and calls sot_rng_check()
 * before releasing the result. */
uint64_t sot_run_count_negative_binomial(sotto_rng *rng, double shape, double gamma);

/* mean >= 0; time proportional to 1 + mean. */
uint64_t sot_run_count_poisson(sotto_rng *rng, double mean);

#endif
