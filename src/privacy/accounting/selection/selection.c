#include "privacy/accounting/selection/selection.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/roots.h"
#include "numeric/special.h"
#include "privacy/accounting/accountants.h"
#include "privacy/accounting/budget/budget.h"

/* ---- the formulas ---- */

double sot_selection_price(const sotto_runs *runs, double order, double rdp)
{
    const double inverse_up = sot_div_up(1.0, order);
    const double share = sot_sub_up(1.0, sot_div_down(1.0, order)); /* 1 - 1/order */
    const double loss = share > 0.0 ? sot_mul_up(share, rdp) : 0.0;
    const double stop = sot_mul_up(sot_runs_log_inverse_gamma(runs), inverse_up);
    return sot_mul_up(sot_add_up(1.0, runs->shape), sot_add_up(loss, stop));
}

double sot_selection_rdp_negative_binomial(const sotto_runs *runs, double order,
                                           double rdp, double price)
{
    const double mean = sot_log_up(sotto_runs_mean(runs));
    /* order - 1 is exact: Sterbenz below 2, a multiple of order's last place above. */
    const double spread = sot_div_up(fmax(0.0, mean), order - 1.0);
    return sot_add_up(sot_add_up(rdp, price), spread);
}

double sot_selection_epsilon_hat(double order)
{
    return sot_log1p_down(sot_div_down(1.0, order - 1.0));
}

double sot_selection_rdp_poisson(double mean, double order, double rdp, double delta_hat)
{
    const double t = order - 1.0; /* exact, as above */
    const double loss = sot_add_up(rdp, sot_mul_up(mean, delta_hat));
    const double some = sot_add_up(sot_log_up(mean), sot_mul_up(t, loss));
    if (!isfinite(some)) return HUGE_VAL;
    /* The sum's error is at most 5e-16 (|larger| + log 2); it is never negative, because
     * e^-mean + mean >= 1. */
    const double larger = fmax(-mean, some);
    const double sum = sot_log_add_exp(-mean, some) + 1e-15 * (fabs(larger) + 1.0);
    return sot_div_up(fmax(0.0, sum), t);
}

/* ---- one run ---- */

/* A run has one plan, or one of several, sampled independently of the data. Its Renyi moments are
 * means of theirs, and so at most the largest at every order. The same holds for its delta at
 * every epsilon, and for its pure epsilon. */
typedef struct selection {
    const sotto_plan *const *plans;
    size_t plan_count;
    sot_composition **compositions; /* of the plans, compiled once */
    const sotto_runs *runs;
    double price;        /* of the negative binomial, at its best order */
    double pure_epsilon; /* of one run; infinite if it is not pure */
    double delta;        /* of the question for epsilon */
    sotto_status status; /* the first failure */
    sotto_error *error;
} selection;

static double run_rdp(selection *asked, double order)
{
    double most = 0.0;
    if (!(order > 1.0) || isinf(order)) return HUGE_VAL; /* a search may go so far */
    for (size_t i = 0; i < asked->plan_count; i++)
        most = fmax(most, sot_rdp_at_upper(asked->compositions[i], order));
    return asked->status == SOTTO_OK ? fmin(most, asked->pure_epsilon) : HUGE_VAL;
}

/* One run's delta, for Thm 6, by its exact profile. */
static double run_delta(selection *asked, double epsilon)
{
    double most = 0.0;
    for (size_t i = 0; i < asked->plan_count && asked->status == SOTTO_OK; i++) {
        sotto_account account = {.delta = 1.0, .order = SOTTO_UNSET};
        const sot_priced priced = {asked->plans[i], asked->compositions[i], SOTTO_UNSET,
                                   0};
        asked->status = sot_exact_delta(&priced, epsilon, &account, asked->error);
        most = fmax(most, account.delta);
    }
    return asked->status == SOTTO_OK ? most : 1.0;
}

/* The bound at one order, before the minimum over larger ones. */
static double bound_at(selection *asked, double order)
{
    const double rdp = run_rdp(asked, order);
    if (!isfinite(rdp)) return HUGE_VAL;
    if (asked->runs->law == SOTTO_RUNS_NEGATIVE_BINOMIAL)
        return sot_selection_rdp_negative_binomial(asked->runs, order, rdp, asked->price);
    const double delta_hat = run_delta(asked, sot_selection_epsilon_hat(order));
    return sot_selection_rdp_poisson(asked->runs->mean, order, rdp, delta_hat);
}

