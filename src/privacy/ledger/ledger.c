#include <sotto/ledger.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sotto/version.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "numeric/outward.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/handle.h"
#include "privacy/ledger/kept.h"
#include "privacy/ledger/pricing.h"
#include "privacy/ledger/room.h"

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
    if (row != state->rows)
        return sot_state_take(state, line, size_bytes, row, &entry, error);
    const sotto_status status = sot_entry_parse(line, size_bytes, row, &entry, error);
    if (status != SOTTO_OK) return status;
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
    sotto_status status = sot_store_read(ledger->store, first, SOT_STORE_END,
                                         take_in_and_count, &counted, error);
    if (status == SOTTO_OK && counted.lines == 0) {
        status =
            sot_fail(error, SOTTO_VERIFICATION,
                     "ledger %s: rows that were there are gone; restore it and check it "
                     "against the last certificate",
                     sot_store_name(ledger->store));
    }
    return status;
}

/* Ends the transaction, and drops the state read in it; the next call reads it again. */
static void abandon(sotto_ledger *ledger)
{
    sot_store_rollback(ledger->store);
    sot_state_free(&ledger->state);
}

sotto_status sot_ledger_begin(sotto_ledger *ledger, bool to_write, sotto_error *error)
{
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
                               const sotto_plan *plan, const sotto_key *key,
                               sotto_error *error)
{
    char *line = NULL;
    size_t size_bytes = 0;
    sot_entry read_back;
    entry->row = ledger->state.rows + 1;
    if (entry->time_seconds == 0) entry->time_seconds = (int64_t)time(NULL);
    memcpy(entry->previous, ledger->state.head, sizeof entry->previous);
    sotto_status status = sot_entry_write(entry, plan, key, &line, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sot_state_take(&ledger->state, line, size_bytes, entry->row, &read_back,
                                error);
    if (status == SOTTO_OK) status = sot_store_raise_format(ledger->store, error);
    if (status == SOTTO_OK)
        status = sot_store_append(ledger->store, entry->row, line, size_bytes, error);
    sot_free(line);
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
    sot_state_whole_balance(&ledger->state, out);
    sot_store_rollback(ledger->store);
    return SOTTO_OK;
}

/* ---- charging ---- */

sotto_status sotto_ledger_reserve(sotto_ledger *ledger, const sotto_plan *plan,
                                  double sampler_error, const char *label,
                                  sotto_reservation *out_reservation, sotto_error *error)
{
    const sot_request request = {.plan = plan,
                                 .sampler_error = sampler_error,
                                 .delta = SOTTO_UNSET,
                                 .label = label,
                                 .noise = "not stated",
                                 .checkpoint = ""};
    return sot_ledger_charge(ledger, &request, out_reservation, error);
}

/* Fills in a reserve row; nothing is written. */
static sotto_status make_reserve(const sot_state *state, const sot_request *request,
                                 sot_entry *out_entry, sotto_error *error)
{
    *out_entry = sot_entry_new(SOTTO_LEDGER_RESERVE);
    out_entry->members.count = state->members.count;
    (void)snprintf(out_entry->text, sizeof out_entry->text, "%s", request->label);
    (void)snprintf(out_entry->checkpoint, sizeof out_entry->checkpoint, "%s",
                   request->checkpoint);
    (void)snprintf(out_entry->noise, sizeof out_entry->noise, "%s", request->noise);
    (void)snprintf(out_entry->request, sizeof out_entry->request, "%s",
                   request->asked == NULL ? "" : request->asked);
    (void)snprintf(out_entry->software, sizeof out_entry->software, "sotto %s",
                   sotto_version());
    /* A pure plan costs its sum in the basic member or, if no member covers that, its certified epsilon. If no member covers
     * the run at its own delta, the basic member may at all the delta that it has left. */
    const double left = sot_price_delta_left(state);
    const double deltas[] = {request->delta, request->delta, left};
    sotto_status status = SOTTO_BUDGET_EXCEEDED;
    for (int i = 0; i < 3 && status == SOTTO_BUDGET_EXCEEDED; i++) {
        if (i > 0 && !(left > 0.0)) break;
        if (i == 1 && !sot_price_has_sum(request->plan)) continue;
        status = sot_price_plan(state, request->plan, request->sampler_error, deltas[i],
                                i == 0 ? SOT_POINT_SUM : SOT_POINT_CERTIFIED,
                                &out_entry->charges, error);
        if (status == SOTTO_OK)
            status = sot_admit(state, request->plan, &out_entry->charges,
                               &out_entry->sums, error);
    }
    return status;
}

void sot_reservation_fill(const sot_state *before, const sot_state *after,
                          const sot_entry *entry, sotto_reservation *out)
{
    const sot_charges sums = sot_state_sums(after);
    const size_t member = sot_state_best(after, &sums);
    const size_t shown = member < after->members.count ? member : 0;
    sot_state_balance(before, member, &out->before);
    sot_state_balance(after, member, &out->after);
    sot_room_find(after, &out->after.room);
    out->id = entry->row;
    out->charged =
        sot_member_value(&after->members.at[shown], entry->charges.at[shown], true);
    out->delta_charged = sot_sub_up(out->after.delta_spent, out->before.delta_spent);
}

sotto_status sot_ledger_charge(sotto_ledger *ledger, const sot_request *request,
                               sotto_reservation *out_reservation, sotto_error *error)
{
    sot_entry entry;
    sotto_status status = sot_entry_check_text("label", request->label, error);
    if (status == SOTTO_OK) status = sot_ledger_begin(ledger, true, error);
    if (status != SOTTO_OK) return status;
    status = make_reserve(&ledger->state, request, &entry, error);
    if (status != SOTTO_OK) {
        sot_store_rollback(ledger->store); /* nothing was written, the state is good */
        return status;
    }
    const sot_state before =
        ledger->state; /* its amounts; the list of reservations is not read */
    status = sot_ledger_append(ledger, &entry, request->plan, NULL, error);
    if (status == SOTTO_OK)
        sot_reservation_fill(&before, &ledger->state, &entry, out_reservation);
    return status;
}

sotto_status sotto_ledger_try(sotto_ledger *ledger, const sotto_plan *plan,
                              double sampler_error, double delta,
                              sotto_ledger_preview *out, sotto_error *error)
{
    const sot_request request = {.plan = plan,
                                 .sampler_error = sampler_error,
                                 .delta = delta,
                                 .label = "a plan",
                                 .noise = "none",
                                 .checkpoint = ""};
    sot_entry entry;
    sotto_status status = sot_ledger_begin(ledger, false, error);
    if (status != SOTTO_OK) return status;
    *out = (sotto_ledger_preview){.charged = SOTTO_UNSET};
    status = make_reserve(&ledger->state, &request, &entry, &out->reason);
    out->admitted = status == SOTTO_OK;
    if (out->admitted) {
        sotto_reservation reservation;
        sot_state after =
            ledger->state; /* borrows the list of reservations, reads it not */
        sot_members_set_sums(&after.members, &entry.sums);
        after.own_spent = entry.sums.own;
        after.sampler_spent = entry.sums.sampler;
        after.specks = entry.sums.specks;
        sot_reservation_fill(&ledger->state, &after, &entry, &reservation);
        out->charged = reservation.charged;
        out->after = reservation.after;
    }
    sot_store_rollback(ledger->store);
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status, "%s", out->reason.message);
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
    sot_entry entry = sot_entry_new(SOTTO_LEDGER_COMMIT);
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
    const sot_reserved *reserved = NULL;
    status = sot_ledger_find_open(ledger, reservation, &reserved, error);
    if (status == SOTTO_OK && last != NULL)
        status = sot_ledger_find_last(ledger, reservation, last, error);
    if (status != SOTTO_OK) {
        sot_store_rollback(ledger->store);
        return status;
    }
    /* Rows are public, and the time of a run may reveal its records or, for a tuning, the number of
     * trainings. A run with rows about its states has revealed its time already. */
    if (reserved->step == 0) entry.time_seconds = reserved->time_seconds;
    return sot_ledger_append(ledger, &entry, NULL, NULL, error);
}

