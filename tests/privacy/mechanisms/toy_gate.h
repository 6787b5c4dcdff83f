/* tests/privacy/mechanisms/toy_gate.h: open gates for the toy minimisers. */
#ifndef SOTTO_TESTS_TOY_GATE_H
#define SOTTO_TESTS_TOY_GATE_H

#include "toy_run.h"

static const toy_settings gaussian = {.adjacency = SOTTO_ADD_REMOVE, .unit_rows = 1};
static const toy_settings pure = {
    .is_pure = true, .adjacency = SOTTO_ADD_REMOVE, .unit_rows = 1};

typedef struct toy_gate {
    sotto_rng *rng;
    sotto_gate *gate;
} toy_gate;

/* A gate that is open for `count` of each of the events. */
static inline toy_gate toy_gate_open(sotto_adjacency adjacency, sotto_event *events,
                                     size_t event_count, uint64_t count, uint64_t seed)
{
    sotto_error error;
    toy_gate made = {0};
    sotto_plan *plan = NULL;
    assert_ok(sotto_plan_new(adjacency, &plan, &error), &error);
    for (size_t i = 0; i < event_count; i++) {
        events[i].count = count;
        assert_ok(sotto_plan_add(plan, &events[i], &error), &error);
    }
    assert_ok(sotto_rng_new_for_test(seed, &made.rng, &error), &error);
    assert_ok(sotto_gate_new(plan, made.rng, &made.gate, &error), &error);
    assert_ok(sotto_gate_open(made.gate, &error), &error);
    sotto_plan_free(plan);
    return made;
}

static inline toy_gate toy_gate_new(const sot_objective_config *config, uint64_t count,
                                    uint64_t seed)
{
    sotto_error error;
    sot_objective_facts facts;
    assert_ok(sot_objective_derive(config, &facts, &error), &error);
    return toy_gate_open(config->law.adjacency, facts.events, 2, count, seed);
}

static inline void toy_gate_free(toy_gate made)
{
    sotto_gate_free(made.gate);
    sotto_rng_free(made.rng);
}

/* Three rows, not symmetric. */
static inline toy toy_of(const sot_objective_config *config)
{
    toy made = {
        .dimension = config->dimension, .lambda = config->law.lambda, .tau = config->tau};
    toy_add(&made, 0.75, 0.25, 1.0);
    toy_add(&made, -0.5, 0.625, 1.0);
    toy_add(&made, 0.875, -0.375, -1.0);
    return made;
}

#endif
