/* tests/privacy/accounting/cross_check.h: random plans, priced twice.
 *
 * The accountant's brackets against loss_pair.h, which shares nothing with it: for every plan
 * and both directions
 *     the reference's lower delta <= the accountant's upper one, and
 *     the accountant's lower delta <= the reference's upper one,
 * at an epsilon asked about and at both ends of the epsilon returned for a delta.
 */
#ifndef SOTTO_TESTS_CROSS_CHECK_H
#define SOTTO_TESTS_CROSS_CHECK_H

#include "privacy/accounting/loss_pair.h"

#include <sotto/accountant.h>

static inline double cross_uniform(uint64_t *seed) /* splitmix64: test points only */
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline double cross_between(uint64_t *seed, double least, double most)
{
    return exp(log(least) + (log(most) - log(least)) * cross_uniform(seed));
}

/* ---- random plans ---- */

typedef struct cross_range {
    double rate_min;
    double count_max;
} cross_range;

static inline sotto_event cross_sampled(uint64_t *seed, cross_range range)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.sampling = SOTTO_POISSON;
    event.rate = cross_uniform(seed) < 0.1 ? cross_between(seed, 0.5, 1.0)
                                           : cross_between(seed, range.rate_min, 0.5);
    event.noise_multiplier = cross_between(seed, 0.3, 30.0);
    event.count = (uint64_t)cross_between(seed, 1.0, range.count_max);
    return event;
}

static inline sotto_event cross_other(uint64_t *seed)
{
    sotto_event event = sotto_event_defaults();
    const double kind = cross_uniform(seed);
    if (kind < 0.3) {
        event.mechanism = SOTTO_PURE;
        event.epsilon = cross_between(seed, 1e-3, 1.0);
        event.count = 1 + (uint64_t)(20.0 * cross_uniform(seed));
    } else if (kind < 0.6) {
        event.mechanism = SOTTO_APPROXIMATE;
        event.epsilon = cross_between(seed, 1e-3, 1.0);
        event.delta = cross_between(seed, 1e-12, 1e-4);
        event.count = 1 + (uint64_t)(10.0 * cross_uniform(seed));
    } else if (kind < 0.8) {
        event.mechanism = SOTTO_GDP;
        event.mu = cross_between(seed, 1e-2, 3.0);
    } else {
        event.mechanism = SOTTO_GAUSSIAN;
        event.noise_multiplier = cross_between(seed, 0.5, 30.0);
        event.count = 1 + (uint64_t)(10.0 * cross_uniform(seed));
    }
    return event;
}

/* One to three sampled events, and in every other plan one or two of another kind. Counts
 * are divided by ten until Renyi's epsilon at 1e-6 is below 40: e^-loss must not underflow. */
static inline sotto_plan *cross_plan(uint64_t *seed, cross_range range)
{
    sotto_error error;
    sotto_event events[5];
    size_t size = 1 + (size_t)(1.4 * cross_uniform(seed) * cross_uniform(seed) * 2.0);
    for (size_t i = 0; i < size; i++)
        events[i] = cross_sampled(seed, range);
    const double others = 4.0 * cross_uniform(seed);
    for (double i = 2.0; i < others; i += 1.0)
        events[size++] = cross_other(seed);
    for (;;) {
        sotto_plan *plan;
        sotto_account account;
        assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
        for (size_t i = 0; i < size; i++)
            assert_ok(sotto_plan_add(plan, &events[i], &error), &error);
        if (sotto_account_epsilon(plan, SOTTO_RDP, 0.01, &account, &error) == SOTTO_OK &&
            account.epsilon < 40.0) {
            return plan;
        }
        sotto_plan_free(plan);
        for (size_t i = 0; i < size; i++) {
            events[i].count = events[i].count < 10 ? 1 : events[i].count / 10;
            if (events[i].mechanism == SOTTO_GAUSSIAN) events[i].noise_multiplier *= 1.5;
        }
    }
}

/* ---- the reference ---- */

static inline loss_pair cross_event_pair(const sotto_event *event, loss_side side,
                                         int remove, size_t buckets)
{
    const double count = (double)event->count;
    if (event->sampling == SOTTO_POISSON) {
        return loss_repeat(
            loss_of_gaussian(side, event->rate, event->noise_multiplier, remove, buckets),
            event->count, buckets);
    }
    if (event->mechanism == SOTTO_GAUSSIAN) {
        const double sigma = event->noise_multiplier / sqrt(count);
        return loss_of_gaussian(side, 1.0, sigma, remove, buckets);
    }
    if (event->mechanism == SOTTO_GDP) {
        const double sigma = 1.0 / (event->mu * sqrt(count));
        return loss_of_gaussian(side, 1.0, sigma, remove, buckets);
    }
    assert_true(event->mechanism == SOTTO_PURE || event->mechanism == SOTTO_APPROXIMATE);
    loss_pair pair =
        loss_repeat(loss_of_pure(side, event->epsilon), event->count, buckets);
    if (event->mechanism == SOTTO_APPROXIMATE) {
        const double failed = -expm1(count * log1p(-event->delta));
        for (size_t i = 0; i < pair.count; i++) {
            pair.p[i] *= 1.0 - failed;
            pair.q[i] *= 1.0 - failed;
        }
        pair.infinite = failed;
    }
    return pair;
}

/* Both directions of a plan's loss, from below and from above. */
typedef struct cross_reference {
    loss_pair pair[2][2]; /* direction, side */
} cross_reference;

