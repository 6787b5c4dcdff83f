#include "privacy/ledger/replay.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/accounting/budget.h"
#include "privacy/ledger/amount.h"

static sotto_status fail_row(const sot_entry *entry, const char *reason,
                             sotto_error *error)
{
    return sot_fail(error, SOTTO_VERIFICATION, "row %llu of the ledger: %s",
                    (unsigned long long)entry->row, reason);
}

sot_state sot_state_new(void)
{
    sot_state state = {.order = SOTTO_UNSET};
    memset(state.head, '0', sizeof state.head - 1);
    return state;
}

void sot_state_free(sot_state *state)
{
    sot_free(state->reserved);
    *state = sot_state_new();
}

/* ---- budgets ---- */

static sotto_status price_pure(double epsilon, double order, int64_t *out_budget,
                               sotto_error *error)
{
    if (!isnan(order)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the order is %g, but a pure budget (delta 0) has none; leave it "
                        "out or give a delta",
                        order);
    }
    if (sot_amount_down(epsilon, SOT_CHARGE_UNIT, out_budget) && *out_budget > 0)
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "epsilon is %g, below one unit, 2^-40",
                    epsilon);
}

static sotto_status price_filter(double epsilon, double delta, double own_delta,
                                 double order, int64_t *out_budget,
                                 int64_t *out_own_budget, sotto_error *error)
{
    if (!(own_delta >= 0.0 && own_delta < delta)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the part of delta for the runs' own deltas is %g; give a number "
                        "from 0 up to, but not including, delta %g",
                        own_delta, delta);
    }
    if (!(order > 1.0 && order <= SOT_ORDER_MAX)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the order is %g; give a Renyi order above 1 and at most 1e6",
                        order);
    }
    const double filter_delta = sot_sub_down(delta, own_delta);
    const double rdp = sot_budget_rdp_lower(order, epsilon, filter_delta);
    if (!(rdp > 0.0) || !sot_amount_down(rdp, SOT_CHARGE_UNIT, out_budget) ||
        *out_budget == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "order %g leaves no budget at epsilon %g and delta %g; give "
                        "another order, or leave it out for the best one",
                        order, epsilon, delta);
    }
    if (!sot_amount_down(own_delta, SOT_DELTA_UNIT, out_own_budget))
        return sot_fail(error, SOTTO_INTERNAL, "own delta %g out of range", own_delta);
    return SOTTO_OK;
}

static sotto_status price_budget(double epsilon, double delta, double own_delta,
                                 double order, int64_t *out_budget,
                                 int64_t *out_own_budget, sotto_error *error)
{
    if (!(epsilon > 0.0 && epsilon <= SOT_EPSILON_BUDGET_MAX)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "epsilon is %g; give a number above 0 and at most 1e6, for "
                        "example 1",
                        epsilon);
    }
    if (!(delta >= 0.0 && delta < 1.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "delta is %g; give a number from 0 (a pure budget) up to, but not "
            "including, 1, for example 1e-6",
            delta);
    }
    *out_own_budget = 0;
    if (delta > 0.0 && epsilon > SOT_EPSILON_SPECK_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "epsilon is %g, and a budget with a delta holds at most %d: more "
                        "than that promises nothing",
                        epsilon, (int)SOT_EPSILON_SPECK_MAX);
    }
    if (delta > 0.0) {
        return price_filter(epsilon, delta, own_delta, order, out_budget, out_own_budget,
                            error);
    }
    if (own_delta != 0.0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the part of delta for the runs' own deltas is %g, but delta is 0",
            own_delta);
    }
    return price_pure(epsilon, order, out_budget, error);
}

bool sot_state_delta(double epsilon, int64_t own, int64_t sampler, int64_t *out_delta)
{
    *out_delta = own;
    if (sampler == 0) return true;
    int64_t price;
    const double cost = sot_mul_up(sot_budget_sampler_factor(epsilon),
                                   sot_amount_value_up(sampler, SOT_SAMPLER_UNIT));
    return sot_amount_up(cost, SOT_DELTA_UNIT, &price) &&
           sot_amount_add(own, price, out_delta);
}

/* The budget after this row: of the row alone, or added to what there is. */
static void add_budget(const sot_state *state, const sot_entry *entry,
                       double *out_epsilon, double *out_delta, double *out_own_delta)
{
    *out_epsilon = sot_add_down(state->epsilon, entry->epsilon); /* exact when one is 0 */
    *out_delta = sot_add_down(state->delta, entry->delta);
    *out_own_delta = sot_add_down(state->own_delta, entry->own_delta);
}

