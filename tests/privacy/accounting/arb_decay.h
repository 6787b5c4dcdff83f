/* tests/privacy/accounting/arb_decay.h: how fast the transform of a law on a line falls.
 *
 * Decay       For s >= S, |M(c+is)| <= int |P(x+ib)| e^{c Re L - S Im L} dx where Im L(x+ib) >= 0;
 *             the modulus squared is P(x+ib) P(x-ib) ..., analytic, so acb_calc_integrate does it.
 */
#ifndef SOTTO_TESTS_ARB_DECAY_H
#define SOTTO_TESTS_ARB_DECAY_H

#include "privacy/accounting/arb_line.h"

#include <acb_calc.h>

typedef struct line_shift {
    const part *law;
    double c, s, b; /* b > 0 for remove and replaced, < 0 for add */
} line_shift;

static inline int line_shifted(acb_ptr out, const acb_t x, void *context, slong order,
                               slong prec)
{
    const line_shift *shift = context;
    acb_t y, log_p[2], loss[2], sum;
    arb_t t;
    acb_init(y);
    acb_init(sum);
    arb_init(t);
    for (int k = 0; k < 2; k++) {
        acb_init(log_p[k]);
        acb_init(loss[k]);
        arb_set_d(t, k == 0 ? shift->b : -shift->b);
        acb_set(y, x);
        arb_add(acb_imagref(y), acb_imagref(y), t, prec);
        line_eval(log_p[k], loss[k], shift->law, shift->law->kind, y, order != 0, prec);
    }
    /* (1/2)(log P+ + log P-) + (c/2)(L+ + L-) + (is/2)(L+ - L-) */
    acb_add(sum, loss[0], loss[1], prec);
    arb_set_d(t, shift->c);
    acb_mul_arb(sum, sum, t, prec);
    acb_sub(y, loss[0], loss[1], prec);
    arb_set_d(t, shift->s);
    acb_mul_arb(y, y, t, prec);
    acb_mul_onei(y, y);
    acb_add(sum, sum, y, prec);
    acb_add(sum, sum, log_p[0], prec);
    acb_add(sum, sum, log_p[1], prec);
    acb_mul_2exp_si(sum, sum, -1);
    acb_exp(out, sum, prec);
    for (int k = 0; k < 2; k++) {
        acb_clear(log_p[k]);
        acb_clear(loss[k]);
    }
    acb_clear(y);
    acb_clear(sum);
    arb_clear(t);
    return 0;
}

/* An upper bound of |M(c + is')| for every s' >= s, by the line moved up by |b|. Beyond the range
 * |P(x+ib)| <= P e^{b^2/(2 sigma^2)} and |r| >= r cos(theta/2), theta = |b|/sigma^2 < pi. */
static inline void line_decay(arb_t bound, const part *one, double c, double s, double b)
{
    line_shift shift = {one, c, s, one->kind == PART_ADD ? -b : b};
    const line_range range = line_range_of(one, c);
    acb_t low, high, integral;
    arb_t t, angle;
    mag_t tolerance;
    acb_init(low);
    acb_init(high);
    acb_init(integral);
    arb_init(t);
    arb_init(angle);
    mag_init(tolerance);
    acb_set_d(low, range.low);
    acb_set_d(high, range.high);
    mag_set_ui_2exp_si(tolerance, 1, -60);
    acb_calc_integrate(integral, line_shifted, &shift, low, high, 50, tolerance, NULL,
                       80);
    arb_const_pi(t, PREC);
    arb_mul_2exp_si(t, t, 1);
    arb_sqrt(t, t, PREC);
    arb_mul(t, t, one->sigma, PREC);
    arb_div(bound, acb_realref(integral), t, PREC);
    line_cut_off(t, one, c, range);
    arb_set_d(angle, b);
    arb_div(angle, angle, one->sigma, PREC);
    arb_mul(acb_realref(low), angle, angle, PREC); /* b^2/sigma^2 */
    arb_mul_2exp_si(acb_realref(low), acb_realref(low), -1);
    arb_div(angle, angle, one->sigma, PREC);
    arb_mul_2exp_si(angle, angle, -1);
    arb_cos(angle, angle, PREC);
    arb_log(angle, angle, PREC);
    arb_set_d(acb_realref(high), c);
    if (one->kind != PART_REMOVE)
        arb_submul(acb_realref(low), angle, acb_realref(high), PREC);
    arb_exp(angle, acb_realref(low), PREC);
    arb_addmul(bound, t, angle, PREC);
    acb_clear(low);
    acb_clear(high);
    acb_clear(integral);
    arb_clear(t);
    arb_clear(angle);
    mag_clear(tolerance);
}

