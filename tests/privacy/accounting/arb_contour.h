/* tests/privacy/accounting/arb_contour.h: delta of any composed law, in balls.
 *
 * Formula     delta(eps) = (1/2 pi i) int e^{K(t) - t eps}/(t(t+1)) dt on Re t = c. On the nodes
 *             s_j = j ds the sum is exactly sum over n of delta(eps + nP) e^{cnP}, P = 2 pi/ds
 *             (Poisson): delta itself and positive aliases. With delta <= 1 those of n < 0 are at
 *             most 1/(e^{cP} - 1), and with delta(y) <= kappa e^{K(c') - c' y}, kappa =
 *             c'^c'/(1+c')^{1+c'}, c' > c, those of n > 0 at most that at eps over e^{(c'-c)P} - 1.
 * Cut         Nodes from J on add at most e^{K(c) - c eps} B/(pi (J-1) ds) in modulus, B a bound of
 *             |e^{K(c+is) - K(c)}| for all s >= J ds: the Gaussian's own, and that of arb_decay.h.
 * Balls       All M(t) are balls, so the sum is one; cut and aliases are added to it. The choice of
 *             c, ds, J, c' and shifts (arb_guess.h) matters to the width alone.
 */
#ifndef SOTTO_TESTS_ARB_CONTOUR_H
#define SOTTO_TESTS_ARB_CONTOUR_H

#include "privacy/accounting/arb_guess.h"

typedef struct contour {
    double c, above, step;
    slong nodes;
    acb_ptr value;     /* e^{K(c + i j step)} */
    arb_t above_value; /* e^{K(above)} */
    arb_t cut;         /* bound of the nodes left out, without e^{-c eps} */
} contour;

static inline void contour_clear(contour *line)
{
    _acb_vec_clear(line->value, line->nodes);
    arb_clear(line->above_value);
    arb_clear(line->cut);
}

/* M(t) of the laws in closed form. */
static inline void contour_closed(acb_t m, const part *one, const acb_t t)
{
    acb_t u, v;
    arb_t x;
    acb_init(u);
    acb_init(v);
    arb_init(x);
    acb_zero(m);
    if (one->kind == PART_GAUSSIAN || one->kind == PART_OBJECTIVE) {
        acb_add_ui(u, t, 1, PREC);
        acb_mul(u, u, t, PREC);
        acb_mul_arb(u, u, one->a, PREC);
        acb_mul_2exp_si(u, u, -1);
        acb_exp(m, u, PREC); /* e^{t(t+1) mu^2/2} */
    }
    if (one->kind == PART_OBJECTIVE) {
        /* times P(N > (atom - mu^2/2 - t mu^2)/mu), plus e^{t atom} P(N < (atom - mu^2/2)/mu) */
        arb_mul_2exp_si(x, one->a, -1);
        arb_sub(x, one->b, x, PREC);
        acb_mul_arb(u, t, one->a, PREC);
        acb_neg(u, u);
        acb_add_arb(u, u, x, PREC);
        arb_neg(x, x);
        arb_mul_2exp_si(acb_realref(v), one->a, 1);
        arb_sqrt(acb_realref(v), acb_realref(v), PREC);
        acb_div_arb(u, u, acb_realref(v), PREC);
        arb_div(x, x, acb_realref(v), PREC);
        acb_hypgeom_erfc(u, u, PREC);
        acb_mul(m, m, u, PREC);
        arb_hypgeom_erfc(x, x, PREC);
        acb_mul_arb(u, t, one->b, PREC);
        acb_exp(u, u, PREC);
        acb_addmul_arb(m, u, x, PREC);
        acb_mul_2exp_si(m, m, -1);
    } else if (one->kind == PART_ATOMS) {
        acb_mul_arb(u, t, one->b, PREC);
        acb_exp(u, u, PREC);
        for (slong i = one->atoms - 1; i >= 0; i--) { /* Horner */
            acb_mul(m, m, u, PREC);
            acb_add_arb(m, m, one->mass + i, PREC);
        }
        acb_mul_arb(u, t, one->a, PREC);
        acb_exp(u, u, PREC);
        acb_mul(m, m, u, PREC);
    } else if (one->kind == PART_BOX) {
        acb_mul_arb(u, t, one->a, PREC);
        acb_exp(u, u, PREC);
        acb_inv(v, u, PREC);
        arb_neg(x, one->a);
        arb_exp(x, x, PREC);
        acb_mul_arb(v, v, x, PREC); /* e^{te} and e^{-(t+1)e} */
        if (one->has_ends) {
            acb_mul(m, u, t, PREC);
            acb_add(m, m, u, PREC);
            acb_addmul(m, v, t, PREC);
        } else { /* (e^{te} - e^{-(t+1)e})/(1 - e^-e) */
            acb_sub(m, u, v, PREC);
            arb_sub_ui(x, x, 1, PREC);
            arb_neg(x, x);
            acb_div_arb(m, m, x, PREC);
        }
        acb_mul_2exp_si(u, t, 1);
        acb_add_ui(u, u, 1, PREC);
        acb_div(m, m, u, PREC);
    }
    acb_clear(u);
    acb_clear(v);
    arb_clear(x);
}

