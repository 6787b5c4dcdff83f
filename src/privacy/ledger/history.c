/* All rows of a ledger, from the file or from an export: shown, exported, checked. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/handle.h"
#include "privacy/ledger/pricing.h"
#include "privacy/ledger/relation.h"
#include "privacy/ledger/room.h"

/* A visit of all rows that verifies each and then calls its function. */
typedef struct walk {
    sot_state state;
    size_t member;       /* whose currency the visitor sees: the best one of all rows */
    sot_charges charges; /* of the last row */
    sotto_ledger_visitor visitor; /* NULL: none */
    void *context;
    const char *expected_head; /* NULL: none */
    bool found_head;
    bool reprices; /* each charge against its plan */
    bool gathers;  /* every event into `all` */
    sotto_plan *all;
} walk;

static void end_walk(walk *w)
{
    sot_state_free(&w->state);
    sotto_plan_free(w->all);
}

/* Within the rounding of another C library: the accountant's bounds are within 1e-9 of
 * each other. */
static bool is_paid(int64_t charged, int64_t price)
{
    if (charged == SOT_MISSING) return true; /* no price is more than any */
    return price != SOT_MISSING && price - price / 1000000000 - 1 <= charged;
}

/* Every member must have been charged the price of the plan. A row of the older form has its first member's charge; the
 * other one is priced when it is read. */
static sotto_status check_price(const walk *w, const sot_entry *entry,
                                const sotto_plan *plan, sotto_error *error)
{
    sot_charges price;
    sotto_error cause;
    const bool is_older = entry->format == SOT_LEDGER_FORMAT_OLDER;
    const sotto_status status =
        sot_price_plan_again(&w->state, plan, entry->charges.point_delta, &price, &cause);
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status, "%s", cause.message);
    if (status != SOTTO_OK) {
        return sot_fail(error, SOTTO_VERIFICATION, "row %llu of the ledger: %.200s",
                        (unsigned long long)entry->row, cause.message);
    }
    bool paid = is_paid(entry->charges.own, price.own);
    for (size_t i = 0; i < (is_older ? 1 : w->state.members.count); i++) {
        const sot_member *member = &w->state.members.at[i];
        if (is_paid(entry->charges.at[i], price.at[i])) continue;
        return sot_fail(
            error, SOTTO_VERIFICATION,
            "row %llu of the ledger was charged %.9g by the %s member, but its "
            "plan costs %.9g",
            (unsigned long long)entry->row,
            sot_member_value(member, entry->charges.at[i], false),
            sotto_member_name(member->kind), sot_member_value(member, price.at[i], true));
    }
    if (paid && entry->charges.point_delta >= price.point_delta) return SOTTO_OK;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "row %llu of the ledger was charged an own delta of %g, but that of "
                    "its plan is %g",
                    (unsigned long long)entry->row,
                    ldexp((double)entry->charges.own, SOT_DELTA_UNIT),
                    ldexp((double)price.own, SOT_DELTA_UNIT));
}

static sotto_status gather_events(sotto_plan *all, const sotto_plan *plan,
                                  sotto_error *error)
{
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_status status = sotto_plan_add(all, sotto_plan_event(plan, i), error);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

/* A run of units in a ledger of rows counts as two steps here too. */
static sotto_status gather(const walk *w, const sotto_plan *plan, sotto_error *error)
{
    int steps = 1;
    sot_two_steps two = {NULL, NULL};
    sotto_status status = sot_relation_steps(&w->state, plan, &steps, error);
    if (status != SOTTO_OK) return status;
    if (steps == 1) return gather_events(w->all, plan, error);
    status = sot_two_steps_new(plan, &two, error);
    if (status == SOTTO_OK && two.chained != NULL)
        status = sot_fail(error, SOTTO_UNREACHABLE,
                          "a run of units has no exact price over two steps");
    if (status == SOTTO_OK) status = gather_events(w->all, two.known, error);
    sot_two_steps_clear(&two);
    return status;
}

static sotto_status look_at_plan(const walk *w, const char *line, size_t size_bytes,
                                 const sot_entry *entry, sotto_error *error)
{
    sotto_plan *plan;
    sotto_error cause;
    sotto_status status = sot_entry_plan(line, size_bytes, &plan, &cause);
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status, "%s", cause.message);
    if (status != SOTTO_OK) {
        return sot_fail(error, SOTTO_VERIFICATION, "row %llu of the ledger: %.200s",
                        (unsigned long long)entry->row, cause.message);
    }
    if (w->reprices) status = check_price(w, entry, plan, error);
    if (status == SOTTO_OK && w->gathers) status = gather(w, plan, error);
    sotto_plan_free(plan);
    return status;
}

