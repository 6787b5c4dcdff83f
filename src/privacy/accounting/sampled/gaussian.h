/* privacy/accounting/sampled/gaussian.h: the Poisson-sampled Gaussian, the kernel of DP-SGD.
 *
 * Idea        Each record takes part with probability q. The sum of these records, each of norm
 *             at most 1, is released with noise sigma N(0, I). The dominating pair is
 *             `P = (1-q)N(0, sigma^2) + qN(1, sigma^2)` and `Q = N(0, sigma^2)`. "remove" is (P,
 *             Q), "add" is (Q, P).
 * Theorem     Zhu, Dong & Wang, AISTATS 2022, Prop. 30 (the pair dominates each step and
 *             composes, one direction at a time). With y standard normal, r = 1-q+q e^U and
 *             U = y/sigma - 1/(2 sigma^2):
 *                 M(t) = E[r^z],  z = t + 1 (remove) or -t (add).
 * Neighbours  Add or remove one record; the rate and the number of steps are public.
 * Assumes     Independent coins for every record and step; sums divided by public constants.
 * Rounding    Every number comes with a bound on its error. Proof: gaussian.md
 */
#ifndef SOT_PRIVACY_ACCOUNTING_SAMPLED_GAUSSIAN_H
#define SOT_PRIVACY_ACCOUNTING_SAMPLED_GAUSSIAN_H

#include "privacy/accounting/profile/atoms.h"
#include "privacy/accounting/profile/bracket.h"

typedef struct sot_sampled {
    double rate;  /* in (0, 1) */
    double sigma; /* noise multiplier */
    double count; /* repetitions, an integer */
} sot_sampled;

/* Returns log M(t) at real t > 0, and a bound on its absolute error. Infinite beyond the orders
 * that the quadrature covers: about 1000 sigma, unless t + 1 is a whole number up to 4096. */
double sot_sampled_log_mgf(const sot_sampled *sampled, sot_direction direction, double t,
                           double *out_error);

/* Returns an upper bound on log M(t) in closed form, for both directions and every t > 0.
 * It is within -(t+1) log q of it, and used where the quadrature fails. */
double sot_sampled_log_mgf_bound(const sot_sampled *sampled, double t);

/* log M(t) without a bound, several times faster: for searches only. */
double sot_sampled_log_mgf_estimate(const sot_sampled *sampled, sot_direction direction,
                                    double t);

/* The exponentially weighted loss as atoms, good for 0 <= s <= s_max. */
SOTTO_MUST_CHECK sotto_status sot_sampled_atoms(const sot_sampled *sampled,
                                                sot_direction direction, double c,
                                                double s_max, sot_atoms *out_atoms,
                                                sotto_error *error);

/* About the number of atoms that sot_sampled_atoms() would make; infinite where it refuses. */
double sot_sampled_atoms_estimate(const sot_sampled *sampled, sot_direction direction,
                                  double c, double s_max);

/* The fall of |M(c + is)|/M(c): a bound that decreases in s, made once for each c. */
typedef struct sot_sampled_tail sot_sampled_tail;

SOTTO_MUST_CHECK sotto_status sot_sampled_tail_new(const sot_sampled *sampled,
                                                   sot_direction direction, double c,
                                                   sot_sampled_tail **out_tail,
                                                   sotto_error *error);
void sot_sampled_tail_free(sot_sampled_tail *tail);

/* An upper bound of log(|M(c + is')|/M(c)) for every s' >= s. */
double sot_sampled_tail_log(sot_sampled_tail *tail, double s);

/* The largest privacy loss of one step: infinite for remove, -log(1-q) for add. */
double sot_sampled_loss_max(const sot_sampled *sampled, sot_direction direction);

#endif
