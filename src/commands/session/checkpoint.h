/* commands/session/checkpoint.h: a run that can be stopped at any moment and resumed, under one
 * charge.
 *
 * Idea: beside the output is OUTPUT.checkpoint. It states that the run is charged, and holds its
 * releases so far. The same command resumes from there; when the output is in its place, the
 * checkpoint is removed. Every process has fresh randomness. Without an output the file is beside
 * the ledger: LEDGER-run-<16 digits of the request's hash>.
 *
 * Order: begun file, reservation, [state, row in the ledger, placed]..., output encrypted,
 * commit, output placed, checkpoint removed. Each step is atomic. After a crash only the file
 * counts that the ledger's last row of this run names.
 *
 * Proof: src/commands/session/checkpoint.md
 */
#ifndef SOT_COMMANDS_SESSION_CHECKPOINT_H
#define SOT_COMMANDS_SESSION_CHECKPOINT_H

#include <sotto/progress.h>

#include "commands/session/checkpoint_file.h"
#include "commands/session/session.h"
#include "methods/learner.h"

typedef struct sot_keeper sot_keeper;

/* The time that a run may last before it keeps its state and stops; SOTTO_UNSET: no limit. */
typedef struct sot_keeper_setup {
    sot_session
        *session; /* borrowed; its ledger and gate are open, its identity is known */
    double max_minutes;
    uint64_t steps;                   /* for messages; 0: not known */
    sotto_progress_function progress; /* the caller's; NULL: none */
    void *progress_context;
} sot_keeper_setup;

/* Locks the checkpoint beside session->output and finds the state of the run. Nothing is charged
 * or released here. SOTTO_INVALID_ARGUMENT: the file is of another run, or older than the
 * ledger's last checkpoint; the message has the remedy. */
SOTTO_MUST_CHECK sotto_status sot_keeper_open(const sot_keeper_setup *setup,
                                              sot_keeper **out_keeper,
                                              sotto_error *error);
void sot_keeper_close(sot_keeper *keeper); /* NULL is fine */

/* Return whether an earlier process was charged for this run, and the step after which it
 * resumes. */
bool sot_keeper_resumes(const sot_keeper *keeper);
uint64_t sot_keeper_step(const sot_keeper *keeper);
const char *sot_keeper_run(const sot_keeper *keeper); /* its random name */

/* The finished output of an earlier process, for the caller to put in its place; NULL: there is none. */
const char *sot_keeper_output(const sot_keeper *keeper);

/* Charges the run, or takes over the reservation and gives the gate the earlier
 * releases. */
SOTTO_MUST_CHECK sotto_status sot_keeper_begin(sot_keeper *keeper, sotto_error *error);

/* For the learner and the listener. If the listener asks to stop, the run stops after the
 * next state. */
sot_checkpoint *sot_keeper_checkpoint(sot_keeper *keeper);
int sot_keeper_listen(const sotto_progress *progress, void *keeper);

/* The rows have been processed. After a failure that may depend on released values the run is
 * closed: its reservation is charged and cannot be resumed. Otherwise failures of one charge
 * could be collected. Environment failures (memory, I/O, entropy, interrupt) leave it open.
 * Returns `status`, or the failure to write the ledger. */
SOTTO_MUST_CHECK sotto_status sot_keeper_judge(sot_keeper *keeper, sotto_status status,
                                               sotto_error *error);
bool sot_keeper_is_closed(const sot_keeper *keeper);

/* Keeps the finished text and commits the reservation. After this the text may leave, as often as is needed. */
SOTTO_MUST_CHECK sotto_status sot_keeper_finish(sot_keeper *keeper, const char *text,
                                                const char *output_hash,
                                                sotto_error *error);

/* The output is in its place. */
void sot_keeper_remove(sot_keeper *keeper);

/* Frees the keeper, and gives its files, locked. */
struct sot_pair *sot_keeper_detach(sot_keeper *keeper);

/* Refuses an output beside which a checkpoint would take the place of one of these files; NULL: none. */
SOTTO_MUST_CHECK sotto_status sot_keeper_check_names(const char *output,
                                                     const char *const *files,
                                                     size_t count, sotto_error *error);

#ifdef SOTTO_TESTING
/* Seconds from one state to the next, the first included; below 0: as in the product. The environment variable
 * SOTTO_KEEP_SECONDS does the same. */
void sot_test_keep_every(double seconds);
#endif

#endif