static sotto_status call_visitor(const walk *w, const sot_entry *entry,
                                 double delta_before, sotto_error *error)
{
    sotto_ledger_balance balance;
    sot_state_balance(&w->state, w->member, &balance);
    const size_t shown = w->member < w->state.members.count ? w->member : 0;
    const bool is_budget =
        entry->kind == SOTTO_LEDGER_INIT || entry->kind == SOTTO_LEDGER_GRANT;
    const bool is_charge = entry->kind == SOTTO_LEDGER_RESERVE;
    const bool is_zcdp = !isnan(entry->budget.rho);
    const sotto_ledger_entry shown_entry = {
        .kind = entry->kind,
        .row = entry->row,
        .time_seconds = entry->time_seconds,
        .text = entry->text,
        .epsilon = !is_budget ? SOTTO_UNSET
                   : is_zcdp  ? entry->budget.rho
                              : entry->budget.epsilon,
        .delta = is_budget ? entry->budget.delta : SOTTO_UNSET,
        .charged = is_charge ? sot_member_value(&w->state.members.at[shown],
                                                w->charges.at[shown], true)
                             : SOTTO_UNSET,
        .delta_charged =
            is_charge ? sot_sub_up(balance.delta_spent, delta_before) : SOTTO_UNSET,
        .reservation = entry->reservation,
        .step = entry->step,
        .output_hash = entry->output,
        .hash = entry->hash,
        .budget = balance.budget,
        .spent = balance.spent,
        .noise = entry->noise,
        .software = entry->software,
        .is_signed = entry->signature[0] != '\0',
    };
    return w->visitor(&shown_entry, w->context, error);
}

/* The charges of the row that was taken last, as the members counted them. */
static void note_charges(walk *w, const sot_charges *before)
{
    const sot_charges after = sot_state_sums(&w->state);
    for (size_t i = 0; i < w->state.members.count; i++)
        w->charges.at[i] = after.at[i] == SOT_MISSING || before->at[i] == SOT_MISSING
                               ? SOT_MISSING
                               : after.at[i] - before->at[i];
}

static sotto_status step(const char *line, size_t size_bytes, uint64_t row, void *context,
                         sotto_error *error)
{
    walk *w = context;
    sot_entry entry;
    sotto_ledger_balance before = {.delta_spent = 0.0};
    const sot_charges sums = sot_state_sums(&w->state);
    if (w->state.rows > 0) sot_state_balance(&w->state, w->member, &before);
    sotto_status status = sot_state_take(&w->state, line, size_bytes, row, &entry, error);
    if (status != SOTTO_OK) return status;
    note_charges(w, &sums);
    if (w->expected_head != NULL && strcmp(entry.hash, w->expected_head) == 0)
        w->found_head = true;
    if (entry.kind == SOTTO_LEDGER_INIT && w->gathers) {
        status = sotto_plan_new(entry.adjacency, &w->all, error);
        if (status != SOTTO_OK) return status;
    }
    if (entry.kind == SOTTO_LEDGER_RESERVE && (w->reprices || w->gathers)) {
        status = look_at_plan(w, line, size_bytes, &entry, error);
        if (status != SOTTO_OK) return status;
    }
    return w->visitor != NULL ? call_visitor(w, &entry, before.delta_spent, error)
                              : SOTTO_OK;
}

/* ---- rows of one moment, read in parts ---- */

/* A reader that prints may wait for its own reader for hours, and a transaction would hold up every writer meanwhile. So
 * each part is copied in a transaction of its own, and looked at after its end. Rows are only added, and their hashes
 * chain them: up to the row that was the head at the beginning, the parts are one moment. */
enum { PART_ROWS = 256, PART_BYTES = 1 << 20 }; /* at least one row, of up to 2 MiB */

