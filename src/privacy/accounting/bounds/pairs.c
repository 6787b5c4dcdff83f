#include "privacy/accounting/bounds/pairs.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/roots.h"

static double count_of(const sot_priced *priced, const sotto_event *event)
{
    return (double)(event->count == 0 ? priced->steps : event->count);
}

/* The exact epsilon of one repetition of an event. */
static sotto_status price_once(const sot_priced *priced, const sotto_event *event,
                               double delta, double *out_epsilon, sotto_error *error)
{
    sotto_plan *plan = NULL;
    sot_composition *composition = NULL;
    sotto_event once = *event;
    once.count = 1;
    sotto_status status =
        sotto_plan_new(sotto_plan_adjacency(priced->plan), &plan, error);
    if (status == SOTTO_OK) status = sotto_plan_add(plan, &once, error);
    if (status == SOTTO_OK) {
        status =
            sot_composition_new(plan, priced->noise_multiplier, 1, &composition, error);
    }
    if (status == SOTTO_OK) {
        const sot_priced alone = {plan, composition, priced->noise_multiplier, 1};
        sotto_account account = {.order = SOTTO_UNSET};
        status = sot_exact_epsilon(&alone, delta, &account, error);
        *out_epsilon = account.epsilon;
    }
    sot_composition_free(composition);
    sotto_plan_free(plan);
    return status;
}

/* Fills the pairs that need no share. The others keep a NaN epsilon; they are counted. */
static sotto_status fill_own(const sot_priced *priced, sot_pairs *pairs,
                             double *out_own_deltas, double *out_sharers,
                             sotto_error *error)
{
    *out_own_deltas = 0.0;
    *out_sharers = 0.0;
    for (size_t i = 0; i < pairs->count; i++) {
        const sotto_event *event = sotto_plan_event(priced->plan, i);
        sot_pair *pair = &pairs->pair[i];
        const bool is_whole = event->sampling == SOTTO_NOT_SAMPLED;
        *pair = (sot_pair){.epsilon = SOTTO_UNSET, .count = count_of(priced, event)};
        pairs->is_stated =
            pairs->is_stated && is_whole &&
            (event->mechanism == SOTTO_PURE || event->mechanism == SOTTO_APPROXIMATE);
        if (event->mechanism == SOTTO_APPROXIMATE) { /* amplified, if it is sampled */
            pair->epsilon = sot_event_epsilon(event, priced->noise_multiplier);
            pair->delta = sot_event_delta(event);
            *out_own_deltas =
                sot_add_up(*out_own_deltas, sot_mul_up(pair->count, pair->delta));
            continue;
        }
        sotto_error refusal;
        const sotto_status status =
            price_once(priced, event, 0.0, &pair->epsilon, &refusal);
        if (status == SOTTO_UNREACHABLE) { /* private at a delta above 0 only */
            pair->epsilon = SOTTO_UNSET;
            *out_sharers += pair->count;
        } else if (status != SOTTO_OK) {
            return sot_fail(error, status, "%s", refusal.message);
        }
    }
    return SOTTO_OK;
}

