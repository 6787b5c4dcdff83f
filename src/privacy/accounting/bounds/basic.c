/* Basic composition: epsilons add, deltas add (Dwork, Kenthapadi, McSherry, Mironov & Naor,
 * EUROCRYPT 2006, Thm 1). Events with deltas of their own fail together with probability
 * 1 - prod(1 - delta_i), which is at most the sum (Kairouz, Oh & Viswanath, ICML 2015, Thm 3.3), so that
 * five events of delta 1e-8 fit into 5e-8 for any last bits. Gaussian, GDP, zCDP and objective perturbation events have no delta of
 * their own. They share the remaining delta equally, and each is priced by its exact profile. */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "numeric/roots.h"
#include "privacy/accounting/accountants.h"
#include "privacy/accounting/objective_loss/loss.h"
#include "privacy/accounting/profile/gaussian.h"
#include "privacy/accounting/profile/solve.h"

typedef struct single {
    double rate;  /* 1 when not sampled */
    double sigma; /* NaN: use mu */
    double mu;
    sot_objective objective; /* its shift is 0 for all other events */
    bool has_law;
    sot_law law;
    bool is_mixture;
    sot_subsampled mixture;
} single;

static sot_bracket single_delta(double epsilon, void *context)
{
    const single *event = context;
    if (event->has_law) return sot_law_delta(&event->law, epsilon);
    if (event->is_mixture) {
        const sot_bracket out =
            sot_subsampled_delta(&event->mixture, SOT_REMOVE, epsilon);
        const sot_bracket in = sot_subsampled_delta(&event->mixture, SOT_ADD, epsilon);
        return (sot_bracket){fmax(out.lower, in.lower), fmax(out.upper, in.upper)};
    }
    if (event->objective.shift > 0.0) {
        return (sot_bracket){0.0, sot_objective_delta_upper(&event->objective, epsilon)};
    }
    if (isnan(event->sigma)) {
        return sot_gaussian_delta((sot_bracket){event->mu, event->mu}, epsilon);
    }
    const sot_bracket removed =
        sot_sampled_gaussian_delta(event->rate, event->sigma, SOT_REMOVE, epsilon);
    const sot_bracket added =
        sot_sampled_gaussian_delta(event->rate, event->sigma, SOT_ADD, epsilon);
    return (sot_bracket){fmax(removed.lower, added.lower),
                         fmax(removed.upper, added.upper)};
}

/* (rho + log kappa ...)/t at its best order, in closed form good enough: rho + 2 sqrt(rho log
 * (1/delta)), Bun & Steinke, TCC 2016, Prop. 1.3. */
static double zcdp_epsilon(double rho, double delta)
{
    return sot_widen_up(rho + 2.0 * sqrt(rho * -log(delta)), 16.0 * DBL_EPSILON);
}

/* The best of the listed orders a: divergence + log(1 - 1/a) - (log delta + log a)/(a - 1), as
 * in rdp.c. */
static double curve_epsilon(const sotto_event *event, double delta)
{
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < event->curve_size; i++) {
        const double a = event->curve_orders[i];
        const double gain = log1p(-1.0 / a);
        const double price = -(log(delta) + log(a)) / (a - 1.0);
        const double slack = 16.0 * DBL_EPSILON *
                             (event->curve_values[i] - gain + fabs(price) +
                              (fabs(log(delta)) + log(a)) / (a - 1.0));
        least = fmin(least, event->curve_values[i] + gain + price + slack);
    }
    return fmax(0.0, least);
}

static double count_of(const sot_priced *priced, const sotto_event *event)
{
    return (double)(event->count == 0 ? priced->steps : event->count);
}

/* True for events that are private only at a delta above 0 and bring none of their own. */
static int needs_share(const sotto_event *event)
{
    return event->mechanism == SOTTO_GAUSSIAN || event->mechanism == SOTTO_GDP ||
           event->mechanism == SOTTO_ZCDP ||
           event->mechanism == SOTTO_DISCRETE_GAUSSIAN ||
           event->mechanism == SOTTO_RDP_CURVE ||
           event->mechanism == SOTTO_GAUSSIAN_MIXTURE ||
           event->mechanism == SOTTO_OBJECTIVE_PERTURBATION;
}

