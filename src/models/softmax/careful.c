/* The gradient in about 106 bits. A float has 24 bits. So a double split into 29 and 24 bits,
 * times a float, is exact part by part; the sums are double-double. */
#include <string.h>

#include "models/softmax/pass.h"
#include "models/softmax/row.h"

typedef struct task {
    sot_softmax_pass *pass;
    const double *theta, *theta_low;
} task;

/* A row's nonzero entries, for either storage. */
typedef struct entries {
    const float *values;
    const uint32_t *indices; /* NULL: dense */
    size_t count;
} entries;

static entries entries_of(const sot_matrix *matrix, size_t row)
{
    if (matrix->dense != NULL)
        return (entries){matrix->dense + row * matrix->stride, NULL, matrix->columns};
    const size_t first = (size_t)matrix->starts[row];
    return (entries){matrix->values + first, matrix->indices + first,
                     (size_t)matrix->starts[row + 1] - first};
}

/* x = high + rest, high of 29 bits, rest of 23 (Dekker 1971; |x| < 2^990). */
static inline void split(double x, double *out_high, double *out_rest)
{
    const double scaled = x * 0x1.000001p24; /* 2^24 + 1 */
    const double high = scaled - (scaled - x);
    *out_high = high;
    *out_rest = x - high;
}

static sot_twofold dot(const task *shared, const entries *x, size_t c)
{
    const sot_matrix *matrix = shared->pass->problem->matrix;
    const size_t classes = shared->pass->problem->classes;
    sot_twofold sum = {0.0, 0.0};
    double low = 0.0;
    for (size_t k = 0; k < x->count; k++) {
        const double value = (double)x->values[k];
        if (value == 0.0) continue;
        const size_t column = x->indices != NULL ? x->indices[k] : k;
        const size_t place = sot_softmax_place(matrix, classes, c, column);
        double high;
        double rest;
        split(shared->theta[place], &high, &rest);
        sum = sot_twofold_plus(sum, high * value);
        sum = sot_twofold_plus(sum, rest * value);
        if (shared->theta_low != NULL) low += shared->theta_low[place] * value;
    }
    return sot_twofold_plus(sum, low);
}

void sot_softmax_margins_careful(sot_softmax_pass *pass, size_t row, const double *theta,
                                 const double *theta_low, sot_twofold *out)
{
    const task shared = {.pass = pass, .theta = theta, .theta_low = theta_low};
    const entries x = entries_of(pass->problem->matrix, row);
    for (size_t c = 0; c < pass->problem->classes; c++)
        out[c] = dot(&shared, &x, c);
}

static void add_row(const sot_softmax_pass *pass, const entries *x, size_t c,
                    sot_twofold slope, double *high, double *low)
{
    const sot_matrix *matrix = pass->problem->matrix;
    double first;
    double rest;
    split(slope.high, &first, &rest);
    for (size_t k = 0; k < x->count; k++) {
        const double value = (double)x->values[k];
        if (value == 0.0) continue;
        const size_t column = x->indices != NULL ? x->indices[k] : k;
        const size_t place = sot_softmax_place(matrix, pass->problem->classes, c, column);
        sot_twofold sum = {high[place], low[place]};
        sum = sot_twofold_plus(sum, first * value);
        sum = sot_twofold_plus(sum, rest * value);
        sum = sot_twofold_plus(sum, slope.low * value);
        high[place] = sum.high;
        low[place] = sum.low;
    }
}

static sotto_status careful_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                  sotto_error *error)
{
    (void)error;
    const task *shared = context;
    sot_softmax_pass *pass = shared->pass;
    const sot_matrix *matrix = pass->problem->matrix;
    const size_t classes = pass->problem->classes;
    double *high = pass->sums + chunk * 2 * pass->length;
    double *low = high + pass->length;
    /* A step has at least four rows: room for one row of double-double numbers. */
    sot_twofold *slopes = (void *)(pass->scales + chunk * pass->step * classes);
    double squares = 0.0;
    memset(high, 0, 2 * pass->length * sizeof *high);
    for (size_t i = begin; i < end; i++) {
        const entries x = entries_of(matrix, i);
        sot_softmax_margins_careful(pass, i, shared->theta, shared->theta_low, slopes);
        sot_softmax_row_careful(slopes, classes,
                                sot_softmax_class(matrix->labels[i], classes));
        for (size_t c = 0; c < classes; c++) {
            squares += slopes[c].high * slopes[c].high;
            add_row(pass, &x, c, slopes[c], high, low);
        }
    }
    pass->numbers[2 * chunk] = squares;
    return SOTTO_OK;
}

sotto_status sot_softmax_gradient_careful(sot_softmax_pass *pass, const double *theta,
                                          const double *theta_low, double *out_gradient,
                                          double *out_gradient_low,
                                          double *out_slope_squares, sotto_error *error)
{
    const sot_softmax *problem = pass->problem;
    task shared = {.pass = pass, .theta = theta, .theta_low = theta_low};
    const sotto_status status =
        sot_parallel_for(problem->pool, problem->matrix->rows, pass->chunk_rows,
                         careful_chunk, &shared, error);
    if (status != SOTTO_OK) return status;

    double squares = 0.0;
    for (size_t chunk = 0; chunk < pass->chunks; chunk++)
        squares += pass->numbers[2 * chunk];
    *out_slope_squares = squares;
    for (size_t j = 0; j < pass->length; j++) {
        const sot_twofold at = {theta[j], theta_low != NULL ? theta_low[j] : 0.0};
        sot_twofold sum = sot_softmax_terms_careful(pass, j, at);
        for (size_t chunk = 0; chunk < pass->chunks; chunk++) {
            const double *high = pass->sums + chunk * 2 * pass->length;
            sum = sot_twofold_add(sum, (sot_twofold){high[j], high[pass->length + j]});
        }
        out_gradient[j] = sum.high;
        out_gradient_low[j] = sum.low;
    }
    return SOTTO_OK;
}
