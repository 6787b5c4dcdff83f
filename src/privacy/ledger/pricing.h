/* ledger/pricing.h: the cost of a plan in a ledger, for every member. */
#ifndef SOT_LEDGER_PRICING_H
#define SOT_LEDGER_PRICING_H

#include <stdbool.h>
#include <stdint.h>

#include "privacy/ledger/replay.h"

/* Which certified (epsilon, delta) of a run the basic member counts. */
typedef enum sot_point {
    SOT_POINT_SUM =
        0, /* of a plan whose events all have an epsilon: their sums; else as below */
    SOT_POINT_CERTIFIED = 1 /* the exact accountant's epsilon at the run's delta */
} sot_point;

/* True if the plan has an epsilon by summation: SOT_POINT_SUM then differs from
 * SOT_POINT_CERTIFIED. */
bool sot_price_has_sum(const sotto_plan *plan);

/* Prices a plan, rounded up; SOT_MISSING where a member has no price. `delta` is that of the
 * guarantee that the run certifies, for the basic member's point. SOTTO_UNSET, or more than is
 * left, lets the ledger choose. Refuses plans of another relation, plans that cost nothing, and
 * invalid sampler errors. */
SOTTO_MUST_CHECK sotto_status sot_price_plan(const sot_state *state,
                                             const sotto_plan *plan, double sampler_error,
                                             double delta, sot_point point,
                                             sot_charges *out_charges,
                                             sotto_error *error);

/* The delta that the basic member has left for points; 0: none. */
double sot_price_delta_left(const sot_state *state);

/* The same at a point whose delta is known: for rows that are there. */
SOTTO_MUST_CHECK sotto_status sot_price_plan_again(const sot_state *state,
                                                   const sotto_plan *plan,
                                                   int64_t point_delta,
                                                   sot_charges *out_charges,
                                                   sotto_error *error);

/* A row of the older form: fills in the free member's charge, and prices a run of units again as two steps. Older plans name
 * no unit and count as row-level, but for objective perturbation with the rows of a unit. */
SOTTO_MUST_CHECK sotto_status sot_price_older(const sot_state *state,
                                              const sotto_plan *plan,
                                              sot_charges *charges, bool *out_of_units,
                                              sotto_error *error);

#endif
