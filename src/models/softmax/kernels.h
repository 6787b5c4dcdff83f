/* models/softmax/kernels.h: the frequent operations on rows: x.theta_c, and adding up multiples
 * of x, for all classes.
 *
 * Layout      Vectors have sot_softmax_length() numbers. Dense: class by class, each padded with zeros
 *             to the matrix's stride. Sparse: column by column, the classes of a column side by side.
 * Order       The result for a row depends only on that row and theta. The order of all additions
 *             is fixed, and in dense rows each product is fused with its addition. So portable
 *             and AVX2 give the same bits.
 */
#ifndef SOT_MODELS_SOFTMAX_KERNELS_H
#define SOT_MODELS_SOFTMAX_KERNELS_H

#include "data/batches/matrix.h"

enum { SOT_SOFTMAX_STEP_MOST = 64, SOT_SOFTMAX_FLUSH_ROWS = 1024 };

/* Some rows of a matrix that are looked at together. */
typedef struct sot_softmax_rows {
    const sot_matrix *matrix;
    size_t classes;
    size_t count; /* at most SOT_SOFTMAX_STEP_MOST */
    size_t at[SOT_SOFTMAX_STEP_MOST];
} sot_softmax_rows;

typedef struct sot_softmax_kernels {
    /* out[i classes + c] = x_i . theta_c */
    void (*dots)(const sot_softmax_rows *rows, const double *theta, double *out);
    /* sum_c += scales[i classes + c] x_i, in the order of the rows. */
    void (*add)(const sot_softmax_rows *rows, const double *scales, double *sum);
    /* Dense: sum_c += trunc(scales[i classes + c] x_i), each at most 2^20 in size. So
     * SOT_SOFTMAX_FLUSH_ROWS rows on one sum stay below 2^31. */
    void (*add_units)(const sot_softmax_rows *rows, const float *scales, int32_t *sum);
    /* Sparse: the same, any number of rows, where emptying all columns often would cost more. */
    void (*add_units_wide)(const sot_softmax_rows *rows, const float *scales,
                           int64_t *sum);
} sot_softmax_kernels;

/* The fastest for this matrix and processor. */
const sot_softmax_kernels *sot_softmax_kernels_for(const sot_matrix *matrix);
/* The reference. */
const sot_softmax_kernels *sot_softmax_kernels_portable(const sot_matrix *matrix);
/* Dense; NULL where the processor has no AVX2 and FMA. */
const sot_softmax_kernels *sot_softmax_kernels_avx2(void);

static inline size_t sot_softmax_length(const sot_matrix *matrix, size_t classes)
{
    return classes * (matrix->dense != NULL ? matrix->stride : matrix->columns);
}

/* The place of column j of class c in a vector. */
static inline size_t sot_softmax_place(const sot_matrix *matrix, size_t classes, size_t c,
                                       size_t j)
{
    return matrix->dense != NULL ? c * matrix->stride + j : j * classes + c;
}

/* Columns of a dense row that are added up before they join the rest: they stay in the first cache. */
enum { SOT_SOFTMAX_COLUMNS = 256 };

#endif
