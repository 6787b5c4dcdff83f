/* methods/posterior/moments.h: second moments of the rows in double-double numbers, and
 * triangular factors of them. Errors: gaussian.md.
 *
 * Matrices are lower triangles, stored row by row: row i begins at i (i + 1) / 2.
 */
#ifndef SOT_METHODS_POSTERIOR_MOMENTS_H
#define SOT_METHODS_POSTERIOR_MOMENTS_H

#include <stdbool.h>

#include "base/threads.h"
#include "data/batches/matrix.h"
#include "models/linear/losses/double_double.h"

static inline size_t sot_triangle(size_t size)
{
    return size * (size + 1) / 2;
}

/* Computes X^T X and X^T y, y the labels clipped to [-label_most, label_most]. The same
 * bits for any number of threads. */
SOTTO_MUST_CHECK sotto_status sot_moments(const sot_matrix *matrix, sot_pool *pool,
                                          double label_most, sot_twofold *out_gram,
                                          sot_twofold *out_product, sotto_error *error);

/* Additions that a term of a sum passes, for at most `rows` rows. */
double sot_moments_roundings(double rows);

/* L takes the place of H = L L^T. False if a pivot is not positive. */
bool sot_factor(sot_twofold *triangle, size_t size);
/* L v = b and L^T v = b, in place. */
void sot_factor_forward(const sot_twofold *factor, size_t size, sot_twofold *inout);
void sot_factor_back(const sot_twofold *factor, size_t size, sot_twofold *inout);

#endif
