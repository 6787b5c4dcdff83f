#include "privacy/ledger/replay.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/accounting/budget/budget.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/pricing.h"

static sotto_status fail_row(const sot_entry *entry, const char *reason,
                             sotto_error *error)
{
    return sot_fail(error, SOTTO_VERIFICATION, "row %llu of the ledger: %s",
                    (unsigned long long)entry->row, reason);
}

sot_state sot_state_new(void)
{
    sot_state state = {.budget = {.rho = SOTTO_UNSET}};
    memset(state.head, '0', sizeof state.head - 1);
    return state;
}

void sot_state_free(sot_state *state)
{
    sot_free(state->reserved);
    *state = sot_state_new();
}

/* ---- budgets ---- */

static sotto_status check_numbers(const sot_budget *budget, sotto_error *error)
{
    if (!isnan(budget->rho)) {
        if (budget->rho > 0.0 && budget->rho <= SOT_EPSILON_BUDGET_MAX) return SOTTO_OK;
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`rho` is %g; it is above 0 and at most 1e6; for example `rho=0.1`",
            budget->rho);
    }
    if (!(budget->epsilon > 0.0 && budget->epsilon <= SOT_EPSILON_BUDGET_MAX)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`epsilon` is %g; it is above 0 and at most 1e6; for example `epsilon=1`",
            budget->epsilon);
    }
    if (!(budget->delta >= 0.0 && budget->delta < 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`delta` is %g; it is 0 (a pure budget) or above, and below 1; "
                        "for example `delta=1e-6`",
                        budget->delta);
    }
    if (budget->delta > 0.0 && budget->epsilon > SOT_EPSILON_SPECK_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`epsilon` is %g; a budget with a delta holds at most %d: more "
                        "than that promises nothing",
                        budget->epsilon, (int)SOT_EPSILON_SPECK_MAX);
    }
    const bool good = budget->delta > 0.0
                          ? budget->own_delta >= 0.0 && budget->own_delta < budget->delta
                          : budget->own_delta == 0.0;
    if (good) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`own_delta` is %g; the share of delta for the runs' own deltas lies "
                    "in [0, delta), where delta is %g (0 for a pure budget)",
                    budget->own_delta, budget->delta);
}

/* Returns the budget after this row: set by the row, or added to the current one. */
static sot_budget add_budget(const sot_state *state, const sot_entry *entry)
{
    const sot_budget *a = &state->budget, *b = &entry->budget;
    if (entry->kind == SOTTO_LEDGER_INIT) return *b;
    return (sot_budget){.epsilon = sot_add_down(a->epsilon, b->epsilon),
                        .delta = sot_add_down(a->delta, b->delta),
                        .own_delta = sot_add_down(a->own_delta, b->own_delta),
                        .rho = isnan(a->rho) ? a->rho : sot_add_down(a->rho, b->rho)};
}

static sotto_status check_grant(const sot_state *state, const sot_budget *added,
                                sotto_error *error)
{
    const bool is_zcdp = !isnan(state->budget.rho);
    const double first = is_zcdp ? added->rho : added->epsilon;
    if (!(first >= 0.0 && added->delta >= 0.0) || !(first > 0.0 || added->delta > 0.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`epsilon` and `delta` of the grant do not raise the budget (%s %g and delta "
            "%g); give numbers of at least 0, one of them above 0",
            is_zcdp ? "rho" : "epsilon", first, added->delta);
    }
    if (state->budget.delta > 0.0 || added->delta == 0.0) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`delta` is %g, but this is a %s budget (delta 0), which cannot get "
                    "one; grant only %s, or create another ledger",
                    added->delta, is_zcdp ? "zCDP" : "pure", is_zcdp ? "rho" : "epsilon");
}

/* Seven eighths of own_delta are for own deltas and one eighth for sampler errors: ledger.md, step 5. Ledgers of
 * the older format kept one sum of both. */
static void split_own(const sot_budget *budget, int format, int64_t *out_own,
                      int64_t *out_sampler)
{
    *out_own = *out_sampler = 0;
    if (!(budget->delta > 0.0)) return;
    if (format == SOT_LEDGER_FORMAT_OLDER) {
        (void)sot_amount_down(budget->own_delta, SOT_DELTA_UNIT, out_own);
        *out_sampler = *out_own;
        return;
    }
    (void)sot_amount_down(sot_mul_down(budget->own_delta, 0.875), SOT_DELTA_UNIT,
                          out_own);
    (void)sot_amount_down(budget->own_delta * 0.125, SOT_DELTA_UNIT, out_sampler);
}