sotto_status sot_state_price(const sot_state *state, sot_entry *entry, sotto_error *error)
{
    const bool first = entry->kind == SOTTO_LEDGER_INIT;
    double epsilon, delta, own_delta;
    if (!first && (!(entry->epsilon >= 0.0 && entry->delta >= 0.0) ||
                   !(entry->epsilon > 0.0 || entry->delta > 0.0))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a grant of epsilon %g and delta %g does not raise the budget; "
                        "give numbers of at least 0, one of them above 0",
                        entry->epsilon, entry->delta);
    }
    if (!first && sot_state_is_pure(state) && entry->delta > 0.0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "delta is %g, but this is a pure budget (delta 0), which cannot get "
            "one; grant epsilon only, or create another ledger",
            entry->delta);
    }
    add_budget(state, entry, &epsilon, &delta, &own_delta);
    const sotto_status status =
        price_budget(epsilon, delta, own_delta, first ? entry->order : state->order,
                     &entry->budget, &entry->own_budget, error);
    if (status != SOTTO_OK) return status;
    /* A larger epsilon makes the sampler errors of earlier runs dearer. */
    int64_t used;
    if (!sot_state_delta(epsilon, state->own_spent, state->sampler_spent, &used) ||
        used > entry->own_budget) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "with epsilon %g the sampler errors of past runs cost more than the "
            "part of delta kept for them; grant more delta with it",
            epsilon);
    }
    return SOTTO_OK;
}

/* ---- rows ---- */

/* What two evaluations of a budget, 16 roundings apart, can differ by. */
static int64_t slack_of(int64_t amount)
{
    return 2 + (amount >> 44);
}

static sotto_status apply_budget(sot_state *state, const sot_entry *entry,
                                 sotto_error *error)
{
    sotto_error cause;
    sot_entry priced = *entry;
    if (sot_state_price(state, &priced, &cause) != SOTTO_OK)
        return sot_fail(error, SOTTO_VERIFICATION, "row %llu of the ledger: %.200s",
                        (unsigned long long)entry->row, cause.message);
    if (entry->budget > priced.budget + slack_of(priced.budget) ||
        entry->own_budget > priced.own_budget)
        return fail_row(entry, "its budget is larger than its epsilon and delta allow",
                        error);
    if (entry->budget < state->budget || entry->own_budget < state->own_budget)
        return fail_row(entry, "a grant that lowers the budget", error);
    add_budget(state, entry, &state->epsilon, &state->delta, &state->own_delta);
    state->budget = entry->budget;
    state->own_budget = entry->own_budget;
    return SOTTO_OK;
}

static sotto_status apply_init(sot_state *state, const sot_entry *entry,
                               sotto_error *error)
{
    if (state->rows != 0) return fail_row(entry, "a second init row", error);
    const sotto_status status = apply_budget(state, entry, error);
    if (status != SOTTO_OK) return status;
    memcpy(state->dataset, entry->dataset, sizeof state->dataset);
    state->adjacency = entry->adjacency;
    state->order = entry->order;
    state->own_share =
        entry->delta > 0.0 ? sot_div_down(entry->own_delta, entry->delta) : 0.0;
    return SOTTO_OK;
}

static sotto_status remember(sot_state *state, const sot_entry *entry, sotto_error *error)
{
    if (state->reserved_count == state->reserved_capacity) {
        const size_t capacity = state->reserved_capacity * 2 + 16;
        sot_reserved *grown = sot_resize_array(state->reserved, state->reserved_capacity,
                                               capacity, sizeof *grown);
        if (grown == NULL) return sot_fail_memory(error, capacity, sizeof *grown);
        state->reserved = grown;
        state->reserved_capacity = capacity;
    }
    sot_reserved *reserved = &state->reserved[state->reserved_count++];
    *reserved = (sot_reserved){.row = entry->row, .time_seconds = entry->time_seconds};
    memcpy(reserved->hash, entry->hash, sizeof reserved->hash);
    memcpy(reserved->checkpoint, entry->checkpoint, sizeof reserved->checkpoint);
    return SOTTO_OK;
}

static sotto_status apply_reserve(sot_state *state, const sot_entry *entry,
                                  sotto_error *error)
{
    int64_t spent, own, sampler, used;
    if (entry->charge < 1) return fail_row(entry, "a run that costs nothing", error);
    if (!sot_amount_add(state->spent, entry->charge, &spent) ||
        !sot_amount_add(state->own_spent, entry->own, &own) ||
        !sot_amount_add(state->sampler_spent, entry->sampler, &sampler) ||
        spent > state->budget || !sot_state_delta(state->epsilon, own, sampler, &used) ||
        used > state->own_budget + (sampler > 0 ? slack_of(used) : 0))
        return fail_row(entry, "it exceeds the budget of its time", error);
    if (spent != entry->charge_sum || own != entry->own_sum ||
        sampler != entry->sampler_sum)
        return fail_row(entry, "its sums are not those of the rows before it", error);
    const sotto_status status = remember(state, entry, error);
    if (status != SOTTO_OK) return status;
    state->spent = spent;
    state->own_spent = own;
    state->sampler_spent = sampler;
    return SOTTO_OK;
}

