/* ledger/handle.h: an open ledger, shared by ledger.c and history.c. */
#ifndef SOT_LEDGER_HANDLE_H
#define SOT_LEDGER_HANDLE_H

#include <stdbool.h>

#include "privacy/ledger/replay.h"
#include "privacy/ledger/store.h"

struct sotto_ledger {
    sot_store *store;
    sot_state state; /* as of the last look; caught up inside every transaction */
};

/* Starts a transaction, sees that the file is still the one that was opened, and takes in the
 * rows that others have added. On failure there is no transaction. */
SOTTO_MUST_CHECK sotto_status sot_ledger_begin(sotto_ledger *ledger, bool to_write,
                                               sotto_error *error);

/* Writes the entry as the next row and makes it durable, or nothing. Ends the transaction. `plan` is for
 * reserve rows, `key` signs a grant; NULL otherwise. */
SOTTO_MUST_CHECK sotto_status sot_ledger_append(sotto_ledger *ledger, sot_entry *entry,
                                                const sotto_plan *plan,
                                                const sotto_key *key, sotto_error *error);

/* A reservation from the states around its row: both balances in the currency of the member that is best after it. */
void sot_reservation_fill(const sot_state *before, const sot_state *after,
                          const sot_entry *entry, sotto_reservation *out);

/* The reservation in the ledger as it is now, inside a transaction. SOTTO_INVALID_ARGUMENT if it is not
 * there, or if its output has been recorded. */
SOTTO_MUST_CHECK sotto_status sot_ledger_find_open(sotto_ledger *ledger,
                                                   const sotto_reservation *reservation,
                                                   const sot_reserved **out_reserved,
                                                   sotto_error *error);

/* The same for a run with a checkpoint. SOTTO_INVALID_ARGUMENT also if another process has
 * resumed from the file with the hash `last`. The caller's result would then be a second release
 * of the same steps. */
SOTTO_MUST_CHECK sotto_status sot_ledger_find_last(sotto_ledger *ledger,
                                                   const sotto_reservation *reservation,
                                                   const char *last, sotto_error *error);

#endif
