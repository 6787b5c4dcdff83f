/* models/linear/rows/cholesky.h: H = L L^T for dense, positive definite matrices of up to some thousand rows.
 *
 * Matrices are size x size, row by row; only the lower triangle is read and written. Every entry
 * of L is one product, sum by sum, of two rows, in an order that depends only on the size and the
 * place. The rows are visited in tiles of four by four, which are independent sums. So the bits
 * are the same with and without vector code, and for any order of the entries.
 */
#ifndef SOT_MODELS_LINEAR_ROWS_CHOLESKY_H
#define SOT_MODELS_LINEAR_ROWS_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* L takes the place of H. False if a pivot is not positive and finite: then H is spoilt. */
bool sot_cholesky(double *matrix, size_t size);

/* Sums products of four rows with four others, over the places 0 .. count - 1, count a multiple
 * of four. out_lanes[r][c][l] is that over the places with remainder l by 4. Rows are `stride`
 * numbers apart. */
typedef void (*sot_cholesky_corner)(const double *rows, const double *above,
                                    size_t stride, size_t count,
                                    double out_lanes[4][4][4]);
void sot_cholesky_corner_portable(const double *rows, const double *above, size_t stride,
                                  size_t count, double out_lanes[4][4][4]);
sot_cholesky_corner sot_cholesky_corner_avx2(void); /* NULL where there is no AVX2 */

/* sot_cholesky() with the sums of `corner`. */
bool sot_cholesky_by(double *matrix, size_t size, sot_cholesky_corner corner);

/* Solves L L^T x = y in place. */
void sot_cholesky_solve(const double *factor, size_t size, double *inout);

/* log det H = 2 sum of log L_ii. */
double sot_cholesky_log_determinant(const double *factor, size_t size);

#endif
