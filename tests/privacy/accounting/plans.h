/* tests/privacy/accounting/plans.h: short ways to say a plan. */
#ifndef SOTTO_TESTS_PLANS_H
#define SOTTO_TESTS_PLANS_H

#include "support.h"

#include <sotto/accountant.h>

static inline sotto_event plans_event(sotto_mechanism mechanism)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = mechanism;
    return event;
}

static inline sotto_event gaussian(double noise_multiplier, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_GAUSSIAN);
    event.noise_multiplier = noise_multiplier;
    event.count = count;
    return event;
}

static inline sotto_event sampled(double rate, double noise_multiplier, uint64_t count)
{
    sotto_event event = gaussian(noise_multiplier, count);
    event.sampling = SOTTO_POISSON;
    event.rate = rate;
    return event;
}

static inline sotto_event pure(double epsilon, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_PURE);
    event.epsilon = epsilon;
    event.count = count;
    return event;
}

static inline sotto_event approximate(double epsilon, double delta, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_APPROXIMATE);
    event.epsilon = epsilon;
    event.delta = delta;
    event.count = count;
    return event;
}

static inline sotto_event gdp(double mu, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_GDP);
    event.mu = mu;
    event.count = count;
    return event;
}

static inline sotto_event zcdp(double rho, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_ZCDP);
    event.rho = rho;
    event.count = count;
    return event;
}

/* A plan of the events given: plan_of(gaussian(2.0, 1), pure(0.1, 3)). Free it. */
#define plan_of(...) plan_under(SOTTO_ADD_REMOVE, __VA_ARGS__)
#define plan_under(adjacency, ...)                                                       \
    plans_make_under((adjacency), (const sotto_event[]){__VA_ARGS__},                    \
                     sizeof((const sotto_event[]){__VA_ARGS__}) / sizeof(sotto_event))

static inline sotto_plan *plans_make_under(sotto_adjacency adjacency,
                                           const sotto_event *events, size_t count)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    assert_ok(sotto_plan_new(adjacency, &plan, &error), &error);
    for (size_t i = 0; i < count; i++)
        assert_ok(sotto_plan_add(plan, &events[i], &error), &error);
    return plan;
}

static inline sotto_plan *plans_make(const sotto_event *events, size_t count)
{
    return plans_make_under(SOTTO_ADD_REMOVE, events, count);
}

/* The account of a plan, which is freed; the call must succeed. */
static inline sotto_account epsilon_of(sotto_plan *plan, sotto_accountant accountant,
                                       double delta)
{
    sotto_error error;
    sotto_account account;
    assert_ok(sotto_account_epsilon(plan, accountant, delta, &account, &error), &error);
    sotto_plan_free(plan);
    return account;
}

static inline sotto_account delta_of(sotto_plan *plan, sotto_accountant accountant,
                                     double epsilon)
{
    sotto_error error;
    sotto_account account;
    assert_ok(sotto_account_delta(plan, accountant, epsilon, &account, &error), &error);
    sotto_plan_free(plan);
    return account;
}

#endif
