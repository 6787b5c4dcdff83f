/* tests/privacy/accounting/pld_agreement.h: random plans, priced by exact and by pld.
 *
 * The two share the profiles of single events and nothing else. Both ends of both are bounds of
 * the same number, so for every plan and question
 *     exact's lower end <= pld's upper end  and  pld's lower end <= exact's upper end,
 * and the two upper ends should be close. Where an event's own pair is better than the one it is
 * priced by (batches of fixed size, sampled pure events), the public answers have 0 for a lower end,
 * which no upper end contradicts; the kernels' own brackets, of the composed pairs, are compared
 * then. Events of bounded range are the exception: exact has bounds for them that are below the pair's.
 */
#ifndef SOTTO_TESTS_PLD_AGREEMENT_H
#define SOTTO_TESTS_PLD_AGREEMENT_H

#include "privacy/accounting/accountants.h"
#include "privacy/accounting/cross_check.h"

typedef struct agreement {
    int plans;
    int close;     /* pld's epsilon is within a thousandth above exact's */
    int bracketed; /* both of pld's ends are within a hundredth of exact's epsilon */
    int pairs;     /* compared by the composed pairs themselves, lower ends above 0 */
} agreement;

/* True when both accountants bound the same composed pairs, and nothing else. */
static inline int agreement_is_of_pairs(const sotto_plan *plan)
{
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_mechanism mechanism = sotto_plan_event(plan, i)->mechanism;
        if (mechanism == SOTTO_EXPONENTIAL || mechanism == SOTTO_OBJECTIVE_PERTURBATION)
            return 0;
    }
    return 1;
}

/* Epsilon at `target` (or, with `asks_delta`, delta at it) by exact and by pld. */
static inline void agreement_ask(const sotto_plan *plan, int asks_delta, double target,
                                 sotto_account *exact, sotto_account *pld)
{
    sotto_error error;
    if (!agreement_is_of_pairs(plan)) {
        sotto_status (*const ask)(const sotto_plan *, sotto_accountant, double,
                                  sotto_account *, sotto_error *) =
            asks_delta ? sotto_account_delta : sotto_account_epsilon;
        assert_ok(ask(plan, SOTTO_EXACT, target, exact, &error), &error);
        assert_ok(ask(plan, SOTTO_PLD, target, pld, &error), &error);
        return;
    }
    sot_composition *composition;
    assert_ok(sot_composition_new(plan, SOTTO_UNSET, 0, &composition, &error), &error);
    const sot_priced priced = {plan, composition, SOTTO_UNSET, 0};
    assert_ok((asks_delta ? sot_exact_delta : sot_exact_epsilon)(&priced, target, exact,
                                                                 &error),
              &error);
    assert_ok(
        (asks_delta ? sot_pld_delta : sot_pld_epsilon)(&priced, target, pld, &error),
        &error);
    exact->accountant = SOTTO_EXACT;
    pld->accountant = SOTTO_PLD;
    sot_composition_free(composition);
}

/* Events with laws of their own; batches of fixed size and k-ary response need replace-one. */
static inline sotto_event agreement_other(uint64_t *seed, int is_replaced,
                                          double count_max)
{
    const double kind = cross_uniform(seed);
    sotto_event event = sotto_event_defaults();
    event.count = (uint64_t)cross_between(seed, 1.0, fmax(2.0, 0.1 * count_max));
    if (kind < 0.25) {
        event.mechanism = SOTTO_LAPLACE;
        event.noise_multiplier = cross_between(seed, 0.5, 50.0);
    } else if (kind < 0.4) {
        event.mechanism = SOTTO_DISCRETE_LAPLACE;
        event.sensitivity = floor(cross_between(seed, 1.0, 30.0));
        event.scale = event.sensitivity * cross_between(seed, 0.5, 50.0);
    } else if (kind < 0.55) {
        event.mechanism = SOTTO_DISCRETE_GAUSSIAN;
        event.sensitivity = floor(cross_between(seed, 1.0, 10.0));
        event.scale = event.sensitivity * cross_between(seed, 0.5, 20.0);
    } else if (kind < 0.65) {
        event.mechanism = SOTTO_EXPONENTIAL;
        event.epsilon = cross_between(seed, 1e-2, 2.0);
    } else if (kind < 0.75) {
        event.mechanism = SOTTO_OBJECTIVE_PERTURBATION;
        event.noise_multiplier = cross_between(seed, 0.5, 10.0);
        event.atom = cross_between(seed, 0.01, 2.0);
        if (cross_uniform(seed) < 0.5) {
            event.shift = cross_between(seed, 0.01, 1.0);
            event.vertices = (uint32_t)cross_between(seed, 1.0, 50.0);
        }
        event.count = 1;
    } else if (is_replaced && kind < 0.85) {
        event.mechanism = SOTTO_RANDOMIZED_RESPONSE;
        event.epsilon = cross_between(seed, 1e-2, 2.0);
        event.categories = 2 + (uint32_t)(8.0 * cross_uniform(seed));
    } else if (is_replaced) {
        event.mechanism = SOTTO_GAUSSIAN;
        event.noise_multiplier = cross_between(seed, 0.4, 20.0);
        event.sampling = SOTTO_WITHOUT_REPLACEMENT;
        event.population = (uint64_t)cross_between(seed, 10.0, 1e5);
        event.batch = 1 + (uint64_t)((double)(event.population - 1) *
                                     cross_uniform(seed) * cross_uniform(seed));
        event.count *= 10;
    } else {
        event = cross_other(seed);
    }
    return event;
}

