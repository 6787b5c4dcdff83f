/* tests/privacy/accounting/arb_residue.h: delta of atoms and boxes, by residues.
 *
 * Idea        The moment generating function M(t) of a sum of losses that are atoms, Laplace
 *             noise or of bounded range is a finite sum of terms C e^{at} v^j, v = 1/(2t + 1):
 *                 atoms    sum of mass e^{t loss}, in steps or listed
 *                 Laplace  (1/2) [(1 + v) e^{te} + (1 - v) e^-e e^{-te}]
 *                 range    v [e^{e/2} e^{te} - e^{-e/2} e^{-te}]/(2 sinh(e/2))
 * Formula     delta(eps) = (1/2 pi i) int M(t) e^{-t eps}/(t(t+1)) dt on Re t = c > 0. A term with
 *             A = a - eps <= 0 closes to the right: 0. One with A > 0 closes to the left, over
 *             t = 0, -1 and -1/2:
 *                 R_j(A) = 1 - (-1)^j e^-A - 4 2^-j e^{-A/2} S_{j-1},
 *                 S_n = A^n/n! + 4 S_{n-2}   (S_n = 0 for n < 0).
 *             j = 0 is 1 - e^-A, the definition. Terms alternate; 640 bits leave nothing of that.
 */
#ifndef SOTTO_TESTS_ARB_RESIDUE_H
#define SOTTO_TESTS_ARB_RESIDUE_H

#include "privacy/accounting/arb_parts.h"

enum { RESIDUE_TERMS_MAX = 40000 };

/* Terms of one part, all its releases: coefficient polynomials in v, and their losses. */
typedef struct residue_terms {
    arb_poly_struct *in_v;
    slong count;
    arb_ptr loss;
} residue_terms;

static inline void residue_terms_init(residue_terms *terms, slong count)
{
    terms->count = count;
    terms->in_v = malloc((size_t)count * sizeof *terms->in_v);
    assert_non_null(terms->in_v);
    for (slong i = 0; i < count; i++)
        arb_poly_init(&terms->in_v[i]);
    terms->loss = _arb_vec_init(count);
}

static inline void residue_terms_clear(residue_terms *terms)
{
    for (slong i = 0; i < terms->count; i++)
        arb_poly_clear(&terms->in_v[i]);
    free(terms->in_v);
    _arb_vec_clear(terms->loss, terms->count);
}

/* loss[i] = count first + i step */
static inline void residue_losses(residue_terms *terms, const arb_t first, ulong count,
                                  const arb_t step)
{
    for (slong i = 0; i < terms->count; i++) {
        arb_mul_si(terms->loss + i, step, i, ATOMS_PREC);
        arb_addmul_ui(terms->loss + i, first, count, ATOMS_PREC);
    }
}

static inline void residue_of_atoms(residue_terms *terms, const part *one)
{
    const slong count = (slong)one->count * (one->atoms - 1) + 1;
    arb_poly_t law;
    arb_poly_init(law);
    for (slong i = 0; i < one->atoms; i++)
        arb_poly_set_coeff_arb(law, i, one->mass + i);
    arb_poly_pow_ui(law, law, one->count, ATOMS_PREC);
    residue_terms_init(terms, count);
    for (slong i = 0; i < count && i < arb_poly_length(law); i++)
        arb_poly_set_coeff_arb(&terms->in_v[i], 0, arb_poly_get_coeff_ptr(law, i));
    residue_losses(terms, one->a, one->count, one->b);
    arb_poly_clear(law);
}

/* C(count + atoms - 1, count): the ways to share the releases among the atoms. */
static inline double residue_list_size(const part *one, ulong count)
{
    double size = 1.0;
    for (ulong i = 1; i <= count; i++)
        size *= (double)(one->atoms - 1 + (slong)i) / (double)i;
    return size;
}

