/* tests/privacy/accounting/arb_oracle.h: the ball of delta(eps) of a plan.
 *
 * Four ways, chosen by the plan's laws: one release on a line or of a Gaussian kind directly from
 * normal distribution functions; atoms and boxes by residues (arb_residue.h); sampled boxes with atoms
 * and boxes by their split (arb_split.h); all else by the contour (arb_contour.h). The ball always contains the delta of the composed pairs of
 * arb_parts.h; how narrow it is, it says itself.
 */
#ifndef SOTTO_TESTS_ARB_ORACLE_H
#define SOTTO_TESTS_ARB_ORACLE_H

#include "privacy/accounting/arb_events.h"
#include "privacy/accounting/arb_split.h"

enum { SINGLE_PREC = 512 };

typedef struct oracle {
    parts laws[2]; /* one record removed, one added */
    int directions;
    contour line[2];
    int has_line[2];
    double order[2]; /* of Chernoff's bound, 0 before it is first needed; e^{K(order)} */
    arb_t moment[2];
    double work_max;
} oracle;

/* ---- one release ---- */

/* P(N(centre, sigma^2) > x). */
static inline void single_above(arb_t p, const arb_t x, slong centre, const arb_t sigma)
{
    arb_sub_si(p, x, centre, SINGLE_PREC);
    arb_div(p, p, sigma, SINGLE_PREC);
    normal_above(p, p, SINGLE_PREC);
}

/* delta = sum over the components of P - e^eps Q beyond the x where L(x) = eps. `e` is e^eps. */
static inline void single_sampled(arb_t delta, const part *one, const arb_t e)
{
    const int is_added = one->kind == PART_ADD;
    arb_t x, p, w, ratio;
    arb_init(x);
    arb_init(p);
    arb_init(w);
    arb_init(ratio);
    /* r(x) = e^eps, or e^-eps when a record is added */
    if (is_added)
        arb_inv(ratio, e, SINGLE_PREC);
    else
        arb_set(ratio, e);
    arb_sub_ui(w, ratio, 1, SINGLE_PREC);
    arb_add(w, w, one->rate, SINGLE_PREC);
    arb_zero(delta);
    if (arb_is_positive(w)) {
        arb_div(x, w, one->rate, SINGLE_PREC);
        arb_log(x, x, SINGLE_PREC);
        arb_mul(x, x, one->sigma, SINGLE_PREC);
        arb_mul(x, x, one->sigma, SINGLE_PREC);
        arb_set_d(p, 0.5);
        arb_add(x, x, p, SINGLE_PREC);
        /* P(x) - e^eps Q(x) is q N(1) - (e^eps - 1 + q) N(0) above x; added: with ratio = e^-eps,
         * e^eps ((ratio - 1 + q) N(0) - q N(1)) below it */
        if (is_added) { /* below x: mirror */
            arb_neg(x, x);
            single_above(p, x, 0, one->sigma);
            arb_mul(delta, p, w, SINGLE_PREC);
            single_above(p, x, -1, one->sigma);
            arb_submul(delta, p, one->rate, SINGLE_PREC);
            arb_mul(delta, delta, e, SINGLE_PREC);
        } else {
            single_above(p, x, 1, one->sigma);
            arb_mul(delta, p, one->rate, SINGLE_PREC);
            single_above(p, x, 0, one->sigma);
            arb_submul(delta, p, w, SINGLE_PREC);
        }
    }
    arb_clear(x);
    arb_clear(p);
    arb_clear(w);
    arb_clear(ratio);
}

