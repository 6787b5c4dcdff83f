/* tests/privacy/accounting/arb_split.h: delta of atoms and boxes, sampled or not, by their split.
 *
 * Idea        Every release is a measure of atoms and one of a bounded density, M(t) = A(t) + B(t). The
 *             atoms do not fall along a contour, so composed releases are split by the number n of
 *             densities among them: n = 0 and 1 in closed form, over all combinations of the atoms;
 *             the others by the contour, where they fall as |t|^-2.
 * Density     On l from `low` to e the loss is log r or -log r (arb_line.h). Of one release,
 *                 removed  int (1-q)Q + qP - e^y Q   over l > l*,  r(l*) = e^y,
 *                 added    int Q - e^y ((1-q)Q + qP)  over l < l*,  r(l*) = e^-y,
 *             at a loss of y that is asked of it.
 * Decay       By parts against d(e^{isL}), |B(c+is)| <= (|G| at the ends + variation of G)/s, G = g e^{cL}/|L'|,
 *             g the density of P or Q that goes with it: G = const e^{-3l/2} r^k, k = c + 2 removed, 1 - c
 *             added. Its logarithm is convex for k >= 0 and falls for k < 0, as log r is convex and grows: so
 *             |B| <= 2 (G(low) + G(e))/s.
 */
#ifndef SOTTO_TESTS_ARB_SPLIT_H
#define SOTTO_TESTS_ARB_SPLIT_H

#include "privacy/accounting/arb_contour.h"
#include "privacy/accounting/arb_residue.h"

/* A whole box as a line. */
static inline void split_boxes(parts *all)
{
    arb_t whole;
    arb_init(whole);
    arb_one(whole);
    for (size_t i = 0; i < all->size; i++) {
        if (all->list[i].kind == PART_BOX) sample_box(&all->list[i], whole, PART_REMOVE);
    }
    arb_clear(whole);
}

/* For plans with at least one line of a box, and nothing but atoms beside it. */
static inline int split_covers(const parts *all)
{
    double terms = 1.0;
    int boxes = 0;
    for (size_t i = 0; i < all->size; i++) {
        const part *one = &all->list[i];
        if (one->kind == PART_ATOMS) {
            terms *= (double)one->count * (double)(one->atoms - 1) + 1.0;
        } else if (one->kind == PART_LIST || one->is_box) {
            if (one->atoms > 0) terms *= residue_list_size(one, one->count);
        } else if (one->kind != PART_BOX) {
            return 0;
        }
        boxes += one->is_box;
    }
    return boxes > 0 && terms <= RESIDUE_TERMS_MAX;
}

/* ---- one density ---- */

/* int of P (or Q) from l to e: 2 c (1 - e^{(l-e)/2}), c = 1/4 or 1/(2(1 - e^-e)); Q 2 c (e^{-(l+e)/2} - e^-e). */
static inline void split_above(arb_t p, arb_t q, const part *law, const arb_t l)
{
    arb_t t, scale;
    arb_init(t);
    arb_init(scale);
    arb_set_d(scale, 0.5);
    if (!law->has_ends) {
        arb_neg(t, law->a);
        arb_expm1(t, t, ATOMS_PREC);
        arb_neg(t, t);
        arb_inv(scale, t, ATOMS_PREC);
    }
    arb_sub(t, l, law->a, ATOMS_PREC);
    arb_mul_2exp_si(t, t, -1);
    arb_expm1(p, t, ATOMS_PREC);
    arb_neg(p, p);
    arb_mul(p, p, scale, ATOMS_PREC);
    arb_sub(t, law->a, l, ATOMS_PREC); /* e^-e (e^{(e-l)/2} - 1) */
    arb_mul_2exp_si(t, t, -1);
    arb_expm1(q, t, ATOMS_PREC);
    arb_neg(t, law->a);
    arb_exp(t, t, ATOMS_PREC);
    arb_mul(q, q, t, ATOMS_PREC);
    arb_mul(q, q, scale, ATOMS_PREC);
    arb_clear(t);
    arb_clear(scale);
}

