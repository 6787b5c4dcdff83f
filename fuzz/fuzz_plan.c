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

enum { EVENTS_PRICED = 24, COUNT_PRICED = 12, LONG_COUNT_PRICED = 3 };

/* Each way of sampling has its own fields; a rate alone may be open. */
static void check_sample(const sotto_event *event)
{
    const bool has_batch = event->sampling == SOTTO_WITHOUT_REPLACEMENT ||
                           event->sampling == SOTTO_TRUNCATED_POISSON;
    const bool is_cyclic = event->sampling == SOTTO_CYCLIC_POISSON;
    const bool has_rate = event->sampling == SOTTO_POISSON || is_cyclic ||
                          event->sampling == SOTTO_TRUNCATED_POISSON;
    const bool has_population = has_batch || event->sampling == SOTTO_SINGLE_RECORD;
    require(isnan(event->rate) || (has_rate && event->rate > 0.0 && event->rate <= 1.0));
    require(is_cyclic == (event->bands > 0));
    require(has_population == (event->population > 0));
    require(event->population <= SOTTO_POPULATION_MAX);
    require(has_batch == (event->batch > 0) && event->batch <= event->population);
}

static void check_curve(const sotto_event *event)
{
    const bool is_mixture = event->mechanism == SOTTO_GAUSSIAN_MIXTURE;
    const double least = is_mixture ? 0.0 : 1.0;
    require((is_mixture || event->mechanism == SOTTO_RDP_CURVE) ==
            (event->curve_size > 0));
    require(event->curve_size <= SOTTO_CURVE_MAX);
    for (uint32_t i = 0; i < event->curve_size; i++) {
        require(event->curve_orders[i] > (i == 0 ? least : event->curve_orders[i - 1]));
        require(event->curve_values[i] >= 0.0 && isfinite(event->curve_values[i]));
    }
}

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
    require(event->mechanism >= SOTTO_GAUSSIAN && event->mechanism <= SOTTO_RDP_CURVE);
    require(strcmp(sotto_mechanism_name(event->mechanism), "unknown") != 0);
    require(event->count <= SOTTO_COUNT_MAX);
    require(memchr(event->purpose, '\0', sizeof event->purpose) != NULL);
    check_sample(event);
    check_curve(event);
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
        require(a->rows == b->rows && a->vertices == b->vertices &&
                a->theorem == b->theorem);
        require(a->count == b->count && a->mechanism == b->mechanism);
        require(a->sampling == b->sampling && a->dimension == b->dimension);
        require(a->population == b->population && a->batch == b->batch);
        require(a->curve_size == b->curve_size);
        for (uint32_t j = 0; j < a->curve_size; j++) {
            require(a->curve_orders[j] == b->curve_orders[j]);
            require(a->curve_values[j] == b->curve_values[j]);
        }
    }
    require(sotto_plan_to_json(back, &again, &error) == SOTTO_OK);
    require(strcmp(json, again) == 0);
    sotto_free(json);
    sotto_free(again);
    sotto_plan_free(back);
}

/* True for events that take long, slowed down as everything is here, if they are many or beside
 * others: sampled ones, and those with a law of their own. */
static bool is_long(const sotto_event *event)
{
    return event->sampling != SOTTO_NOT_SAMPLED || event->rows > 1 ||
           event->mechanism == SOTTO_GAUSSIAN_MIXTURE ||
           event->mechanism == SOTTO_DISCRETE_GAUSSIAN ||
           event->mechanism == SOTTO_DISCRETE_LAPLACE ||
           event->mechanism == SOTTO_RANDOMIZED_RESPONSE ||
           event->mechanism == SOTTO_LAPLACE || event->mechanism == SOTTO_EXPONENTIAL;
}

/* The first `most` events, with open targets filled in and small counts. */
static sotto_plan *shorten(const sotto_plan *plan, size_t most)
{
    sotto_plan *shorter = NULL;
    require(sotto_plan_new(sotto_plan_adjacency(plan), &shorter, NULL) == SOTTO_OK);
    for (size_t i = 0; i < sotto_plan_size(plan) && i < most; i++) {
        sotto_event event = *sotto_plan_event(plan, i);
        event.count =
            event.count % (is_long(&event) ? LONG_COUNT_PRICED : COUNT_PRICED) + 1;
        const bool takes_noise = event.mechanism == SOTTO_GAUSSIAN ||
                                 event.mechanism == SOTTO_LAPLACE ||
                                 event.mechanism == SOTTO_GAUSSIAN_MIXTURE;
        if (takes_noise && isnan(event.noise_multiplier)) {
            /* At most any scale over sensitivity; norms are at most 1e9. */
            event.noise_multiplier =
                event.mechanism == SOTTO_GAUSSIAN_MIXTURE ? 1e6 : 1e-4;
        }
        const bool has_rate = event.sampling == SOTTO_POISSON ||
                              event.sampling == SOTTO_CYCLIC_POISSON ||
                              event.sampling == SOTTO_TRUNCATED_POISSON;
        if (has_rate && isnan(event.rate)) event.rate = 0.3;
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

static void check_accountant(const sotto_plan *plan, sotto_accountant accountant)
{
    sotto_error error;
    sotto_account account;
    sotto_status status = sotto_account_epsilon(plan, accountant, 1e-6, &account, &error);
    check_account(status, &account, &error);
    status = sotto_account_delta(plan, accountant, 1.5, &account, &error);
    check_account(status, &account, &error);
}

static void check_prices(const sotto_plan *plan)
{
    sotto_error error;
    double rdp, delta;
    bool is_short = true;
    sotto_plan *shorter = shorten(plan, EVENTS_PRICED);
    sotto_plan *first = shorten(plan, 1);
    const sotto_status status =
        sotto_account_rdp_with_delta(shorter, 2.0, &rdp, &delta, &error);
    require(status == SOTTO_OK || status == SOTTO_UNREACHABLE); /* a norm without noise */
    if (status == SOTTO_OK) require(rdp >= 0.0 && delta >= 0.0 && delta <= 1.0);
    for (size_t i = 0; i < sotto_plan_size(shorter); i++)
        is_short = is_short && !is_long(sotto_plan_event(shorter, i));
    check_accountant(shorter, SOTTO_RDP);
    check_accountant(shorter, SOTTO_BASIC);
    if (is_short) check_accountant(shorter, SOTTO_EXACT);
    if (sotto_plan_event(first, 0)->sampling == SOTTO_NOT_SAMPLED)
        check_accountant(first, SOTTO_EXACT);
    sotto_plan_free(first);
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
