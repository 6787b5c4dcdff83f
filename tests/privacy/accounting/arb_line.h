/* tests/privacy/accounting/arb_line.h: laws on a line, P and L analytic, integrated in balls.
 *
 * Laws        x is the released number in units of the reference norm, phi the density of N(0,
 *             sigma^2), r(x) = 1 - q + q e^{(2x-1)/(2 sigma^2)} the ratio of the mixture to N(0):
 *                 remove    P = phi r, L = log r           add    P = phi, L = -log r
 *                 replaced  P = phi r, L = log r(x) - log r(-x)
 *                 fixed     "remove" and "add" on x > 1/2, what is left of the mass at L = 0
 *             (Zhu, Dong & Wang, AISTATS 2022, Prop. 30; Balle, Barthe & Gaboardi, NeurIPS 2018,
 *             Thm 9, spliced.)
 * Boxes       The same with the density of Q on |x| <= 1 for phi and r = 1 - q + q e^l, l = ex: that of P is
 *             e^{(l-e)/2}/4 with ends, e^{(l-e)/2}/(2(1 - e^-e)) without, of Q it is e^-l times that. The atoms are
 *             not part of the line.
 * Quadrature  M(c+is) = int P e^{(c+is)L} by Gauss-Legendre on panels. f analytic and |f| <= m on the
 *             ellipse of parameter rho = 4 round a panel of half-width H has Chebyshev coefficients
 *             of at most 2 m rho^-k, each polynomial is integrated and summed to at most 2H, and n
 *             nodes are exact below degree 2n: the error is at most 8 H m rho^-2n/(1 - 1/rho). m is
 *             the upper end of the ball of f on the rectangle round the ellipse, with |e^{isL}| <=
 *             e^{S |Im L|} for all s up to S at once. Panels are halved until that is small.
 * Cut off     r <= e^U for x > 1/2 and r <= 1 below, so beyond the range |P e^{cL}| is below a normal
 *             density times a constant, whose tail is in closed form.
 */
#ifndef SOTTO_TESTS_ARB_LINE_H
#define SOTTO_TESTS_ARB_LINE_H

#include "privacy/accounting/arb_parts.h"

/* Turning a ball by 45 degrees widens it by sqrt 2: a new start every dozen turns keeps the sums
 * within 2^-57 of M(c). */
enum { GAUSS_NODES = 24, TABLE_PREC = 64, TURNS = 12 };

typedef struct line_range {
    double low, high;
} line_range;

/* Where P e^{cL} lives, and |P e^{cL}| on a line moved up, which is up to e^32 larger; whatever is
 * chosen, the rest is bounded by line_cut_off(). */
static inline line_range line_range_of(const part *one, double c)
{
    if (one->is_box) return (line_range){one->kind == PART_FIXED ? 0.0 : -1.0, 1.0};
    const double sigma = arf_get_d(arb_midref(one->sigma), ARF_RND_NEAR);
    const double rate = arf_get_d(arb_midref(one->rate), ARF_RND_NEAR);
    const double one_sided = 0.8 * c - c * log1p(-rate); /* of 1/|r|^c */
    const double both =
        one->kind == PART_ADD || one->kind == PART_REPLACED ? one_sided : 0.0;
    const double far = sigma * sqrt(2.0 * 95.0);
    const double tilted =
        95.0 + fmin(700.0, both + c * (c + 1.0) / (2.0 * sigma * sigma));
    if (one->kind == PART_ADD)
        return (line_range){-sigma * sqrt(2.0 * (95.0 + both)), far};
    return (line_range){one->kind == PART_FIXED ? 0.5 : -far,
                        c + 1.0 + sigma * sqrt(2.0 * tilted)};
}

/* log of P/(density's constant) and L at x; `piece` is remove, add or replaced. With is_analytic, a ball of
 * r that meets the cut of the logarithm gives an infinite ball. */
