/* Sums of only the losses, without terms: at some points in double, and between two
 * points to some 90 bits. Proof note: values.md. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "models/linear/losses/pairwise.h"
#include "models/linear/solver/pass.h"

/* ---- in double ---- */

static sotto_status values_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                 sotto_error *error)
{
    (void)error;
    const sot_points *task = context;
    const sot_pass *pass = task->pass;
    const sot_glm *glm = pass->glm;
    const bool both = task->count == 2 && pass->rows->dots_of_two != NULL;
    double margins[SOT_PASS_POINTS][SOT_ROWS_STEP_MOST];
    double sums[SOT_PASS_POINTS] = {0.0};
    for (size_t i = begin; i < end; i += pass->step) {
        const size_t next = end - i > pass->step ? i + pass->step : end;
        if (both)
            pass->rows->dots_of_two(glm->matrix, i, next, task->thetas, margins[0],
                                    margins[1]);
        for (size_t k = 0; k < task->count; k++) {
            if (!both)
                pass->rows->dots(glm->matrix, i, next, task->thetas[k], margins[k]);
            sums[k] +=
                sot_loss_sum(glm->loss, margins[k], glm->matrix->labels + i, next - i);
        }
    }
    for (size_t k = 0; k < task->count; k++)
        pass->sums[chunk * 2 * pass->width + k] = sums[k];
    sot_wipe(margins, sizeof margins);
    return SOTTO_OK;
}

sotto_status sot_pass_values(sot_pass *pass, const double *const *thetas, size_t count,
                             double *out_values, sotto_error *error)
{
    assert(count <= SOT_PASS_POINTS); /* 2 width numbers a chunk have room for them */
    const sot_frame frame = sot_pass_frame(pass);
    const double *expanded[SOT_PASS_POINTS];
    for (size_t k = 0; k < count; k++)
        expanded[k] = sot_pass_expand(pass, thetas[k], k);
    const sot_points points = {.pass = pass, .thetas = expanded, .count = count};
    return sot_frame_values(&frame, values_chunk, points, out_values, error);
}

/* The largest |f(0; y)|, for any label: f(0; .) is monotone between 0 and either end, up to 1. */
static double zero_most(const sot_loss *loss)
{
    const double labels[3] = {-loss->label_most, 0.0, loss->label_most};
    double most = 0.0;
    for (size_t k = 0; k < 3; k++) {
        sot_loss_at at;
        loss->at(loss, 0.0, labels[k], &at);
        most = fmax(most, fabs(at.value));
    }
    return 1.0 + most;
}

double sot_pass_value_error(const sot_pass *pass, const sot_pass_bounds *bounds,
                            double theta_norm)
{
    const sot_loss *loss = pass->glm->loss;
    const double rows = (double)pass->glm->matrix->rows;
    const double slopes = loss->slope_most;
    /* Sums of |x_i| and of |margins|, which are at most |theta| times as much. */
    const double lengths = sqrt(rows) * bounds->frobenius_upper;
    const double reach = theta_norm * lengths;
    const double sizes = rows * zero_most(loss) + slopes * reach;
    const double own = loss->value_error * (sizes + slopes * (rows + reach));
    const double margins = slopes * ((double)bounds->terms + 4.0) * 0x1p-52 * reach;
    const double roundings = (double)pass->step +
                             (double)pass->chunk_rows / (double)pass->step +
                             (double)pass->chunks + 4.0;
    const double sums = roundings * 0x1p-52 * (sizes + own);
    return (own + margins + sums) * (1.0 + 0x1p-40) + DBL_MIN;
}

/* ---- carefully ---- */

static sotto_status way_chunk(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    (void)error;
    const sot_way *task = context;
    sot_pass *pass = task->pass;
    const sot_loss *loss = pass->glm->loss;
    sot_pairwise sum = {0};
    for (size_t i = begin; i < end; i++) {
        const sot_twofold u = sot_pass_margin_careful(pass, i, task->from, NULL);
        const sot_twofold s =
            sot_pass_margin_careful(pass, i, task->step, task->step_low);
        sot_pairwise_add(
            &sum, loss->difference_careful(loss, u, s, pass->glm->matrix->labels[i]));
    }
    const sot_twofold total = sot_pairwise_sum(&sum);
    pass->numbers[2 * chunk] = total.high;
    pass->numbers[2 * chunk + 1] = total.low;
    return SOTTO_OK;
}

sotto_status sot_pass_difference_careful(sot_pass *pass, const double *from,
                                         const double *step, const double *step_low,
                                         sot_twofold *out_difference, sotto_error *error)
{
    const sot_frame frame = sot_pass_frame(pass);
    const sot_way way = {.pass = pass, .from = from, .step = step, .step_low = step_low};
    return sot_frame_difference(&frame, way_chunk, way, out_difference, error);
}