/* L increases with x: its root by bisection, every step certified. */
static inline void single_replaced(arb_t delta, const part *one, const arb_t e,
                                   double epsilon)
{
    acb_t x, log_p, loss;
    arb_t low, high, eps, p, w;
    acb_init(x);
    acb_init(log_p);
    acb_init(loss);
    arb_init(low);
    arb_init(high);
    arb_init(eps);
    arb_init(p);
    arb_init(w);
    arb_set_d(eps, epsilon);
    arb_set_d(high, 64.0 + 64.0 * epsilon * guess_d(one->sigma) * guess_d(one->sigma));
    for (int i = 0; i < 400; i++) {
        arb_add(acb_realref(x), low, high, SINGLE_PREC);
        arb_mul_2exp_si(acb_realref(x), acb_realref(x), -1);
        mag_zero(arb_radref(acb_realref(x)));
        line_eval(log_p, loss, one, PART_REPLACED, x, 0, SINGLE_PREC);
        if (arb_gt(acb_realref(loss), eps))
            arb_set(high, acb_realref(x));
        else if (arb_lt(acb_realref(loss), eps))
            arb_set(low, acb_realref(x));
        else
            break;
    }
    arb_union(low, low, high, SINGLE_PREC);
    /* P - e^eps Q = q N(1) - e^eps q N(-1) - (e^eps - 1)(1 - q) N(0) */
    single_above(p, low, 1, one->sigma);
    arb_mul(delta, p, one->rate, SINGLE_PREC);
    single_above(p, low, -1, one->sigma);
    arb_mul(p, p, one->rate, SINGLE_PREC);
    arb_submul(delta, p, e, SINGLE_PREC);
    single_above(p, low, 0, one->sigma);
    arb_sub_ui(w, e, 1, SINGLE_PREC);
    arb_mul(p, p, w, SINGLE_PREC);
    arb_sub_ui(w, one->rate, 1, SINGLE_PREC);
    arb_addmul(delta, p, w, SINGLE_PREC);
    acb_clear(x);
    acb_clear(log_p);
    acb_clear(loss);
    arb_clear(low);
    arb_clear(high);
    arb_clear(eps);
    arb_clear(p);
    arb_clear(w);
}

/* t ~ N(a/2, a); the loss is t, or max(t, atom): the part t > y = max(eps, atom), and the atom. */
static inline void single_gaussian(arb_t delta, const part *one, const arb_t e,
                                   double epsilon)
{
    arb_t mu, half, y, p, w;
    arb_init(mu);
    arb_init(half);
    arb_init(y);
    arb_init(p);
    arb_init(w);
    arb_sqrt(mu, one->a, SINGLE_PREC);
    arb_mul_2exp_si(half, one->a, -1);
    arb_set_d(y, epsilon);
    arb_zero(delta);
    if (one->kind == PART_OBJECTIVE && arb_lt(y, one->b)) {
        arb_sub(w, y, one->b, SINGLE_PREC);
        arb_expm1(w, w, SINGLE_PREC); /* e^{eps - atom} - 1 */
        arb_set(y, one->b);
        arb_sub(p, half, y, SINGLE_PREC);
        arb_div(p, p, mu, SINGLE_PREC);
        normal_above(p, p, SINGLE_PREC);
        arb_submul(delta, p, w, SINGLE_PREC);
    }
    arb_sub(p, y, half, SINGLE_PREC);
    arb_div(p, p, mu, SINGLE_PREC);
    normal_above(p, p, SINGLE_PREC);
    arb_add(delta, delta, p, SINGLE_PREC);
    arb_add(p, y, half, SINGLE_PREC);
    arb_div(p, p, mu, SINGLE_PREC);
    normal_above(p, p, SINGLE_PREC);
    arb_submul(delta, p, e, SINGLE_PREC);
    arb_clear(mu);
    arb_clear(half);
    arb_clear(y);
    arb_clear(p);
    arb_clear(w);
}

static inline int single_covers(const parts *all)
{
    const part *one = &all->list[0];
    return all->size == 1 && one->count == 1 && one->kind != PART_ATOMS &&
           one->kind != PART_LIST && one->kind != PART_BOX && !one->is_box;
}

