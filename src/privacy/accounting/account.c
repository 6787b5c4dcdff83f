#include <float.h>
#include <math.h>
#include <stdbool.h>

#include <sotto/accountant.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "numeric/roots.h"
#include "privacy/accounting/accountants.h"

typedef struct accountant_row {
    sotto_accountant accountant;
    sot_price_epsilon epsilon;
    sot_price_delta delta;
    bool
        reads_epsilon; /* searches ask for epsilon, not for delta: the tighter question */
} accountant_row;

static const accountant_row accountants[] = {
    {SOTTO_EXACT, sot_exact_epsilon, sot_exact_delta, true},
    {SOTTO_RDP, sot_rdp_epsilon, sot_rdp_delta, false},
    {SOTTO_BASIC, sot_basic_epsilon, sot_basic_delta, false},
    {SOTTO_PLD, sot_pld_epsilon, sot_pld_delta, false},
    {SOTTO_MOMENTS, sot_moments_epsilon, sot_moments_delta, false},
    {SOTTO_GAUSSIAN_DP, sot_gdp_epsilon, sot_gdp_delta, false},
    {SOTTO_ADVANCED, sot_advanced_epsilon, sot_advanced_delta, true},
    {SOTTO_OPTIMAL, sot_optimal_epsilon, sot_optimal_delta, true},
};

static sotto_status find_accountant(sotto_accountant accountant,
                                    const accountant_row **out, sotto_error *error)
{
    for (size_t i = 0; i < sizeof accountants / sizeof accountants[0]; i++) {
        if (accountants[i].accountant == accountant) {
            *out = &accountants[i];
            return SOTTO_OK;
        }
    }
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "accountant is %d; give SOTTO_EXACT or another one of sotto_accountant",
        (int)accountant);
}

static sotto_status check_delta(double delta, double least, sotto_error *error)
{
    if (delta >= least && delta < 1.0) return SOTTO_OK; /* NaN fails */
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`delta` is %g; it is at least %g and below 1; for example `delta=1e-6`", delta,
        least);
}

static sotto_status check_epsilon(double epsilon, sotto_error *error)
{
    if (epsilon >= 0.0 && epsilon <= 1e9) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`epsilon` is %g; it lies from 0 to 1e9; for example `epsilon=1`",
                    epsilon);
}

sotto_status sot_finite_delta(const sot_composition *composition, double delta,
                              double *out_delta, sotto_error *error)
{
    *out_delta = sot_composition_finite_delta(composition, delta);
    if (*out_delta >= 0.0) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNREACHABLE,
                    "`delta` is %g, less than the %g that the plan's own approximate "
                    "events use up; give a larger delta",
                    delta, composition->failure.upper);
}

/* Compiles the plan with its open targets filled in, asks one question, frees. */
static sotto_status price(const sotto_plan *plan, const accountant_row *row,
                          double noise_multiplier, uint64_t steps, const double *epsilon,
                          const double *delta, sotto_account *out, sotto_error *error)
{
    sot_composition *composition;
    sotto_status status =
        row->accountant == SOTTO_EXACT
            ? sot_composition_new_for_exact(plan, noise_multiplier, steps, &composition,
                                            error)
            : sot_composition_new(plan, noise_multiplier, steps, &composition, error);
    if (status != SOTTO_OK) return status;
    const sot_priced priced = {composition->plan, composition, noise_multiplier, steps};
    sotto_account account = {.order = SOTTO_UNSET};
    status = epsilon == NULL ? row->epsilon(&priced, *delta, &account, error)
                             : row->delta(&priced, *epsilon, &account, error);
    if (composition->is_loose) { /* 0 bounds everything from below */
        if (!isnan(account.epsilon_lower)) account.epsilon_lower = 0.0;
        if (!isnan(account.delta_lower)) account.delta_lower = 0.0;
    }
    sot_composition_free(composition);
    if (status != SOTTO_OK) return status;
    account.accountant = row->accountant;
    account.adjacency = sotto_plan_adjacency(plan);
    *out = account;
    return SOTTO_OK;
}

