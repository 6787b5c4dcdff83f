#include "models/softmax/kernels.h"

#include <math.h>

/* Four sums side by side over the columns of a block, folded as a register of four is. */
static double dense_dot(const float *x, size_t columns, const double *theta)
{
    double lanes[4] = {0.0};
    for (size_t j = 0; j < columns; j += 4) {
        for (size_t k = 0; k < 4; k++)
            lanes[k] = fma((double)x[j + k], theta[j + k], lanes[k]);
    }
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

static void dense_dots(const sot_softmax_rows *rows, const double *theta, double *out)
{
    const sot_matrix *matrix = rows->matrix;
    const size_t stride = matrix->stride;
    for (size_t i = 0; i < rows->count; i++) {
        const float *x = matrix->dense + rows->at[i] * stride;
        for (size_t c = 0; c < rows->classes; c++) {
            double sum = 0.0;
            for (size_t j = 0; j < stride; j += SOT_SOFTMAX_COLUMNS) {
                const size_t left = stride - j;
                const size_t columns =
                    left < SOT_SOFTMAX_COLUMNS ? left : SOT_SOFTMAX_COLUMNS;
                sum += dense_dot(x + j, columns, theta + c * stride + j);
            }
            out[i * rows->classes + c] = sum;
        }
    }
}

static void dense_add(const sot_softmax_rows *rows, const double *scales, double *sum)
{
    const sot_matrix *matrix = rows->matrix;
    const size_t stride = matrix->stride;
    for (size_t i = 0; i < rows->count; i++) {
        const float *x = matrix->dense + rows->at[i] * stride;
        for (size_t c = 0; c < rows->classes; c++) {
            const double scale = scales[i * rows->classes + c];
            double *line = sum + c * stride;
            for (size_t j = 0; j < stride; j++)
                line[j] = fma(scale, (double)x[j], line[j]);
        }
    }
}

static inline int32_t contribution(float scale, float x)
{
    return (int32_t)(scale * x); /* toward zero */
}

static void dense_add_units(const sot_softmax_rows *rows, const float *scales,
                            int32_t *sum)
{
    const sot_matrix *matrix = rows->matrix;
    const size_t stride = matrix->stride;
    for (size_t i = 0; i < rows->count; i++) {
        const float *x = matrix->dense + rows->at[i] * stride;
        for (size_t c = 0; c < rows->classes; c++) {
            const float scale = scales[i * rows->classes + c];
            int32_t *line = sum + c * stride;
            for (size_t j = 0; j < stride; j++)
                line[j] += contribution(scale, x[j]);
        }
    }
}

static void sparse_dots(const sot_softmax_rows *rows, const double *theta, double *out)
{
    const sot_matrix *matrix = rows->matrix;
    const size_t classes = rows->classes;
    for (size_t i = 0; i < rows->count; i++) {
        double *margins = out + i * classes;
        for (size_t c = 0; c < classes; c++)
            margins[c] = 0.0;
        const size_t last = (size_t)matrix->starts[rows->at[i] + 1];
        for (size_t k = (size_t)matrix->starts[rows->at[i]]; k < last; k++) {
            const double x = (double)matrix->values[k];
            const double *column = theta + matrix->indices[k] * classes;
            for (size_t c = 0; c < classes; c++)
                margins[c] += x * column[c];
        }
    }
}

static void sparse_add(const sot_softmax_rows *rows, const double *scales, double *sum)
{
    const sot_matrix *matrix = rows->matrix;
    const size_t classes = rows->classes;
    for (size_t i = 0; i < rows->count; i++) {
        const double *scale = scales + i * classes;
        const size_t last = (size_t)matrix->starts[rows->at[i] + 1];
        for (size_t k = (size_t)matrix->starts[rows->at[i]]; k < last; k++) {
            const double x = (double)matrix->values[k];
            double *column = sum + matrix->indices[k] * classes;
            for (size_t c = 0; c < classes; c++)
                column[c] += scale[c] * x;
        }
    }
}

static void sparse_add_units_wide(const sot_softmax_rows *rows, const float *scales,
                                  int64_t *sum)
{
    const sot_matrix *matrix = rows->matrix;
    const size_t classes = rows->classes;
    for (size_t i = 0; i < rows->count; i++) {
        const size_t last = (size_t)matrix->starts[rows->at[i] + 1];
        for (size_t k = (size_t)matrix->starts[rows->at[i]]; k < last; k++) {
            int64_t *column = sum + matrix->indices[k] * classes;
            for (size_t c = 0; c < classes; c++)
                column[c] += contribution(scales[i * classes + c], matrix->values[k]);
        }
    }
}

static const sot_softmax_kernels dense_kernels = {
    .dots = dense_dots, .add = dense_add, .add_units = dense_add_units};
static const sot_softmax_kernels sparse_kernels = {
    .dots = sparse_dots, .add = sparse_add, .add_units_wide = sparse_add_units_wide};

const sot_softmax_kernels *sot_softmax_kernels_portable(const sot_matrix *matrix)
{
    return matrix->dense != NULL ? &dense_kernels : &sparse_kernels;
}

const sot_softmax_kernels *sot_softmax_kernels_for(const sot_matrix *matrix)
{
    const sot_softmax_kernels *vector =
        matrix->dense != NULL ? sot_softmax_kernels_avx2() : NULL;
    return vector != NULL ? vector : sot_softmax_kernels_portable(matrix);
}
