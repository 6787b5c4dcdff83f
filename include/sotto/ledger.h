/* sotto/ledger.h: the privacy budget of a data set, in a SQLite file.
 *
 * Idea        A curator creates a ledger with a dataset id and a budget. Every run reserves
 *             its whole plan, durably, before a record is read; a crash keeps the charge.
 * Theorem     Feldman & Zrnic, NeurIPS 2021, Thm 4.5: with one Renyi order fixed in advance,
 *             runs may be chosen adaptively as long as their RDP at that order sums to at most
 *             the budget's. The runs' own deltas (approximate events, sampler error) add up in a
 *             second column: ledger.md. Pure budgets: epsilons add (Rogers et al. 2016).
 * Neighbours  One adjacency for the whole ledger, fixed at init.
 * Assumes     (1) every access to the data goes through the ledger; (2) a run's settings are
 *             fixed when it reserves; (3) nobody replaces the file by an older copy (detected
 *             against an anchor only: see docs/ledger.md).
 * Rounding    Amounts are integers: charges in units of 2^-40, own deltas of 2^-62, sampler
 *             errors of 2^-90; one of at most 2^-800 a run, as all samplers here have, costs one
 *             unit of own delta, and epsilon is at most 500 beside a delta. Every charge is rounded up, every budget down, and a plan costs
 *             at least one unit. Proof note: src/privacy/ledger/ledger.md
 */
#ifndef SOTTO_LEDGER_H
#define SOTTO_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread and one process at a time; each opens its own. */
typedef struct sotto_ledger sotto_ledger;

enum {
    SOTTO_DATASET_BYTES = 64, /* dataset ids, with the final NUL */
    SOTTO_HASH_HEX_BYTES =
        65, /* BLAKE2b-256 as lower-case hexadecimal, with the final NUL */
    SOTTO_LEDGER_TEXT_BYTES = 201 /* labels and reasons, with the final NUL */
};

