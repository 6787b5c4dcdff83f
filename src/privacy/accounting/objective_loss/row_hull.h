/* privacy/accounting/objective_loss/row_hull.h: one dominating pair for both directions of one row, logistic loss.
 *
 * Theorem     The removal profile is convex in e^epsilon, at most G(a, epsilon) for epsilon <= 0 (mirror image of the
 *             addition) and at most F(epsilon) above (frozen_slope.h). So it is at most the lower convex envelope B of
 *             the two. A pair (P, Q) with profile B dominates the removal, and (Q, P) the addition (frozen_slope.md,
 *             section 4).
 * Shape       B = G(a, .) for epsilon <= 0 and from `top` on. Between, the hull is linear in e^epsilon between nodes: the
 *             pair is a Gaussian one outside [0, top] and atoms on the nodes.
 * Rounding    Node values are upper bounds; chords between them lie above a convex curve. Every function returns an
 *             upper bound for the doubles of the row.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_ROW_HULL_H
#define SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_ROW_HULL_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/accountant.h>

#include "privacy/accounting/objective_loss/frozen_slope.h"
#include "privacy/accounting/profile/bracket.h"

/* Cells between 0 and `top`. */
enum { SOT_ROW_HULL_CELLS = 256 };

typedef struct sot_row_hull {
    sot_frozen_row row;
    double top;                             /* B(epsilon) = G(a, epsilon) from here on */
    double place[SOT_ROW_HULL_CELLS + 1];   /* epsilon of the nodes: from 0 to top */
    double value[SOT_ROW_HULL_CELLS + 1];   /* B there, rounded up, on the hull */
    bool is_vertex[SOT_ROW_HULL_CELLS + 1]; /* where the slope in e^epsilon changes */
    double
        left[SOT_ROW_HULL_CELLS]; /* of each cell: B - G at its ends, at most: B less */
    double right[SOT_ROW_HULL_CELLS]; /* the tangent of G at the middle */
} sot_row_hull;

/* Beyond this e^epsilon nears the end of the doubles, and masses could be lost: no hull for an event with a larger `most`. */
#define SOT_ROW_HULL_MOST 300.0

/* `most` is an epsilon from which on F = G(a, .): max(0, rho - a^2/2), rounded up; at most SOT_ROW_HULL_MOST for masses. */
SOTTO_MUST_CHECK sotto_status sot_row_hull_new(const sot_frozen_row *row, double most,
                                               sot_row_hull **out_hull,
                                               sotto_error *error);
void sot_row_hull_free(sot_row_hull *hull);

/* B(epsilon), for any real epsilon. */
double sot_row_hull_delta_upper(const sot_row_hull *hull, double epsilon);

/* The same without a search: the chord between two nodes. */
double sot_row_hull_chord_upper(const sot_row_hull *hull, double epsilon);

/* log E e^{order loss} of the pair, order > 0; infinite when it overflows. */
double sot_row_hull_log_mgf_upper(const sot_row_hull *hull, sot_direction direction,
                                  double order);

/* The pair's second distribution Q at node i: the change of slope of the hull there, rounded up; the first one is
 * e^place times that. Outside [0, top] the pair is the Gaussian one (frozen_slope.md, section 5). */
double sot_row_hull_mass_upper(const sot_row_hull *hull, size_t i);

/* The number of times that the Gaussian line beyond node i (0 or the last) is to be taken, at least once, so that its profile reaches the
 * node's value, which was rounded up. */
double sot_row_hull_weight_upper(const sot_row_hull *hull, size_t i);

#endif
