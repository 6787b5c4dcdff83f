#include <sotto/ledger.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plant.h"
#include "base/text.h"
#include "numeric/outward.h"
#include "privacy/accounting/budget.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/handle.h"
#include "privacy/ledger/kept.h"
#include "privacy/ledger/pricing.h"

/* ---- creating ---- */

sotto_ledger_config sotto_ledger_defaults(void)
{
    return (sotto_ledger_config){.adjacency = SOTTO_ADJACENCY_UNSET,
                                 .epsilon = SOTTO_UNSET,
                                 .delta = SOTTO_UNSET,
                                 .own_delta = SOTTO_UNSET,
                                 .order = SOTTO_UNSET};
}

static const double default_own_share = 0.1;

static sotto_status first_entry(const sotto_ledger_config *config, sot_entry *out_entry,
                                sotto_error *error)
{
    sotto_status status = sot_entry_check_dataset(config->dataset, error);
    if (status != SOTTO_OK) return status;
    if (config->adjacency != SOTTO_ADD_REMOVE && config->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the ledger's adjacency is not set; give add-remove or replace-one");
    }
    *out_entry = (sot_entry){.kind = SOTTO_LEDGER_INIT,
                             .row = 1,
                             .time_seconds = (int64_t)time(NULL),
                             .adjacency = config->adjacency,
                             .epsilon = config->epsilon,
                             .delta = config->delta,
                             .own_delta = config->own_delta,
                             .order = config->order};
    const sot_state empty = sot_state_new();
    memcpy(out_entry->dataset, config->dataset, sizeof out_entry->dataset);
    memcpy(out_entry->previous, empty.head, sizeof empty.head);
    if (isnan(config->own_delta))
        out_entry->own_delta = sot_mul_down(config->delta, default_own_share);
    /* Numbers that are refused below anyway have no best order. */
    if (isnan(config->order) && config->epsilon > 0.0 && config->delta > 0.0 &&
        config->epsilon <= SOT_EPSILON_BUDGET_MAX && config->delta < 1.0 &&
        out_entry->own_delta < config->delta) {
        out_entry->order = sot_budget_best_order(
            config->epsilon, sot_sub_down(config->delta, out_entry->own_delta));
    }
    return sot_state_price(&empty, out_entry, error);
}

sotto_status sotto_ledger_init(const char *path, const sotto_ledger_config *config,
                               sotto_error *error)
{
    sot_entry entry;
    char *line = NULL;
    size_t size_bytes;
    sotto_status status = first_entry(config, &entry, error);
    if (status == SOTTO_OK)
        status = sot_entry_write(&entry, NULL, &line, &size_bytes, error);
    if (status == SOTTO_OK) status = sot_store_create(path, line, size_bytes, error);
    sot_free(line);
    return status;
}

/* ---- opening ---- */

sotto_status sotto_ledger_open(const char *path, sotto_ledger **out_ledger,
                               sotto_error *error)
{
    sotto_ledger *ledger = sot_new_array(1, sizeof *ledger);
    if (ledger == NULL) return sot_fail_memory(error, 1, sizeof *ledger);
    ledger->state = sot_state_new();
    sotto_status status = sot_store_open(path, &ledger->store, error);
    if (status == SOTTO_OK) status = sot_ledger_begin(ledger, false, error);
    if (status != SOTTO_OK) {
        sotto_ledger_close(ledger);
        return status;
    }
    sot_store_rollback(ledger->store);
    *out_ledger = ledger;
    return SOTTO_OK;
}

void sotto_ledger_close(sotto_ledger *ledger)
{
    if (ledger == NULL) return;
    sot_store_close(ledger->store);
    sot_state_free(&ledger->state);
    sot_free(ledger);
}

/* ---- transactions ---- */

/* Rows from the last one known on: that one must be unchanged, the others are new. */
static sotto_status take_in(const char *line, size_t size_bytes, uint64_t row,
                            void *context, sotto_error *error)
{
    sot_state *state = context;
    sot_entry entry;
    const sotto_status status = sot_entry_parse(line, size_bytes, row, &entry, error);
    if (status != SOTTO_OK) return status;
    if (row != state->rows) return sot_state_apply(state, &entry, error);
    if (strcmp(entry.hash, state->head) == 0) return SOTTO_OK;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "row %llu of the ledger is not the one that was there before; the "
                    "file was replaced",
                    (unsigned long long)row);
}

