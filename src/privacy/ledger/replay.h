/* ledger/replay.h: the state of a ledger, row by row.
 *
 * The state of a ledger comes from replaying its rows through sot_state_take(), which verifies
 * each: hash chain, signatures, ranges and sums. It also checks that some member covered the
 * history, and that an output was committed once and for a reservation. A run's checkpoints must
 * go forward. Opening, checking and reading an export do the same.
 *
 * Slack: budgets involve log and exp, which another C library may round differently. A row made
 * there is accepted if it is within the error bounds of both. A row that passed the strict check
 * when it was written also passes when it is read.
 */
#ifndef SOT_LEDGER_REPLAY_H
#define SOT_LEDGER_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "privacy/ledger/entry.h"

typedef struct sot_reserved {
    uint64_t row;
    int64_t time_seconds;
    bool committed;
    char hash[SOTTO_HASH_HEX_BYTES];
    /* For a run with checkpoints: the only file from which it may resume, and its key; ""
     * for others. */
    uint64_t step;
    char checkpoint[SOTTO_HASH_HEX_BYTES];
    char seal_key[SOTTO_HASH_HEX_BYTES]; /* "": nothing is sealed in it */
    char output[SOTTO_HASH_HEX_BYTES];   /* once committed */
} sot_reserved;

typedef struct sot_state {
    uint64_t rows;
    char head[SOTTO_HASH_HEX_BYTES]; /* zeros before the first row */
    int format;                      /* of the first row */
    char dataset[SOTTO_DATASET_BYTES];
    sotto_adjacency adjacency;
    char unit[SOTTO_LEDGER_UNIT_BYTES]; /* "": a row */
    uint64_t unit_rows;
    char curator[SOTTO_KEY_HEX_BYTES];        /* "": none */
    sot_budget budget;                        /* grants included, rounded down */
    double own_share;                         /* of delta, at init: grants keep it */
    sot_members members;                      /* budgets and sums */
    int64_t own_budget, sampler_budget;       /* delta units; ledger.md, step 5 */
    int64_t own_spent, sampler_spent, specks; /* delta units, sampler units, a number */
    sot_charges older;      /* sums of rows of the older form, as they were written */
    uint64_t older_rows;    /* charged before plans named their unit */
    uint64_t repriced_rows; /* of those: of units */
    sot_reserved *reserved; /* by row, increasing */
    size_t reserved_count, reserved_capacity;
} sot_state;

sot_state sot_state_new(void);
void sot_state_free(sot_state *state);

/* Fills the budgets of an init or grant row from its amounts, its members and the
 * state so far. SOTTO_INVALID_ARGUMENT with the reason. */
SOTTO_MUST_CHECK sotto_status sot_state_price(const sot_state *state, sot_entry *entry,
                                              sotto_error *error);

/* Reads a line as the next row, verifies it and takes it in. SOTTO_VERIFICATION names the row. */
SOTTO_MUST_CHECK sotto_status sot_state_take(sot_state *state, const char *line,
                                             size_t size_bytes, uint64_t row,
                                             sot_entry *out_entry, sotto_error *error);

/* The sums after these charges; false if one is beyond every budget. */
bool sot_state_add(const sot_state *state, const sot_charges *charges,
                   sot_charges *out_sums);

/* Puts sums into members. */
void sot_members_set_sums(sot_members *members, const sot_charges *sums);

/* True if the member covers the history with these sums: its own, and the deltas beside them. */
bool sot_state_covers(const sot_state *state, size_t member, const sot_charges *sums);

/* The price of sampler errors, in delta units, rounded up; false when it is beyond every budget. */
bool sot_state_sampler_delta(const sot_state *state, int64_t specks, int64_t sampler,
                             int64_t *out_delta);

/* True if the sampler errors fit; no member covers anything if they do not. */
bool sot_state_samplers_fit(const sot_state *state, const sot_charges *sums);

/* The member that covers these sums and has the largest part of its budget left; the number of members if none does. */
size_t sot_state_best(const sot_state *state, const sot_charges *sums);

/* The sums so far. */
sot_charges sot_state_sums(const sot_state *state);

/* The reservation of a row, or NULL. */
sot_reserved *sot_state_find(sot_state *state, uint64_t row);

/* Where the budget stands, in the currency of `member`; without the room, which takes a search (room.h). */
void sot_state_balance(const sot_state *state, size_t member,
                       sotto_ledger_balance *out_balance);

#endif
