/* privacy/accounting/loss/subsampled.h: one release that reads a random sample of the records.
 *
 * Idea        The release itself, on all records, is dominated by the symmetric pair (P, Q) of a sot_law,
 *             with the loss l. Q is the release without the record, P with it.
 * Kinds       - coins: Poisson sampling under add-remove. "remove" is ((1-q)Q + qP, Q), "add" is
 *               (Q, (1-q)Q + qP). With r = 1 - q + q e^l the losses are log r and -log r.
 *             - batch: a sample of fixed size under replace-one. Above epsilon 0 it is "remove", below 0
 *               its mirror image. Losses are log r and -log r for l > 0, and 0.
 *             - mixture: P = sum of w_i N(c_i/sigma, 1), Q = N(0, 1) (gaussian_mixture.md).
 * Theorem     Zhu, Dong & Wang, AISTATS 2022, Thm 11 (coins); Balle, Barthe & Gaboardi, NeurIPS 2018, Thm 9
 *             (batch). Any pair that dominates the release itself will do.
 * Rounding    Every number is a bracket or an upper bound. Proof: subsampled.md
 */
#ifndef SOT_PRIVACY_ACCOUNTING_LOSS_SUBSAMPLED_H
#define SOT_PRIVACY_ACCOUNTING_LOSS_SUBSAMPLED_H

#include "privacy/accounting/loss/gaussian_mixture.h"

typedef enum sot_sample_kind {
    SOT_SAMPLE_COINS = 0,
    SOT_SAMPLE_BATCH = 1,
    SOT_SAMPLE_MIXTURE =
        2 /* a mixture of Gaussians: no base, rate 1, a table of its own */
} sot_sample_kind;

typedef struct sot_subsampled {
    sot_law base; /* of the release on all records; its count is not used */
    sot_sample_kind kind;
    double rate; /* in (0, 1) */
    double count;
    sot_gaussian_mixture mixture; /* of that kind only */
    sot_pair_table
        table; /* of the base or the mixture, for the functions below that say so */
} sot_subsampled;

/* True when the two are the same but for their counts. */
bool sot_subsampled_equals(const sot_subsampled *a, const sot_subsampled *b);

/* delta(epsilon) of one release, for any real epsilon. */
sot_bracket sot_subsampled_delta(const sot_subsampled *release, sot_direction direction,
                                 double epsilon);

/* An upper bound on log M(t) in both directions, for every t > 0. Uses the table. */
double sot_subsampled_log_mgf_upper(const sot_subsampled *release, double t);

/* No loss in either direction is larger; infinite for discrete Gaussian noise. */
double sot_subsampled_loss_max(const sot_subsampled *release);

/* The atoms of one direction, from the table: losses with brackets of their masses. Clear them with
 * sot_pair_table_clear(). */
SOTTO_MUST_CHECK sotto_status sot_subsampled_atoms(const sot_subsampled *release,
                                                   sot_direction direction,
                                                   sot_pair_table *out_atoms,
                                                   sotto_error *error);

#endif