sotto_status sotto_account_epsilon(const sotto_plan *plan, sotto_accountant accountant,
                                   double delta, sotto_account *out_account,
                                   sotto_error *error)
{
    const accountant_row *row = NULL;
    sotto_status status = find_accountant(accountant, &row, error);
    if (status == SOTTO_OK) status = check_delta(delta, 0.0, error);
    if (status != SOTTO_OK) return status;
    return price(plan, row, SOTTO_UNSET, 0, NULL, &delta, out_account, error);
}

sotto_status sotto_account_delta(const sotto_plan *plan, sotto_accountant accountant,
                                 double epsilon, sotto_account *out_account,
                                 sotto_error *error)
{
    const accountant_row *row = NULL;
    sotto_status status = find_accountant(accountant, &row, error);
    if (status == SOTTO_OK) status = check_epsilon(epsilon, error);
    if (status != SOTTO_OK) return status;
    return price(plan, row, SOTTO_UNSET, 0, &epsilon, NULL, out_account, error);
}

/* ---- searches: the answer is always a value that was certified itself ---- */

typedef struct search {
    const sotto_plan *plan;
    const accountant_row *row;
    double epsilon;
    double delta;
    sotto_status status; /* the first failure that is not "out of reach" */
    sotto_error *error;
} search;

double sot_search_excess(double value, double target)
{
    if (value == target) return 0.0;
    const double distance = log(fmax(value, DBL_MIN)) - log(fmax(target, DBL_MIN));
    return value < target ? fmin(distance, -DBL_MIN) : fmax(distance, DBL_MIN);
}

/* At most 0 when the target is met. */
static double excess(search *target, double noise_multiplier, uint64_t steps)
{
    sotto_account account;
    sotto_error error;
    const bool by_epsilon = target->row->reads_epsilon;
    const sotto_status status =
        price(target->plan, target->row, noise_multiplier, steps,
              by_epsilon ? NULL : &target->epsilon, &target->delta, &account, &error);
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

static double noise_excess(double log_noise, void *context)
{
    return excess(context, exp(log_noise), 0);
}

static sotto_status begin_search(const sotto_plan *plan, sotto_accountant accountant,
                                 double epsilon, double delta, const char *open_field,
                                 search *out, sotto_error *error)
{
    *out = (search){.plan = plan, .epsilon = epsilon, .delta = delta, .error = error};
    sotto_status status = find_accountant(accountant, &out->row, error);
    if (status == SOTTO_OK) status = check_epsilon(epsilon, error);
    if (status == SOTTO_OK) status = check_delta(delta, 1e-300, error);
    if (status != SOTTO_OK) return status;
    const int wants_noise = open_field[0] == 'n';
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        if (wants_noise ? sot_event_noise_is_open(event) : event->count == 0) {
            return SOTTO_OK;
        }
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "no event of the plan leaves its %s open; write \"search\" for it",
                    open_field);
}

static sotto_status unreachable(const search *target, const char *how)
{
    return sot_fail(target->error, SOTTO_UNREACHABLE,
                    "epsilon %g at delta %g cannot be reached: %s", target->epsilon,
                    target->delta, how);
}

/* [lower, upper] around the log of the least noise: excess(lower) > 0 >= excess(upper). */
static sotto_status bracket_noise(search *target, double *out_lower, double *out_upper)
{
    const double least = log(1e-3);
    const double most = log(1e12); /* the most an event may have */
    double at = 0.0;
    const int met = noise_excess(at, target) <= 0.0;
    double stride = met ? -0.7 : 0.7;
    while (target->status == SOTTO_OK) {
        if (at == least) { /* no noise to speak of suffices */
            *out_lower = *out_upper = at;
            return SOTTO_OK;
        }
        if (at == most) {
            return unreachable(target,
                               "noise multipliers up to 1e12 are not enough; ask for a "
                               "larger epsilon or delta, or leave other events out");
        }
        const double next = fmin(fmax(at + stride, least), most);
        const int next_met = noise_excess(next, target) <= 0.0;
        if (next_met != met) {
            *out_lower = met ? next : at;
            *out_upper = met ? at : next;
            return SOTTO_OK;
        }
        at = next;
        stride *= 1.6;
    }
    return target->status;
}

