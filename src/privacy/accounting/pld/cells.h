/* privacy/accounting/pld/cells.h: one law's loss, integrated over the cells of a grid.
 *
 * Cells       Cell k covers the losses from a = anchor + k g to a + g, g half the spacing h of
 *             the grid, whose nodes are the even k. Of each cell two numbers are kept:
 *               mass = P[a <= L < a + g],  rise = E[1 - e^{a - L}; a <= L < a + g],
 *             which say how much of P and of Q it holds; both come from integrals of positive
 *             densities, never from differences of deltas, and both as brackets.
 * Meaning     The upper ends describe a law that is worse than the exact one, the lower ends
 *             one that is better, in the sense of pld.md, section 2. What lies beyond the reach
 *             of the integration is infinite loss above, and left out below.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PLD_CELLS_H
#define SOT_PRIVACY_ACCOUNTING_PLD_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "privacy/accounting/pld/distribution.h"

typedef struct sot_pld_cells {
    double anchor;   /* within half a spacing of 0 */
    double step;     /* g */
    int64_t first;   /* k of the first cell: even */
    size_t count;    /* even */
    double *mass_up; /* four arrays of `count` */
    double *rise_up;
    double *mass_down;
    double *rise_down;
    double infinite_up; /* mass beyond the grid: infinite loss */
    double moved;       /* atoms were moved to the grid by at most this much */
} sot_pld_cells;

SOTTO_MUST_CHECK sotto_status sot_pld_cells_new(const sot_pld_law *law, double spacing,
                                                sot_pld_reach reach,
                                                sot_pld_cells *out_cells,
                                                sotto_error *error);
void sot_pld_cells_free(sot_pld_cells *cells);

/* About how many cells that would be. */
double sot_pld_cells_estimate(const sot_pld_law *law, double spacing,
                              sot_pld_reach reach);

#endif