/* Start from sotto_ledger_defaults(). */
typedef struct sotto_ledger_config {
    char dataset[SOTTO_DATASET_BYTES]; /* issued by the curator; letters, digits, . _ - */
    sotto_adjacency adjacency;         /* has no default */
    double epsilon;                    /* the budget; has no default */
    double delta; /* 0: a pure budget, which takes pure events only; has no default */
    double
        own_delta; /* part of delta kept for the runs' own deltas; SOTTO_UNSET: a tenth */
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

typedef enum sotto_ledger_kind {
    SOTTO_LEDGER_INIT = 1,    /* the first row: dataset id, adjacency, budget */
    SOTTO_LEDGER_GRANT = 2,   /* the budget was raised */
    SOTTO_LEDGER_RESERVE = 3, /* a run was charged */
    SOTTO_LEDGER_COMMIT = 4,  /* the output of a charged run has left */
    SOTTO_LEDGER_CHECKPOINT =
        5 /* a charged run kept how far it is, to go on from there alone */
} sotto_ledger_kind;

/* One row, for reports. Texts are borrowed for the call. */
typedef struct sotto_ledger_entry {
    sotto_ledger_kind kind;
    uint64_t row;
    int64_t
        time_seconds; /* since 1970, by the clock of the machine; information only. A commit has its
                              reservation's, unless the run kept checkpoints: how long it took is no public thing */
    const char *text;              /* reserve: label; grant: reason; "" otherwise */
    double epsilon, delta;         /* init, grant: what was set or added; NaN otherwise */
    double charged, delta_charged; /* reserve; NaN otherwise */
    uint64_t
        reservation; /* commit, checkpoint: the row of its reservation; 0 otherwise */
    uint64_t step;   /* checkpoint: steps done; 0 otherwise */
    const char *output_hash; /* commit; "" otherwise */
    const char *hash;        /* of this row */
    double budget, spent;    /* after this row, as in sotto_ledger_balance */
} sotto_ledger_entry;

/* Called for each row, oldest first; anything but SOTTO_OK ends the walk and is returned. */
typedef sotto_status (*sotto_ledger_visitor)(const sotto_ledger_entry *entry,
                                             void *context, sotto_error *error);

/* Called with each exported line, which ends in a newline (and then a NUL). */
typedef sotto_status (*sotto_ledger_sink)(const char *line, size_t size_bytes,
                                          void *context, sotto_error *error);

/* Everything that carries privacy is unset. */
SOTTO_API sotto_ledger_config sotto_ledger_defaults(void);

/* Creates the file (mode 0600, never over an existing one, no symlink followed), complete or
 * not at all. Refuses a directory that others may write to. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_init(
    const char *path, const sotto_ledger_config *config, sotto_error *error);

/* Opens an existing ledger and verifies its whole chain; a missing one is SOTTO_IO. Refuses
 * files that are not ours, not regular, open to others, linked, or of a newer format; a
 * broken chain is SOTTO_VERIFICATION. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_open(const char *path,
                                                          sotto_ledger **out_ledger,
                                                          sotto_error *error);
/* Ends the use of a ledger; NULL is fine. */
SOTTO_API void sotto_ledger_close(sotto_ledger *ledger);

/* Where the budget stands now, what other processes have charged included. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_read_balance(
    sotto_ledger *ledger, sotto_ledger_balance *out, sotto_error *error);

/* Charges the whole plan, durably, before returning; SOTTO_BUDGET_EXCEEDED says spent, asked
 * and left. `sampler_error` bounds the total variation between the noise that will be drawn and
 * its stated law, over the whole run; it costs (1 + e^epsilon) sampler_error in the second
 * column, epsilon being the ledger's. `label` is public text (a command or purpose, at most 200
 * bytes). Safe with concurrent writers. After a failure the charge may stand or not;
 * nothing may be released. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_reserve(
    sotto_ledger *ledger, const sotto_plan *plan, double sampler_error, const char *label,
    sotto_reservation *out_reservation, sotto_error *error);

/* Records that the reservation's output (its hash, 64 hexadecimal digits) has left. Only once;
 * a reservation that is never committed stays charged. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_ledger_commit(sotto_ledger *ledger, const sotto_reservation *reservation,
                    const char *output_hash, sotto_error *error);

/* Raises the budget by the curator's decision, with a reason that stays on record. Both amounts
 * are at least 0 and one is above it; own deltas keep their share of delta. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_grant(sotto_ledger *ledger,
                                                           double epsilon, double delta,
                                                           const char *reason,
                                                           sotto_error *error);

/* Walks over all rows of one moment, verifying the chain on the way. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_visit(sotto_ledger *ledger,
                                                           sotto_ledger_visitor visitor,
                                                           void *context,
                                                           sotto_error *error);

/* Gives every row as one JSON line, oldest first; sotto_ledger_check_export() reads them. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_export(sotto_ledger *ledger,
                                                            sotto_ledger_sink sink,
                                                            void *context,
                                                            sotto_error *error);

/* Recomputes the chain, all sums, and each charge from its plan. `expected_head` (NULL for
 * none) is an anchor, for example from the last certificate: SOTTO_VERIFICATION unless it is
 * on the chain. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_check(sotto_ledger *ledger,
                                                           const char *expected_head,
                                                           sotto_error *error);

/* The same for exported lines, without the ledger. `out_balance` may be NULL. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_ledger_check_export(const char *text, size_t size_bytes, const char *expected_head,
                          sotto_ledger_balance *out_balance, sotto_error *error);

/* Information that never decides: what `accountant` says of all plans charged so far, as if they
 * had been fixed in advance, at the ledger's delta. SOTTO_UNREACHABLE when nothing was charged
 * or when no finite epsilon holds. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_account(sotto_ledger *ledger,
                                                             sotto_accountant accountant,
                                                             sotto_account *out_account,
                                                             sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
