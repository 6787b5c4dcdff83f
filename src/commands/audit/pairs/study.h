/* commands/audit/pairs/study.h: two neighbouring data sets on which a learner leaks as much as
 * possible.
 *
 * Idea: a claim holds for all pairs of neighbours; a tight audit needs the worst one. For each
 * model and method it is crafted by hand. The record's gradient is as long as the claim allows
 * for all iterates. It is in the linear part of a loss, or far on the wrong side of a margin. The
 * other rows pull the other way. The release is observed along the one direction in which the
 * worlds differ.
 *
 * Real: rows go to the learner, its mechanism and its gate as in training. Nothing is charged:
 * all records are synthetic.
 */
#ifndef SOT_COMMANDS_AUDIT_PAIRS_STUDY_H
#define SOT_COMMANDS_AUDIT_PAIRS_STUDY_H

#include <sotto/audit.h>

#include "commands/train/train.h"

enum {
    SOT_STUDY_FEATURES = 4,
    SOT_STUDY_GROUPS = 3, /* different rows of the base */
    SOT_STUDY_SCHEMA_BYTES = 320,
    SOT_STUDY_NUMBERS = 16 /* that a learner of a study returns, at most */
};

/* Equal rows. */
typedef struct sot_study_row {
    double x[SOT_STUDY_FEATURES];
    double label;
    size_t copies;
} sot_study_row;

/* The score of a run. */
typedef enum sot_study_look {
    SOT_LOOK_ALONG = 1,  /* the released numbers along `direction` */
    SOT_LOOK_EQUALS = 2, /* 0 if the first released number is direction[0], else 1 */
    SOT_LOOK_LOSS =
        3, /* objective perturbation: the exact privacy loss, commands/audit/exact_loss.h */
    SOT_LOOK_STEPS =
        4, /* every step's move along `direction`, from the transcript: commands/audit/transcript.h */
    SOT_LOOK_COUNTS =
        5 /* a concept by laplace: the noisy errors, against direction[i] without
                           the record and one more with it, each; see below */
} sot_study_look;

/* The log-ratio of both worlds' distributions at a noisy count x is
 * (|x - m| - |x - m - 1|)/scale, and the counts' ratios add up. This is the optimal statistic.
 * The scale is left out, because a threshold does not need it; so the score uses no claimed
 * value. */
typedef struct sot_study {
    char schema_text[SOT_STUDY_SCHEMA_BYTES];
    size_t features;
    bool is_table;             /* labels are a cell of the row */
    sotto_train_config config; /* of the training; texts are static */
    sot_study_row base[SOT_STUDY_GROUPS];
    size_t groups;
    sot_study_row record; /* in the world "in" */
    sot_study_row other;  /* replace-one: in its place in the world "out" */
    sot_study_look look;
    double direction[SOT_STUDY_NUMBERS];
    sotto_audit_aim aim;
    const char *pair; /* static: the pair in words */
    const char
        *short_of; /* static: why not even this pair attains the claim; NULL: it does */
} sot_study;

/* The pair for config->model and config->method. SOTTO_UNSUPPORTED: none is known. */
SOTTO_MUST_CHECK sotto_status sot_study_craft(const sotto_audit_config *config,
                                              sot_study *out_study, sotto_error *error);

/* The state of a study that is ready to run. */
typedef struct sot_laboratory {
    const sot_study *study; /* borrowed */
    sotto_schema *schema;
    sotto_training *training;
    sot_matrix *worlds[2]; /* 0: the record is out; 1: in */
} sot_laboratory;

/* Plans the training and loads both worlds. Close with sot_laboratory_close(), also after failure. */
SOTTO_MUST_CHECK sotto_status sot_laboratory_open(const sot_study *study, sotto_rng *rng,
                                                  sot_laboratory *out_laboratory,
                                                  sotto_error *error);
void sot_laboratory_close(sot_laboratory *laboratory);

/* Trains `runs` times in each world, each run on its own stream. Writes one score per run, larger
 * where the record seems included: out_scores[world * runs + i]. The same for any number of
 * threads. */
SOTTO_MUST_CHECK sotto_status sot_laboratory_run(const sot_laboratory *laboratory,
                                                 const sotto_audit_config *config,
                                                 sotto_rng *rng, double *out_scores,
                                                 sotto_error *error);

/* The setting of that name which the learner decided, or NaN. */
double sot_laboratory_setting(const sot_laboratory *laboratory, const char *name);

#endif