sotto_status sotto_account_noise(const sotto_plan *plan, sotto_accountant accountant,
                                 double epsilon, double delta,
                                 double *out_noise_multiplier, sotto_account *out_account,
                                 sotto_error *error)
{
    search target;
    sotto_status status = begin_search(plan, accountant, epsilon, delta,
                                       "noise_multiplier", &target, error);
    if (status != SOTTO_OK) return status;
    double lower;
    double upper;
    status = bracket_noise(&target, &lower, &upper);
    if (status != SOTTO_OK) return status;
    if (upper > lower) {
        (void)sot_find_root(noise_excess, &target, &lower, &upper, 2e-8, 0.0, 100);
    }
    if (target.status != SOTTO_OK) return target.status;

    /* The certificate: epsilon of the filled-in plan, at or below the target. */
    sotto_account account;
    for (int tries = 0; tries < 64; tries++) {
        const double noise = exp(upper);
        status = price(plan, target.row, noise, 0, NULL, &delta, &account, error);
        if (status == SOTTO_OK && account.epsilon <= epsilon) {
            *out_noise_multiplier = noise;
            *out_account = account;
            return SOTTO_OK;
        }
        if (status != SOTTO_OK && status != SOTTO_UNREACHABLE) return status;
        /* Kernels that work on a grid are off by more than the last digits: their error decides. */
        const double over =
            status == SOTTO_OK && epsilon > 0.0 ? log(account.epsilon / epsilon) : 0.0;
        upper += fmax(ldexp(1e-9, tries), fmin(over, 1.0) * ldexp(0.02, tries));
    }
    return unreachable(&target,
                       "the search found no noise that the accountant certifies");
}

static int steps_met(search *target, uint64_t steps)
{
    sotto_account account;
    sotto_error error;
    const sotto_status status = price(target->plan, target->row, SOTTO_UNSET, steps, NULL,
                                      &target->delta, &account, &error);
    if (status == SOTTO_OK) return account.epsilon <= target->epsilon;
    if (status != SOTTO_UNREACHABLE && target->status == SOTTO_OK) {
        target->status = sot_fail(target->error, status, "%s", error.message);
    }
    return 0;
}

static double steps_excess(double log_steps, void *context)
{
    return excess(context, SOTTO_UNSET, (uint64_t)llround(exp(log_steps)));
}

/* Raises *met, and *unmet ahead of it by growing strides, until *unmet is one. */
static void stride_up(search *target, uint64_t *met, uint64_t *unmet)
{
    while (*unmet <= SOTTO_COUNT_MAX && steps_met(target, *unmet)) {
        *met = *unmet;
        *unmet = *unmet <= SOTTO_COUNT_MAX / 8 ? 8 * *unmet : SOTTO_COUNT_MAX;
        if (*met == SOTTO_COUNT_MAX) *unmet = SOTTO_COUNT_MAX + 1; /* no plan has more */
    }
}

/* The most steps that Renyi's bound allows, to a tenth: where to start. The exact accountant
 * allows more, and is slowest for a handful of steps, which it then need not look at. */
static uint64_t renyi_steps(const search *target)
{
    search renyi = *target;
    renyi.error = NULL;
    if (find_accountant(SOTTO_RDP, &renyi.row, NULL) != SOTTO_OK) return 1;
    uint64_t met = 1;
    uint64_t unmet = 2;
    stride_up(&renyi, &met, &unmet);
    while (unmet - met > met / 10 + 1) {
        const uint64_t middle = met + (unmet - met) / 2;
        if (steps_met(&renyi, middle)) {
            met = middle;
        } else {
            unmet = middle;
        }
    }
    return met;
}

