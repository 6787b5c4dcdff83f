/* tests/privacy/accounting/arb_parts.h: a plan as laws of its privacy loss, in balls.
 *
 * Idea        Every event is replaced by the pair (P, Q) that its mechanism's definition or the
 *             theorem named beside it gives, and the pair by the law of L = log P/Q under P. No
 *             code of src/ is used: only the public structure of the plan is read.
 * Balls       Parameters are the doubles of the plan, taken as exact numbers; whatever is
 *             computed from them is an Arb ball that contains the exact value.
 * Discrete    A discrete Gaussian is cut off 16 standard deviations out. What is missing is
 *             counted in `missing`; delta grows by at most that.
 * Sampled     With the pair (P, Q) of the release on all records, l = log P/Q and r = 1 - q + q e^l:
 *             coins, one record removed: ((1-q)Q + qP, Q), loss log r; added: (Q, (1-q)Q + qP), -log r
 *             (Zhu, Dong & Wang, AISTATS 2022, Thm 11). A batch, one record exchanged: H_a is at most
 *             q H_a'(P, Q) for a >= 1, in both directions (Balle, Barthe & Gaboardi, NeurIPS 2018, Thm 9),
 *             which is "removed" on l > 0, "added" on l > 0, and the rest of the mass at 0.
 */
#ifndef SOTTO_TESTS_ARB_PARTS_H
#define SOTTO_TESTS_ARB_PARTS_H

#include "support.h"

#include <sotto/accountant.h>

#include <acb.h>
#include <acb_hypgeom.h>
#include <arb.h>
#include <arb_hypgeom.h>
#include <arb_poly.h>

/* gcc 12 takes the first member of a ball for the whole when it has inlined a getter. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

enum { PREC = 128, ATOMS_PREC = 640, PARTS_MAX = 8 };

typedef enum part_kind {
    PART_GAUSSIAN,  /* mu^2 in `a`: L ~ N(mu^2/2, mu^2) */
    PART_ATOMS,     /* mass[i] at a + i b */
    PART_BOX,       /* loss in `a`: Laplace with ends, bounded range without */
    PART_LIST,      /* mass[i] at place[i] */
    PART_OBJECTIVE, /* max(t, b), t the loss of a Gaussian of mu^2 = a */
    PART_REMOVE,    /* the lines: Poisson-sampled Gaussian or box, one record removed */
    PART_ADD,       /* one record added */
    PART_REPLACED,  /* one record exchanged */
    PART_FIXED      /* a batch of fixed size, one record exchanged */
} part_kind;

typedef struct part {
    part_kind kind;
    int has_ends;
    int is_box; /* a line: P and Q are those of PART_BOX, and mass[i] at place[i] is beside the density */
    ulong count;
    arb_t a, b;
    arb_t rate, sigma;   /* lines */
    arb_ptr mass, place; /* atoms */
    slong atoms;
} part;

typedef struct parts {
    part list[PARTS_MAX];
    size_t size;
    int is_directed; /* adding a record is not removing one */
    arb_t survives;  /* the probability that no (epsilon, delta) event fails */
    arb_t missing;   /* mass cut off, over all releases */
} parts;

static inline void parts_init(parts *all)
{
    *all = (parts){.size = 0};
    arb_init(all->survives);
    arb_one(all->survives);
    arb_init(all->missing);
}

static inline void parts_clear(parts *all)
{
    for (size_t i = 0; i < all->size; i++) {
        part *one = &all->list[i];
        arb_clear(one->a);
        arb_clear(one->b);
        arb_clear(one->rate);
        arb_clear(one->sigma);
        if (one->mass != NULL) _arb_vec_clear(one->mass, one->atoms);
        if (one->place != NULL) _arb_vec_clear(one->place, one->atoms);
    }
    arb_clear(all->survives);
    arb_clear(all->missing);
}

static inline part *parts_next(parts *all, part_kind kind, uint64_t count)
{
    assert_true(all->size < PARTS_MAX);
    part *one = &all->list[all->size++];
    *one = (part){.kind = kind, .count = (ulong)count};
    arb_init(one->a);
    arb_init(one->b);
    arb_init(one->rate);
    arb_init(one->sigma);
    return one;
}

static inline void part_set_atoms(part *one, slong atoms)
{
    one->atoms = atoms;
    one->mass = _arb_vec_init(atoms);
}

