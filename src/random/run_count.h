/* random/run_count.h: how many runs? Draws from the laws of random stopping.
 *
 * Law         Truncated negative binomial (shape > -1, 0 < gamma < 1): P(k) proportional to
 *             (1 - gamma)^k prod_{l=1}^{k-1} (l + shape)/(l + 1), k = 1, 2, ... (1: geometric, 0: logarithmic).
 *             Poisson: P(k) = e^-mean mean^k / k!, k = 0, 1, ...
 * Exactness   Total variation zero, for the doubles as they stand: uniform integers and coins only, no exp(),
 *             no log(), no table. Proof note: run_count.md.
 * Timing      Grows with the result. Not constant-time; the runs themselves are not either.
 */
#ifndef SOT_RANDOM_RUN_COUNT_H
#define SOT_RANDOM_RUN_COUNT_H

#include "random/rng.h"

/* The caller has checked the parameters (and their cost: run_count.md), and asks sot_rng_check() before he lets
 * go of the result. */
uint64_t sot_run_count_negative_binomial(sotto_rng *rng, double shape, double gamma);

/* mean >= 0; time proportional to 1 + mean. */
uint64_t sot_run_count_poisson(sotto_rng *rng, double mean);

#endif