static sotto_status fill_shares(const sot_priced *priced, double share, sot_pairs *pairs,
                                sotto_error *error)
{
    for (size_t i = 0; i < pairs->count; i++) {
        sot_pair *pair = &pairs->pair[i];
        if (!isnan(pair->epsilon)) continue;
        pair->delta = share;
        const sotto_status status = price_once(priced, sotto_plan_event(priced->plan, i),
                                               share, &pair->epsilon, error);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

sotto_status sot_pairs_new(const sot_priced *priced, double delta, sot_pairs **out_pairs,
                           sotto_error *error)
{
    double own_deltas;
    double sharers;
    const size_t size = sotto_plan_size(priced->plan);
    sot_pairs *pairs = sot_new_array(1, sizeof *pairs);
    if (pairs == NULL) return sot_fail_memory(error, 1, sizeof *pairs);
    pairs->count = size;
    pairs->is_stated = true;
    sotto_status status = SOTTO_OK;
    pairs->pair = sot_new_array(size, sizeof *pairs->pair);
    if (pairs->pair == NULL) {
        status = sot_fail_memory(error, size, sizeof *pairs->pair);
        goto done;
    }
    status = fill_own(priced, pairs, &own_deltas, &sharers, error);
    if (status != SOTTO_OK) goto done;
    const double left = sot_sub_down(delta, own_deltas);
    pairs->is_shared = sharers > 0.0;
    if (pairs->is_shared && !(left > 0.0)) {
        status = sot_fail(error, SOTTO_UNREACHABLE,
                          "`delta` is %g, which leaves nothing after the events' own "
                          "deltas, which sum to %g; give a larger `delta`",
                          delta, own_deltas);
        goto done;
    }
    pairs->slack = pairs->is_shared ? 0.5 * left : left;
    if (pairs->is_shared)
        status = fill_shares(priced, sot_div_down(0.5 * left, sharers), pairs, error);
done:
    if (status == SOTTO_OK) {
        *out_pairs = pairs;
    } else {
        sot_pairs_free(pairs);
    }
    return status;
}

void sot_pairs_free(sot_pairs *pairs)
{
    if (pairs == NULL) return;
    sot_free(pairs->pair);
    sot_free(pairs);
}

sotto_status sot_pairs_compile(const sot_pairs *pairs, sotto_adjacency adjacency,
                               sotto_plan **out_plan, sot_composition **out_composition,
                               sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_status status = sotto_plan_new(adjacency, &plan, error);
    for (size_t i = 0; i < pairs->count && status == SOTTO_OK; i++) {
        sotto_event event = sotto_event_defaults();
        event.mechanism = SOTTO_APPROXIMATE;
        event.epsilon = pairs->pair[i].epsilon;
        event.delta = pairs->pair[i].delta;
        event.count = (uint64_t)pairs->pair[i].count;
        status = sotto_plan_add(plan, &event, error);
    }
    if (status == SOTTO_OK)
        status = sot_composition_new(plan, SOTTO_UNSET, 0, out_composition, error);
    if (status != SOTTO_OK) {
        sotto_plan_free(plan);
        return status;
    }
    *out_plan = plan;
    return SOTTO_OK;
}

/* ---- delta at epsilon ---- */

typedef struct inverse {
    sot_price_epsilon rule;
    const sot_priced *priced;
    double epsilon;
    sotto_status status; /* the first failure that is not "out of reach" */
    sotto_error *error;
} inverse;

static double epsilon_excess(double log_delta, void *context)
{
    inverse *asked = context;
    sotto_account account = {.order = SOTTO_UNSET};
    sotto_error refusal;
    const sotto_status status =
        asked->rule(asked->priced, exp(log_delta), &account, &refusal);
    if (status == SOTTO_OK) return account.epsilon - asked->epsilon;
    if (status != SOTTO_UNREACHABLE && asked->status == SOTTO_OK) {
        asked->status = sot_fail(asked->error, status, "%s", refusal.message);
    }
    return HUGE_VAL;
}

static bool holds_at_zero(inverse *asked)
{
    return epsilon_excess(-HUGE_VAL, asked) <= 0.0;
}

sotto_status sot_delta_by_search(sot_price_epsilon rule, const sot_priced *priced,
                                 double epsilon, sotto_account *out, sotto_error *error)
{
    inverse asked = {rule, priced, epsilon, SOTTO_OK, error};
    *out = (sotto_account){.epsilon = epsilon,
                           .epsilon_lower = SOTTO_UNSET,
                           .delta = 1.0,
                           .delta_lower = SOTTO_UNSET,
                           .order = SOTTO_UNSET};
    const bool holds = holds_at_zero(&asked);
    if (asked.status != SOTTO_OK) return asked.status;
    if (holds) {
        out->delta = 0.0;
        return SOTTO_OK;
    }
    double lower = -690.0;
    double upper = log(1.0 - 1e-12);
    const bool is_out_of_reach = epsilon_excess(upper, &asked) > 0.0;
    if (asked.status != SOTTO_OK || is_out_of_reach) return asked.status;
    if (epsilon_excess(lower, &asked) <= 0.0) upper = lower;
    if (upper > lower) {
        (void)sot_find_root(epsilon_excess, &asked, &lower, &upper, 1e-12, 0.0, 250);
    }
    /* The rule was evaluated at exp(upper) and held; a larger delta holds too. */
    out->delta = fmin(1.0, sot_exp_up(upper));
    return asked.status;
}