/* sums[j] += the atoms' part of M(c + i j step). */
static inline void contour_atoms(acb_ptr sums, const part *one, double c, double step,
                                 slong nodes)
{
    acb_t value;
    arb_t t, ds;
    acb_init(value);
    arb_init(t);
    arb_init(ds);
    arb_set_d(ds, step);
    for (slong i = 0; i < one->atoms; i++) {
        arb_set_d(t, c);
        arb_mul(t, t, one->place + i, PREC);
        arb_exp(t, t, PREC);
        arb_mul(acb_realref(value), one->mass + i, t, PREC);
        line_turn(sums, nodes, value, one->place + i, ds);
    }
    acb_clear(value);
    arb_clear(t);
    arb_clear(ds);
}

/* sums[j] = M(c + i j step) of one release; false when it would take too long. */
static inline int contour_table(acb_ptr sums, const part *one, double c, double step,
                                slong nodes, double work_max)
{
    int is_done = 1;
    _acb_vec_zero(sums, nodes);
    if (part_is_line(one)) {
        is_done = line_table(sums, one, c, step, nodes, guess_log_mgf(one, c),
                             (long)(work_max / (double)nodes));
    }
    if (part_is_line(one) || one->kind == PART_LIST) {
        is_done = is_done && (double)one->atoms * (double)nodes <= work_max;
        if (is_done && one->place != NULL) contour_atoms(sums, one, c, step, nodes);
        return is_done;
    }
    acb_t t;
    arb_t s;
    acb_init(t);
    arb_init(s);
    arb_set_d(s, step);
    arb_set_d(acb_realref(t), c);
    for (slong j = 0; j < nodes; j++) {
        arb_mul_si(acb_imagref(t), s, j, PREC);
        contour_closed(sums + j, one, t);
    }
    acb_clear(t);
    arb_clear(s);
    return 1;
}

/* value[j] = product over the parts of M(c + i j step)^count; false when it would take too long. */
static inline int contour_values(acb_ptr value, const parts *all, double c, double step,
                                 slong nodes, double work_max)
{
    acb_ptr one = _acb_vec_init(nodes);
    int is_done = 1;
    for (slong j = 0; j < nodes; j++)
        acb_one(value + j);
    for (size_t i = 0; i < all->size && is_done; i++) {
        const part *law = &all->list[i];
        is_done = contour_table(one, law, c, step, nodes, work_max);
        for (slong j = 0; j < nodes && is_done; j++) {
            acb_pow_ui(one + j, one + j, law->count, PREC);
            acb_mul(value + j, value + j, one + j, PREC);
        }
    }
    _acb_vec_clear(one, nodes);
    return is_done;
}

