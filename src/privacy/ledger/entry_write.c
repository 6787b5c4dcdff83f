/* The members of a row, as JSON. */
#include <math.h>

#include "privacy/accounting/plan/json_write.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/entry.h"

static void write_text_or_null(sot_json_writer *writer, const char *key, const char *text)
{
    sot_json_key(writer, key);
    if (text[0] == '\0') {
        sot_json_write_null(writer);
    } else {
        sot_json_write_string(writer, text);
    }
}

/* One amount of each member; null for one that has no price. */
static void write_amounts(sot_json_writer *writer, const char *key,
                          const int64_t *amounts, size_t count)
{
    sot_json_open_array(writer, key);
    for (size_t i = 0; i < count; i++) {
        if (amounts[i] == SOT_MISSING) {
            sot_json_write_null(writer);
        } else {
            sot_json_write_int64(writer, amounts[i]);
        }
    }
    sot_json_end_array(writer);
}

static void write_budget(sot_json_writer *writer, const sot_entry *entry)
{
    int64_t budgets[SOTTO_LEDGER_MEMBERS_MAX];
    for (size_t i = 0; i < entry->members.count; i++)
        budgets[i] = entry->members.at[i].budget;
    sot_json_put_number_or_null(writer, "epsilon", entry->budget.epsilon);
    sot_json_put_number_or_null(writer, "delta", entry->budget.delta);
    sot_json_put_number_or_null(writer, "own_delta", entry->budget.own_delta);
    sot_json_put_number_or_null(writer, "rho", entry->budget.rho);
    write_amounts(writer, "budgets", budgets, entry->members.count);
}

static void write_unit(sot_json_writer *writer, const sot_entry *entry)
{
    sot_json_key(writer, "unit");
    if (entry->unit[0] == '\0') {
        sot_json_write_null(writer);
        return;
    }
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "column", entry->unit);
    sot_json_put_int64(writer, "rows", (int64_t)entry->unit_rows);
    sot_json_end_object(writer);
}

static void write_init(sot_json_writer *writer, const sot_entry *entry)
{
    sot_json_put_int64(writer, "format", SOT_LEDGER_FORMAT);
    sot_json_put_text(writer, "dataset", entry->dataset);
    sot_json_put_text(writer, "adjacency", sotto_adjacency_name(entry->adjacency));
    write_unit(writer, entry);
    sot_json_open_array(writer, "members");
    for (size_t i = 0; i < entry->members.count; i++) {
        const sot_member *member = &entry->members.at[i];
        sot_json_begin_object(writer);
        sot_json_put_text(writer, "kind", sotto_member_name(member->kind));
        sot_json_put_int64(writer, "weight", (int64_t)member->weight);
        sot_json_put_number(writer, "order", member->order);
        sot_json_end_object(writer);
    }
    sot_json_end_array(writer);
    write_budget(writer, entry);
    write_text_or_null(writer, "curator", entry->curator);
    sot_json_put_text(writer, "nonce", entry->nonce);
    sot_json_put_text(
        writer, "units",
        "basic 10^-12, other members 2^-40, deltas 2^-62, sampler_error 2^-90");
}

static void write_reserve(sot_json_writer *writer, const sot_entry *entry,
                          const sotto_plan *plan)
{
    const sot_charges *charges = &entry->charges, *sums = &entry->sums;
    sot_json_put_text(writer, "label", entry->text);
    if (entry->checkpoint[0] != '\0')
        sot_json_put_text(writer, "checkpoint", entry->checkpoint);
    sot_json_put_text(writer, "noise", entry->noise);
    sot_json_put_text(writer, "software", entry->software);
    if (entry->request[0] != '\0') sot_json_put_text(writer, "request", entry->request);
    write_amounts(writer, "charges", charges->at, entry->members.count);
    sot_json_put_int64(writer, "point_delta", charges->point_delta);
    sot_json_put_int64(writer, "own_delta", charges->own);
    sot_json_put_int64(writer, "sampler_error", charges->sampler);
    sot_json_put_int64(writer, "specks", charges->specks);
    write_amounts(writer, "charge_sums", sums->at, entry->members.count);
    sot_json_put_int64(writer, "point_delta_sum", sums->point_delta);
    sot_json_put_int64(writer, "own_delta_sum", sums->own);
    sot_json_put_int64(writer, "sampler_error_sum", sums->sampler);
    sot_json_put_int64(writer, "specks_sum", sums->specks);
    sot_json_key(writer, "plan");
    sot_plan_write(plan, writer);
}

static void write_seal(sot_json_writer *writer, const sot_entry *entry)
{
    if (entry->checkpoint[0] == '\0') return;
    sot_json_put_text(writer, "checkpoint", entry->checkpoint);
    sot_json_put_text(writer, "seal_key", entry->seal_key);
}

void sot_entry_write_members(sot_json_writer *writer, const sot_entry *entry,
                             const sotto_plan *plan)
{
    sot_json_put_int64(writer, "row", (int64_t)entry->row);
    sot_json_put_text(writer, "kind", sot_entry_kind_name(entry->kind));
    sot_json_put_int64(writer, "time", entry->time_seconds);
    switch (entry->kind) {
    case SOTTO_LEDGER_INIT:
        write_init(writer, entry);
        break;
    case SOTTO_LEDGER_GRANT:
        write_budget(writer, entry);
        sot_json_put_text(writer, "reason", entry->text);
        break;
    case SOTTO_LEDGER_RESERVE:
        write_reserve(writer, entry, plan);
        break;
    case SOTTO_LEDGER_COMMIT:
        sot_json_put_int64(writer, "reservation", (int64_t)entry->reservation);
        sot_json_put_text(writer, "output", entry->output);
        write_seal(writer, entry);
        break;
    case SOTTO_LEDGER_CHECKPOINT:
        sot_json_put_int64(writer, "reservation", (int64_t)entry->reservation);
        sot_json_put_int64(writer, "step", (int64_t)entry->step);
        write_seal(writer, entry);
        break;
    }
    sot_json_put_text(writer, "previous", entry->previous);
}
