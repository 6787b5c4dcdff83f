/* A caller's loss, tested on a grid. Claims: loss.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "models/linear/losses/clip.h"
#include "models/linear/losses/loss.h"
#include "numeric/outward.h"

enum { THRESHOLD_FLOAT = 0, NAME_MOST = 32, MARGINS = 4096, LABELS = 17 };

/* Evaluates at a clipped margin; slopes and curvatures are clipped to their bounds. */
static sotto_loss_at asked(const sot_loss *loss, double u, double label)
{
    const sotto_loss *given = loss->context;
    sotto_loss_at at = {0.0, 0.0, 0.0};
    given->at(sot_cut(isnan(u) ? 0.0 : u, SOT_LOSS_CUSTOM_MARGIN), sot_cut(label, 1.0),
              given->context, &at);
    if (isnan(at.slope)) at.slope = 0.0;
    at.slope = sot_cut(at.slope, loss->slope_most);
    const double low = at.curvature > 0.0 ? at.curvature : 0.0; /* NaN too */
    at.curvature = low < loss->curvature_most ? low : loss->curvature_most;
    if (fabs(u) > SOT_LOSS_CUSTOM_MARGIN || isinf(at.curvature)) at.curvature = 0.0;
    return at;
}

static void bend(const sot_loss *loss, double u, double label, double *out_slope,
                 double *out_curvature)
{
    const sotto_loss_at at = asked(loss, u, label);
    *out_slope = at.slope;
    *out_curvature = at.curvature;
}

static void custom_at(const sot_loss *loss, double u, double label, sot_loss_at *out)
{
    const sotto_loss_at at = asked(loss, u, label);
    *out = (sot_loss_at){at.value, at.slope, at.curvature};
    if (fabs(u) > SOT_LOSS_CUSTOM_MARGIN)
        out->value += at.slope * (u - sot_cut(u, SOT_LOSS_CUSTOM_MARGIN));
}

/* The caller's function takes a double: a margin is rounded to it. */
static sot_twofold slope_careful(const sot_loss *loss, sot_twofold u, double label)
{
    return (sot_twofold){asked(loss, u.high, label).slope, 0.0};
}

static void slopes(const sot_loss *loss, const float *margins, const float *labels,
                   size_t count, float *out)
{
    const float most = (float)loss->parameters[THRESHOLD_FLOAT];
    for (size_t i = 0; i < count; i++)
        out[i] = sot_cutf((float)asked(loss, (double)margins[i], (double)labels[i]).slope,
                          most);
}

static sotto_status check_bounds(const sotto_loss *given, sotto_error *error)
{
    const size_t length = given->name != NULL ? strlen(given->name) : 0;
    if (length == 0 || length > NAME_MOST ||
        strspn(given->name, "abcdefghijklmnopqrstuvwxyz0123456789-") != length) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the name of the loss is \"%.40s\"; give one of 1 to %d letters a-z, "
            "digits and hyphens",
            given->name != NULL ? given->name : "", (int)NAME_MOST);
    }
    if (given->at == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the loss %s has no function; set `at`", given->name);
    }
    if (!(given->slope_most > 0x1p-100 && given->slope_most < 0x1p100)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "slope_most of the loss %s is %g; set it to a positive bound of |f'|",
            given->name, given->slope_most);
    }
    if (!(given->curvature_most > 0.0) ||
        (given->curvature_most >= 0x1p100 && !isinf(given->curvature_most))) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "curvature_most of the loss %s is %g; set it to a positive bound of "
            "f'', or to INFINITY if the slope jumps",
            given->name, given->curvature_most);
    }
    if (!(given->slope_error >= 0.0 &&
          given->slope_error <= 0x1p-40 * given->slope_most)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "slope_error of the loss %s is %g; set it to the rounding error of "
            "f', at most 2^-40 slope_most",
            given->name, given->slope_error);
    }
    return SOTTO_OK;
}

static sotto_status refuse(const sotto_loss *given, const char *what, double margin,
                           double label, sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the loss %s %s near the margin %g and the label %g; correct the "
                    "function or its bounds",
                    given->name, what, margin, label);
}

