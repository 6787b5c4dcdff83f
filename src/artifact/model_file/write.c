/* A model as JSON. Members stand in the order a person wants to read them; the long lists last. */
#include <math.h>
#include <string.h>

#include <sotto/certificate.h>

#include "artifact/model_file/concept.h"
#include "artifact/model_file/model.h"
#include "artifact/model_file/network.h"
#include "base/error.h"
#include "base/json/canonical.h"

static void write_list(sot_json_writer *writer, const char *key, const char *const *list,
                       size_t count)
{
    sot_json_open_array(writer, key);
    for (size_t i = 0; i < count; i++)
        sot_json_write_string(writer, list[i]);
    sot_json_end_array(writer);
}

static void write_guarantee(sot_json_writer *writer, const sot_model_content *content)
{
    if (isnan(content->epsilon)) return;
    sot_json_put_number_or_null(writer, "epsilon", content->epsilon);
    sot_json_put_number_or_null(writer, "delta",
                                isnan(content->delta) ? 0.0 : content->delta);
    sot_json_put_text(writer, "adjacency", sotto_adjacency_name(content->adjacency));
    sot_json_put_text(writer, "unit", content->unit == NULL ? "row" : content->unit);
}

static void write_row(sot_json_writer *writer, const double *coefficients, size_t count)
{
    sot_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        sot_json_write_hex(writer, coefficients[i]);
    sot_json_end_array(writer);
}

/* One list, or a list of one per class. */
static void write_vector(sot_json_writer *writer, const sot_model_content *content,
                         const double *coefficients)
{
    const size_t dimension = content->dimension;
    sotto_model_kind kind;
    if (sotto_model_kind_from_name(content->model, &kind, NULL) != SOTTO_OK ||
        !sot_model_has_class_vectors(kind, content->class_count)) {
        write_row(writer, coefficients, dimension);
        return;
    }
    sot_json_begin_array(writer);
    for (size_t k = 0; k < content->margins; k++)
        write_row(writer, coefficients + k * dimension, dimension);
    sot_json_end_array(writer);
}

static size_t draws_of(const sot_model_content *content)
{
    return content->draws == 0 ? 1 : content->draws;
}

/* Writes one list, or a list of one per posterior sample. */
static void write_coefficients(sot_json_writer *writer, const sot_model_content *content)
{
    const size_t draws = draws_of(content);
    const size_t vector = content->margins * content->dimension;
    sot_json_key(writer, "coefficients");
    if (draws > 1) sot_json_begin_array(writer);
    for (size_t k = 0; k < draws; k++)
        write_vector(writer, content, content->coefficients + k * vector);
    if (draws > 1) sot_json_end_array(writer);
}

static int version_of(const sot_model_content *content)
{
    sotto_model_kind kind;
    return sotto_model_kind_from_name(content->model, &kind, NULL) == SOTTO_OK
               ? sot_model_version(kind, content->sampler != NULL,
                                   content->errors.lists > 0)
               : SOT_MODEL_VERSION;
}

static void write_draws(sot_json_writer *writer, const sot_model_content *content)
{
    if (content->sampler == NULL) return;
    sot_json_put_text(writer, "sampler", content->sampler);
    if (strcmp(content->sampler, "mala") == 0) {
        sot_json_put_bool(writer, "heuristic", true);
    }
    if (draws_of(content) == 1) return;
    sot_json_put_whole(writer, "draws", draws_of(content));
}

