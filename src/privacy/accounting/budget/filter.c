#include <math.h>

#include <sotto/filter.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/accounting/budget/budget.h"

struct sotto_filter {
    sotto_filter_config config; /* with its order */
    double budget;              /* rounded down */
    double spent;               /* rounded up */
    double delta_spent;         /* rounded up */
    uint64_t charged;
};

sotto_filter_config sotto_filter_defaults(void)
{
    return (sotto_filter_config){.kind = SOTTO_FILTER_UNSET,
                                 .adjacency = SOTTO_ADJACENCY_UNSET,
                                 .epsilon = SOTTO_UNSET,
                                 .delta = SOTTO_UNSET,
                                 .own_delta = 0.0,
                                 .order = SOTTO_UNSET};
}

/* ---- checks ---- */

static sotto_status check_adjacency(sotto_adjacency adjacency, sotto_error *error)
{
    if (adjacency == SOTTO_ADD_REMOVE || adjacency == SOTTO_REPLACE_ONE) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "adjacency is %d; give SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
                    (int)adjacency);
}

static sotto_status check_delta(const sotto_filter_config *config, sotto_error *error)
{
    if (config->kind == SOTTO_FILTER_PURE) {
        if (config->delta == 0.0) return SOTTO_OK;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "delta is %g, but a pure filter has none; give 0, or use a Renyi "
                        "filter",
                        config->delta);
    }
    if (config->delta > 0.0 && config->delta < 1.0) return SOTTO_OK; /* NaN fails */
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "delta is %g; give a number between 0 and 1, for example 1e-6",
                    config->delta);
}

static sotto_status check_own_delta(const sotto_filter_config *config, sotto_error *error)
{
    if (config->own_delta == 0.0) return SOTTO_OK;
    if (config->kind != SOTTO_FILTER_RENYI) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "own_delta is %g, but only a Renyi filter sets a delta aside; "
                        "leave it 0",
                        config->own_delta);
    }
    if (config->own_delta > 0.0 && config->own_delta < config->delta) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "own_delta is %g; give at least 0 and less than delta, which is %g",
                    config->own_delta, config->delta);
}

static sotto_status check_order(const sotto_filter_config *config, sotto_error *error)
{
    if (isnan(config->order)) return SOTTO_OK;
    if (config->kind != SOTTO_FILTER_RENYI) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "order is %g, but only a Renyi filter has one; leave it out",
                        config->order);
    }
    if (config->order > 1.0 && config->order <= SOT_ORDER_MAX) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "order is %g; give a Renyi order above 1 and at most %d, or leave it "
                    "out",
                    config->order, (int)SOT_ORDER_MAX);
}

static sotto_status check_config(const sotto_filter_config *config, sotto_error *error)
{
    if (config->kind != SOTTO_FILTER_RENYI && config->kind != SOTTO_FILTER_GAUSSIAN &&
        config->kind != SOTTO_FILTER_PURE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the kind of filter is %d; give SOTTO_FILTER_RENYI, "
                        "SOTTO_FILTER_GAUSSIAN or SOTTO_FILTER_PURE",
                        (int)config->kind);
    }
    if (!(config->epsilon > 0.0 && config->epsilon <= SOT_EPSILON_BUDGET_MAX)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "epsilon is %g; give a number above 0 and at most %d",
                        config->epsilon, (int)SOT_EPSILON_BUDGET_MAX);
    }
    sotto_status status = check_adjacency(config->adjacency, error);
    if (status == SOTTO_OK) status = check_delta(config, error);
    if (status == SOTTO_OK) status = check_own_delta(config, error);
    if (status == SOTTO_OK) status = check_order(config, error);
    return status;
}

/* ---- budgets ---- */

/* mu^2 of the largest Gaussian shift that is (epsilon, delta)-DP, from the least noise. */
static sotto_status gaussian_budget(const sotto_filter_config *config, double *out_budget,
                                    sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_event event = sotto_event_defaults();
    sotto_account account;
    double noise = HUGE_VAL;
    event.mechanism = SOTTO_GAUSSIAN;
    event.count = 1;
    sotto_status status = sotto_plan_new(config->adjacency, &plan, error);
    if (status != SOTTO_OK) return status;
    status = sotto_plan_add(plan, &event, error);
    if (status == SOTTO_OK) {
        status = sotto_account_noise(plan, SOTTO_EXACT, config->epsilon, config->delta,
                                     &noise, &account, error);
    }
    sotto_plan_free(plan);
    if (status != SOTTO_OK) return status;
    const double mu = sot_div_down(1.0, noise);
    *out_budget = sot_mul_down(mu, mu);
    return SOTTO_OK;
}

static sotto_status set_budget(sotto_filter *filter, sotto_error *error)
{
    sotto_filter_config *config = &filter->config;
    switch (config->kind) {
    case SOTTO_FILTER_GAUSSIAN:
        return gaussian_budget(config, &filter->budget, error);
    case SOTTO_FILTER_PURE:
        filter->budget = config->epsilon;
        return SOTTO_OK;
    case SOTTO_FILTER_RENYI:
    case SOTTO_FILTER_UNSET:
        break;
    }
    const double delta = sot_sub_down(config->delta, config->own_delta);
    if (isnan(config->order))
        config->order = sot_budget_best_order(config->epsilon, delta);
    filter->budget = sot_budget_rdp_lower(config->order, config->epsilon, delta);
    if (filter->budget > 0.0) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNREACHABLE,
                    "epsilon %g at delta %g leaves no budget at order %g; give another "
                    "order, or leave it out",
                    config->epsilon, config->delta, config->order);
}

