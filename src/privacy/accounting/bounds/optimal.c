/* Optimal composition: the best bound if only the (epsilon, delta) of each event is known.
 *
 * Theorem     Kairouz, Oh & Viswanath, ICML 2015, Thm 3.3 (equal events), and Murtagh & Vadhan,
 *             TCC 2016, Thm 1.5 (different ones): every (e, d)-DP release post-processes one that
 *             fails with probability d and otherwise is binary randomized response with odds
 *             exp(e). Their composition is attained, so
 *                 delta(eps) = 1 - prod(1 - d_i) (1 - E[(1 - exp(eps - L))_+]),
 *             L the sum of independent losses +-e_i. The list of events is fixed in advance; the
 *             function that a release computes may depend on earlier outputs.
 * Events      As privacy/accounting/bounds/pairs.h turns them into (epsilon, delta). For plans of
 *             pure and approximate events the answer is that of `exact`. For Gaussian ones it
 *             shows the loss of that conversion.
 * Rounding    That of the exact kernels, which price the list of pairs. */
#include <math.h>

#include "privacy/accounting/bounds/pairs.h"

sotto_status sot_optimal_epsilon(const sot_priced *priced, double delta,
                                 sotto_account *out, sotto_error *error)
{
    sot_pairs *pairs;
    sotto_plan *plan = NULL;
    sot_composition *composition = NULL;
    sotto_status status = sot_pairs_new(priced, delta, &pairs, error);
    if (status != SOTTO_OK) return status;
    status = sot_pairs_compile(pairs, sotto_plan_adjacency(priced->plan), &plan,
                               &composition, error);
    if (status == SOTTO_OK) {
        const sot_priced listed = {plan, composition, SOTTO_UNSET, 0};
        status = sot_exact_epsilon(&listed, delta, out, error);
        if (!pairs->is_stated)
            out->epsilon_lower = SOTTO_UNSET; /* the events may be better */
    }
    sot_composition_free(composition);
    sotto_plan_free(plan);
    sot_pairs_free(pairs);
    return status;
}

/* Pairs that need no share do not depend on delta, and the exact kernels answer at once. */
static sotto_status fixed_pairs_delta(const sot_priced *priced, double epsilon,
                                      int *out_is_fixed, sotto_account *out,
                                      sotto_error *error)
{
    sot_pairs *pairs;
    sotto_plan *plan = NULL;
    sot_composition *composition = NULL;
    *out_is_fixed = 0;
    sotto_status status = sot_pairs_new(priced, 1.0, &pairs, error);
    if (status == SOTTO_UNREACHABLE) return SOTTO_OK; /* the search will say delta = 1 */
    if (status != SOTTO_OK) return status;
    if (!pairs->is_shared) {
        status = sot_pairs_compile(pairs, sotto_plan_adjacency(priced->plan), &plan,
                                   &composition, error);
        if (status == SOTTO_OK) {
            const sot_priced listed = {plan, composition, SOTTO_UNSET, 0};
            status = sot_exact_delta(&listed, epsilon, out, error);
            if (!pairs->is_stated) out->delta_lower = SOTTO_UNSET;
            *out_is_fixed = 1;
        }
    }
    sot_composition_free(composition);
    sotto_plan_free(plan);
    sot_pairs_free(pairs);
    return status;
}

sotto_status sot_optimal_delta(const sot_priced *priced, double epsilon,
                               sotto_account *out, sotto_error *error)
{
    int is_fixed;
    sotto_status status = fixed_pairs_delta(priced, epsilon, &is_fixed, out, error);
    if (status != SOTTO_OK || is_fixed) return status;
    status = sot_delta_by_search(sot_optimal_epsilon, priced, epsilon, out, error);
    out->kernel = SOTTO_KERNEL_CLOSED_FORM;
    return status;
}
