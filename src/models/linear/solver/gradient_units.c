/* Proof note: gradient_sum.md. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "models/linear/rows/bins.h"
#include "models/linear/rows/units.h"
#include "models/linear/solver/problem.h"

enum { CHUNKS_MOST = 64, CHUNK_ROWS_LEAST = 1024, SUMS_MOST = 1 << 22 };

typedef struct task {
    const sot_glm *glm;
    const uint32_t *rows; /* which; NULL: all */
    const sot_units *units;
    const float *theta;
    float per_unit; /* 1 / spacing */
    size_t width;
    int64_t *sums;     /* width a chunk */
    int32_t *partials; /* dense: width a chunk */
} task;

/* Four at a time, which compilers make one instruction. */
static void to_floats(const double *from, size_t count, float *out)
{
    size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        out[k] = (float)from[k];
        out[k + 1] = (float)from[k + 1];
        out[k + 2] = (float)from[k + 2];
        out[k + 3] = (float)from[k + 3];
    }
    for (; k < count; k++)
        out[k] = (float)from[k];
}

/* Adds the contributions of the rows from..to of the list, one after another and
 * independently of each other. */
static void add_listed(const task *shared, size_t from, size_t to, int32_t *partial,
                       int64_t *sum)
{
    const sot_matrix *matrix = shared->glm->matrix;
    float margins[SOT_UNITS_STEP_MOST];
    float labels[SOT_UNITS_STEP_MOST];
    float slopes[SOT_UNITS_STEP_MOST];
    const size_t step = sot_units_step(matrix);
    for (size_t i = from; i < to; i += step) {
        const size_t count = to - i > step ? step : to - i;
        for (size_t k = 0; k < count; k++) {
            const size_t row = shared->rows[i + k];
            shared->units->dots(matrix, row, row + 1, shared->theta, &margins[k]);
            labels[k] = (float)matrix->labels[row];
        }
        shared->glm->loss->slopes(shared->glm->loss, margins, labels, count, slopes);
        for (size_t k = 0; k < count; k++) {
            const size_t row = shared->rows[i + k];
            if (partial != NULL)
                shared->units->add(matrix, row, row + 1, &slopes[k], shared->per_unit,
                                   partial);
            else
                shared->units->add_wide(matrix, row, row + 1, &slopes[k],
                                        shared->per_unit, sum);
        }
    }
    sot_wipe(margins, sizeof margins);
    sot_wipe(labels, sizeof labels);
    sot_wipe(slopes, sizeof slopes);
}

/* The same for neighbouring rows, several at a time. */
static void add_range(const task *shared, size_t from, size_t to, int32_t *partial,
                      int64_t *sum)
{
    const sot_matrix *matrix = shared->glm->matrix;
    float margins[SOT_UNITS_STEP_MOST];
    float labels[SOT_UNITS_STEP_MOST];
    float slopes[SOT_UNITS_STEP_MOST];
    const size_t step = sot_units_step(matrix);
    for (size_t i = from; i < to; i += step) {
        const size_t next = to - i > step ? i + step : to;
        shared->units->dots(matrix, i, next, shared->theta, margins);
        to_floats(matrix->labels + i, next - i, labels);
        shared->glm->loss->slopes(shared->glm->loss, margins, labels, next - i, slopes);
        if (partial != NULL)
            shared->units->add(matrix, i, next, slopes, shared->per_unit, partial);
        else
            shared->units->add_wide(matrix, i, next, slopes, shared->per_unit, sum);
    }
    sot_wipe(margins, sizeof margins);
    sot_wipe(labels, sizeof labels);
    sot_wipe(slopes, sizeof slopes);
}

static sotto_status units_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                sotto_error *error)
{
    (void)error;
    const task *shared = context;
    int64_t *sum = shared->sums + chunk * shared->width;
    int32_t *partial =
        shared->partials != NULL ? shared->partials + chunk * shared->width : NULL;
    for (size_t first = begin; first < end; first += SOT_UNITS_FLUSH_ROWS) {
        const size_t last =
            end - first > SOT_UNITS_FLUSH_ROWS ? first + SOT_UNITS_FLUSH_ROWS : end;
        (shared->rows != NULL ? add_listed : add_range)(shared, first, last, partial,
                                                        sum);
        for (size_t j = 0; partial != NULL && j < shared->width; j++) {
            sum[j] += partial[j];
            partial[j] = 0;
        }
    }
    return SOTTO_OK;
}