/* A guess of the answer from a smooth search in log(steps), then integers around it. */
static sotto_status bracket_steps(search *target, uint64_t *out_met, uint64_t *out_unmet)
{
    uint64_t met = 1;
    uint64_t unmet = 2;
    const uint64_t start = renyi_steps(target);
    if (start > 1 && steps_met(target, start)) {
        met = start;
        unmet = start <= SOTTO_COUNT_MAX / 2 ? 2 * start : SOTTO_COUNT_MAX;
        if (start == SOTTO_COUNT_MAX) unmet = SOTTO_COUNT_MAX + 1;
    }
    stride_up(target, &met, &unmet);
    if (target->status != SOTTO_OK) return target->status;
    double lower = log((double)met);
    double upper = log((double)unmet);
    if (unmet - met > 16 && sot_find_root(steps_excess, target, &lower, &upper,
                                          0.25 / (double)unmet, 0.0, 40)) {
        const uint64_t middle = (uint64_t)exp(lower);
        for (uint64_t reach = 1; reach < unmet; reach *= 4) {
            const uint64_t low = middle > reach + met ? middle - reach : met;
            const uint64_t high = middle + reach < unmet ? middle + reach : unmet;
            const int low_met = low == met || steps_met(target, low);
            const int high_met = high != unmet && steps_met(target, high);
            if (low_met) met = low;
            if (!high_met) unmet = high;
            if (high_met) met = high;
            if (low_met && !high_met) break;
            if (!low_met) unmet = low;
            if (unmet <= met + 1) break;
        }
    }
    *out_met = met;
    *out_unmet = unmet;
    return target->status;
}

sotto_status sotto_account_steps(const sotto_plan *plan, sotto_accountant accountant,
                                 double epsilon, double delta, uint64_t *out_steps,
                                 sotto_account *out_account, sotto_error *error)
{
    search target;
    sotto_status status =
        begin_search(plan, accountant, epsilon, delta, "count", &target, error);
    if (status != SOTTO_OK) return status;
    if (!steps_met(&target, 1)) {
        if (target.status != SOTTO_OK) return target.status;
        return unreachable(&target, "a single step costs more; use more noise");
    }
    uint64_t met;
    uint64_t unmet;
    status = bracket_steps(&target, &met, &unmet);
    if (status != SOTTO_OK) return status;
    while (unmet > met + 1) {
        const uint64_t middle = met + (unmet - met) / 2;
        if (steps_met(&target, middle)) {
            met = middle;
        } else {
            unmet = middle;
        }
    }
    if (target.status != SOTTO_OK) return target.status;
    status = price(plan, target.row, SOTTO_UNSET, met, NULL, &delta, out_account, error);
    if (status == SOTTO_OK) *out_steps = met;
    return status;
}

sotto_status sotto_gaussian_noise_classical(double epsilon, double delta,
                                            double *out_noise_multiplier,
                                            sotto_error *error)
{
    if (!(epsilon > 0.0 && epsilon < 1.0)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`epsilon` is %g; the classical calibration is proved for "
                        "epsilon strictly between 0 and 1; use --calibration analytic",
                        epsilon);
    }
    const sotto_status status = check_delta(delta, 1e-300, error);
    if (status != SOTTO_OK) return status;
    const double noise = sot_widen_up(sqrt(2.0 * log(1.25 / delta)) / epsilon, 1e-14);
    if (isinf(noise)) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`epsilon` is %g; the noise it needs is beyond the range of "
                        "numbers: give a larger one",
                        epsilon);
    }
    *out_noise_multiplier = noise;
    return SOTTO_OK;
}