static inline int part_is_line(const part *one)
{
    return one->kind >= PART_REMOVE;
}

/* x = numerator/denominator of two doubles. */
static inline void ratio_of(arb_t x, double numerator, double denominator)
{
    arb_t d;
    arb_init(d);
    arb_set_d(x, numerator);
    arb_set_d(d, denominator);
    arb_div(x, x, d, ATOMS_PREC);
    arb_clear(d);
}

/* ---- the laws ---- */

/* Any epsilon-DP release: mass 1/(1 + e^-eps) at eps, the rest at -eps (Kairouz, Oh & Viswanath,
 * ICML 2015, Thm 3.1 with delta 0). */
static inline void add_pure_part(parts *all, const arb_t epsilon, uint64_t count)
{
    part *one = parts_next(all, PART_ATOMS, count);
    part_set_atoms(one, 2);
    arb_neg(one->a, epsilon);
    arb_mul_2exp_si(one->b, epsilon, 1);
    arb_neg(one->mass + 1, epsilon);
    arb_exp(one->mass + 1, one->mass + 1, ATOMS_PREC);
    arb_add_ui(one->mass + 1, one->mass + 1, 1, ATOMS_PREC);
    arb_inv(one->mass + 1, one->mass + 1, ATOMS_PREC);
    arb_sub_ui(one->mass, one->mass + 1, 1, ATOMS_PREC);
    arb_neg(one->mass, one->mass);
}

/* k answers, e^eps : 1 : ... : 1; two records that give different answers. */
static inline void add_response_part(parts *all, double epsilon, uint32_t categories,
                                     uint64_t count)
{
    part *one = parts_next(all, PART_ATOMS, count);
    part_set_atoms(one, 3);
    arb_t e;
    arb_init(e);
    arb_set_d(one->b, epsilon);
    arb_neg(one->a, one->b);
    arb_exp(e, one->b, ATOMS_PREC);
    arb_add_ui(one->mass, e, categories - 1, ATOMS_PREC);
    arb_inv(one->mass, one->mass, ATOMS_PREC); /* another answer: its mass under P */
    arb_mul(one->mass + 2, one->mass, e, ATOMS_PREC);
    arb_mul_ui(one->mass + 1, one->mass, categories - 2, ATOMS_PREC);
    arb_clear(e);
}

/* P(x) proportional to rho^|x|, Q moved by n: with rho = e^{-1/scale} the loss is (n - 2x)/scale
 * on 0 <= x <= n, the ends taking all beyond. */
static inline void add_discrete_laplace_part(parts *all, double scale, slong n,
                                             uint64_t count)
{
    part *one = parts_next(all, PART_ATOMS, count);
    part_set_atoms(one, n + 1);
    arb_t rho, inner;
    arb_init(rho);
    arb_init(inner);
    ratio_of(one->b, 2.0, scale);
    ratio_of(one->a, -(double)n, scale);
    ratio_of(rho, -1.0, scale);
    arb_exp(rho, rho, ATOMS_PREC);
    arb_add_ui(one->mass + n, rho, 1, ATOMS_PREC);
    arb_inv(one->mass + n, one->mass + n, ATOMS_PREC); /* x <= 0: 1/(1 + rho) */
    arb_sub_ui(inner, rho, 1, ATOMS_PREC);
    arb_neg(inner, inner);
    arb_mul(inner, inner, one->mass + n, ATOMS_PREC); /* (1 - rho)/(1 + rho) */
    for (slong x = 1; x < n; x++) {
        arb_mul(inner, inner, rho, ATOMS_PREC);
        arb_set(one->mass + n - x, inner);
    }
    arb_pow_ui(one->mass, rho, (ulong)n, ATOMS_PREC);
    arb_mul(one->mass, one->mass, one->mass + n, ATOMS_PREC);
    arb_clear(rho);
    arb_clear(inner);
}

/* P(x) proportional to e^{-x^2/(2 sigma^2)}, Q moved by n: the loss is (n^2 - 2 n x)/(2 sigma^2).
 * Beyond w = 16 sigma + 2 the terms fall at least like a geometric series of ratio e^-16/sigma. */
