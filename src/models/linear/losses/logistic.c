#include <math.h>

#include "models/linear/losses/loss.h"
#include "models/linear/losses/slopes_logistic.h"

/* Errors, with libm's exp and log1p within 4 units in the last place (glibc states 1), a relative
 * 2^-50 each. With a = |u|, e = exp(-a) <= 1 and i = 1 / (1 + e), to first order:
 *
 *     i        e i^2 2^-50 + 2 * 2^-53 i         <= 2^-52 + 2^-52              < 2^-50
 *     e i      (2^-50 i + 3 * 2^-53) e i         <= (2^-50 + 2^-51) / 2        < 2^-50
 *     e i^2    (2^-50 + 5 * 2^-53) e i^2         <= (2^-50 + 2^-50) / 4        = 2^-51
 *     f        log1p(e) relative 2^-50 + 2^-50, one addition of positive terms < 2^-48
 *
 * The second order is far below the remaining slack of the bounds. With a > 745 e may be 0
 * instead of a number below 2^-1074. 1 + e >= 1, so i <= 1 exactly. */
typedef struct curve {
    double slope_size; /* |f'| */
    double curvature;
    double excess; /* e */
} curve;

static inline double margin_of(double u, double label)
{
    if (isnan(u)) return 0.0;
    return label < 0.0 ? -u : u;
}

static inline curve curve_at(double margin)
{
    const double excess = exp(-fabs(margin));
    const double inverse = 1.0 / (1.0 + excess);
    const double small = excess * inverse;
    return (curve){margin >= 0.0 ? small : inverse, small * inverse, excess};
}

static void bend(const sot_loss *loss, double u, double label, double *out_slope,
                 double *out_curvature)
{
    (void)loss;
    const curve at = curve_at(margin_of(u, label));
    *out_slope = label < 0.0 ? at.slope_size : -at.slope_size;
    *out_curvature = at.curvature;
}

static void logistic_at(const sot_loss *loss, double u, double label, sot_loss_at *out)
{
    (void)loss;
    const double margin = margin_of(u, label);
    const curve at = curve_at(margin);
    out->value = fmax(-margin, 0.0) + log1p(at.excess);
    out->slope = label < 0.0 ? at.slope_size : -at.slope_size;
    out->curvature = at.curvature;
}

/* Sums log(1 + e) of many margins as the logarithm of a product. 1 + e is between 1 and 2, so 256
 * factors stay below 2^256. They cost a relative 2^-52 each, an absolute error of the logarithm.
 * It is at most 178, and right to 2^-50 of itself. */
static double logistic_sum(const sot_loss *loss, const double *margins,
                           const double *labels, size_t count)
{
    (void)loss;
    double product = 1.0;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double margin = margin_of(margins[i], labels[i]);
        sum += margin < 0.0 ? -margin : 0.0;
        product *= 1.0 + exp(-fabs(margin));
    }
    return sum + log(product);
}

/* e = exp(-|u|) to 2^-97, a sum and a quotient: 2^-97 + 18 * 2^-106 relative, of at most 1. */
static sot_twofold slope_careful(const sot_loss *loss, sot_twofold u, double label)
{
    (void)loss;
    if (isnan(u.high) || isnan(u.low)) u = (sot_twofold){0.0, 0.0};
    const double sign = label < 0.0 ? -1.0 : 1.0;
    const sot_twofold margin = {sign * u.high, sign * u.low};
    const bool positive = margin.high >= 0.0;
    const sot_twofold size = {fabs(u.high), positive ? margin.low : -margin.low};
    const sot_twofold excess = sot_twofold_exp_of_minus(size);
    const sot_twofold one = {1.0, 0.0};
    const sot_twofold slope =
        sot_twofold_div(positive ? excess : one, sot_twofold_plus(excess, 1.0));
    return (sot_twofold){-sign * slope.high, -sign * slope.low};
}

/* Returns f(m) - f(m + s) for s >= 0 up to 256. With b = m + s it is
 * `log((1 + exp(s - b)) / (1 + exp(-b))) = log1p(q (exp(s) -
 * 1))`, q = 1 / (1 + exp(b)). All is positive, so relative errors stay small: 2^-95 of q, of
 * exp - 1, of log1p, which is at most s. A b that is off by e costs at most e times the change of
 * the slope. */
static sot_twofold fall(sot_twofold m, sot_twofold s)
{
    const sot_twofold b = sot_twofold_add(m, s);
    const bool positive = b.high >= 0.0;
    const sot_twofold excess =
        sot_twofold_exp_of_minus(positive ? b : sot_twofold_minus(b));
    const sot_twofold one = {1.0, 0.0};
    const sot_twofold q =
        sot_twofold_div(positive ? excess : one, sot_twofold_plus(excess, 1.0));
    return sot_twofold_log1p(sot_twofold_mul(q, sot_twofold_expm1(s)));
}

/* The same for any s: below -256 the slope is -1 and above 256 it is 0, both to exp(-256). */
static sot_twofold fall_far(sot_twofold m, sot_twofold s)
{
    enum { FLAT = 256 };
    sot_twofold sum = {0.0, 0.0};
    if (m.high < -FLAT) {
        const sot_twofold room = sot_twofold_plus(sot_twofold_minus(m), -FLAT);
        if (!sot_twofold_less(room, s)) return s;
        sum = room;
        m = (sot_twofold){-FLAT, 0.0};
        s = sot_twofold_add(s, sot_twofold_minus(room));
    }
    while (s.high > 0.0 && m.high < FLAT) {
        const sot_twofold part = s.high > FLAT ? (sot_twofold){FLAT, 0.0} : s;
        sum = sot_twofold_add(sum, fall(m, part));
        m = sot_twofold_add(m, part);
        s = sot_twofold_add(s, sot_twofold_minus(part));
    }
    return sum;
}

static sot_twofold difference_careful(const sot_loss *loss, sot_twofold u,
                                      sot_twofold step, double label)
{
    (void)loss;
    const double sign = label < 0.0 ? -1.0 : 1.0;
    const sot_twofold m = {sign * u.high, sign * u.low};
    const sot_twofold s = {sign * step.high, sign * step.low};
    if (s.high >= 0.0) return sot_twofold_minus(fall_far(m, s));
    return fall_far(sot_twofold_add(m, s), sot_twofold_minus(s));
}

/* The bits are those of one function, on any processor. */
static void slopes(const sot_loss *loss, const float *margins, const float *labels,
                   size_t count, float *out)
{
    (void)loss;
    sot_slopes_logistic(margins, labels, count, out);
}

const sot_loss sot_loss_logistic = {
    .name = "logistic",
    .slope_most = 1.0,
    .curvature_most = 0.25,
    .self_bounding = true,
    .ball_gain = true,
    .one_signed = true,
    .smooth = true,
    .label_most = 1.0,
    .twist_most = 1.0, /* f''' = f'' (1 - 2 s), s = |f'| in [0, 1] */
    .at = logistic_at,
    .sum = logistic_sum,
    .bend = bend,
    .value_error = 0x1p-48,
    .slope_error = 0x1p-50,
    .curvature_error = 0x1p-51,
    .slope_careful = slope_careful,
    .slope_error_careful = 0x1p-95,
    .difference_careful = difference_careful,
    .difference_error_careful = 0x1p-93,
    .slopes = slopes,
    .slopes_error = 0x1p-21,
};
