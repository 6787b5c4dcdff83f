/* commands/session/keeper.h: a keeper from inside, shared by checkpoint.c and find.c. */
#ifndef SOT_COMMANDS_SESSION_KEEPER_H
#define SOT_COMMANDS_SESSION_KEEPER_H

#include "base/file/pair.h"
#include "commands/session/checkpoint.h"

struct sot_keeper {
    sot_keeper_setup setup;
    sot_session *session;
    char *path;
    sot_pair *pair;
    sotto_rng *keys; /* for seals and names of runs; noise has another one */
    /* where the run stands */
    bool resumes;
    sot_kept_file kept;              /* the resumed checkpoint, without its body */
    char last[SOTTO_HASH_HEX_BYTES]; /* hash of the file from which the run resumes */
    unsigned char *body;             /* opened: the state, or the output */
    size_t body_bytes;
    sot_checkpoint checkpoint;
    /* when to keep, when to stop */
    double started_seconds, due_seconds, told_seconds;
    uint64_t steps_done; /* by the learner, which asks behind every step */
    bool stop_asked;
    bool closed; /* by sot_keeper_judge() */
};

/* The path of the checkpoint; sot_free() it. checkpoint_names.c */
SOTTO_MUST_CHECK sotto_status sot_keeper_name(const sot_session *session, char **out_path,
                                              sotto_error *error);

/* Finds the file from which the run resumes, by the ledger if there is one, and fills in its
 * state. Unfinished steps of a crash are completed or removed. */
SOTTO_MUST_CHECK sotto_status sot_keeper_look(sot_keeper *keeper, sotto_error *error);

#endif
