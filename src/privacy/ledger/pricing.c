#include "privacy/ledger/pricing.h"

#include <float.h>

#include "base/error.h"
#include "base/plant.h"
#include "privacy/ledger/amount.h"

static sotto_status check_adjacency(const sot_state *state, const sotto_plan *plan,
                                    sotto_error *error)
{
    const sotto_adjacency adjacency = sotto_plan_adjacency(plan);
    if (adjacency == state->adjacency) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "the plan protects %s neighbours and the ledger of %s keeps an %s budget; "
        "plan with --adjacency %s",
        sotto_adjacency_name(adjacency), state->dataset,
        sotto_adjacency_name(state->adjacency), sotto_adjacency_name(state->adjacency));
}

static bool is_pure(const sotto_event *event)
{
    switch (event->mechanism) {
    case SOTTO_PURE:
    case SOTTO_DISCRETE_LAPLACE:
    case SOTTO_EXPONENTIAL:
    case SOTTO_PERMUTE_AND_FLIP:
    case SOTTO_RANDOMIZED_RESPONSE:
    case SOTTO_LAPLACE:
        return true;
    case SOTTO_APPROXIMATE:
        return event->delta == 0.0;
    case SOTTO_GAUSSIAN:
    case SOTTO_ZCDP:
    case SOTTO_GDP:
    case SOTTO_DISCRETE_GAUSSIAN:
    case SOTTO_OBJECTIVE_PERTURBATION:
    case SOTTO_RDP_CURVE:
    case SOTTO_MECHANISM_UNSET:
        return false;
    }
    return false;
}

static sotto_status price_pure(const sot_state *state, const sotto_plan *plan,
                               double sampler_error, double *out_cost, sotto_error *error)
{
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        if (is_pure(event)) continue;
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "the ledger of %s keeps a pure budget (delta 0), which cannot pay for "
            "the plan's %s event; use pure mechanisms such as discrete-laplace, or "
            "a ledger with a delta",
            state->dataset, sotto_mechanism_name(event->mechanism));
    }
    if (sampler_error > 0.0) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "the ledger of %s keeps a pure budget (delta 0), which cannot pay for "
            "a sampler error of %g; use exact samplers, or a ledger with a delta, for "
            "example 1e-12",
            state->dataset, sampler_error);
    }
    sotto_account account;
    const sotto_status status =
        sotto_account_epsilon(plan, SOTTO_BASIC, 0.0, &account, error);
    if (status == SOTTO_OK) *out_cost = account.epsilon;
    return status;
}

static sotto_status fail_beyond(double cost, double sampler_error, sotto_error *error)
{
    return sot_fail(
        error, SOTTO_BUDGET_EXCEEDED,
        "the plan asks for %g and the samplers for an error of %g, more than any "
        "budget holds; use more noise and exact samplers",
        cost, sampler_error);
}

/* A speck is paid for once and for all, whatever epsilon is granted later; rounded up to a sampler unit it would
 * cost e^epsilon 2^-90, which is all of delta at epsilon 60. */
static bool price_deltas(double own_delta, double sampler_error, sot_price *out_price)
{
    const bool speck = sampler_error > 0.0 && sampler_error <= SOT_SAMPLER_SPECK;
    return sot_amount_up(own_delta, SOT_DELTA_UNIT, &out_price->own) &&
           sot_amount_add(out_price->own, speck ? 1 : 0, &out_price->own) &&
           sot_amount_up(speck ? 0.0 : sampler_error, SOT_SAMPLER_UNIT,
                         &out_price->sampler);
}

sotto_status sot_price_plan(const sot_state *state, const sotto_plan *plan,
                            double sampler_error, sot_price *out_price,
                            sotto_error *error)
{
    double cost = SOTTO_UNSET, own_delta = 0.0;
    sotto_status status = check_adjacency(state, plan, error);
    if (status != SOTTO_OK) return status;
    if (!(sampler_error >= 0.0 && sampler_error < 1.0)) { /* NaN too */
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the sampler error is %g; give a total variation of at least 0 and "
            "below 1",
            sampler_error);
    }
    status =
        sot_state_is_pure(state)
            ? price_pure(state, plan, sampler_error, &cost, error)
            : sotto_account_rdp_with_delta(plan, state->order, &cost, &own_delta, error);
    if (status != SOTTO_OK) return status;
    /* Bounds are rounded up, so that nothing comes out as the least of the subnormal numbers. */
    if (cost < DBL_MIN && own_delta == 0.0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the plan costs nothing, so it releases nothing private; leave the "
            "ledger out of it");
    }
    if (!sot_amount_up(cost, SOT_CHARGE_UNIT, &out_price->charge) ||
        !price_deltas(own_delta, sampler_error, out_price))
        return fail_beyond(cost, sampler_error, error);
    if (SOT_PLANTED(ledger_charge_rounded_down))
        (void)sot_amount_down(cost, SOT_CHARGE_UNIT, &out_price->charge);
    if (out_price->charge == 0) out_price->charge = 1; /* own deltas only */
    return SOTTO_OK;
}
