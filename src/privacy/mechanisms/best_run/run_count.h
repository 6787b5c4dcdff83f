/* privacy/mechanisms/best_run/run_count.h: the secret number of runs of which the best is kept. */
#ifndef SOT_PRIVACY_MECHANISMS_BEST_RUN_RUN_COUNT_H
#define SOT_PRIVACY_MECHANISMS_BEST_RUN_RUN_COUNT_H

#include <stdint.h>

#include <sotto/selection_cost.h>

#include "random/rng.h"

/* Samples K with exactly the distribution that sotto_account_selection() prices. K is secret: it
 * must not appear in a message, a file or a progress line. Refuses distributions that take too
 * long to sample from (means above 1e6, shapes above 1e4); such a number of runs is not practical
 * either. */
SOTTO_MUST_CHECK sotto_status sot_run_count_draw(sotto_rng *rng, const sotto_runs *runs,
                                                 uint64_t *out_count, sotto_error *error);

#endif
