/* privacy/accounting/plan/closed_form.h: compositions whose profile is a finite sum of closed
 * forms.
 *
 * Theorem: the loss of an epsilon-DP release is dominated by binary randomized response, losses
 * +-epsilon (Kairouz, Oh & Viswanath, ICML 2015, Thm 3.3). Condition on the losses of all pure
 * events. One Gaussian is left (all Gaussian and GDP events merge: mu^2 adds), or one sampled
 * Gaussian, or nothing:
 *
 *     delta(eps) = sum_l P(l) delta_rest(eps - l).
 *
 * Objective perturbation has the loss max(t, atom): its Gaussian or, with probability
 * w = P[t <= atom], the atom. `(1 - e^{eps - max(t, atom) - l})_+` is at most the sum of the two,
 * so
 *
 *     delta(eps) <= delta_rest+Gaussian(eps) + w delta_rest(eps - atom).
 *
 * This is an upper bound, and an equality for a single release of this kind
 * (privacy/accounting/objective/objective.md). With m vertices and the offset c the tail above
 * the atom is m times a Gaussian's, moved up by c:
 *
 *     m delta_rest+Gaussian(eps - c) + w delta_rest(eps - atom), w = 1 - m P[t > atom - c].
 *
 * Rounding: every term is a bracket; all terms are positive, so relative errors do not grow.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PLAN_CLOSED_FORM_H
#define SOT_PRIVACY_ACCOUNTING_PLAN_CLOSED_FORM_H

#include <stdbool.h>

#include "privacy/accounting/plan/composition.h"

/* True when the lattice of pure losses is small and the rest has a closed form. */
bool sot_closed_form_covers(const sot_composition *composition);

/* True for one release of objective perturbation and negligible Gaussian noise, the events of a
 * training. The closed form is as tight as any grid, and no lower bound exists that a grid could
 * approach. */
bool sot_closed_form_is_training(const sot_composition *composition);

/* The finite part's delta at any real epsilon. */
sot_bracket sot_closed_form_delta(const sot_composition *composition,
                                  sot_direction direction, double epsilon);

#endif