typedef struct part {
    char *bytes; /* lines, each followed by a line feed and a NUL */
    size_t used_bytes, capacity_bytes;
    size_t sizes[PART_ROWS];
    size_t count;
} part;

static sotto_status copy_line(const char *line, size_t size_bytes, uint64_t row,
                              void *context, sotto_error *error)
{
    part *p = context;
    (void)row;
    if (p->count == PART_ROWS || p->used_bytes >= PART_BYTES) return SOTTO_OK;
    const size_t needed = p->used_bytes + size_bytes + 2;
    if (needed > p->capacity_bytes) {
        char *grown = sot_resize_array(p->bytes, p->capacity_bytes, 2 * needed, 1);
        if (grown == NULL) return sot_fail_memory(error, 2 * needed, 1);
        p->bytes = grown;
        p->capacity_bytes = 2 * needed;
    }
    memcpy(p->bytes + p->used_bytes, line, size_bytes);
    p->bytes[needed - 2] = '\n';
    p->bytes[needed - 1] = '\0';
    p->used_bytes = needed;
    p->sizes[p->count++] = size_bytes;
    return SOTTO_OK;
}

static sotto_status read_part(sotto_ledger *ledger, uint64_t first, uint64_t last,
                              part *p, sotto_error *error)
{
    p->count = p->used_bytes = 0;
    if (last - first >= PART_ROWS) last = first + PART_ROWS - 1;
    sotto_status status = sot_ledger_begin(ledger, false, error);
    if (status != SOTTO_OK) return status;
    status = sot_store_read(ledger->store, first, last, copy_line, p, error);
    sot_store_rollback(ledger->store);
    if (status == SOTTO_OK && p->count == 0)
        status = sot_fail(error, SOTTO_VERIFICATION,
                          "row %llu of the ledger is gone; restore the ledger and check "
                          "it against the last certificate",
                          (unsigned long long)first);
    return status;
}

/* Calls `look` with every row up to `last`, outside of any transaction. A line feed and a NUL follow each line. */
static sotto_status read_in_parts(sotto_ledger *ledger, uint64_t last,
                                  sot_store_reader look, void *context,
                                  sotto_error *error)
{
    part p = {.bytes = NULL};
    sotto_status status = SOTTO_OK;
    for (uint64_t row = 1; row <= last && status == SOTTO_OK;) {
        const char *line = NULL;
        status = read_part(ledger, row, last, &p, error);
        line = p.bytes;
        for (size_t i = 0; i < p.count && status == SOTTO_OK; i++, row++) {
            status = look(line, p.sizes[i], row, context, error);
            line += p.sizes[i] + 2;
        }
    }
    sot_free(p.bytes);
    return status;
}

/* Visits all rows of one snapshot; `w` and `look` see them after the end of the
 * transaction. */
static sotto_status walk_ledger(sotto_ledger *ledger, walk *w, bool checks_structure,
                                sot_store_reader look, void *context, sotto_error *error)
{
    char head[SOTTO_HASH_HEX_BYTES];
    w->state = sot_state_new();
    sotto_status status = sot_ledger_begin(ledger, false, error);
    if (status != SOTTO_OK) return status;
    const uint64_t rows = ledger->state.rows;
    memcpy(head, ledger->state.head, sizeof head);
    const sot_charges sums = sot_state_sums(&ledger->state);
    w->member = sot_state_best(&ledger->state, &sums);
    if (checks_structure) status = sot_store_check_structure(ledger->store, error);
    sot_store_rollback(ledger->store);
    if (status == SOTTO_OK) status = read_in_parts(ledger, rows, look, context, error);
    if (status == SOTTO_OK && strcmp(w->state.head, head) != 0)
        status = sot_fail(error, SOTTO_VERIFICATION,
                          "row %llu of the ledger changed while it was read; restore the "
                          "ledger and check it against the last certificate",
                          (unsigned long long)rows);
    return status;
}

sotto_status sotto_ledger_visit(sotto_ledger *ledger, sotto_ledger_visitor visitor,
                                void *context, sotto_error *error)
{
    walk w = {.visitor = visitor, .context = context};
    const sotto_status status = walk_ledger(ledger, &w, false, step, &w, error);
    end_walk(&w);
    return status;
}

/* ---- export ---- */

