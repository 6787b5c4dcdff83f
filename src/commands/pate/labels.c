/* The labels' file, written and read. Everything in it is released or public. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "commands/pate/pate.h"
#include "commands/session/again.h"
#include "commands/session/session.h"

enum { VERSION = 1 };

/* ---- writing ---- */

static void write_vote(sot_json_writer *writer, const sotto_pate_config *vote)
{
    const bool tests = vote->aggregator == SOTTO_PATE_CONFIDENT ||
                       vote->aggregator == SOTTO_PATE_INTERACTIVE;
    sot_json_put_text(writer, "aggregator", sotto_pate_aggregator_name(vote->aggregator));
    if (vote->aggregator != SOTTO_PATE_MODE)
        sot_json_put_number(writer, "noise", vote->noise);
    if (tests) sot_json_put_number(writer, "test_noise", vote->test_noise);
    if (tests) sot_json_put_number(writer, "threshold", vote->threshold);
    if (vote->aggregator == SOTTO_PATE_INTERACTIVE)
        sot_json_put_number(writer, "confidence", vote->confidence);
    if (vote->aggregator == SOTTO_PATE_MODE) {
        sot_json_put_number(writer, "query_epsilon", vote->epsilon);
        sot_json_put_number(writer, "query_delta", vote->delta);
    }
    sot_json_put_whole(writer, "touched", vote->touched);
}

/* Writes the edges in votes, and sums with noise. sums[j] adds up, over the queries, the votes
 * from edge j to edge j + 1 that the largest count reaches. */
static void write_agreement(sot_json_writer *writer, const sot_pate_agreed *agreed)
{
    if (agreed->edge_count == 0) return;
    sot_json_open_object(writer, "agreement");
    sot_json_put_number(writer, "noise", agreed->noise);
    sot_json_put_number(writer, "sigma", agreed->sigma);
    sot_json_put_whole(writer, "queries", agreed->queries);
    sot_json_open_array(writer, "edges");
    for (size_t i = 0; i < agreed->edge_count; i++)
        sot_json_write_int64(writer, agreed->edges[i]);
    sot_json_end_array(writer);
    sot_json_open_array(writer, "sums");
    for (size_t i = 0; i + 1 < agreed->edge_count; i++)
        sot_json_write_int64(writer, agreed->sums[i]);
    sot_json_end_array(writer);
    sot_json_end_object(writer);
}

static void write_labels(sot_json_writer *writer, const sot_pate_labels *labels)
{
    sot_json_open_array(writer, "rows");
    for (size_t i = 0; i < labels->count; i++)
        sot_json_write_int64(writer, (int64_t)labels->rows[i]);
    sot_json_end_array(writer);
    sot_json_open_array(writer, "labels");
    for (size_t i = 0; i < labels->count; i++)
        sot_json_write_string(writer, labels->target->labels[labels->classes[i]]);
    sot_json_end_array(writer);
    if (labels->vote->aggregator != SOTTO_PATE_INTERACTIVE) return;
    sot_json_open_array(writer, "reinforced");
    for (size_t i = 0; i < labels->count; i++)
        if (labels->is_reinforced[i])
            sot_json_write_int64(writer, (int64_t)labels->rows[i]);
    sot_json_end_array(writer);
}

sotto_status sot_pate_labels_write(const sot_pate_labels *labels, char **out_json,
                                   sotto_error *error)
{
    sot_json_writer *writer = NULL;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "kind", "labels");
    sot_json_put_whole(writer, "version", VERSION);
    write_vote(writer, labels->vote);
    sot_json_put_number(writer, "epsilon", labels->epsilon);
    sot_json_put_number(writer, "delta", labels->delta);
    sot_json_put_text(writer, "adjacency", sotto_adjacency_name(labels->vote->adjacency));
    sot_json_put_text(writer, "unit", labels->unit);
    if (labels->teachers > 0) sot_json_put_whole(writer, "teachers", labels->teachers);
    sot_json_put_whole(writer, "first_row", labels->first);
    sot_json_put_whole(writer, "ask_at_most", labels->ask);
    sot_json_put_whole(writer, "answer_at_most", labels->answers);
    sot_json_put_whole(writer, "asked", labels->asked);
    sot_json_put_whole(writer, "answered", labels->answered);
    write_agreement(writer, labels->agreed);
    status = sot_pate_write_schema(labels->schema_json, writer, error);
    write_labels(writer, labels);
    sot_json_end_object(writer);
    return sot_json_writer_take(writer, status, out_json, error);
}

/* ---- reading ---- */

