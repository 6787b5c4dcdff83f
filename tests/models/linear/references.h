/* tests/models/linear/references.h: the losses in MPFR, from their definitions alone. */
#ifndef SOTTO_TESTS_GLM_REFERENCES_H
#define SOTTO_TESTS_GLM_REFERENCES_H

#include "support.h"

#include <mpfr.h>

#include "models/linear/losses/loss.h"

/* f, f', f'' at u + low; and whether that is so near to a corner that a rounded margin may lie on its
 * other side. */
typedef struct exact_loss {
    mpfr_t value, slope, curvature, u, t;
    bool near_corner;
} exact_loss;

static inline void exact_begin(exact_loss *e)
{
    mpfr_inits2(400, e->value, e->slope, e->curvature, e->u, e->t, (mpfr_ptr)NULL);
}

static inline void exact_end(exact_loss *e)
{
    mpfr_clears(e->value, e->slope, e->curvature, e->u, e->t, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

static inline double exact_distance(mpfr_t from, double high, double low)
{
    mpfr_t d;
    mpfr_init2(d, 1400);
    mpfr_sub_d(d, from, high, MPFR_RNDN);
    mpfr_sub_d(d, d, low, MPFR_RNDN);
    const double size = fabs(mpfr_get_d(d, MPFR_RNDA));
    mpfr_clear(d);
    return size;
}

/* |t| - corner is tiny */
static inline bool exact_is_near(const mpfr_t t, double corner)
{
    mpfr_t d;
    mpfr_init2(d, 400);
    mpfr_abs(d, t, MPFR_RNDN);
    mpfr_sub_d(d, d, corner, MPFR_RNDN);
    const bool near = fabs(mpfr_get_d(d, MPFR_RNDN)) <= 0x1p-46 * (1.0 + corner);
    mpfr_clear(d);
    return near;
}

/* r = u - y: r^2/2, or K |r| - K^2/2 */
static inline void exact_squared(exact_loss *e, double threshold, double label)
{
    mpfr_sub_d(e->t, e->u, label, MPFR_RNDN);
    e->near_corner = exact_is_near(e->t, threshold);
    if (mpfr_cmp_d(e->t, threshold) < 0 && mpfr_cmp_d(e->t, -threshold) > 0) {
        mpfr_set(e->slope, e->t, MPFR_RNDN);
        mpfr_set_d(e->curvature, 1.0, MPFR_RNDN);
        mpfr_sqr(e->value, e->t, MPFR_RNDN);
        mpfr_div_ui(e->value, e->value, 2, MPFR_RNDN);
        return;
    }
    mpfr_set_d(e->slope, mpfr_sgn(e->t) > 0 ? threshold : -threshold, MPFR_RNDN);
    mpfr_set_zero(e->curvature, 1);
    mpfr_abs(e->value, e->t, MPFR_RNDN);
    mpfr_set_d(e->t, threshold, MPFR_RNDN);
    mpfr_div_ui(e->t, e->t, 2, MPFR_RNDN);
    mpfr_sub(e->value, e->value, e->t, MPFR_RNDN);
    mpfr_mul_d(e->value, e->value, threshold, MPFR_RNDN);
}

/* m = y u: Chaudhuri's smoothed hinge, or with a width of 0 the hinge */
static inline void exact_hinge(exact_loss *e, double width, double label)
{
    const bool negative = label < 0.0;
    mpfr_set(e->t, e->u, MPFR_RNDN);
    if (negative) mpfr_neg(e->t, e->t, MPFR_RNDN);
    mpfr_ui_sub(e->t, 1, e->t, MPFR_RNDN); /* a */
    e->near_corner = exact_is_near(e->t, width);
    const bool above = mpfr_cmp_d(e->t, width) >= 0;
    mpfr_set_d(e->slope, above ? 1.0 : 0.0, MPFR_RNDN);
    mpfr_set_zero(e->curvature, 1);
    mpfr_set_zero(e->value, 1);
    if (above) mpfr_set(e->value, e->t, MPFR_RNDN);
    if (!above && mpfr_cmp_d(e->t, -width) > 0) {
        mpfr_add_d(e->t, e->t, width, MPFR_RNDN);
        mpfr_sqr(e->value, e->t, MPFR_RNDN);
        mpfr_div_d(e->value, e->value, 4.0 * width, MPFR_RNDN);
        mpfr_div_d(e->slope, e->t, 2.0 * width, MPFR_RNDN);
        mpfr_set_d(e->curvature, 0.5, MPFR_RNDN);
        mpfr_div_d(e->curvature, e->curvature, width, MPFR_RNDN);
    }
    if (!negative) mpfr_neg(e->slope, e->slope, MPFR_RNDN);
}

/* exp(u) - y u, from where |exp(u) - y| = K on a line */
static inline void exact_poisson(exact_loss *e, double threshold, double label)
{
    mpfr_exp(e->t, e->u, MPFR_RNDN);
    mpfr_set(e->curvature, e->t, MPFR_RNDN);
    mpfr_sub_d(e->slope, e->t, label, MPFR_RNDN);
    e->near_corner = exact_is_near(e->slope, threshold);
    const bool high = mpfr_cmp_d(e->slope, threshold) > 0;
    const bool low = mpfr_cmp_d(e->slope, -threshold) < 0;
    if (!high && !low) {
        mpfr_mul_d(e->value, e->u, label, MPFR_RNDN);
        mpfr_sub(e->value, e->t, e->value, MPFR_RNDN);
        return;
    }
    const double line = high ? threshold : -threshold;
    mpfr_set_d(e->slope, line, MPFR_RNDN);
    mpfr_set_zero(e->curvature, 1);
    /* begins at s = log(y + line): (y + line) - y s + line (u - s) */
    mpfr_set_d(e->t, label, MPFR_RNDN);
    mpfr_add_d(e->t, e->t, line, MPFR_RNDN);
    mpfr_set(e->value, e->t, MPFR_RNDN);
    mpfr_log(e->t, e->t, MPFR_RNDN);
    mpfr_t part;
    mpfr_init2(part, 400);
    mpfr_mul_d(part, e->t, label, MPFR_RNDN);
    mpfr_sub(e->value, e->value, part, MPFR_RNDN);
    mpfr_sub(part, e->u, e->t, MPFR_RNDN);
    mpfr_mul_d(part, part, line, MPFR_RNDN);
    mpfr_add(e->value, e->value, part, MPFR_RNDN);
    mpfr_clear(part);
}

/* f = log(1 + exp(-m)): s = 1 / (1 + exp(m)), f'' = s (1 - s) */
static inline void exact_logistic(exact_loss *e, double label)
{
    mpfr_set(e->t, e->u, MPFR_RNDN);
    if (label < 0.0) mpfr_neg(e->t, e->t, MPFR_RNDN);
    mpfr_exp(e->slope, e->t, MPFR_RNDN);
    mpfr_add_ui(e->slope, e->slope, 1, MPFR_RNDN);
    mpfr_ui_div(e->slope, 1, e->slope, MPFR_RNDN);
    mpfr_ui_sub(e->curvature, 1, e->slope, MPFR_RNDN);
    mpfr_mul(e->curvature, e->curvature, e->slope, MPFR_RNDN);
    mpfr_neg(e->t, e->t, MPFR_RNDN);
    mpfr_exp(e->value, e->t, MPFR_RNDN);
    mpfr_log1p(e->value, e->value, MPFR_RNDN);
    if (!(label < 0.0)) mpfr_neg(e->slope, e->slope, MPFR_RNDN);
}

static inline double exact_cut(double label, double low, double high)
{
    return label < low ? low : (label > high ? high : label);
}

/* e->u is set already. */
static inline void exact_of(exact_loss *e, const sot_loss *loss, double label)
{
    const double most = loss->label_most;
    e->near_corner = false;
    if (strcmp(loss->name, "logistic") == 0)
        exact_logistic(e, label);
    else if (strcmp(loss->name, "squared") == 0 || strcmp(loss->name, "huber") == 0)
        exact_squared(e, loss->slope_most, exact_cut(label, -most, most));
    else if (strcmp(loss->name, "smoothed-hinge") == 0)
        exact_hinge(e, loss->parameters[0], label);
    else if (strcmp(loss->name, "hinge") == 0)
        exact_hinge(e, 0.0, label);
    else if (strcmp(loss->name, "poisson") == 0)
        exact_poisson(e, loss->slope_most, exact_cut(label, 0.0, most));
    else
        fail_msg("no reference for the loss %s", loss->name);
}

static inline void exact_at(exact_loss *e, const sot_loss *loss, double u, double low,
                            double label)
{
    mpfr_set_d(e->u, u, MPFR_RNDN);
    mpfr_add_d(e->u, e->u, low, MPFR_RNDN);
    exact_of(e, loss, label);
}

#endif
