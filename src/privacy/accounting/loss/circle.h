/* privacy/accounting/loss/circle.h: many releases of one distribution on a lattice, by a sum over
 * the circle.
 *
 * The counterpart of privacy/accounting/exact/contour.h, which is for losses on the whole line: a
 * table on Re t = c, for any epsilon. It is most accurate near the epsilon it was made for. The
 * transform of a lattice is periodic, so one turn is enough. Proof: loss.md
 */
#ifndef SOT_PRIVACY_ACCOUNTING_LOSS_CIRCLE_H
#define SOT_PRIVACY_ACCOUNTING_LOSS_CIRCLE_H

#include "privacy/accounting/loss/loss.h"

typedef struct sot_circle sot_circle;

/* True for discrete Laplace and Gaussian noise and randomized response. */
bool sot_circle_covers(const sot_law *law);

/* All `count` releases of the distribution; the line is placed for `epsilon` or, if that is NaN,
 * for log_delta. SOTTO_UNSUPPORTED if the turn has too many nodes. */
SOTTO_MUST_CHECK sotto_status sot_circle_new(const sot_law *law, double epsilon,
                                             double log_delta, sot_circle **out_circle,
                                             sotto_error *error);
void sot_circle_free(sot_circle *circle);

/* delta at epsilon >= 0. */
sot_bracket sot_circle_delta(const sot_circle *circle, double epsilon);

/* Renyi's bound at the order of this line: where to look for epsilon first. */
double sot_circle_epsilon_guess(const sot_circle *circle, double log_delta);

#endif
