/* privacy/accounting/objective_loss/unit_hull.h: one dominating pair for both directions of a unit, any loss of one margin.
 *
 * Theorem     The removal profile of a unit is convex in e^epsilon and bounded by a chain of one-row steps. For epsilon < 0
 *             it is the mirror image of the addition's, which has a chain too. So it is at most the lower convex envelope
 *             of both. A pair (P, Q) with that profile dominates the removal, and (Q, P) the addition. Under replace-one
 *             both directions have the same bound (frozen_slope.md, section 8).
 * Shape       Atoms on nodes. Beyond the last node of a direction its loss is that of a Gaussian release of shift A,
 *             `offset` further up and `weight` times as likely.
 * Rounding    Node values are upper bounds, their lower hull lies above a convex curve, and masses are rounded up.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_UNIT_HULL_H
#define SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_UNIT_HULL_H

#include <stdbool.h>

#include <sotto/accountant.h>

#include "privacy/accounting/objective_loss/chain.h"
#include "privacy/accounting/profile/bracket.h"

/* Cells on each side of 0. */
enum { SOT_UNIT_HULL_SIDE = 256, SOT_UNIT_HULL_NODES = 2 * SOT_UNIT_HULL_SIDE + 1 };

/* One direction of the pair. The nodes of the addition are those of the removal in reverse order, with the other sign. */
typedef struct sot_unit_side {
    double end;    /* the last node; > 0 */
    double offset; /* from `end` on: delta(epsilon) <= weight G(A, epsilon - offset) */
    double weight; /* at least 1 */
    double
        infinite; /* probability of infinite loss, where that tail is below the doubles */
    double place[SOT_UNIT_HULL_NODES]; /* losses, increasing */
    double
        mass[SOT_UNIT_HULL_NODES]; /* of the direction's first distribution, rounded up */
} sot_unit_side;

typedef struct sot_unit_hull {
    double shift;          /* A */
    sot_unit_side side[2]; /* by sot_direction */
} sot_unit_hull;

/* The steps of a unit: `rows` go (add-remove, whose other direction brings them), or `rows` come and `rows` go. */
typedef struct sot_unit {
    sot_chain chain;
    double shift; /* A of the whole unit, at least steps times chain.row.shift */
    double atom;  /* from here on the removal's profile is at most its Gaussian tail */
    uint32_t rows;
    bool is_replaced;
} sot_unit;

/* *out_hull is NULL where e^epsilon or its masses would leave the doubles. */
SOTTO_MUST_CHECK sotto_status sot_unit_hull_new(const sot_unit *unit,
                                                sot_unit_hull **out_hull,
                                                sotto_error *error);
void sot_unit_hull_free(sot_unit_hull *hull);

/* log E e^{order loss} of the pair, order > 0; infinite when it overflows. */
double sot_unit_hull_log_mgf_upper(const sot_unit_hull *hull, sot_direction direction,
                                   double order);

#endif