/* The limit of large orders: of pure runs. Infinite for others. */
static double pure_bound(selection *asked)
{
    if (!isfinite(asked->pure_epsilon)) return HUGE_VAL;
    if (asked->runs->law == SOTTO_RUNS_NEGATIVE_BINOMIAL) {
        return sot_mul_up(sot_add_up(2.0, asked->runs->shape), asked->pure_epsilon);
    }
    return sot_add_up(asked->pure_epsilon,
                      sot_mul_up(asked->runs->mean, run_delta(asked, 0.0)));
}

/* ---- searches over log(order - 1); their results need no proof ---- */

static double price_at(double log_t, void *context)
{
    selection *asked = context;
    const double order = 1.0 + exp(log_t);
    return sot_selection_price(asked->runs, order, run_rdp(asked, order));
}

static double rdp_at(double log_t, void *context)
{
    return bound_at(context, 1.0 + exp(log_t));
}

static double epsilon_at(double log_t, void *context)
{
    selection *asked = context;
    const double order = 1.0 + exp(log_t);
    const double rdp = bound_at(asked, order);
    return isfinite(rdp) ? sot_budget_epsilon_upper(order, rdp, asked->delta) : HUGE_VAL;
}

/* A scan by strides of e from `lowest` to `highest`, then Brent around the best. */
static double least_over(sot_function objective, selection *asked, double lowest,
                         double highest, double *out_log_t)
{
    double best = lowest, least = objective(lowest, asked);
    for (double at = lowest + 1.0; at <= highest; at += 1.0) {
        const double value = objective(at, asked);
        if (value < least) {
            least = value;
            best = at;
        }
    }
    double refined;
    const double at = sot_minimize(objective, asked, fmax(lowest, best - 1.0), best + 1.0,
                                   1e-5, 40, &refined);
    *out_log_t = refined < least ? at : best;
    return fmin(refined, least);
}

static const double log_t_least = -9.0; /* orders from 1.0001 */
static const double log_t_most = 16.0;  /* to 1e7 */

/* ---- the public questions ---- */

/* The common part of the plans: a Renyi divergence, and maybe a pure epsilon. */
static sotto_status look_at_plans(selection *asked, sotto_error *error)
{
    double pure_most = 0.0;
    for (size_t i = 0; i < asked->plan_count; i++) {
        sotto_account account;
        sotto_error ignored;
        sotto_status status = sot_composition_new(asked->plans[i], SOTTO_UNSET, 0,
                                                  &asked->compositions[i], error);
        if (status != SOTTO_OK) return status;
        if (asked->compositions[i]->failure.upper > 0.0) {
            return sot_fail(
                error, SOTTO_UNSUPPORTED,
                "the plan has an approximate event; the theorems on the best of "
                "several runs need a Renyi divergence: use pure, zcdp, gdp or "
                "gaussian events");
        }
        status =
            sotto_account_epsilon(asked->plans[i], SOTTO_BASIC, 0.0, &account, &ignored);
        if (status == SOTTO_OUT_OF_MEMORY)
            return sot_fail(error, status, "%s", ignored.message);
        pure_most = fmax(pure_most, status == SOTTO_OK ? account.epsilon : HUGE_VAL);
    }
    asked->pure_epsilon = pure_most;
    return SOTTO_OK;
}

static void end(selection *asked)
{
    for (size_t i = 0; asked->compositions != NULL && i < asked->plan_count; i++)
        sot_composition_free(asked->compositions[i]);
    sot_free(asked->compositions);
    asked->compositions = NULL;
}

