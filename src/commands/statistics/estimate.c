/* Frequencies behind randomised answers: post-processing of a file that has already been paid
 * for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/randomized_response.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/json/json.h"
#include "base/json/writer.h"
#include "base/memory.h"
#include "commands/session/prose.h"
#include "commands/statistics/release.h"

static const size_t answers_bytes_max = (size_t)256 << 20;

/* The members of the file; the labels live as long as the document. */
typedef struct answer_counts {
    double epsilon;
    size_t categories;
    const char **labels;
    uint64_t *reports; /* of each category */
    uint64_t total;
} answer_counts;

static void free_answers(answer_counts *counts)
{
    sot_free(counts->labels);
    sot_free(counts->reports);
}

static sotto_status read_labels(const sot_json_value *root, answer_counts *out,
                                sotto_error *error)
{
    sot_json_value list;
    sotto_status status = sot_json_get_array(root, "categories", &list, error);
    if (status != SOTTO_OK) return status;
    out->categories = sot_json_size(&list);
    if (out->categories < 2 || out->categories > 100000)
        return sot_json_refuse(&list, "give from 2 to 100000 categories", error);
    out->labels = sot_new_array(out->categories, sizeof *out->labels);
    out->reports = sot_new_array(out->categories, sizeof *out->reports);
    if (out->labels == NULL || out->reports == NULL)
        return sot_fail_memory(error, out->categories, sizeof *out->reports);
    for (size_t i = 0; i < out->categories && status == SOTTO_OK; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = sot_json_as_string(&item, &out->labels[i], error);
    }
    return status;
}

static sotto_status read_answers(const sot_json_value *root, answer_counts *out,
                                 sotto_error *error)
{
    sot_json_value list;
    const char *statistic;
    sotto_status status = sot_json_as_object(root, error);
    if (status == SOTTO_OK)
        status = sot_json_get_string(root, "statistic", &statistic, error);
    if (status != SOTTO_OK) return status;
    if (strcmp(statistic, sot_statistic_responses.name) != 0)
        return sot_json_refuse(root, "give a file that sotto release rr wrote", error);
    status = sot_json_get_double(root, "epsilon", &out->epsilon, error);
    if (status == SOTTO_OK) status = read_labels(root, out, error);
    if (status == SOTTO_OK) status = sot_json_get_array(root, "answers", &list, error);
    if (status != SOTTO_OK) return status;
    out->total = sot_json_size(&list);
    for (size_t i = 0; i < out->total; i++) {
        int64_t report;
        const sot_json_value item = sot_json_item(&list, i);
        status = sot_json_as_int64(&item, &report, error);
        if (status != SOTTO_OK) return status;
        if (report < 0 || (uint64_t)report >= out->categories)
            return sot_json_refuse(&item, "give the index of a category", error);
        out->reports[report]++;
    }
    return SOTTO_OK;
}

static sotto_status fill_values(const answer_counts *from, double confidence,
                                sotto_release_result *result, sotto_error *error)
{
    sotto_randomized_response_config config = sotto_randomized_response_defaults();
    config.epsilon = from->epsilon;
    config.categories = (uint32_t)from->categories;
    sotto_frequency *found = sot_new_array(from->categories, sizeof *found);
    result->values = sot_new_array(from->categories, sizeof *result->values);
    sotto_status status = SOTTO_OK;
    if (found == NULL || result->values == NULL) {
        status = sot_fail_memory(error, from->categories, sizeof *result->values);
    } else {
        result->value_count = from->categories;
        status = sotto_randomized_response_estimate(&config, from->reports, confidence,
                                                    SOTTO_INTERVAL_EXACT, found, error);
    }
    for (size_t i = 0; i < from->categories && status == SOTTO_OK; i++) {
        sot_released_value *value = &result->values[i];
        *value = (sot_released_value){.label = sot_copy_string(from->labels[i]),
                                      .value = found[i].estimate,
                                      .lower = found[i].lower,
                                      .upper = found[i].upper,
                                      .standard_error = sqrt(found[i].variance)};
        if (value->label == NULL) status = sot_fail_memory(error, 1, 1);
    }
    sot_free(found);
    return status;
}

static sotto_status write_json(const answer_counts *from, double confidence,
                               sotto_release_result *result, sotto_error *error)
{
    sot_json_writer *writer = NULL;
    const sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "kind", "estimate");
    sot_json_put_whole(writer, "answers", from->total);
    sot_json_put_double(writer, "epsilon", from->epsilon);
    sot_json_put_double(writer, "confidence", confidence);
    sot_json_open_array(writer, "values");
    for (size_t i = 0; i < result->value_count; i++) {
        const sot_released_value *value = &result->values[i];
        sot_json_begin_object(writer);
        sot_json_put_text(writer, "label", value->label);
        sot_json_put_double(writer, "value", value->value);
        sot_json_put_double(writer, "standard_error", value->standard_error);
        sot_json_put_double(writer, "lower", value->lower);
        sot_json_put_double(writer, "upper", value->upper);
        sot_json_end_object(writer);
    }
    sot_json_end_array(writer);
    sot_json_end_object(writer);
    return sot_json_writer_take(writer, SOTTO_OK, &result->json, error);
}

static sotto_status write_prose(double confidence, sotto_release_result *result,
                                sotto_error *error)
{
    sot_prose prose = {0};
    char middle[SOT_SHOWN_BYTES], deviation[SOT_SHOWN_BYTES], percent[SOT_SHOWN_BYTES];
    char low[SOT_SHOWN_BYTES], high[SOT_SHOWN_BYTES];
    sot_shown(100.0 * confidence, 0, percent);
    for (size_t i = 0; i < result->value_count; i++) {
        const sot_released_value *value = &result->values[i];
        sot_prose_line(
            &prose, value->label, "%s (standard error %s; %s%% interval: %s to %s)",
            sot_shown(value->value, 0, middle),
            sot_shown(value->standard_error, 1, deviation), percent,
            sot_shown(value->lower, -1, low), sot_shown(value->upper, 1, high));
    }
    sot_prose_line(&prose, "notes",
                   "unbiased estimates: they sum to 1 and may leave 0 to 1");
    sot_prose_line(&prose, "", "computed from randomised answers: costs no privacy");
    return sot_prose_finish(&prose, &result->text, error);
}

sotto_status sotto_release_estimate(const char *answers_path, double confidence,
                                    sotto_release_result **out_result, sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    sot_json *document = NULL;
    answer_counts from = {0};
    sotto_release_result *result = sot_new_array(1, sizeof *result);
    if (result == NULL) return sot_fail_memory(error, 1, sizeof *result);
    sotto_status status =
        sot_file_read(answers_path, answers_bytes_max, &text, &size_bytes, error);
    if (status == SOTTO_OK) {
        status = sot_json_parse(answers_path, text, size_bytes, answers_bytes_max,
                                &document, error);
    }
    if (status == SOTTO_OK) {
        const sot_json_value root = sot_json_root(document);
        status = read_answers(&root, &from, error);
    }
    if (status == SOTTO_OK) status = fill_values(&from, confidence, result, error);
    if (status == SOTTO_OK) status = write_json(&from, confidence, result, error);
    if (status == SOTTO_OK) status = write_prose(confidence, result, error);
    if (status == SOTTO_OK) status = sot_copy_text("", &result->certificate, error);
    free_answers(&from);
    sot_json_free(document);
    sot_free(text);
    if (status != SOTTO_OK) {
        sotto_release_free(result);
        return status;
    }
    *out_result = result;
    return SOTTO_OK;
}