static sotto_status event_epsilon(const sot_priced *priced, const sotto_event *event,
                                  double share, double *out_epsilon, sotto_error *error)
{
    if (!needs_share(event)) {
        *out_epsilon = sot_event_epsilon(event, priced->noise_multiplier);
        return SOTTO_OK;
    }
    if (event->mechanism == SOTTO_RDP_CURVE) {
        *out_epsilon = curve_epsilon(event, share);
        return SOTTO_OK;
    }
    single alone = {.rate = 1.0, .sigma = SOTTO_UNSET, .mu = event->mu};
    alone.has_law = sot_event_law(event, sotto_plan_adjacency(priced->plan),
                                  priced->noise_multiplier, &alone.law);
    if (!alone.has_law &&
        (event->mechanism == SOTTO_ZCDP || event->mechanism == SOTTO_DISCRETE_GAUSSIAN)) {
        *out_epsilon = zcdp_epsilon(sot_event_rho(event), share);
        return SOTTO_OK;
    }
    if (event->mechanism == SOTTO_GAUSSIAN) {
        alone.sigma = sot_event_sigma(event, priced->noise_multiplier);
        alone.rate = sot_event_rate(event);
        if (event->sampling == SOTTO_POISSON && alone.rate >= 1.0 &&
            sotto_plan_adjacency(priced->plan) == SOTTO_REPLACE_ONE)
            alone.sigma *= 0.5; /* centres 2 apart */
    }
    if (event->mechanism == SOTTO_OBJECTIVE_PERTURBATION) {
        alone.objective = sot_objective_of(event, sotto_plan_adjacency(priced->plan));
    }
    alone.is_mixture = event->mechanism == SOTTO_GAUSSIAN_MIXTURE &&
                       sot_event_subsampled(event, sotto_plan_adjacency(priced->plan),
                                            priced->noise_multiplier, &alone.mixture);
    sot_bracket epsilon;
    const sotto_status status =
        sot_solve_epsilon(single_delta, &alone, share, 1.0, &epsilon, error);
    *out_epsilon = epsilon.upper;
    return status;
}

sotto_status sot_basic_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                               sotto_error *error)
{
    const size_t size = sotto_plan_size(priced->plan);
    double sharers = 0.0;
    const double own_deltas = priced->composition->failure.upper;
    for (size_t i = 0; i < size; i++) {
        const sotto_event *event = sotto_plan_event(priced->plan, i);
        if (needs_share(event)) sharers += count_of(priced, event);
    }
    const double left = sot_sub_down(delta, own_deltas);
    if (own_deltas > delta || (sharers > 0.0 && !(left > 0.0))) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`delta` is %g, which leaves nothing after the events' own "
                        "deltas, which sum to %g; give a larger `delta`",
                        delta, own_deltas);
    }
    const double share = sharers > 0.0 ? sot_div_down(left, sharers) : 0.0;
    double sum = 0.0;
    for (size_t i = 0; i < size; i++) {
        const sotto_event *event = sotto_plan_event(priced->plan, i);
        double epsilon;
        const sotto_status status = event_epsilon(priced, event, share, &epsilon, error);
        if (status != SOTTO_OK) return status;
        sum = sot_add_up(sum, sot_mul_up(count_of(priced, event), epsilon));
    }
    *out = (sotto_account){.epsilon = sum,
                           .epsilon_lower = SOTTO_UNSET,
                           .delta = delta,
                           .delta_lower = SOTTO_UNSET,
                           .order = SOTTO_UNSET,
                           .kernel = SOTTO_KERNEL_BASIC};
    return SOTTO_OK;
}

typedef struct inverse {
    const sot_priced *priced;
    double epsilon;
} inverse;

static double epsilon_excess(double log_delta, void *context)
{
    const inverse *asked = context;
    sotto_account account;
    const sotto_status status =
        sot_basic_epsilon(asked->priced, exp(log_delta), &account, NULL);
    return status == SOTTO_OK ? account.epsilon - asked->epsilon : HUGE_VAL;
}

sotto_status sot_basic_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                             sotto_error *error)
{
    (void)error;
    inverse asked = {priced, epsilon};
    *out = (sotto_account){.epsilon = epsilon,
                           .epsilon_lower = SOTTO_UNSET,
                           .delta = 1.0,
                           .delta_lower = SOTTO_UNSET,
                           .order = SOTTO_UNSET,
                           .kernel = SOTTO_KERNEL_BASIC};
    sotto_account at_zero;
    if (sot_basic_epsilon(priced, 0.0, &at_zero, NULL) == SOTTO_OK &&
        at_zero.epsilon <= epsilon) {
        out->delta = 0.0;
        return SOTTO_OK;
    }
    double lower = -690.0;
    double upper = log(1.0 - 1e-12);
    if (epsilon_excess(upper, &asked) > 0.0) return SOTTO_OK; /* only delta = 1 */
    if (epsilon_excess(lower, &asked) <= 0.0) upper = lower;
    if (upper > lower) {
        (void)sot_find_root(epsilon_excess, &asked, &lower, &upper, 1e-9, 0.0, 200);
    }
    out->delta = sot_exp_up(upper);
    return SOTTO_OK;
}