typedef struct counted_state {
    sot_state *state;
    uint64_t lines;
} counted_state;

static sotto_status take_in_and_count(const char *line, size_t size_bytes, uint64_t row,
                                      void *context, sotto_error *error)
{
    counted_state *counted = context;
    counted->lines++;
    return take_in(line, size_bytes, row, counted->state, error);
}

static sotto_status catch_up(sotto_ledger *ledger, sotto_error *error)
{
    counted_state counted = {&ledger->state, 0};
    const uint64_t first = ledger->state.rows > 0 ? ledger->state.rows : 1;
    sotto_status status =
        sot_store_read(ledger->store, first, take_in_and_count, &counted, error);
    if (status == SOTTO_OK && counted.lines == 0) {
        status =
            sot_fail(error, SOTTO_VERIFICATION,
                     "ledger %s: rows that were there are gone; restore it and check it "
                     "against the last certificate",
                     sot_store_name(ledger->store));
    }
    return status;
}

/* Ends the transaction; what the state took from it is forgotten and read again. */
static void abandon(sotto_ledger *ledger)
{
    sot_store_rollback(ledger->store);
    sot_state_free(&ledger->state);
}

sotto_status sot_ledger_begin(sotto_ledger *ledger, bool to_write, sotto_error *error)
{
    if (ledger->deferred) return SOTTO_OK; /* the planted bug's open transaction */
    sotto_status status = to_write ? sot_store_begin_write(ledger->store, error)
                                   : sot_store_begin_read(ledger->store, error);
    if (status != SOTTO_OK) return status;
    status = sot_store_check_place(ledger->store, error);
    if (status == SOTTO_OK) status = catch_up(ledger, error);
    if (status != SOTTO_OK) abandon(ledger);
    return status;
}

/* It is first read back and applied like any other row, so that no row is written that a reader would
 * refuse. */
