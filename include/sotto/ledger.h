/* sotto/ledger.h: the privacy budget of a data set, in a SQLite file.
 *
 * Idea        A curator creates a ledger with a data set id, a unit and a budget. Every run
 *             reserves its whole plan, durably, before a record is read; a crash keeps the
 *             charge. Several members (accounting rules) each add up the cost of all runs in
 *             their own unit. A run is admitted if at least one member covers the whole history
 *             with it.
 * Theorem     ledger.md: if each member k by itself guarantees (epsilon, delta_k)-DP to runs
 *             chosen adaptively, the union guarantees (epsilon, sum of delta_k). Members: basic
 *             composition (Rogers, Roth, Ullman & Vadhan, NeurIPS 2016). Renyi filters at orders
 *             fixed in advance (Feldman & Zrnic, NeurIPS 2021, Thm 4.5). A Gaussian filter (Smith
 *             & Thakurta 2022). zCDP.
 * Neighbours  One relation for the whole ledger, fixed at init: the unit (a row, or all rows of an
 *             id) and the adjacency. Plans state theirs. A plan of another relation is converted
 *             where ledger.md proves a price, and refused elsewhere.
 * Assumes     (1) Every access to the data goes through the ledger. (2) A run's settings are
 *             fixed when it reserves. (3) The file is not replaced by an older copy (only an
 *             anchor detects this: see ledger.md). (4) Budgets and grants are not chosen from
 *             outputs; a curator's key shows who chose them.
 * Rounding    Amounts are integers. The unit is 10^-12 for epsilon of the basic member, 2^-40 for
 *             other charges, 2^-62 for deltas, 2^-90 for sampler errors. A sampler error of at
 *             most 2^-800 per run costs one unit of delta. Beside a delta, epsilon is at most
 *             500. Every charge is rounded up, every budget down. A run costs at least one unit
 *             in every member.
 */
#ifndef SOTTO_LEDGER_H
#define SOTTO_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/key.h>
#include <sotto/ledger_settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread and one process at a time; each opens its own. */
typedef struct sotto_ledger sotto_ledger;

/* A reservation, as the certificate states it. Amounts are those of the member
 * `after.member`. */
typedef struct sotto_reservation {
    uint64_t id;
    double charged;       /* rounded up */
    double delta_charged; /* the delta column of that member, rounded up */
    sotto_ledger_balance before;
    sotto_ledger_balance after;
} sotto_reservation;

/* The effect of a charge. */
typedef struct sotto_ledger_preview {
    bool admitted;
    sotto_error reason;         /* if it is not admitted */
    double charged;             /* as in sotto_reservation */
    sotto_ledger_balance after; /* if it is admitted */
} sotto_ledger_preview;

typedef enum sotto_ledger_kind {
    SOTTO_LEDGER_INIT = 1,    /* the first row: dataset id, adjacency, budget */
    SOTTO_LEDGER_GRANT = 2,   /* the budget was raised */
    SOTTO_LEDGER_RESERVE = 3, /* a run was charged */
    SOTTO_LEDGER_COMMIT = 4,  /* the output of a charged run has left */
    SOTTO_LEDGER_CHECKPOINT =
        5 /* a charged run saved a checkpoint; only that one may be resumed */
} sotto_ledger_kind;

/* One row, for reports. Texts are borrowed for the call. */
typedef struct sotto_ledger_entry {
    sotto_ledger_kind kind;
    uint64_t row;
    int64_t
        time_seconds; /* since 1970, by the clock of the machine; information only. A commit has its
                              reservation's, unless the run wrote checkpoints: the duration of a run is not public */
    const char *text;      /* reserve: label; grant: reason; "" otherwise */
    double epsilon, delta; /* init, grant: the budget set or added; NaN otherwise */
    double charged,
        delta_charged; /* reserve, in the currency of `budget`; infinite: it has no price there; NaN otherwise */
    uint64_t
        reservation; /* commit, checkpoint: the row of its reservation; 0 otherwise */
    uint64_t step;   /* checkpoint: steps done; 0 otherwise */
    const char *output_hash; /* commit; "" otherwise */
    const char *hash;        /* of this row */
    double budget, spent; /* after this row, of the member that the balance names now */
    const char *
        noise; /* reserve: source of the noise, "" if not stated or an older row; "" otherwise */
    const char *software; /* reserve: the library that charged, likewise */
    bool is_signed;       /* init, grant: by the curator's key, verified */
} sotto_ledger_entry;

