/* exp(u) - y u, a Poisson count's -log likelihood, with clipped slopes. Constants:
 * loss.md. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "models/linear/losses/clip.h"
#include "models/linear/losses/loss.h"
#include "models/linear/losses/slopes_logistic.h"
#include "numeric/outward.h"

enum { THRESHOLD = 0, THRESHOLD_FLOAT = 1 };

/* To [0, most]. */
static inline double count_of(const sot_loss *loss, double label)
{
    const double low = label > 0.0 ? label : 0.0;
    return low < loss->label_most ? low : loss->label_most;
}

static void bend(const sot_loss *loss, double u, double label, double *out_slope,
                 double *out_curvature)
{
    const double rate = exp(isnan(u) ? 0.0 : u);
    const double slope = rate - count_of(loss, label);
    const double most = loss->parameters[THRESHOLD];
    *out_slope = sot_cut(slope, most);
    *out_curvature = fabs(slope) < most ? fmin(rate, loss->curvature_most) : 0.0;
}

/* The lines begin where exp(u) = y + K, and, if y > K, where exp(u) = y - K. */
static void poisson_at(const sot_loss *loss, double u, double label, sot_loss_at *out)
{
    const double margin = isnan(u) ? 0.0 : u;
    const double y = count_of(loss, label);
    const double most = loss->parameters[THRESHOLD];
    bend(loss, u, label, &out->slope, &out->curvature);
    double begin = margin;
    if (out->slope >= most) begin = log(y + most);
    if (out->slope <= -most && y > most) begin = log(y - most);
    out->value = exp(begin) - y * begin;
    if (begin != margin) out->value += out->slope * (margin - begin);
}

static sot_twofold slope_careful(const sot_loss *loss, sot_twofold u, double label)
{
    if (isnan(u.high) || isnan(u.low)) u = (sot_twofold){0.0, 0.0};
    const sot_twofold rate = sot_twofold_exp_of_minus((sot_twofold){-u.high, -u.low});
    return sot_cut_twofold(sot_twofold_plus(rate, -count_of(loss, label)),
                           loss->parameters[THRESHOLD]);
}

/* From u on for step >= 0: the line below exp(u) = y - K, the curve, the line above exp(u) = y + K. Where they meet is known
 * to 2^-95, and f' is continuous there. Over the curve exp(end) (1 - exp(-step)) - y step. */
static sot_twofold rise(double y, double most, sot_twofold u, sot_twofold step)
{
    sot_twofold sum = {0.0, 0.0};
    if (y > most) {
        const sot_twofold room =
            sot_twofold_add(sot_twofold_log(y - most), sot_twofold_minus(u));
        if (room.high > 0.0) {
            if (!sot_twofold_less(room, step)) return sot_twofold_times(step, -most);
            sum = sot_twofold_times(room, -most);
            u = sot_twofold_add(u, room);
            step = sot_twofold_add(step, sot_twofold_minus(room));
        }
    }
    const sot_twofold room =
        sot_twofold_add(sot_twofold_log(y + most), sot_twofold_minus(u));
    if (room.high > 0.0) {
        const sot_twofold length = sot_twofold_less(room, step) ? room : step;
        const sot_twofold end = sot_twofold_add(u, length);
        const sot_twofold grown =
            sot_twofold_mul(sot_twofold_exp_of_minus(sot_twofold_minus(end)),
                            sot_twofold_expm1(sot_twofold_minus(length)));
        sum = sot_twofold_add(sum, sot_twofold_minus(grown));
        sum = sot_twofold_add(sum, sot_twofold_times(length, -y));
        if (!sot_twofold_less(room, step)) return sum;
        step = sot_twofold_add(step, sot_twofold_minus(room));
    }
    return sot_twofold_add(sum, sot_twofold_times(step, most));
}

static sot_twofold difference_careful(const sot_loss *loss, sot_twofold u,
                                      sot_twofold step, double label)
{
    const double y = count_of(loss, label);
    const double most = loss->parameters[THRESHOLD];
    if (step.high >= 0.0) return rise(y, most, u, step);
    return sot_twofold_minus(
        rise(y, most, sot_twofold_add(u, step), sot_twofold_minus(step)));
}

/* The exponential has a relative error below 2^-19. Margins beyond 40 have a rate above 2^57, which is clipped. */
static void slopes(const sot_loss *loss, const float *margins, const float *labels,
                   size_t count, float *out)
{
    const float most = (float)loss->parameters[THRESHOLD_FLOAT];
    const float label_most = sot_float_below(loss->label_most);
    for (size_t i = 0; i < count; i++) {
        const float low = labels[i] > 0.0f ? labels[i] : 0.0f;
        out[i] = sot_cutf(
            sot_slopes_exp(margins[i]) - (low < label_most ? low : label_most), most);
    }
}

sot_loss sot_loss_poisson(double threshold, double label_most)
{
    const double scale = sot_add_up(threshold, label_most);
    return (sot_loss){
        .name = "poisson",
        .slope_most = threshold,
        .curvature_most = scale,
        .smooth = true,
        .twist_most = (double)INFINITY, /* f''' = f'' up to the threshold, where f''
                                         * jumps */
        .label_most = label_most,
        .parameters = {threshold, (double)sot_float_below(threshold)},
        .at = poisson_at,
        .bend = bend,
        .value_error = 0x1p-46,
        .slope_error = scale * 0x1p-49,
        .curvature_error = scale * 0x1p-49,
        .slope_careful = slope_careful,
        .slope_error_careful = scale * 0x1p-95,
        .difference_careful = difference_careful,
        .difference_error_careful = scale * 0x1p-93,
        .slopes = slopes,
        .slopes_error = scale * 0x1p-18,
    };
}