sotto_status sot_ledger_append(sotto_ledger *ledger, sot_entry *entry,
                               const sotto_plan *plan, sotto_error *error)
{
    char *line = NULL;
    size_t size_bytes = 0;
    sot_entry read_back;
    entry->row = ledger->state.rows + 1;
    if (entry->time_seconds == 0) entry->time_seconds = (int64_t)time(NULL);
    memcpy(entry->previous, ledger->state.head, sizeof entry->previous);
    sotto_status status = sot_entry_write(entry, plan, &line, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sot_entry_parse(line, size_bytes, entry->row, &read_back, error);
    if (status == SOTTO_OK) status = sot_state_apply(&ledger->state, &read_back, error);
    if (status == SOTTO_OK && entry->checkpoint[0] != '\0')
        status = sot_store_raise_format(ledger->store, error);
    if (status == SOTTO_OK)
        status = sot_store_append(ledger->store, entry->row, line, size_bytes, error);
    sot_free(line);
    if (status == SOTTO_OK && entry->kind == SOTTO_LEDGER_RESERVE &&
        SOT_PLANTED(ledger_charged_after_release)) {
        ledger->deferred = true; /* durable with the commit row, after the release */
        return SOTTO_OK;
    }
    ledger->deferred = false;
    if (status == SOTTO_OK) status = sot_store_commit(ledger->store, error);
    if (status == SOTTO_OK) status = sot_store_check_place(ledger->store, error);
    if (status != SOTTO_OK) abandon(ledger);
    return status;
}

sotto_status sotto_ledger_read_balance(sotto_ledger *ledger, sotto_ledger_balance *out,
                                       sotto_error *error)
{
    const sotto_status status = sot_ledger_begin(ledger, false, error);
    if (status != SOTTO_OK) return status;
    sot_state_balance(&ledger->state, out);
    sot_store_rollback(ledger->store);
    return SOTTO_OK;
}

/* ---- charging ---- */

static sotto_status refuse_charge(const sot_state *state, int64_t asked,
                                  sotto_error *error)
{
    char spent_text[SOT_AMOUNT_TEXT_BYTES], asked_text[SOT_AMOUNT_TEXT_BYTES],
        left_text[SOT_AMOUNT_TEXT_BYTES], unit[48] = "epsilon";
    if (!sot_state_is_pure(state))
        (void)snprintf(unit, sizeof unit, "RDP at order %g", state->order);
    return sot_fail(
        error, SOTTO_BUDGET_EXCEEDED,
        "the budget of %s does not cover this run: spent %s, asked %s, left %s "
        "(%s); ask for less, or the curator for a grant",
        state->dataset, sot_charge_text(state->spent, true, spent_text),
        sot_charge_text(asked, true, asked_text),
        sot_charge_text(state->budget - state->spent, false, left_text), unit);
}

static sotto_status refuse_delta(const sot_state *state, int64_t used, int64_t asked,
                                 sotto_error *error)
{
    char texts[3][SOT_DOUBLE_TEXT_BYTES];
    const int64_t left = used < state->own_budget ? state->own_budget - used : 0;
    sot_format_double(sot_amount_value_up(used, SOT_DELTA_UNIT), texts[0]);
    sot_format_double(sot_amount_value_up(asked, SOT_DELTA_UNIT), texts[1]);
    sot_format_double(sot_amount_value_down(left, SOT_DELTA_UNIT), texts[2]);
    return sot_fail(
        error, SOTTO_BUDGET_EXCEEDED,
        "the budget of %s does not cover this run's own delta: spent %s, asked "
        "%s, left %s; ask for less, or the curator for a grant",
        state->dataset, texts[0], texts[1], texts[2]);
}

/* Strict: no slack here. On success the entry has the sums, and out_delta what the second column
 * pays for this run. */
static sotto_status admit(const sot_state *state, const sot_price *price,
                          sot_entry *entry, int64_t *out_delta, sotto_error *error)
{
    int64_t used_before = 0, used = sot_amount_max;
    entry->charge = price->charge;
    entry->own = price->own;
    entry->sampler = price->sampler;
    if (!sot_amount_add(state->spent, price->charge, &entry->charge_sum) ||
        entry->charge_sum > state->budget)
        return refuse_charge(state, price->charge, error);
    (void)sot_state_delta(state->epsilon, state->own_spent, state->sampler_spent,
                          &used_before);
    const bool fits =
        sot_amount_add(state->own_spent, price->own, &entry->own_sum) &&
        sot_amount_add(state->sampler_spent, price->sampler, &entry->sampler_sum) &&
        sot_state_delta(state->epsilon, entry->own_sum, entry->sampler_sum, &used);
    if (!fits) used = sot_amount_max;
    if (!fits || used > state->own_budget)
        return refuse_delta(state, used_before, used - used_before, error);
    *out_delta = used - used_before;
    return SOTTO_OK;
}

sotto_status sotto_ledger_reserve(sotto_ledger *ledger, const sotto_plan *plan,
                                  double sampler_error, const char *label,
                                  sotto_reservation *out_reservation, sotto_error *error)
{
    return sot_ledger_reserve_kept(ledger, plan, sampler_error, label, "",
                                   out_reservation, error);
}

sotto_status sot_ledger_reserve_kept(sotto_ledger *ledger, const sotto_plan *plan,
                                     double sampler_error, const char *label,
                                     const char *checkpoint,
                                     sotto_reservation *out_reservation,
                                     sotto_error *error)
{
    sot_entry entry = {.kind = SOTTO_LEDGER_RESERVE, .order = SOTTO_UNSET};
    sot_price price;
    sotto_reservation reservation;
    int64_t delta_charged = 0;
    sotto_status status = sot_entry_check_text("label", label, error);
    if (status != SOTTO_OK) return status;
    memcpy(entry.text, label, strlen(label) + 1);
    (void)snprintf(entry.checkpoint, sizeof entry.checkpoint, "%s", checkpoint);
    status = sot_ledger_begin(ledger, true, error);
    if (status != SOTTO_OK) return status;
    status = sot_price_plan(&ledger->state, plan, sampler_error, &price, error);
    if (status == SOTTO_OK)
        status = admit(&ledger->state, &price, &entry, &delta_charged, error);
    if (status != SOTTO_OK) {
        sot_store_rollback(ledger->store); /* nothing was written, the state is good */
        return status;
    }
    sot_state_balance(&ledger->state, &reservation.before);
    status = sot_ledger_append(ledger, &entry, plan, error);
    if (status != SOTTO_OK) return status;
    sot_state_balance(&ledger->state, &reservation.after);
    reservation.id = entry.row;
    reservation.charged = sot_amount_value_up(price.charge, SOT_CHARGE_UNIT);
    reservation.delta_charged = sot_amount_value_up(delta_charged, SOT_DELTA_UNIT);
    *out_reservation = reservation;
    return SOTTO_OK;
}

sotto_status sot_ledger_find_open(sotto_ledger *ledger,
                                  const sotto_reservation *reservation,
                                  const sot_reserved **out_reserved, sotto_error *error)
{
    const sot_reserved *reserved = sot_state_find(&ledger->state, reservation->id);
    if (reserved == NULL || strcmp(reserved->hash, reservation->after.head) != 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "reservation %llu is not in ledger %s; commit to the ledger that "
                        "was charged",
                        (unsigned long long)reservation->id,
                        sot_store_name(ledger->store));
    }
    if (reserved->committed) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "reservation %llu was committed already; reserve again for "
                        "another output",
                        (unsigned long long)reservation->id);
    }
    *out_reserved = reserved;
    return SOTTO_OK;
}

