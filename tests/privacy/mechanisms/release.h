/* tests/privacy/mechanisms/release.h: an open gate for one event, and cases of the vectors. */
#ifndef SOTTO_TESTS_MECHANISMS_RELEASE_H
#define SOTTO_TESTS_MECHANISMS_RELEASE_H

#include "random/laws.h"

#include <sotto/gate.h>

#include "base/memory.h"

typedef struct release {
    sotto_rng *rng;
    sotto_gate *gate;
} release;

/* A gate whose plan is `event`, `count` times; shut. */
static inline release shut_gate(sotto_adjacency adjacency, sotto_event event,
                                uint64_t count, uint64_t seed)
{
    sotto_error error;
    release at = {.rng = test_rng(seed)};
    sotto_plan *plan = NULL;
    event.count = count;
    assert_ok(sotto_plan_new(adjacency, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    assert_ok(sotto_gate_new(plan, at.rng, &at.gate, &error), &error);
    sotto_plan_free(plan);
    return at;
}

static inline release open_gate(sotto_adjacency adjacency, sotto_event event,
                                uint64_t count, uint64_t seed)
{
    sotto_error error;
    const release at = shut_gate(adjacency, event, count, seed);
    assert_ok(sotto_gate_open(at.gate, &error), &error);
    return at;
}

/* Ends a test whose releases all happened, as often as planned and without sampler error. */
static inline void finish_gate(release at)
{
    sotto_error error;
    assert_ok(sotto_gate_finish(at.gate, &error), &error);
    assert_true(sotto_gate_sampler_error_upper(at.gate) == 0.0);
    sotto_gate_free(at.gate);
    sotto_rng_free(at.rng);
}

static inline void free_gate(release at)
{
    sotto_gate_free(at.gate);
    sotto_rng_free(at.rng);
}

/* A JSON integer or a decimal string. */
static inline double json_decimal(const json_t *value)
{
    if (json_is_number(value)) return json_number_value(value);
    assert_true(json_is_string(value));
    return strtod(json_string_value(value), NULL);
}

#endif