/* The nodes left out, without e^{-c eps}: e^{K(c)} B/(pi (J-1) ds). */
static inline void contour_cut(arb_t cut, const parts *all, const contour *line)
{
    const double s = line->step * (double)line->nodes;
    arb_t factor, t;
    arb_init(factor);
    arb_init(t);
    arb_one(cut);
    for (size_t i = 0; i < all->size; i++) {
        const part *law = &all->list[i];
        double shift = 0.0;
        (void)guess_decay(law, line->c, s, guess_log_mgf(law, line->c), &shift);
        if (shift > 0.0) {
            line_decay(factor, law, line->c, s, shift);
        } else { /* |M(c+is)| <= M(c) */
            acb_t m;
            acb_init(m);
            (void)contour_table(m, law, line->c, 1.0, 1, 1e6);
            arb_abs(factor, acb_realref(m));
            if (law->kind == PART_FIXED && !law->is_box) {
                line_fixed_decay(t, law, line->c, s);
                arb_min(factor, factor, t, PREC);
            }
            acb_clear(m);
        }
        if (law->kind == PART_GAUSSIAN) { /* |M(c+is)| = M(c) e^{-s^2 mu^2/2} */
            arb_set_d(t, s);
            arb_mul(t, t, t, PREC);
            arb_mul(t, t, law->a, PREC);
            arb_mul_2exp_si(t, t, -1);
            arb_neg(t, t);
            arb_exp(t, t, PREC);
            arb_mul(factor, factor, t, PREC);
        }
        arb_pow_ui(factor, factor, law->count, PREC);
        arb_mul(cut, cut, factor, PREC);
    }
    arb_const_pi(factor, PREC);
    arb_set_d(t, line->step);
    arb_mul(factor, factor, t, PREC);
    arb_mul_si(factor, factor, line->nodes - 1, PREC);
    arb_div(cut, cut, factor, PREC);
    arb_clear(factor);
    arb_clear(t);
}

/* s beyond which the nodes may be left out, if their sum may be e^log_target of the whole. */
static inline double contour_length(const parts *all, double c, double log_target)
{
    double log_m[PARTS_MAX];
    for (size_t i = 0; i < all->size; i++)
        log_m[i] = guess_log_mgf(&all->list[i], c);
    for (double s = 0.25; s < 1e5; s *= 1.35) {
        double sum = -log(s);
        for (size_t i = 0; i < all->size; i++) {
            double shift;
            sum += (double)all->list[i].count *
                   guess_decay(&all->list[i], c, s, log_m[i], &shift);
        }
        if (sum < log_target) return s;
    }
    return HUGE_VAL;
}

/* The line and its period. Returns log of what may be left out of delta. */
static inline double contour_choose(contour *line, const parts *all, double epsilon,
                                    double c_max)
{
    const double c = guess_least(guess_height, all, epsilon, c_max, 18);
    const double height = guess_height(all, epsilon, c); /* about log delta */
    const double width = log(1e-12) + height - log(1.0 + 20.0 * c);
    double period = -width / c, above = 2.0 * c;
    double best = HUGE_VAL;
    for (double k = 1.15; k < 12.0; k *= 1.25) {
        const double d = k * c - c;
        const double need = (guess_k(all, k * c) - k * c * epsilon - width) / d;
        if (need < best) {
            best = need;
            above = k * c;
        }
    }
    period = fmax(period, best);
    *line = (contour){.c = c, .above = above, .step = 2.0 * 3.14159265358979 / period};
    return width;
}

/* False when no contour within the work limit does. */
static inline int contour_init(contour *line, const parts *all, double epsilon,
                               double c_max, double work_max)
{
    const double width = contour_choose(line, all, epsilon, c_max);
    const double c = line->c, above = line->above;
    const double length = contour_length(all, c, width - (guess_k(all, c) - c * epsilon));
    const double nodes = ceil(length / line->step) + 3.0;
    if (!(nodes < 30000.0 && nodes < work_max / 100.0)) return 0;
    line->nodes = (slong)nodes;
    line->value = _acb_vec_init(line->nodes);
    arb_init(line->cut);
    arb_init(line->above_value);
    acb_t top;
    acb_init(top);
    int is_done = contour_values(line->value, all, c, line->step, line->nodes, work_max);
    is_done = is_done && contour_values(top, all, above, 1.0, 1, work_max);
    arb_abs(line->above_value, acb_realref(top));
    acb_clear(top);
    if (is_done)
        contour_cut(line->cut, all, line);
    else
        contour_clear(line);
    return is_done;
}