/* A grant is the curator's to make where the ledger names one. */
static sotto_status check_key(const sot_state *state, const sotto_key *key,
                              sotto_error *error)
{
    const bool named = state->curator[0] != '\0';
    if (!named && key == NULL) return SOTTO_OK;
    if (!named) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`key` is given, but the ledger of %s names no curator; leave `key` out",
            state->dataset);
    }
    if (key != NULL && strcmp(sotto_key_public(key), state->curator) == 0)
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "only the curator of %s may raise its budget; sign with the secret "
                    "key of ed25519:%.16s..., for example `key=curator.key`%s",
                    state->dataset, state->curator,
                    key != NULL ? " (the given key is another one)" : "");
}

sotto_status sotto_ledger_grant(sotto_ledger *ledger, double epsilon, double delta,
                                const char *reason, const sotto_key *key,
                                sotto_error *error)
{
    sot_entry entry = sot_entry_new(SOTTO_LEDGER_GRANT);
    sotto_status status = sot_entry_check_text("reason", reason, error);
    if (status != SOTTO_OK) return status;
    memcpy(entry.text, reason, strlen(reason) + 1);
    status = sot_ledger_begin(ledger, true, error);
    if (status != SOTTO_OK) return status;
    const bool is_zcdp = !isnan(ledger->state.budget.rho);
    entry.budget = (sot_budget){.epsilon = is_zcdp ? 0.0 : epsilon,
                                .delta = delta,
                                .own_delta = sot_mul_down(delta, ledger->state.own_share),
                                .rho = is_zcdp ? epsilon : SOTTO_UNSET};
    status = check_key(&ledger->state, key, error);
    if (status == SOTTO_OK) status = sot_state_price(&ledger->state, &entry, error);
    if (status != SOTTO_OK) {
        sot_store_rollback(ledger->store);
        return status;
    }
    return sot_ledger_append(ledger, &entry, NULL, key, error);
}
