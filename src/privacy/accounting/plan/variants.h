/* privacy/accounting/plan/variants.h: sampling and groups that are priced as another event.
 *
 * Theorem     - cyclic-poisson, T releases and b bands: ceil(T/b) Poisson-sampled Gaussian releases.
 *             - truncated-poisson: a Poisson-sampled release that fails with probability P[Bin(n - 1, q) >= B].
 *             - rows k: a Gaussian release of k times the norm. With Poisson sampling it is a mixture of
 *               the norms 1, ..., k with the probabilities of Bin(k, q).
 * Proof       variants.md
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PLAN_VARIANTS_H
#define SOT_PRIVACY_ACCOUNTING_PLAN_VARIANTS_H

#include <stdbool.h>

#include <sotto/accountant.h>

/* Writes the plan without variants, with `noise_multiplier` and `steps` in the open targets of those it replaces; NULL if the
 * plan has none. Free it with sotto_plan_free(). */
SOTTO_MUST_CHECK sotto_status sot_plan_without_variants(const sotto_plan *plan,
                                                        double noise_multiplier,
                                                        uint64_t steps,
                                                        sotto_plan **out_plan,
                                                        sotto_error *error);

/* The scale of discrete noise for a noise multiplier that the search tries. */
double sot_search_scale(const sotto_event *event, double noise_multiplier);

/* True if some variant is priced by a worse pair than its own. */
bool sot_plan_variants_are_loose(const sotto_plan *plan, double noise_multiplier);

#endif
