#include "privacy/ledger/kept.h"

#include <string.h>

#include "base/error.h"
#include "base/plant.h"
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
                    "another process has gone on with the run of row %llu of "
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
    sotto_status status = sot_store_read(ledger->store, 1, look_for_name, s, error);
    if (status != SOTTO_OK || s->found == 0) return status;
    sot_kept_run *run = s->run;
    run->reservation.id = s->found;
    const sot_reserved *reserved = sot_state_find(&ledger->state, s->found);
    const bool last =
        reserved != NULL && (strcmp(reserved->checkpoint, s->checkpoint) == 0 ||
                             SOT_PLANTED(ledger_takes_older_checkpoint));
    run->place = last ? SOT_KEPT_LAST : SOT_KEPT_OLDER;
    if (!last) return SOTTO_OK;
    run->committed = reserved->committed;
    memcpy(run->output, reserved->output, sizeof run->output);
    s->wanted = s->found;
    return sot_store_read(ledger->store, 1, walk_to_reservation, s, error);
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
