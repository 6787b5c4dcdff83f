/* privacy/accounting/loss/loss.h: the privacy loss of one release whose two directions have the
 * same distribution.
 *
 * Loss        L = log(P/Q) under P. For each event below the density of -L under Q equals that of
 *             L under P. Mass p at l > 0 then comes with mass p e^-l at -l, and
 *
 *                 M(t) - 1 = E e^{tL} - 1 = sum over l > 0 of  p e^{-(t+1) l} (e^{tl} - 1)(e^{(t+1)l} - 1),
 *
 *             a sum (or integral) of positive terms. There is no cancellation, even for tiny
 *             losses.
 * Kinds       - box: ends and middle, mass at +-e and a density proportional to e^{l/2} between.
 *               Laplace noise, and any release of bounded range.
 *             - lattice: losses on a lattice. Discrete Laplace noise, k-ary randomized response.
 *             - gaussian: losses on an infinite lattice, the discrete Gaussian.
 *             - replaced: Poisson-sampled Gaussian when one record is replaced.
 *             - fixed: Gaussian of a batch of fixed size, one record replaced.
 * Rounding    Every number comes with a bound on its error. Proofs: loss.md
 */
#ifndef SOT_PRIVACY_ACCOUNTING_LOSS_LOSS_H
#define SOT_PRIVACY_ACCOUNTING_LOSS_LOSS_H

#include <stdbool.h>

#include "privacy/accounting/profile/atoms.h"
#include "privacy/accounting/profile/bracket.h"

typedef enum sot_law_kind {
    SOT_LAW_BOX = 0,
    SOT_LAW_DISCRETE_LAPLACE = 1,
    SOT_LAW_RESPONSE = 2,
    SOT_LAW_DISCRETE_GAUSSIAN = 3,
    SOT_LAW_REPLACED = 4,
    SOT_LAW_FIXED = 5
} sot_law_kind;

typedef struct sot_law {
    sot_law_kind kind;
    double loss;  /* box: e; response: epsilon; discrete Laplace: steps over scale */
    double steps; /* discrete: the number of lattice steps by which one record moves it */
    double categories; /* response */
    double sigma;  /* discrete Gaussian: in steps of the lattice; else noise multiplier */
    double rate;   /* replaced, fixed */
    bool has_ends; /* box: Laplace noise; without ends it is bounded range */
    double count;  /* repetitions, an integer; equal distributions are merged */
} sot_law;

/* True when the two are the same but for their counts. */
bool sot_law_equals(const sot_law *a, const sot_law *b);

/* delta(epsilon) of one release, for any real epsilon. */
sot_bracket sot_law_delta(const sot_law *law, double epsilon);

/* log M(t) at real t > 0 and a bound on its absolute error; infinite where the kernel gives up. */
double sot_law_log_mgf(const sot_law *law, double t, double *out_error);

/* An upper bound of log M(t) in closed form for every t > 0. */
double sot_law_log_mgf_bound(const sot_law *law, double t);

/* Upper bound on t times the Renyi divergence of order t + 1. It is log M(t), except for bounded
 * range, where each order has its own worst pair. The pair for all epsilons is worse than each of
 * them. */
double sot_law_renyi_upper(const sot_law *law, double t);
double sot_law_renyi_estimate(const sot_law *law, double t);

/* log M(t) without a bound: for searches only. */
double sot_law_log_mgf_estimate(const sot_law *law, double t);

/* The largest loss of one release; infinite for the Gaussians. */
double sot_law_loss_max(const sot_law *law);

/* Adds count * log(M(c + is)/M(c)) on the nodes s_j = j * step, as sot_atoms_accumulate() does. */
typedef struct sot_law_table {
    double c, step;
    size_t nodes;
    double *log_modulus, *argument, *error;
} sot_law_table;

SOTTO_MUST_CHECK sotto_status sot_law_accumulate(const sot_law *law,
                                                 const sot_law_table *table,
                                                 double work_max, sotto_error *error);

/* About the number of atoms that this takes for each node; infinite where it refuses, or stopped counting at
 * `most`. */
double sot_law_atoms_estimate(const sot_law *law, double c, double s_max, double most);

/* The fall of |M(c + is)|/M(c): a bound that decreases in s, made once for each c. */
typedef struct sot_law_tail sot_law_tail;

SOTTO_MUST_CHECK sotto_status sot_law_tail_new(const sot_law *law, double c,
                                               sot_law_tail **out_tail,
                                               sotto_error *error);
void sot_law_tail_free(sot_law_tail *tail);

/* An upper bound of log(|M(c + is')|/M(c)) for every s' >= s. */
double sot_law_tail_log(sot_law_tail *tail, double s);

/* ---- many releases of one distribution in closed form ---- */

/* The distribution of the sum of `count` losses, ready for delta at any epsilon. NULL
 * (and SOTTO_OK) if `count` is too large for the closed form. */
typedef struct sot_law_sum sot_law_sum;

SOTTO_MUST_CHECK sotto_status sot_law_sum_new(const sot_law *law, sot_law_sum **out_sum,
                                              sotto_error *error);
void sot_law_sum_free(sot_law_sum *sum);
sot_bracket sot_law_sum_delta(const sot_law_sum *sum, double epsilon);

/* The number of atoms of the sum; infinite off the lattices. */
double sot_law_sum_points(const sot_law_sum *sum);

/* The atoms of a sum on a lattice; NULL for other distributions. */
typedef struct sot_lattice sot_lattice;
const sot_lattice *sot_law_sum_lattice(const sot_law_sum *sum);

#endif
