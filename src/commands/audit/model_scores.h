/* commands/audit/model_scores.h: the confidence of a model in each row of a file. */
#ifndef SOT_COMMANDS_AUDIT_MODEL_SCORES_H
#define SOT_COMMANDS_AUDIT_MODEL_SCORES_H

#include <sotto/audit_model.h>

#include "data/batches/matrix.h"

/* log(p/(1 - p)) of the class `label`: its margin less the logarithm of the others' exp() together. Where some margin is not
 * finite, all classes count as equal. */
double sot_log_odds(const double *margins, size_t count, size_t label);

/* One per row; free with sot_free(). */
typedef struct sot_confidences {
    double *values;
    size_t count;
} sot_confidences;

/* Computes minus the loss of each row. For classes it is log(p/(1 - p)) of the true class, from
 * the scores (svm: the margin; concept: 1 or -1). For a number it is minus the squared error, in
 * the target's units. Several posterior samples are scored by the mean of their predictions.
 * Clear with sot_free(out->values), also after failure. */
SOTTO_MUST_CHECK sotto_status sot_confidences_of(const sotto_model *model,
                                                 const sotto_data_file *file,
                                                 sot_confidences *out,
                                                 sotto_error *error);

/* The same for rows encoded for the model, in their order: out[matrix->rows]. The coefficients,
 * posterior samples and network of `model` may be another training's. The result is the same for
 * any number of threads; 0: one per CPU. */
SOTTO_MUST_CHECK sotto_status sot_confidences_of_rows(const sotto_model *model,
                                                      const sot_matrix *matrix,
                                                      size_t threads, double *out,
                                                      sotto_error *error);

#endif