static inline void line_eval(acb_t log_p, acb_t loss, const part *one, part_kind piece,
                             const acb_t x, int is_analytic, slong prec)
{
    acb_t u, r;
    arb_t two_square;
    acb_init(u);
    acb_init(r);
    arb_init(two_square);
    arb_mul(two_square, one->sigma, one->sigma, prec);
    arb_mul_2exp_si(two_square, two_square, 1);
    for (int side = 0; side < (piece == PART_REPLACED ? 2 : 1); side++) {
        acb_mul_2exp_si(u, x, 1); /* r(x), then r(-x) */
        if (side == 1) acb_neg(u, u);
        acb_sub_ui(u, u, 1, prec);
        acb_div_arb(u, u, two_square, prec);
        if (one->is_box) acb_mul_arb(u, x, one->a, prec);
        acb_exp(u, u, prec);
        acb_sub_ui(u, u, 1, prec);
        acb_mul_arb(u, u, one->rate, prec);
        acb_add_ui(u, u, 1, prec);
        acb_log_analytic(r, u, is_analytic, prec);
        if (side == 0) {
            acb_set(loss, r);
            acb_set(log_p, r);
        } else {
            acb_sub(loss, loss, r, prec);
        }
    }
    if (piece == PART_ADD) {
        acb_neg(loss, loss);
        acb_zero(log_p);
    }
    acb_mul(u, x, x, prec);
    acb_div_arb(u, u, two_square, prec);
    if (one->is_box) { /* l/2 */
        acb_mul_arb(u, x, one->a, prec);
        acb_mul_2exp_si(u, u, -1);
    }
    acb_sub(log_p, log_p, u, prec);
    acb_clear(u);
    acb_clear(r);
    arb_clear(two_square);
}

/* P(N(0, 1) > x), a ball. */
static inline void normal_above(arb_t p, const arb_t x, slong prec)
{
    arb_t root;
    arb_init(root);
    arb_sqrt_ui(root, 2, prec);
    arb_div(p, x, root, prec);
    arb_hypgeom_erfc(p, p, prec);
    arb_mul_2exp_si(p, p, -1);
    arb_clear(root);
}

static inline void normal_above_d(arb_t p, double x, double centre, const arb_t sigma)
{
    arb_set_d(p, x);
    arb_t m;
    arb_init(m);
    arb_set_d(m, centre);
    arb_sub(p, p, m, PREC);
    arb_div(p, p, sigma, PREC);
    normal_above(p, p, PREC);
    arb_clear(m);
}

/* (1 - q)^-c */
static inline void power_of_rest(arb_t power, const part *one, const arb_t c)
{
    arb_neg(power, one->rate);
    arb_log1p(power, power, PREC);
    arb_mul(power, power, c, PREC);
    arb_neg(power, power);
    arb_exp(power, power, PREC);
}

/* An upper bound of int P e^{cL} outside of the range. */
static inline void line_cut_off(arb_t bound, const part *one, double c, line_range range)
{
    arb_t tail, factor, t;
    arb_zero(bound);
    if (one->is_box) return;
    arb_init(tail);
    arb_init(factor);
    arb_init(t);
    arb_set_d(t, c);
    /* Below: P <= phi and L <= 0, but for add, where L <= -log(1 - q). */
    normal_above_d(bound, -range.low, 0.0, one->sigma);
    if (one->kind == PART_ADD) {
        power_of_rest(factor, one, t);
        arb_mul(bound, bound, factor, PREC);
    }
    if (one->kind == PART_FIXED) arb_zero(bound); /* the range starts where it must */
    if (one->kind == PART_ADD || one->kind == PART_FIXED) {
        normal_above_d(tail, range.high, 0.0, one->sigma);
        arb_add(bound, bound, tail, PREC);
    }
    /* Above: phi r^{c+1} <= phi e^{(c+1)U}, which is e^{c(c+1)/(2 s^2)} N(c+1); replaced: r(-x) >= 1 - q
     * makes it (1 - q)^-c times that. */
    if (one->kind != PART_ADD) {
        normal_above_d(tail, range.high, 1.0 + c, one->sigma);
        arb_add_ui(factor, t, 1, PREC);
        arb_mul(factor, factor, t, PREC);
        arb_mul_2exp_si(factor, factor, -1);
        arb_div(factor, factor, one->sigma, PREC);
        arb_div(factor, factor, one->sigma, PREC);
        arb_exp(factor, factor, PREC);
        arb_mul(tail, tail, factor, PREC);
        if (one->kind == PART_REPLACED) {
            power_of_rest(factor, one, t);
            arb_mul(tail, tail, factor, PREC);
        }
        arb_add(bound, bound, tail, PREC);
    }
    arb_clear(tail);
    arb_clear(factor);
    arb_clear(t);
}

/* ---- quadrature ---- */

typedef struct line_job {
    const part *law;
    part_kind piece;
    double c, s_max;
    arb_t step;  /* of s */
    slong nodes; /* of s */
    acb_ptr sums;
    arb_t density;   /* the constant of phi */
    mag_t tolerance; /* of one panel */
    arb_t error;     /* of all panels */
    long points, points_max;
    int is_counting; /* the panels alone, before any is summed */
} line_job;

