/* models/linear/rows/least_eigenvalue.h: the least eigenvalue of a symmetric matrix, with a proven error.
 *
 * Idea     Bisection: the Cholesky factor of M - t I exists just below the least eigenvalue and
 *          not above it. Rounding moves this point by very little.
 * Theorem  For a positive semidefinite M of trace at most `trace_most` the result is within
 *          resolution/2 + sot_least_eigenvalue_error() of its least eigenvalue.
 * Proof note  least_eigenvalue.md
 */
#ifndef SOT_MODELS_LINEAR_ROWS_LEAST_EIGENVALUE_H
#define SOT_MODELS_LINEAR_ROWS_LEAST_EIGENVALUE_H

#include <stddef.h>

#include <sotto/error.h>

/* `matrix` is size x size, row by row; its lower triangle is read. `floor` is a lower bound on
 * the eigenvalues: 0 for sums of squares, or -infinity to compute one. `resolution` is positive.
 * Always ends; fails only for lack of memory. */
SOTTO_MUST_CHECK sotto_status sot_least_eigenvalue(const double *matrix, size_t size,
                                                   double floor, double resolution,
                                                   double *out_least, sotto_error *error);

/* Returns the rounding part of the distance, for a floor of 0; also if `matrix` holds whole
 * numbers that were rounded to doubles. Rounded up. */
double sot_least_eigenvalue_error(size_t size, double trace_most);

#endif
