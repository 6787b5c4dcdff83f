/* models/linear/rows/bins.h: products with rows that are held as bins (data/encode/blocks.h), by look-ups.
 *
 * Idea        X = Z B. A row of Z has a 1 per block, at the value of its bin, and a 1 for the constant column. B has the
 *             segments of the feature vectors, and is never stored: a block has two numbers. X theta = Z (B theta) is one
 *             look-up per block. X^T s = B^T (Z^T s) is one addition to a histogram per block.
 * Vectors     of kernels have the values of all blocks, and one number for the constant column behind them. They are made from
 *             theta by sot_bins_expand(), and sums come back by sot_bins_collapse().
 * Rounding    Both are computed in double-double numbers and rounded once: gradient_norm.md.
 */
#ifndef SOT_MODELS_LINEAR_ROWS_BINS_H
#define SOT_MODELS_LINEAR_ROWS_BINS_H

#include <stdint.h>
#include <string.h>

#include "models/linear/rows/rows.h"
#include "models/linear/rows/units.h"

/* B theta: `values` + 1 numbers. */
void sot_bins_expand(const sot_bins_layout *layout, const double *theta, double *out);

/* B^T sums: `columns` numbers. */
void sot_bins_collapse(const sot_bins_layout *layout, const double *sums, double *out);

/* The same with the squares of B, in double: the diagonal of X^T C X from the sums of the curvatures. */
void sot_bins_collapse_squares(const sot_bins_layout *layout, const double *sums,
                               double *out);

/* From the sums of sot_units.add_wide to those of the coordinates: integers, exact. */
void sot_bins_collapse_units(const sot_bins_layout *layout, const int64_t *sums,
                             int64_t *inout_units);

/* The squared norm of every row. */
double sot_bins_squares(const sot_bins_layout *layout);

/* Coordinate `k` of the segment of a block for a bin. */
static inline float sot_bins_coordinate(const sot_bin_block *block, size_t bin, size_t k)
{
    const bool high = block->basis == SOTTO_BASIS_STEPS ? bin > k : bin == k;
    return high ? block->high : block->low;
}

static inline size_t sot_bins_at(const sot_matrix *matrix, size_t row, size_t block)
{
    const size_t place = row * matrix->layout->count + block;
    uint32_t bin;
    if (matrix->bin_bytes == 1) return matrix->bins[place];
    memcpy(&bin, matrix->bins + place * sizeof bin, sizeof bin);
    return bin;
}

/* Kernels by look-ups, and in coordinates, number by number. */
const sot_rows *sot_rows_of_bins(const sot_matrix *matrix);
const sot_rows *sot_rows_plain_of_bins(void);
const sot_units *sot_units_of_bins(void);

/* Adds c z z^T of the rows to the lower triangle of a square matrix of `values` + 1 lines, z the rows of Z. */
void sot_bins_add_products(const sot_matrix *matrix, size_t begin, size_t end,
                           const double *curvatures, double *sum);

#endif
