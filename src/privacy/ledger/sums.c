/* The total cost of the runs of a ledger, and the members that cover it. */
#include <math.h>

#include "numeric/outward.h"
#include "privacy/accounting/budget/budget.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/replay.h"

sot_charges sot_state_sums(const sot_state *state)
{
    sot_charges sums = {.own = state->own_spent,
                        .sampler = state->sampler_spent,
                        .specks = state->specks};
    for (size_t i = 0; i < state->members.count; i++) {
        const sot_member *member = &state->members.at[i];
        sums.at[i] = member->missing ? SOT_MISSING : member->spent;
        if (member->kind == SOTTO_MEMBER_BASIC) sums.point_delta = member->delta_spent;
    }
    return sums;
}

/* Every member counts every run; one that has no price for a run covers nothing from then on. */
bool sot_state_add(const sot_state *state, const sot_charges *charges,
                   sot_charges *out_sums)
{
    sot_charges sums = sot_state_sums(state);
    for (size_t i = 0; i < state->members.count; i++) {
        const int64_t charge = charges->at[i];
        if (charge == SOT_MISSING || sums.at[i] == SOT_MISSING ||
            !sot_amount_add(sums.at[i], charge, &sums.at[i]))
            sums.at[i] = SOT_MISSING;
    }
    *out_sums = sums;
    return sot_amount_add(sums.point_delta, charges->point_delta,
                          &out_sums->point_delta) &&
           sot_amount_add(sums.own, charges->own, &out_sums->own) &&
           sot_amount_add(sums.sampler, charges->sampler, &out_sums->sampler) &&
           sot_amount_add(sums.specks, charges->specks, &out_sums->specks);
}

void sot_members_set_sums(sot_members *members, const sot_charges *sums)
{
    for (size_t i = 0; i < members->count; i++) {
        sot_member *member = &members->at[i];
        member->missing = sums->at[i] == SOT_MISSING;
        member->spent = member->missing ? 0 : sums->at[i];
        if (member->kind == SOTTO_MEMBER_BASIC) member->delta_spent = sums->point_delta;
    }
}

/* A speck costs one unit: (1 + e^500) 2^-800 is less. A zCDP budget has no delta to pay from.
 * Its claim is for the stated noise, within a total variation of only the specks (ledger.md,
 * step 5). */
bool sot_state_sampler_delta(const sot_state *state, int64_t specks, int64_t sampler,
                             int64_t *out_delta)
{
    *out_delta = specks;
    if (sampler == 0) return true;
    if (!isnan(state->budget.rho)) return false;
    int64_t price;
    const double cost = sot_mul_up(sot_budget_sampler_factor(state->budget.epsilon),
                                   sot_amount_value_up(sampler, SOT_SAMPLER_UNIT));
    return sot_amount_up(cost, SOT_DELTA_UNIT, &price) &&
           sot_amount_add(specks, price, out_delta);
}

bool sot_state_samplers_fit(const sot_state *state, const sot_charges *sums)
{
    int64_t price;
    if (!sot_state_sampler_delta(state, sums->specks, sums->sampler, &price))
        return false;
    return !isnan(state->budget.rho) || price <= state->sampler_budget;
}

static bool own_deltas_fit(const sot_state *state, const sot_charges *sums)
{
    int64_t price = 0, both;
    if (state->format != SOT_LEDGER_FORMAT_OLDER) return sums->own <= state->own_budget;
    return sot_state_sampler_delta(state, sums->specks, sums->sampler, &price) &&
           sot_amount_add(price, sums->own, &both) && both <= state->own_budget;
}

bool sot_state_covers(const sot_state *state, size_t member, const sot_charges *sums)
{
    sot_members members = state->members;
    sot_members_set_sums(&members, sums);
    return sot_member_covers(&members.at[member]) &&
           sot_state_samplers_fit(state, sums) &&
           (!sot_member_needs_own_deltas(&members.at[member]) ||
            own_deltas_fit(state, sums));
}

size_t sot_state_best(const sot_state *state, const sot_charges *sums)
{
    size_t best = state->members.count;
    double most = -1.0;
    sot_members members = state->members;
    sot_members_set_sums(&members, sums);
    for (size_t i = 0; i < members.count; i++) {
        const double left = sot_member_share_left(&members.at[i]);
        if (!(left > most) || !sot_state_covers(state, i, sums)) continue;
        most = left;
        best = i;
    }
    return best;
}