sotto_status sotto_ledger_commit(sotto_ledger *ledger,
                                 const sotto_reservation *reservation,
                                 const char *output_hash, sotto_error *error)
{
    return sot_ledger_commit_kept(ledger, reservation, output_hash, NULL, NULL, error);
}

sotto_status sot_ledger_commit_kept(sotto_ledger *ledger,
                                    const sotto_reservation *reservation,
                                    const char *output_hash, const char *last,
                                    const sot_kept_mark *mark, sotto_error *error)
{
    const sot_reserved *reserved = NULL;
    sot_entry entry = {.kind = SOTTO_LEDGER_COMMIT, .order = SOTTO_UNSET};
    sotto_status status = sot_entry_check_hash("output's hash", output_hash, error);
    if (status != SOTTO_OK) return status;
    entry.reservation = reservation->id;
    memcpy(entry.output, output_hash, sizeof entry.output);
    if (mark != NULL) {
        memcpy(entry.checkpoint, mark->checkpoint, sizeof entry.checkpoint);
        memcpy(entry.seal_key, mark->seal_key, sizeof entry.seal_key);
    }
    status = sot_ledger_begin(ledger, true, error);
    if (status != SOTTO_OK) return status;
    status = last == NULL || SOT_PLANTED(ledger_commits_an_older_state)
                 ? sot_ledger_find_open(ledger, reservation, &reserved, error)
                 : sot_ledger_find_last(ledger, reservation, last, error);
    if (status != SOTTO_OK) {
        sot_store_rollback(ledger->store);
        return status;
    }
    /* Rows are public, and how long a run took may tell of its records or, of a tuning, how many trainings there
     * were. A run with checkpoints has told its time already. */
    if (last == NULL) entry.time_seconds = reserved->time_seconds;
    return sot_ledger_append(ledger, &entry, NULL, error);
}

sotto_status sotto_ledger_grant(sotto_ledger *ledger, double epsilon, double delta,
                                const char *reason, sotto_error *error)
{
    sot_entry entry = {.kind = SOTTO_LEDGER_GRANT,
                       .epsilon = epsilon,
                       .delta = delta,
                       .order = SOTTO_UNSET};
    sotto_status status = sot_entry_check_text("reason", reason, error);
    if (status != SOTTO_OK) return status;
    memcpy(entry.text, reason, strlen(reason) + 1);
    status = sot_ledger_begin(ledger, true, error);
    if (status != SOTTO_OK) return status;
    entry.own_delta = sot_mul_down(delta, ledger->state.own_share);
    status = sot_state_price(&ledger->state, &entry, error);
    if (status != SOTTO_OK) {
        sot_store_rollback(ledger->store);
        return status;
    }
    return sot_ledger_append(ledger, &entry, NULL, error);
}
