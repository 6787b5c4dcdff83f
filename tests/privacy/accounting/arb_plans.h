/* tests/privacy/accounting/arb_plans.h: random plans that the oracle can price.
 *
 * Covered     every mechanism, every sampling, both adjacencies, alone and with each other:
 *               lattices and boxes (pure, approximate, permute-and-flip, randomized response, Laplace,
 *                 discrete Laplace, discrete Gaussian, exponential; also sampled): one to three events
 *                 of 1 to 40 releases
 *               Poisson-sampled Gaussians, rate 1e-3 to 0.9, noise 0.4 to 20, 4 to 1e5 steps, alone or
 *                 with one or two events of any kind
 *               Gaussian and GDP events with events of any kind, batches of fixed size of 1 to 3000
 *                 steps and objective perturbation among them
 *               31 to 330 batches of fixed size alone
 *               corners: Poisson-sampled Gaussians, rate 1e-7 to 0.01, 1000 to 1e7 steps
 *               one release of everything
 *             delta from 1e-12 to 0.05, of corners from 1e-25. Left out, and replaced by another plan, are those whose
 *             contour takes more than the work limit or is not good to 1e-8: few steps at small
 *             rates, mostly.
 */
#ifndef SOTTO_TESTS_ARB_PLANS_H
#define SOTTO_TESTS_ARB_PLANS_H

#include "privacy/accounting/arb_parts.h"
#include "privacy/accounting/cross_check.h"

typedef enum plan_family {
    FAMILY_LATTICE,
    FAMILY_SAMPLED,
    FAMILY_GAUSSIAN,
    FAMILY_SINGLE,
    FAMILY_BATCH,
    FAMILY_CORNER,
    FAMILIES
} plan_family;

static inline uint64_t random_count(uint64_t *seed, double most)
{
    return (uint64_t)cross_between(seed, 1.0, most + 0.999);
}

/* What has an epsilon of its own may be sampled: by coins under add-remove, in batches under
 * replace-one. */
static inline void sample_stated(uint64_t *seed, int is_replaced, sotto_event *event)
{
    if (!is_replaced) {
        event->sampling = SOTTO_POISSON;
        event->rate = cross_between(seed, 1e-3, 1.0);
    } else if (cross_uniform(seed) < 0.5) {
        event->sampling = SOTTO_WITHOUT_REPLACEMENT;
        event->population = random_count(seed, 1e4);
        event->batch =
            1 + (uint64_t)((double)(event->population - 1) * cross_uniform(seed));
    } else {
        event->sampling = SOTTO_SINGLE_RECORD;
        event->population = random_count(seed, 100.0);
    }
}

/* Events whose loss is on a lattice or a box. */
static inline sotto_event random_lattice(uint64_t *seed, int is_replaced,
                                         double count_max)
{
    static const sotto_mechanism kinds[] = {SOTTO_PURE,
                                            SOTTO_APPROXIMATE,
                                            SOTTO_PERMUTE_AND_FLIP,
                                            SOTTO_EXPONENTIAL,
                                            SOTTO_RANDOMIZED_RESPONSE,
                                            SOTTO_LAPLACE,
                                            SOTTO_DISCRETE_LAPLACE,
                                            SOTTO_DISCRETE_GAUSSIAN};
    sotto_event event = sotto_event_defaults();
    event.mechanism = kinds[(size_t)(8.0 * cross_uniform(seed))];
    event.count = random_count(seed, count_max);
    const double loss = cross_between(seed, 1e-2, 2.0);
    if (event.mechanism == SOTTO_LAPLACE) {
        event.noise_multiplier = 1.0 / loss;
    } else if (event.mechanism == SOTTO_DISCRETE_LAPLACE) {
        event.sensitivity = (double)random_count(seed, 12.0);
        event.scale = event.sensitivity / loss;
    } else if (event.mechanism == SOTTO_DISCRETE_GAUSSIAN) {
        event.sensitivity = (double)random_count(seed, 4.0);
        event.scale = event.sensitivity * cross_between(seed, 0.7, 6.0);
        event.count = random_count(seed, fmin(count_max, 6.0));
        return event; /* no theorem for a sampled one */
    } else {
        event.epsilon = loss;
        if (event.mechanism == SOTTO_APPROXIMATE)
            event.delta = cross_between(seed, 1e-12, 1e-4);
        if (event.mechanism == SOTTO_RANDOMIZED_RESPONSE)
            event.categories = 2 + (uint32_t)(8.0 * cross_uniform(seed));
    }
    if (cross_uniform(seed) < 0.3) sample_stated(seed, is_replaced, &event);
    return event;
}

static inline sotto_event random_line(uint64_t *seed, double count_max)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = cross_between(seed, 0.4, 20.0);
    event.count = (uint64_t)cross_between(seed, 4.0, count_max);
    event.sampling = SOTTO_POISSON;
    event.rate = cross_between(seed, 1e-3, 0.9);
    return event;
}

/* Most with 30 sampled steps or more in the mean: else no step reads the record with a probability that the contour
 * feels far out. */
static inline sotto_event random_corner(uint64_t *seed, double count_max)
{
    sotto_event event = random_line(seed, 5.0);
    const double most = 100.0 * count_max;
    event.rate = cross_between(seed, 1e-7, 1e-2);
    event.noise_multiplier = cross_between(seed, 0.4, 20.0);
    event.count = (uint64_t)cross_between(
        seed, fmin(fmax(1e3, 30.0 / event.rate), 0.5 * most), most);
    return event;
}