sotto_status sot_state_price(const sot_state *state, sot_entry *entry, sotto_error *error)
{
    const bool first = entry->kind == SOTTO_LEDGER_INIT;
    sotto_status status = first ? SOTTO_OK : check_grant(state, &entry->budget, error);
    sot_state after = *state;
    after.budget = add_budget(state, entry);
    after.format = first ? entry->format : state->format;
    if (!first) entry->members = state->members;
    if (status == SOTTO_OK) status = check_numbers(&after.budget, error);
    if (status == SOTTO_OK)
        status = sot_members_price(&after.budget, &entry->members, error);
    if (status != SOTTO_OK) return status;
    split_own(&after.budget, after.format, &after.own_budget, &after.sampler_budget);
    entry->own_budget = after.own_budget;
    /* A larger epsilon makes the sampler errors of earlier runs dearer. */
    const sot_charges sums = sot_state_sums(state);
    if (!sot_state_samplers_fit(&after, &sums)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "with epsilon %g the sampler errors of past runs cost more than the "
            "part of delta kept for them; grant more delta with it",
            after.budget.epsilon);
    }
    return SOTTO_OK;
}

/* ---- rows ---- */

/* Returns the largest difference of two evaluations of an amount, 16 roundings apart. */
static int64_t slack_of(int64_t amount)
{
    return 2 + (amount >> 44);
}

static sotto_status check_signature(const sot_state *state, const sot_entry *entry,
                                    sotto_error *error)
{
    sotto_error cause;
    const char *curator =
        entry->kind == SOTTO_LEDGER_INIT ? entry->curator : state->curator;
    if (curator[0] == '\0') {
        return entry->signature[0] == '\0'
                   ? SOTTO_OK
                   : fail_row(entry, "it is signed, but the ledger names no curator",
                              error);
    }
    if (entry->signature[0] == '\0')
        return fail_row(entry, "it lacks the signature of the curator", error);
    if (sotto_key_verify(curator, SOTTO_PURPOSE_BUDGET, entry->body, strlen(entry->body),
                         entry->signature, &cause) == SOTTO_OK)
        return SOTTO_OK;
    return fail_row(entry, "its signature is not the curator's for this row", error);
}

static sotto_status apply_budget(sot_state *state, const sot_entry *entry,
                                 sotto_error *error)
{
    sotto_error cause;
    sot_entry priced = *entry;
    sotto_status status = check_signature(state, entry, error);
    if (status != SOTTO_OK) return status;
    if (entry->kind == SOTTO_LEDGER_GRANT && entry->members.count > state->members.count)
        return fail_row(entry, "it has budgets of members that are not there", error);
    if (sot_state_price(state, &priced, &cause) != SOTTO_OK)
        return sot_fail(error, SOTTO_VERIFICATION, "row %llu of the ledger: %.200s",
                        (unsigned long long)entry->row, cause.message);
    for (size_t i = 0; i < entry->members.count; i++) {
        const int64_t budget = entry->members.at[i].budget;
        const int64_t most = priced.members.at[i].budget;
        if (budget > most + slack_of(most))
            return fail_row(
                entry, "its budget is larger than its epsilon and delta allow", error);
        if (entry->kind == SOTTO_LEDGER_GRANT && budget < state->members.at[i].budget)
            return fail_row(entry, "a grant that lowers the budget", error);
        priced.members.at[i].budget = budget;
    }
    if (entry->format == SOT_LEDGER_FORMAT_OLDER && entry->own_budget > priced.own_budget)
        return fail_row(entry, "its budget is larger than its epsilon and delta allow",
                        error);
    state->budget = add_budget(state, entry);
    state->members = priced.members;
    split_own(&state->budget, state->format, &state->own_budget, &state->sampler_budget);
    if (entry->format == SOT_LEDGER_FORMAT_OLDER)
        state->own_budget = state->sampler_budget = entry->own_budget;
    return SOTTO_OK;
}

/* A ledger of the older format gains a member that costs nothing: basic with a delta of 0, for pure runs. It counts the
 * rows that are there from their plans. */
static sotto_status add_free_member(sot_state *state, sotto_error *error)
{
    state->members.at[state->members.count++] =
        (sot_member){.kind = SOTTO_MEMBER_BASIC, .weight = 0, .order = SOTTO_UNSET};
    const int64_t first = state->members.at[0].budget;
    const sotto_status status = sot_members_price(&state->budget, &state->members, error);
    state->members.at[0].budget = first; /* as it was written */
    return status;
}

