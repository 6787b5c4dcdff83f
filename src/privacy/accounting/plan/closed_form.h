/* privacy/accounting/plan/closed_form.h: compositions whose profile is a finite sum of closed forms.
 *
 * Theorem     The loss of an epsilon-DP release is dominated by binary randomized response,
 *             losses +-epsilon (Kairouz, Oh & Viswanath, ICML 2015, Thm 3.3). Conditioning on
 *             the losses of all pure events leaves one Gaussian (all Gaussian and GDP events
 *             merge: mu^2 adds), or one sampled Gaussian, or nothing:
 *                 delta(eps) = sum_l P(l) delta_rest(eps - l).
 *             Objective perturbation, loss max(t, atom), is its Gaussian or, with probability
 *             w = P[t <= atom], the atom: (1 - e^{eps - max(t, atom) - l})_+ is at most the sum of
 *             the two, so  delta(eps) <= delta_rest+Gaussian(eps) + w delta_rest(eps - atom), an
 *             upper bound only, and an equality when such a release is alone (privacy/accounting/objective/objective.md). With m
 *             vertices and the offset c the tail above the atom is m times a Gaussian's, c further
 *             up: m delta_rest+Gaussian(eps - c) + w delta_rest(eps - atom), w = 1 - m P[t > atom - c].
 * Rounding    Every term is a bracket; positive terms only, so relative errors do not grow.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PLAN_CLOSED_FORM_H
#define SOT_PRIVACY_ACCOUNTING_PLAN_CLOSED_FORM_H

#include <stdbool.h>

#include "privacy/accounting/plan/composition.h"

/* True when the lattice of pure losses is small and the rest has a closed form. */
bool sot_closed_form_covers(const sot_composition *composition);

/* One release of objective perturbation beside Gaussian noise of next to nothing, which is what a training is: the closed
 * form is as sharp as any grid, and has no lower end to come near. */
bool sot_closed_form_is_training(const sot_composition *composition);

/* The finite part's delta at any real epsilon. */
sot_bracket sot_closed_form_delta(const sot_composition *composition,
                                  sot_direction direction, double epsilon);

#endif
