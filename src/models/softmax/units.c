/* Proof note: gradient_sum.md. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "models/softmax/kernels.h"
#include "models/softmax/row.h"
#include "models/softmax/softmax.h"

enum { CHUNKS_MOST = 64, CHUNK_ROWS_LEAST = 256, SUMS_MOST = 1 << 22, STEP = 32 };

typedef struct task {
    const sot_softmax *problem;
    const sot_softmax_kernels *kernels;
    const uint32_t *rows; /* NULL: all */
    const double *theta;
    float per_unit; /* 1 / spacing */
    size_t length;
    int64_t *sums;     /* length a chunk */
    int32_t *partials; /* dense: length a chunk */
    double *margins;   /* STEP x classes a chunk */
    float *scales;     /* likewise */
} task;

/* p - e_y in units, in float. */
static void to_slopes(const task *shared, const sot_softmax_rows *rows, double *margins,
                      float *scales)
{
    const size_t classes = rows->classes;
    for (size_t i = 0; i < rows->count; i++) {
        double *p = margins + i * classes;
        const double label = rows->matrix->labels[rows->at[i]];
        const size_t truth = sot_softmax_class(label, classes);
        (void)sot_softmax_row(p, classes, truth, false);
        p[truth] -= 1.0;
        for (size_t c = 0; c < classes; c++)
            scales[i * classes + c] = (float)p[c] * shared->per_unit;
    }
}

static void flush(const task *shared, int32_t *partial, int64_t *sum)
{
    for (size_t j = 0; j < shared->length; j++) {
        sum[j] += partial[j];
        partial[j] = 0;
    }
}

static sotto_status units_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                sotto_error *error)
{
    (void)error;
    const task *shared = context;
    const size_t classes = shared->problem->classes;
    int64_t *sum = shared->sums + chunk * shared->length;
    int32_t *partial =
        shared->partials != NULL ? shared->partials + chunk * shared->length : NULL;
    double *margins = shared->margins + chunk * STEP * classes;
    float *scales = shared->scales + chunk * STEP * classes;
    sot_softmax_rows rows = {.matrix = shared->problem->matrix, .classes = classes};
    for (size_t i = begin; i < end; i += STEP) {
        rows.count = end - i > STEP ? STEP : end - i;
        for (size_t k = 0; k < rows.count; k++)
            rows.at[k] = shared->rows != NULL ? shared->rows[i + k] : i + k;
        shared->kernels->dots(&rows, shared->theta, margins);
        to_slopes(shared, &rows, margins, scales);
        if (partial == NULL) {
            shared->kernels->add_units_wide(&rows, scales, sum);
            continue;
        }
        shared->kernels->add_units(&rows, scales, partial);
        const bool full = (i - begin + STEP) % SOT_SOFTMAX_FLUSH_ROWS == 0;
        if (full || end - i <= STEP) flush(shared, partial, sum);
    }
    return SOTTO_OK;
}

/* theta as the kernels like it, and finite. */
static void bring(const sot_softmax *problem, const double *theta, double *out)
{
    const sot_matrix *matrix = problem->matrix;
    for (size_t c = 0; c < problem->classes; c++) {
        for (size_t j = 0; j < matrix->columns; j++) {
            const double t = theta[c * matrix->columns + j];
            out[sot_softmax_place(matrix, problem->classes, c, j)] =
                isnan(t) ? 0.0 : fmin(fmax(t, -DBL_MAX), DBL_MAX);
        }
    }
}

static void take(const task *shared, size_t chunks, int64_t *units)
{
    const sot_matrix *matrix = shared->problem->matrix;
    const size_t classes = shared->problem->classes;
    for (size_t c = 0; c < classes; c++) {
        for (size_t j = 0; j < matrix->columns; j++) {
            const size_t place = sot_softmax_place(matrix, classes, c, j);
            int64_t sum = 0;
            for (size_t chunk = 0; chunk < chunks; chunk++)
                sum += shared->sums[chunk * shared->length + place];
            units[c * matrix->columns + j] += sum;
        }
    }
}

static sotto_status check_spacing(double spacing, sotto_error *error)
{
    int exponent;
    if (spacing > 0.0 && frexp(spacing, &exponent) == 0.5 && exponent >= -99 &&
        exponent <= 100)
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "spacing is %g; set it to a power of two between 2^-100 and 2^99",
                    spacing);
}

sotto_status sot_softmax_add_units(const sot_softmax *softmax, const uint32_t *rows,
                                   size_t count, const double *theta, double spacing,
                                   int64_t *units, sotto_error *error)
{
    sotto_status status = check_spacing(spacing, error);
    if (status != SOTTO_OK) return status;
    const sot_matrix *matrix = softmax->matrix;
    const size_t classes = softmax->classes;
    assert(classes >= 2 && classes <= SOT_SOFTMAX_CLASSES_MOST);
    task shared = {.problem = softmax,
                   .kernels = sot_softmax_kernels_for(matrix),
                   .rows = rows,
                   .per_unit = (float)(1.0 / spacing),
                   .length = sot_softmax_length(matrix, classes)};
    const size_t length = shared.length;
    size_t chunks_most = SUMS_MOST / length;
    if (chunks_most > CHUNKS_MOST) chunks_most = CHUNKS_MOST;
    if (chunks_most == 0) chunks_most = 1;
    size_t chunk_rows = sot_size_blocks(count, chunks_most);
    if (chunk_rows < CHUNK_ROWS_LEAST) chunk_rows = CHUNK_ROWS_LEAST;
    const size_t chunks = sot_size_blocks(count, chunk_rows);
    const bool dense = matrix->dense != NULL;

    double *at = sot_new_array(length, sizeof *at);
    shared.sums = sot_new_array(chunks, length * sizeof *shared.sums);
    shared.margins = sot_new_array(chunks * STEP, classes * sizeof *shared.margins);
    shared.scales = sot_new_array(chunks * STEP, classes * sizeof *shared.scales);
    if (dense) shared.partials = sot_new_array(chunks, length * sizeof *shared.partials);
    if (at == NULL || shared.sums == NULL || shared.margins == NULL ||
        shared.scales == NULL || (dense && shared.partials == NULL)) {
        status = sot_fail_memory(error, chunks + 1, length * sizeof *shared.sums);
        goto done;
    }
    bring(softmax, theta, at);
    shared.theta = at;
    status =
        sot_parallel_for(softmax->pool, count, chunk_rows, units_chunk, &shared, error);
    if (status == SOTTO_OK) take(&shared, chunks, units);
done:
    sot_wipe_and_free(at, length * sizeof *at);
    sot_wipe_and_free(shared.sums, chunks * length * sizeof *shared.sums);
    sot_wipe_and_free(shared.margins, chunks * STEP * classes * sizeof *shared.margins);
    sot_wipe_and_free(shared.scales, chunks * STEP * classes * sizeof *shared.scales);
    sot_wipe_and_free(shared.partials, chunks * length * sizeof *shared.partials);
    return status;
}