/* All ways to share `left` releases among the atoms from `atom` on. */
static inline void residue_share(residue_terms *terms, slong *size, const part *one,
                                 slong atom, ulong left, const arb_t mass,
                                 const arb_t loss)
{
    arb_t next, at;
    arb_init(next);
    arb_init(at);
    arb_set(next, mass);
    arb_set(at, loss);
    if (atom == one->atoms) {
        arb_poly_set_coeff_arb(&terms->in_v[*size], 0, mass);
        arb_set(terms->loss + (*size)++, loss);
    } else {
        for (ulong k = 0; k <= left; k++) { /* k of them: mass^k/k! */
            if (k > 0) {
                arb_mul(next, next, one->mass + atom, ATOMS_PREC);
                arb_div_ui(next, next, k, ATOMS_PREC);
                arb_add(at, at, one->place + atom, ATOMS_PREC);
            }
            if (atom < one->atoms - 1 || k == left)
                residue_share(terms, size, one, atom + 1, left - k, next, at);
        }
    }
    arb_clear(next);
    arb_clear(at);
}

static inline void residue_of_list(residue_terms *terms, const part *one, ulong count)
{
    slong size = 0;
    arb_t mass, loss;
    arb_init(mass);
    arb_init(loss);
    residue_terms_init(terms, (slong)(residue_list_size(one, count) + 0.5));
    arb_fac_ui(mass, count, ATOMS_PREC);
    residue_share(terms, &size, one, 0, count, mass, loss);
    assert_int_equal(size, terms->count);
    arb_clear(mass);
    arb_clear(loss);
}

/* Index i: i of the k releases carry e^{te}, k - i carry e^{-te}. */
static inline void residue_of_box(residue_terms *terms, const part *one)
{
    const slong k = (slong)one->count;
    arb_poly_t up, down, power;
    arb_t scale, e;
    arb_poly_init(up);
    arb_poly_init(down);
    arb_poly_init(power);
    arb_init(scale);
    arb_init(e);
    if (one->has_ends) { /* up = (1 + v)/2, down = (1 - v) e^-e/2 */
        arb_poly_set_coeff_si(up, 0, 1);
        arb_poly_set_coeff_si(up, 1, 1);
        arb_poly_scalar_mul_2exp_si(up, up, -1);
        arb_poly_set_coeff_si(down, 0, 1);
        arb_poly_set_coeff_si(down, 1, -1);
        arb_neg(e, one->a);
        arb_exp(e, e, ATOMS_PREC);
        arb_mul_2exp_si(e, e, -1);
        arb_poly_scalar_mul(down, down, e, ATOMS_PREC);
    } else { /* up = v/(1 - e^-e), down = -v e^-e/(1 - e^-e) */
        arb_neg(e, one->a);
        arb_expm1(scale, e, ATOMS_PREC);
        arb_neg(scale, scale);
        arb_inv(scale, scale, ATOMS_PREC);
        arb_poly_set_coeff_arb(up, 1, scale);
        arb_exp(e, e, ATOMS_PREC);
        arb_mul(scale, scale, e, ATOMS_PREC);
        arb_neg(scale, scale);
        arb_poly_set_coeff_arb(down, 1, scale);
    }
    residue_terms_init(terms, k + 1);
    for (slong i = 0; i <= k; i++) {
        arb_poly_struct *term = &terms->in_v[i];
        arb_poly_pow_ui(term, up, (ulong)i, ATOMS_PREC);
        arb_poly_pow_ui(power, down, (ulong)(k - i), ATOMS_PREC);
        arb_poly_mul(term, term, power, ATOMS_PREC);
        arb_bin_uiui(scale, (ulong)k, (ulong)i, ATOMS_PREC);
        arb_poly_scalar_mul(term, term, scale, ATOMS_PREC);
    }
    arb_neg(scale, one->a);
    arb_mul_2exp_si(e, one->a, 1);
    residue_losses(terms, scale, (ulong)k, e);
    arb_poly_clear(up);
    arb_poly_clear(down);
    arb_poly_clear(power);
    arb_clear(scale);
    arb_clear(e);
}

