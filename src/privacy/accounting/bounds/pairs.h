/* privacy/accounting/bounds/pairs.h: a plan as a list of (epsilon, delta) releases, for the
 * composition theorems.
 *
 * Idea        A pure event has its epsilon, an approximate event its epsilon and delta, amplified
 *             by its sampling. All others are (epsilon, delta)-DP for every delta > 0: each gets
 *             the same share of delta and is priced exactly at that share.
 * Rounding    Epsilons are rounded up. The deltas and the slack together are at most the delta
 *             given: shares are rounded down.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_BOUNDS_PAIRS_H
#define SOT_PRIVACY_ACCOUNTING_BOUNDS_PAIRS_H

#include <stdbool.h>

#include "privacy/accounting/accountants.h"

typedef struct sot_pair {
    double epsilon;
    double delta;
    double count; /* repetitions, an integer */
} sot_pair;

typedef struct sot_pairs {
    sot_pair *pair; /* one for each event of the plan */
    size_t count;
    double slack;   /* delta less all the pairs' deltas, for a theorem to spend; rounded
                     * down; negative if they exceed it */
    bool is_shared; /* some event got a share of delta */
    bool is_stated; /* every event is pure or approximate: the pairs are all it says */
} sot_pairs;

/* The pairs of a plan at `delta`. Events without a delta of their own share half of the delta
 * that the approximate events leave; the other half is slack. Without such events all of it is
 * slack. SOTTO_UNREACHABLE if nothing is left to share. Free the pairs with sot_pairs_free(). */
SOTTO_MUST_CHECK sotto_status sot_pairs_new(const sot_priced *priced, double delta,
                                            sot_pairs **out_pairs, sotto_error *error);
void sot_pairs_free(sot_pairs *pairs); /* NULL is fine */

/* The pairs as a plan of approximate events, and its compiled form. */
SOTTO_MUST_CHECK sotto_status sot_pairs_compile(const sot_pairs *pairs,
                                                sotto_adjacency adjacency,
                                                sotto_plan **out_plan,
                                                sot_composition **out_composition,
                                                sotto_error *error);

/* Finds delta at `epsilon` from a rule for epsilon at delta that decreases in delta. Returns the
 * smallest delta found whose epsilon is at most the target; 1 if there is none. Fills `out`
 * except the kernel. A failure of the rule other than SOTTO_UNREACHABLE is passed on. */
SOTTO_MUST_CHECK sotto_status sot_delta_by_search(sot_price_epsilon rule,
                                                  const sot_priced *priced,
                                                  double epsilon, sotto_account *out,
                                                  sotto_error *error);

#endif
