#include "privacy/ledger/kept.h"

#include <string.h>
#include <time.h>

#include "base/error.h"
#include "privacy/ledger/handle.h"
#include "privacy/ledger/paid.h"

sotto_status sot_ledger_find_last(sotto_ledger *ledger,
                                  const sotto_reservation *reservation, const char *last,
                                  sotto_error *error)
{
    const sot_reserved *reserved;
    const sotto_status status =
        sot_ledger_find_open(ledger, reservation, &reserved, error);
    if (status != SOTTO_OK || strcmp(reserved->checkpoint, last) == 0) return status;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "another process has resumed the run of row %llu of "
                    "ledger %s; let it finish",
                    (unsigned long long)reservation->id, sot_store_name(ledger->store));
}

sotto_status sot_ledger_keep(sotto_ledger *ledger, const sotto_reservation *reservation,
                             uint64_t step, const char *last, const sot_kept_mark *mark,
                             sotto_error *error)
{
    sot_entry entry = sot_entry_new(SOTTO_LEDGER_CHECKPOINT);
    entry.reservation = reservation->id;
    entry.step = step;
    memcpy(entry.checkpoint, mark->checkpoint, sizeof entry.checkpoint);
    memcpy(entry.seal_key, mark->seal_key, sizeof entry.seal_key);
    sotto_status status = sot_ledger_begin(ledger, true, error);
    if (status != SOTTO_OK) return status;
    status = sot_ledger_find_last(ledger, reservation, last, error);
    if (status != SOTTO_OK) {
        sot_store_rollback(ledger->store);
        return status;
    }
    return sot_ledger_append(ledger, &entry, NULL, NULL, error);
}

/* ---- committing ---- */

enum { COMMIT_TRIES = 4, WAIT_MILLISECONDS = 50 };

static bool is_committed(sotto_ledger *ledger, const sotto_reservation *reservation,
                         const char *output_hash)
{
    sotto_error ignored;
    if (sot_ledger_begin(ledger, false, &ignored) != SOTTO_OK) return false;
    const sot_reserved *reserved = sot_state_find(&ledger->state, reservation->id);
    const bool is_there = reserved != NULL && reserved->committed &&
                          strcmp(reserved->output, output_hash) == 0;
    sot_store_rollback(ledger->store);
    return is_there;
}

sotto_status sot_ledger_commit_surely(sotto_ledger *ledger,
                                      const sotto_reservation *reservation,
                                      const char *output_hash, const char *last,
                                      const sot_kept_mark *mark, sotto_error *error)
{
    struct timespec wait = {.tv_nsec = WAIT_MILLISECONDS * 1000000L};
    for (int tries = 1;; tries++) {
        const sotto_status status =
            sot_ledger_commit_kept(ledger, reservation, output_hash, last, mark, error);
        if (status == SOTTO_OK || is_committed(ledger, reservation, output_hash))
            return SOTTO_OK;
        const bool may_pass = status == SOTTO_IO || status == SOTTO_OUT_OF_MEMORY;
        if (!may_pass || tries == COMMIT_TRIES) return status;
        (void)nanosleep(&wait, NULL);
        wait.tv_nsec *= 2;
    }
}

/* ---- finding a run again ---- */

typedef struct search {
    sot_state state;
    const char *checkpoint;
    const sotto_plan *plan;
    uint64_t wanted; /* row of the reservation; 0: not known yet */
    uint64_t found;  /* reservation of a row that names the file; 0: none */
    sot_kept_run *run;
} search;

/* Which run's row names the file; the last one that does. */
static sotto_status look_for_name(const char *line, size_t size_bytes, uint64_t row,
                                  void *context, sotto_error *error)
{
    search *s = context;
    sot_entry entry;
    const sotto_status status = sot_entry_parse(line, size_bytes, row, &entry, error);
    if (status != SOTTO_OK) return status;
    if (strcmp(entry.checkpoint, s->checkpoint) != 0) return SOTTO_OK;
    s->found = entry.kind == SOTTO_LEDGER_RESERVE ? row : entry.reservation;
    s->run->step = entry.step;
    memcpy(s->run->seal_key, entry.seal_key, sizeof s->run->seal_key);
    return SOTTO_OK;
}

