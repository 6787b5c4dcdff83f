/* artifact/model_file/additive.h: additive models in model files. */
#ifndef SOT_ARTIFACT_MODEL_FILE_ADDITIVE_H
#define SOT_ARTIFACT_MODEL_FILE_ADDITIVE_H

#include "artifact/model_file/model.h"

/* The blocks, from the schema and the settings `basis` and `bins`. */
SOTTO_MUST_CHECK sotto_status sot_model_read_blocks(const sot_json_value *root,
                                                    sotto_model *model,
                                                    sotto_error *error);
/* The coefficients, and the curves that they stand for. */
SOTTO_MUST_CHECK sotto_status sot_model_read_additive(const sot_json_value *root,
                                                      sotto_model *model,
                                                      sotto_error *error);

/* Return value `index` of the curves, margin after margin: the mean over the posterior samples, and their standard
 * deviation. */
double sot_model_curve_value(const sotto_model *model, size_t index);
double sot_model_curve_spread(const sotto_model *model, size_t index);

/* A report shows these numbers with their noise: values of curves, or the coefficients of other models. The second
 * returns the standard deviation over the posterior samples. */
size_t sot_model_shown(const sotto_model *model);
double sot_model_shown_spread(const sotto_model *model, size_t index);

#endif
