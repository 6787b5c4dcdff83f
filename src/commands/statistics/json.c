/* The payload of a release as JSON. docs/reference/release.md lists the members. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json/writer.h"
#include "commands/session/request.h"
#include "commands/statistics/release.h"

static void write_whole(sot_json_writer *writer, const char *key, uint64_t value)
{
    if (value == 0) return;
    sot_json_put_whole(writer, key, value);
}

static void write_text(sot_json_writer *writer, const char *key, const char *text)
{
    if (text == NULL || text[0] == '\0') return;
    sot_json_put_text(writer, key, text);
}

static void write_list(sot_json_writer *writer, const char *key, const char *const *list)
{
    if (list == NULL || list[0] == NULL) return;
    sot_json_open_array(writer, key);
    for (size_t i = 0; list[i] != NULL; i++)
        sot_json_write_string(writer, list[i]);
    sot_json_end_array(writer);
}

static void write_settings(sot_json_writer *writer, const sot_release *release)
{
    const sotto_release_config *config = release->config;
    write_text(writer, "kind", "release");
    sot_json_put_int64(writer, "version", 1);
    write_text(writer, "statistic", release->statistic->name);
    write_text(writer, "column", config->column);
    if (config->statistic == SOTTO_RELEASE_CHOICE)
        write_text(writer, "score", sotto_score_name(config->score));
    sot_json_put_number(writer, "quantile", config->quantile);
    const char *const selected[] = {release->condition, NULL};
    write_list(writer, "where", release->condition != NULL ? selected : config->where);
    write_text(writer, "mechanism", sotto_mechanism_name(release->mechanism));
    sot_json_put_number(writer, "epsilon", config->epsilon);
    sot_json_put_number(writer, "delta", config->delta);
    write_text(writer, "adjacency", sotto_adjacency_name(config->adjacency));
    write_whole(writer, "public_n", config->public_n);
    if (release->statistic->judge != NULL) {
        write_text(writer, "model", config->model->hash);
        sot_json_put_number(writer, "threshold", config->threshold);
    } else if (release->described != NULL && release->described->bounded &&
               release->described->type != SOTTO_COLUMN_CATEGORY) {
        sot_json_put_number(writer, "column_lower", release->described->lower);
        sot_json_put_number(writer, "column_upper", release->described->upper);
    }
    sot_json_put_number(writer, "grid", release->grid);
    sot_json_put_number(writer, "confidence", config->confidence);
}

static void write_value(sot_json_writer *writer, const sot_released_value *value)
{
    sot_json_begin_object(writer);
    write_text(writer, "label", value->label);
    sot_json_put_number(writer, "value", value->value);
    sot_json_put_number(writer, "lower", value->lower);
    sot_json_put_number(writer, "upper", value->upper);
    sot_json_put_number(writer, "standard_error", value->standard_error);
    sot_json_end_object(writer);
}

/* The noisy counts behind the scores: a row of cells for each class. */
static void write_histogram(sot_json_writer *writer, const sot_release *release)
{
    if (release->counts == NULL) return;
    const uint64_t cells = release->size / 2;
    sot_json_key(writer, "histogram");
    sot_json_begin_object(writer);
    sot_json_open_array(writer, "edges");
    for (uint64_t i = 0; i <= cells; i++)
        sot_json_write_double(writer, release->edges[i]);
    sot_json_end_array(writer);
    sot_json_open_array(writer, "counts");
    for (uint64_t label = 0; label < 2; label++) {
        sot_json_begin_array(writer);
        for (uint64_t i = 0; i < cells; i++)
            sot_json_write_int64(writer, release->counts[label * cells + i]);
        sot_json_end_array(writer);
    }
    sot_json_end_array(writer);
    sot_json_end_object(writer);
}

static void write_noise(sot_json_writer *writer, const sot_release *release)
{
    if (release->part_count == 0) return;
    sot_json_open_array(writer, "noise");
    for (size_t i = 0; i < release->part_count; i++) {
        const sot_noise *noise = &release->parts[i];
        sot_json_begin_object(writer);
        write_text(writer, "purpose", noise->purpose);
        write_text(writer, "mechanism", sotto_mechanism_name(noise->mechanism));
        sot_json_put_number(writer, "scale", noise->scale * noise->grid);
        sot_json_put_number(writer, "standard_deviation",
                            sot_noise_deviation(noise) * noise->grid);
        sot_json_end_object(writer);
    }
    sot_json_end_array(writer);
}

static void write_answers(sot_json_writer *writer, const sot_release *release)
{
    const sotto_column *column = release->described;
    sot_json_open_array(writer, "categories");
    if (column->type == SOTTO_COLUMN_BOOLEAN) {
        sot_json_write_string(writer, "false");
        sot_json_write_string(writer, "true");
    }
    for (size_t i = 0; i < column->value_count; i++)
        sot_json_write_string(writer, column->values[i]);
    sot_json_end_array(writer);
    sot_json_put_number(writer, "probability_of_truth", release->answer_truth);
    sot_json_open_array(writer, "answers");
    for (uint64_t i = 0; i < release->report_count; i++)
        sot_json_write_int64(writer, release->reports[i]);
    sot_json_end_array(writer);
}

/* The schema last: it is long. A verifier plans from it. */
static sotto_status write_schema(sot_json_writer *writer, const sot_release *release,
                                 sotto_error *error)
{
    char *schema = NULL;
    if (release->schema == NULL) return SOTTO_OK;
    sotto_status status = sotto_schema_to_json(release->schema, NULL, &schema, error);
    if (status == SOTTO_OK)
        status = sot_request_write_json(writer, "schema", schema, error);
    sotto_free(schema);
    return status;
}

static sotto_status write_payload(sot_json_writer *writer, const sot_release *release,
                                  sotto_error *error)
{
    sot_json_begin_object(writer);
    write_settings(writer, release);
    if (release->value_count > 0) {
        sot_json_open_array(writer, "values");
        for (size_t i = 0; i < release->value_count; i++)
            write_value(writer, &release->values[i]);
        sot_json_end_array(writer);
    }
    write_histogram(writer, release);
    if (release->config->statistic == SOTTO_RELEASE_RESPONSES)
        write_answers(writer, release);
    if (release->threshold > 0) {
        sot_json_put_bool(writer, "found", release->found);
        write_whole(writer, "threshold", release->threshold);
    }
    write_noise(writer, release);
    sot_json_put_number(writer, "shortfall", release->shortfall);
    write_text(writer, "accuracy", release->accuracy);
    write_list(writer, "notes", release->notes);
    const sotto_status status = write_schema(writer, release, error);
    sot_json_end_object(writer);
    return status;
}

sotto_status sot_release_payload(const sot_release *release, char **out_json,
                                 sotto_error *error)
{
    sot_json_writer *writer = NULL;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    status = write_payload(writer, release, error);
    return sot_json_writer_take(writer, status, out_json, error);
}
