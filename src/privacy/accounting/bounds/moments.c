/* The moments accountant, as published and taught.
 *
 * Theorem     Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar & Zhang, CCS 2016, Thm 2. Let
 *             alpha(lambda) be the larger of log E[exp(lambda L)] over the two directions of
 *             neighbours. Alphas of the releases add up. For every lambda > 0 the composition is
 *             (eps, delta)-DP with delta = exp(alpha(lambda) - lambda eps). The best of the whole
 *             numbers lambda = 1, ..., 32 is taken, the range of their implementation.
 * Events      Gaussian (all records, or Poisson-sampled under add-remove) and GDP, whose alpha is
 *             that of the Gaussian. Here alpha(lambda) is K(lambda) of
 *             privacy/accounting/plan/composition.h, whose error is bounded.
 * Compare     `rdp` has the same moments at every real order and a better conversion (a factor
 *             kappa < 1 on delta): never worse. The range costs most if the best lambda is below
 *             1 (little noise, many steps) or above 32 (little loss).
 * Rounding    alpha rounded up, log delta down, the division up. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/accountants.h"

enum { LAMBDA_MAX = 32 };

/* alpha(lambda), rounded up. */
static double alpha_upper(const sot_composition *composition, double lambda)
{
    const double removed = sot_composition_log_mgf_upper(composition, SOT_REMOVE, lambda);
    if (sot_composition_is_symmetric(composition)) return removed;
    return fmax(removed, sot_composition_log_mgf_upper(composition, SOT_ADD, lambda));
}

static void fill(sotto_account *out, double epsilon, double delta, int lambda)
{
    *out = (sotto_account){.epsilon = epsilon,
                           .epsilon_lower = SOTTO_UNSET,
                           .delta = delta,
                           .delta_lower = SOTTO_UNSET,
                           .order = lambda + 1.0,
                           .kernel = SOTTO_KERNEL_MOMENTS};
}

static sotto_status best_epsilon(const sot_priced *priced, int lambda_max, double delta,
                                 sotto_account *out, sotto_error *error)
{
    const sotto_status status =
        sot_only_gaussian_events(priced->plan, true, "the moments accountant", error);
    if (status != SOTTO_OK) return status;
    const double log_inverse = -sot_log_down(delta); /* infinite at delta 0 */
    double least = HUGE_VAL;
    int best = 1;
    for (int lambda = 1; lambda <= lambda_max; lambda++) {
        const double alpha = alpha_upper(priced->composition, lambda);
        const double epsilon = sot_div_up(sot_add_up(alpha, log_inverse), lambda);
        if (epsilon < least) { /* NaN is no answer */
            least = epsilon;
            best = lambda;
        }
    }
    fill(out, fmax(0.0, least), delta, best);
    if (isfinite(least)) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNREACHABLE,
                    "no moment up to %d gives a finite epsilon at delta %g; use more "
                    "noise or a larger delta",
                    lambda_max, delta);
}

sotto_status sot_moments_epsilon(const sot_priced *priced, double delta,
                                 sotto_account *out, sotto_error *error)
{
    return best_epsilon(priced, LAMBDA_MAX, delta, out, error);
}

sotto_status sot_moments_delta(const sot_priced *priced, double epsilon,
                               sotto_account *out, sotto_error *error)
{
    const sotto_status status =
        sot_only_gaussian_events(priced->plan, true, "the moments accountant", error);
    if (status != SOTTO_OK) return status;
    double least = 0.0; /* delta is never above 1 */
    int best = 1;
    for (int lambda = 1; lambda <= LAMBDA_MAX; lambda++) {
        const double alpha = alpha_upper(priced->composition, lambda);
        const double log_delta = sot_sub_up(alpha, sot_mul_down(lambda, epsilon));
        if (log_delta < least) {
            least = log_delta;
            best = lambda;
        }
    }
    fill(out, epsilon, sot_exp_up(least), best);
    return SOTTO_OK;
}

sotto_status sotto_account_moments(const sotto_plan *plan, uint32_t lambda_max,
                                   double delta, sotto_account *out_account,
                                   sotto_error *error)
{
    if (lambda_max < 1 || lambda_max > SOTTO_LAMBDA_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`lambda_max` is %lu; give a whole number from 1 to %d",
                        (unsigned long)lambda_max, SOTTO_LAMBDA_MAX);
    }
    if (!(delta >= 0.0 && delta < 1.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`delta` is %g; it is at least 0 and below 1; for example `delta=1e-6`",
            delta);
    }
    sot_composition *composition;
    sotto_status status = sot_composition_new(plan, SOTTO_UNSET, 0, &composition, error);
    if (status != SOTTO_OK) return status;
    const sot_priced priced = {plan, composition, SOTTO_UNSET, 0};
    sotto_account account;
    status = best_epsilon(&priced, (int)lambda_max, delta, &account, error);
    sot_composition_free(composition);
    if (status != SOTTO_OK) return status;
    account.accountant = SOTTO_MOMENTS;
    account.adjacency = sotto_plan_adjacency(plan);
    *out_account = account;
    return SOTTO_OK;
}
