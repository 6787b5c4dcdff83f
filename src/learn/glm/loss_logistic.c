#include <math.h>

#include "learn/glm/loss.h"
#include "learn/glm/slopes_logistic.h"

/* Errors, with libm's exp and log1p within 4 units in the last place (1 is what glibc states), a
 * relative 2^-50 each. With a = |u|, e = exp(-a) <= 1 and i = 1 / (1 + e), to first order:
 *     i        e i^2 2^-50 + 2 * 2^-53 i         <= 2^-52 + 2^-52              < 2^-50
 *     e i      (2^-50 i + 3 * 2^-53) e i         <= (2^-50 + 2^-51) / 2        < 2^-50
 *     e i^2    (2^-50 + 5 * 2^-53) e i^2         <= (2^-50 + 2^-50) / 4        = 2^-51
 *     f        log1p(e) relative 2^-50 + 2^-50, one addition of positive terms < 2^-48
 * and the second order is far below what is left to the bounds. With a > 745 e may be 0 instead of
 * a number below 2^-1074. 1 + e >= 1, so i <= 1 exactly. */
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

/* exp(x) - 1 for |x| <= log(2) / 128 + 2^-60, by its series to x^12: what is left out is below
 * 2^-135. From x^7 on a term is below 2^-57 x, so doubles do there: 2^-110 x. The rest are six steps
 * of a multiplication and an addition: a relative error below 2^-101 in all, since each step
 * divides the errors before it by 180 or more. */
static sot_twofold series(sot_twofold x)
{
    static const double tail[] = {0x1.1eed8eff8d898p-29, 0x1.ae64567f544e4p-26,
                                  0x1.27e4fb7789f5cp-22, 0x1.71de3a556c734p-19,
                                  0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-13};
    static const sot_twofold head[] = {{0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
                                       {0x1.1111111111111p-7, 0x1.1111111111111p-63},
                                       {0x1.5555555555555p-5, 0x1.5555555555555p-59},
                                       {0x1.5555555555555p-3, 0x1.5555555555555p-57},
                                       {0.5, 0.0},
                                       {1.0, 0.0}};
    double rest = 0.0;
    for (size_t i = 0; i < sizeof tail / sizeof *tail; i++)
        rest = rest * x.high + tail[i];
    sot_twofold sum = {rest, 0.0};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        sum = sot_twofold_add(sot_twofold_mul(sum, x), head[i]);
    return sot_twofold_mul(sum, x);
}

/* exp(-a), a >= 0, relative error below 2^-97 down to 2^-900, absolute below 2^-900 beyond. With
 * a = k log 2 - 64 x the first product is exact (40 + 11 bits), so x has an absolute error below
 * 2^-107 (k log2_low and the rounding of sums below 1/2). (1 + p)^2 = 1 + p (2 + p) doubles p and
 * its error six times, adding a relative 2^-102 each time. */
static sot_twofold exp_of_minus(sot_twofold a)
{
    if (a.high > 800.0) return (sot_twofold){0.0, 0.0};
    const double k = rint(a.high * 0x1.71547652b82fep+0);
    sot_twofold x = sot_twofold_plus(a, -k * 0x1.62e42fefa2000p-1);
    x = sot_twofold_add(x, sot_twofold_of_product(-k, 0x1.9ef35793c7673p-41));
    x = sot_twofold_plus(x, -k * 0x1.f97b57a079a19p-103);
    x.high *= -0x1p-6;
    x.low *= -0x1p-6;
    sot_twofold p = series(x);
    for (int i = 0; i < 6; i++)
        p = sot_twofold_mul(p, sot_twofold_plus(p, 2.0));
    const sot_twofold one_more = sot_twofold_plus(p, 1.0);
    return (sot_twofold){ldexp(one_more.high, -(int)k), ldexp(one_more.low, -(int)k)};
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
    const sot_twofold excess = exp_of_minus(size);
    const sot_twofold one = {1.0, 0.0};
    const sot_twofold slope =
        sot_twofold_div(positive ? excess : one, sot_twofold_plus(excess, 1.0));
    return (sot_twofold){-sign * slope.high, -sign * slope.low};
}

/* The bits are those of one function, whatever the processor. */
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
    .one_signed = true,
    .smooth = true,
    .label_most = 1.0,
    .twist_most = 1.0, /* f''' = f'' (1 - 2 s), s = |f'| in [0, 1] */
    .at = logistic_at,
    .bend = bend,
    .value_error = 0x1p-48,
    .slope_error = 0x1p-50,
    .curvature_error = 0x1p-51,
    .slope_careful = slope_careful,
    .slope_error_careful = 0x1p-95,
    .slopes = slopes,
    .slopes_error = 0x1p-21,
};