typedef struct export_walk {
    walk walk;
    sotto_ledger_sink sink;
    void *context;
} export_walk;

static sotto_status export_line(const char *line, size_t size_bytes, uint64_t row,
                                void *context, sotto_error *error)
{
    export_walk *w = context;
    const sotto_status status = step(line, size_bytes, row, &w->walk, error);
    return status == SOTTO_OK ? w->sink(line, size_bytes + 1, w->context, error) : status;
}

sotto_status sotto_ledger_export(sotto_ledger *ledger, sotto_ledger_sink sink,
                                 void *context, sotto_error *error)
{
    export_walk w = {.sink = sink, .context = context};
    const sotto_status status =
        walk_ledger(ledger, &w.walk, false, export_line, &w, error);
    end_walk(&w.walk);
    return status;
}

/* ---- check ---- */

static sotto_status check_anchor(const walk *w, sotto_error *error)
{
    if (w->expected_head == NULL || w->found_head) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_VERIFICATION,
        "the expected head %.16s... is not among this ledger's hashes; it is an older "
        "copy, or another ledger: find the one that has it",
        w->expected_head);
}

sotto_status sotto_ledger_check(sotto_ledger *ledger, const char *expected_head,
                                sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if (expected_head != NULL)
        status = sot_entry_check_hash("expected head", expected_head, error);
    if (status != SOTTO_OK) return status;
    walk w = {.expected_head = expected_head, .reprices = true};
    status = walk_ledger(ledger, &w, true, step, &w, error);
    if (status == SOTTO_OK) status = check_anchor(&w, error);
    end_walk(&w);
    return status;
}

sotto_status sotto_ledger_check_export(const char *text, size_t size_bytes,
                                       const char *expected_head,
                                       sotto_ledger_balance *out_balance,
                                       sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if (expected_head != NULL)
        status = sot_entry_check_hash("expected head", expected_head, error);
    if (status != SOTTO_OK) return status;
    walk w = {.state = sot_state_new(), .expected_head = expected_head, .reprices = true};
    for (size_t at = 0; status == SOTTO_OK && at < size_bytes;) {
        const char *end = memchr(text + at, '\n', size_bytes - at);
        const size_t length = end != NULL ? (size_t)(end - text) - at : size_bytes - at;
        status = end == NULL ? sot_fail(error, SOTTO_VERIFICATION,
                                        "row %llu of the ledger: its line is cut short",
                                        (unsigned long long)w.state.rows + 1)
                             : step(text + at, length, w.state.rows + 1, &w, error);
        at += length + 1;
    }
    if (status == SOTTO_OK && w.state.rows == 0) {
        status =
            sot_fail(error, SOTTO_VERIFICATION,
                     "there are no rows; give a file that 'sotto ledger export' wrote");
    }
    if (status == SOTTO_OK) status = check_anchor(&w, error);
    if (status == SOTTO_OK && out_balance != NULL)
        sot_state_whole_balance(&w.state, out_balance);
    end_walk(&w);
    return status;
}

/* ---- information ---- */

/* The samplers' total variation tau costs (1 + e^epsilon) tau of delta, with an epsilon that is
 * at most the ledger's: taken off first. */
static double delta_without_samplers(const sot_state *state)
{
    int64_t price = 0;
    (void)sot_state_sampler_delta(state, state->specks, state->sampler_spent, &price);
    const double left =
        sot_sub_down(state->budget.delta, sot_amount_value_up(price, SOT_DELTA_UNIT));
    return left > 0.0 ? left : 0.0;
}

sotto_status sotto_ledger_account(sotto_ledger *ledger, sotto_accountant accountant,
                                  sotto_account *out_account, sotto_error *error)
{
    walk w = {.gathers = true};
    sotto_status status = walk_ledger(ledger, &w, false, step, &w, error);
    if (status == SOTTO_OK && sotto_plan_size(w.all) == 0)
        status = sot_fail(error, SOTTO_UNREACHABLE, "nothing has been charged yet");
    if (status == SOTTO_OK) {
        status = sotto_account_epsilon(
            w.all, accountant, delta_without_samplers(&w.state), out_account, error);
    }
    if (status == SOTTO_OK) out_account->delta = w.state.budget.delta;
    end_walk(&w);
    return status;
}
