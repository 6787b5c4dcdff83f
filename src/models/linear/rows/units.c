#include "models/linear/rows/units.h"

#include "models/linear/rows/bins.h"

/* Sixteen sums side by side, folded as the AVX2 version folds them: halves, then neighbours, then
 * pairs, then quarters. */
static float dense_dot(const float *row, size_t stride, const float *theta)
{
    float lanes[SOT_MATRIX_LANES] = {0.0f};
    for (size_t j = 0; j < stride; j += SOT_MATRIX_LANES) {
        for (size_t k = 0; k < SOT_MATRIX_LANES; k++)
            lanes[k] += row[j + k] * theta[j + k];
    }
    float half[8];
    for (size_t k = 0; k < 8; k++)
        half[k] = lanes[k] + lanes[k + 8];
    return ((half[0] + half[1]) + (half[2] + half[3])) +
           ((half[4] + half[5]) + (half[6] + half[7]));
}

static void dense_dots(const sot_matrix *matrix, size_t begin, size_t end,
                       const float *theta, float *out)
{
    for (size_t i = begin; i < end; i++)
        out[i - begin] =
            dense_dot(matrix->dense + i * matrix->stride, matrix->stride, theta);
}

static inline int32_t contribution(float scale, float x)
{
    return (int32_t)(scale * x); /* toward zero */
}

static void dense_add(const sot_matrix *matrix, size_t begin, size_t end,
                      const float *slopes, float per_unit, int32_t *sum)
{
    for (size_t i = begin; i < end; i++) {
        const float *row = matrix->dense + i * matrix->stride;
        const float scale = slopes[i - begin] * per_unit;
        for (size_t j = 0; j < matrix->stride; j++)
            sum[j] += contribution(scale, row[j]);
    }
}

static void sparse_dots(const sot_matrix *matrix, size_t begin, size_t end,
                        const float *theta, float *out)
{
    for (size_t i = begin; i < end; i++) {
        float sum = 0.0f;
        for (size_t k = (size_t)matrix->starts[i]; k < (size_t)matrix->starts[i + 1]; k++)
            sum += matrix->values[k] * theta[matrix->indices[k]];
        out[i - begin] = sum;
    }
}

static void sparse_add_wide(const sot_matrix *matrix, size_t begin, size_t end,
                            const float *slopes, float per_unit, int64_t *sum)
{
    for (size_t i = begin; i < end; i++) {
        const float scale = slopes[i - begin] * per_unit;
        for (size_t k = (size_t)matrix->starts[i]; k < (size_t)matrix->starts[i + 1]; k++)
            sum[matrix->indices[k]] += contribution(scale, matrix->values[k]);
    }
}

static const sot_units dense_units = {.dots = dense_dots, .add = dense_add};
static const sot_units sparse_units = {.dots = sparse_dots, .add_wide = sparse_add_wide};

const sot_units *sot_units_portable(const sot_matrix *matrix)
{
    if (matrix->layout != NULL) return sot_units_of_bins();
    return matrix->dense != NULL ? &dense_units : &sparse_units;
}

const sot_units *sot_units_for(const sot_matrix *matrix)
{
    const sot_units *vector = matrix->dense != NULL ? sot_units_avx2() : NULL;
    return vector != NULL ? vector : sot_units_portable(matrix);
}

size_t sot_units_step(const sot_matrix *matrix)
{
    if (matrix->dense == NULL) return SOT_UNITS_STEP_MOST;
    const size_t fit = (size_t)16384 / (matrix->stride * sizeof *matrix->dense);
    const size_t step = fit / 8 * 8;
    if (step < 8) return 8;
    return step < SOT_UNITS_STEP_MOST ? step : SOT_UNITS_STEP_MOST;
}