/* delta += what the density of one direction adds at y. */
static inline void split_direction(arb_t delta, const part *law, int is_added,
                                   const arb_t y)
{
    arb_t e, x, edge, low, p, q, p_low, q_low;
    arb_init(e);
    arb_init(x);
    arb_init(edge);
    arb_init(low);
    arb_init(p);
    arb_init(q);
    arb_init(p_low);
    arb_init(q_low);
    if (law->kind != PART_FIXED) arb_neg(low, law->a);
    /* e^{l*} = (e^{+-y} - 1 + q)/q, within the ends */
    arb_set(x, y);
    if (is_added) arb_neg(x, x);
    arb_expm1(x, x, ATOMS_PREC);
    arb_div(x, x, law->rate, ATOMS_PREC);
    arb_add_ui(x, x, 1, ATOMS_PREC);
    arb_exp(edge, low, ATOMS_PREC);
    arb_max(x, x, edge, ATOMS_PREC);
    arb_exp(edge, law->a, ATOMS_PREC);
    arb_min(x, x, edge, ATOMS_PREC);
    arb_log(x, x, ATOMS_PREC);
    split_above(p, q, law, x);
    if (is_added) { /* from low to l* */
        split_above(p_low, q_low, law, low);
        arb_sub(p, p_low, p, ATOMS_PREC);
        arb_sub(q, q_low, q, ATOMS_PREC);
    }
    arb_exp(e, y, ATOMS_PREC);
    arb_sub(p, p, q, ATOMS_PREC); /* (1-q)Q + qP = Q + q(P - Q) */
    arb_mul(p, p, law->rate, ATOMS_PREC);
    arb_add(p, p, q, ATOMS_PREC);
    arb_mul(is_added ? p : q, is_added ? p : q, e, ATOMS_PREC);
    arb_sub(p, p, q, ATOMS_PREC);
    if (is_added) arb_neg(p, p);
    arb_add(delta, delta, p, ATOMS_PREC);
    arb_clear(e);
    arb_clear(x);
    arb_clear(edge);
    arb_clear(low);
    arb_clear(p);
    arb_clear(q);
    arb_clear(p_low);
    arb_clear(q_low);
}

static inline void split_density(arb_t delta, const part *law, const arb_t y)
{
    arb_zero(delta);
    if (law->kind != PART_ADD) split_direction(delta, law, 0, y);
    if (law->kind != PART_REMOVE) split_direction(delta, law, 1, y);
}

/* ---- n = 0 and 1 ---- */

/* All combinations of the atoms, alone or beside one release of `density`. */
static inline void split_combine(arb_t sum, const residue_terms *terms, size_t index,
                                 size_t size, const arb_t mass, const arb_t A,
                                 const part *density)
{
    arb_t next, loss;
    arb_init(next);
    arb_init(loss);
    if (index < size) {
        for (slong i = 0; i < terms[index].count; i++) {
            if (arb_poly_length(&terms[index].in_v[i]) == 0) continue;
            arb_mul(next, mass, arb_poly_get_coeff_ptr(&terms[index].in_v[i], 0),
                    ATOMS_PREC);
            arb_add(loss, terms[index].loss + i, A, ATOMS_PREC);
            split_combine(sum, terms, index + 1, size, next, loss, density);
        }
    } else if (density != NULL) {
        arb_neg(loss, A);
        split_density(next, density, loss);
        arb_addmul(sum, next, mass, ATOMS_PREC);
    } else { /* 1 - e^-A, or 0 for A < 0 */
        arb_neg(next, A);
        arb_expm1(next, next, ATOMS_PREC);
        arb_neg(next, next);
        arb_max(next, next, loss, ATOMS_PREC);
        arb_addmul(sum, next, mass, ATOMS_PREC);
    }
    arb_clear(next);
    arb_clear(loss);
}

/* delta += atoms alone, or one release of part `which` by its density and all else by atoms. */
static inline void split_closed(arb_t delta, const parts *all, double epsilon,
                                const part *which)
{
    residue_terms terms[PARTS_MAX];
    arb_t sum, mass, A;
    arb_init(sum);
    arb_init(mass);
    arb_init(A);
    size_t size = 0;
    int is_empty = 0;
    for (size_t i = 0; i < all->size && !is_empty; i++) {
        const part *one = &all->list[i];
        const ulong power = one->count - (one == which);
        is_empty = one->atoms == 0 && power > 0;
        if (is_empty) break;
        if (one->kind == PART_ATOMS)
            residue_of_atoms(&terms[size++], one);
        else
            residue_of_list(&terms[size++], one, power);
    }
    if (!is_empty) {
        arb_set_ui(mass, which == NULL ? 1 : which->count);
        arb_set_d(A, -epsilon);
        split_combine(sum, terms, 0, size, mass, A, which);
        arb_add(delta, delta, sum, ATOMS_PREC);
    }
    for (size_t i = 0; i < size; i++)
        residue_terms_clear(&terms[i]);
    arb_clear(sum);
    arb_clear(mass);
    arb_clear(A);
}

