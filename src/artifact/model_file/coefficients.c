/* Reading the coefficients of a model file: hexadecimal floats, in lists whose lengths follow from the schema. */
#include <string.h>

#include "artifact/model_file/model.h"
#include "artifact/model_file/network.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

sotto_status sot_model_read_list(const sot_json_value *list, size_t count, bool of_layer,
                                 double *out_values, sotto_error *error)
{
    sotto_status status = sot_json_as_array(list, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(list) != count) {
        return sot_fail(error, SOTTO_PARSE,
                        of_layer ? "a layer of the model has %zu coefficients but its "
                                   "network gives it %zu; use the file as sotto train "
                                   "wrote it"
                                 : "the model has %zu coefficients but its schema gives "
                                   "%zu features; use the file as sotto train wrote it",
                        sot_json_size(list), count);
    }
    for (size_t i = 0; i < count; i++) {
        const sot_json_value item = sot_json_item(list, i);
        const char *text = NULL;
        status = sot_json_as_string(&item, &text, error);
        if (status != SOTTO_OK) return status;
        if (sot_parse_hex(text, strlen(text), &out_values[i]) != SOT_NUMBER_OK) {
            return sot_json_refuse(
                &item, "give a hexadecimal float such as \"-0x1.8p+0\"", error);
        }
    }
    return SOTTO_OK;
}

/* One list, or one per class. */
static sotto_status read_vector(const sot_json_value *list, const sotto_model *model,
                                double *out_coefficients, sotto_error *error)
{
    const size_t dimension = sot_encoding_dimension(model->encoding);
    sotto_status status = SOTTO_OK;
    if (!sot_model_has_class_vectors(model->kind, sot_encoding_classes(model->encoding)))
        return sot_model_read_list(list, dimension, false, out_coefficients, error);
    status = sot_json_as_array(list, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(list) != model->margins) {
        return sot_fail(error, SOTTO_PARSE,
                        "the model has coefficients for %zu classes but its schema gives "
                        "%zu; use the file as sotto train wrote it",
                        sot_json_size(list), model->margins);
    }
    for (size_t k = 0; k < model->margins && status == SOTTO_OK; k++) {
        const sot_json_value row = sot_json_item(list, k);
        status = sot_model_read_list(&row, dimension, false,
                                     out_coefficients + k * dimension, error);
    }
    return status;
}

/* Reads one list, or one per posterior sample. */
sotto_status sot_model_read_coefficients(const sot_json_value *root, sotto_model *model,
                                         sotto_error *error)
{
    sot_json_value list;
    const size_t vector = model->coefficient_count;
    const size_t count = model->draws * vector;
    sotto_status status = sot_json_get_array(root, "coefficients", &list, error);
    if (status != SOTTO_OK) return status;
    model->coefficients = sot_new_array(count, sizeof *model->coefficients);
    if (model->coefficients == NULL)
        return sot_fail_memory(error, count, sizeof *model->coefficients);
    if (model->draws == 1) return read_vector(&list, model, model->coefficients, error);
    if (sot_json_size(&list) != model->draws) {
        return sot_fail(error, SOTTO_PARSE,
                        "the model has coefficients for %zu posterior samples but states "
                        "%zu; use the file as sotto train wrote it",
                        sot_json_size(&list), model->draws);
    }
    for (size_t k = 0; k < model->draws && status == SOTTO_OK; k++) {
        const sot_json_value item = sot_json_item(&list, k);
        status = read_vector(&item, model, model->coefficients + k * vector, error);
    }
    return status;
}