static float to_float(double x)
{
    if (isnan(x)) return 0.0f;
    return (float)fmin(fmax(x, -(double)FLT_MAX), (double)FLT_MAX);
}

/* The values of the blocks, for coefficients of any size. */
static sotto_status expand(const sot_bins_layout *layout, const double *theta, float *out,
                           sotto_error *error)
{
    const size_t count = layout->columns + layout->values + 1;
    double *room = sot_new_array(count, sizeof *room);
    if (room == NULL) return sot_fail_memory(error, count, sizeof *room);
    double *values = room + layout->columns;
    for (size_t j = 0; j < layout->columns; j++)
        room[j] = (double)to_float(theta[j]);
    sot_bins_expand(layout, room, values);
    for (size_t j = 0; j <= layout->values; j++)
        out[j] = to_float(values[j]);
    sot_wipe_and_free(room, count * sizeof *room);
    return SOTTO_OK;
}

sotto_status sot_glm_add_gradient_units(const sot_glm *glm, const uint32_t *rows,
                                        size_t count, const double *theta, double spacing,
                                        int64_t *inout_units, sotto_error *error)
{
    int exponent;
    if (!(spacing > 0.0) || frexp(spacing, &exponent) != 0.5 || exponent < -99 ||
        exponent > 100)
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "spacing is %g; set it to a power of two between 2^-100 and 2^99",
                        spacing);
    const sot_matrix *matrix = glm->matrix;
    const size_t width = sot_units_width(matrix);
    if (rows == NULL) count = matrix->rows;
    size_t chunks_most = SUMS_MOST / width;
    if (chunks_most > CHUNKS_MOST) chunks_most = CHUNKS_MOST;
    if (chunks_most == 0) chunks_most = 1;
    size_t chunk_rows = sot_size_blocks(count, chunks_most);
    if (chunk_rows < CHUNK_ROWS_LEAST) chunk_rows = CHUNK_ROWS_LEAST;
    const size_t chunks = sot_size_blocks(count, chunk_rows);

    task shared = {.glm = glm,
                   .rows = rows,
                   .units = sot_units_for(matrix),
                   .per_unit = (float)(1.0 / spacing),
                   .width = width};
    float *at = sot_new_array(width, sizeof *at);
    shared.sums = sot_new_array(chunks, width * sizeof *shared.sums);
    const bool dense = matrix->dense != NULL;
    if (dense) shared.partials = sot_new_array(chunks, width * sizeof *shared.partials);
    sotto_status status = SOTTO_OK;
    if (at == NULL || shared.sums == NULL || (dense && shared.partials == NULL)) {
        status = sot_fail_memory(error, chunks + 1, width * sizeof *shared.sums);
        goto done;
    }
    if (matrix->layout != NULL) {
        status = expand(matrix->layout, theta, at, error);
        if (status != SOTTO_OK) goto done;
    } else {
        for (size_t j = 0; j < matrix->columns; j++)
            at[j] = to_float(theta[j]);
    }
    shared.theta = at;
    status = sot_parallel_for(glm->pool, count, chunk_rows, units_chunk, &shared, error);
    if (status != SOTTO_OK) goto done;
    if (matrix->layout != NULL) {
        for (size_t chunk = 0; chunk < chunks; chunk++)
            sot_bins_collapse_units(matrix->layout, shared.sums + chunk * width,
                                    inout_units);
        goto done;
    }
    for (size_t j = 0; j < matrix->columns; j++) {
        for (size_t chunk = 0; chunk < chunks; chunk++)
            inout_units[j] += shared.sums[chunk * width + j];
    }
done:
    if (at != NULL) sot_wipe_and_free(at, width * sizeof *at);
    if (shared.sums != NULL)
        sot_wipe_and_free(shared.sums, chunks * width * sizeof *shared.sums);
    if (shared.partials != NULL)
        sot_wipe_and_free(shared.partials, chunks * width * sizeof *shared.partials);
    return status;
}

sotto_status sot_glm_gradient_units(const sot_glm *glm, const double *theta,
                                    double spacing, int64_t *out_units,
                                    sotto_error *error)
{
    const size_t columns = glm->matrix->columns;
    int64_t *units = sot_new_array(columns, sizeof *units);
    if (units == NULL) return sot_fail_memory(error, columns, sizeof *units);
    const sotto_status status =
        sot_glm_add_gradient_units(glm, NULL, 0, theta, spacing, units, error);
    if (status == SOTTO_OK) memcpy(out_units, units, columns * sizeof *units);
    sot_wipe_and_free(units, columns * sizeof *units);
    return status;
}