static sotto_status apply_init(sot_state *state, const sot_entry *entry,
                               sotto_error *error)
{
    if (state->rows != 0) return fail_row(entry, "a second init row", error);
    state->format = entry->format;
    const sotto_status status = apply_budget(state, entry, error);
    if (status != SOTTO_OK) return status;
    memcpy(state->dataset, entry->dataset, sizeof state->dataset);
    memcpy(state->unit, entry->unit, sizeof state->unit);
    memcpy(state->curator, entry->curator, sizeof state->curator);
    state->unit_rows = entry->unit_rows;
    state->adjacency = entry->adjacency;
    state->own_share = entry->budget.delta > 0.0
                           ? sot_div_down(entry->budget.own_delta, entry->budget.delta)
                           : 0.0;
    return entry->format == SOT_LEDGER_FORMAT_OLDER ? add_free_member(state, error)
                                                    : SOTTO_OK;
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

/* Verifies a row of the older format by its rules: one member, own deltas and sampler
 * errors in one sum. */
static sotto_status check_older(sot_state *state, const sot_entry *entry,
                                sotto_error *error)
{
    sot_charges *sums = &state->older;
    int64_t samplers, used;
    if (state->format != SOT_LEDGER_FORMAT_OLDER ||
        state->reserved_count != state->older_rows)
        return fail_row(entry, "a row of the older format among newer ones", error);
    if (entry->charges.at[0] < 1)
        return fail_row(entry, "a run that costs nothing", error);
    if (!sot_amount_add(sums->at[0], entry->charges.at[0], &sums->at[0]) ||
        !sot_amount_add(sums->own, entry->charges.own, &sums->own) ||
        !sot_amount_add(sums->sampler, entry->charges.sampler, &sums->sampler) ||
        sums->at[0] > state->members.at[0].budget ||
        !sot_state_sampler_delta(state, 0, sums->sampler, &samplers) ||
        !sot_amount_add(sums->own, samplers, &used) ||
        used > state->own_budget + (sums->sampler > 0 ? slack_of(used) : 0))
        return fail_row(entry, "it exceeds the budget of its time", error);
    if (memcmp(sums, &entry->sums, sizeof *sums) != 0)
        return fail_row(entry, "its sums are not those of the rows before it", error);
    return SOTTO_OK;
}

/* Verifies a row: its sums follow from those before, and some member covers the history with it. */
static sotto_status check_newer(const sot_state *state, const sot_entry *entry,
                                sotto_error *error)
{
    sot_charges sums;
    sot_state lenient = *state; /* another C library may price sampler errors otherwise */
    if (entry->members.count != state->members.count)
        return fail_row(entry, "it has not one charge for each member", error);
    for (size_t i = 0; i < state->members.count; i++)
        if (entry->charges.at[i] == 0)
            return fail_row(entry, "a run that costs nothing", error);
    if (!sot_state_add(state, &entry->charges, &sums) ||
        memcmp(&sums, &entry->sums, sizeof sums) != 0)
        return fail_row(entry, "its sums are not those of the rows before it", error);
    if (sums.sampler > 0) {
        lenient.sampler_budget += slack_of(lenient.sampler_budget);
        lenient.own_budget += slack_of(lenient.own_budget);
    }
    if (sot_state_best(&lenient, &sums) < state->members.count) return SOTTO_OK;
    return fail_row(entry, "it exceeds the budget of its time", error);
}

static sotto_status apply_reserve(sot_state *state, const sot_entry *entry,
                                  const sotto_plan *plan, sotto_error *error)
{
    const bool is_older = entry->format == SOT_LEDGER_FORMAT_OLDER;
    sot_charges charges = entry->charges, sums;
    bool of_units = false;
    sotto_status status =
        is_older ? check_older(state, entry, error) : check_newer(state, entry, error);
    if (status == SOTTO_OK && is_older)
        status = sot_price_older(state, plan, &charges, &of_units, error);
    if (status == SOTTO_OK && !sot_state_add(state, &charges, &sums))
        status = fail_row(entry, "it exceeds the budget of its time", error);
    if (status == SOTTO_OK) status = remember(state, entry, error);
    if (status != SOTTO_OK) return status;
    state->older_rows += is_older;
    state->repriced_rows += of_units;
    sot_members_set_sums(&state->members, &sums);
    state->own_spent = sums.own;
    state->sampler_spent = sums.sampler;
    state->specks = sums.specks;
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

/* From here on the run resumes only from this file. */
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

static sotto_status apply(sot_state *state, const sot_entry *entry,
                          const sotto_plan *plan, sotto_error *error)
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
        status = apply_reserve(state, entry, plan, error);
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

sotto_status sot_state_take(sot_state *state, const char *line, size_t size_bytes,
                            uint64_t row, sot_entry *out_entry, sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_error cause = {SOTTO_OK, ""};
    sotto_status status = sot_entry_parse(line, size_bytes, row, out_entry, error);
    if (status != SOTTO_OK) return status;
    if (out_entry->kind == SOTTO_LEDGER_RESERVE &&
        out_entry->format == SOT_LEDGER_FORMAT_OLDER)
        status = sot_entry_plan(line, size_bytes, &plan, &cause);
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status, "%s", cause.message);
    if (status != SOTTO_OK)
        return sot_fail(error, SOTTO_VERIFICATION, "row %llu of the ledger: %.200s",
                        (unsigned long long)row, cause.message);
    status = apply(state, out_entry, plan, error);
    sotto_plan_free(plan);
    return status;
}