/* ---- n >= 2 ---- */

/* One part's A and B at the nodes. */
static inline int split_table(acb_ptr atoms, acb_ptr density, const part *one, double c,
                              double step, slong nodes, double work_max)
{
    const double spare = 18.0; /* panels to 1e-14: the cut leaves 1e-6 */
    _acb_vec_zero(density, nodes);
    if (one->kind == PART_ATOMS)
        return contour_table(atoms, one, c, step, nodes, work_max);
    _acb_vec_zero(atoms, nodes);
    if ((double)one->atoms * (double)nodes > work_max) return 0;
    contour_atoms(atoms, one, c, step, nodes);
    return !one->is_box ||
           line_table(density, one, c, step, nodes, guess_log_mgf(one, c) + spare,
                      (long)(work_max / (double)nodes));
}

/* The product so far, whole and with n = 0 and n = 1, times that of `count` releases of atoms a, density b. */
static inline void split_multiply(acb_ptr whole, acb_ptr none, acb_ptr single,
                                  const acb_t a, const acb_t b, ulong count)
{
    acb_t all, power, next;
    acb_init(all);
    acb_init(power);
    acb_init(next);
    acb_add(all, a, b, PREC);
    acb_pow_ui(all, all, count, PREC);
    acb_mul(whole, whole, all, PREC);
    acb_pow_ui(power, a, count - 1, PREC);
    acb_mul(next, power, b, PREC);
    acb_mul_ui(next, next, count, PREC);
    acb_mul(next, next, none, PREC);
    acb_mul(power, power, a, PREC);
    acb_mul(single, single, power, PREC);
    acb_add(single, single, next, PREC);
    acb_mul(none, none, power, PREC);
    acb_clear(all);
    acb_clear(power);
    acb_clear(next);
}

/* value[j]: what n >= 2 densities give to e^{K(c + i j step)}. */
static inline int split_values(acb_ptr value, const parts *all, double c, double step,
                               slong nodes, double work_max)
{
    acb_ptr none = _acb_vec_init(nodes), single = _acb_vec_init(nodes);
    acb_ptr atoms = _acb_vec_init(nodes), density = _acb_vec_init(nodes);
    int is_done = 1;
    for (slong j = 0; j < nodes; j++) {
        acb_one(value + j);
        acb_one(none + j);
    }
    for (size_t i = 0; i < all->size && is_done; i++) {
        is_done = split_table(atoms, density, &all->list[i], c, step, nodes, work_max);
        for (slong j = 0; j < nodes && is_done; j++)
            split_multiply(value + j, none + j, single + j, atoms + j, density + j,
                           all->list[i].count);
    }
    for (slong j = 0; j < nodes; j++) {
        acb_sub(value + j, value + j, none + j, PREC);
        acb_sub(value + j, value + j, single + j, PREC);
    }
    _acb_vec_clear(none, nodes);
    _acb_vec_clear(single, nodes);
    _acb_vec_clear(atoms, nodes);
    _acb_vec_clear(density, nodes);
    return is_done;
}

