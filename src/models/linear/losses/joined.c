#include "models/linear/losses/joined.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/linear/losses/broken_line.h"
#include "models/linear/losses/clip.h"
#include "numeric/outward.h"

enum { NODES = SOT_LOSS_JOINED_NODES, PER_UNIT = 32, NUMBERS = 2 * PER_UNIT + 1 };

#define FAR SOT_LOSS_CUSTOM_MARGIN

/* The two tables around a label, and the weight of the second. */
typedef struct between {
    const double *low, *high; /* slopes */
    const double *low_values, *high_values;
    double weight;
} between;

static between tables_of(const sot_loss *loss, double label)
{
    const sot_loss_joined *joined = loss->context;
    size_t k = label < 0.0 ? 0 : 1;
    double weight = 0.0;
    if (joined->labels > 2) {
        const double place = (sot_cut(label, 1.0) + 1.0) * PER_UNIT;
        k = (size_t)place;
        if (k > NUMBERS - 2) k = NUMBERS - 2;
        weight = place - (double)k;
    }
    const size_t next = weight > 0.0 ? k + 1 : k;
    return (between){joined->slopes + k * NODES, joined->slopes + next * NODES,
                     joined->values + k * NODES, joined->values + next * NODES, weight};
}

static inline double mean_of(double low, double high, double weight)
{
    return low + weight * (high - low);
}

/* 0 .. NODES - 2 for margins of the grid. */
static inline size_t segment_of(double u)
{
    const double place = (u + FAR) * PER_UNIT;
    if (!(place > 0.0)) return 0;
    return place < (double)(NODES - 2) ? (size_t)place : NODES - 2;
}

static inline double node(size_t k)
{
    return (double)k / PER_UNIT - FAR;
}

static void joined_at(const sot_loss *loss, double u, double label, sot_loss_at *out)
{
    if (isnan(u)) u = 0.0;
    const between of = tables_of(loss, label);
    const double inside = sot_cut(u, FAR);
    const size_t k = segment_of(inside);
    const double begin = mean_of(of.low[k], of.high[k], of.weight);
    const double end = mean_of(of.low[k + 1], of.high[k + 1], of.weight);
    const double along = inside - node(k);
    const double slope = begin + (end - begin) * (along * PER_UNIT);
    const bool far = fabs(u) > FAR;
    out->slope = sot_cut(slope, loss->slope_most);
    out->curvature = far || !(end > begin) ? 0.0 : (end - begin) * PER_UNIT;
    if (out->curvature > loss->curvature_most) out->curvature = loss->curvature_most;
    out->value = mean_of(of.low_values[k], of.high_values[k], of.weight) +
                 0.5 * (begin + slope) * along + out->slope * (u - inside);
}

static void bend(const sot_loss *loss, double u, double label, double *out_slope,
                 double *out_curvature)
{
    sot_loss_at at;
    joined_at(loss, u, label, &at);
    *out_slope = at.slope;
    *out_curvature = at.curvature;
}

/* The mean of two numbers of the tables, to 2^-104 of the larger. */
static sot_twofold careful_mean(double low, double high, double weight)
{
    const sot_twofold rise = sot_twofold_of_sum(high, -low);
    return sot_twofold_plus(sot_twofold_times(rise, weight), low);
}

static sot_walk_piece piece_of(const void *context, sot_twofold u)
{
    const between *of = context;
    const sot_twofold none = {0.0, 0.0};
    const sot_twofold first = {-FAR, 0.0};
    const sot_twofold last = {FAR, 0.0};
    const double w = of->weight;
    if (sot_twofold_less(u, first))
        return (sot_walk_piece){first, careful_mean(of->low[0], of->high[0], w), none,
                                first};
    if (!sot_twofold_less(u, last))
        return (sot_walk_piece){last,
                                careful_mean(of->low[NODES - 1], of->high[NODES - 1], w),
                                none,
                                {(double)INFINITY, 0.0}};
    size_t k = segment_of(u.high);
    if (k > 0 && sot_twofold_less(u, (sot_twofold){node(k), 0.0})) k--;
    const sot_twofold begin = careful_mean(of->low[k], of->high[k], w);
    const sot_twofold end = careful_mean(of->low[k + 1], of->high[k + 1], w);
    sot_twofold rate = sot_twofold_add(end, sot_twofold_minus(begin));
    rate.high *= PER_UNIT;
    rate.low *= PER_UNIT;
    return (sot_walk_piece){{node(k), 0.0}, begin, rate, {node(k + 1), 0.0}};
}

static sot_twofold slope_careful(const sot_loss *loss, sot_twofold u, double label)
{
    if (isnan(u.high) || isnan(u.low)) u = (sot_twofold){0.0, 0.0};
    const between of = tables_of(loss, label);
    const sot_walk_piece piece = piece_of(&of, u);
    sot_twofold slope = piece.slope;
    if (piece.rate.high != 0.0) {
        const sot_twofold along = sot_twofold_add(u, sot_twofold_minus(piece.from));
        slope = sot_twofold_add(slope, sot_twofold_mul(piece.rate, along));
    }
    return sot_cut_twofold(slope, loss->slope_most);
}