/* eps >= 0. */
static inline void single_delta(arb_t delta, const parts *all, double epsilon)
{
    const part *one = &all->list[0];
    arb_t e;
    arb_init(e);
    arb_set_d(e, epsilon);
    arb_exp(e, e, SINGLE_PREC);
    if (one->kind == PART_GAUSSIAN || one->kind == PART_OBJECTIVE)
        single_gaussian(delta, one, e, epsilon);
    else if (one->kind == PART_REPLACED)
        single_replaced(delta, one, e, epsilon);
    else
        single_sampled(delta, one, e); /* fixed is "remove" for eps >= 0 */
    arb_clear(e);
}

/* ---- a plan ---- */

static inline void oracle_clear(oracle *seer)
{
    for (int k = 0; k < 2; k++) {
        if (seer->has_line[k]) contour_clear(&seer->line[k]);
        parts_clear(&seer->laws[k]);
        arb_clear(seer->moment[k]);
    }
}

static inline void oracle_init(oracle *seer, const sotto_plan *plan, int range_as_pair,
                               double work_max)
{
    *seer = (oracle){.directions = 1, .work_max = work_max};
    for (int k = 0; k < 2; k++) {
        parts_of_plan(&seer->laws[k], plan, k, range_as_pair);
        if (split_covers(&seer->laws[k])) split_boxes(&seer->laws[k]);
        arb_init(seer->moment[k]);
    }
    if (seer->laws[1].is_directed) seer->directions = 2;
}

/* Chernoff's bound kappa(c) e^{K(c) - c eps} of the finite part, at a c that is near its least for the
 * first epsilon asked about. It is what Renyi's divergence of order 1 + c says about delta. */
static inline void oracle_chernoff(arb_t bound, oracle *seer, int k, double epsilon)
{
    if (seer->order[k] == 0.0) {
        acb_t top;
        acb_init(top);
        seer->order[k] = guess_least(guess_chernoff, &seer->laws[k], epsilon, 300.0, 26);
        if (contour_values(top, &seer->laws[k], seer->order[k], 1.0, 1, 1e6))
            arb_set(seer->moment[k], acb_realref(top));
        else
            arb_pos_inf(seer->moment[k]);
        acb_clear(top);
    }
    contour_chernoff(bound, seer->moment[k], seer->order[k], epsilon);
}

static inline int oracle_direction(arb_t delta, oracle *seer, int k, double epsilon)
{
    const parts *all = &seer->laws[k];
    if (single_covers(all)) {
        single_delta(delta, all, epsilon);
    } else if (residue_covers(all)) {
        residue_delta(delta, all, epsilon);
    } else if (split_covers(all)) {
        const int has_many = split_densities(all) > 1;
        if (has_many && !seer->has_line[k])
            seer->has_line[k] =
                split_init(&seer->line[k], all, epsilon, 300.0, seer->work_max);
        if (has_many && !seer->has_line[k]) return 0;
        split_delta(delta, all, has_many ? &seer->line[k] : NULL, epsilon);
    } else {
        if (!seer->has_line[k])
            seer->has_line[k] =
                contour_init(&seer->line[k], all, epsilon, 300.0, seer->work_max);
        if (!seer->has_line[k]) return 0;
        contour_delta(delta, &seer->line[k], epsilon);
    }
    return 1;
}

/* The accuracy without which a plan tests too little: 1e-8, where densities are composed 4e-6. */
static inline slong oracle_bits(const oracle *seer)
{
    return split_covers(&seer->laws[0]) ? 18 : 26;
}

/* The ball of delta(eps), the worse of both directions; false when it would take too long. */
static inline int oracle_delta(arb_t delta, oracle *seer, double epsilon)
{
    int is_done = oracle_direction(delta, seer, 0, epsilon);
    if (seer->directions == 2 && is_done) {
        arb_t other;
        arb_init(other);
        oracle_chernoff(other, seer, 1, epsilon);
        if (!arb_lt(other, delta)) {
            is_done = oracle_direction(other, seer, 1, epsilon);
            if (is_done) arb_max(delta, delta, other, ATOMS_PREC);
        }
        arb_clear(other);
    }
    if (is_done) whole_delta(delta, &seer->laws[0]);
    return is_done;
}

#endif
