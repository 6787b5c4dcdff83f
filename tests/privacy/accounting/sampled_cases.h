/* tests/privacy/accounting/sampled_cases.h: random releases on a sample of the records, priced twice.
 *
 * The outcomes of the release on all records, with their masses with and without the record, are written down
 * from its definition. Sampling mixes the masses. loss_pair.h composes the result from below and from above. */
#ifndef SOTTO_TESTS_SAMPLED_CASES_H
#define SOTTO_TESTS_SAMPLED_CASES_H

#include <stdbool.h>

#include "privacy/accounting/cross_check.h"
#include "privacy/accounting/plans.h"

enum { BUCKETS = 1200, BASE_MOST = 600 };

/* ---- the release on all records: outcomes with their masses with (p) and without (q) the record ---- */

typedef struct outcomes {
    size_t count;
    double low[BASE_MOST],
        high[BASE_MOST]; /* losses of the outcomes that it stands for */
    double p[BASE_MOST], q[BASE_MOST];
} outcomes;

static inline void add_outcome(outcomes *all, double p, double q)
{
    assert_true(all->count < BASE_MOST);
    all->low[all->count] = all->high[all->count] = log(p / q);
    all->p[all->count] = p;
    all->q[all->count++] = q;
}

static inline outcomes response(double epsilon)
{
    outcomes all = {0};
    const double yes = 1.0 / (1.0 + exp(-epsilon)), no = 1.0 / (1.0 + exp(epsilon));
    add_outcome(&all, no, yes);
    add_outcome(&all, yes, no);
    return all;
}

/* Noise of density e^{-|x|/b}/(2b) around 1 and 0: the outcomes x < 0, x > 1 and cells between. */
static inline outcomes laplace_noise(double b)
{
    outcomes all = {0};
    const double e = 1.0 / b;
    enum { CELLS = 400 };
    add_outcome(&all, 0.5 * exp(-e), 0.5);
    for (int i = 0; i < CELLS; i++) {
        const double x = (double)i / CELLS, y = (double)(i + 1) / CELLS;
        const double p = 0.5 * exp((x - 1.0) * e) * expm1((y - x) * e);
        const double q = 0.5 * exp(-x * e) * -expm1((x - y) * e);
        all.low[all.count] = (2.0 * x - 1.0) * e;
        all.high[all.count] = (2.0 * y - 1.0) * e;
        all.p[all.count] = p;
        all.q[all.count++] = q;
    }
    add_outcome(&all, 0.5, 0.5 * exp(-e));
    return all;
}

static inline outcomes discrete_laplace_noise(double scale, int steps)
{
    outcomes all = {0};
    const double a = 1.0 / scale, norm = -expm1(-a) / (1.0 + exp(-a));
    const double end = 1.0 / (1.0 + exp(-a)); /* P(x <= 0) */
    add_outcome(&all, end * exp(-a * steps), end);
    for (int x = 1; x < steps; x++)
        add_outcome(&all, norm * exp(-a * (steps - x)), norm * exp(-a * x));
    add_outcome(&all, end, end * exp(-a * steps));
    return all;
}

static inline outcomes discrete_gaussian_noise(double sigma, int steps)
{
    outcomes all = {0};
    const int reach = (int)ceil(9.5 * sigma);
    double norm = 0.0;
    for (int x = -4 * reach; x <= 4 * reach; x++)
        norm += exp(-0.5 * x * x / (sigma * sigma));
    for (int x = -reach; x <= reach + steps; x++) {
        const double far = (double)(x - steps);
        add_outcome(&all, exp(-0.5 * far * far / (sigma * sigma)) / norm,
                    exp(-0.5 * x * x / (sigma * sigma)) / norm);
    }
    return all;
}

/* ---- the sample: one release as a pair of loss_pair.h ---- */

static inline double ratio_of(double rate, double loss)
{
    return log1p(rate * expm1(loss));
}

static inline void put_below(loss_pair *pair, double p, double q)
{
    pair->loss[pair->count] = log(p / q);
    pair->p[pair->count] = p;
    pair->q[pair->count++] = q;
}

/* p and q between two losses: to the ends, so that both stay. */
static inline void put_above(loss_pair *pair, double p, double q, double low, double high)
{
    double upper = 1.0;
    if (high > low) {
        upper = (p - q * exp(low)) / -expm1(low - high);
        upper = fmin(p, fmax(0.0, upper + 1e-15 * p));
        pair->loss[pair->count] = low;
        pair->p[pair->count++] = p - upper;
    } else {
        upper = p;
    }
    pair->loss[pair->count] = high;
    pair->p[pair->count++] = upper;
}

