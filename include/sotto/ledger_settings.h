/* sotto/ledger_settings.h: the budget of a data set, and where it stands.
 *
 * Use         sotto/sotto.h, sotto/ledger.h; ledger.md
 */
#ifndef SOTTO_LEDGER_SETTINGS_H
#define SOTTO_LEDGER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/event.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SOTTO_DATASET_BYTES = 64, /* dataset ids, with the final NUL */
    SOTTO_HASH_HEX_BYTES =
        65, /* BLAKE2b-256 as lower-case hexadecimal, with the final NUL */
    SOTTO_LEDGER_TEXT_BYTES = 201, /* labels and reasons, with the final NUL */
    SOTTO_LEDGER_UNIT_BYTES = SOTTO_UNIT_BYTES_MAX + 1, /* the unit's column */
    SOTTO_LEDGER_MEMBERS_MAX = 4
};

/* Values are written to files: never renumbered. */
typedef enum sotto_member_kind {
    SOTTO_MEMBER_BASIC = 1,    /* epsilons and deltas add up */
    SOTTO_MEMBER_RENYI = 2,    /* Renyi divergences at one order */
    SOTTO_MEMBER_GAUSSIAN = 3, /* mu^2 of Gaussian DP */
    SOTTO_MEMBER_ZCDP = 4,     /* rho */
    SOTTO_MEMBER_PURE = 5 /* epsilons in units of 2^-40: ledgers of an older format */
} sotto_member_kind;

/* Which members an (epsilon, delta) budget has. */
typedef enum sotto_ledger_filter {
    SOTTO_LEDGER_GENERAL =
        0, /* basic, Renyi at the best order and at its double: 2, 5 and 2 parts of 9 */
    SOTTO_LEDGER_GAUSSIAN = 1 /* Gaussian: the whole; and basic for pure runs, for free */
} sotto_ledger_filter;

/* Start from sotto_ledger_defaults(). */
typedef struct sotto_ledger_config {
    size_t size; /* sizeof(sotto_ledger_config): sotto_ledger_defaults() sets it */
    char dataset[SOTTO_DATASET_BYTES]; /* issued by the curator; letters, digits, . _ - */
    sotto_adjacency adjacency;         /* has no default */
    double epsilon; /* the budget; has no default, unless rho is given */
    double
        delta; /* 0: a pure budget, which takes pure events only; has no default, unless rho is given */
    double
        own_delta; /* part of delta kept for the runs' own deltas and sampler errors; SOTTO_UNSET: a tenth */
    double
        order; /* of the first Renyi member; SOTTO_UNSET: the best one for its part of delta */
    double rho; /* a zCDP budget, in place of epsilon and delta; SOTTO_UNSET: none */
    sotto_ledger_filter filter;
    const char *unit; /* id column: a person is every row of an id; NULL: a row */
    uint64_t
        unit_rows; /* default cap on the rows of a unit, at least 1; 0 without a unit */
    const struct sotto_key *
        curator; /* signs this budget; grants then need the same key; NULL: no signatures */
} sotto_ledger_config;

/* One member. Amounts are in its currency: epsilon, Renyi divergence at `order`, mu^2 or rho. */
typedef struct sotto_ledger_member {
    sotto_member_kind kind;
    bool covers;         /* the whole history is within its budgets */
    double order;        /* of a Renyi member; NaN otherwise */
    double delta;        /* its part of the ledger's delta */
    double budget, left; /* left is rounded down, 0 at least */
    double spent;        /* rounded up; infinite: some run has no price here */
    double delta_budget, delta_spent; /* basic: deltas of the runs' guarantees */
} sotto_ledger_member;

/* The largest run of each kind that would be admitted now: one of them, not all. */
typedef struct sotto_ledger_room {
    double pure_epsilon; /* 0: none */
    double
        gaussian_noise; /* least noise multiplier of one Gaussian release; infinite: none */
    double gaussian_epsilon,
        gaussian_delta; /* guarantee of that one release, at the ledger's delta; NaN:
                         * none */
    double certified_epsilon,
        certified_delta; /* any run with this guarantee; 0 and 0: none */
} sotto_ledger_room;

/* Where the budget stands. `order`, `budget`, `spent`, `left` are those of the member that covers the history and has the
 * largest part of its budget left. */
typedef struct sotto_ledger_balance {
    char dataset[SOTTO_DATASET_BYTES];
    sotto_adjacency adjacency;
    double epsilon, delta, order; /* grants included; epsilon NaN for a zCDP budget */
    double budget, spent, left;   /* spent is rounded up, left down */
    double delta_budget, delta_spent,
        delta_left; /* beside it: of the basic member its deltas, else own deltas and sampler errors */
    double
        epsilon_spent_upper; /* information: (epsilon, delta) already guaranteed by spent */
    uint64_t entries;        /* rows of the chain */
    char head[SOTTO_HASH_HEX_BYTES];    /* hash of the last row: the anchor */
    char unit[SOTTO_LEDGER_UNIT_BYTES]; /* id column; "": a row */
    uint64_t unit_rows;                 /* default cap; 0: a row */
    double rho;                         /* NaN unless the budget is one of zCDP */
    char curator[65];                   /* public key; "": budgets are not signed */
    size_t member_count;
    sotto_ledger_member members[SOTTO_LEDGER_MEMBERS_MAX];
    size_t member; /* the one above; member_count: none covers, nothing is admitted */
    uint64_t
        older_rows; /* runs charged before plans named their unit; they count as row-level */
    uint64_t repriced_rows; /* of those: runs of units, priced again as two steps */
    sotto_ledger_room room;
    double own_left,
        sampler_left; /* of delta, rounded down: for the runs' own deltas, and for sampler errors */
    double
        delta_guaranteed; /* with epsilon: of everything ever released under this budget. `delta`, and own_delta more in a ledger
                             of the older format with a sampler error above 2^-800 */
} sotto_ledger_balance;

/* Everything that carries privacy is unset. */
SOTTO_API void sotto_ledger_set_defaults(sotto_ledger_config *out_config,
                                         size_t size_bytes);
static inline sotto_ledger_config sotto_ledger_defaults(void)
{
    sotto_ledger_config config;
    sotto_ledger_set_defaults(&config, sizeof config);
    return config;
}

#ifdef __cplusplus
}
#endif
#endif
