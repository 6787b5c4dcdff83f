/* Gaussian differential privacy: the whole plan as one Gaussian release.
 *
 * Theorem     Dong, Roth & Su, JRSS B 2022, Cor. 3.3: mu_i-GDP releases compose, adaptively too,
 *             to mu-GDP with mu^2 = sum mu_i^2. The bound is tight: the composition of Gaussian
 *             releases is a Gaussian release. Cor. 2.13 (Balle & Wang, ICML 2018, Thm 8) turns mu
 *             into delta(eps): privacy/accounting/profile/gaussian.h.
 * Events      Gaussian events of all records (mu = 1/noise_multiplier) and GDP events. Sampled
 *             events are Gaussian in the limit of many steps only; that limit is an
 *             approximation and is not answered here: sotto_reference_epsilon().
 * Rounding    mu^2 is a bracket, and so is the profile: both ends are certified. */
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/accountants.h"
#include "privacy/accounting/profile/gaussian.h"
#include "privacy/accounting/profile/solve.h"

sotto_status sot_only_gaussian_events(const sotto_plan *plan, bool allows_sampled,
                                      const char *method, sotto_error *error)
{
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        const bool is_gaussian =
            event->mechanism == SOTTO_GAUSSIAN || event->mechanism == SOTTO_GDP;
        const bool is_whole = event->sampling == SOTTO_NOT_SAMPLED ||
                              (event->sampling == SOTTO_POISSON && event->rate == 1.0);
        const bool is_sampled = event->mechanism == SOTTO_GAUSSIAN &&
                                event->sampling == SOTTO_POISSON &&
                                sotto_plan_adjacency(plan) == SOTTO_ADD_REMOVE;
        if ((is_gaussian && is_whole) || (allows_sampled && is_sampled)) continue;
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "%s covers gaussian and gdp events of all records%s, and event %zu is %s %s; "
            "use `accountant=exact`",
            method,
            allows_sampled ? " and Poisson-sampled gaussian ones under add-remove" : "",
            i + 1, is_whole ? "of mechanism" : "a sampled",
            sotto_mechanism_name(event->mechanism));
    }
    return SOTTO_OK;
}

static sot_bracket mu_of(const sot_composition *composition)
{
    return (sot_bracket){sot_sqrt_down(composition->gaussian_square.lower),
                         sot_sqrt_up(composition->gaussian_square.upper)};
}

static sot_bracket profile_at(double epsilon, void *context)
{
    const sot_bracket *mu = context;
    return sot_gaussian_delta(*mu, epsilon);
}

sotto_status sot_gdp_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                             sotto_error *error)
{
    sotto_status status =
        sot_only_gaussian_events(priced->plan, false, "the gdp accountant", error);
    if (status != SOTTO_OK) return status;
    sot_bracket mu = mu_of(priced->composition);
    sot_bracket epsilon = {0.0, 0.0};
    if (mu.upper > 0.0 && delta == 0.0) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`delta` is 0, but gaussian and gdp events need one above 0; for "
                        "example `delta=1e-6`");
    }
    if (mu.upper > 0.0)
        status = sot_solve_epsilon(profile_at, &mu, delta, 1.0, &epsilon, error);
    if (status != SOTTO_OK) return status;
    *out = (sotto_account){.epsilon = epsilon.upper,
                           .epsilon_lower = epsilon.lower,
                           .delta = delta,
                           .delta_lower = SOTTO_UNSET,
                           .order = SOTTO_UNSET,
                           .kernel = SOTTO_KERNEL_CLOSED_FORM};
    return SOTTO_OK;
}

sotto_status sot_gdp_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                           sotto_error *error)
{
    const sotto_status status =
        sot_only_gaussian_events(priced->plan, false, "the gdp accountant", error);
    if (status != SOTTO_OK) return status;
    const sot_bracket delta = sot_gaussian_delta(mu_of(priced->composition), epsilon);
    *out = (sotto_account){.epsilon = epsilon,
                           .epsilon_lower = SOTTO_UNSET,
                           .delta = delta.upper,
                           .delta_lower = delta.lower,
                           .order = SOTTO_UNSET,
                           .kernel = SOTTO_KERNEL_CLOSED_FORM};
    return SOTTO_OK;
}
