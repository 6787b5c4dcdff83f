/* The parts of a model that was read. */
#include <assert.h>

#include "artifact/model_file/model.h"
#include "models/concept/classes/concept.h"

const sotto_schema *sotto_model_schema(const sotto_model *model)
{
    return model->schema;
}

size_t sotto_model_dimension(const sotto_model *model)
{
    return sot_encoding_dimension(model->encoding);
}

const char *sotto_model_feature(const sotto_model *model, size_t index)
{
    assert(index < sotto_model_dimension(model));
    return sot_encoding_feature(model->encoding, index);
}

size_t sotto_model_coefficients(const sotto_model *model)
{
    return model->coefficient_count;
}

double sotto_model_coefficient(const sotto_model *model, size_t index)
{
    assert(index < model->coefficient_count);
    return sot_model_mean_coefficient(model, index);
}

sotto_model_kind sotto_model_kind_of(const sotto_model *model)
{
    return model->kind;
}

sotto_prediction sotto_model_predicts(const sotto_model *model)
{
    return model->prediction;
}

size_t sotto_model_outputs(const sotto_model *model)
{
    return model->outputs;
}

size_t sotto_model_margins(const sotto_model *model)
{
    return model->margins;
}

const char *sotto_model_concept(const sotto_model *model, char *out, size_t size_bytes)
{
    assert(size_bytes > 0);
    out[0] = '\0';
    return model->concept == NULL
               ? out
               : sot_concept_text(model->concept, model->coefficients, out, size_bytes);
}

size_t sotto_model_classes(const sotto_model *model)
{
    return sot_encoding_classes(model->encoding);
}

const char *sotto_model_class(const sotto_model *model, size_t index)
{
    assert(index < sotto_model_classes(model));
    return sot_encoding_class(model->encoding, index);
}
