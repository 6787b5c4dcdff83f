/* tests/privacy/accounting/pld_vectors.h: the reference answers of accounting.json against pld's brackets. */
#ifndef SOTTO_TESTS_PLD_VECTORS_H
#define SOTTO_TESTS_PLD_VECTORS_H

#include "support.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include <sotto/accountant.h>

static inline double pld_number(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static inline int pld_names(const json_t *object, const char *key, const char *name)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value != NULL && strcmp(value, name) == 0;
}

/* An event from the vectors' names; 0 for other mechanisms. */
static inline int pld_event(const json_t *mechanism, const json_t *params,
                            sotto_event *event)
{
    const char *name = json_string_value(mechanism);
    *event = sotto_event_defaults();
    event->count = (uint64_t)pld_number(params, "steps", 1.0);
    if (strcmp(name, "gaussian") == 0 ||
        strcmp(name, "poisson_subsampled_gaussian") == 0) {
        event->mechanism = SOTTO_GAUSSIAN;
        event->noise_multiplier = pld_number(params, "sigma", SOTTO_UNSET);
        event->rate = pld_number(params, "q", SOTTO_UNSET);
        if (!isnan(event->rate)) event->sampling = SOTTO_POISSON;
        return 1;
    }
    if (strcmp(name, "laplace") == 0) {
        event->mechanism = SOTTO_LAPLACE;
        event->noise_multiplier = pld_number(params, "scale", SOTTO_UNSET) /
                                  pld_number(params, "sensitivity", 1.0);
        return 1;
    }
    if (strcmp(name, "discrete_gaussian") == 0) {
        event->mechanism = SOTTO_DISCRETE_GAUSSIAN;
        event->scale = pld_number(params, "sigma", SOTTO_UNSET);
        event->sensitivity = pld_number(params, "sensitivity", 1.0);
        return 1;
    }
    if (strcmp(name, "discrete_laplace") == 0) {
        event->mechanism = SOTTO_DISCRETE_LAPLACE;
        event->scale = 1.0 / pld_number(params, "a", SOTTO_UNSET);
        event->sensitivity = pld_number(params, "sensitivity", 1.0);
        return 1;
    }
    if (strcmp(name, "pure_dp") == 0 || strcmp(name, "approx_dp_composition") == 0) {
        event->mechanism = SOTTO_APPROXIMATE;
        event->epsilon = pld_number(params, "epsilon_each", SOTTO_UNSET);
        event->delta = pld_number(params, "delta_each", 0.0);
        return 1;
    }
    if (strcmp(name, "fixed_size_without_replacement_gaussian") == 0) {
        event->mechanism = SOTTO_GAUSSIAN;
        event->noise_multiplier = pld_number(params, "sigma", SOTTO_UNSET);
        event->sampling = SOTTO_WITHOUT_REPLACEMENT;
        event->population = (uint64_t)pld_number(params, "n", 0.0);
        event->batch = (uint64_t)pld_number(params, "m", 0.0);
        return 1;
    }
    return 0;
}

static inline sotto_plan *pld_plan_of(const json_t *vector)
{
    sotto_error error;
    sotto_plan *plan;
    const json_t *params = json_object_get(vector, "params");
    const json_t *components = json_object_get(params, "components");
    const sotto_adjacency adjacency = pld_names(vector, "adjacency", "replace-one")
                                          ? SOTTO_REPLACE_ONE
                                          : SOTTO_ADD_REMOVE;
    assert_ok(sotto_plan_new(adjacency, &plan, &error), &error);
    const size_t count = components == NULL ? 1 : json_array_size(components);
    for (size_t i = 0; i < count; i++) {
        const json_t *part = components == NULL ? params : json_array_get(components, i);
        const json_t *mechanism =
            json_object_get(components == NULL ? vector : part, "mechanism");
        sotto_event event;
        if (!pld_event(mechanism, part, &event) ||
            sotto_plan_add(plan, &event, &error) != SOTTO_OK) {
            sotto_plan_free(plan);
            return NULL;
        }
    }
    return plan;
}

static inline void pld_expect(const json_t *vector, const sotto_plan *plan,
                              const json_t *expect, size_t *checked)
{
    sotto_error error;
    sotto_account account;
    const double value = pld_number(expect, "value", SOTTO_UNSET);
    const double rtol = pld_number(expect, "rtol", 1e-8);
    double upper;
    double lower;
    if (!pld_names(expect, "method", "exact") && !pld_names(expect, "method", "tight") &&
        !pld_names(expect, "method", "optimal") &&
        !pld_names(expect, "method", "tight_dominating_pair")) {
        return;
    }
    if (pld_names(expect, "ask", "epsilon")) {
        const double delta = pld_number(expect, "delta", SOTTO_UNSET);
        if (!(delta > 0.0)) return;
        assert_ok(sotto_account_epsilon(plan, SOTTO_PLD, delta, &account, &error),
                  &error);
        upper = account.epsilon;
        lower = account.epsilon_lower;
    } else if (pld_names(expect, "ask", "delta")) {
        const double epsilon = pld_number(expect, "epsilon", SOTTO_UNSET);
        assert_ok(sotto_account_delta(plan, SOTTO_PLD, epsilon, &account, &error),
                  &error);
        upper = account.delta;
        lower = account.delta_lower;
    } else {
        return;
    }
    const double least = pld_number(expect, "lower", value * (1.0 - rtol));
    const double most = pld_number(expect, "upper", value * (1.0 + rtol));
    (*checked)++;
    if (upper >= least && lower <= most && upper <= value * 1.01 + 1e-300) return;
    print_error("%s: %s pld [%.15g, %.15g], reference %.15g\n",
                json_string_value(json_object_get(vector, "id")),
                json_string_value(json_object_get(expect, "ask")), lower, upper, value);
    fail();
}

/* Every stride-th case; returns how many answers were compared. */
static inline size_t pld_check_vectors(size_t stride)
{
    json_error_t problem;
    json_t *vectors = json_load_file(SOTTO_TEST_VECTORS "/accounting.json", 0, &problem);
    assert_non_null(vectors);
    size_t checked = 0;
    for (size_t i = 0; i < json_array_size(vectors); i += stride) {
        const json_t *vector = json_array_get(vectors, i);
        sotto_plan *plan = pld_plan_of(vector);
        if (plan == NULL) continue;
        const json_t *expects = json_object_get(vector, "expect");
        for (size_t k = 0; k < json_array_size(expects); k++)
            pld_expect(vector, plan, json_array_get(expects, k), &checked);
        sotto_plan_free(plan);
    }
    json_decref(vectors);
    print_message("%zu answers checked\n", checked);
    return checked;
}

#endif
