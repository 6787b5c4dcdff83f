/* privacy/accounting/pld/cells.h: one loss distribution, integrated over the cells of a grid.
 *
 * Cells: cell k covers the losses from a = anchor + k g to a + g. Here g is half the spacing h of
 * the grid, whose nodes are the even k. Each cell keeps two numbers:
 *
 *     mass = P[a <= L < a + g],  rise = E[1 - e^{a - L}; a <= L < a + g],
 *
 * which determine its parts of P and of Q. Both come from integrals of positive densities, never
 * from differences of deltas, and both are brackets.
 *
 * Meaning: the upper ends describe a distribution that is worse than the exact one, in the sense
 * of pld.md, section 2. The lower ends describe a better one. The part beyond the reach of the
 * integration is infinite loss for the upper ends, and left out for the lower ends.
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
    double *mass_up; /* five arrays of `count` */
    double *rise_up;
    double *mass_down;
    double *rise_down;
    double *
        mass_most; /* upper ends of the masses in mass_down: no atom of the upper ends only */
    double infinite_up; /* mass beyond the grid: infinite loss */
    double moved;       /* atoms were moved to the grid by at most this much */
} sot_pld_cells;

SOTTO_MUST_CHECK sotto_status sot_pld_cells_new(const sot_pld_law *law, double spacing,
                                                sot_pld_reach reach,
                                                sot_pld_cells *out_cells,
                                                sotto_error *error);
void sot_pld_cells_free(sot_pld_cells *cells);

/* About the number of cells. */
double sot_pld_cells_estimate(const sot_pld_law *law, double spacing,
                              sot_pld_reach reach);

#endif
