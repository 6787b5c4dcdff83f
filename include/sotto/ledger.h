/* sotto/ledger.h: the privacy budget of a data set, in a SQLite file.
 *
 * Idea        A curator creates a ledger with a dataset id and a budget. Every run reserves
 *             its whole plan, durably, before a record is read; a crash keeps the charge.
 * Theorem     Feldman & Zrnic, NeurIPS 2021, Thm 4.5: with one Renyi order fixed in advance,
 *             runs may be chosen adaptively as long as their RDP at that order sums to at most
 *             the budget's. Pure budgets: epsilons add (Rogers et al. 2016).
 * Neighbours  One adjacency for the whole ledger, fixed at init.
 * Assumes     (1) every access to the data goes through the ledger; (2) nobody replaces the file
 *             by an older copy (detected against an anchor only: see docs/ledger.md).
 * Rounding    Amounts are integers in units of 2^-40, every charge rounded up and every budget
 *             rounded down. Proof note: src/privacy/ledger/ledger.md
 */
#ifndef SOTTO_LEDGER_H
#define SOTTO_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <sotto/accountant.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_ledger sotto_ledger;

enum {
    SOTTO_DATASET_BYTES = 64, /* dataset ids, with the final NUL */
    SOTTO_HASH_HEX_BYTES =
        65 /* BLAKE2b-256 as lower-case hexadecimal, with the final NUL */
};

/* Start from sotto_ledger_defaults(). */
typedef struct sotto_ledger_config {
    char dataset[SOTTO_DATASET_BYTES]; /* issued by the curator; letters, digits, . _ - */
    sotto_adjacency adjacency;
    double epsilon; /* the budget; has no default */
    double delta;   /* 0: a pure budget, which takes pure events only; has no default */
    double
        order; /* Renyi order of the filter; SOTTO_UNSET: the best one for (epsilon, delta) */
} sotto_ledger_config;

/* Where the budget stands. Amounts are in epsilon for a pure budget, in RDP at `order` else. */
typedef struct sotto_ledger_balance {
    char dataset[SOTTO_DATASET_BYTES];
    sotto_adjacency adjacency;
    double epsilon, delta,
        order;                  /* as configured, grants included; order NaN when pure */
    double budget, spent, left; /* of the filter; spent is rounded up, left down */
    double delta_budget, delta_spent,
        delta_left; /* the runs' own deltas, a second column */
    double
        epsilon_spent_upper; /* information: (epsilon, delta) already guaranteed by spent */
    uint64_t entries;        /* rows of the chain */
    char head[SOTTO_HASH_HEX_BYTES]; /* hash of the last row: the anchor */
} sotto_ledger_balance;

/* What a reservation says of itself; it goes into the certificate. */
typedef struct sotto_reservation {
    uint64_t id;
    double charged;       /* filter units, rounded up */
    double delta_charged; /* own deltas (approximate events, sampler error), rounded up */
    sotto_ledger_balance before;
    sotto_ledger_balance after;
} sotto_reservation;

SOTTO_API sotto_ledger_config sotto_ledger_defaults(void);

/* Creates the file (mode 0600, never over an existing one, no symlink followed). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_init(
    const char *path, const sotto_ledger_config *config, sotto_error *error);

/* Opens an existing ledger; a missing one is SOTTO_IO. Refuses files that are not ours, not a
 * regular file, readable by others, of a newer format, or with a broken chain end. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_open(const char *path,
                                                          sotto_ledger **out_ledger,
                                                          sotto_error *error);
SOTTO_API void sotto_ledger_close(sotto_ledger *ledger);

SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_read_balance(
    sotto_ledger *ledger, sotto_ledger_balance *out, sotto_error *error);

/* Charges the whole plan, durably, before returning; SOTTO_BUDGET_EXCEEDED says spent, asked
 * and left. `sampler_error` is added to the second column. `label` is public text (a command
 * or purpose, at most 200 bytes). Safe with concurrent writers. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_reserve(
    sotto_ledger *ledger, const sotto_plan *plan, double sampler_error, const char *label,
    sotto_reservation *out_reservation, sotto_error *error);

/* Records that the reservation's output (its hash, 64 hexadecimal digits) has left. Only once;
 * a reservation that is never committed stays charged. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_ledger_commit(sotto_ledger *ledger, const sotto_reservation *reservation,
                    const char *output_hash, sotto_error *error);

/* Raises the budget by the curator's decision, with a reason that stays on record. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_grant(sotto_ledger *ledger,
                                                           double epsilon, double delta,
                                                           const char *reason,
                                                           sotto_error *error);

/* Writes every row as one JSON line, oldest first. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_export(sotto_ledger *ledger,
                                                            FILE *out,
                                                            sotto_error *error);

/* Recomputes the chain and all sums. `expected_head` (NULL for none) is an anchor, for example
 * from the last certificate: SOTTO_VERIFICATION unless it is on the chain. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_check(sotto_ledger *ledger,
                                                           const char *expected_head,
                                                           sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
