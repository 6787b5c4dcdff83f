/* ledger/relation.h: the adjacency and unit of a ledger, and the conversion of plans for others.
 *
 * Claim     ledger.md, section "Units": every charge bounds the ledger's own relation of
 *           neighbours. A plan of units in an add-remove ledger of rows costs two steps: a
 *           changed row removes its person and adds a changed person. Every other mismatch is
 *           refused.
 */
#ifndef SOT_LEDGER_RELATION_H
#define SOT_LEDGER_RELATION_H

#include "privacy/ledger/replay.h"

/* The number of the plan's neighbours between two of the ledger's: 1 or 2. SOTTO_INVALID_ARGUMENT: there is none. */
SOTTO_MUST_CHECK sotto_status sot_relation_steps(const sot_state *state,
                                                 const sotto_plan *plan, int *out_steps,
                                                 sotto_error *error);

/* A plan in two steps. `known` has the events whose price for two steps is known, as events of
 * one step. `chained` has the others, unchanged. Either may be NULL. */
typedef struct sot_two_steps {
    sotto_plan *known;
    sotto_plan *chained;
} sot_two_steps;

SOTTO_MUST_CHECK sotto_status sot_two_steps_new(const sotto_plan *plan,
                                                sot_two_steps *out_steps,
                                                sotto_error *error);
void sot_two_steps_clear(sot_two_steps *steps);

/* The Renyi divergence at `order` over two steps, and the own deltas, rounded up; infinite if there is none. */
SOTTO_MUST_CHECK sotto_status sot_two_steps_rdp(const sot_two_steps *steps, double order,
                                                double *out_rdp, double *out_delta,
                                                sotto_error *error);

/* Returns a guarantee (epsilon, delta) over two steps with a delta of at most `delta`, from one
 * of the whole plan over one step. SOTTO_UNREACHABLE if there is none. */
SOTTO_MUST_CHECK sotto_status sot_two_steps_point(const sotto_plan *plan, double delta,
                                                  double *out_epsilon, double *out_delta,
                                                  sotto_error *error);

#endif