/* Batches of fixed size, or one record. */
static inline sotto_event random_batch(uint64_t *seed, double count_max)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = cross_between(seed, 0.5, 20.0);
    event.count = random_count(seed, count_max);
    event.sampling =
        cross_uniform(seed) < 0.7 ? SOTTO_WITHOUT_REPLACEMENT : SOTTO_SINGLE_RECORD;
    event.population = 2 + random_count(seed, 300.0);
    if (event.sampling == SOTTO_WITHOUT_REPLACEMENT)
        event.batch = random_count(seed, (double)event.population);
    return event;
}

static inline sotto_event random_gaussian(uint64_t *seed)
{
    sotto_event event = sotto_event_defaults();
    const double kind = cross_uniform(seed);
    event.count = random_count(seed, 20.0);
    if (kind < 0.4) {
        event.mechanism = SOTTO_GAUSSIAN;
        event.noise_multiplier = cross_between(seed, 0.7, 10.0);
    } else if (kind < 0.8) {
        event.mechanism = SOTTO_GDP;
        event.mu = cross_between(seed, 0.1, 1.5);
    } else if (kind < 0.9) {
        event.mechanism = SOTTO_ZCDP;
        event.rho = cross_between(seed, 1e-2, 0.5);
    } else {
        static const double orders[] = {1.25, 1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 40.0, 100.0};
        static double values[9]; /* the plan copies them */
        const double square = cross_between(seed, 1e-3, 0.3);
        for (int i = 0; i < 9; i++)
            values[i] = 0.5 * square * orders[i];
        event.mechanism = SOTTO_RDP_CURVE;
        event.curve_size = 9;
        event.curve_orders = orders;
        event.curve_values = values;
    }
    return event;
}

static inline sotto_event random_objective(uint64_t *seed)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_OBJECTIVE_PERTURBATION;
    event.noise_multiplier = cross_between(seed, 0.7, 10.0);
    event.atom = cross_between(seed, 0.01, 2.0);
    return event;
}

/* Anything that may stand beside something smooth. */
static inline sotto_event random_companion(uint64_t *seed, int is_replaced)
{
    const double kind = cross_uniform(seed);
    if (kind < 0.45) return random_lattice(seed, is_replaced, 10.0);
    if (kind < 0.6) return random_gaussian(seed);
    if (kind < 0.75) return random_objective(seed);
    if (is_replaced && kind < 0.9) return random_batch(seed, 300.0);
    return random_line(seed, 100.0);
}

static inline size_t random_events(uint64_t *seed, plan_family family, int is_replaced,
                                   double count_max, sotto_event *events)
{
    size_t size = 1;
    const double kind = cross_uniform(seed);
    const double more = cross_uniform(seed);
    if (family == FAMILY_LATTICE) {
        size = more < 0.5 ? 1 : more < 0.85 ? 2 : 3;
        for (size_t i = 0; i < size; i++)
            events[i] = random_lattice(seed, is_replaced, size == 1 ? 40.0 : 6.0);
        return size;
    }
    if (family == FAMILY_SINGLE) {
        events[0] = kind < 0.4                  ? random_line(seed, 11.0)
                    : kind < 0.6 && is_replaced ? random_batch(seed, 1.0)
                    : kind < 0.8                ? random_objective(seed)
                                                : random_gaussian(seed);
        events[0].count = 1;
        return 1;
    }
    if (family == FAMILY_BATCH && is_replaced) {
        events[0] = random_batch(seed, 300.0);
        events[0].count += 30;
        return 1;
    }
    if (family == FAMILY_CORNER) {
        events[0] = random_corner(seed, count_max);
        return 1;
    }
    if (family == FAMILY_SAMPLED || family == FAMILY_BATCH) {
        events[0] = random_line(seed, count_max);
    } else {
        events[0] = random_gaussian(seed);
        if (is_replaced && more < 0.6)
            events[size++] = random_batch(seed, 0.03 * count_max);
    }
    const double others = 3.0 * cross_uniform(seed);
    for (double i = 1.0; i < others; i += 1.0)
        events[size++] = random_companion(seed, is_replaced);
    return size;
}

/* Counts are divided by four until Renyi's epsilon at 1e-6 is below 40. */
static inline sotto_plan *random_plan(uint64_t *seed, plan_family family,
                                      double count_max)
{
    sotto_error error;
    sotto_event events[PARTS_MAX];
    const int is_replaced = cross_uniform(seed) < (family == FAMILY_BATCH ? 0.8 : 0.45);
    const sotto_adjacency adjacency = is_replaced ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE;
    const size_t size = random_events(seed, family, is_replaced, count_max, events);
    for (;;) {
        sotto_plan *plan;
        sotto_account account;
        assert_ok(sotto_plan_new(adjacency, &plan, &error), &error);
        for (size_t i = 0; i < size; i++)
            assert_ok(sotto_plan_add(plan, &events[i], &error), &error);
        if (sotto_account_epsilon(plan, SOTTO_RDP, 0.01, &account, &error) == SOTTO_OK &&
            account.epsilon < 40.0) {
            return plan;
        }
        sotto_plan_free(plan);
        for (size_t i = 0; i < size; i++) {
            events[i].count = events[i].count < 4 ? 1 : events[i].count / 4;
            if (events[i].mechanism == SOTTO_GAUSSIAN) events[i].noise_multiplier *= 1.3;
        }
    }
}

#endif
