/* artifact/model_file/concept.h: the members of a concept's model file, and a row's place
 * in it. */
#ifndef SOT_ARTIFACT_MODEL_FILE_CONCEPT_H
#define SOT_ARTIFACT_MODEL_FILE_CONCEPT_H

#include "artifact/model_file/model.h"
#include "base/json/json.h"
#include "base/json/writer.h"
#include "models/concept/classes/concept.h"

/* Reads "concept", the class, and makes the encoding by its grids. The schema is there already. */
SOTTO_MUST_CHECK sotto_status sot_model_read_class(const sot_json_value *root,
                                                   sotto_model *model,
                                                   sotto_error *error);
/* Reads "coefficients", the numbers of one of the class, and "noisy_errors", if it has them. */
SOTTO_MUST_CHECK sotto_status sot_model_read_concept(const sot_json_value *root,
                                                     sotto_model *model,
                                                     sotto_error *error);

/* Refuses content that the reader would not take. */
SOTTO_MUST_CHECK sotto_status sot_model_check_concept(const sot_model_content *content,
                                                      sotto_error *error);
void sot_model_write_concept(const sot_model_content *content, sot_json_writer *writer);

/* 1 where the model's concept says yes of the record, else -1. `room` is for a place a feature. */
double sot_model_concept_score(const sotto_model *model, const sot_record *record,
                               uint32_t *room);

#endif