sotto_status sotto_filter_new(const sotto_filter_config *config,
                              sotto_filter **out_filter, sotto_error *error)
{
    sotto_status status = check_config(config, error);
    if (status != SOTTO_OK) return status;
    sotto_filter *filter = sot_new_array(1, sizeof *filter);
    if (filter == NULL) return sot_fail_memory(error, 1, sizeof *filter);
    filter->config = *config;
    status = set_budget(filter, error);
    if (status != SOTTO_OK) {
        sot_free(filter);
        return status;
    }
    *out_filter = filter;
    return SOTTO_OK;
}

void sotto_filter_free(sotto_filter *filter)
{
    sot_free(filter);
}

/* ---- charges ---- */

static sotto_status price_gaussian(const sotto_plan *plan, double *out_price,
                                   sotto_error *error)
{
    double mu, rho;
    const sotto_status status = sotto_account_single_numbers(plan, &mu, &rho, error);
    if (status != SOTTO_OK) return status;
    if (isnan(mu)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "a Gaussian filter takes plans of unsampled gaussian and gdp "
                        "events only; use a Renyi filter");
    }
    *out_price = sot_mul_up(mu, mu);
    return SOTTO_OK;
}

static sotto_status price_pure(const sotto_plan *plan, double *out_price,
                               sotto_error *error)
{
    sotto_account account;
    const sotto_status status =
        sotto_account_epsilon(plan, SOTTO_BASIC, 0.0, &account, error);
    if (status == SOTTO_OK) *out_price = account.epsilon;
    if (status != SOTTO_UNREACHABLE) return status;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "a pure filter takes plans of pure events only; use a Renyi filter");
}

static sotto_status price_of(const sotto_filter *filter, const sotto_plan *plan,
                             double *out_price, double *out_delta, sotto_error *error)
{
    *out_delta = 0.0;
    switch (filter->config.kind) {
    case SOTTO_FILTER_GAUSSIAN:
        return price_gaussian(plan, out_price, error);
    case SOTTO_FILTER_PURE:
        return price_pure(plan, out_price, error);
    case SOTTO_FILTER_RENYI:
    case SOTTO_FILTER_UNSET:
        break;
    }
    return sotto_account_rdp_with_delta(plan, filter->config.order, out_price, out_delta,
                                        error);
}

sotto_status sotto_filter_charge(sotto_filter *filter, const sotto_plan *plan,
                                 sotto_error *error)
{
    double price, delta;
    if (sotto_plan_adjacency(plan) != filter->config.adjacency) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the plan protects %s neighbours and the filter %s ones; plan for "
            "those",
            sotto_adjacency_name(sotto_plan_adjacency(plan)),
            sotto_adjacency_name(filter->config.adjacency));
    }
    const sotto_status status = price_of(filter, plan, &price, &delta, error);
    if (status != SOTTO_OK) return status;
    const double spent = sot_add_up(filter->spent, price);
    const double delta_spent =
        delta > 0.0 ? sot_add_up(filter->delta_spent, delta) : filter->delta_spent;
    if (!(spent <= filter->budget)) { /* infinite and NaN too */
        return sot_fail(error, SOTTO_BUDGET_EXCEEDED,
                        "the plan costs %g and %g of the filter's %g is left; use more "
                        "noise or fewer releases",
                        price, sot_sub_down(filter->budget, filter->spent),
                        filter->budget);
    }
    if (delta_spent > filter->config.own_delta) {
        return sot_fail(
            error, SOTTO_BUDGET_EXCEEDED,
            "the plan's own deltas are %g and %g of the %g set aside is left; "
            "give a filter with a larger own_delta",
            delta, sot_sub_down(filter->config.own_delta, filter->delta_spent),
            filter->config.own_delta);
    }
    filter->spent = spent;
    filter->delta_spent = delta_spent;
    filter->charged++;
    return SOTTO_OK;
}

sotto_filter_state sotto_filter_get_state(const sotto_filter *filter)
{
    return (sotto_filter_state){
        .order = filter->config.order,
        .budget = filter->budget,
        .spent = filter->spent,
        .left = sot_sub_down(filter->budget, filter->spent),
        .delta_budget = filter->config.own_delta,
        .delta_spent = filter->delta_spent,
        .charged = filter->charged,
    };
}

double sotto_filter_epsilon_of_squares(double sum_of_squares, double delta)
{
    if (!(sum_of_squares >= 0.0 && delta > 0.0 && delta < 1.0)) return SOTTO_UNSET;
    const double log_inverse = -sot_log_down(delta);
    const double inside = sot_mul_up(sot_mul_up(2.0, log_inverse), sum_of_squares);
    return sot_add_up(sot_sqrt_up(inside), 0.5 * sum_of_squares);
}