/* 2 (G(low) + G(e)) of a part: G = c e^{-(l+e)/2} r^k/(q e^l). */
static inline void split_variation(arb_t bound, const part *one, double c)
{
    arb_t l, r, k, t;
    arb_init(l);
    arb_init(r);
    arb_init(k);
    arb_init(t);
    arb_zero(bound);
    for (int is_added = 0; is_added < 2; is_added++) {
        if (one->kind == (is_added ? PART_REMOVE : PART_ADD)) continue;
        arb_set_d(k, is_added ? 1.0 - c : c + 2.0);
        for (int end = 0; end < 2; end++) {
            if (end == 1)
                arb_set(l, one->a);
            else if (one->kind == PART_FIXED)
                arb_zero(l);
            else
                arb_neg(l, one->a);
            arb_expm1(r, l, PREC);
            arb_mul(r, r, one->rate, PREC);
            arb_log1p(r, r, PREC);
            arb_mul(r, r, k, PREC);
            arb_mul_ui(t, l, 3, PREC);
            arb_mul_2exp_si(t, t, -1);
            arb_sub(r, r, t, PREC);
            arb_exp(r, r, PREC);
            arb_add(bound, bound, r, PREC);
        }
    }
    line_density(t, one); /* c e^{-e/2} e */
    arb_mul(bound, bound, t, PREC);
    arb_div(bound, bound, one->a, PREC);
    arb_div(bound, bound, one->rate, PREC);
    arb_mul_2exp_si(bound, bound, 1);
    arb_clear(l);
    arb_clear(r);
    arb_clear(k);
    arb_clear(t);
}

/* A bound of |value| for all s' >= s, over pi s. */
static inline void split_cut(arb_t cut, const parts *all, double c, double s)
{
    acb_t whole, none, single, a, b;
    arb_t t;
    acb_init(whole);
    acb_init(none);
    acb_init(single);
    acb_init(a);
    acb_init(b);
    arb_init(t);
    acb_one(whole);
    acb_one(none);
    for (size_t i = 0; i < all->size; i++) {
        const part *one = &all->list[i];
        if (!split_table(a, b, one, c, 1.0, 1, 1e6)) arb_pos_inf(acb_realref(b));
        if (one->is_box) {
            split_variation(cut, one, c);
            arb_set_d(t, s);
            arb_div(cut, cut, t, PREC);
            arb_min(acb_realref(b), acb_realref(b), cut, PREC);
        }
        split_multiply(whole, none, single, a, b, one->count);
    }
    acb_sub(whole, whole, none, PREC);
    acb_sub(whole, whole, single, PREC);
    arb_const_pi(t, PREC);
    arb_div(cut, acb_realref(whole), t, PREC);
    arb_set_d(t, s);
    arb_div(cut, cut, t, PREC);
    arb_abs(cut, cut);
    acb_clear(whole);
    acb_clear(none);
    acb_clear(single);
    acb_clear(a);
    acb_clear(b);
    arb_clear(t);
}

/* False when no contour within the work limit does. */
static inline int split_init(contour *line, const parts *all, double epsilon,
                             double c_max, double work_max)
{
    const double small = 1e-6; /* of delta: these sums fall like s^-3 alone */
    const double width = contour_choose(line, all, epsilon, c_max) + log(small / 1e-12);
    const double limit = fmin(30000.0, work_max / 100.0);
    double s = 4.0 * line->step;
    arb_t cut;
    arb_init(cut);
    for (; s < limit * line->step; s *= 1.2) {
        split_cut(cut, all, line->c, s);
        if (log(guess_d(cut)) - line->c * epsilon < width) break;
    }
    arb_clear(cut);
    line->nodes = (slong)ceil(s / line->step) + 1;
    if (!((double)line->nodes < limit)) return 0;
    line->value = _acb_vec_init(line->nodes);
    arb_init(line->cut);
    arb_init(line->above_value);
    acb_t top;
    acb_init(top);
    int is_done =
        split_values(line->value, all, line->c, line->step, line->nodes, work_max) &&
        contour_values(top, all, line->above, 1.0, 1, work_max);
    arb_abs(line->above_value, acb_realref(top));
    acb_clear(top);
    split_cut(line->cut, all, line->c, line->step * (double)(line->nodes - 1));
    if (!is_done) contour_clear(line);
    return is_done;
}

static inline int split_densities(const parts *all)
{
    ulong sum = 0;
    for (size_t i = 0; i < all->size; i++)
        sum += all->list[i].is_box ? all->list[i].count : 0;
    return sum < 2 ? (int)sum : 2;
}

/* The ball of delta(eps); `line` of split_init() where two densities or more are composed, else NULL. */
static inline void split_delta(arb_t delta, const parts *all, const contour *line,
                               double epsilon)
{
    arb_zero(delta);
    if (line != NULL) contour_delta(delta, line, epsilon);
    split_closed(delta, all, epsilon, NULL);
    for (size_t i = 0; i < all->size; i++) {
        if (all->list[i].is_box) split_closed(delta, all, epsilon, &all->list[i]);
    }
}

#endif
