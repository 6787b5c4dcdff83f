/* privacy/accounting/pld/compose.h: laws on a grid, composed by FFT, and the delta of the sum.
 *
 * Idea        The masses are tilted, m e^{theta loss - kappa}, so that the sum's law is centred
 *             where delta is asked for; delta keeps its relative accuracy however small it is.
 *             The transforms of the tilted laws are raised to their counts and multiplied, and
 *             one transform goes back. On a ring of `size` nodes the far ends of the sum wrap
 *             around, which can only add to the masses.
 * Error       Four bounds go into the answers: the transforms' rounding, carried through the
 *             powers; the rounding of powers and sums; the mass beyond the ring's end and, for
 *             the lower end, what wrapped around (both by Chernoff); the losses' rounding, as a
 *             shift of epsilon. pld.md, section 5.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PLD_COMPOSE_H
#define SOT_PRIVACY_ACCOUNTING_PLD_COMPOSE_H

#include <math.h>

#include "privacy/accounting/pld/nodes.h"

/* Where to look, and how. Everything here is a choice: answers are bounds whatever it is. */
typedef struct sot_pld_view {
    double theta;                /* tilt, above 0 */
    double bottom;               /* least loss of the window */
    double spacing;              /* of the grid */
    size_t size;                 /* nodes of the ring, a power of two */
    double log_tail;             /* of the cells: distribution.h */
    double up_theta, down_theta; /* orders of the two Chernoff bounds, around theta */
    const double *guess;         /* of each law: log M at theta, up_theta, down_theta */
} sot_pld_view;

/* How far the cells of the index-th law go: of tilted losses less than `least` a part of 1e-8 is
 * left, over all releases, e^{theta least} <= 1e-8 M(theta)/T. */
static inline sot_pld_reach sot_pld_view_reach(const sot_pld_view *view,
                                               const sot_pld_law *law, size_t index)
{
    const double least = (view->guess[3 * index] - log(law->count) - 18.4) / view->theta;
    return (sot_pld_reach){.log_tail = view->log_tail, .least = least};
}

typedef struct sot_pld_curve {
    sot_pld_side side;
    double theta;
    double log_scale; /* K(theta): delta at a node is value e^{log_scale - theta loss} */
    double start;     /* loss of node 0 of the window */
    double spacing;
    size_t size;
    double *value;   /* scaled delta of the grid's law at each node */
    double noise;    /* bound on the error of one tilted mass */
    double relative; /* bound on the relative rounding of `value` */
    double wrapped;  /* bound on the tilted mass that wrapped around */
    double up_theta;
    double up_log; /* beyond the window the law has at most e^{up_log - up_theta loss} */
    double infinite; /* probability of infinite loss */
    double shift;    /* losses are off by at most this */
} sot_pld_curve;

/* Composes `count` laws. */
SOTTO_MUST_CHECK sotto_status sot_pld_compose(const sot_pld_nodes *laws, size_t count,
                                              const sot_pld_view *view, sot_pld_side side,
                                              sot_pld_curve *out_curve,
                                              sotto_error *error);
void sot_pld_curve_free(sot_pld_curve *curve);

/* A bound of delta(epsilon), from above or below as the curve's side says; in [0, 1]. */
double sot_pld_curve_delta(const sot_pld_curve *curve, double epsilon);

#endif
