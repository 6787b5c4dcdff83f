/* privacy/accounting/objective_loss/loss.h: the privacy loss of objective perturbation.
 *
 * Law         Dominated, in both directions, by L with P(L > x) = min(1, m P(t > x - c)) for
 *             x >= atom, t ~ N(A^2/2, A^2), A = `shift`, m = `vertices`, c = `offset`: an atom and
 *             a tail (privacy/accounting/objective/objective.md, sections 1 and 7). For the logistic loss m = 1 and c = 0, and
 *             L = max(t, atom). The atom is at least c, and at least where m P(t > x - c) is 1.
 *             When m = 1, c = 0 and the number of rows of a unit is known too, a chain of one-row steps, each with
 *             the distribution of row_loss.h, says more about the losses below the atom: section 6. With
 *             SOTTO_FROZEN_SLOPE each step has the bounds of frozen_slope.h and row_hull.h too, also for other losses
 *             of one margin; the unit has those of chain.h and unit_hull.h. The smaller bound counts.
 * Profile     For the atom's distribution: delta(eps) = m G(A, eps - c) for eps >= atom, G the Gaussian
 *             profile, and below the chord from there to 1 at e^eps = 0:
 *             1 - e^{eps-atom} + e^{eps-atom} m G(A, atom - c).
 * Rounding    Every function returns an upper bound for the doubles it is given (privacy/accounting/objective/objective.md,
 *             Rounding). There are no lower bounds: the distributions dominate the release, no more.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_LOSS_H
#define SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_LOSS_H

#include <stdbool.h>

#include <sotto/accountant.h>

#include "privacy/accounting/objective_loss/unit_hull.h"
#include "privacy/accounting/profile/bracket.h"

/* Chains of more steps than this have no profile by frozen slopes: the search takes too long. */
enum { SOT_FROZEN_STEPS_MAX = 16 };

typedef struct sot_objective {
    double shift;        /* A = 1/noise_multiplier, rounded up */
    double atom;         /* at least 0 and the offset; with 0 it is a Gaussian release */
    double offset;       /* c, at least 0 */
    double vertices;     /* m, at least 1 */
    uint32_t rows;       /* k: of a unit; 0: not known */
    uint32_t signs;      /* is_frozen: of a slope, losses other than the logistic; or 0 */
    bool is_replaced;    /* a unit is exchanged: k rows come, then k go */
    bool is_frozen;      /* the theorem of frozen_slope.h holds for each row */
    sot_row_hull *hull;  /* of one row, owned by the composition; NULL: not computed */
    sot_unit_hull *unit; /* of a unit that has no `hull` of its own; likewise */
    double count;
} sot_objective;

/* Returns the distribution of an event of kind SOTTO_OBJECTIVE_PERTURBATION; count 1. */
sot_objective sot_objective_of(const sotto_event *event, sotto_adjacency adjacency);

/* Returns true if both are distributions of the same event, apart from count and hulls. */
bool sot_objective_equals(const sot_objective *a, const sot_objective *b);

/* Computes `hull` and `unit` where the theorem has them. Freed by sot_objective_free_hulls(). */
SOTTO_MUST_CHECK sotto_status sot_objective_add_hulls(sot_objective *objective,
                                                      sotto_error *error);
void sot_objective_free_hulls(sot_objective *objective);

/* delta(epsilon) of one release, for any real epsilon. */
double sot_objective_delta_upper(const sot_objective *objective, double epsilon);

/* The same of one direction, beside a Gaussian release with the square of mu at most `square`. Composed through the
 * pairs of the two, so that either may come first. */
double sot_objective_beside_gaussian_upper(const sot_objective *objective,
                                           sot_direction direction, double square,
                                           double epsilon);

/* True when the two directions have different bounds: one row, added or removed, with is_frozen. */
bool sot_objective_has_directions(const sot_objective *objective);

/* The row of a unit for frozen_slope.h, and an epsilon from which on its profile is Gaussian (logistic loss); is_frozen
 * only. */
sot_frozen_row sot_objective_frozen_row(const sot_objective *objective, double *out_most);

/* log of 1 - m P[t > atom - c], at most 0: the probability of the atom. */
double sot_objective_log_atom_upper(const sot_objective *objective);

/* log E e^{order L} of one release, order > 0; infinite when it overflows. */
double sot_objective_log_mgf_upper(const sot_objective *objective, double order);

#endif
