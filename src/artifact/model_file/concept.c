/* The members of a model file that only a concept has. */
#include "artifact/model_file/concept.h"

#include <inttypes.h>
#include <string.h>

#include "artifact/model_file/network.h"
#include "base/error.h"
#include "base/memory.h"

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

/* One list: {"scale": 93, "counts": [231, ...]}. */
static sotto_status read_counts(const sot_json_value *item, uint64_t size,
                                double *out_scale, int64_t *out_counts,
                                sotto_error *error)
{
    static const char *const keys[] = {"scale", "counts", NULL};
    sot_json_value list, member;
    sotto_status status = sot_json_as_object(item, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(item, keys, error);
    if (status == SOTTO_OK) status = sot_json_get_double(item, "scale", out_scale, error);
    if (status == SOTTO_OK && !(*out_scale > 0.0) &&
        sot_json_member(item, "scale", &member))
        status = sot_json_refuse(&member, "it is above 0", error);
    if (status == SOTTO_OK) status = sot_json_get_array(item, "counts", &list, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(&list) != size) {
        return sot_fail(error, SOTTO_PARSE,
                        "the model has %zu noisy errors but its class has %" PRIu64
                        " concepts in their place; use the file as sotto train wrote it",
                        sot_json_size(&list), size);
    }
    for (uint64_t i = 0; i < size; i++) {
        const sot_json_value count = sot_json_item(&list, (size_t)i);
        status = sot_json_as_int64(&count, &out_counts[i], error);
        if (status != SOTTO_OK) return status;
        if (out_counts[i] > SOT_CONCEPT_COUNT_MOST ||
            out_counts[i] < -SOT_CONCEPT_COUNT_MOST)
            return sot_json_refuse(&count, "it is at most 2^53 from 0", error);
    }
    return SOTTO_OK;
}

static sotto_status make_room(sotto_model *model, const sot_json_value *member,
                              sotto_error *error)
{
    const size_t lists = sot_concept_lists(model->concept);
    const uint64_t counts = sot_concept_counts(model->concept);
    if (model->concept->weights != NULL)
        return sot_json_refuse(member, "leave it out: its class has weights", error);
    if (counts > SOT_CONCEPT_COUNTS_MAX)
        return sot_json_refuse(member, "leave it out: its class is too large", error);
    if (sot_json_size(member) != lists) {
        return sot_fail(error, SOTTO_PARSE,
                        "the model has %zu lists of noisy errors but its class takes "
                        "%zu; use the file as sotto train wrote it",
                        sot_json_size(member), lists);
    }
    model->errors.scales = sot_new_array(lists, sizeof *model->errors.scales);
    model->errors.counts = sot_new_array((size_t)counts, sizeof *model->errors.counts);
    if (model->errors.scales == NULL || model->errors.counts == NULL)
        return sot_fail_memory(error, (size_t)counts, sizeof *model->errors.counts);
    model->errors.lists = lists;
    return SOTTO_OK;
}

/* True if the coefficients are the concept with the smallest count, as the learner
 * chooses it. */
static bool is_least(const sot_concept_class *class, const sot_concept_errors *errors,
                     const double *numbers, double *room)
{
    const size_t count = sot_concept_numbers(class);
    sot_concept_of_errors(class, errors, room);
    return memcmp(room, numbers, count * sizeof *room) == 0;
}

static sotto_status check_least(const sot_concept_class *class,
                                const sot_concept_errors *errors, const double *numbers,
                                sotto_status refusal, sotto_error *error)
{
    const size_t count = sot_concept_numbers(class);
    double *room = sot_new_array(count, sizeof *room);
    if (room == NULL) return sot_fail_memory(error, count, sizeof *room);
    const bool least = is_least(class, errors, numbers, room);
    sot_free(room);
    if (least) return SOTTO_OK;
    return sot_fail(error, refusal,
                    "the model's coefficients are not the concept with the least noisy "
                    "errors; use the file as sotto train wrote it");
}

/* "noisy_errors", a list of one object, or one per feature of a rectangle over many. */
static sotto_status read_errors(const sot_json_value *root, sotto_model *model,
                                sotto_error *error)
{
    sot_json_value member;
    const char *method = NULL;
    if (!sot_json_member(root, "noisy_errors", &member)) return SOTTO_OK;
    sotto_status status = sot_json_get_string(root, "method", &method, error);
    if (status == SOTTO_OK && strcmp(method, "laplace") != 0)
        return sot_json_refuse(
            &member, "leave it out: only the method laplace hands them out", error);
    if (status == SOTTO_OK) status = sot_json_as_array(&member, error);
    if (status == SOTTO_OK) status = make_room(model, &member, error);
    int64_t *next = model->errors.counts;
    for (size_t i = 0; i < model->errors.lists && status == SOTTO_OK; i++) {
        const sot_json_value item = sot_json_item(&member, i);
        const uint64_t size = sot_concept_list_size(model->concept, i);
        status = read_counts(&item, size, &model->errors.scales[i], next, error);
        next += size;
    }
    if (status != SOTTO_OK) return status;
    return check_least(model->concept, &model->errors, model->coefficients, SOTTO_PARSE,
                       error);
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
    if (status == SOTTO_OK && !sot_concept_is_valid(model->concept, model->coefficients))
        status = sot_fail(error, SOTTO_PARSE,
                          "the model's coefficients are no concept of its class %s; use "
                          "the file as sotto train wrote it",
                          sot_concept_kind_name(model->concept->kind));
    return status == SOTTO_OK ? read_errors(root, model, error) : status;
}

/* ---- writing ---- */

sotto_status sot_model_check_concept(const sot_model_content *content, sotto_error *error)
{
    if (!sot_concept_is_valid(content->concept, content->coefficients)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model's numbers are no concept of its class %s; only such "
                        "are written",
                        sot_concept_kind_name(content->concept->kind));
    }
    if (content->errors.lists == 0) return SOTTO_OK;
    if (content->errors.lists != sot_concept_lists(content->concept) ||
        sot_concept_counts(content->concept) > SOT_CONCEPT_COUNTS_MAX ||
        content->concept->weights != NULL || strcmp(content->method, "laplace") != 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the model has %zu lists of noisy errors (class %s, method %.40s); a file "
            "has them for laplace, at most 2^20 concepts, no weights",
            content->errors.lists, sot_concept_kind_name(content->concept->kind),
            content->method);
    }
    return check_least(content->concept, &content->errors, content->coefficients,
                       SOTTO_INVALID_ARGUMENT, error);
}

