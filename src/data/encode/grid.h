/* data/encode/grid.h: the place of a number on a public grid of cells.
 *
 * Idea: finite classes of concepts (models/concept/classes/concept.h) compare a column with
 * public thresholds, the grid's `cuts`. A feature is a column of numbers, integers or booleans
 * with its thresholds, or one value of a category. For each feature a concept sees the number of
 * thresholds at or below the cell: a whole number from 0 to cells - 1. It is a function of only
 * the record and the grid, and total.
 *
 * Public: everything in a grid comes from schema and settings, never from a row.
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
    /* For a category or boolean: the feature is 1 if the cell is `value` (for a boolean 1). Then
     * `cells` is 2, and the later fields do not count. */
    bool indicator;
    size_t value;
    uint64_t cells;      /* 2 .. SOT_CELLS_MAX */
    double lower, upper; /* finite, lower < upper */
    double missing;      /* finite: the value of NaN and infinite numbers */
    /* cells - 1 of them, ascending, finite; NULL: cells of equal width between the bounds. */
    const double *cuts;
} sot_cells_grid;

/* Returns the number of thresholds at or below `value`. With equal cells of width
 * w = (upper - lower) / cells that is floor((value - lower) / w), clipped to 0 .. cells - 1. It
 * is monotone in `value`, including rounding. w is exact for 2^bits cells, and an integer for
 * cells of width 1. Not for an indicator. */
uint32_t sot_cells_place(const sot_cells_grid *grid, double value);

/* Returns the place for a record, with any content. A feature that a record of a matrix
 * does not list is 0. */
uint32_t sot_cells_of_record(const sot_cells_grid *grid, const sot_record *record);

/* Returns the number of feature `column` in a record of a matrix. A feature that it does not list is 0. */
double sot_record_number(const sot_record *record, size_t column);

/* Returns the number at which place `place` begins, 1 .. cells - 1, up to rounding: for people. 1
 * for an indicator. */
double sot_cells_edge(const sot_cells_grid *grid, uint64_t place);

#endif
