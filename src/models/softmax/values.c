/* Sums of only the losses, without terms: at some points in double, and between two
 * points to some 90 bits. Errors: models/linear/solver/values.md. */
#include <assert.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/linear/losses/pairwise.h"
#include "models/softmax/pass.h"
#include "models/softmax/row.h"

static sotto_status values_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                 sotto_error *error)
{
    (void)error;
    const sot_points *task = context;
    const sot_softmax_pass *pass = task->pass;
    const sot_matrix *matrix = pass->problem->matrix;
    const size_t classes = pass->problem->classes;
    double *scales = pass->scales + chunk * pass->step * classes;
    double sums[SOT_SOFTMAX_POINTS] = {0.0};
    sot_softmax_rows rows = {.matrix = matrix, .classes = classes};
    for (size_t i = begin; i < end; i += pass->step) {
        rows.count = end - i > pass->step ? pass->step : end - i;
        for (size_t k = 0; k < rows.count; k++)
            rows.at[k] = i + k;
        for (size_t point = 0; point < task->count; point++) {
            pass->kernels->dots(&rows, task->thetas[point], scales);
            for (size_t k = 0; k < rows.count; k++) {
                const size_t label = sot_softmax_class(matrix->labels[i + k], classes);
                sums[point] += sot_softmax_row(scales + k * classes, classes, label, 1);
            }
        }
    }
    for (size_t point = 0; point < task->count; point++)
        pass->sums[chunk * 2 * pass->length + point] = sums[point];
    return SOTTO_OK;
}

sotto_status sot_softmax_values(sot_softmax_pass *pass, const double *const *thetas,
                                size_t count, double *out_values, sotto_error *error)
{
    assert(count <= SOT_SOFTMAX_POINTS);
    const sot_frame frame = sot_softmax_frame(pass);
    const sot_points points = {.pass = pass, .thetas = thetas, .count = count};
    return sot_frame_values(&frame, values_chunk, points, out_values, error);
}

/* The way has room for 3 double-double numbers per class and chunk. */
static sotto_status way_chunk(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    (void)error;
    const sot_way *task = context;
    sot_softmax_pass *pass = task->pass;
    const size_t classes = pass->problem->classes;
    sot_twofold *margins = task->rows + chunk * 3 * classes;
    sot_twofold *steps = margins + classes;
    sot_twofold *scratch = steps + classes;
    sot_pairwise sum = {0};
    for (size_t i = begin; i < end; i++) {
        sot_softmax_margins_careful(pass, i, task->from, NULL, margins);
        sot_softmax_margins_careful(pass, i, task->step, task->step_low, steps);
        const size_t label = sot_softmax_class(pass->problem->matrix->labels[i], classes);
        sot_pairwise_add(
            &sum, sot_softmax_row_difference(margins, steps, classes, label, scratch));
    }
    const sot_twofold total = sot_pairwise_sum(&sum);
    pass->numbers[2 * chunk] = total.high;
    pass->numbers[2 * chunk + 1] = total.low;
    return SOTTO_OK;
}

sotto_status sot_softmax_difference_careful(sot_softmax_pass *pass, const double *from,
                                            const double *step, const double *step_low,
                                            sot_twofold *out_difference,
                                            sotto_error *error)
{
    const size_t size = 3 * pass->problem->classes * sizeof(sot_twofold);
    const sot_frame frame = sot_softmax_frame(pass);
    sot_way way = {.pass = pass, .from = from, .step = step, .step_low = step_low};
    way.rows = sot_new_array(pass->chunks, size);
    if (way.rows == NULL) return sot_fail_memory(error, pass->chunks, size);
    const sotto_status status =
        sot_frame_difference(&frame, way_chunk, way, out_difference, error);
    sot_wipe_and_free(way.rows, pass->chunks * size);
    return status;
}
