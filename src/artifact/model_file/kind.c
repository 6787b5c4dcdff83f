/* Differences between the files of model kinds, one row a kind; models/kinds.h has the other differences. */
#include "base/error.h"

#include "artifact/model_file/additive.h"
#include "artifact/model_file/concept.h"
#include "artifact/model_file/model.h"
#include "artifact/model_file/network.h"

/* ---- features of bounded norm, and coefficients of theirs ---- */

static sotto_status encode_features(const sot_json_value *root, sotto_model *model,
                                    sotto_error *error)
{
    (void)root;
    return sot_encoding_new(
        model->schema, NULL,
        sot_model_role(model->kind, sotto_schema_target(model->schema)), &model->encoding,
        error);
}

static sotto_status count_coefficients(sotto_model *model, sotto_error *error)
{
    const size_t dimension = sot_encoding_dimension(model->encoding);
    const size_t each = model->draws * model->margins;
    model->coefficient_count = model->margins * dimension;
    if (dimension <= SOT_MODEL_DIMENSION_MAX / each) return SOTTO_OK;
    return sot_fail(error, SOTTO_PARSE,
                    "the model has %zu features and %zu coefficients for each; at most "
                    "%zu in all",
                    dimension, each, SOT_MODEL_DIMENSION_MAX);
}

static sotto_status count_concept(sotto_model *model, sotto_error *error)
{
    (void)error;
    model->coefficient_count = sot_concept_numbers(model->concept);
    return SOTTO_OK;
}

/* A network has a limit of its own. */
static sotto_status count_nothing(sotto_model *model, sotto_error *error)
{
    (void)model;
    (void)error;
    return SOTTO_OK;
}

/* ---- the table ---- */

static const sot_model_format linear = {.version = 2,
                                        .encode = encode_features,
                                        .count = count_coefficients,
                                        .read = sot_model_read_coefficients};
static const sot_model_format logistic = {.version = 1,
                                          .encode = encode_features,
                                          .count = count_coefficients,
                                          .read = sot_model_read_coefficients};
static const sot_model_format network = {.version = 3,
                                         .encode = encode_features,
                                         .count = count_nothing,
                                         .read = sot_model_read_network};
static const sot_model_format concept = {.version = 4,
                                         .counted_version = 5,
                                         .refused_sampler =
                                             "leave it out: no sampler makes concepts",
                                         .encode = sot_model_read_class,
                                         .count = count_concept,
                                         .read = sot_model_read_concept};

static const sot_model_format additive = {.version = 6,
                                          .encode = sot_model_read_blocks,
                                          .count = count_coefficients,
                                          .read = sot_model_read_additive};

/* Kinds that are not listed have coefficients of features. */
static const sot_model_format *const formats[] = {[SOTTO_MODEL_LOGISTIC] = &logistic,
                                                  [SOTTO_MODEL_NETWORK] = &network,
                                                  [SOTTO_MODEL_CONCEPT] = &concept,
                                                  [SOTTO_MODEL_ADDITIVE] = &additive};

const sot_model_format *sot_model_format_of(sotto_model_kind kind)
{
    const size_t index = (size_t)kind;
    const bool listed =
        index < sizeof formats / sizeof formats[0] && formats[index] != NULL;
    return listed ? formats[index] : &linear;
}

int sot_model_version(sotto_model_kind kind, bool drawn, bool counted)
{
    enum { DRAWN = 4 };
    const sot_model_format *format = sot_model_format_of(kind);
    if (counted && format->counted_version > 0) return format->counted_version;
    return drawn && format->version < DRAWN ? DRAWN : format->version;
}