/* One to three events whose Renyi epsilon at 0.01 is below 700; every third plan is of replace-one. */
static inline sotto_plan *agreement_plan(uint64_t *seed, double rate_min,
                                         double count_max)
{
    sotto_error error;
    for (;;) {
        sotto_plan *plan;
        sotto_account account;
        const int is_replaced = cross_uniform(seed) < 0.3;
        assert_ok(sotto_plan_new(is_replaced ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE,
                                 &plan, &error),
                  &error);
        const double events = 1.0 + 2.5 * cross_uniform(seed) * cross_uniform(seed);
        for (double i = 0.0; i < events - 0.5; i += 1.0) {
            const cross_range range = {.rate_min = rate_min, .count_max = count_max};
            const sotto_event event = cross_uniform(seed) < 0.5
                                          ? cross_sampled(seed, range)
                                          : agreement_other(seed, is_replaced, count_max);
            assert_ok(sotto_plan_add(plan, &event, &error), &error);
        }
        if (sotto_account_epsilon(plan, SOTTO_RDP, 0.01, &account, &error) == SOTTO_OK &&
            account.epsilon < 700.0) {
            return plan;
        }
        sotto_plan_free(plan);
    }
}

static inline void agreement_require(int holds, const char *what, const sotto_plan *plan,
                                     const sotto_account *exact, const sotto_account *pld)
{
    if (holds) return;
    char *json = NULL;
    print_error("%s\n", what);
    if (sotto_plan_to_json(plan, &json, NULL) == SOTTO_OK) print_error("%s\n", json);
    sotto_free(json);
    cross_describe(plan, exact);
    cross_describe(plan, pld);
    fail();
}

/* Epsilon at a delta, then delta at an epsilon near it. */
static inline void agreement_check(uint64_t seed, double rate_min, double count_max,
                                   agreement *sums)
{
    sotto_account exact;
    sotto_account pld;
    sotto_plan *plan = agreement_plan(&seed, rate_min, count_max);
    double delta = cross_between(&seed, 1e-30, 0.05);
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        if (event->mechanism == SOTTO_APPROXIMATE)
            delta += 1.01 * event->delta * (double)event->count;
    }
    agreement_ask(plan, 0, delta, &exact, &pld);
    if (agreement_is_of_pairs(plan) && pld.epsilon_lower > 0.0) sums->pairs++;
    agreement_require(pld.epsilon_lower >= 0.0 && pld.epsilon_lower <= pld.epsilon &&
                          isfinite(pld.epsilon),
                      "pld's own ends", plan, &exact, &pld);
    agreement_require(exact.epsilon_lower <= pld.epsilon, "pld's epsilon is too small",
                      plan, &exact, &pld);
    agreement_require(pld.epsilon_lower <= exact.epsilon, "pld's lower end is too large",
                      plan, &exact, &pld);
    sums->plans++;
    const int is_close = pld.epsilon <= exact.epsilon * 1.001 + 1e-12;
    const int has_lower = exact.epsilon_lower > 0.0;
    if (is_close) sums->close++;
    if (pld.epsilon <= exact.epsilon * 1.01 + 1e-12 &&
        (pld.epsilon_lower >= exact.epsilon * 0.99 || !has_lower)) {
        sums->bracketed++;
    }

    const double epsilon = exact.epsilon * cross_between(&seed, 0.5, 1.5);
    agreement_ask(plan, 1, epsilon, &exact, &pld);
    agreement_require(pld.delta_lower >= 0.0 && pld.delta_lower <= pld.delta &&
                          pld.delta <= 1.0,
                      "pld's own ends of delta", plan, &exact, &pld);
    agreement_require(exact.delta_lower <= pld.delta, "pld's delta is too small", plan,
                      &exact, &pld);
    agreement_require(pld.delta_lower <= exact.delta, "pld's lower delta is too large",
                      plan, &exact, &pld);
    sotto_plan_free(plan);
}

#endif
