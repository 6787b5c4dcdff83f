/* A plan in single numbers (mu, rho), and the share of each event in the cost. */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include <sotto/accountant.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/plan/composition.h"
#include "privacy/accounting/plan/price.h"

/* Gaussian releases compose to one Gaussian release whose mu is the root of the sum of squares
 * (Dong, Roth & Su, JRSS B 2022, Cor. 3.3). */
static double mu_of(const sot_composition *composition)
{
    const bool is_gaussian =
        composition->sampled_count == 0 && composition->pure_count == 0 &&
        composition->objective_count == 0 && !sot_composition_is_renyi(composition) &&
        composition->law_count == 0 && composition->subsampled_count == 0 &&
        composition->failure.upper == 0.0 && composition->gaussian_square.upper > 0.0;
    return is_gaussian ? sot_sqrt_up(composition->gaussian_square.upper) : SOTTO_UNSET;
}

/* rho adds up (Bun & Steinke, TCC 2016, Lemma 1.7); price.c has that of each event. Events with a delta,
 * sampled events and objective perturbation have none: near order 1 the bound of the last is the
 * atom, not half of a square. */
static sotto_status rho_of(const sotto_plan *plan, const sot_composition *composition,
                           double *out_rho, sotto_error *error)
{
    *out_rho = SOTTO_UNSET;
    if (composition->failure.upper > 0.0) return SOTTO_OK;
    const sotto_status status = sot_price_rho(plan, out_rho, error);
    if (isinf(*out_rho)) *out_rho = SOTTO_UNSET;
    return status;
}

sotto_status sotto_account_single_numbers(const sotto_plan *plan, double *out_mu,
                                          double *out_rho, sotto_error *error)
{
    sot_composition *composition;
    sotto_status status = sot_composition_new(plan, SOTTO_UNSET, 0, &composition, error);
    if (status != SOTTO_OK) return status;
    *out_mu = mu_of(composition);
    status = rho_of(plan, composition, out_rho, error);
    sot_composition_free(composition);
    return status;
}

/* Returns the Renyi divergence of one event with its count. An (epsilon, delta) event counts as
 * epsilon-DP; its failure is paid from delta, not from epsilon. */
static sotto_status event_rdp(sotto_adjacency adjacency, const sotto_event *event,
                              double order, double *out_rdp, sotto_error *error)
{
    sotto_event finite = *event;
    if (finite.mechanism == SOTTO_APPROXIMATE) {
        finite.mechanism = SOTTO_PURE;
        finite.delta = SOTTO_UNSET;
    }
    sotto_plan *plan;
    sotto_status status = sotto_plan_new(adjacency, &plan, error);
    if (status != SOTTO_OK) return status;
    status = sotto_plan_add(plan, &finite, error);
    if (status == SOTTO_OK) status = sotto_account_rdp(plan, order, out_rdp, error);
    sotto_plan_free(plan);
    return status;
}

sotto_status sotto_account_shares(const sotto_plan *plan, double order,
                                  double *out_shares, sotto_error *error)
{
    double total = 0.0;
    const size_t size = sotto_plan_size(plan);
    for (size_t i = 0; i < size; i++) {
        const sotto_status status =
            event_rdp(sotto_plan_adjacency(plan), sotto_plan_event(plan, i), order,
                      &out_shares[i], error);
        if (status != SOTTO_OK) return status;
        total += out_shares[i];
    }
    if (!isfinite(total)) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "the Renyi divergence of order %g is infinite; give a smaller "
                        "order",
                        order);
    }
    for (size_t i = 0; i < size; i++)
        out_shares[i] =
            total > DBL_MIN ? out_shares[i] / total : 0.0; /* rounded-up zeros */
    return SOTTO_OK;
}