static inline void add_discrete_gaussian_part(parts *all, double sigma, slong n,
                                              uint64_t count)
{
    part *one = parts_next(all, PART_ATOMS, count);
    const slong w = (slong)ceil(16.0 * sigma) + 2;
    part_set_atoms(one, 2 * w + 1);
    arb_t square, sum, rest;
    arb_init(square);
    arb_init(sum);
    arb_init(rest);
    arb_set_d(square, sigma);
    arb_mul(square, square, square, ATOMS_PREC);
    for (slong x = -w; x <= w; x++) { /* index i holds x = w - i: losses ascend */
        arb_ptr m = one->mass + (w - x);
        arb_set_si(m, -x * x);
        arb_div(m, m, square, ATOMS_PREC);
        arb_mul_2exp_si(m, m, -1);
        arb_exp(m, m, ATOMS_PREC);
        arb_add(sum, sum, m, ATOMS_PREC);
    }
    /* sum over |x| > w <= 2 e^{-w^2/2s^2} r/(1 - r), r = e^{-w/s^2} */
    arb_set_si(rest, -w);
    arb_div(rest, rest, square, ATOMS_PREC);
    arb_exp(rest, rest, ATOMS_PREC);
    arb_t complement;
    arb_init(complement);
    arb_sub_ui(complement, rest, 1, ATOMS_PREC);
    arb_neg(complement, complement);
    arb_div(rest, rest, complement, ATOMS_PREC);
    arb_mul(rest, rest, one->mass, ATOMS_PREC);
    arb_mul_2exp_si(rest, rest, 1);
    arb_add_error(sum, rest); /* the whole sum is in this ball */
    for (slong i = 0; i <= 2 * w; i++)
        arb_div(one->mass + i, one->mass + i, sum, ATOMS_PREC);
    arb_div(rest, rest, sum, ATOMS_PREC);
    arb_addmul_ui(all->missing, rest, (ulong)count, ATOMS_PREC);
    arb_set_si(one->a, n * n - 2 * n * w);
    arb_div(one->a, one->a, square, ATOMS_PREC);
    arb_mul_2exp_si(one->a, one->a, -1);
    arb_set_si(one->b, n);
    arb_div(one->b, one->b, square, ATOMS_PREC);
    arb_clear(complement);
    arb_clear(square);
    arb_clear(sum);
    arb_clear(rest);
}

/* One pair of bounded range e: masses in the ratio e^{e/2} on one outcome, e^{-e/2} on the other (Dong,
 * Durfee & Rogers, ICML 2020, with t = e/2). The exponential mechanism attains it. */
static inline void add_range_pair(parts *all, double epsilon, uint64_t count)
{
    part *one = parts_next(all, PART_ATOMS, count);
    part_set_atoms(one, 2);
    arb_set_d(one->b, epsilon);
    arb_mul_2exp_si(one->a, one->b, -1);
    arb_exp(one->mass + 1, one->a,
            ATOMS_PREC); /* p = e^{e/2} (e^{-e/2} - e^-e)/(1 - e^-e) */
    arb_add_ui(one->mass, one->mass + 1, 1, ATOMS_PREC);
    arb_div(one->mass + 1, one->mass + 1, one->mass, ATOMS_PREC); /* = 1/(1 + e^{-e/2}) */
    arb_inv(one->mass, one->mass, ATOMS_PREC);
    arb_neg(one->a, one->a);
}

/* ---- sampled releases ---- */

/* Two new atoms at most for one of the pair: mass p of P at l, in the sampled pair of `how`. */
static inline slong sampled_atom(arb_ptr place, arb_ptr mass, const arb_t l,
                                 const arb_t p, const arb_t rate, part_kind how)
{
    const int is_batch = how == PART_FIXED;
    if (is_batch && !arb_is_positive(l))
        return 0; /* pairs are symmetric: a ball round 0 is 0 */
    slong size = 0;
    arb_t fallen, log_r, rest;
    arb_init(fallen);
    arb_init(log_r);
    arb_init(rest);
    arb_neg(fallen, l);
    arb_exp(fallen, fallen, ATOMS_PREC);
    arb_expm1(log_r, l, ATOMS_PREC);
    arb_mul(log_r, log_r, rate, ATOMS_PREC);
    arb_log1p(log_r, log_r, ATOMS_PREC);
    if (how == PART_REMOVE || is_batch) { /* (1-q)Q + qP */
        arb_sub_ui(rest, rate, 1, ATOMS_PREC);
        arb_neg(rest, rest);
        arb_mul(rest, rest, fallen, ATOMS_PREC);
        arb_add(rest, rest, rate, ATOMS_PREC);
        arb_mul(mass + size, p, rest, ATOMS_PREC);
        arb_set(place + size++, log_r);
    }
    if (how == PART_ADD || is_batch) { /* Q */
        arb_mul(mass + size, p, fallen, ATOMS_PREC);
        arb_neg(place + size++, log_r);
    }
    arb_clear(fallen);
    arb_clear(log_r);
    arb_clear(rest);
    return size;
}

