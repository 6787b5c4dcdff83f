/* privacy/accounting/loss/gaussian_mixture.h: a sum with Gaussian noise that one unit moves by a random amount.
 *
 * Idea        With probability w_i one unit moves the sum by a vector of norm at most c_i, with the rest not at all.
 * Theorem     P = w_0 N(0, 1) + sum of w_i N(c_i/sigma, 1) and Q = N(0, 1) dominate it: Kahane's inequality
 *             (gaussian_mixture.md). Loss: log r(y), r = w_0 + sum of w_i e^(b_i y - b_i^2/2), b_i = c_i/sigma, increasing in y.
 * Neighbours  Add-remove of one unit; its share is independent of the other units'.
 * Rounding    Every number is a bracket or an upper bound. Proof: gaussian_mixture.md
 */
#ifndef SOT_PRIVACY_ACCOUNTING_LOSS_GAUSSIAN_MIXTURE_H
#define SOT_PRIVACY_ACCOUNTING_LOSS_GAUSSIAN_MIXTURE_H

#include "privacy/accounting/loss/table.h"
#include "privacy/accounting/sampled/gaussian.h"

/* The weights sum to at most this: log r needs a rest. */
#define SOT_MIXTURE_WEIGHT_MAX (1.0 - 1e-9)

/* A table needs a largest norm of at most this many times sigma: at y = 36 the normal density is 1e-282. */
#define SOT_MIXTURE_RATIO_MAX 12.0

typedef struct sot_gaussian_mixture {
    double sigma;          /* noise multiplier */
    const double *norms;   /* c_i, increasing, above 0; borrowed from the event */
    const double *weights; /* w_i, at least 0, of sum at most 1; borrowed */
    size_t size;
} sot_gaussian_mixture;

bool sot_gaussian_mixture_equals(const sot_gaussian_mixture *a,
                                 const sot_gaussian_mixture *b);

/* delta(epsilon) of one release, for any real epsilon. */
sot_bracket sot_gaussian_mixture_delta(const sot_gaussian_mixture *mixture,
                                       sot_direction direction, double epsilon);

/* An upper bound on log M(t) in both directions, in closed form. */
double sot_gaussian_mixture_log_mgf_bound(const sot_gaussian_mixture *mixture, double t);

/* An upper bound on the part of M(t) - 1 beyond the table, in both directions. */
double sot_gaussian_mixture_tail(const sot_gaussian_mixture *mixture, double t);

/* Writes the pair as atoms from above and from below. The largest norm is at most 12 sigma. Clear it
 * with sot_pair_table_clear(). */
SOTTO_MUST_CHECK sotto_status sot_gaussian_mixture_table(
    const sot_gaussian_mixture *mixture, sot_pair_table *out_table, sotto_error *error);

#endif
