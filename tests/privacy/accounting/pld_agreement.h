/* tests/privacy/accounting/pld_agreement.h: random plans, priced by exact and by pld.
 *
 * The two share the profiles of single events and nothing else. Both ends of both are bounds of
 * the same number, so for every plan and question
 *     exact's lower end <= pld's upper end  and  pld's lower end <= exact's upper end,
 * and the two upper ends should be close.
 */
#ifndef SOTTO_TESTS_PLD_AGREEMENT_H
#define SOTTO_TESTS_PLD_AGREEMENT_H

#include "privacy/accounting/cross_check.h"

typedef struct agreement {
    int plans;
    int close;     /* pld's epsilon is within a thousandth above exact's */
    int bracketed; /* both of pld's ends are within a hundredth of exact's epsilon */
} agreement;

static inline sotto_event agreement_event(uint64_t *seed, double rate_min, double count_max)
{
    const double kind = cross_uniform(seed);
    if (kind < 0.6) {
        return cross_sampled(seed,
                             (cross_range){.rate_min = rate_min, .count_max = count_max});
    }
    if (kind < 0.7) { /* fewer and larger than cross_other's */
        sotto_event event = sotto_event_defaults();
        event.mechanism = SOTTO_OBJECTIVE_PERTURBATION;
        event.noise_multiplier = cross_between(seed, 0.5, 10.0);
        event.atom = cross_between(seed, 0.01, 2.0);
        return event;
    }
    return cross_other(seed);
}

/* One to three events whose Renyi epsilon at 1e-6 is at most 700. */
static inline sotto_plan *agreement_plan(uint64_t *seed, double rate_min, double count_max)
{
    sotto_error error;
    for (;;) {
        sotto_plan *plan;
        sotto_account account;
        assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
        const double events = 1.0 + 2.5 * cross_uniform(seed) * cross_uniform(seed);
        for (double i = 0.0; i < events - 0.5; i += 1.0) {
            const sotto_event event = agreement_event(seed, rate_min, count_max);
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
    print_error("%s\n", what);
    cross_describe(plan, exact);
    cross_describe(plan, pld);
    fail();
}

/* Epsilon at a delta, then delta at an epsilon near it. */
static inline void agreement_check(uint64_t seed, double rate_min, double count_max,
                                   agreement *sums)
{
    sotto_error error;
    sotto_account exact;
    sotto_account pld;
    sotto_plan *plan = agreement_plan(&seed, rate_min, count_max);
    double delta = cross_between(&seed, 1e-30, 0.05);
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        if (event->mechanism == SOTTO_APPROXIMATE)
            delta += 1.01 * event->delta * (double)event->count;
    }
    assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, delta, &exact, &error), &error);
    assert_ok(sotto_account_epsilon(plan, SOTTO_PLD, delta, &pld, &error), &error);
    agreement_require(pld.epsilon_lower >= 0.0 && pld.epsilon_lower <= pld.epsilon &&
                          isfinite(pld.epsilon),
                      "pld's own ends", plan, &exact, &pld);
    agreement_require(exact.epsilon_lower <= pld.epsilon, "pld's epsilon is too small",
                      plan, &exact, &pld);
    agreement_require(pld.epsilon_lower <= exact.epsilon, "pld's lower end is too large",
                      plan, &exact, &pld);
    sums->plans++;
    if (pld.epsilon <= exact.epsilon * 1.001 + 1e-12) sums->close++;
    if (pld.epsilon <= exact.epsilon * 1.01 + 1e-12 &&
        (pld.epsilon_lower >= exact.epsilon * 0.99 || exact.epsilon_lower == 0.0)) {
        sums->bracketed++;
    }

    const double epsilon = exact.epsilon * cross_between(&seed, 0.5, 1.5);
    assert_ok(sotto_account_delta(plan, SOTTO_EXACT, epsilon, &exact, &error), &error);
    assert_ok(sotto_account_delta(plan, SOTTO_PLD, epsilon, &pld, &error), &error);
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
