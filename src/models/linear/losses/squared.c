/* The squared loss with linear tails, which is also Huber's. Constants: loss.md. */
#include <math.h>

#include "models/linear/losses/broken_line.h"
#include "models/linear/losses/clip.h"
#include "models/linear/losses/loss.h"

enum { THRESHOLD = 0, THRESHOLD_FLOAT = 1 };

static inline double residual(const sot_loss *loss, double u, double label)
{
    return (isnan(u) ? 0.0 : u) - sot_cut(label, loss->label_most);
}

static void bend(const sot_loss *loss, double u, double label, double *out_slope,
                 double *out_curvature)
{
    const double r = residual(loss, u, label);
    const double most = loss->parameters[THRESHOLD];
    *out_slope = sot_cut(r, most);
    *out_curvature = fabs(r) < most ? 1.0 : 0.0;
}

static void squared_at(const sot_loss *loss, double u, double label, sot_loss_at *out)
{
    const double r = residual(loss, u, label);
    const double most = loss->parameters[THRESHOLD];
    bend(loss, u, label, &out->slope, &out->curvature);
    out->value = fabs(r) < most ? 0.5 * r * r : most * (fabs(r) - 0.5 * most);
}

static sot_twofold slope_careful(const sot_loss *loss, sot_twofold u, double label)
{
    if (isnan(u.high) || isnan(u.low)) u = (sot_twofold){0.0, 0.0};
    return sot_cut_twofold(sot_twofold_plus(u, -sot_cut(label, loss->label_most)),
                           loss->parameters[THRESHOLD]);
}

/* As a function of r = u - y: -K, r, K. */
static sot_walk_piece piece_of(const void *context, sot_twofold r)
{
    const double most = *(const double *)context;
    const sot_twofold low = {-most, 0.0};
    const sot_twofold high = {most, 0.0};
    const sot_twofold none = {0.0, 0.0};
    if (sot_twofold_less(r, low)) return (sot_walk_piece){low, low, none, low};
    if (sot_twofold_less(r, high)) return (sot_walk_piece){low, low, {1.0, 0.0}, high};
    return (sot_walk_piece){high, high, none, {(double)INFINITY, 0.0}};
}

static sot_twofold difference_careful(const sot_loss *loss, sot_twofold u,
                                      sot_twofold step, double label)
{
    const sot_twofold r = sot_twofold_plus(u, -sot_cut(label, loss->label_most));
    return sot_walk(piece_of, &loss->parameters[THRESHOLD], r, step);
}

static void slopes(const sot_loss *loss, const float *margins, const float *labels,
                   size_t count, float *out)
{
    const float most = (float)loss->parameters[THRESHOLD_FLOAT];
    const float label_most = sot_float_below(loss->label_most);
    for (size_t i = 0; i < count; i++)
        out[i] = sot_cutf(margins[i] - sot_cutf(labels[i], label_most), most);
}

sot_loss sot_loss_squared(double threshold, double label_most)
{
    return (sot_loss){
        .name = "squared",
        .slope_most = threshold,
        .curvature_most = 1.0,
        .ball_gain = true,
        .smooth = true,
        .twist_most = (double)INFINITY,
        .label_most = label_most,
        .parameters = {threshold, (double)sot_float_below(threshold)},
        .at = squared_at,
        .bend = bend,
        .value_error = 0x1p-50,
        .slope_error = threshold * 0x1p-52,
        .slope_careful = slope_careful,
        .slope_error_careful = threshold * 0x1p-103,
        .difference_careful = difference_careful,
        .difference_error_careful = threshold * 0x1p-98,
        .slopes = slopes,
        .slopes_error = (threshold + label_most) * 0x1p-22,
    };
}

sot_loss sot_loss_huber(double threshold, double label_most)
{
    sot_loss loss = sot_loss_squared(threshold, label_most);
    loss.name = "huber";
    return loss;
}