/* To be ended, also after a failure. */
static sotto_status begin(const sotto_plan *const *plans, size_t plan_count,
                          const sotto_runs *runs, selection *asked, sotto_error *error)
{
    double log_t;
    *asked = (selection){.plans = plans,
                         .plan_count = plan_count,
                         .runs = runs,
                         .status = SOTTO_OK,
                         .error = error};
    sotto_status status = sot_runs_check(runs, error);
    if (status != SOTTO_OK) return status;
    asked->compositions = sot_new_array(plan_count, sizeof *asked->compositions);
    if (asked->compositions == NULL)
        return sot_fail_memory(error, plan_count, sizeof *asked->compositions);
    status = look_at_plans(asked, error);
    if (status != SOTTO_OK) return status;
    if (runs->law == SOTTO_RUNS_NEGATIVE_BINOMIAL) {
        asked->price = least_over(price_at, asked, log_t_least, log_t_most, &log_t);
        asked->price =
            fmin(asked->price, sot_selection_price(runs, HUGE_VAL, asked->pure_epsilon));
        /* Order 1: no Renyi bound is needed. */
        asked->price = fmin(asked->price, sot_selection_price(runs, 1.0, 0.0));
    }
    return asked->status;
}

sotto_status sotto_account_selection_rdp(const sotto_plan *plan, const sotto_runs *runs,
                                         double order, double *out_rdp_upper,
                                         sotto_error *error)
{
    selection asked;
    double log_t;
    if (!(order > 1.0) || isinf(order)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`order` is %g; a Renyi order is finite and above 1; for example `order=8`",
            order);
    }
    sotto_status status = begin(&plan, 1, runs, &asked, error);
    if (status == SOTTO_OK) {
        /* The divergence increases with the order, so the bound of a larger one holds too. */
        const double lowest = log(order - 1.0) + 1e-9;
        double rdp = fmin(bound_at(&asked, order), pure_bound(&asked));
        rdp = fmin(rdp,
                   least_over(rdp_at, &asked, lowest, fmax(lowest, log_t_most), &log_t));
        status = asked.status;
        if (status == SOTTO_OK) *out_rdp_upper = rdp;
    }
    end(&asked);
    return status;
}

static sotto_status check_orders(const double *orders, size_t count, sotto_error *error)
{
    bool fine = count >= 1 && count <= SOTTO_CURVE_MAX;
    for (size_t i = 0; fine && i < count; i++)
        fine = orders[i] > (i > 0 ? orders[i - 1] : 1.0) && isfinite(orders[i]);
    if (fine) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the curve has %zu orders; give 1 to %d of them, finite, above 1 and "
                    "increasing",
                    count, SOTTO_CURVE_MAX);
}

sotto_status sotto_account_selection_curve(const sotto_plan *plan, const sotto_runs *runs,
                                           const double *orders, size_t count,
                                           double *out_rdp_upper, sotto_error *error)
{
    return sotto_account_selection_curve_of(&plan, 1, runs, orders, count, out_rdp_upper,
                                            error);
}

/* One adjacency for all, and at least one plan. */
static sotto_status check_plans(const sotto_plan *const *plans, size_t plan_count,
                                sotto_error *error)
{
    if (plan_count == 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "there is no plan; give the plan of every setting that a run may have");
    }
    for (size_t i = 1; i < plan_count; i++) {
        if (sotto_plan_adjacency(plans[i]) == sotto_plan_adjacency(plans[0])) continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "plan %zu is for other neighbours than the first; give plans of "
                        "one adjacency",
                        i + 1);
    }
    return SOTTO_OK;
}

sotto_status sotto_account_selection_curve_of(const sotto_plan *const *plans,
                                              size_t plan_count, const sotto_runs *runs,
                                              const double *orders, size_t count,
                                              double *out_rdp_upper, sotto_error *error)
{
    selection asked;
    sotto_status status = check_orders(orders, count, error);
    if (status == SOTTO_OK) status = check_plans(plans, plan_count, error);
    if (status != SOTTO_OK) return status;
    status = begin(plans, plan_count, runs, &asked, error);
    double least = status == SOTTO_OK ? pure_bound(&asked) : HUGE_VAL;
    for (size_t i = count; i-- > 0 && status == SOTTO_OK;) {
        least = fmin(least, bound_at(&asked, orders[i]));
        out_rdp_upper[i] = least;
        status = asked.status;
    }
    end(&asked);
    return status;
}

