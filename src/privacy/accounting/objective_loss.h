/* accounting/objective_loss.h: the privacy loss of objective perturbation, an atom and a tail.
 *
 * Law         L = max(t, atom), t ~ N(A^2/2, A^2), A = `shift`: in both directions the release is
 *             dominated by it (objective.md, section 1). Both A and the atom make it worse, so
 *             callers round them up.
 * Profile     delta(eps) = G(A, eps) for eps >= atom, G the Gaussian profile, and below the chord
 *             from there to 1 at e^eps = 0:  1 - e^{eps-atom} + e^{eps-atom} G(A, atom).
 * Rounding    Every function returns an upper bound for the doubles it is given (objective.md,
 *             Rounding). There are no lower bounds: the law dominates the release, no more.
 */
#ifndef SOT_ACCOUNTING_OBJECTIVE_LOSS_H
#define SOT_ACCOUNTING_OBJECTIVE_LOSS_H

/* delta(epsilon) of one release, for any real epsilon. shift > 0, atom >= 0. */
double sot_objective_delta_upper(double shift, double atom, double epsilon);

/* log P[t <= atom], at most 0: how likely the loss is the atom. */
double sot_objective_log_atom_upper(double shift, double atom);

/* log E e^{order L} for order > 0; infinite when it overflows. */
double sot_objective_log_mgf_upper(double shift, double atom, double order);

#endif