/* The largest |f| can be on the rectangle round the ellipse of a panel. */
static inline void line_panel_error(mag_t error, const line_job *job, double middle,
                                    double half)
{
    acb_t x, log_p, loss;
    arb_t top, t;
    acb_init(x);
    acb_init(log_p);
    acb_init(loss);
    arb_init(top);
    arb_init(t);
    arb_set_d(acb_realref(x), middle);
    arb_set_d(top, 2.125 * half); /* (rho + 1/rho)/2 */
    arb_add_error(acb_realref(x), top);
    arb_set_d(top, 1.875 * half); /* (rho - 1/rho)/2 */
    arb_add_error(acb_imagref(x), top);
    line_eval(log_p, loss, job->law, job->piece, x, 1, 53);
    arb_set_d(t, job->c);
    arb_addmul(acb_realref(log_p), acb_realref(loss), t, 53);
    arb_abs(top, acb_imagref(loss));
    arb_set_d(t, job->s_max);
    arb_addmul(acb_realref(log_p), top, t, 53);
    arb_exp(top, acb_realref(log_p), 53);
    arb_mul(top, top, job->density, 53);
    arb_get_mag(error, top);
    mag_set_d(arb_radref(t), 8.0 * half * (4.0 / 3.0));
    mag_mul(error, error, arb_radref(t));
    mag_mul_2exp_si(error, error, -4 * GAUSS_NODES);
    acb_clear(x);
    acb_clear(log_p);
    acb_clear(loss);
    arb_clear(top);
    arb_clear(t);
}

/* sums[j] += value e^{i j step loss} for j < nodes. */
static inline void line_turn(acb_ptr sums, slong nodes, const acb_t value,
                             const arb_t loss, const arb_t step)
{
    acb_t turn, start;
    arb_t t, x;
    acb_init(turn);
    acb_init(start);
    arb_init(t);
    arb_init(x);
    arb_mul(t, loss, step, PREC);
    arb_sin_cos(acb_imagref(turn), acb_realref(turn), t, PREC);
    for (slong j = 0; j < nodes; j++) {
        if (j % TURNS == 0) {
            arb_mul_si(x, t, j, PREC);
            arb_sin_cos(acb_imagref(start), acb_realref(start), x, TABLE_PREC);
            acb_mul(start, start, value, TABLE_PREC);
        }
        acb_add(sums + j, sums + j, start, TABLE_PREC);
        acb_mul(start, start, turn, TABLE_PREC);
    }
    acb_clear(turn);
    acb_clear(start);
    arb_clear(t);
    arb_clear(x);
}

static inline void line_panel_sum(line_job *job, double middle, double half)
{
    static arb_t node[GAUSS_NODES], weight[GAUSS_NODES];
    static int is_ready = 0;
    for (; !is_ready; is_ready = 1) {
        for (ulong k = 0; k < GAUSS_NODES; k++) {
            arb_init(node[k]);
            arb_init(weight[k]);
            arb_hypgeom_legendre_p_ui_root(node[k], weight[k], GAUSS_NODES, k, PREC);
        }
    }
    acb_t x, value, loss;
    arb_t t;
    acb_init(x);
    acb_init(value);
    acb_init(loss);
    arb_init(t);
    for (int k = 0; k < GAUSS_NODES; k++) {
        arb_set_d(t, half);
        arb_mul(acb_realref(x), node[k], t, PREC);
        arb_set_d(t, middle);
        arb_add(acb_realref(x), acb_realref(x), t, PREC);
        line_eval(value, loss, job->law, job->piece, x, 0, PREC);
        arb_set_d(t, job->c);
        acb_addmul_arb(value, loss, t, PREC);
        acb_exp(value, value, PREC);
        acb_mul_arb(value, value, weight[k], PREC);
        acb_mul_arb(value, value, job->density, PREC);
        arb_set_d(t, half);
        acb_mul_arb(value, value, t, PREC);
        line_turn(job->sums, job->nodes, value, acb_realref(loss), job->step);
    }
    acb_clear(x);
    acb_clear(value);
    acb_clear(loss);
    arb_clear(t);
}

