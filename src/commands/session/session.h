/* commands/session/session.h: the frame of every run around its gate, in this order:
 *
 * - sot_session_check(): no test seed beside a ledger, the price is finite, the output can be
 *   written.
 * - The caller opens its data: header, shape.
 * - sot_session_open(): the signing key, randomness, a closed gate, the one ledger that may be
 *   charged.
 * - sot_session_keep(): a checkpoint of the same run by an earlier process; its output, if it had
 *   finished.
 * - sot_session_run(): stage the output and its space; charge the plan, or take over its
 *   reservation; open the gate, the caller's rows and releases, finish.
 * - sot_session_certify(): the certificate; the output encrypted in the checkpoint; the commit,
 *   before anything is returned.
 * - sot_session_write(): the file, atomically.
 * - sot_session_end(): the state of the charge, if anything failed.
 *
 * A failure before sot_session_run() has public reasons, and nothing is charged. A run that a
 * ledger charged is never lost: the same call resumes it without a second charge
 * (commands/session/checkpoint.md). A finished run is not charged again. session->file is then
 * the output that the ledger's commit names, and the steps from sot_session_run() to the commit
 * are skipped. Records in memory without an output are the exception: they have no name by which
 * a later process could find the run.
 */
#ifndef SOT_COMMANDS_SESSION_SESSION_H
#define SOT_COMMANDS_SESSION_SESSION_H

#include <stdbool.h>

#include <sotto/certificate.h>
#include <sotto/gate.h>
#include <sotto/ledger.h>
#include <sotto/rng.h>
#include <sotto/schema.h>

#include "commands/session/checkpoint_file.h"
#include "commands/session/prose.h"
#include "data/source/source.h"

typedef struct sot_session {
    /* ---- the caller's, borrowed ---- */
    const char *data_path;      /* NULL: records in memory */
    const char *labels_path;    /* beside it; NULL: none */
    const char *query;          /* of a database; NULL: none */
    const char *table;          /* of a database; NULL: none */
    const char *format;         /* declared; NULL: by name and content */
    const char *where;          /* canonical condition on the rows; NULL: none */
    sot_origin origin;          /* of the rows that are read; 0: none are */
    const sotto_schema *schema; /* NULL: none, and so no ledger */
    const char *ledger_asked;   /* NULL: the schema's */
    const char *output;         /* NULL: nothing is written */
    const char *sign;           /* file of the secret key that signs; NULL: none does */
    const sotto_plan *plan;
    double delta;         /* that is certified; SOTTO_UNSET or 0: pure */
    double sampler_error; /* of the whole run, an upper bound */
    bool capped;          /* the plan's counts are caps: less may be released */
    bool counts_units;    /* the output shows the number of units */
    bool overwrite; /* the output may replace a file that <sotto/output.h> protects */
    bool anew; /* a new run, newly charged, though the same one was finished before */
    size_t numbers; /* bound on the numbers in the output, for its size; follows only from
                  * public facts */
    char label[SOTTO_LEDGER_TEXT_BYTES];
    bool insecure_test;
    uint64_t test_seed;
    const struct sot_again *
        again; /* commands/session/again.h: nothing runs, sot_session_certify() compares; NULL: a run */

    /* ---- the session's ---- */
    sot_kept_identity identity;       /* commands/session/asked.h */
    char asked[SOTTO_HASH_HEX_BYTES]; /* hash of all that was asked */
    sotto_run_outcome
        outcome;          /* SOTTO_RUN_NEW: `file` is to be made; else it was there */
    bool charged;         /* by this process or by the one it resumes */
    bool charged_perhaps; /* the ledger's row could not be written for certain */
    bool
        resumed; /* from a checkpoint, without a ledger that could count the resumptions */
    struct sotto_key *key;   /* of `sign` */
    sotto_ledger *ledger;    /* NULL: none */
    const char *ledger_path; /* of `ledger`, borrowed */
    sotto_reservation reservation;
    sotto_rng *rng;
    sotto_gate *gate;
    struct sot_keeper *
        keeper; /* commands/session/checkpoint.h; NULL: nothing is paid that could be lost, or records in memory */
    char *file; /* the certified text */
    char hash[SOTTO_HASH_HEX_BYTES];
} sot_session;

/* Settings that every run has, checked one way. `n` is the public number of rows, 0: none. */
SOTTO_MUST_CHECK sotto_status sot_check_privacy(double epsilon, double delta,
                                                sotto_adjacency adjacency, uint64_t n,
                                                sotto_error *error);

/* A public number of rows, `n`, needs all rows of a stored table: selected rows have a secret number. 0: none is
 * declared. Public, for before the charge. */
SOTTO_MUST_CHECK sotto_status sot_check_origin(sot_origin origin, uint64_t n,
                                               sotto_error *error);

/* With a unit in the schema the rows must not be a stream. The program behind it may have made
 * the unit's column from other columns, and the cap would not bound a person's rows. Public;
 * checked before the charge. */
SOTTO_MUST_CHECK sotto_status sot_check_stream(const sot_session *session,
                                               sotto_error *error);