/* The same for batches of fixed size, whose law ends at x = 1/2: integrated by parts against d(e^{isL}),
 * |int_{1/2}^inf phi r^{1+c+is}| <= (g(1/2) + variation of g)/s, g = phi r^{1+c}/L', L' = p/sigma^2, p = q e^U/r.
 * sigma^2 (log g)' = (2 + c) p - 1 - x, a logistic curve less a line, has at most three zeros: at most two
 * maxima, so the bracket is at most 4 sup g. With r^{-c-is} in place, sigma^2 (log g)' = (1 - c) p - 1 - x < 0:
 * 2 g(1/2). The atom stays. */
static inline void line_fixed_decay(arb_t bound, const part *one, double c, double s)
{
    const line_range range = line_range_of(one, c);
    const double sigma = arf_get_d(arb_midref(one->sigma), ARF_RND_NEAR);
    const double cell = 0x1p-8 * exp2(floor(log2(sigma)));
    acb_t x, log_p, loss;
    arb_t top, g, t, first;
    acb_init(x);
    acb_init(log_p);
    acb_init(loss);
    arb_init(top);
    arb_init(g);
    arb_init(t);
    arb_init(first);
    for (double at = 0.5; at < range.high; at += cell) {
        for (int is_down = 0; is_down < (at == 0.5 ? 2 : 1); is_down++) {
            arb_set_d(acb_realref(x), at);
            arb_set_d(t, at + cell);
            arb_union(acb_realref(x), acb_realref(x), t, 53);
            line_eval(log_p, loss, one, PART_REMOVE, x, 0, 53);
            /* log p = log q + U - log r, and phi r^{1+c} = e^{log_p + c L} */
            arb_set_d(t, is_down ? -c - 1.0 : c);
            arb_addmul(acb_realref(log_p), acb_realref(loss), t, 53);
            arb_add(acb_realref(log_p), acb_realref(log_p), acb_realref(loss), 53);
            arb_mul_2exp_si(g, acb_realref(x), 1);
            arb_sub_ui(g, g, 1, 53);
            arb_mul(t, one->sigma, one->sigma, 53);
            arb_mul_2exp_si(t, t, 1);
            arb_div(g, g, t, 53);
            arb_sub(g, acb_realref(log_p), g, 53);
            arb_exp(g, g, 53);
            if (is_down)
                arb_set(first, g);
            else if (at == 0.5)
                arb_set(top, g);
            else
                arb_max(top, top, g, 53);
        }
    }
    arb_mul_2exp_si(top, top, 2);
    arb_mul_2exp_si(first, first, 1);
    arb_add(top, top, first, 53);
    arb_div(top, top, one->rate,
            53); /* sigma^2/(q sigma sqrt(2 pi)) is left of 1/L' and phi */
    arb_mul(top, top, one->sigma, 53);
    arb_const_pi(t, 53);
    arb_mul_2exp_si(t, t, 1);
    arb_sqrt(t, t, 53);
    arb_div(top, top, t, 53);
    arb_set_d(t, s);
    arb_div(top, top, t, 53);
    normal_above_d(bound, 0.5, 0.0, one->sigma); /* (1 - q)(1 - 2 P(N > 1/(2 sigma))) */
    arb_mul_si(bound, bound, -2, PREC);
    arb_add_ui(bound, bound, 1, PREC);
    arb_sub_ui(t, one->rate, 1, PREC);
    arb_neg(t, t);
    arb_mul(bound, bound, t, PREC);
    arb_add(bound, bound, top, PREC);
    acb_clear(x);
    acb_clear(log_p);
    acb_clear(loss);
    arb_clear(top);
    arb_clear(g);
    arb_clear(t);
    arb_clear(first);
}

#endif
