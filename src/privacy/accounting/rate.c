/* The question `rate`: the largest sampling rate for a target.
 *
 * A smaller rate never costs more: with r < 1, (1 - rq)N(0) + rqN(1) = (1 - r)N(0) + r[(1 - q)N(0)
 * + qN(1)], so by joint convexity the pair of rate q dominates that of rate rq, and dominating pairs
 * compose. The search relies on this for speed only: its last evaluation is the certificate. */
#include <math.h>
#include <stdbool.h>

#include <sotto/accountant.h>

#include "base/error.h"
#include "numeric/roots.h"
#include "privacy/accounting/accountants.h"

static const double rate_min = 1e-12; /* the least rate a plan may have */

typedef struct search {
    const sotto_plan *plan;
    sotto_accountant accountant;
    double epsilon;
    double delta;
    sotto_status status; /* the first failure that is not "out of reach" */
    sotto_error *error;
} search;

static bool is_open(const sotto_event *event)
{
    return sot_sampling_has_rate(event->sampling) && isnan(event->rate);
}

/* The plan with `rate` in every open event. */
static sotto_status fill_plan(const sotto_plan *plan, double rate, sotto_plan **out_plan,
                              sotto_error *error)
{
    sotto_plan *filled = NULL;
    sotto_status status = sotto_plan_new(sotto_plan_adjacency(plan), &filled, error);
    for (size_t i = 0; i < sotto_plan_size(plan) && status == SOTTO_OK; i++) {
        sotto_event event = *sotto_plan_event(plan, i);
        if (is_open(&event)) event.rate = rate;
        status = sotto_plan_add(filled, &event, error);
    }
    if (status == SOTTO_OK) {
        *out_plan = filled;
    } else {
        sotto_plan_free(filled);
    }
    return status;
}

static sotto_status epsilon_at(const search *target, double rate,
                               sotto_account *out_account, sotto_error *error)
{
    sotto_plan *plan;
    sotto_status status = fill_plan(target->plan, rate, &plan, error);
    if (status != SOTTO_OK) return status;
    status = sotto_account_epsilon(plan, target->accountant, target->delta, out_account,
                                   error);
    sotto_plan_free(plan);
    return status;
}

/* As `noise` and `steps` do: delta may itself be found by a search. */
static bool prefers_epsilon(sotto_accountant accountant)
{
    return accountant == SOTTO_EXACT || accountant == SOTTO_BASIC ||
           accountant == SOTTO_ADVANCED || accountant == SOTTO_OPTIMAL;
}

/* At most 0 when the target is met at the rate. */
static double excess(double log_rate, void *context)
{
    search *target = context;
    sotto_plan *plan = NULL;
    sotto_account account;
    sotto_error error;
    const bool by_epsilon = prefers_epsilon(target->accountant);
    sotto_status status = fill_plan(target->plan, exp(log_rate), &plan, &error);
    if (status == SOTTO_OK) {
        status = by_epsilon ? sotto_account_epsilon(plan, target->accountant,
                                                    target->delta, &account, &error)
                            : sotto_account_delta(plan, target->accountant,
                                                  target->epsilon, &account, &error);
    }
    sotto_plan_free(plan);
    if (status == SOTTO_UNREACHABLE) return 1e3;
    if (status != SOTTO_OK) {
        if (target->status == SOTTO_OK) {
            target->status = sot_fail(target->error, status, "%s", error.message);
        }
        return SOTTO_UNSET;
    }
    return by_epsilon ? sot_search_excess(account.epsilon, target->epsilon)
                      : sot_search_excess(account.delta, target->delta);
}

static sotto_status unreachable(const search *target, const char *how)
{
    return sot_fail(target->error, SOTTO_UNREACHABLE,
                    "epsilon %g at delta %g cannot be reached: %s", target->epsilon,
                    target->delta, how);
}

/* [lower, upper] around the log of the largest rate: excess(lower) <= 0 < excess(upper); both the
 * same when rate 1 is met. */
static sotto_status bracket_rate(search *target, double *out_lower, double *out_upper)
{
    const double least = log(rate_min);
    double at = log(1e-2);
    const bool met = excess(at, target) <= 0.0;
    double stride = met ? 0.7 : -0.7;
    while (target->status == SOTTO_OK) {
        if (at == 0.0) {
            *out_lower = *out_upper = 0.0;
            return SOTTO_OK;
        }
        if (at == least) {
            return unreachable(target, "not even a rate of 1e-12 is small enough; use "
                                       "more noise, or leave other events out");
        }
        const double next = fmin(fmax(at + stride, least), 0.0);
        const bool next_met = excess(next, target) <= 0.0;
        if (next_met != met) {
            *out_lower = met ? at : next;
            *out_upper = met ? next : at;
            return SOTTO_OK;
        }
        at = next;
        stride *= 1.6;
    }
    return target->status;
}

static sotto_status check(const search *target)
{
    if (!(target->epsilon >= 0.0 && target->epsilon <= 1e9)) {
        return sot_fail(target->error, SOTTO_INVALID_ARGUMENT,
                        "`epsilon` is %g; it lies from 0 to 1e9; for example `epsilon=1`",
                        target->epsilon);
    }
    if (!(target->delta >= 1e-300 && target->delta < 1.0)) {
        return sot_fail(
            target->error, SOTTO_INVALID_ARGUMENT,
            "`delta` is %g; it is at least 1e-300 and below 1; for example `delta=1e-6`",
            target->delta);
    }
    for (size_t i = 0; i < sotto_plan_size(target->plan); i++) {
        if (is_open(sotto_plan_event(target->plan, i))) return SOTTO_OK;
    }
    return sot_fail(target->error, SOTTO_INVALID_ARGUMENT,
                    "no event of the plan leaves its rate open; write \"search\" for it");
}

sotto_status sotto_account_rate(const sotto_plan *plan, sotto_accountant accountant,
                                double epsilon, double delta, double *out_rate,
                                sotto_account *out_account, sotto_error *error)
{
    search target = {plan, accountant, epsilon, delta, SOTTO_OK, error};
    double lower = 0.0;
    double upper = 0.0;
    sotto_status status = check(&target);
    if (status == SOTTO_OK) status = bracket_rate(&target, &lower, &upper);
    if (status != SOTTO_OK) return status;
    if (upper > lower) {
        (void)sot_find_root(excess, &target, &lower, &upper, 2e-8, 0.0, 100);
    }
    if (target.status != SOTTO_OK) return target.status;

    /* The certificate: epsilon of the filled-in plan, at or below the target. */
    sotto_account account;
    for (int tries = 0; tries < 64; tries++) {
        const double rate = fmax(rate_min, exp(lower));
        status = epsilon_at(&target, rate, &account, error);
        if (status == SOTTO_OK && account.epsilon <= epsilon) {
            *out_rate = rate;
            *out_account = account;
            return SOTTO_OK;
        }
        if (status != SOTTO_OK && status != SOTTO_UNREACHABLE) return status;
        lower -= ldexp(1e-9, tries);
    }
    return unreachable(&target, "the search found no rate that the accountant certifies");
}
