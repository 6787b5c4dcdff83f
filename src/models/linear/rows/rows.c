#include "models/linear/rows/rows.h"

#include "models/linear/rows/bins.h"

/* Sixteen sums side by side, folded in a fixed order; the AVX2 version folds four registers. */
static double dense_dot(const float *row, size_t stride, const double *theta)
{
    double lanes[SOT_MATRIX_LANES] = {0.0};
    for (size_t j = 0; j < stride; j += SOT_MATRIX_LANES) {
        for (size_t k = 0; k < SOT_MATRIX_LANES; k++)
            lanes[k] += (double)row[j + k] * theta[j + k];
    }
    double quarter[4];
    for (size_t k = 0; k < 4; k++)
        quarter[k] = (lanes[k] + lanes[k + 4]) + (lanes[k + 8] + lanes[k + 12]);
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

static void dense_dots(const sot_matrix *matrix, size_t begin, size_t end,
                       const double *theta, double *out)
{
    for (size_t i = begin; i < end; i++)
        out[i - begin] =
            dense_dot(matrix->dense + i * matrix->stride, matrix->stride, theta);
}

static void dense_add(const sot_matrix *matrix, size_t begin, size_t end,
                      const double *scales, double *sum)
{
    for (size_t i = begin; i < end; i++) {
        const float *row = matrix->dense + i * matrix->stride;
        const double scale = scales[i - begin];
        for (size_t j = 0; j < matrix->stride; j++)
            sum[j] += scale * (double)row[j];
    }
}

/* Two sums, of the even and the odd entries: half the time spent waiting for additions. */
static void sparse_dots(const sot_matrix *matrix, size_t begin, size_t end,
                        const double *theta, double *out)
{
    for (size_t i = begin; i < end; i++) {
        const size_t last = (size_t)matrix->starts[i + 1];
        double even = 0.0;
        double odd = 0.0;
        size_t k = (size_t)matrix->starts[i];
        for (; k + 1 < last; k += 2) {
            even += (double)matrix->values[k] * theta[matrix->indices[k]];
            odd += (double)matrix->values[k + 1] * theta[matrix->indices[k + 1]];
        }
        if (k < last) even += (double)matrix->values[k] * theta[matrix->indices[k]];
        out[i - begin] = even + odd;
    }
}

static void sparse_add(const sot_matrix *matrix, size_t begin, size_t end,
                       const double *scales, double *sum)
{
    for (size_t i = begin; i < end; i++) {
        const size_t last = (size_t)matrix->starts[i + 1];
        const double scale = scales[i - begin];
        for (size_t k = (size_t)matrix->starts[i]; k < last; k++)
            sum[matrix->indices[k]] += scale * (double)matrix->values[k];
    }
}

static const sot_rows dense_rows = {.dots = dense_dots, .add = dense_add};
static const sot_rows sparse_rows = {.dots = sparse_dots, .add = sparse_add};

const sot_rows *sot_rows_portable(const sot_matrix *matrix)
{
    if (matrix->layout != NULL) return sot_rows_of_bins(matrix);
    return matrix->dense != NULL ? &dense_rows : &sparse_rows;
}

const sot_rows *sot_rows_for(const sot_matrix *matrix)
{
    const sot_rows *vector = matrix->dense != NULL ? sot_rows_avx2() : NULL;
    return vector != NULL ? vector : sot_rows_portable(matrix);
}

const sot_rows *sot_rows_plain(const sot_matrix *matrix)
{
    return matrix->layout != NULL ? sot_rows_plain_of_bins() : sot_rows_for(matrix);
}

void sot_tile_portable(const double *left, const double *right, size_t rows, double *sum,
                       size_t stride)
{
    for (size_t a = 0; a < 4; a++) {
        double *line = sum + a * stride;
        for (size_t i = 0; i < rows; i++) {
            for (size_t b = 0; b < SOT_PANEL; b++)
                line[b] += left[i * SOT_PANEL + a] * right[i * SOT_PANEL + b];
        }
    }
}

size_t sot_rows_terms_most(const sot_matrix *matrix)
{
    if (matrix->dense != NULL) return matrix->columns;
    if (matrix->layout != NULL) return matrix->layout->count + SOT_BINS_ROUNDINGS;
    size_t most = 0;
    for (size_t i = 0; i < matrix->rows; i++) {
        const size_t terms = (size_t)(matrix->starts[i + 1] - matrix->starts[i]);
        if (terms > most) most = terms;
    }
    return most;
}

size_t sot_rows_step(const sot_matrix *matrix)
{
    if (matrix->dense == NULL) return SOT_ROWS_STEP_MOST;
    const size_t fit = (size_t)16384 / (matrix->stride * sizeof *matrix->dense);
    const size_t step = fit / 4 * 4;
    if (step < 4) return 4;
    return step < SOT_ROWS_STEP_MOST ? step : SOT_ROWS_STEP_MOST;
}
