/* The question `zcdp`: the least noise for a target in zero-concentrated differential privacy.
 *
 * rho adds up over events (Bun & Steinke, TCC 2016, Lemma 1.7), also over events that are chosen
 * adaptively. The search relies on nothing else: its last evaluation is the certificate. */
#include <math.h>
#include <stdbool.h>

#include <sotto/accountant.h>

#include "base/error.h"
#include "numeric/roots.h"
#include "privacy/accounting/accountants.h"
#include "privacy/accounting/plan/composition.h"
#include "privacy/accounting/plan/price.h"

typedef struct zcdp_search {
    const sotto_plan *plan;
    double rho;
    sotto_status status; /* the first failure */
    sotto_error *error;
} zcdp_search;

/* At most 0 when the target is met. */
static double excess(double log_noise, void *context)
{
    zcdp_search *target = context;
    double rho = SOTTO_UNSET;
    sotto_error error;
    const sotto_status status =
        sot_price_rho_with(target->plan, exp(log_noise), &rho, &error);
    if (status != SOTTO_OK && target->status == SOTTO_OK)
        target->status = sot_fail(target->error, status, "%s", error.message);
    if (status != SOTTO_OK) return SOTTO_UNSET;
    return isinf(rho) ? 1e3 : sot_search_excess(rho, target->rho);
}

static sotto_status check(const zcdp_search *target)
{
    if (!(target->rho > 0.0 && target->rho <= 1e9)) {
        return sot_fail(target->error, SOTTO_INVALID_ARGUMENT,
                        "`rho` is %g; it is above 0 and at most 1e9; for example "
                        "`rho=0.5`",
                        target->rho);
    }
    bool is_open = false;
    for (size_t i = 0; i < sotto_plan_size(target->plan); i++) {
        const sotto_event *event = sotto_plan_event(target->plan, i);
        is_open = is_open || sot_event_noise_is_open(event);
        if (!(event->delta > 0.0)) continue;
        return sot_fail(target->error, SOTTO_UNSUPPORTED,
                        "event %zu has a delta, so that the plan is not zCDP for any "
                        "rho; leave it out, or use sotto account noise",
                        i + 1);
    }
    if (is_open) return SOTTO_OK;
    return sot_fail(target->error, SOTTO_INVALID_ARGUMENT,
                    "no event of the plan leaves its noise_multiplier open; write "
                    "\"search\" for it");
}

sotto_status sotto_account_zcdp_noise(const sotto_plan *plan, double rho,
                                      double *out_noise_multiplier, double *out_rho,
                                      sotto_error *error)
{
    zcdp_search target = {plan, rho, SOTTO_OK, error};
    const double least = log(1e-3), most = log(1e12); /* as `noise` */
    double lower = least, upper = most;
    const sotto_status status = check(&target);
    if (status != SOTTO_OK) return status;
    const bool is_reached = excess(most, &target) <= 0.0;
    if (target.status != SOTTO_OK) return target.status;
    if (!is_reached) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "rho %g cannot be reached. Sampled Gaussian, approximate and "
                        "objective-perturbation events have no rho, and the other events "
                        "may cost more; leave them out, or use sotto account noise",
                        rho);
    }
    if (excess(least, &target) <= 0.0) {
        upper = least;
    } else {
        (void)sot_find_root(excess, &target, &lower, &upper, 1e-12, 0.0, 200);
    }
    if (target.status != SOTTO_OK) return target.status;
    /* The certificate: rho of the filled-in plan. */
    double achieved = SOTTO_UNSET;
    const sotto_status priced = sot_price_rho_with(plan, exp(upper), &achieved, error);
    if (priced != SOTTO_OK) return priced;
    if (!(achieved <= rho)) {
        return sot_fail(error, SOTTO_INTERNAL,
                        "the search for rho %g ended outside of its bracket; please "
                        "report it",
                        rho);
    }
    *out_noise_multiplier = exp(upper);
    *out_rho = achieved;
    return SOTTO_OK;
}
