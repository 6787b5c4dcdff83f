/* Any bytes as a plan: refused with one clear line, or a plan whose prices are numbers.
 *
 * What is read must obey the ranges of the documents, survive the way to its canonical form and
 * back to the last bit, and have prices that are never NaN and never negative: Renyi's at order
 * 2, the sum of the epsilons, and the exact ones where they are cheap. Time is bounded by
 * asking about the first few events only, a few times each. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <sotto/accountant.h>

#include "require.h"

enum { EVENTS_PRICED = 24, COUNT_PRICED = 12 };

static void check_event(const sotto_event *event)
{
    const double numbers[] = {event->noise_multiplier,
                              event->epsilon,
                              event->delta,
                              event->rho,
                              event->mu,
                              event->scale,
                              event->sensitivity,
                              event->rate,
                              event->grid,
                              event->atom,
                              event->shift};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        require(isnan(numbers[i]) || (numbers[i] >= 0.0 && numbers[i] <= 1e300));
    require(event->mechanism >= SOTTO_GAUSSIAN &&
            event->mechanism <= SOTTO_OBJECTIVE_PERTURBATION);
    require(strcmp(sotto_mechanism_name(event->mechanism), "unknown") != 0);
    require(event->count <= SOTTO_COUNT_MAX);
    require(isnan(event->rate) == (event->sampling == SOTTO_NOT_SAMPLED));
    require(memchr(event->purpose, '\0', sizeof event->purpose) != NULL);
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_round_trip(const sotto_plan *plan)
{
    char *json = NULL;
    char *again = NULL;
    sotto_plan *back = NULL;
    sotto_error error;
    require(sotto_plan_to_json(plan, &json, &error) == SOTTO_OK);
    require(sotto_plan_parse(json, strlen(json), &back, &error) == SOTTO_OK);
    require(sotto_plan_size(back) == sotto_plan_size(plan));
    require(sotto_plan_adjacency(back) == sotto_plan_adjacency(plan));
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *a = sotto_plan_event(plan, i), *b = sotto_plan_event(back, i);
        require(is_same(a->noise_multiplier, b->noise_multiplier));
        require(is_same(a->rate, b->rate) && is_same(a->scale, b->scale));
        require(is_same(a->epsilon, b->epsilon) && is_same(a->delta, b->delta));
        require(is_same(a->atom, b->atom) && is_same(a->shift, b->shift));
        require(a->rows == b->rows && a->vertices == b->vertices);
        require(a->count == b->count && a->mechanism == b->mechanism);
    }
    require(sotto_plan_to_json(back, &again, &error) == SOTTO_OK);
    require(strcmp(json, again) == 0);
    sotto_plan_free_json(json);
    sotto_plan_free_json(again);
    sotto_plan_free(back);
}

/* The first events, with open targets filled in and small counts; *out_sampled counts those
 * that the exact accountant may need long for. */
static sotto_plan *shorten(const sotto_plan *plan, size_t *out_sampled)
{
    sotto_plan *shorter = NULL;
    require(sotto_plan_new(sotto_plan_adjacency(plan), &shorter, NULL) == SOTTO_OK);
    *out_sampled = 0;
    for (size_t i = 0; i < sotto_plan_size(plan) && i < EVENTS_PRICED; i++) {
        sotto_event event = *sotto_plan_event(plan, i);
        event.count = event.count % COUNT_PRICED + 1;
        if (event.mechanism == SOTTO_GAUSSIAN && isnan(event.noise_multiplier)) {
            event.noise_multiplier = 1e-4; /* at most any scale over sensitivity */
        }
        if (event.sampling != SOTTO_NOT_SAMPLED) ++*out_sampled;
        require(sotto_plan_add(shorter, &event, NULL) == SOTTO_OK);
    }
    return shorter;
}

static void check_account(sotto_status status, const sotto_account *account,
                          const sotto_error *error)
{
    if (status != SOTTO_OK) {
        require(status == SOTTO_UNREACHABLE);
        require(error->message[0] != '\0' && strchr(error->message, '\n') == NULL);
        return;
    }
    require(account->epsilon >= 0.0 && isfinite(account->epsilon));
    require(account->delta >= 0.0 && account->delta <= 1.0);
    require(isnan(account->epsilon_lower) || account->epsilon_lower <= account->epsilon);
    require(isnan(account->delta_lower) || account->delta_lower <= account->delta);
    require(strcmp(sotto_kernel_name(account->kernel), "unknown") != 0);
}

static void check_prices(const sotto_plan *plan)
{
    sotto_error error;
    sotto_account account;
    double rdp, delta;
    size_t sampled;
    sotto_plan *shorter = shorten(plan, &sampled);
    require(sotto_account_rdp_with_delta(shorter, 2.0, &rdp, &delta, &error) == SOTTO_OK);
    require(rdp >= 0.0 && delta >= 0.0 && delta <= 1.0);
    static const sotto_accountant accountants[] = {SOTTO_RDP, SOTTO_BASIC, SOTTO_EXACT};
    for (size_t i = 0; i < (sampled == 0 ? 3 : 2); i++) {
        const sotto_accountant accountant = accountants[i];
        sotto_status status =
            sotto_account_epsilon(shorter, accountant, 1e-6, &account, &error);
        check_account(status, &account, &error);
        status = sotto_account_delta(shorter, accountant, 1.5, &account, &error);
        check_account(status, &account, &error);
    }
    sotto_plan_free(shorter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    const sotto_status status = sotto_plan_parse((const char *)data, size, &plan, &error);
    if (status != SOTTO_OK) {
        require(plan == NULL);
        require(status == SOTTO_PARSE || status == SOTTO_INVALID_ARGUMENT ||
                status == SOTTO_UNSUPPORTED);
        require(error.message[0] != '\0' && strchr(error.message, '\n') == NULL);
        return 0;
    }
    require(sotto_plan_size(plan) >= 1 && sotto_plan_size(plan) <= SOTTO_EVENTS_MAX);
    for (size_t i = 0; i < sotto_plan_size(plan); i++)
        check_event(sotto_plan_event(plan, i));
    check_round_trip(plan);
    check_prices(plan);
    sotto_plan_free(plan);
    return 0;
}
