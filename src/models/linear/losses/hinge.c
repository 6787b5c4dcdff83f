/* The hinge with a smoothed kink, and the hinge. Constants: loss.md. */
#include <math.h>

#include "models/linear/losses/broken_line.h"
#include "models/linear/losses/clip.h"
#include "models/linear/losses/loss.h"
#include "numeric/outward.h"

enum { WIDTH = 0, HALF_INVERSE = 1 };

/* a = 1 - y u; NaN counts as a margin of 0. */
static inline double shortfall(double u, double label)
{
    if (isnan(u)) return 1.0;
    return label < 0.0 ? 1.0 + u : 1.0 - u;
}

/* Returns -y (a + h) / (2 h), clipped to [0, 1] before the sign. */
static void bend(const sot_loss *loss, double u, double label, double *out_slope,
                 double *out_curvature)
{
    const double width = loss->parameters[WIDTH];
    const double a = shortfall(u, label);
    const bool corner = fabs(a) < width;
    double size = a > 0.0 ? 1.0 : 0.0;
    if (corner) size = fmin(1.0, (a + width) / (2.0 * width));
    *out_slope = label < 0.0 ? size : -size;
    *out_curvature = corner ? loss->parameters[HALF_INVERSE] : 0.0;
}

static void smoothed_at(const sot_loss *loss, double u, double label, sot_loss_at *out)
{
    const double width = loss->parameters[WIDTH];
    const double a = shortfall(u, label);
    bend(loss, u, label, &out->slope, &out->curvature);
    out->value = fmax(a, 0.0);
    if (fabs(a) < width) out->value = (a + width) * ((a + width) / (4.0 * width));
}

static sot_twofold slope_careful(const sot_loss *loss, sot_twofold u, double label)
{
    const double width = loss->parameters[WIDTH];
    if (isnan(u.high) || isnan(u.low)) u = (sot_twofold){0.0, 0.0};
    const double sign = label < 0.0 ? 1.0 : -1.0; /* of the slope */
    const sot_twofold a =
        sot_twofold_plus((sot_twofold){sign * u.high, sign * u.low}, 1.0);
    const sot_twofold reach = sot_twofold_plus(a, width);
    if (!(reach.high > 0.0)) return (sot_twofold){0.0, 0.0};
    if (reach.high > 4.0 * width) return (sot_twofold){sign, 0.0}; /* no overflow */
    sot_twofold size = sot_twofold_div(reach, (sot_twofold){2.0 * width, 0.0});
    size = sot_cut_twofold(size, 1.0);
    return (sot_twofold){sign * size.high, sign * size.low};
}

/* As a function of a = 1 - y u: 0, (a + h) / (2 h), 1. */
static sot_walk_piece piece_of(const void *context, sot_twofold a)
{
    const double width = *(const double *)context;
    const sot_twofold low = {-width, 0.0};
    const sot_twofold high = {width, 0.0};
    const sot_twofold none = {0.0, 0.0};
    const sot_twofold one = {1.0, 0.0};
    if (sot_twofold_less(a, low)) return (sot_walk_piece){low, none, none, low};
    if (sot_twofold_less(a, high))
        return (sot_walk_piece){
            low, none, sot_twofold_div(one, (sot_twofold){2.0 * width, 0.0}), high};
    return (sot_walk_piece){high, one, none, {(double)INFINITY, 0.0}};
}

static sot_twofold difference_careful(const sot_loss *loss, sot_twofold u,
                                      sot_twofold step, double label)
{
    const double sign = label < 0.0 ? 1.0 : -1.0;
    const sot_twofold a =
        sot_twofold_plus((sot_twofold){sign * u.high, sign * u.low}, 1.0);
    return sot_walk(piece_of, &loss->parameters[WIDTH], a,
                    (sot_twofold){sign * step.high, sign * step.low});
}

static void slopes(const sot_loss *loss, const float *margins, const float *labels,
                   size_t count, float *out)
{
    const float width = (float)loss->parameters[WIDTH];
    const float inverse = (float)loss->parameters[HALF_INVERSE];
    for (size_t i = 0; i < count; i++) {
        const float sign = labels[i] < 0.0f ? 1.0f : -1.0f;
        const float size = ((1.0f + sign * margins[i]) + width) * inverse;
        const float low = size > 0.0f ? size : 0.0f; /* NaN too */
        out[i] = sign * (low < 1.0f ? low : 1.0f);
    }
}

sot_loss sot_loss_smoothed_hinge(double width)
{
    return (sot_loss){
        .name = "smoothed-hinge",
        .slope_most = 1.0,
        .curvature_most = sot_div_up(0.5, width),
        .ball_gain = true,
        .one_signed = true,
        .smooth = true,
        .twist_most = (double)INFINITY,
        .label_most = 1.0,
        .parameters = {width, 0.5 / width},
        .at = smoothed_at,
        .bend = bend,
        .value_error = 0x1p-49,
        .slope_error = 0x1p-51,
        .curvature_error = 0x1p-52 / width,
        .slope_careful = slope_careful,
        .slope_error_careful = 0x1p-101,
        .difference_careful = difference_careful,
        .difference_error_careful = 0x1p-98 * (1.0 + 0x1p-4 / width),
        .slopes = slopes,
        .slopes_error = 0x1p-21,
    };
}

/* ---- without the smoothing ---- */

static void hinge_bend(const sot_loss *loss, double u, double label, double *out_slope,
                       double *out_curvature)
{
    (void)loss;
    const double size = shortfall(u, label) >= 0.0 ? 1.0 : 0.0;
    *out_slope = label < 0.0 ? size : -size;
    *out_curvature = 0.0;
}

static void hinge_at(const sot_loss *loss, double u, double label, sot_loss_at *out)
{
    hinge_bend(loss, u, label, &out->slope, &out->curvature);
    out->value = fmax(shortfall(u, label), 0.0);
}

static sot_twofold hinge_careful(const sot_loss *loss, sot_twofold u, double label)
{
    (void)loss;
    if (isnan(u.high) || isnan(u.low)) u = (sot_twofold){0.0, 0.0};
    const double sign = label < 0.0 ? 1.0 : -1.0;
    const sot_twofold a =
        sot_twofold_plus((sot_twofold){sign * u.high, sign * u.low}, 1.0);
    return (sot_twofold){a.high >= 0.0 ? sign : 0.0, 0.0};
}

static void hinge_slopes(const sot_loss *loss, const float *margins, const float *labels,
                         size_t count, float *out)
{
    (void)loss;
    for (size_t i = 0; i < count; i++) {
        const float sign = labels[i] < 0.0f ? 1.0f : -1.0f;
        out[i] = sign * margins[i] < -1.0f ? 0.0f : sign; /* NaN: as 0 */
    }
}

const sot_loss sot_loss_hinge = {
    .name = "hinge",
    .slope_most = 1.0,
    .curvature_most = (double)INFINITY,
    .one_signed = true,
    .twist_most = (double)INFINITY,
    .label_most = 1.0,
    .at = hinge_at,
    .bend = hinge_bend,
    .value_error = 0x1p-52,
    .slope_careful = hinge_careful,
    .slopes = hinge_slopes,
};
