/* artifact/model_file/network.h: the members of a network's model file, and rows through
 * a network. */
#ifndef SOT_ARTIFACT_MODEL_FILE_NETWORK_H
#define SOT_ARTIFACT_MODEL_FILE_NETWORK_H

#include "artifact/model_file/model.h"
#include "base/json/json.h"
#include "base/json/writer.h"

/* ---- the file ---- */

/* Reads a list of `count` hexadecimal floats: one per feature, or the parameters of a layer. */
SOTTO_MUST_CHECK sotto_status sot_model_read_list(const sot_json_value *list,
                                                  size_t count, bool of_layer,
                                                  double *out_values, sotto_error *error);

/* "network", "coefficients" (a list for each layer that has parameters) and "curve". The model's schema, encoding and
 * classes are there already. */
SOTTO_MUST_CHECK sotto_status sot_model_read_network(const sot_json_value *root,
                                                     sotto_model *model,
                                                     sotto_error *error);

/* Refuses content that the reader would not take. */
SOTTO_MUST_CHECK sotto_status sot_model_check_network(const sot_model_content *content,
                                                      sotto_error *error);
void sot_model_write_network(const sot_model_content *content, sot_json_writer *writer);

/* ---- rows ---- */

typedef struct sot_rows_ahead sot_rows_ahead;

SOTTO_MUST_CHECK sotto_status sot_rows_ahead_open(const sotto_model *model,
                                                  sot_rows_ahead **out_ahead,
                                                  sotto_error *error);
void sot_rows_ahead_close(sot_rows_ahead *ahead); /* wipes; NULL is fine */

/* The next row's scores, into scorer->margins, and its label and number. `scorer->features` is the
 * room for encoding. */
SOTTO_MUST_CHECK sotto_status sot_rows_ahead_next(sot_scorer *scorer, sot_source *source,
                                                  bool *out_more, sotto_error *error);

#endif
