/* models/concept/classes/parts.h: making a class, feature by feature: the common part of
 * settings and model files. */
#ifndef SOT_MODELS_CONCEPT_CLASSES_PARTS_H
#define SOT_MODELS_CONCEPT_CLASSES_PARTS_H

#include "models/concept/classes/concept.h"

typedef struct sot_concept_builder {
    const sotto_schema *schema;
    size_t target; /* the column that is no feature; SIZE_MAX: none */
    sot_concept_class *class;
    size_t room; /* features */
} sot_concept_builder;

/* The kind that `value`, a text, names. */
SOTTO_MUST_CHECK sotto_status sot_concept_read_kind(const sot_json_value *value,
                                                    sot_concept_kind *out_kind,
                                                    sotto_error *error);

/* Starts an empty class; the builder's schema and target are set. */
SOTTO_MUST_CHECK sotto_status sot_concept_begin(sot_concept_builder *builder,
                                                sot_concept_kind kind,
                                                sotto_error *error);

/* Sets whether concepts may be flipped, by `value`. */
SOTTO_MUST_CHECK sotto_status sot_concept_set_both(sot_concept_builder *builder,
                                                   bool both, const sot_json_value *value,
                                                   sotto_error *error);

/* Sets builder->target: the column of that name, or the schema's own for NULL, if it has one. */
SOTTO_MUST_CHECK sotto_status sot_concept_exclude_target(sot_concept_builder *builder,
                                                         const char *name,
                                                         sotto_error *error);
/* The column that `value` names; a feature of a matrix by its number from 1, or its text. */
SOTTO_MUST_CHECK sotto_status sot_concept_find_column(const sot_concept_builder *builder,
                                                      const sot_json_value *value,
                                                      size_t *out_column,
                                                      sotto_error *error);
/* Returns the schema's description of the cells of a column, or of a matrix's numbers;
 * NULL: numbers without bounds. */
const sotto_column *sot_concept_column(const sot_concept_builder *builder, size_t column);
/* SOTTO_INVALID_ARGUMENT for the target, ids and columns that are not read. */
SOTTO_MUST_CHECK sotto_status sot_concept_check_column(const sot_concept_builder *builder,
                                                       size_t column, sotto_error *error);
/* For columns that hold numbers or integers, or for a matrix's. */
bool sot_concept_is_number(const sot_concept_builder *builder, size_t column);
bool sot_concept_is_bounded(const sot_concept_builder *builder, size_t column);
/* "age", or "7" of a matrix. Returns `out` or the schema's own text. */
enum { SOT_CONCEPT_PLACE_BYTES = 24 };
const char *sot_concept_column_name(const sot_concept_builder *builder, size_t column,
                                    char out[SOT_CONCEPT_PLACE_BYTES]);

/* Appends a feature: a value of a category or a boolean; equal cells of a number with bounds (2
 * or more, at most SOT_CELLS_MAX); a list of thresholds. */
SOTTO_MUST_CHECK sotto_status sot_concept_add_indicator(sot_concept_builder *builder,
                                                        size_t column, size_t value,
                                                        sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_concept_add_equal(sot_concept_builder *builder,
                                                    size_t column, uint64_t cells,
                                                    sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_concept_add_cuts(sot_concept_builder *builder,
                                                   size_t column,
                                                   const sot_json_value *list,
                                                   sotto_error *error);
/* Sets the weights of a feature's thresholds: cells + 1 whole numbers. */
SOTTO_MUST_CHECK sotto_status sot_concept_add_weights(sot_concept_builder *builder,
                                                      size_t feature,
                                                      const sot_json_value *list,
                                                      sotto_error *error);

/* True if the kind takes only features of two cells. */
bool sot_concept_is_binary(sot_concept_kind kind);

/* Begins the class of a model file's form and adds its features (json.c). */
SOTTO_MUST_CHECK sotto_status sot_concept_read_whole(sot_concept_builder *builder,
                                                     const sot_json_value *value,
                                                     sotto_error *error);

/* Refuses a class whose features are too many, too few, too fine or twice there. */
SOTTO_MUST_CHECK sotto_status sot_concept_finish(const sot_concept_builder *builder,
                                                 sotto_error *error);

#endif
