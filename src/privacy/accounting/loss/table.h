/* privacy/accounting/loss/table.h: a pair of distributions as atoms from above and from below.
 *
 * Idea        The pair (P, Q) of one release has the loss l = log(P/Q). A cell of losses [a, b] is replaced
 *             - from above by atoms at a and b with the same masses of P and of Q,
 *             - from below by one atom with the same masses.
 *             The first pair gives the exact one by post-processing, and the exact one gives the second
 *             (Blackwell). So they bound it from above and below, also sampled and composed
 *             (subsampled.md).
 * Atoms       `mass` is that of P, a bracket. An atom from above has the lower end 0, one from below the
 *             upper end 0. An exact atom has both.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_LOSS_TABLE_H
#define SOT_PRIVACY_ACCOUNTING_LOSS_TABLE_H

#include "privacy/accounting/loss/loss.h"

typedef struct sot_pair_atom {
    double loss;
    sot_bracket mass;
} sot_pair_atom;

typedef struct sot_pair_table {
    sot_pair_atom *atoms;
    size_t count;
    double place_error; /* of every loss, at most */
    double outside;     /* mass of P that no atom has: infinite loss */
} sot_pair_table;

/* Losses beyond this are not tabulated: e^-loss underflows. */
#define SOT_TABLE_LOSS_MAX 300.0

/* The table of a box or a lattice with the same loss in both directions. SOTTO_UNSUPPORTED for mixtures of
 * Gaussians, for losses above SOT_TABLE_LOSS_MAX and for lattices of more than 200000 points. */
SOTTO_MUST_CHECK sotto_status sot_pair_table_new(const sot_law *law,
                                                 sot_pair_table *out_table,
                                                 sotto_error *error);
void sot_pair_table_clear(sot_pair_table *table);

/* True if sot_pair_table_new() has a table for it. */
bool sot_pair_table_covers(const sot_law *law);

#endif