sot_reserved *sot_state_find(sot_state *state, uint64_t row)
{
    size_t low = 0, high = state->reserved_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (state->reserved[middle].row < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < state->reserved_count && state->reserved[low].row == row
               ? &state->reserved[low]
               : NULL;
}

/* From here on the run goes on from this file and from no other. */
static void follow(sot_reserved *reserved, const sot_entry *entry)
{
    memcpy(reserved->checkpoint, entry->checkpoint, sizeof reserved->checkpoint);
    memcpy(reserved->seal_key, entry->seal_key, sizeof reserved->seal_key);
}

static sotto_status apply_commit(sot_state *state, const sot_entry *entry,
                                 sotto_error *error)
{
    sot_reserved *reserved = sot_state_find(state, entry->reservation);
    if (reserved == NULL)
        return fail_row(entry, "an output without a reservation", error);
    if (reserved->committed)
        return fail_row(entry, "a second output for one reservation", error);
    if (entry->checkpoint[0] != '\0' && reserved->checkpoint[0] == '\0')
        return fail_row(entry, "a checkpoint of a run that keeps none", error);
    reserved->committed = true;
    memcpy(reserved->output, entry->output, sizeof reserved->output);
    if (entry->checkpoint[0] != '\0') follow(reserved, entry);
    return SOTTO_OK;
}

static sotto_status apply_checkpoint(sot_state *state, const sot_entry *entry,
                                     sotto_error *error)
{
    sot_reserved *reserved = sot_state_find(state, entry->reservation);
    if (reserved == NULL || reserved->checkpoint[0] == '\0')
        return fail_row(entry, "a checkpoint of a run that keeps none", error);
    if (reserved->committed)
        return fail_row(entry, "a checkpoint behind the output of its run", error);
    if (entry->step <= reserved->step)
        return fail_row(entry, "a checkpoint that goes back in its run", error);
    reserved->step = entry->step;
    follow(reserved, entry);
    return SOTTO_OK;
}

sotto_status sot_state_apply(sot_state *state, const sot_entry *entry, sotto_error *error)
{
    if (entry->row != state->rows + 1)
        return fail_row(entry, "rows before it are missing", error);
    if (strcmp(entry->previous, state->head) != 0)
        return fail_row(
            entry, "it does not follow the row before it; the chain is broken", error);
    if (state->rows == 0 && entry->kind != SOTTO_LEDGER_INIT)
        return fail_row(entry, "the first row must be an init row", error);
    sotto_status status = SOTTO_INTERNAL;
    switch (entry->kind) {
    case SOTTO_LEDGER_INIT:
        status = apply_init(state, entry, error);
        break;
    case SOTTO_LEDGER_GRANT:
        status = apply_budget(state, entry, error);
        break;
    case SOTTO_LEDGER_RESERVE:
        status = apply_reserve(state, entry, error);
        break;
    case SOTTO_LEDGER_COMMIT:
        status = apply_commit(state, entry, error);
        break;
    case SOTTO_LEDGER_CHECKPOINT:
        status = apply_checkpoint(state, entry, error);
        break;
    }
    if (status != SOTTO_OK) return status;
    state->rows = entry->row;
    memcpy(state->head, entry->hash, sizeof state->head);
    return SOTTO_OK;
}

/* ---- the balance ---- */

static double epsilon_spent(const sot_state *state, int64_t delta_used)
{
    const double spent = sot_amount_value_up(state->spent, SOT_CHARGE_UNIT);
    if (sot_state_is_pure(state) || (state->spent == 0 && delta_used == 0)) return spent;
    return sot_budget_epsilon_upper(state->order, spent,
                                    sot_sub_down(state->delta, state->own_delta));
}

void sot_state_balance(const sot_state *state, sotto_ledger_balance *out_balance)
{
    int64_t used = 0;
    /* Cannot fail: every row that was applied saw that it is within the own budget. */
    (void)sot_state_delta(state->epsilon, state->own_spent, state->sampler_spent, &used);
    *out_balance = (sotto_ledger_balance){
        .adjacency = state->adjacency,
        .epsilon = state->epsilon,
        .delta = state->delta,
        .order = state->order,
        .budget = sot_amount_value_down(state->budget, SOT_CHARGE_UNIT),
        .spent = sot_amount_value_up(state->spent, SOT_CHARGE_UNIT),
        .left = sot_amount_value_down(state->budget - state->spent, SOT_CHARGE_UNIT),
        .delta_budget = sot_amount_value_down(state->own_budget, SOT_DELTA_UNIT),
        .delta_spent = sot_amount_value_up(used, SOT_DELTA_UNIT),
        .delta_left = sot_amount_value_down(
            used < state->own_budget ? state->own_budget - used : 0, SOT_DELTA_UNIT),
        .epsilon_spent_upper = epsilon_spent(state, used),
        .entries = state->rows,
    };
    memcpy(out_balance->dataset, state->dataset, sizeof out_balance->dataset);
    memcpy(out_balance->head, state->head, sizeof out_balance->head);
}