/* For a verifier: the condition is one that this sotto reads with the schema, and the rows count as selected. */
SOTTO_MUST_CHECK sotto_status sot_check_where(const sot_session *session,
                                              sotto_error *error);

/* Writes the protected unit for a certificate: "row", or the values of the unit's column.
 * `schema` may be NULL. */
enum { SOT_UNIT_NAME_BYTES = 160 };
void sot_name_unit(const sotto_schema *schema, char name[SOT_UNIT_NAME_BYTES]);

/* Makes an empty plan about the schema's unit, with the cap that the run enforces; one row without a unit. `schema` may
 * be NULL. */
SOTTO_MUST_CHECK sotto_status sot_plan_new_for(sotto_adjacency adjacency,
                                               const sotto_schema *schema,
                                               sotto_plan **out_plan, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_plan_take_unit(sotto_plan *plan,
                                                 const sotto_schema *schema,
                                                 sotto_error *error);

/* Describes the data that was read, for a certificate. */
enum { SOT_COVERED_BYTES = 512 };
void sot_session_covered(const sot_session *session, char covered[SOT_COVERED_BYTES]);

/* Writes the facts about the rows that a certificate does not protect or check. Under replace-one
 * that is their number, or that of the units if the output shows it. Also the declaration that
 * they are all rows of a stored table, and the program of a stream. At most SOT_ROWS_FACTS texts;
 * returns their number. */
enum { SOT_ROWS_FACTS = 2 };
size_t sot_session_row_facts(const sot_session *session,
                             const char *out_facts[SOT_ROWS_FACTS]);

/* Returns the unchecked assumption about a stream, or NULL: the rows are no stream. */
const char *sot_state_stream(sot_origin origin);

/* The file has not the number of rows that was declared public. */
SOTTO_MUST_CHECK sotto_status sot_refuse_public_n(const char *data_path, uint64_t n,
                                                  sotto_error *error);

SOTTO_MUST_CHECK sotto_status sot_session_check(const sot_session *session,
                                                sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_session_open(sot_session *session, sotto_error *error);

/* Opens session->keeper and finds the files of an earlier process: a run to resume, with fresh
 * randomness, or an output, which is then session->file. session->identity and session->asked are
 * filled in. `setup` NULL: a run in one step. */
struct sot_keeper_setup;
SOTTO_MUST_CHECK sotto_status sot_session_keep(sot_session *session,
                                               const struct sot_keeper_setup *setup,
                                               sotto_error *error);

/* SOTTO_IO if another process has finished the same run meanwhile. Call it when the run's place
 * is locked, before the charge. */
SOTTO_MUST_CHECK sotto_status sot_session_check_new(const sot_session *session,
                                                    sotto_error *error);

/* Charges the session's plan to its ledger. `checkpoint` is the hash of the file from
 * which the run resumes; "": none. */
SOTTO_MUST_CHECK sotto_status sot_session_charge(sot_session *session,
                                                 const char *checkpoint,
                                                 sotto_error *error);

/* `work` reads the rows and releases through session->gate everything that the plan holds. Its
 * messages reach the caller, but that of memory that ran out, which would reveal the rows' number. */
typedef sotto_status (*sot_session_work)(void *context, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_session_run(sot_session *session, sot_session_work work,
                                              void *context, sotto_error *error);

/* Returns a bound on the length of the output, only from public facts. */
size_t sot_session_output_bytes(const sot_session *session);

/* `request_json` has the inputs of the file (commands/session/request.h); `facts` without ledger,
 * delta and dataset, which the session adds. */
SOTTO_MUST_CHECK sotto_status sot_session_certify(sot_session *session,
                                                  const char *payload_json,
                                                  const char *request_json,
                                                  const sotto_certificate_facts *facts,
                                                  sotto_error *error);

/* The certificate of session->file for people; free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_session_render(const sot_session *session,
                                                 char **out_text, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_session_write(const sot_session *session,
                                                sotto_error *error);

/* After a failure, adds the state of the charge to the message. */
SOTTO_MUST_CHECK sotto_status sot_session_end(sot_session *session, sotto_status status,
                                              sotto_error *error);

/* Returns the file beside the ledger of a run without an output, which stays until its result is
 * delivered; NULL: none. The session gives up ownership: for sot_kept_drop(). */
struct sot_pair;
struct sot_pair *sot_session_hand_over(sot_session *session);
/* The result has been taken (`is_taken`), or is kept for the same call. NULL is fine. */
void sot_kept_drop(struct sot_pair *kept, bool is_taken);

void sot_session_close(sot_session *session);

/* ---- lines that every run's summary has ---- */

/* `schema` has the unit; NULL: a row. `origin` 0: no rows are known yet. */
void sot_prose_guarantee(sot_prose *prose, double epsilon, double delta,
                         sotto_adjacency adjacency, const sotto_schema *schema,
                         sot_origin origin);
/* The same where whole teachers come and go, and no row is protected by itself. */
void sot_prose_guarantee_of_teachers(sot_prose *prose, double epsilon, double delta,
                                     sotto_adjacency adjacency);
/* Writes the charge and the rest of the budget, and whether this call ran or an earlier
 * one. */
void sot_prose_ledger(sot_prose *prose, const sot_session *session);

#endif