/* The reservation as sot_ledger_charge() gave it: the balances of its own moment. */
static sotto_status take_reservation(search *s, const char *line, size_t size_bytes,
                                     const sot_entry *entry, const sot_state *before,
                                     sotto_error *error)
{
    sotto_plan *plan = NULL;
    sot_reservation_fill(before, &s->state, entry, &s->run->reservation);
    memcpy(s->run->label, entry->text, sizeof s->run->label);
    sotto_status status = sot_entry_plan(line, size_bytes, &plan, error);
    if (status == SOTTO_OK)
        status = sot_plans_compare(plan, s->plan, &s->run->same_plan, error);
    sotto_plan_free(plan);
    return status;
}

static sotto_status walk_to_reservation(const char *line, size_t size_bytes, uint64_t row,
                                        void *context, sotto_error *error)
{
    search *s = context;
    sot_entry entry;
    if (row > s->wanted) return SOTTO_OK;
    const sot_state before = s->state; /* its amounts */
    const sotto_status status =
        sot_state_take(&s->state, line, size_bytes, row, &entry, error);
    if (status != SOTTO_OK || row != s->wanted) return status;
    return take_reservation(s, line, size_bytes, &entry, &before, error);
}

static sotto_status find(sotto_ledger *ledger, search *s, sotto_error *error)
{
    sotto_status status =
        sot_store_read(ledger->store, 1, SOT_STORE_END, look_for_name, s, error);
    if (status != SOTTO_OK || s->found == 0) return status;
    sot_kept_run *run = s->run;
    run->reservation.id = s->found;
    const sot_reserved *reserved = sot_state_find(&ledger->state, s->found);
    const bool last =
        reserved != NULL && strcmp(reserved->checkpoint, s->checkpoint) == 0;
    run->place = last ? SOT_KEPT_LAST : SOT_KEPT_OLDER;
    if (!last) return SOTTO_OK;
    run->committed = reserved->committed;
    memcpy(run->output, reserved->output, sizeof run->output);
    s->wanted = s->found;
    return sot_store_read(ledger->store, 1, SOT_STORE_END, walk_to_reservation, s, error);
}

sotto_status sot_ledger_find_kept(sotto_ledger *ledger, const char *checkpoint,
                                  const sotto_plan *plan, sot_kept_run *out_run,
                                  sotto_error *error)
{
    search s = {
        .state = sot_state_new(), .checkpoint = checkpoint, .plan = plan, .run = out_run};
    *out_run = (sot_kept_run){.place = SOT_KEPT_UNKNOWN};
    sotto_status status = sot_ledger_begin(ledger, false, error);
    if (status != SOTTO_OK) return status;
    status = find(ledger, &s, error);
    sot_store_rollback(ledger->store);
    sot_state_free(&s.state);
    return status;
}

/* ---- finding an output again ---- */

typedef struct repeat {
    const char *asked;
    uint64_t row; /* the last reservation that asked for it; 0: none */
} repeat;

static sotto_status look_for_asked(const char *line, size_t size_bytes, uint64_t row,
                                   void *context, sotto_error *error)
{
    repeat *wanted = context;
    sot_entry entry;
    const sotto_status status = sot_entry_parse(line, size_bytes, row, &entry, error);
    if (status == SOTTO_OK && entry.kind == SOTTO_LEDGER_RESERVE &&
        strcmp(entry.request, wanted->asked) == 0)
        wanted->row = row;
    return status;
}

sotto_status sot_ledger_find_finished(sotto_ledger *ledger, const char *asked,
                                      sot_finished_run *out_run, sotto_error *error)
{
    repeat wanted = {.asked = asked};
    *out_run = (sot_finished_run){.row = 0};
    sotto_status status = sot_ledger_begin(ledger, false, error);
    if (status != SOTTO_OK) return status;
    status =
        sot_store_read(ledger->store, 1, SOT_STORE_END, look_for_asked, &wanted, error);
    sot_store_rollback(ledger->store);
    if (status != SOTTO_OK || wanted.row == 0) return status;
    const sot_reserved *reserved = sot_state_find(&ledger->state, wanted.row);
    if (reserved == NULL || !reserved->committed) return SOTTO_OK;
    out_run->row = wanted.row;
    memcpy(out_run->output, reserved->output, sizeof out_run->output);
    return SOTTO_OK;
}