/* False when it would take more points than allowed. */
static inline int line_panels(line_job *job, double low, double high)
{
    const double middle = 0.5 * (low + high);
    const double half = high - middle;
    mag_t error;
    mag_init(error);
    line_panel_error(error, job, middle, half);
    const int is_fine = mag_cmp(error, job->tolerance) <= 0;
    if (is_fine && job->is_counting) {
        job->points += GAUSS_NODES;
    } else if (is_fine) {
        arb_t more;
        arb_init(more);
        arf_set_mag(arb_midref(more), error);
        arb_add(job->error, job->error, more, PREC);
        arb_clear(more);
        line_panel_sum(job, middle, half); /* on a dyadic grid both are exact */
    }
    mag_clear(error);
    if (is_fine) return job->points <= job->points_max;
    return high - low > 1e-9 * (1.0 + fabs(low)) && line_panels(job, low, middle) &&
           line_panels(job, middle, high);
}

/* 1/(sigma sqrt(2 pi)), or what e^{-l/2} dx takes: e e^{-e/2}/4, or e/(4 sinh(e/2)). */
static inline void line_density(arb_t density, const part *one)
{
    arb_t t;
    arb_init(t);
    if (one->is_box) {
        arb_mul_2exp_si(t, one->a, -1);
        if (one->has_ends)
            arb_exp(t, t, PREC);
        else
            arb_sinh(t, t, PREC);
        arb_mul_2exp_si(t, t, 2);
        arb_div(density, one->a, t, PREC);
    } else {
        arb_const_pi(t, PREC);
        arb_mul_2exp_si(t, t, 1);
        arb_sqrt(t, t, PREC);
        arb_mul(t, t, one->sigma, PREC);
        arb_inv(density, t, PREC);
    }
    arb_clear(t);
}

/* sums[j] = M(c + i j step) for j < nodes; false when it would take too long. */
static inline int line_table(acb_ptr sums, const part *one, double c, double step,
                             slong nodes, double log_size, long points_max)
{
    line_job job = {.law = one,
                    .c = c,
                    .s_max = step * (double)nodes,
                    .nodes = nodes,
                    .sums = sums,
                    .points_max = points_max};
    line_range range = line_range_of(one, c);
    arb_t t;
    arb_init(job.step);
    arb_init(job.density);
    arb_init(job.error);
    arb_init(t);
    mag_init(job.tolerance);
    arb_set_d(job.step, step);
    line_density(job.density, one);
    arb_set_d(t, log_size - 50.0); /* relative 2e-22 a panel */
    arb_exp(t, t, 53);
    arb_get_mag(job.tolerance, t);
    /* Dyadic cells: middles are exact. */
    const double sigma = arf_get_d(arb_midref(one->sigma), ARF_RND_NEAR);
    const double cell = one->is_box ? 1.0 : exp2(floor(log2(0.8 * sigma)));
    if (one->kind != PART_FIXED) range.low = cell * floor(range.low / cell);
    range.high = range.low + cell * ceil((range.high - range.low) / cell);
    int is_done = 1;
    const int pieces = one->kind == PART_FIXED ? 2 : 1;
    for (int pass = 0; pass < 2 * pieces && is_done; pass++) { /* count, then sum */
        job.is_counting = pass < pieces;
        job.piece = one->kind != PART_FIXED ? one->kind
                    : pass % 2 == 0         ? PART_REMOVE
                                            : PART_ADD;
        for (double x = range.low; x < range.high && is_done; x += cell)
            is_done = line_panels(&job, x, x + cell);
    }
    line_cut_off(t, one, c, range);
    arb_add(job.error, job.error, t, PREC);
    arb_abs(job.error, job.error);
    for (slong j = 0; j < nodes && is_done; j++)
        acb_add_error_arb(sums + j, job.error);
    if (one->kind == PART_FIXED && !one->is_box &&
        is_done) { /* the atom: (1 - q)(2 Phi(1/(2 sigma)) - 1) */
        arb_t atom;
        arb_init(atom);
        normal_above_d(atom, 0.5, 0.0, one->sigma);
        arb_mul_si(atom, atom, -2, PREC);
        arb_add_ui(atom, atom, 1, PREC);
        arb_sub_ui(t, one->rate, 1, PREC);
        arb_neg(t, t);
        arb_mul(atom, atom, t, PREC);
        for (slong j = 0; j < nodes; j++)
            acb_add_arb(sums + j, sums + j, atom, PREC);
        arb_clear(atom);
    }
    arb_clear(job.step);
    arb_clear(job.density);
    arb_clear(job.error);
    arb_clear(t);
    mag_clear(job.tolerance);
    return is_done;
}

#endif
