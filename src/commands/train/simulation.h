/* commands/train/simulation.h: a training on public rows, as often as one likes.
 *
 * Idea     The rows are public, so nothing is charged and scores are exact. Every fifth row is held
 *          back for the score; the others are learned from, each time with fresh noise.
 */
#ifndef SOT_COMMANDS_TRAIN_SIMULATION_H
#define SOT_COMMANDS_TRAIN_SIMULATION_H

#include "base/progress.h"
#include "commands/train/public.h"
#include "commands/train/train.h"

enum { SOT_REHEARSAL_REPEATS_MAX = 10000 };

/* Scores beside sot_public_score(). */
enum { SOT_PROPER_AUC, SOT_PROPER_LOG_LOSS, SOT_PROPER_BRIER, SOT_PROPER };

typedef struct sot_rehearsal {
    sotto_rng *rng; /* borrowed */
    sot_matrix *seen, *held;
    double *theta; /* of the last run */
    size_t count;  /* coefficients */
    double *
        curves; /* of an additive model: those of theta, one vector after another; else NULL */
    size_t numbers; /* whose deviations are measured: coefficients, or values of curves */
    sot_progress
        progress; /* counts trainings; its function NULL, as after sot_rehearsal_open(): none */
    uint64_t done, planned; /* trainings */
    /* For a model that gives classes a probability, else NaN: by the last sot_rehearse(), and without noise by
     * the last sot_rehearse_without_noise(). */
    double means[SOT_PROPER], deviations[SOT_PROPER], plain[SOT_PROPER];
} sot_rehearsal;

/* Rows of a file, or `rows` drawn from the schema if `file` is NULL. They fit every training of the same
 * schema, target and model. Release with sot_rehearsal_close(), also after failure. */
SOTTO_MUST_CHECK sotto_status sot_rehearsal_open(const sotto_training *training,
                                                 const sotto_data_file *file,
                                                 uint64_t rows, sotto_rng *rng,
                                                 sot_rehearsal *out_rehearsal,
                                                 sotto_error *error);
/* Repeats the training rows until there are at least `rows`, or keeps the first `rows` of them. */
SOTTO_MUST_CHECK sotto_status sot_rehearsal_resize(sot_rehearsal *rehearsal,
                                                   uint64_t rows, sotto_error *error);
/* Repeats the training rows until there are at least `rows`. */
SOTTO_MUST_CHECK sotto_status sot_rehearsal_enlarge(sot_rehearsal *rehearsal,
                                                    uint64_t rows, sotto_error *error);
/* Reports to a listener, NULL for none, every training of sot_rehearse(), `planned` in all. */
void sot_rehearsal_watch(sot_rehearsal *rehearsal, uint64_t planned,
                         sotto_progress_function progress, void *context);
void sot_rehearsal_close(sot_rehearsal *rehearsal);

/* Trains `repeats` times: the mean and the standard deviation of the score (sot_public_score()) and,
 * unless NULL, the standard deviation of each of its numbers. */
SOTTO_MUST_CHECK sotto_status sot_rehearse(sot_rehearsal *rehearsal,
                                           const sotto_training *training,
                                           uint64_t repeats, double *out_mean,
                                           double *out_deviation, double *out_deviations,
                                           sotto_error *error);

/* The score of the same model without noise. */
SOTTO_MUST_CHECK sotto_status sot_rehearse_without_noise(sot_rehearsal *rehearsal,
                                                         const sotto_training *training,
                                                         double *out_score,
                                                         sotto_error *error);

sotto_forecast_score sot_rehearsal_score(const sotto_training *training);

#endif