static sot_twofold difference_careful(const sot_loss *loss, sot_twofold u,
                                      sot_twofold step, double label)
{
    const between of = tables_of(loss, label);
    return sot_walk(piece_of, &of, u, step);
}

static void slopes(const sot_loss *loss, const float *margins, const float *labels,
                   size_t count, float *out)
{
    const float most = (float)loss->parameters[0];
    for (size_t i = 0; i < count; i++) {
        sot_loss_at at;
        joined_at(loss, (double)margins[i], (double)labels[i], &at);
        out[i] = sot_cutf((float)at.slope, most);
    }
}

double sot_loss_joined_curvature(const sot_loss *custom)
{
    /* The slopes' own errors, over a segment: a caller whose slopes rise as fast as they may is not held back. */
    const double slack = 2.0 * custom->slope_error + 0x1p-48 * custom->slope_most;
    return sot_widen_up(custom->curvature_most + PER_UNIT * slack, 0x1p-47);
}

double sot_loss_joined_difference_error(const sot_loss *custom)
{
    return custom->slope_most * 0x1p-92;
}

/* Slopes of one label that never fall and never rise too fast, and their integral from the margin 0 on. Returns the steepest rise a unit. */
static double fill_label(const sot_loss *custom, double label, double *out_slopes,
                         double *out_values)
{
    double steepest = 0.0;
    double highest = -custom->slope_most;
    const double rise_most =
        sot_loss_joined_curvature(custom) * (1.0 - 0x1p-50) / PER_UNIT;
    for (size_t k = 0; k < NODES; k++) {
        double curvature;
        double slope;
        custom->bend(custom, node(k), label, &slope, &curvature);
        const double rise = slope > highest ? slope - highest : 0.0;
        highest = k > 0 && rise > rise_most ? highest + rise_most : fmax(slope, highest);
        out_slopes[k] = highest;
        if (k > 0) steepest = fmax(steepest, (highest - out_slopes[k - 1]) * PER_UNIT);
    }
    const size_t middle = NODES / 2;
    out_values[middle] = 0.0;
    for (size_t k = middle + 1; k < NODES; k++)
        out_values[k] =
            out_values[k - 1] + (out_slopes[k] + out_slopes[k - 1]) * (0.5 / PER_UNIT);
    for (size_t k = middle; k-- > 0;)
        out_values[k] =
            out_values[k + 1] - (out_slopes[k] + out_slopes[k + 1]) * (0.5 / PER_UNIT);
    return steepest;
}

/* 2^-50: a few roundings of numbers below 2 slope_most. Values: 2048 additions of terms below slope_most / 32. */
static sot_loss loss_of(const sot_loss *custom, double steepest)
{
    const double most = custom->slope_most;
    return (sot_loss){
        .name = custom->name,
        .slope_most = most,
        .curvature_most = fmin(sot_widen_up(fmax(steepest, most * 0x1p-60), 0x1p-48),
                               sot_loss_joined_curvature(custom)),
        .one_signed = custom->one_signed,
        .smooth = true,
        .twist_most = (double)INFINITY,
        .label_most = 1.0,
        .parameters = {(double)sot_float_below(most)},
        .at = joined_at,
        .bend = bend,
        .value_error = 0x1p-40,
        .slope_error = most * 0x1p-48,
        .curvature_error = most * PER_UNIT * 0x1p-49,
        .slope_careful = slope_careful,
        .slope_error_careful = most * 0x1p-96,
        .difference_careful = difference_careful,
        .difference_error_careful = sot_loss_joined_difference_error(custom),
        .slopes = slopes,
        .slopes_error = most * 0x1p-22,
    };
}

sotto_status sot_loss_joined_new(const sot_loss *custom, sot_loss_joined **out_joined,
                                 sotto_error *error)
{
    const sotto_loss *given = custom->context;
    if (!custom->smooth) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the slope of the loss %s jumps, and a sampler needs a "
                        "continuous one; smooth its kinks and set curvature_most",
                        custom->name);
    }
    const size_t labels = given->classes ? 2 : NUMBERS;
    sot_loss_joined *joined = sot_new_array(1, sizeof *joined);
    if (joined == NULL) return sot_fail_memory(error, 1, sizeof *joined);
    joined->labels = labels;
    joined->slopes = sot_new_array(labels, NODES * sizeof *joined->slopes);
    joined->values = sot_new_array(labels, NODES * sizeof *joined->values);
    if (joined->slopes == NULL || joined->values == NULL) {
        sot_loss_joined_free(joined);
        return sot_fail_memory(error, labels, NODES * sizeof(double));
    }
    double steepest = 0.0;
    for (size_t k = 0; k < labels; k++) {
        const double label = -1.0 + 2.0 * (double)k / (double)(labels - 1);
        steepest = fmax(steepest, fill_label(custom, label, joined->slopes + k * NODES,
                                             joined->values + k * NODES));
    }
    joined->loss = loss_of(custom, steepest);
    joined->loss.context = joined;
    *out_joined = joined;
    return SOTTO_OK;
}

void sot_loss_joined_free(sot_loss_joined *joined)
{
    if (joined == NULL) return;
    sot_free(joined->slopes);
    sot_free(joined->values);
    sot_free(joined);
}