/* Checks the caller's claims on two neighbours of the grid. */
static const char *broken(const sotto_loss *given, double step, const sotto_loss_at *low,
                          const sotto_loss_at *high)
{
    const double slack = 2.0 * given->slope_error + 0x1p-50 * given->slope_most;
    const double rise = high->slope - low->slope;
    if (!(fabs(high->slope) <= given->slope_most + slack))
        return "has a slope beyond slope_most";
    if (!(rise >= -slack)) return "has a slope that falls: it is not convex";
    if (!(rise <= given->curvature_most * step + slack))
        return "has a slope that rises faster than curvature_most";
    if (!(high->curvature >= 0.0 &&
          high->curvature <= given->curvature_most * (1.0 + 1e-9)))
        return "has a curvature outside 0 to curvature_most";
    /* Between the two slopes, as the mean value theorem has it. */
    const double grown = high->value - low->value;
    const double room = 1e-9 * (fabs(low->value) + fabs(high->value) + given->slope_most);
    if (!(grown >= low->slope * step - room && grown <= high->slope * step + room))
        return "has values that do not fit its slopes";
    return NULL;
}

static sotto_status check_label(const sotto_loss *given, double label, sotto_error *error)
{
    const double step = 2.0 * SOT_LOSS_CUSTOM_MARGIN / (double)MARGINS;
    sotto_loss_at at[2], again;
    double first = 0.0; /* the first slope that is not 0 */
    for (int i = 0; i <= MARGINS; i++) {
        const double margin = -SOT_LOSS_CUSTOM_MARGIN + step * (double)i;
        sotto_loss_at *here = &at[i % 2];
        const sotto_loss_at *before = &at[(i + 1) % 2];
        given->at(margin, label, given->context, here);
        given->at(margin, label, given->context, &again);
        if (!(again.slope == here->slope && again.curvature == here->curvature))
            return refuse(given, "gives two answers, or none,", margin, label, error);
        if (first == 0.0 && fabs(here->slope) > given->slope_error) first = here->slope;
        if (given->one_signed && first * here->slope < 0.0 &&
            fabs(here->slope) > given->slope_error)
            return refuse(given, "has slopes of both signs, and says one_signed,", margin,
                          label, error);
        const char *what = i > 0 ? broken(given, step, before, here) : NULL;
        if (what != NULL) return refuse(given, what, margin, label, error);
    }
    return SOTTO_OK;
}

sotto_status sot_loss_custom(const sotto_loss *given, sot_loss *out_loss,
                             sotto_error *error)
{
    sotto_status status = check_bounds(given, error);
    const int labels = given->classes ? 2 : LABELS;
    for (int i = 0; status == SOTTO_OK && i < labels; i++)
        status = check_label(given, -1.0 + 2.0 * (double)i / (double)(labels - 1), error);
    if (status != SOTTO_OK) return status;
    const bool smooth = !isinf(given->curvature_most);
    /* A margin is rounded to a double: 2^-53 of at most 64. */
    const double rounding =
        smooth ? sot_mul_up(given->curvature_most, 0x1p-53 * SOT_LOSS_CUSTOM_MARGIN)
               : 0.0;
    *out_loss = (sot_loss){
        .name = given->name,
        .slope_most = given->slope_most,
        .curvature_most = given->curvature_most,
        .one_signed = given->one_signed,
        .smooth = smooth,
        .twist_most = (double)INFINITY,
        .label_most = 1.0,
        .parameters = {(double)sot_float_below(given->slope_most)},
        .context = given,
        .at = custom_at,
        .bend = bend,
        .value_error = 0x1p-40,
        .slope_error = given->slope_error,
        .curvature_error = given->curvature_most,
        .slope_careful = slope_careful,
        .slope_error_careful = sot_add_up(given->slope_error, rounding),
        .slopes = slopes,
        .slopes_error = sot_add_up(given->slope_error, given->slope_most * 0x1p-22),
    };
    return SOTTO_OK;
}
