/* commands/audit/transcript.h: the releases of every step of a descent, one number per step.
 *
 * Idea: an iterative learner passes its state, all of it released, to the checkpoint. The audit
 * listens there and takes each step's change along the study's direction: the noisy gradient of
 * that step. Noise that is used twice cancels in the difference of two steps; the last step by
 * itself does not show this.
 */
#ifndef SOT_COMMANDS_AUDIT_TRANSCRIPT_H
#define SOT_COMMANDS_AUDIT_TRANSCRIPT_H

#include "commands/audit/pairs/study.h"

typedef struct sot_transcript {
    sot_checkpoint checkpoint;
    const sot_study *study;
    size_t numbers; /* of the state that are weights */
    bool is_network;
    double previous; /* along the direction */
    double score;    /* the sum of moves, with weights 1, -1, 1, ... */
} sot_transcript;

/* For learner->checkpoint; lives as long as the transcript. */
sot_checkpoint *sot_transcript_begin(sot_transcript *transcript, const sot_study *study,
                                     const sotto_training *training);

double sot_transcript_score(const sot_transcript *transcript);

#endif
