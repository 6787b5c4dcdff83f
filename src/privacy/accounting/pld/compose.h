/* privacy/accounting/pld/compose.h: distributions on a grid, composed by FFT, and the delta of
 * the sum.
 *
 * Idea        The masses are weighted exponentially, m e^{theta loss - kappa}. This centres the
 *             sum at the epsilon of the question, so a tiny delta keeps its relative accuracy.
 *             The transforms of the weighted distributions are raised to their counts and
 *             multiplied, and one inverse transform gives the sum. On a ring of `size` nodes the
 *             far ends of the sum wrap around, which can only add to the masses.
 * Error       Four bounds enter the answers (pld.md, section 5). The transforms' rounding,
 *             carried through the powers. The rounding of powers and sums. The mass beyond the
 *             ring's end and, for the lower end, the wrapped mass, both by Chernoff. The losses'
 *             rounding, as a shift of epsilon.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PLD_COMPOSE_H
#define SOT_PRIVACY_ACCOUNTING_PLD_COMPOSE_H

#include <math.h>

#include "privacy/accounting/pld/nodes.h"

/* The placement of the grid. Answers are valid bounds for every choice here. */
typedef struct sot_pld_view {
    double theta;                /* exponential weight, above 0 */
    double bottom;               /* least loss of the window */
    double spacing;              /* of the grid */
    size_t size;                 /* nodes of the ring, a power of two */
    double log_tail;             /* of the cells: distribution.h */
    double up_theta, down_theta; /* orders of the two Chernoff bounds, around theta */
    const double *guess;         /* for each distribution: log M at theta, up_theta,
                                  * down_theta */
} sot_pld_view;

/* The range of the cells of the index-th distribution. The part of the weighted losses below
 * `least` is at most 1e-8 over all releases: e^{theta least} <= 1e-8 M(theta)/T. */
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
    double *value;   /* scaled delta of the grid's distribution at each node */
    double noise;    /* bound on the error of one weighted mass */
    double relative; /* bound on the relative rounding of `value` */
    double wrapped;  /* bound on the weighted mass that wrapped around */
    double up_theta;
    double up_log; /* beyond the window the tail is at most e^{up_log - up_theta loss} */
    double infinite; /* probability of infinite loss */
    double shift;    /* losses are off by at most this */
} sot_pld_curve;

/* Composes `count` distributions. */
SOTTO_MUST_CHECK sotto_status sot_pld_compose(const sot_pld_nodes *laws, size_t count,
                                              const sot_pld_view *view, sot_pld_side side,
                                              sot_pld_curve *out_curve,
                                              sotto_error *error);
void sot_pld_curve_free(sot_pld_curve *curve);

/* A bound of delta(epsilon), from above or below as the curve's side says; in [0, 1]. */
double sot_pld_curve_delta(const sot_pld_curve *curve, double epsilon);

#endif