/* kappa e^{K(c) - c eps}, given e^{K(c)}. */
static inline void contour_chernoff(arb_t bound, const arb_t value, double c,
                                    double epsilon)
{
    arb_t t, u, x;
    arb_init(t);
    arb_init(u);
    arb_init(x);
    arb_set_d(x, c);
    arb_log(t, x, PREC);
    arb_mul(t, t, x, PREC);
    arb_log1p(u, x, PREC);
    arb_submul(t, u, x, PREC);
    arb_sub(t, t, u, PREC); /* log kappa */
    arb_set_d(u, epsilon);
    arb_submul(t, x, u, PREC);
    arb_exp(t, t, PREC);
    arb_mul(bound, value, t, PREC);
    arb_clear(t);
    arb_clear(u);
    arb_clear(x);
}

/* What lies between the sum and delta: the aliases, at most. */
static inline void contour_aliases(arb_t sum, const contour *line, double epsilon)
{
    arb_t period, c, above, t, u;
    arb_init(period);
    arb_init(c);
    arb_init(above);
    arb_init(t);
    arb_init(u);
    arb_set_d(c, line->c);
    arb_set_d(above, line->above);
    arb_set_d(t, line->step);
    arb_const_pi(period, PREC);
    arb_mul_2exp_si(period, period, 1);
    arb_div(period, period, t, PREC);
    arb_mul(t, c, period, PREC);
    arb_expm1(t, t, PREC);
    arb_inv(sum, t, PREC); /* n < 0 */
    contour_chernoff(t, line->above_value, line->above, epsilon);
    arb_sub(u, above, c, PREC);
    arb_mul(u, u, period, PREC);
    arb_expm1(u, u, PREC);
    arb_div(t, t, u, PREC);
    arb_add(sum, sum, t, PREC);
    arb_clear(period);
    arb_clear(c);
    arb_clear(above);
    arb_clear(t);
    arb_clear(u);
}

/* The ball of delta(eps) of the finite part. */
static inline void contour_delta(arb_t delta, const contour *line, double epsilon)
{
    acb_t power, t, u;
    arb_t eps, x;
    acb_init(power);
    acb_init(t);
    acb_init(u);
    arb_init(eps);
    arb_init(x);
    arb_set_d(eps, epsilon);
    arb_set_d(acb_realref(t), line->c);
    arb_zero(delta);
    for (slong j = 0; j < line->nodes; j++) {
        arb_set_d(x, line->step);
        arb_mul_si(acb_imagref(t), x, j, PREC);
        acb_mul_arb(power, t, eps, PREC);
        acb_neg(power, power);
        acb_exp(power, power, PREC);
        acb_add_ui(u, t, 1, PREC);
        acb_mul(u, u, t, PREC);
        acb_div(u, power, u, PREC);
        acb_mul(u, u, line->value + j, PREC);
        if (j == 0) acb_mul_2exp_si(u, u, -1);
        arb_add(delta, delta, acb_realref(u), PREC);
    }
    arb_mul(delta, delta, x, PREC);
    arb_const_pi(x, PREC);
    arb_div(delta, delta, x, PREC);
    arb_mul(x, acb_realref(t), eps, PREC); /* the nodes left out */
    arb_neg(x, x);
    arb_exp(x, x, PREC);
    arb_mul(x, x, line->cut, PREC);
    arb_add_error(delta, x);
    contour_aliases(x, line, epsilon);
    arb_sub(eps, delta, x, PREC);
    arb_union(delta, delta, eps, PREC);
    acb_clear(power);
    acb_clear(t);
    acb_clear(u);
    arb_clear(eps);
    arb_clear(x);
}

#endif
