/* A plan in single numbers (mu, rho), and what part of the cost each event has. */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include <sotto/accountant.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/plan/composition.h"

/* Gaussian releases compose to one Gaussian release whose mu is the root of the sum of squares
 * (Dong, Roth & Su, JRSS B 2022, Cor. 3.3). */
static double mu_of(const sot_composition *composition)
{
    const bool is_gaussian =
        composition->sampled_count == 0 && composition->pure_count == 0 &&
        composition->objective_count == 0 && !sot_composition_is_renyi(composition) &&
        composition->law_count == 0 && composition->failure.upper == 0.0 &&
        composition->gaussian_square.upper > 0.0;
    return is_gaussian ? sot_sqrt_up(composition->gaussian_square.upper) : SOTTO_UNSET;
}

/* rho adds up (Bun & Steinke, TCC 2016, Lemma 1.7). mu-GDP is a Gaussian release followed by
 * post-processing, so rho = mu^2/2 (Prop. 1.6 there); epsilon-DP has rho = epsilon^2/2
 * (Prop. 1.4). Sampled events and events with a delta have no rho, and objective perturbation
 * none that is worth stating: near order 1 its bound is the atom, not half of a square. */
/* Of a law: bounded range e has rho = e^2/8 (Cesar & Rogers, ALT 2021, Lemma 3.4), the discrete
 * Gaussian that of the Gaussian, other bounded losses are pure; mixtures have none. */
static double rho_of_law(const sot_law *law)
{
    if (law->kind == SOT_LAW_REPLACED || law->kind == SOT_LAW_FIXED) return SOTTO_UNSET;
    const bool is_range = law->kind == SOT_LAW_BOX && !law->has_ends;
    const double loss = law->kind == SOT_LAW_DISCRETE_GAUSSIAN
                            ? sot_div_up(law->steps, law->sigma)
                            : sot_law_loss_max(law);
    const double square = sot_mul_up(loss, loss);
    return sot_mul_up(law->count, (is_range ? 0.125 : 0.5) * square);
}

static double rho_of(const sot_composition *composition)
{
    if (composition->sampled_count > 0 || composition->curve_count > 0 ||
        composition->objective_count > 0 || composition->failure.upper > 0.0) {
        return SOTTO_UNSET;
    }
    double rho =
        sot_add_up(composition->rho_upper, 0.5 * composition->gaussian_square.upper);
    for (size_t i = 0; i < composition->pure_count; i++) {
        const sot_pure *pure = &composition->pure[i];
        const double square = sot_mul_up(pure->epsilon, pure->epsilon);
        rho = sot_add_up(rho, 0.5 * sot_mul_up(pure->count, square));
    }
    for (size_t i = 0; i < composition->law_count; i++)
        rho = sot_add_up(rho, rho_of_law(&composition->laws[i])); /* unset stays unset */
    return rho;
}

sotto_status sotto_account_single_numbers(const sotto_plan *plan, double *out_mu,
                                          double *out_rho, sotto_error *error)
{
    sot_composition *composition;
    const sotto_status status =
        sot_composition_new(plan, SOTTO_UNSET, 0, &composition, error);
    if (status != SOTTO_OK) return status;
    *out_mu = mu_of(composition);
    *out_rho = rho_of(composition);
    sot_composition_free(composition);
    return SOTTO_OK;
}

/* The Renyi divergence of one event with its count; an (epsilon, delta) event is an epsilon-DP
 * one unless it fails, and the failure is paid from delta, not from epsilon. */
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