static void write_errors(const sot_model_content *content, sot_json_writer *writer)
{
    const int64_t *next = content->errors.counts;
    sot_json_open_array(writer, "noisy_errors");
    for (size_t i = 0; i < content->errors.lists; i++) {
        const uint64_t size = sot_concept_list_size(content->concept, i);
        sot_json_begin_object(writer);
        sot_json_put_double(writer, "scale", content->errors.scales[i]);
        sot_json_open_array(writer, "counts");
        for (uint64_t j = 0; j < size; j++)
            sot_json_write_int64(writer, *next++);
        sot_json_end_array(writer);
        sot_json_end_object(writer);
    }
    sot_json_end_array(writer);
}

void sot_model_write_concept(const sot_model_content *content, sot_json_writer *writer)
{
    sot_json_key(writer, "concept");
    sot_concept_class_write(content->concept, writer);
    sot_json_open_array(writer, "coefficients");
    for (size_t i = 0; i < sot_concept_numbers(content->concept); i++)
        sot_json_write_hex(writer, content->coefficients[i]);
    sot_json_end_array(writer);
    if (content->errors.lists > 0) write_errors(content, writer);
}

/* ---- a row ---- */

double sot_model_concept_score(const sotto_model *model, const sot_record *record,
                               uint32_t *room)
{
    sot_encode_cells(model->encoding, record, room);
    return sot_concept_says(model->concept, model->coefficients, room) ? 1.0 : -1.0;
}
