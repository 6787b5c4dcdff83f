/* The gradient in about 106 bits. A float has 24 bits. So a double split into 29 and 24 bits,
 * times a float, is exact part by part; the sums are double-double. */
#include <string.h>

#include "models/linear/rows/bins.h"
#include "models/linear/solver/pass.h"

typedef struct task {
    sot_pass *pass;
    const double *theta, *theta_low;
} task;

/* x = high + rest, high of 29 bits, rest of 23 (Dekker 1971; |x| < 2^990). */
static inline void split(double x, double *out_high, double *out_rest)
{
    const double scaled = x * 0x1.000001p24; /* 2^24 + 1 */
    const double high = scaled - (scaled - x);
    *out_high = high;
    *out_rest = x - high;
}

static inline void dot_step(const task *shared, size_t column, float value,
                            sot_twofold *sum, double *low)
{
    double high;
    double rest;
    split(shared->theta[column], &high, &rest);
    *sum = sot_twofold_plus(*sum, high * (double)value);
    *sum = sot_twofold_plus(*sum, rest * (double)value);
    if (shared->theta_low != NULL) *low += shared->theta_low[column] * (double)value;
}

static sot_twofold dot(const task *shared, size_t row)
{
    const sot_matrix *matrix = shared->pass->glm->matrix;
    sot_twofold sum = {0.0, 0.0};
    double low = 0.0;
    if (matrix->layout != NULL) {
        const sot_bins_layout *layout = matrix->layout;
        for (size_t b = 0; b < layout->count; b++) {
            const sot_bin_block *block = &layout->list[b];
            const size_t bin = sot_bins_at(matrix, row, b);
            for (size_t k = 0; k < block->width; k++)
                dot_step(shared, block->first + k, sot_bins_coordinate(block, bin, k),
                         &sum, &low);
        }
        if (layout->intercept > 0.0)
            dot_step(shared, layout->columns - 1, (float)layout->intercept, &sum, &low);
    } else if (matrix->dense != NULL) {
        const float *x = matrix->dense + row * matrix->stride;
        for (size_t j = 0; j < matrix->columns; j++) {
            if (x[j] != 0.0f) dot_step(shared, j, x[j], &sum, &low);
        }
    } else {
        for (size_t k = (size_t)matrix->starts[row]; k < (size_t)matrix->starts[row + 1];
             k++)
            dot_step(shared, matrix->indices[k], matrix->values[k], &sum, &low);
    }
    return sot_twofold_plus(sum, low);
}

sot_twofold sot_pass_margin_careful(sot_pass *pass, size_t row, const double *theta,
                                    const double *theta_low)
{
    const task shared = {.pass = pass, .theta = theta, .theta_low = theta_low};
    return dot(&shared, row);
}

typedef struct parts {
    double high, rest, low; /* a slope: 29 bits, 24 bits, the second double */
} parts;

static inline void add_step(double *high, double *low, parts slope, float value)
{
    sot_twofold sum = {*high, *low};
    sum = sot_twofold_plus(sum, slope.high * (double)value);
    sum = sot_twofold_plus(sum, slope.rest * (double)value + slope.low * (double)value);
    *high = sum.high;
    *low = sum.low;
}

static void add_row(const sot_matrix *matrix, size_t row, sot_twofold slope, double *high,
                    double *low)
{
    parts of;
    split(slope.high, &of.high, &of.rest);
    of.low = slope.low;
    if (matrix->layout != NULL) {
        const sot_bins_layout *layout = matrix->layout;
        for (size_t b = 0; b < layout->count; b++) {
            const sot_bin_block *block = &layout->list[b];
            const size_t bin = sot_bins_at(matrix, row, b);
            for (size_t k = 0; k < block->width; k++)
                add_step(&high[block->first + k], &low[block->first + k], of,
                         sot_bins_coordinate(block, bin, k));
        }
        if (layout->intercept > 0.0)
            add_step(&high[layout->columns - 1], &low[layout->columns - 1], of,
                     (float)layout->intercept);
        return;
    }
    if (matrix->dense != NULL) {
        const float *x = matrix->dense + row * matrix->stride;
        for (size_t j = 0; j < matrix->columns; j++) {
            if (x[j] != 0.0f) add_step(&high[j], &low[j], of, x[j]);
        }
        return;
    }
    for (size_t k = (size_t)matrix->starts[row]; k < (size_t)matrix->starts[row + 1];
         k++) {
        const size_t j = matrix->indices[k];
        add_step(&high[j], &low[j], of, matrix->values[k]);
    }
}

static sotto_status careful_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                  sotto_error *error)
{
    (void)error;
    const task *shared = context;
    sot_pass *pass = shared->pass;
    const sot_glm *glm = pass->glm;
    double *high = pass->sums + chunk * 2 * pass->width;
    double *low = high + pass->width;
    double squares = 0.0;
    memset(high, 0, 2 * pass->width * sizeof *high);
    for (size_t i = begin; i < end; i++) {
        const sot_twofold slope =
            glm->loss->slope_careful(glm->loss, dot(shared, i), glm->matrix->labels[i]);
        squares += slope.high * slope.high;
        add_row(glm->matrix, i, slope, high, low);
    }
    pass->numbers[2 * chunk] = squares;
    return SOTTO_OK;
}

sotto_status sot_pass_gradient_careful(sot_pass *pass, const double *theta,
                                       const double *theta_low, double *out_gradient,
                                       double *out_gradient_low,
                                       double *out_slope_squares, sotto_error *error)
{
    const sot_glm *glm = pass->glm;
    task shared = {.pass = pass, .theta = theta, .theta_low = theta_low};
    const sotto_status status = sot_parallel_for(
        glm->pool, glm->matrix->rows, pass->chunk_rows, careful_chunk, &shared, error);
    if (status != SOTTO_OK) return status;

    double squares = 0.0;
    for (size_t chunk = 0; chunk < pass->chunks; chunk++)
        squares += pass->numbers[2 * chunk];
    *out_slope_squares = squares;
    for (size_t j = 0; j < glm->matrix->columns; j++) {
        const sot_twofold at = {theta[j], theta_low != NULL ? theta_low[j] : 0.0};
        sot_twofold sum = sot_terms_gradient_careful(glm, pass->nu, j, at);
        for (size_t chunk = 0; chunk < pass->chunks; chunk++) {
            const double *high = pass->sums + chunk * 2 * pass->width;
            sum = sot_twofold_add(sum, (sot_twofold){high[j], high[pass->width + j]});
        }
        out_gradient[j] = sum.high;
        out_gradient_low[j] = sum.low;
    }
    return SOTTO_OK;
}
