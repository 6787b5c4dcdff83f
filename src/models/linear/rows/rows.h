/* models/linear/rows/rows.h: the two frequent operations on rows: theta.x, and adding up
 * multiples of x.
 *
 * Order       The result for a row depends only on that row and theta. The order of all additions
 *             is fixed, so portable and AVX2 give the same bits. Products are rounded, then
 *             added: no fused operation.
 * Width       Vectors have sot_rows_width() numbers: a dense row's stride, zeros behind the columns;
 *             zeros add no rounding error.
 */
#ifndef SOT_MODELS_LINEAR_ROWS_ROWS_H
#define SOT_MODELS_LINEAR_ROWS_ROWS_H

#include "base/threads.h"
#include "data/batches/matrix.h"

typedef struct sot_rows {
    /* out[i - begin] = theta.x_i for begin <= i < end. */
    void (*dots)(const sot_matrix *matrix, size_t begin, size_t end, const double *theta,
                 double *out);
    /* The same for two points that share the reading of the rows, each with the bits of `dots`; NULL: twice `dots` is as good. */
    void (*dots_of_two)(const sot_matrix *matrix, size_t begin, size_t end,
                        const double *const thetas[2], double *out_first,
                        double *out_second);
    /* sum += scales[i - begin] x_i, in the order of the rows. */
    void (*add)(const sot_matrix *matrix, size_t begin, size_t end, const double *scales,
                double *sum);
} sot_rows;

enum { SOT_PANEL = 8, SOT_PANEL_ROWS = 64 };

/* A tile of a Hessian: sum[a stride + b] += sum over `rows` of left[a] right[b], a < 4, b < 8.
 * `left` and `right` have SOT_PANEL numbers per row, one row after another. */
typedef void (*sot_tile_function)(const double *left, const double *right, size_t rows,
                                  double *sum, size_t stride);

void sot_tile_portable(const double *left, const double *right, size_t rows, double *sum,
                       size_t stride);
sot_tile_function sot_tile_avx2(void); /* NULL where the processor has no AVX2 */

/* The fastest for this matrix and processor. */
const sot_rows *sot_rows_for(const sot_matrix *matrix);

/* Kernels whose vectors have sot_rows_plain_width() numbers, one per coordinate, also for rows that are held as bins. */
const sot_rows *sot_rows_plain(const sot_matrix *matrix);

/* The reference. */
const sot_rows *sot_rows_portable(const sot_matrix *matrix);

/* For dense matrices; NULL where the processor has no AVX2. A gather is no faster than loads, so
 * there is none for sparse rows. */
const sot_rows *sot_rows_avx2(void);

static inline size_t sot_rows_width(const sot_matrix *matrix)
{
    if (matrix->layout != NULL) return matrix->layout->values + 1;
    return matrix->dense != NULL ? matrix->stride : matrix->columns;
}

static inline size_t sot_rows_plain_width(const sot_matrix *matrix)
{
    return matrix->dense != NULL ? matrix->stride : matrix->columns;
}

/* Roundings of a margin beside one per block, for rows held as bins: constant column, two halves of a sum, value. */
enum { SOT_BINS_ROUNDINGS = 4 };

/* The most terms a row's product with theta has; of bins, the roundings that a term passes. */
size_t sot_rows_terms_most(const sot_matrix *matrix);

/* Rows that fit into the L1 cache together, a multiple of 4, because they are read
 * twice. */
size_t sot_rows_step(const sot_matrix *matrix);

enum { SOT_ROWS_STEP_MOST = 256 };

/* The length of the rows, rounded up: the root of the sum of all squares, and the longest row. `numbers`
 * has room for two numbers a chunk of `chunk_rows` rows. The same bits for any number of threads. */
SOTTO_MUST_CHECK sotto_status sot_rows_measure(const sot_matrix *matrix, sot_pool *pool,
                                               size_t chunk_rows, size_t chunks,
                                               double *numbers,
                                               double *out_frobenius_upper,
                                               double *out_row_upper, sotto_error *error);

/* The sums of the chunks, in their order: chunk c's begins at sums + 2 c length. */
void sot_chunks_add_up(const double *sums, size_t chunks, size_t length, double *out);

#endif