static inline int compare_losses(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* loss_pair.h needs ascending losses. */
static inline void sort_pair(loss_pair *pair)
{
    double rows[3 * (2 * BASE_MOST + 2)][3];
    for (size_t i = 0; i < pair->count; i++) {
        rows[i][0] = pair->loss[i];
        rows[i][1] = pair->p[i];
        rows[i][2] = pair->q[i];
    }
    qsort(rows, pair->count, sizeof rows[0], compare_losses);
    for (size_t i = 0; i < pair->count; i++) {
        pair->loss[i] = rows[i][0];
        pair->p[i] = rows[i][1];
        pair->q[i] = rows[i][2];
    }
}

static inline loss_pair sampled_pair(const outcomes *base, double rate, int remove,
                                     loss_side side)
{
    loss_pair pair = loss_pair_new(side, 3 * BASE_MOST);
    pair.count = 0;
    for (size_t i = 0; i < base->count; i++) {
        const double mixed = (1.0 - rate) * base->q[i] + rate * base->p[i];
        const double p = remove ? mixed : base->q[i], q = remove ? base->q[i] : mixed;
        const double low = ratio_of(rate, base->low[i]);
        const double high = ratio_of(rate, base->high[i]);
        if (side == LOSS_BELOW) {
            put_below(&pair, p, q);
        } else {
            put_above(&pair, p, q, remove ? low : -high, remove ? high : -low);
        }
    }
    sort_pair(&pair);
    return pair;
}

/* ---- the comparison ---- */

typedef struct sampled_case {
    sotto_event event;
    outcomes base;
} sampled_case;

static inline sampled_case random_case(uint64_t *seed)
{
    sampled_case one = {.event = sotto_event_defaults()};
    sotto_event *event = &one.event;
    const double kind = cross_uniform(seed);
    event->sampling = SOTTO_POISSON;
    event->rate = cross_between(seed, 1e-3, 0.9);
    event->count = (uint64_t)cross_between(seed, 1.0, 300.0);
    const double scale = cross_between(seed, 0.4, 12.0);
    const int steps = 1 + (int)(5.0 * cross_uniform(seed));
    if (kind < 0.25) {
        event->mechanism = SOTTO_PURE;
        event->epsilon = 1.0 / scale;
        one.base = response(event->epsilon);
    } else if (kind < 0.5) {
        event->mechanism = SOTTO_LAPLACE;
        event->noise_multiplier = scale;
        one.base = laplace_noise(scale);
    } else if (kind < 0.75) {
        event->mechanism = SOTTO_DISCRETE_LAPLACE;
        event->scale = steps * scale;
        event->sensitivity = steps;
        one.base = discrete_laplace_noise(event->scale, steps);
    } else {
        event->mechanism = SOTTO_DISCRETE_GAUSSIAN;
        event->scale = steps * scale < 25.0 ? steps * scale : 25.0;
        event->sensitivity = steps;
        one.base = discrete_gaussian_noise(event->scale, steps);
    }
    return one;
}

/* Both directions, from below and from above. */
typedef struct sampled_reference {
    loss_pair pair[2][2];
} sampled_reference;

static inline sampled_reference sampled_reference_new(const sampled_case *one)
{
    sampled_reference reference;
    for (int remove = 0; remove < 2; remove++) {
        for (int side = 0; side < 2; side++)
            reference.pair[remove][side] = loss_repeat(
                sampled_pair(&one->base, one->event.rate, remove, (loss_side)side),
                one->event.count, BUCKETS);
    }
    return reference;
}

static inline void sampled_reference_free(sampled_reference *reference)
{
    for (int i = 0; i < 4; i++)
        loss_pair_free(&reference->pair[i / 2][i % 2]);
}

static inline double reference_delta(const sampled_reference *reference, loss_side side,
                                     double epsilon)
{
    return fmax(loss_delta(&reference->pair[0][side], epsilon),
                loss_delta(&reference->pair[1][side], epsilon));
}

/* Both ends of exact and of pld, and the Renyi bound. Returns the largest ratio of the reference's lower delta to
 * the delta that is claimed. */
static inline double check_case(const sampled_case *one, double delta)
{
    static const sotto_accountant both[] = {SOTTO_EXACT, SOTTO_PLD};
    sampled_reference reference = sampled_reference_new(one);
    sotto_plan *plan = plan_of(one->event);
    const bool is_smooth =
        one->event.mechanism == SOTTO_PURE || one->event.mechanism == SOTTO_LAPLACE;
    const double narrow = is_smooth ? 0.995 : 0.8;
    double worst = 0.0;
    for (int i = 0; i < 2; i++) {
        const sotto_account account = epsilon_of(plan_of(one->event), both[i], delta);
        assert_true(account.epsilon_lower <= account.epsilon);
        /* Atoms that are on no grid cost the lower end some per cent. */
        assert_true(account.epsilon_lower >= narrow * account.epsilon - 1e-6);
        const double below = reference_delta(&reference, LOSS_BELOW, account.epsilon);
        worst = fmax(worst, below / delta);
        cross_require(below, delta, "the reference's lower delta at epsilon", plan,
                      &account);
        if (account.epsilon_lower > 0.0)
            cross_require(
                delta, reference_delta(&reference, LOSS_ABOVE, account.epsilon_lower),
                "delta against the reference's at epsilon_lower", plan, &account);
    }
    const sotto_account rdp = epsilon_of(plan_of(one->event), SOTTO_RDP, delta);
    cross_require(reference_delta(&reference, LOSS_BELOW, rdp.epsilon), delta,
                  "the reference's lower delta at Renyi's epsilon", plan, &rdp);
    sotto_plan_free(plan);
    sampled_reference_free(&reference);
    return worst;
}

#endif
