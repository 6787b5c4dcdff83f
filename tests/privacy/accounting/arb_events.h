/* tests/privacy/accounting/arb_events.h: the law of each event of a plan (arb_parts.h). */
#ifndef SOTTO_TESTS_ARB_EVENTS_H
#define SOTTO_TESTS_ARB_EVENTS_H

#include "privacy/accounting/arb_parts.h"

static inline void event_rate(arb_t rate, const sotto_event *event)
{
    arb_one(rate);
    if (event->sampling == SOTTO_POISSON) arb_set_d(rate, event->rate);
    if (event->sampling == SOTTO_WITHOUT_REPLACEMENT)
        ratio_of(rate, (double)event->batch, (double)event->population);
    if (event->sampling == SOTTO_SINGLE_RECORD)
        ratio_of(rate, 1.0, (double)event->population);
}

static inline void add_gaussian_event(parts *all, const sotto_event *event,
                                      const arb_t rate, int is_replaced, int is_added)
{
    const double sigma = event->noise_multiplier;
    const int is_poisson = event->sampling == SOTTO_POISSON;
    if (arb_is_one(rate)) {
        add_gaussian_part(all, is_poisson && is_replaced ? 2.0 : 1.0, sigma,
                          event->count);
        return;
    }
    const part_kind kind = !is_poisson   ? PART_FIXED
                           : is_replaced ? PART_REPLACED
                           : is_added    ? PART_ADD
                                         : PART_REMOVE;
    add_line_part(all, kind, rate, sigma, event->count);
}

/* What is known by nothing but its epsilon, and the delta with which it fails. Sampled, it fails with q
 * delta: this is no less than the sampled pair of (epsilon, delta), by delta^2 at most. */
static inline void add_stated_event(parts *all, const sotto_event *event,
                                    const arb_t rate)
{
    arb_t epsilon, delta;
    arb_init(epsilon);
    arb_init(delta);
    arb_set_d(epsilon, event->epsilon);
    add_pure_part(all, epsilon, event->count);
    if (event->mechanism == SOTTO_APPROXIMATE) {
        arb_set_d(delta, event->delta);
        arb_mul(delta, delta, rate, ATOMS_PREC);
        arb_sub_ui(delta, delta, 1, ATOMS_PREC);
        arb_neg(delta, delta);
        arb_pow_ui(delta, delta, (ulong)event->count, ATOMS_PREC);
        arb_mul(all->survives, all->survives, delta, ATOMS_PREC);
    }
    arb_clear(epsilon);
    arb_clear(delta);
}

/* The largest mu^2 with alpha mu^2/2 <= value at every order alpha of a curve. */
static inline void curve_square(arb_t square, const sotto_event *event)
{
    arb_t here;
    arb_init(here);
    for (uint32_t i = 0; i < event->curve_size; i++) {
        ratio_of(here, 2.0 * event->curve_values[i], event->curve_orders[i]);
        if (i == 0)
            arb_set(square, here);
        else
            arb_min(square, square, here, ATOMS_PREC);
    }
    arb_clear(here);
}

/* Adds the law of one event. `is_added`: the direction in which a record is added; it matters
 * to coins under add-remove only. zCDP and curves stand for a Gaussian whose divergences they
 * bound, which is one of the releases such an event may be; with range_as_pair the exponential
 * mechanism stands for one of its pairs, else for the pair that dominates them all. */
static inline void add_event_part(parts *all, const sotto_event *event,
                                  sotto_adjacency adjacency, int is_added,
                                  int range_as_pair)
{
    const int is_replaced = adjacency == SOTTO_REPLACE_ONE;
    arb_t rate;
    part *one;
    arb_init(rate);
    event_rate(rate, event);
    const part_kind how = event->sampling != SOTTO_POISSON ? PART_FIXED
                          : is_added                       ? PART_ADD
                                                           : PART_REMOVE;
    const int is_sampled = !arb_is_one(rate);
    const size_t before = all->size;
    all->is_directed |= is_sampled && how != PART_FIXED && !is_replaced;
    if (event->mechanism == SOTTO_GAUSSIAN) {
        add_gaussian_event(all, event, rate, is_replaced, is_added);
    } else if (event->mechanism == SOTTO_GDP) {
        add_gaussian_part(all, event->mu, 1.0, event->count);
    } else if (event->mechanism == SOTTO_ZCDP) {
        one = parts_next(all, PART_GAUSSIAN, 1);
        arb_set_d(one->a, event->rho);
        arb_mul_ui(one->a, one->a, 2 * (ulong)event->count, ATOMS_PREC);
    } else if (event->mechanism == SOTTO_RDP_CURVE) {
        one = parts_next(all, PART_GAUSSIAN, 1);
        curve_square(one->a, event);
        arb_mul_ui(one->a, one->a, (ulong)event->count, ATOMS_PREC);
    } else if (event->mechanism == SOTTO_EXPONENTIAL && range_as_pair) {
        add_range_pair(all, event->epsilon, event->count);
    } else if (event->mechanism == SOTTO_OBJECTIVE_PERTURBATION) {
        one = parts_next(all, PART_OBJECTIVE, event->count);
        ratio_of(one->a, 1.0, event->noise_multiplier);
        arb_mul(one->a, one->a, one->a, ATOMS_PREC);
        arb_set_d(one->b, event->atom);
    } else if (event->mechanism == SOTTO_DISCRETE_GAUSSIAN) {
        add_discrete_gaussian_part(all, event->scale, (slong)event->sensitivity,
                                   event->count);
    } else if (event->mechanism == SOTTO_DISCRETE_LAPLACE) {
        add_discrete_laplace_part(all, event->scale, (slong)event->sensitivity,
                                  event->count);
    } else if (event->mechanism == SOTTO_RANDOMIZED_RESPONSE && is_replaced) {
        add_response_part(all, event->epsilon, event->categories, event->count);
    } else if (event->mechanism == SOTTO_LAPLACE ||
               event->mechanism == SOTTO_EXPONENTIAL) {
        one = parts_next(all, PART_BOX, event->count);
        one->has_ends = event->mechanism == SOTTO_LAPLACE;
        if (one->has_ends) {
            ratio_of(one->a, 1.0, event->noise_multiplier);
        } else {
            arb_set_d(one->a, event->epsilon);
        }
    } else {
        add_stated_event(all, event, rate);
    }
    one = &all->list[before];
    if (is_sampled && one->kind == PART_ATOMS) sample_atoms(one, rate, how);
    if (is_sampled && one->kind == PART_BOX) sample_box(one, rate, how);
    arb_clear(rate);
}

static inline void parts_of_plan(parts *all, const sotto_plan *plan, int is_added,
                                 int range_as_pair)
{
    parts_init(all);
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        add_event_part(all, sotto_plan_event(plan, i), sotto_plan_adjacency(plan),
                       is_added, range_as_pair);
    }
}

/* delta of the whole from delta of the finite part, and what was cut off. */
static inline void whole_delta(arb_t delta, const parts *all)
{
    arb_t top;
    arb_init(top);
    arb_add(top, delta, all->missing, ATOMS_PREC);
    arb_union(delta, delta, top, ATOMS_PREC);
    arb_sub_ui(delta, delta, 1, ATOMS_PREC); /* 1 - (1 - delta) survives */
    arb_mul(delta, delta, all->survives, ATOMS_PREC);
    arb_add_ui(delta, delta, 1, ATOMS_PREC);
    arb_clear(top);
}

#endif
