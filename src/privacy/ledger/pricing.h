/* ledger/pricing.h: what a plan costs in a ledger. */
#ifndef SOT_LEDGER_PRICING_H
#define SOT_LEDGER_PRICING_H

#include <stdint.h>

#include "privacy/ledger/replay.h"

typedef struct sot_price {
    int64_t charge;  /* charge units, at least 1 */
    int64_t own;     /* delta units */
    int64_t sampler; /* sampler units */
} sot_price;

/* Rounded up. Refuses another adjacency, events a pure budget cannot take, plans that cost
 * nothing, and sampler errors that are no such thing. A cost beyond every budget is
 * SOTTO_BUDGET_EXCEEDED. */
SOTTO_MUST_CHECK sotto_status sot_price_plan(const sot_state *state,
                                             const sotto_plan *plan, double sampler_error,
                                             sot_price *out_price, sotto_error *error);

#endif
