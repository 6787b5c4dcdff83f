/* ledger/replay.h: the state of a ledger, row by row.
 *
 * Everything that is known of a ledger comes from replaying its rows through
 * sot_state_apply(), which verifies each: hash chain, ranges, sums, that the budget was never
 * exceeded, that an output was committed once and for a reservation, that a run's checkpoints go
 * forward. Opening, checking and
 * reading an export do the same thing.
 *
 * Slack     Budgets involve log and exp, which another C library may round otherwise. A row made
 *           there is accepted if it is within the error that both allow for: what was strict
 *           when it was written stays true when it is read.
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
    /* Of a run that keeps checkpoints: the only file from which it may go on, and its key; "" of others. */
    uint64_t step;
    char checkpoint[SOTTO_HASH_HEX_BYTES];
    char seal_key[SOTTO_HASH_HEX_BYTES]; /* "": nothing is sealed in it */
    char output[SOTTO_HASH_HEX_BYTES];   /* once committed */
} sot_reserved;

typedef struct sot_state {
    uint64_t rows;
    char head[SOTTO_HASH_HEX_BYTES]; /* zeros before the first row */
    char dataset[SOTTO_DATASET_BYTES];
    sotto_adjacency adjacency;
    double epsilon, delta, own_delta;        /* grants included, rounded down */
    double own_share;                        /* of delta, at init: grants keep it */
    double order;                            /* NaN: a pure budget */
    int64_t budget, own_budget;              /* charge units, delta units */
    int64_t spent, own_spent, sampler_spent; /* charge, delta and sampler units */
    sot_reserved *reserved;                  /* by row, increasing */
    size_t reserved_count, reserved_capacity;
} sot_state;

sot_state sot_state_new(void);
void sot_state_free(sot_state *state);

/* Fills the budget of an init or grant row from its epsilon, delta, own_delta and order and the
 * state so far. SOTTO_INVALID_ARGUMENT with the reason. */
SOTTO_MUST_CHECK sotto_status sot_state_price(const sot_state *state, sot_entry *entry,
                                              sotto_error *error);

/* Verifies the entry as the next row and takes it in. SOTTO_VERIFICATION names the row. */
SOTTO_MUST_CHECK sotto_status sot_state_apply(sot_state *state, const sot_entry *entry,
                                              sotto_error *error);

/* Own deltas and the price of sampler errors together, in delta units, rounded up, when the
 * sums are these; false when it is beyond every budget. */
bool sot_state_delta(double epsilon, int64_t own, int64_t sampler, int64_t *out_delta);

/* The reservation of a row, or NULL. */
sot_reserved *sot_state_find(sot_state *state, uint64_t row);

void sot_state_balance(const sot_state *state, sotto_ledger_balance *out_balance);

static inline bool sot_state_is_pure(const sot_state *state)
{
    return state->delta == 0.0;
}

#endif