static sotto_status read_class(const sot_json_value *item, const sotto_target *target,
                               size_t *out_class, sotto_error *error)
{
    const char *word = NULL;
    const sotto_status status = sot_json_as_string(item, &word, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < target->label_count; i++) {
        if (strcmp(word, target->labels[i]) != 0) continue;
        *out_class = i;
        return SOTTO_OK;
    }
    return sot_json_refuse(item, "it is not one of the schema's labels", error);
}

static sotto_status read_pairs(const sot_json_value *root, sot_pate_labels_file *file,
                               sotto_error *error)
{
    sot_json_value rows, labels;
    const sotto_target *target = sotto_schema_target(file->schema);
    sotto_status status = sot_json_get_array(root, "rows", &rows, error);
    if (status == SOTTO_OK) status = sot_json_get_array(root, "labels", &labels, error);
    if (status != SOTTO_OK) return status;
    file->count = sot_json_size(&rows);
    if (sot_json_size(&labels) != file->count || target == NULL)
        return sot_fail(error, SOTTO_PARSE, "there is not one label for each row");
    file->rows = sot_new_array(file->count, sizeof *file->rows);
    file->classes = sot_new_array(file->count, sizeof *file->classes);
    if (file->rows == NULL || file->classes == NULL)
        return sot_fail_memory(error, file->count, sizeof *file->rows);
    int64_t before = -1;
    for (size_t i = 0; i < file->count && status == SOTTO_OK; i++) {
        const sot_json_value row = sot_json_item(&rows, i);
        const sot_json_value label = sot_json_item(&labels, i);
        int64_t place = 0;
        status = sot_json_as_int64(&row, &place, error);
        if (status == SOTTO_OK && place <= before)
            status = sot_json_refuse(&row, "rows ascend", error);
        if (status == SOTTO_OK)
            status = read_class(&label, target, &file->classes[i], error);
        file->rows[i] = (size_t)place;
        before = place;
    }
    return status;
}

static sotto_status read_file(sot_pate_labels_file *file, sotto_error *error)
{
    const sot_json_value *root = &file->file.root;
    const char *kind = NULL;
    int64_t version = 0;
    sotto_status status = sot_json_get_string(root, "kind", &kind, error);
    if (status == SOTTO_OK && strcmp(kind, "labels") != 0)
        status = sot_fail(error, SOTTO_PARSE,
                          "the file is of the kind '%.40s'; give one that sotto pate "
                          "label wrote",
                          kind);
    if (status == SOTTO_OK) status = sot_json_get_int64(root, "version", &version, error);
    if (status == SOTTO_OK && version > VERSION)
        status = sot_fail(error, SOTTO_PARSE,
                          "the labels are of a newer version; use a newer sotto");
    if (status == SOTTO_OK)
        status = sot_json_get_double(root, "epsilon", &file->epsilon, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(root, "delta", &file->delta, error);
    int64_t asked = 0, answered = 0;
    if (status == SOTTO_OK) status = sot_json_get_int64(root, "asked", &asked, error);
    if (status == SOTTO_OK)
        status = sot_json_get_int64(root, "answered", &answered, error);
    file->asked = (uint64_t)asked;
    file->answered = (uint64_t)answered;
    if (status == SOTTO_OK)
        status = sot_pate_read_schema("the labels' schema", root, &file->schema, error);
    return status == SOTTO_OK ? read_pairs(root, file, error) : status;
}

sotto_status sot_pate_is_labels(const char *text, size_t size_bytes, bool *out_is_labels,
                                sotto_error *error)
{
    sot_json *document = NULL;
    sot_json_value member;
    const char *kind = NULL;
    sotto_error none;
    *out_is_labels = false;
    const sotto_status status =
        sot_json_parse("labels", text, size_bytes, size_bytes, &document, &none);
    if (status == SOTTO_OUT_OF_MEMORY) return sot_fail(error, status, "%s", none.message);
    if (status != SOTTO_OK) return SOTTO_OK;
    const sot_json_value root = sot_json_root(document);
    *out_is_labels = sot_json_kind_of(&root) == SOT_JSON_OBJECT &&
                     sot_json_member(&root, "kind", &member) &&
                     sot_json_as_string(&member, &kind, NULL) == SOTTO_OK &&
                     strcmp(kind, "labels") == 0;
    sot_json_free(document);
    return SOTTO_OK;
}

/* A file whose certificate is about other bytes is not used: its labels are anybody's. */
static sotto_status check_hash(const sot_certificate_file *file, sotto_error *error)
{
    char hash[SOTTO_HASH_HEX_BYTES];
    const sotto_status status =
        sot_certificate_hash(&file->root, &file->member, hash, error);
    if (status != SOTTO_OK || strcmp(hash, file->hash) == 0) return status;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "the labels were changed after they were certified: use the file as "
                    "sotto pate label wrote it");
}

