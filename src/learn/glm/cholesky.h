/* glm/cholesky.h: H = L L^T for small, dense, positive definite matrices.
 *
 * Matrices are size x size, row by row; only the lower triangle is read and written.
 */
#ifndef SOT_GLM_CHOLESKY_H
#define SOT_GLM_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* L takes the place of H. False if a pivot is not positive and finite: then H is spoilt. */
bool sot_cholesky(double *matrix, size_t size);

/* Solves L L^T x = y in place. */
void sot_cholesky_solve(const double *factor, size_t size, double *inout);

/* log det H = 2 sum of log L_ii. */
double sot_cholesky_log_determinant(const double *factor, size_t size);

#endif
