/* models/linear/rows/units.h: a row's product with theta in float, and its truncated contribution in integers.
 *
 * Portable and AVX2 give the same bits: every operation is rounded once, in an order fixed by the
 * row's length. The result of a row does not depend on its place or its neighbours.
 */
#ifndef SOT_MODELS_LINEAR_ROWS_UNITS_H
#define SOT_MODELS_LINEAR_ROWS_UNITS_H

#include "data/batches/matrix.h"

enum {
    SOT_UNITS_STEP_MOST = 128, /* rows looked at together */
    /* A contribution is at most 2^20 units per coordinate, so this many rows stay below 2^31. */
    SOT_UNITS_FLUSH_ROWS = 1024
};

typedef struct sot_units {
    /* out[i - begin] = theta.x_i */
    void (*dots)(const sot_matrix *matrix, size_t begin, size_t end, const float *theta,
                 float *out);
    /* sum[j] += trunc(slopes[i - begin] per_unit x_ij), per_unit a power of two. Dense: for at most
     * SOT_UNITS_FLUSH_ROWS rows on one sum. */
    void (*add)(const sot_matrix *matrix, size_t begin, size_t end, const float *slopes,
                float per_unit, int32_t *sum);
    /* Sparse: the same, any number of rows, where emptying all columns often would cost more. */
    void (*add_wide)(const sot_matrix *matrix, size_t begin, size_t end,
                     const float *slopes, float per_unit, int64_t *sum);
} sot_units;

const sot_units *sot_units_for(const sot_matrix *matrix);
const sot_units *sot_units_portable(const sot_matrix *matrix); /* the reference */
const sot_units *sot_units_avx2(void); /* dense; NULL where there is no AVX2 */

static inline size_t sot_units_width(const sot_matrix *matrix)
{
    if (matrix->layout != NULL) return matrix->layout->values + 1 + matrix->layout->count;
    return matrix->dense != NULL ? matrix->stride : matrix->columns;
}

/* Rows that fit the first cache together; a multiple of 8. */
size_t sot_units_step(const sot_matrix *matrix);

#endif