/* Opens the certificate and reads the rest; `error` is without a name. */
static sotto_status open_labels(const char *text, size_t size_bytes,
                                sot_pate_labels_file *file, sotto_error *error)
{
    sotto_status status = sot_certificate_file_open(text, size_bytes, &file->file, error);
    file->is_open = status == SOTTO_OK;
    if (status == SOTTO_OK) status = check_hash(&file->file, error);
    return status == SOTTO_OK ? read_file(file, error) : status;
}

sotto_status sot_pate_labels_parse(const char *name, const char *text, size_t size_bytes,
                                   sot_pate_labels_file *out_file, sotto_error *error)
{
    sotto_error cause = {.status = SOTTO_OK};
    *out_file = (sot_pate_labels_file){.is_open = false};
    const sotto_status status = open_labels(text, size_bytes, out_file, &cause);
    if (status == SOTTO_OK) return SOTTO_OK;
    sot_pate_labels_close(out_file);
    return sot_fail(error, status, "%.100s: %.140s", name, cause.message);
}

sotto_status sot_pate_labels_read(const char *path, sot_pate_labels_file *out_file,
                                  sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    *out_file = (sot_pate_labels_file){.is_open = false};
    sotto_status status =
        sot_file_read(path, SOTTO_CERTIFIED_BYTES_MAX, &text, &size_bytes, error);
    sotto_error cause;
    if (status == SOTTO_OK) {
        status = sot_verify_text(text, size_bytes, true, &cause);
        if (status != SOTTO_OK)
            status = sot_fail(error, status, "%.100s: %.140s", path, cause.message);
    }
    if (status == SOTTO_OK)
        status = sot_pate_labels_parse(path, text, size_bytes, out_file, error);
    sot_free(text);
    return status;
}

void sot_pate_labels_close(sot_pate_labels_file *file)
{
    if (file->is_open) sot_certificate_file_close(&file->file);
    sotto_schema_free(file->schema);
    sot_free(file->rows);
    sot_free(file->classes);
    *file = (sot_pate_labels_file){.is_open = false};
}

/* ---- results ---- */

static char *or_empty(char *text)
{
    return text != NULL ? text : sot_copy_string("");
}

sotto_status sot_pate_result_new(char *json, char *text, char *certificate,
                                 sotto_pate_result **out_result, sotto_error *error)
{
    sotto_pate_result *result = sot_new_array(1, sizeof *result);
    char *const words[] = {or_empty(json), or_empty(text), or_empty(certificate)};
    if (result == NULL || words[0] == NULL || words[1] == NULL || words[2] == NULL) {
        for (size_t i = 0; i < 3; i++)
            sot_free(words[i]);
        sot_free(result);
        return sot_fail_memory(error, 1, sizeof *result);
    }
    *result = (sotto_pate_result){.json = words[0],
                                  .text = words[1],
                                  .certificate = words[2],
                                  .realised = SOTTO_UNSET,
                                  .sensitive = SOTTO_UNSET,
                                  .epsilon = SOTTO_UNSET,
                                  .delta = SOTTO_UNSET};
    *out_result = result;
    return SOTTO_OK;
}

void sotto_pate_free(sotto_pate_result *result)
{
    if (result == NULL) return;
    sot_kept_drop(result->kept, true);
    sot_free(result->json);
    sot_free(result->text);
    sot_free(result->certificate);
    sot_free(result->paid);
    sotto_plan_free(result->plan);
    sot_free(result);
}

const char *sotto_pate_json(const sotto_pate_result *result)
{
    return result->json;
}

const char *sotto_pate_text(const sotto_pate_result *result)
{
    return result->text;
}

const char *sotto_pate_certificate(const sotto_pate_result *result)
{
    return result->certificate;
}

uint64_t sotto_pate_asked(const sotto_pate_result *result)
{
    return result->asked;
}

sotto_run_outcome sotto_pate_run_outcome(const sotto_pate_result *result)
{
    return result->outcome;
}

uint64_t sotto_pate_answered(const sotto_pate_result *result)
{
    return result->answered;
}

double sotto_pate_realised_epsilon(const sotto_pate_result *result)
{
    return result->realised;
}

bool sotto_pate_agreed(const sotto_pate_result *result,
                       sotto_pate_agreement *out_agreement)
{
    if (result->is_agreed) *out_agreement = result->agreement;
    return result->is_agreed;
}

double sotto_pate_sensitive_epsilon(const sotto_pate_result *result)
{
    return result->sensitive;
}
