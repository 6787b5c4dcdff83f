/* privacy/mechanisms/best_run/run_count.h: the secret number of runs of which the best is kept. */
#ifndef SOT_PRIVACY_MECHANISMS_BEST_RUN_RUN_COUNT_H
#define SOT_PRIVACY_MECHANISMS_BEST_RUN_RUN_COUNT_H

#include <stdint.h>

#include <sotto/selection_cost.h>

#include "random/rng.h"

/* K with exactly the law that sotto_account_selection() prices. It must not leave: not in a message, a file, a
 * progress line; only the winner does. Refuses laws that take too long to draw from (means above 1e6, shapes above
 * 1e4), which nobody could run either. */
SOTTO_MUST_CHECK sotto_status sot_run_count_draw(sotto_rng *rng, const sotto_runs *runs,
                                                 uint64_t *out_count, sotto_error *error);

#endif
