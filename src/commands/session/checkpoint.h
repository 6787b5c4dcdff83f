/* commands/session/checkpoint.h: a run that can be ended at any moment and gone on with, under one charge.
 *
 * Idea      Beside the output lies OUTPUT.checkpoint: that the run is charged, and what it has released so far. The same
 *           command goes on from there; when the output is in its place, the checkpoint is gone. Fresh randomness in every
 *           process. Without an output it lies beside the ledger: LEDGER-run-<16 digits of what was asked>.
 * Order     begun file, reservation, [state, row in the ledger, in its place]..., output sealed, commit, output in
 *           its place, checkpoint removed. Each arrow is one stroke; what counts after a crash is the file that the
 *           ledger's last row of this run names, and no other.
 * Proof     src/commands/session/checkpoint.md
 */
#ifndef SOT_COMMANDS_SESSION_CHECKPOINT_H
#define SOT_COMMANDS_SESSION_CHECKPOINT_H

#include <sotto/progress.h>

#include "commands/session/checkpoint_file.h"
#include "commands/session/session.h"
#include "methods/learner.h"

typedef struct sot_keeper sot_keeper;

/* How long a run may last before it keeps its state and stops; SOTTO_UNSET: no limit. */
typedef struct sot_keeper_setup {
    sot_session
        *session; /* borrowed; its ledger and gate are open, its identity is known */
    double max_minutes;
    uint64_t steps;                   /* for messages; 0: not known */
    sotto_progress_function progress; /* the caller's; NULL: none */
    void *progress_context;
} sot_keeper_setup;

/* Locks the checkpoint beside session->output and finds out where the run stands. Nothing is charged or released
 * here. SOTTO_INVALID_ARGUMENT: the file is of another run, or an older one than the ledger knows; the message
 * says what to do. */
SOTTO_MUST_CHECK sotto_status sot_keeper_open(const sot_keeper_setup *setup,
                                              sot_keeper **out_keeper,
                                              sotto_error *error);
void sot_keeper_close(sot_keeper *keeper); /* NULL is fine */

/* Whether an earlier process was charged for this run, and after how many steps it goes on. */
bool sot_keeper_resumes(const sot_keeper *keeper);
uint64_t sot_keeper_step(const sot_keeper *keeper);
const char *sot_keeper_run(const sot_keeper *keeper); /* its random name */

/* The finished output of an earlier process, for the caller to put in its place; NULL: there is none. */
const char *sot_keeper_output(const sot_keeper *keeper);

/* Charges the run, or takes over the reservation and tells the gate what was released. */
SOTTO_MUST_CHECK sotto_status sot_keeper_begin(sot_keeper *keeper, sotto_error *error);

/* For the learner, and for whoever listens: a listener that asks to stop is obeyed behind the next state. */
sot_checkpoint *sot_keeper_checkpoint(sot_keeper *keeper);
int sot_keeper_listen(const sotto_progress *progress, void *keeper);

/* The rows have been worked on. After a failure that may follow from what was released the run is closed: its reservation is
 * charged and can no longer be gone on with, or failures of one charge could be collected. Lack of memory, files that cannot be
 * read, a failing random source and a wish to stop leave it open. Returns `status`, or why the ledger could not be
 * written. */
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
