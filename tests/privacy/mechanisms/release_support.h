/* tests/privacy/mechanisms/release_support.h: an open gate in one line, noise in another. */
#ifndef SOTTO_TESTS_RELEASE_SUPPORT_H
#define SOTTO_TESTS_RELEASE_SUPPORT_H

#include "support.h"

#include <sotto/gate.h>
#include <sotto/gaussian.h>
#include <sotto/laplace.h>

/* A gate that is open for one event, with all that it needs. */
typedef struct open_gate {
    sotto_rng *rng;
    sotto_plan *plan;
    sotto_gate *gate;
} open_gate;

static inline open_gate open_gate_new(const sotto_event *event, uint64_t count,
                                      sotto_adjacency adjacency, uint64_t seed)
{
    sotto_error error;
    open_gate made = {0};
    sotto_event planned = *event;
    planned.count = count;
    assert_ok(sotto_rng_new_for_test(seed, &made.rng, &error), &error);
    assert_ok(sotto_plan_new(adjacency, &made.plan, &error), &error);
    assert_ok(sotto_plan_add(made.plan, &planned, &error), &error);
    assert_ok(sotto_gate_new(made.plan, made.rng, &made.gate, &error), &error);
    assert_ok(sotto_gate_open(made.gate, &error), &error);
    return made;
}

static inline void open_gate_free(open_gate *made)
{
    sotto_gate_free(made->gate);
    sotto_plan_free(made->plan);
    sotto_rng_free(made->rng);
}

/* The three mechanisms behind one face. `spread` is sigma or the scale. */
typedef enum additive_kind { ROUNDED, DISCRETE, LAPLACE, ADDITIVE_KINDS } additive_kind;

typedef struct additive {
    additive_kind kind;
    double spread;
    double sensitivity;
} additive;

static inline sotto_gaussian_config gaussian_config(const additive *mechanism)
{
    sotto_gaussian_config config = sotto_gaussian_defaults();
    config.l2_sensitivity = mechanism->sensitivity;
    config.sigma = mechanism->spread;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.purpose = "sums";
    return config;
}

static inline sotto_laplace_config laplace_config(const additive *mechanism)
{
    sotto_laplace_config config = sotto_laplace_defaults();
    config.l1_sensitivity = mechanism->sensitivity;
    config.scale = mechanism->spread;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.purpose = "sums";
    return config;
}

static inline sotto_status additive_event(const additive *mechanism, sotto_event *event,
                                          sotto_error *error)
{
    const sotto_gaussian_config gaussian = gaussian_config(mechanism);
    const sotto_laplace_config laplace = laplace_config(mechanism);
    if (mechanism->kind == ROUNDED) return sotto_gaussian_event(&gaussian, event, error);
    if (mechanism->kind == DISCRETE)
        return sotto_discrete_gaussian_event(&gaussian, event, error);
    return sotto_laplace_event(&laplace, event, error);
}

static inline sotto_status additive_release(sotto_gate *gate, const additive *mechanism,
                                            const int64_t *exact, size_t count,
                                            int64_t *out, sotto_error *error)
{
    const sotto_gaussian_config gaussian = gaussian_config(mechanism);
    const sotto_laplace_config laplace = laplace_config(mechanism);
    if (mechanism->kind == ROUNDED)
        return sotto_gaussian_release(gate, &gaussian, exact, count, out, error);
    if (mechanism->kind == DISCRETE)
        return sotto_discrete_gaussian_release(gate, &gaussian, exact, count, out, error);
    return sotto_laplace_release(gate, &laplace, exact, count, out, error);
}

/* `releases` releases of a vector of `width` times the value `exact`, one after the other in
 * `out`. */
static inline void release_many(const additive *mechanism, uint64_t seed, int64_t exact,
                                size_t releases, size_t width, int64_t *out)
{
    sotto_error error;
    sotto_event event;
    assert_ok(additive_event(mechanism, &event, &error), &error);
    open_gate made = open_gate_new(&event, releases, SOTTO_ADD_REMOVE, seed);
    for (size_t i = 0; i < releases * width; i++)
        out[i] = exact;
    for (size_t i = 0; i < releases; i++) {
        assert_ok(additive_release(made.gate, mechanism, out + i * width, width,
                                   out + i * width, &error),
                  &error);
    }
    assert_ok(sotto_gate_finish(made.gate, &error), &error);
    open_gate_free(&made);
}

#endif