/* Called for each row, oldest first. Any result but SOTTO_OK ends the visit and is
 * returned. */
typedef sotto_status (*sotto_ledger_visitor)(const sotto_ledger_entry *entry,
                                             void *context, sotto_error *error);

/* Called with each exported line, which ends in a newline (and then a NUL). */
typedef sotto_status (*sotto_ledger_sink)(const char *line, size_t size_bytes,
                                          void *context, sotto_error *error);

/* Process that did a run that a ledger charged. */
typedef enum sotto_run_outcome {
    SOTTO_RUN_NEW = 0, /* this call, which was charged or took over a charge */
    SOTTO_RUN_RECOVERED =
        1, /* an earlier process, which was ended before its output was in place */
    SOTTO_RUN_FINISHED =
        2 /* an earlier process: the output was there already, and nothing was charged */
} sotto_run_outcome;

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

/* Reads the current balance, including charges by other processes. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_read_balance(
    sotto_ledger *ledger, sotto_ledger_balance *out, sotto_error *error);

/* Charges the whole plan, durably, before returning. SOTTO_BUDGET_EXCEEDED lists the runs that
 * still fit. `sampler_error` bounds the total variation between the sampled noise and its stated
 * distribution, over the whole run. It costs (1 + e^epsilon) sampler_error of delta, with the
 * ledger's epsilon. `label` is public text (a command or purpose, at most 200 bytes). Safe with
 * concurrent writers. After a failure the charge may stand or not; nothing may be released. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_reserve(
    sotto_ledger *ledger, const sotto_plan *plan, double sampler_error, const char *label,
    sotto_reservation *out_reservation, sotto_error *error);

/* Previews sotto_ledger_reserve() and charges nothing. `delta` is that of the guarantee that the
 * run would certify (SOTTO_UNSET: the ledger chooses). A plan that no ledger could price is an
 * error. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_ledger_try(sotto_ledger *ledger, const sotto_plan *plan, double sampler_error,
                 double delta, sotto_ledger_preview *out, sotto_error *error);

/* Records that the reservation's output (its hash, 64 hexadecimal digits) has left. Only once;
 * a reservation that is never committed stays charged. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_ledger_commit(sotto_ledger *ledger, const sotto_reservation *reservation,
                    const char *output_hash, sotto_error *error);

/* Raises the budget by the curator's decision, with a reason that stays on record. Both
 * amounts are at least 0 and one is positive; members keep their shares of delta. For a zCDP
 * budget `epsilon` is added to rho. `key` is the curator's if the ledger names one, and NULL
 * otherwise. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_grant(sotto_ledger *ledger,
                                                           double epsilon, double delta,
                                                           const char *reason,
                                                           const sotto_key *key,
                                                           sotto_error *error);

/* Names of members as the command line and the rows spell them: "basic", "renyi", "gaussian", "zcdp", "pure". */
SOTTO_API const char *sotto_member_name(sotto_member_kind kind);

/* Writes the room as a sentence: "a pure release of epsilon 2; a Gaussian one of ...". "nothing" if there is none. */
enum { SOTTO_ROOM_TEXT_BYTES = 240 };
SOTTO_API void sotto_ledger_describe_room(const sotto_ledger_room *room,
                                          char out_text[SOTTO_ROOM_TEXT_BYTES]);

/* Visits all rows of one consistent snapshot, and verifies the hash chain. */
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

/* Computes the cost of all plans charged so far by `accountant`, as if they had been fixed in
 * advance, at the ledger's delta. This is information only: it decides nothing. SOTTO_UNREACHABLE
 * if nothing was charged or no finite epsilon holds. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_account(sotto_ledger *ledger,
                                                             sotto_accountant accountant,
                                                             sotto_account *out_account,
                                                             sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
