/* ledger/kept.h: checkpoints of runs, from which a later process resumes.
 *
 * Idea      A run may resume from one file only: the one whose hash is in the run's last row of
 *           the ledger. Rows are only appended, so a copy of an older file cannot be used.
 * Seal      The file is encrypted with its own key, which is stored in the same row. A state that
 *           was written but not recorded cannot be read, and a recorded one is unique. Proof that
 *           one charge has one continuation: src/commands/session/checkpoint.md.
 */
#ifndef SOT_LEDGER_KEPT_H
#define SOT_LEDGER_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include <sotto/ledger.h>

/* A file and the key of its seal. */
typedef struct sot_kept_mark {
    char checkpoint[SOTTO_HASH_HEX_BYTES]; /* BLAKE2b-256 of the file's bytes */
    char seal_key[SOTTO_HASH_HEX_BYTES];   /* 32 bytes; "": nothing is sealed */
} sot_kept_mark;

/* A run that asks to be charged. */
typedef struct sot_request {
    const sotto_plan *plan;
    double sampler_error;
    double
        delta; /* of the guarantee that the run certifies; SOTTO_UNSET: the ledger chooses */
    const char *label;
    const char *noise;      /* source of the noise, one line of public text */
    const char *checkpoint; /* file from which the run resumes if it is stopped; "":
                             * none */
    const char *
        asked; /* hash of settings, schema and names of files, never of records; NULL: not stated */
} sot_request;

/* As sotto_ledger_reserve(), with all that a run of this library knows of itself. */
SOTTO_MUST_CHECK sotto_status sot_ledger_charge(sotto_ledger *ledger,
                                                const sot_request *request,
                                                sotto_reservation *out_reservation,
                                                sotto_error *error);

/* Records that the run has done `step` steps and resumes only from this file. `last` is the hash
 * of the file from which it resumed before. A different hash in the ledger means that another
 * process runs it, SOTTO_INVALID_ARGUMENT. */
SOTTO_MUST_CHECK sotto_status sot_ledger_keep(sotto_ledger *ledger,
                                              const sotto_reservation *reservation,
                                              uint64_t step, const char *last,
                                              const sot_kept_mark *mark,
                                              sotto_error *error);

/* As sotto_ledger_commit(), for a run whose output is encrypted in the file of `mark` (NULL: it
 * is not). The run was made from the file `last`, as above (NULL: the run has no checkpoint). */
SOTTO_MUST_CHECK sotto_status sot_ledger_commit_kept(
    sotto_ledger *ledger, const sotto_reservation *reservation, const char *output_hash,
    const char *last, const sot_kept_mark *mark, sotto_error *error);

/* The same, tried again when the file cannot be written, and found out by reading where that is not clear. After a failure
 * the row may be there or not: who finds the run again reads the ledger. */
SOTTO_MUST_CHECK sotto_status sot_ledger_commit_surely(
    sotto_ledger *ledger, const sotto_reservation *reservation, const char *output_hash,
    const char *last, const sot_kept_mark *mark, sotto_error *error);

/* The state of a file in the ledger. */
typedef enum sot_kept_place {
    SOT_KEPT_UNKNOWN = 0, /* no row names it */
    SOT_KEPT_LAST = 1,    /* its run resumes from it */
    SOT_KEPT_OLDER = 2    /* its run has a newer checkpoint */
} sot_kept_place;

typedef struct sot_kept_run {
    sot_kept_place place;
    sotto_reservation reservation; /* as it was made; for SOT_KEPT_OLDER only its `id` */
    /* the rest only for SOT_KEPT_LAST */
    char label[SOTTO_LEDGER_TEXT_BYTES];
    bool same_plan; /* as `plan` */
    uint64_t step;  /* of the last checkpoint row; 0 behind a commit */
    char seal_key[SOTTO_HASH_HEX_BYTES];
    bool committed;
    char output[SOTTO_HASH_HEX_BYTES];
} sot_kept_run;

/* Looks for the file with this hash among all rows. */
SOTTO_MUST_CHECK sotto_status sot_ledger_find_kept(sotto_ledger *ledger,
                                                   const char *checkpoint,
                                                   const sotto_plan *plan,
                                                   sot_kept_run *out_run,
                                                   sotto_error *error);

/* A run that was charged and has given its output. */
typedef struct sot_finished_run {
    uint64_t row;                      /* of the reservation; 0: there is none */
    char output[SOTTO_HASH_HEX_BYTES]; /* as committed */
} sot_finished_run;

/* Finds the last reservation of the same request. `out_run` has row 0 if there is none,
 * or if it was never committed. */
SOTTO_MUST_CHECK sotto_status sot_ledger_find_finished(sotto_ledger *ledger,
                                                       const char *asked,
                                                       sot_finished_run *out_run,
                                                       sotto_error *error);

#endif