static inline cross_reference cross_reference_new(const sotto_plan *plan, size_t buckets)
{
    cross_reference reference;
    for (int remove = 0; remove < 2; remove++) {
        for (int side = 0; side < 2; side++) {
            loss_pair sum = cross_event_pair(sotto_plan_event(plan, 0), (loss_side)side,
                                             remove, buckets);
            for (size_t i = 1; i < sotto_plan_size(plan); i++) {
                loss_pair next = cross_event_pair(sotto_plan_event(plan, i),
                                                  (loss_side)side, remove, buckets);
                loss_add(&sum, &next, buckets);
                loss_pair_free(&next);
            }
            reference.pair[remove][side] = sum;
        }
    }
    return reference;
}

static inline void cross_reference_free(cross_reference *reference)
{
    for (int remove = 0; remove < 2; remove++) {
        for (int side = 0; side < 2; side++)
            loss_pair_free(&reference->pair[remove][side]);
    }
}

static inline double cross_delta(const cross_reference *reference, loss_side side,
                                 double epsilon)
{
    return fmax(loss_delta(&reference->pair[0][side], epsilon),
                loss_delta(&reference->pair[1][side], epsilon));
}

/* ---- the comparison ---- */

typedef struct cross_result {
    int narrow;   /* the reference's own bracket at this delta is within 10 % */
    double width; /* epsilon/epsilon_lower - 1 of the accountant */
    sotto_kernel kernel;
} cross_result;

static inline void cross_describe(const sotto_plan *plan, const sotto_account *account)
{
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        print_error(
            "  %s sigma %.17g rate %.17g epsilon %.17g delta %.17g mu %.17g x %llu\n",
            sotto_mechanism_name(event->mechanism), event->noise_multiplier, event->rate,
            event->epsilon, event->delta, event->mu, (unsigned long long)event->count);
    }
    print_error("  kernel %s: epsilon [%.17g, %.17g], delta [%.17g, %.17g]\n",
                sotto_kernel_name(account->kernel), account->epsilon_lower,
                account->epsilon, account->delta_lower, account->delta);
}

/* small <= large up to the rounding of the reference: relative 1e-9, and 1e-13 of the whole
 * mass, which is what differences of P and e^epsilon Q masses can lose. */
static inline void cross_require(double small, double large, const char *what,
                                 const sotto_plan *plan, const sotto_account *account)
{
    if (small <= large * (1.0 + 1e-9) + 1e-13) return;
    print_error("%s: %.17g is above %.17g\n", what, small, large);
    cross_describe(plan, account);
    fail();
}

/* Renyi's and (within a ten-millionth) the basic bound are never below the exact one. */
static inline void cross_other_accountants(const sotto_plan *plan, double delta,
                                           const sotto_account *exact)
{
    sotto_error error;
    sotto_account account;
    assert_ok(sotto_account_epsilon(plan, SOTTO_RDP, delta, &account, &error), &error);
    cross_require(exact->epsilon, account.epsilon * 1.001, "exact against rdp", plan,
                  exact);
    cross_require(exact->epsilon_lower, account.epsilon, "lower end against rdp", plan,
                  exact);
    if (sotto_account_epsilon(plan, SOTTO_BASIC, delta, &account, &error) == SOTTO_OK) {
        cross_require(exact->epsilon_lower, account.epsilon, "lower end against basic",
                      plan, exact);
    }
}

static inline cross_result cross_check_plan(uint64_t seed, cross_range range,
                                            size_t buckets)
{
    sotto_error error;
    sotto_account account;
    cross_result result;
    sotto_plan *plan = cross_plan(&seed, range);
    cross_reference reference = cross_reference_new(plan, buckets);
    double own = 0.0;
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        if (event->mechanism == SOTTO_APPROXIMATE)
            own += event->delta * (double)event->count;
    }
    const double delta = own + cross_between(&seed, 1e-10, 0.05);

    assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, delta, &account, &error), &error);
    assert_true(account.epsilon_lower >= 0.0 && account.epsilon_lower <= account.epsilon);
    cross_require(cross_delta(&reference, LOSS_BELOW, account.epsilon), delta,
                  "reference's lower delta at epsilon", plan, &account);
    if (account.epsilon_lower > 0.0) {
        cross_require(delta, cross_delta(&reference, LOSS_ABOVE, account.epsilon_lower),
                      "delta against the reference's at epsilon_lower", plan, &account);
    }
    cross_other_accountants(plan, delta, &account);
    result.width = account.epsilon == 0.0 ? 0.0
                   : account.epsilon_lower == 0.0
                       ? HUGE_VAL
                       : account.epsilon / account.epsilon_lower - 1.0;
    result.kernel = account.kernel;

    const double epsilon = account.epsilon * cross_between(&seed, 0.5, 1.5);
    const double below = cross_delta(&reference, LOSS_BELOW, epsilon);
    const double above = cross_delta(&reference, LOSS_ABOVE, epsilon);
    assert_ok(sotto_account_delta(plan, SOTTO_EXACT, epsilon, &account, &error), &error);
    assert_true(account.delta_lower >= 0.0 && account.delta_lower <= account.delta &&
                account.delta <= 1.0);
    cross_require(below, account.delta, "reference's lower delta", plan, &account);
    cross_require(account.delta_lower, above, "lower delta", plan, &account);
    result.narrow = above <= 1.1 * below;

    cross_reference_free(&reference);
    sotto_plan_free(plan);
    return result;
}

#endif
