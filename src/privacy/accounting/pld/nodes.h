/* privacy/accounting/pld/nodes.h: one loss distribution on the grid, from above and from below.
 *
 * Theorem     delta(eps) = E(1 - e^eps Y_1 .. Y_T)_+, Y = e^-L, falls with every Y and is convex
 *             in it. So it can only grow if a Y is replaced by a smaller one or by a spread with
 *             the same mean. It can only fall if a Y is replaced by a larger one or by its mean
 *             over a set (pld.md, section 2). This needs no pair of distributions.
 * Upper       Connect the dots (Doroshenko, Ghazi, Kamath, Kumar & Manurangsi, PETS 2022): the mass
 *             at a loss between two nodes goes to the two, so that the mean of Y stays.
 * Lower       From the top down, each node takes the mass right above it. It also takes as much
 *             of the mass right below it as keeps the mean of Y at or under the node's own Y.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PLD_NODES_H
#define SOT_PRIVACY_ACCOUNTING_PLD_NODES_H

#include "privacy/accounting/pld/cells.h"

typedef enum sot_pld_side { SOT_PLD_UPPER = 0, SOT_PLD_LOWER = 1 } sot_pld_side;

typedef struct sot_pld_nodes {
    double *mass; /* at anchor + (first + i) spacing; doubles, exact from here on */
    size_t count;
    int64_t first;
    double anchor;
    double spacing;
    double infinite; /* mass at infinite loss: an upper bound, or 0 */
    double moved;    /* the losses are off by at most this */
    double repeat;   /* the number of compositions with itself */
} sot_pld_nodes;

/* `theta`, the exponential weight of the composition, helps to choose the better of two
 * sound ways. */
SOTTO_MUST_CHECK sotto_status sot_pld_nodes_new(const sot_pld_cells *cells,
                                                sot_pld_side side, double repeat,
                                                double theta, sot_pld_nodes *out_nodes,
                                                sotto_error *error);
void sot_pld_nodes_free(sot_pld_nodes *nodes);

/* Returns log of sum mass e^{theta loss}, rounded up (a bound on its rounding is added). `guess`
 * is within 600 of the result; otherwise the result is infinite. */
double sot_pld_nodes_log_mgf_upper(const sot_pld_nodes *nodes, double theta,
                                   double guess);

#endif