static void write_payload(sot_json_writer *writer, const sot_model_content *content,
                          const sot_json_value *schema)
{
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "kind", "model");
    sot_json_put_int64(writer, "version", version_of(content));
    sot_json_put_text(writer, "model", content->model);
    if (content->loss != NULL) sot_json_put_text(writer, "loss", content->loss);
    sot_json_put_text(writer, "method", content->method);
    write_draws(writer, content);
    write_guarantee(writer, content);
    sot_json_open_object(writer, "settings");
    for (size_t i = 0; i < content->setting_count; i++) {
        const sot_model_setting *setting = &content->settings[i];
        if (setting->word != NULL)
            sot_json_put_text(writer, setting->name, setting->word);
        else
            sot_json_put_number_or_null(writer, setting->name, setting->value);
    }
    sot_json_end_object(writer);
    if (content->class_count > 0)
        write_list(writer, "classes", content->classes, content->class_count);
    sot_json_key(writer, "schema");
    sot_json_copy(writer, schema, false, NULL);
    if (content->features != NULL && content->concept == NULL)
        write_list(writer, "features", content->features, content->dimension);
    if (content->net != NULL) {
        sot_model_write_network(content, writer);
    } else if (content->concept != NULL) {
        sot_model_write_concept(content, writer);
    } else {
        write_coefficients(writer, content);
    }
    sot_json_end_object(writer);
}

static sotto_status check_guarantee(const sot_model_content *content, sotto_error *error)
{
    if (isnan(content->epsilon)) {
        if (isnan(content->delta) && content->adjacency == 0) return SOTTO_OK;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model has a delta or an adjacency but no epsilon; give all "
                        "of them, or none for public rows");
    }
    if (!(content->epsilon > 0.0) || isinf(content->epsilon)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model's epsilon is %g; give a positive finite number",
                        content->epsilon);
    }
    if (content->delta < 0.0 || content->delta >= 1.0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model's delta is %g; give a number from 0 to 1",
                        content->delta);
    }
    if (content->adjacency != SOTTO_ADD_REMOVE &&
        content->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model has an epsilon but no adjacency; set one");
    }
    return SOTTO_OK;
}

static sotto_status check_content(const sot_model_content *content, sotto_error *error)
{
    const sotto_status status = check_guarantee(content, error);
    if (status != SOTTO_OK) return status;
    if (content->dimension == 0 || content->dimension > SOT_MODEL_DIMENSION_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model has %zu features; a model file has between 1 and %zu",
                        content->dimension, SOT_MODEL_DIMENSION_MAX);
    }
    if (content->net != NULL) return sot_model_check_network(content, error);
    if (content->concept != NULL) return sot_model_check_concept(content, error);
    const size_t draws = draws_of(content);
    if (draws > SOT_MODEL_DRAWS_MAX || (draws > 1 && content->sampler == NULL)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model has %zu posterior samples of %s sampler; give at most "
                        "%d, with the name of their sampler",
                        draws, content->sampler == NULL ? "no" : "one",
                        (int)SOT_MODEL_DRAWS_MAX);
    }
    if (content->margins == 0 ||
        draws * content->margins > SOT_MODEL_DIMENSION_MAX / content->dimension) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model has %zu features for each of %zu classes in each of "
                        "%zu samples; a model file has at most %zu coefficients",
                        content->dimension, content->margins, draws,
                        SOT_MODEL_DIMENSION_MAX);
    }
    for (size_t i = 0; i < draws * content->margins * content->dimension; i++) {
        if (isfinite(content->coefficients[i])) continue;
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "coefficient %zu of the model is %g; only finite ones are written", i + 1,
            content->coefficients[i]);
    }
    return SOTTO_OK;
}

sotto_status sot_model_write(const sot_model_content *content, char **out_json,
                             sotto_error *error)
{
    sot_json *document = NULL;
    sot_json_writer *writer = NULL;
    sotto_status status = check_content(content, error);
    if (status == SOTTO_OK)
        status =
            sot_json_parse("schema", content->schema_json, strlen(content->schema_json),
                           SOTTO_CERTIFIED_BYTES_MAX, &document, error);
    if (status != SOTTO_OK) return status;
    const sot_json_value schema = sot_json_root(document);
    status = sot_json_as_object(&schema, error);
    if (status == SOTTO_OK) status = sot_json_writer_new(false, &writer, error);
    if (status == SOTTO_OK) write_payload(writer, content, &schema);
    status = sot_json_writer_take(writer, status, out_json, error);
    sot_json_free(document);
    return status;
}
