/* The gradient in about 106 bits. A float has 24 bits, so a double split into 29 and 24 bits times a
 * float is exact, part by part; the sums are twofold. */
#include <math.h>
#include <string.h>

#include "learn/glm/pass.h"

typedef struct task {
    sot_pass *pass;
    const double *theta, *theta_low;
    double width; /* of a corner */
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
    if (matrix->dense != NULL) {
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

static sotto_status corner_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                 sotto_error *error)
{
    (void)error;
    const task *shared = context;
    const sot_matrix *matrix = shared->pass->glm->matrix;
    const double width = shared->width;
    double sum = 0.0;
    for (size_t i = begin; i < end; i++) {
        const sot_twofold u = dot(shared, i);
        const double sign = matrix->labels[i] < 0.0 ? 1.0 : -1.0;
        const sot_twofold a =
            sot_twofold_plus((sot_twofold){sign * u.high, sign * u.low}, 1.0);
        const double size = fabs(a.high);
        if (size < width) sum += size * (0.5 * ((width - size) / width));
    }
    shared->pass->numbers[2 * chunk] = sum;
    return SOTTO_OK;
}

/* The summand is a function of u with slopes of at most 1/2. Its own roundings: 2^-50 relative, and
 * 2^-53 of the width where width - size cancels; a sum of positive numbers. */
sotto_status sot_pass_corner(sot_pass *pass, const sot_pass_bounds *bounds,
                             const double *theta, const double *theta_low, double width,
                             double *out_sum_upper, sotto_error *error)
{
    const sot_glm *glm = pass->glm;
    const double rows = (double)glm->matrix->rows;
    task shared = {.pass = pass, .theta = theta, .theta_low = theta_low, .width = width};
    const sotto_status status = sot_parallel_for(
        glm->pool, glm->matrix->rows, pass->chunk_rows, corner_chunk, &shared, error);
    if (status != SOTTO_OK) return status;
    double sum = 0.0;
    for (size_t chunk = 0; chunk < pass->chunks; chunk++)
        sum += pass->numbers[2 * chunk];
    const double margin_error = (4.0 * (double)bounds->terms + 16.0) * 0x1p-104 *
                                sot_norm_upper(theta, glm->matrix->columns) *
                                bounds->row_upper;
    *out_sum_upper = (sum * (1.0 + (rows + 64.0) * 0x1p-51) +
                      rows * (margin_error + 0x1p-52 * width)) *
                     (1.0 + 0x1p-40);
    return SOTTO_OK;
}
