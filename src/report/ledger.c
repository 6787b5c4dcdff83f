/* The ledger's section of a report. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/report.h"

typedef struct walk {
    sot_report_ledger *ledger;
    const char *hash; /* of the model; NULL: none */
} walk;

static void mark_own(sot_report_ledger *ledger, uint64_t reservation)
{
    for (size_t i = 0; i < ledger->count; i++) {
        if (ledger->entries[i].row != reservation) continue;
        ledger->entries[i].is_own = true;
        ledger->has_own = true;
    }
}

/* Rows of an older format, and programs that charge through the C interface, do not state their noise. */
static bool is_stated(const sotto_ledger_entry *entry)
{
    return entry->kind != SOTTO_LEDGER_RESERVE ||
           strcmp(entry->noise, "operating system") == 0;
}

static sotto_status keep(sot_report_ledger *ledger, const sotto_ledger_entry *entry,
                         sotto_error *error)
{
    if (ledger->count == ledger->room) {
        const size_t room = ledger->room == 0 ? 32 : 2 * ledger->room;
        sot_report_entry *grown =
            ledger->room == 0
                ? sot_new_array(room, sizeof *grown)
                : sot_resize_array(ledger->entries, ledger->room, room, sizeof *grown);
        if (grown == NULL) return sot_fail_memory(error, room, sizeof *grown);
        ledger->entries = grown;
        ledger->room = room;
    }
    sot_report_entry *kept = &ledger->entries[ledger->count++];
    *kept = (sot_report_entry){.kind = entry->kind,
                               .row = entry->row,
                               .time_seconds = entry->time_seconds,
                               .charged = entry->charged,
                               .budget = entry->budget,
                               .spent = entry->spent};
    (void)snprintf(kept->text, sizeof kept->text, "%s", entry->text);
    ledger->unstated += !is_stated(entry);
    return SOTTO_OK;
}

static sotto_status visit(const sotto_ledger_entry *entry, void *context,
                          sotto_error *error)
{
    walk *at = context;
    if (entry->kind == SOTTO_LEDGER_CHECKPOINT) return SOTTO_OK; /* charges nothing */
    if (entry->kind != SOTTO_LEDGER_COMMIT) return keep(at->ledger, entry, error);
    if (at->hash != NULL && strcmp(entry->output_hash, at->hash) == 0)
        mark_own(at->ledger, entry->reservation);
    return SOTTO_OK;
}

/* A head that is not on the chain is news for the page, not a failure to make it. */
static sotto_status check_anchor(sotto_ledger *ledger, const char *head,
                                 sot_report_ledger *out, sotto_error *error)
{
    sotto_error reason = {.status = SOTTO_OK};
    if (head == NULL) return SOTTO_OK;
    const sotto_status status = sotto_ledger_check(ledger, head, &reason);
    if (status != SOTTO_OK && status != SOTTO_VERIFICATION)
        return sot_fail(error, status, "%s", reason.message);
    out->is_anchored = status == SOTTO_OK;
    memcpy(out->reason, reason.message, sizeof out->reason);
    return SOTTO_OK;
}

sotto_status sot_report_ledger_read(const char *path, const char *hash, const char *head,
                                    sot_report_ledger *out_ledger, sotto_error *error)
{
    sotto_ledger *ledger = NULL;
    walk at = {.ledger = out_ledger, .hash = hash};
    *out_ledger = (sot_report_ledger){.count = 0};
    sotto_status status = sotto_ledger_open(path, &ledger, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_read_balance(ledger, &out_ledger->balance, error);
    if (status == SOTTO_OK) status = sotto_ledger_visit(ledger, visit, &at, error);
    if (status == SOTTO_OK)
        status = hash != NULL ? check_anchor(ledger, head, out_ledger, error)
                              : sotto_ledger_check(ledger, NULL, error);
    sotto_ledger_close(ledger);
    return status;
}

void sot_report_ledger_clear(sot_report_ledger *ledger)
{
    sot_free(ledger->entries);
    *ledger = (sot_report_ledger){.count = 0};
}