/* sum over j of in_v[j] R_j(A), added to `sum`. */
static inline void residue_add(arb_t sum, const arb_poly_t in_v, const arb_t A)
{
    if (arb_is_nonpositive(A)) return;
    arb_t zero, decay, half, term, r, s[2];
    arb_init(zero);
    arb_init(decay);
    arb_init(half);
    arb_init(term);
    arb_init(r);
    arb_init(s[0]);
    arb_init(s[1]);
    arb_neg(decay, A);
    arb_mul_2exp_si(half, decay, -1);
    arb_exp(decay, decay, ATOMS_PREC);
    arb_exp(half, half, ATOMS_PREC);
    arb_one(term); /* A^n/n! */
    for (slong j = 0; j < arb_poly_length(in_v); j++) {
        if (j > 0) { /* s[(j-1)%2] becomes S_{j-1} */
            arb_ptr here = s[(j - 1) % 2];
            if (j > 1) {
                arb_mul(term, term, A, ATOMS_PREC);
                arb_div_ui(term, term, (ulong)(j - 1), ATOMS_PREC);
            }
            arb_mul_2exp_si(here, here, 2);
            arb_add(here, here, term, ATOMS_PREC);
            arb_mul(r, here, half, ATOMS_PREC);
            arb_mul_2exp_si(r, r, 2 - j);
            arb_neg(r, r);
        }
        if (j % 2 == 0) {
            arb_sub(r, r, decay, ATOMS_PREC);
        } else {
            arb_add(r, r, decay, ATOMS_PREC);
        }
        arb_add_ui(r, r, 1, ATOMS_PREC);
        if (arb_contains_zero(A)) /* R_j is continuous, and 0 on the other side */
            arb_union(r, r, zero, ATOMS_PREC);
        arb_addmul(sum, r, arb_poly_get_coeff_ptr(in_v, j), ATOMS_PREC);
    }
    arb_clear(zero);
    arb_clear(decay);
    arb_clear(half);
    arb_clear(term);
    arb_clear(r);
    arb_clear(s[0]);
    arb_clear(s[1]);
}

/* All combinations of the terms of parts from `index` on, beside the product and loss so far. */
static inline void residue_combine(arb_t sum, const residue_terms *terms, size_t index,
                                   size_t size, const arb_poly_t product, const arb_t A)
{
    if (index == size) {
        residue_add(sum, product, A);
        return;
    }
    arb_poly_t next;
    arb_t loss;
    arb_poly_init(next);
    arb_init(loss);
    for (slong i = 0; i < terms[index].count; i++) {
        arb_poly_mul(next, product, &terms[index].in_v[i], ATOMS_PREC);
        arb_add(loss, terms[index].loss + i, A, ATOMS_PREC);
        residue_combine(sum, terms, index + 1, size, next, loss);
    }
    arb_poly_clear(next);
    arb_clear(loss);
}

/* True for plans of atoms and boxes with few enough terms. */
static inline int residue_covers(const parts *all)
{
    double terms = 1.0;
    for (size_t i = 0; i < all->size; i++) {
        const part *one = &all->list[i];
        if (one->kind == PART_ATOMS) {
            terms *= (double)one->count * (double)(one->atoms - 1) + 1.0;
        } else if (one->kind == PART_LIST) {
            terms *= residue_list_size(one, one->count);
        } else if (one->kind == PART_BOX && one->count <= 60) {
            terms *= (double)(one->count + 1) * (0.5 * (double)one->count + 1.0);
        } else {
            return 0;
        }
    }
    return terms <= RESIDUE_TERMS_MAX;
}

/* The ball of delta(eps) of the finite part. */
static inline void residue_delta(arb_t delta, const parts *all, double epsilon)
{
    residue_terms terms[PARTS_MAX];
    for (size_t i = 0; i < all->size; i++) {
        const part *one = &all->list[i];
        if (one->kind == PART_ATOMS)
            residue_of_atoms(&terms[i], one);
        else if (one->kind == PART_LIST)
            residue_of_list(&terms[i], one, one->count);
        else
            residue_of_box(&terms[i], one);
    }
    arb_poly_t unit;
    arb_t A;
    arb_poly_init(unit);
    arb_init(A);
    arb_poly_one(unit);
    arb_set_d(A, -epsilon);
    arb_zero(delta);
    residue_combine(delta, terms, 0, all->size, unit, A);
    arb_poly_clear(unit);
    arb_clear(A);
    for (size_t i = 0; i < all->size; i++)
        residue_terms_clear(&terms[i]);
}

#endif
