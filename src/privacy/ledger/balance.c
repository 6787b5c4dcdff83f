/* Where a ledger stands, for its readers. */
#include <math.h>
#include <string.h>

#include "numeric/outward.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/replay.h"

static void fill_member(const sot_state *state, size_t index,
                        sotto_ledger_member *out_member)
{
    const sot_member *member = &state->members.at[index];
    const sot_charges sums = sot_state_sums(state);
    const int64_t left = member->budget - member->spent;
    *out_member = (sotto_ledger_member){
        .kind = member->kind,
        .covers = sot_state_covers(state, index, &sums),
        .order = member->order,
        .delta = member->delta,
        .budget = sot_member_value(member, member->budget, false),
        .spent =
            sot_member_value(member, member->missing ? SOT_MISSING : member->spent, true),
        .left = member->missing || left < 0 ? 0.0 : sot_member_value(member, left, false),
        .delta_budget = sot_amount_value_down(member->delta_budget, SOT_DELTA_UNIT),
        .delta_spent = sot_amount_value_up(member->delta_spent, SOT_DELTA_UNIT),
    };
}

static double rest(int64_t budget, int64_t spent)
{
    return sot_amount_value_down(spent < budget ? budget - spent : 0, SOT_DELTA_UNIT);
}

/* The column beside the member's amounts: the deltas of basic's points, or own deltas and sampler errors. */
static void fill_deltas(const sot_state *state, size_t member,
                        sotto_ledger_balance *balance)
{
    if (!isnan(state->budget.rho)) return; /* zCDP has no delta; specks cost none of it */
    int64_t samplers = 0, spent = 0, budget = 0;
    (void)sot_state_sampler_delta(state, state->specks, state->sampler_spent, &samplers);
    if (member < state->members.count &&
        state->members.at[member].kind == SOTTO_MEMBER_BASIC) {
        budget = state->members.at[member].delta_budget;
        spent = state->members.at[member].delta_spent;
    } else {
        budget = state->format == SOT_LEDGER_FORMAT_OLDER
                     ? state->own_budget
                     : state->own_budget + state->sampler_budget;
        (void)sot_amount_add(state->own_spent, samplers, &spent);
    }
    balance->delta_budget = sot_amount_value_down(budget, SOT_DELTA_UNIT);
    balance->delta_spent = sot_amount_value_up(spent, SOT_DELTA_UNIT);
    balance->delta_left = rest(budget, spent);
}

/* Ledgers of the older format have one budget for both (ledger.md, step 5). */
static void fill_own(const sot_state *state, sotto_ledger_balance *balance)
{
    int64_t samplers = sot_amount_max, own = sot_amount_max;
    (void)sot_state_sampler_delta(state, state->specks, state->sampler_spent, &samplers);
    if (state->format == SOT_LEDGER_FORMAT_OLDER) {
        (void)sot_amount_add(state->own_spent, samplers, &own);
        samplers = own;
    } else {
        own = state->own_spent;
    }
    balance->own_left = rest(state->own_budget, own);
    balance->sampler_left = rest(state->sampler_budget, samplers);
}

/* In the older format own deltas and sampler errors share one sum, which bounds them only by twice own_delta when
 * there are both. */
static double delta_guaranteed(const sot_state *state)
{
    const bool shared = state->format == SOT_LEDGER_FORMAT_OLDER;
    return shared && state->sampler_spent > 0
               ? sot_add_up(state->budget.delta, state->budget.own_delta)
               : state->budget.delta;
}

/* The least epsilon that a covering member guarantees; infinite if none covers. */
static double epsilon_spent(const sot_state *state)
{
    const sot_charges sums = sot_state_sums(state);
    double least = HUGE_VAL;
    for (size_t i = 0; i < state->members.count; i++)
        if (sot_state_covers(state, i, &sums))
            least = fmin(least, sot_member_epsilon_upper(&state->members.at[i]));
    return least;
}

void sot_state_balance(const sot_state *state, size_t member,
                       sotto_ledger_balance *out_balance)
{
    const size_t shown = member < state->members.count ? member : 0;
    *out_balance = (sotto_ledger_balance){
        .adjacency = state->adjacency,
        .epsilon = isnan(state->budget.rho) ? state->budget.epsilon : SOTTO_UNSET,
        .delta = state->budget.delta,
        .rho = state->budget.rho,
        .epsilon_spent_upper = epsilon_spent(state),
        .entries = state->rows,
        .unit_rows = state->unit_rows,
        .member_count = state->members.count,
        .member = member,
        .older_rows = state->older_rows,
        .repriced_rows = state->repriced_rows,
        .delta_guaranteed = delta_guaranteed(state),
    };
    for (size_t i = 0; i < state->members.count; i++)
        fill_member(state, i, &out_balance->members[i]);
    out_balance->order = out_balance->members[shown].order;
    out_balance->budget = out_balance->members[shown].budget;
    out_balance->spent = out_balance->members[shown].spent;
    out_balance->left = out_balance->members[shown].left;
    fill_deltas(state, member, out_balance);
    fill_own(state, out_balance);
    memcpy(out_balance->dataset, state->dataset, sizeof out_balance->dataset);
    memcpy(out_balance->head, state->head, sizeof out_balance->head);
    memcpy(out_balance->unit, state->unit, sizeof out_balance->unit);
    memcpy(out_balance->curator, state->curator, sizeof out_balance->curator);
}
