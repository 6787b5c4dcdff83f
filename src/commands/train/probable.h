/* commands/train/probable.h: scores of classes on rows in memory that see more than the accuracy.
 *
 * Idea     Each row gets the probabilities that a model file with these coefficients would give. The
 *          Brier score and the log loss are proper: the true probabilities have the best mean.
 */
#ifndef SOT_COMMANDS_TRAIN_PROBABLE_H
#define SOT_COMMANDS_TRAIN_PROBABLE_H

#include "commands/train/train.h"
#include "data/batches/matrix.h"

/* Does the model give classes a probability? */
bool sot_tells_probabilities(const sotto_training *training);

/* Receives a row's probability of each class, and the place of its own class. */
typedef void (*sot_probable_visitor)(const double *probabilities, size_t classes,
                                     size_t label, void *context);

/* Visits the rows in order, for models that give probabilities. */
SOTTO_MUST_CHECK sotto_status sot_probable_visit(const sotto_training *training,
                                                 const sot_matrix *matrix,
                                                 const double *theta,
                                                 sot_probable_visitor visit,
                                                 void *context, sotto_error *error);

/* Half the squared distance of the probabilities from the truth, in [0, 1]. For two classes it is the
 * squared miss of one of them. */
double sot_brier_of_row(const double *probabilities, size_t classes, size_t label);

/* The mean of it over at least one row. */
SOTTO_MUST_CHECK sotto_status sot_probable_brier(const sotto_training *training,
                                                 const sot_matrix *matrix,
                                                 const double *theta, double *out_brier,
                                                 sotto_error *error);

typedef struct sot_probable_scores {
    double auc;      /* of two classes; NaN: one of them has no row */
    double log_loss; /* a probability below 2^-20 counts as 2^-20 */
    double brier;
} sot_probable_scores;

SOTTO_MUST_CHECK sotto_status sot_probable_all(const sotto_training *training,
                                               const sot_matrix *matrix,
                                               const double *theta,
                                               sot_probable_scores *out_scores,
                                               sotto_error *error);

/* The same of giving every row the class shares of the rows `seen`: their AUC is 1/2. */
SOTTO_MUST_CHECK sotto_status sot_probable_trivial(const sot_encoding *encoding,
                                                   const sot_matrix *seen,
                                                   const sot_matrix *held,
                                                   sot_probable_scores *out_scores,
                                                   sotto_error *error);

#endif
