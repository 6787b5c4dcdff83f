#include "privacy/ledger/paid.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/json/writer.h"
#include "privacy/accounting/plan/json_write.h"
#include "privacy/ledger/handle.h"

static_assert((int)SOT_PAID_WORD_BYTES == (int)SOT_WORD_BYTES, "a word of a row");

static sotto_status write_plan(const sotto_plan *plan, sot_json_writer **out_writer,
                               const char **out_text, sotto_error *error)
{
    size_t size_bytes;
    const sotto_status status = sot_json_writer_new(false, out_writer, error);
    if (status != SOTTO_OK) return status;
    sot_plan_write(plan, *out_writer);
    return sot_json_writer_finish(*out_writer, out_text, &size_bytes, error);
}

sotto_status sot_plans_compare(const sotto_plan *a, const sotto_plan *b, bool *out_same,
                               sotto_error *error)
{
    sot_json_writer *first = NULL, *second = NULL;
    const char *first_text = NULL, *second_text = NULL;
    sotto_status status = write_plan(a, &first, &first_text, error);
    if (status == SOTTO_OK) status = write_plan(b, &second, &second_text, error);
    if (status == SOTTO_OK) *out_same = strcmp(first_text, second_text) == 0;
    sot_json_writer_free(first);
    sot_json_writer_free(second);
    return status;
}

typedef struct search {
    sot_state state;
    uint64_t row;
    const char *output;
    sot_paid_run *run;
} search;

/* A row of the older format has the sums of its one member, as the certificate of its time stated them. */
static void fill_older(const sot_state *state, const sot_entry *entry,
                       sotto_reservation *out)
{
    const sot_member *member = &state->members.at[0];
    const int64_t after = entry->sums.at[0], before = after - entry->charges.at[0];
    out->charged = sot_member_value(member, entry->charges.at[0], true);
    out->before.budget = out->after.budget =
        sot_member_value(member, member->budget, false);
    out->before.spent = sot_member_value(member, before, true);
    out->after.spent = sot_member_value(member, after, true);
    out->before.left = sot_member_value(member, member->budget - before, false);
    out->after.left = sot_member_value(member, member->budget - after, false);
}

static sotto_status take_reservation(search *s, const char *line, size_t size_bytes,
                                     const sot_entry *entry, const sot_state *before,
                                     sotto_error *error)
{
    sot_paid_run *run = s->run;
    run->is_older = entry->format == SOT_LEDGER_FORMAT_OLDER;
    sot_reservation_fill(before, &s->state, entry, &run->reservation);
    if (run->is_older) fill_older(&s->state, entry, &run->reservation);
    memcpy(run->noise, entry->noise, sizeof run->noise);
    return sot_entry_plan(line, size_bytes, &run->plan, error);
}

static sotto_status look_at(const char *line, size_t size_bytes, uint64_t row,
                            void *context, sotto_error *error)
{
    search *s = context;
    sot_entry entry;
    const sot_state before = s->state; /* its amounts */
    const sotto_status status =
        sot_state_take(&s->state, line, size_bytes, row, &entry, error);
    if (status != SOTTO_OK) return status;
    if (entry.kind == SOTTO_LEDGER_COMMIT && strcmp(entry.output, s->output) == 0 &&
        s->run->committed_for != s->row)
        s->run->committed_for = entry.reservation;
    if (entry.kind != SOTTO_LEDGER_RESERVE || row != s->row) return SOTTO_OK;
    return take_reservation(s, line, size_bytes, &entry, &before, error);
}

static sotto_status finish(search *s, sotto_status status)
{
    const sot_charges sums = sot_state_sums(&s->state);
    if (status == SOTTO_OK)
        sot_state_balance(&s->state, sot_state_best(&s->state, &sums), &s->run->last);
    sot_state_free(&s->state);
    if (status != SOTTO_OK) sot_paid_run_clear(s->run);
    return status;
}

sotto_status sot_ledger_find_paid(sotto_ledger *ledger, uint64_t row, const char *output,
                                  sot_paid_run *out_run, sotto_error *error)
{
    search s = {.state = sot_state_new(), .row = row, .output = output, .run = out_run};
    *out_run = (sot_paid_run){.plan = NULL};
    sotto_status status = sotto_ledger_check(ledger, NULL, error);
    if (status == SOTTO_OK) status = sot_ledger_begin(ledger, false, error);
    if (status != SOTTO_OK) return finish(&s, status);
    status = sot_store_read(ledger->store, 1, SOT_STORE_END, look_at, &s, error);
    sot_store_rollback(ledger->store);
    return finish(&s, status);
}

sotto_status sot_ledger_find_paid_export(const char *text, size_t size_bytes,
                                         uint64_t row, const char *output,
                                         sot_paid_run *out_run, sotto_error *error)
{
    search s = {.state = sot_state_new(), .row = row, .output = output, .run = out_run};
    *out_run = (sot_paid_run){.plan = NULL};
    sotto_status status = sotto_ledger_check_export(text, size_bytes, NULL, NULL, error);
    for (size_t at = 0; status == SOTTO_OK && at < size_bytes;) {
        const char *end = memchr(text + at, '\n', size_bytes - at);
        const size_t length = end != NULL ? (size_t)(end - text) - at : size_bytes - at;
        status = look_at(text + at, length, s.state.rows + 1, &s, error);
        at += length + 1;
    }
    return finish(&s, status);
}

void sot_paid_run_clear(sot_paid_run *run)
{
    sotto_plan_free(run->plan);
    *run = (sot_paid_run){.plan = NULL};
}
