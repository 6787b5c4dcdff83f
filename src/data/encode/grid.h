/* data/encode/grid.h: the place of a number on a public grid of cells.
 *
 * Idea     Finite classes of concepts (models/concept/classes/concept.h) compare a column with public cuts. A feature is a
 *          column of numbers, integers or booleans with its cuts, or one value of a category. What a concept
 *          sees of a record is, feature by feature, the number of cuts at or below the cell: a whole number
 *          from 0 to cells - 1. It is a function of the record and the grid alone, and total.
 * Public   Everything in a grid comes from schema and settings, never from a row.
 */
#ifndef SOT_DATA_ENCODE_GRID_H
#define SOT_DATA_ENCODE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/schema.h>

#include "data/readers/record.h"

/* At most 2^32 cells, so that a place is a uint32_t. */
#define SOT_CELLS_MAX (UINT64_C(1) << 32)

typedef struct sot_cells_grid {
    size_t column; /* of the schema; of a matrix, the feature */
    /* Of a category or boolean: whether the cell is `value` (of a boolean 1); then `cells` is 2, and the fields behind it
     * do not count. */
    bool indicator;
    size_t value;
    uint64_t cells;      /* 2 .. SOT_CELLS_MAX */
    double lower, upper; /* finite, lower < upper */
    double missing;      /* finite: what a number that is none, or infinite, counts as */
    /* cells - 1 of them, ascending, finite; NULL: cells of equal width between the bounds. */
    const double *cuts;
} sot_cells_grid;

/* The number of cuts at or below `value`. With equal cells of width w = (upper - lower) / cells that is
 * floor((value - lower) / w), cut to 0 .. cells - 1: monotone in `value`, rounding included; w is exact for 2^bits cells,
 * and for a cell of width 1 an integer. Not of an indicator. */
uint32_t sot_cells_place(const sot_cells_grid *grid, double value);

/* Of a record, whatever it holds. What a record of a matrix does not list is 0. */
uint32_t sot_cells_of_record(const sot_cells_grid *grid, const sot_record *record);

/* The number at which place `place` begins, 1 .. cells - 1, but for rounding: for people. Of an
 * indicator 1. */
double sot_cells_edge(const sot_cells_grid *grid, uint64_t place);

#endif
