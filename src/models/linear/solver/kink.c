/* The distance of the slopes of a smoothed hinge from subgradients of the hinge: solver.md. */
#include <math.h>

#include "base/memory.h"
#include "models/linear/solver/pass.h"

typedef struct task {
    sot_pass *pass;
    const double *theta, *theta_low;
    double width;
    bool careful;
} task;

/* |a| (h - |a|) / (2 h) where |a| < h; a function of a with slopes of at most 1/2. */
static double lack(double a, double width)
{
    const double size = fabs(a);
    return size < width ? size * (0.5 * ((width - size) / width)) : 0.0;
}

static double lack_careful(const task *shared, size_t row)
{
    const double label = shared->pass->glm->matrix->labels[row];
    const double sign = label < 0.0 ? 1.0 : -1.0;
    const sot_twofold u =
        sot_pass_margin_careful(shared->pass, row, shared->theta, shared->theta_low);
    const sot_twofold signed_u = {sign * u.high, sign * u.low};
    return lack(sot_twofold_plus(signed_u, 1.0).high, shared->width);
}

static sotto_status corner_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                 sotto_error *error)
{
    (void)error;
    const task *shared = context;
    sot_pass *pass = shared->pass;
    const double *labels = pass->glm->matrix->labels;
    double margins[SOT_ROWS_STEP_MOST];
    double sum = 0.0;
    for (size_t i = begin; shared->careful && i < end; i++)
        sum += lack_careful(shared, i);
    for (size_t i = begin; !shared->careful && i < end; i += pass->step) {
        const size_t next = end - i > pass->step ? i + pass->step : end;
        pass->rows->dots(pass->glm->matrix, i, next, shared->theta, margins);
        for (size_t k = i; k < next; k++)
            sum += lack(labels[k] < 0.0 ? 1.0 + margins[k - i] : 1.0 - margins[k - i],
                        shared->width);
    }
    pass->numbers[2 * chunk] = sum;
    sot_wipe(margins, sizeof margins);
    return SOTTO_OK;
}

/* The summand's own roundings are 2^-50 relative, and 2^-53 of the width where width - size cancels; then a
 * sum of positive numbers. Margins: as in gradient_norm.md, and 1 - y u is one rounding more; in double
 * arithmetic theta_low is left out, |theta_low| |x| at most. */
sotto_status sot_pass_corner(sot_pass *pass, const sot_pass_bounds *bounds,
                             const double *theta, const double *theta_low, double width,
                             bool careful, double *out_sum, double *out_sum_upper,
                             sotto_error *error)
{
    const sot_glm *glm = pass->glm;
    const size_t columns = glm->matrix->columns;
    const double rows = (double)glm->matrix->rows;
    task shared = {.pass = pass,
                   .theta = theta,
                   .theta_low = theta_low,
                   .width = width,
                   .careful = careful};
    const sotto_status status = sot_parallel_for(
        glm->pool, glm->matrix->rows, pass->chunk_rows, corner_chunk, &shared, error);
    if (status != SOTTO_OK) return status;
    double sum = 0.0;
    for (size_t chunk = 0; chunk < pass->chunks; chunk++)
        sum += pass->numbers[2 * chunk];
    const double unit = careful ? 0x1p-104 : 0x1p-52;
    const double low = careful ? 0.0 : sot_norm_upper(theta_low, columns);
    const double reach = sot_norm_upper(theta, columns) * bounds->row_upper;
    const double margin_error = (4.0 * (double)bounds->terms + 16.0) * unit * reach +
                                low * bounds->row_upper + unit * (1.0 + width);
    *out_sum = sum;
    *out_sum_upper = (sum * (1.0 + (rows + 64.0) * 0x1p-51) +
                      rows * (margin_error + 0x1p-52 * width)) *
                     (1.0 + 0x1p-40);
    return SOTTO_OK;
}
