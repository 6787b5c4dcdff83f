/* privacy/accounting/objective_loss/chain.h: delta of a unit of rows, by a chain of one-row steps.
 *
 * Theorem     Let P_0, ..., P_n differ by one row at each step, and let H_i bound step i. For every split
 *             epsilon_1 + ... + epsilon_n = epsilon (frozen_slope.md, section 3):
 *                 delta(epsilon) <= sum over i of e^{epsilon_1 + ... + epsilon_{i-1}} H_i(epsilon_i).
 *             Parts may be negative: H_i are bounds for every real epsilon.
 * Rounding    Upper bounds; the split is chosen in doubles, and its last part is the rest of epsilon.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_CHAIN_H
#define SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_CHAIN_H

#include <stdint.h>

#include "privacy/accounting/objective_loss/row_hull.h"

typedef struct sot_chain {
    sot_frozen_row row;
    const sot_row_hull
        *hull; /* logistic loss: chords of it in place of F, for many epsilons; or NULL */
} sot_chain;

/* delta(epsilon), any real epsilon: `added` rows come, then `removed` rows go. At least one step. */
double sot_chain_delta_upper(const sot_chain *chain, uint32_t added, uint32_t removed,
                             double epsilon);

#endif
