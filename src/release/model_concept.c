/* The members of a model file that only a concept has. */
#include "release/model_concept.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/plant.h"
#include "release/model_network.h"

/* ---- reading ---- */

sotto_status sot_model_read_class(const sot_json_value *root, sotto_model *model,
                                  sotto_error *error)
{
    sot_json_value member;
    sotto_error why = {.status = SOTTO_OK};
    sotto_status status = sot_json_get_object(root, "concept", &member, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_member(root, "features", &member))
        return sot_json_refuse(&member, "leave it out: the concept's class lists them",
                               error);
    if (!sot_json_member(root, "concept", &member)) return SOTTO_INTERNAL;
    status = sot_concept_class_read(&member, model->schema, &model->concept, &why);
    if (status != SOTTO_OK) {
        return sot_fail(error, status == SOTTO_OUT_OF_MEMORY ? status : SOTTO_PARSE, "%s",
                        why.message);
    }
    return sot_encoding_new_cells(model->schema, NULL, model->concept->grids,
                                  model->concept->features, &model->encoding, error);
}

sotto_status sot_model_read_concept(const sot_json_value *root, sotto_model *model,
                                    sotto_error *error)
{
    sot_json_value list;
    const size_t count = model->coefficient_count;
    sotto_status status = sot_json_get_array(root, "coefficients", &list, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(&list) != count) {
        return sot_fail(error, SOTTO_PARSE,
                        "the model has %zu coefficients but a concept of its class has "
                        "%zu; use the file as sotto train wrote it",
                        sot_json_size(&list), count);
    }
    model->coefficients = sot_new_array(count, sizeof *model->coefficients);
    if (model->coefficients == NULL)
        return sot_fail_memory(error, count, sizeof *model->coefficients);
    status = sot_model_read_list(&list, count, false, model->coefficients, error);
    if (status == SOTTO_OK && !SOT_PLANTED(model_concept_unchecked) &&
        !sot_concept_is_valid(model->concept, model->coefficients))
        status = sot_fail(error, SOTTO_PARSE,
                          "the model's coefficients are no concept of its class %s; use "
                          "the file as sotto train wrote it",
                          sot_concept_kind_name(model->concept->kind));
    return status;
}

/* ---- writing ---- */

sotto_status sot_model_check_concept(const sot_model_content *content, sotto_error *error)
{
    if (sot_concept_is_valid(content->concept, content->coefficients)) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the model's numbers are no concept of its class %s; only such are "
                    "written",
                    sot_concept_kind_name(content->concept->kind));
}

void sot_model_write_concept(const sot_model_content *content, sot_json_writer *writer)
{
    sot_json_key(writer, "concept");
    sot_concept_class_write(content->concept, writer);
    sot_json_key(writer, "coefficients");
    sot_json_begin_array(writer);
    for (size_t i = 0; i < sot_concept_numbers(content->concept); i++)
        sot_json_write_hex(writer, content->coefficients[i]);
    sot_json_end_array(writer);
}

/* ---- a row ---- */

double sot_model_concept_score(const sotto_model *model, const sot_record *record,
                               uint32_t *room)
{
    sot_encode_cells(model->encoding, record, room);
    return sot_concept_says(model->concept, model->coefficients, room) ? 1.0 : -1.0;
}