/* From the pair's own atoms to those of the sampled pair. */
static inline void sample_atoms(part *one, const arb_t rate, part_kind how)
{
    const slong room = 2 * one->atoms + 1;
    arb_ptr mass = _arb_vec_init(room), place = _arb_vec_init(room);
    slong size = 0;
    arb_t l, rest;
    arb_init(l);
    arb_init(rest);
    for (slong i = 0; i < one->atoms; i++) {
        arb_mul_si(l, one->b, i, ATOMS_PREC);
        arb_add(l, l, one->a, ATOMS_PREC);
        size += sampled_atom(place + size, mass + size, l, one->mass + i, rate, how);
    }
    if (how == PART_FIXED) {
        arb_one(rest);
        for (slong i = 0; i < size; i++)
            arb_sub(rest, rest, mass + i, ATOMS_PREC);
        arb_set(mass + size++, rest);
    }
    _arb_vec_clear(one->mass, one->atoms);
    one->kind = PART_LIST;
    one->atoms = size;
    one->mass = _arb_vec_init(size);
    one->place = _arb_vec_init(size);
    _arb_vec_set(one->mass, mass, size);
    _arb_vec_set(one->place, place, size);
    _arb_vec_clear(mass, room);
    _arb_vec_clear(place, room);
    arb_clear(l);
    arb_clear(rest);
}

/* From a box to the line of its sampled pair, of rate 1 too. The ends hold 1/2 of P and e^-e/2; a batch has
 * (1-q)(1 - 2Q(l > 0)) at 0, and Q(l > 0) is e^{-e/2}/2 with ends, else 1/(1 + e^{e/2}). */
static inline void sample_box(part *one, const arb_t rate, part_kind how)
{
    const slong room = 2 * one->has_ends + (how == PART_FIXED);
    one->kind = how;
    one->is_box = 1;
    one->atoms = 0;
    one->mass = _arb_vec_init(room);
    one->place = _arb_vec_init(room);
    arb_set(one->rate, rate);
    arb_t l, p;
    arb_init(l);
    arb_init(p);
    if (one->has_ends) {
        arb_set_d(p, 0.5);
        arb_set(l, one->a);
        one->atoms += sampled_atom(one->place, one->mass, l, p, rate, how);
        arb_neg(l, l);
        arb_exp(p, l, ATOMS_PREC);
        arb_mul_2exp_si(p, p, -1);
        one->atoms += sampled_atom(one->place + one->atoms, one->mass + one->atoms, l, p,
                                   rate, how);
    }
    if (how == PART_FIXED) {
        arb_mul_2exp_si(l, one->a, -1);
        if (one->has_ends) { /* 1 - 2Q(l > 0) */
            arb_neg(l, l);
            arb_expm1(p, l, ATOMS_PREC);
            arb_neg(p, p);
        } else {
            arb_mul_2exp_si(l, l, -1);
            arb_tanh(p, l, ATOMS_PREC);
        }
        arb_sub_ui(l, rate, 1, ATOMS_PREC);
        arb_neg(l, l);
        arb_mul(one->mass + one->atoms++, p, l, ATOMS_PREC);
    }
    assert_int_equal(one->atoms, room);
    arb_clear(l);
    arb_clear(p);
}

/* mu^2 of Gaussians adds up (Dong, Roth & Su, JRSS B 2022, Cor. 3.3). */
static inline void add_gaussian_part(parts *all, double moved, double sigma,
                                     uint64_t count)
{
    part *one = parts_next(all, PART_GAUSSIAN, 1);
    ratio_of(one->a, moved, sigma);
    arb_mul(one->a, one->a, one->a, ATOMS_PREC);
    arb_mul_ui(one->a, one->a, (ulong)count, ATOMS_PREC);
}

static inline void add_line_part(parts *all, part_kind kind, const arb_t rate,
                                 double sigma, uint64_t count)
{
    part *one = parts_next(all, kind, count);
    arb_set(one->rate, rate);
    arb_set_d(one->sigma, sigma);
}

#endif