sotto_status sotto_account_selection_pure_of(const sotto_plan *const *plans,
                                             size_t plan_count, const sotto_runs *runs,
                                             double *out_epsilon_upper,
                                             sotto_error *error)
{
    selection asked;
    sotto_status status = check_plans(plans, plan_count, error);
    if (status != SOTTO_OK) return status;
    status = begin(plans, plan_count, runs, &asked, error);
    const double epsilon = status == SOTTO_OK ? pure_bound(&asked) : HUGE_VAL;
    end(&asked);
    if (status != SOTTO_OK || asked.status != SOTTO_OK)
        return status != SOTTO_OK ? status : asked.status;
    if (!isfinite(epsilon)) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`delta` is 0, but one run is not pure; give one above 0, for "
                        "example `delta=1e-6`");
    }
    *out_epsilon_upper = epsilon;
    return SOTTO_OK;
}

sotto_status sot_selection_price_event(const sotto_selection *best, const double *orders,
                                       size_t count, double *values,
                                       sotto_event *out_event, sotto_error *error)
{
    static const char purpose[] = SOT_SELECTION_PURPOSE;
    sotto_event event = sotto_event_defaults();
    sotto_status status;
    event.count = 1;
    memcpy(event.purpose, purpose, sizeof purpose);
    if (count == 0) {
        event.mechanism = SOTTO_PURE;
        status = sotto_account_selection_pure_of(best->plans, best->plan_count,
                                                 &best->runs, &event.epsilon, error);
    } else {
        event.mechanism = SOTTO_RDP_CURVE;
        event.curve_orders = orders;
        event.curve_values = values;
        status = sotto_account_selection_curve_of(
            best->plans, best->plan_count, &best->runs, orders, count, values, error);
    }
    if (status != SOTTO_OK) return status;
    /* Each value is the least of those behind it: infinite ones stand at the end. */
    while (event.curve_size < count && isfinite(values[event.curve_size]))
        event.curve_size++;
    if (count > 0 && event.curve_size == 0) {
        return sot_fail(
            error, SOTTO_UNREACHABLE,
            "one training has no finite Renyi divergence; use another method");
    }
    *out_event = event;
    return SOTTO_OK;
}

static sotto_status finish(const selection *asked, double epsilon, double order,
                           sotto_account *out_account, sotto_error *error)
{
    if (asked->status != SOTTO_OK) return asked->status;
    if (!isfinite(epsilon)) {
        return sot_fail(
            error, SOTTO_UNREACHABLE,
            asked->delta > 0.0
                ? "no Renyi order gives a finite epsilon at delta %g; use more "
                  "noise"
                : "`delta` is %g, which only plans of pure events can have; give one "
                  "above 0, for example `delta=1e-6`",
            asked->delta);
    }
    *out_account =
        (sotto_account){.epsilon = epsilon,
                        .epsilon_lower = SOTTO_UNSET,
                        .delta = asked->delta,
                        .delta_lower = SOTTO_UNSET,
                        .order = order,
                        .accountant = SOTTO_RDP,
                        .kernel = isnan(order) ? SOTTO_KERNEL_BASIC : SOTTO_KERNEL_RDP,
                        .adjacency = sotto_plan_adjacency(asked->plans[0])};
    return SOTTO_OK;
}

sotto_status sotto_account_selection(const sotto_plan *plan, const sotto_runs *runs,
                                     double delta, sotto_account *out_account,
                                     sotto_error *error)
{
    selection asked;
    if (!(delta >= 0.0 && delta < 1.0)) { /* NaN too */
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`delta` is %g; it is at least 0 and below 1; for example `delta=1e-6`",
            delta);
    }
    const sotto_status status = begin(&plan, 1, runs, &asked, error);
    asked.delta = delta;
    double order = SOTTO_UNSET,
           epsilon = status == SOTTO_OK ? pure_bound(&asked) : HUGE_VAL;
    if (status == SOTTO_OK && delta > 0.0) {
        double log_t;
        const double by_order =
            least_over(epsilon_at, &asked, log_t_least, log_t_most, &log_t);
        if (by_order < epsilon) {
            epsilon = by_order;
            order = 1.0 + exp(log_t);
        }
    }
    end(&asked);
    return status != SOTTO_OK ? status
                              : finish(&asked, epsilon, order, out_account, error);
}
