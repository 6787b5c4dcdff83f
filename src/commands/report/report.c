/* From files to the facts of a report: model, certificate, ledger, public rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/grid.h>
#include <sotto/report.h>

#include "artifact/model_file/additive.h"
#include "base/error.h"
#include "base/json/writer.h"
#include "base/memory.h"
#include "base/sized.h"
#include "commands/report/curve.h"
#include "commands/report/labels.h"
#include "commands/session/again.h"
#include "commands/train/simulation.h"
#include "data/encode/blocks.h"
#include "methods/kinds.h"
#include "models/concept/classes/concept.h"
#include "report/grade.h"

enum { REPEATS = 10, IMAGES = 40 };

typedef struct sources {
    const sotto_report_config *config;
    sotto_model *model;
    sot_json *document;
    sot_json_value settings;
    sot_certificate_file file;
    bool is_certified;
    sotto_error reason;
    sot_report_ledger ledger;
    sot_report_scores scores;
    sot_report_curve curve;
    double *deviations;
    sot_json_writer *concept; /* the class of a concept, written; NULL: none */
    sot_labels_facts labels;  /* of the page, or of its student */
    sotto_schema *schema;     /* of a release; NULL: none */
    char labels_hash[SOTTO_HASH_HEX_BYTES]; /* that a student quotes; "": no student */
} sources;

void sotto_report_set_defaults(sotto_report_config *out_config, size_t size_bytes)
{
    const sotto_report_config defaults = {.repeats = REPEATS, .images = IMAGES};
    sot_sized_give(SOT_SIZED(report), &defaults, out_config, size_bytes, 0);
}

static sotto_status check_config(const sotto_report_config *config, sotto_error *error)
{
    if (config->expected_rows > SOTTO_GRID_RECORDS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`expected_rows` is %llu; a table has at most 2^32 rows",
                        (unsigned long long)config->expected_rows);
    }
    if (config->images > SOT_REPORT_IMAGES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`images` is %llu; give at most %d, or 0 for none",
                        (unsigned long long)config->images, (int)SOT_REPORT_IMAGES_MAX);
    }
    if (config->repeats <= SOT_REHEARSAL_REPEATS_MAX) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`repeats` is %llu; give at most %d, or 0 for no curve",
                    (unsigned long long)config->repeats, (int)SOT_REHEARSAL_REPEATS_MAX);
}

/* ---- the file ---- */

/* A certificate that does not hold is news for the page, not a failure to make it. */
static sotto_status verify(sources *from, sot_certificate_file *file, const char *json,
                           size_t size_bytes, sot_report *report, sotto_error *error)
{
    report->file = file;
    report->outcome =
        sot_verify_file(file, json, size_bytes, &report->is_exact, &from->reason);
    report->reason = from->reason.message;
    if (report->outcome == SOTTO_OK || report->outcome == SOTTO_VERIFICATION)
        return SOTTO_OK;
    return sot_fail(error, report->outcome, "%s", from->reason.message);
}

static sotto_status read_certificate(sources *from, const char *json, size_t size_bytes,
                                     sot_report *report, sotto_error *error)
{
    const sot_json_value root = sot_json_root(from->document);
    sot_json_value member;
    if (!sot_json_member(&root, "certificate", &member)) return SOTTO_OK;
    sotto_status status = sot_certificate_file_open(json, size_bytes, &from->file, error);
    if (status != SOTTO_OK) return status;
    from->is_certified = true;
    return verify(from, &from->file, json, size_bytes, report, error);
}

/* A student's certificate is that of labels, whose hash it quotes. */
static sotto_status read_student(sources *from, sot_report *report, sotto_error *error)
{
    const char *path = from->config->labels;
    const char *hash =
        !from->is_certified
            ? NULL
            : sot_labels_hash_of_student(&from->file.certificate, from->labels_hash);
    if (hash == NULL && path != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a file of labels belongs to the report of a student, and this "
                        "model is none; leave %.120s out",
                        path);
    }
    if (hash == NULL) return SOTTO_OK;
    report->is_student = true;
    report->noise = (sot_report_noise){.kind = SOT_NOISE_OF_VOTES};
    if (path == NULL) return SOTTO_OK;
    const sotto_status status = sot_labels_facts_read(path, hash, &from->labels, error);
    report->labels = &from->labels.report;
    return status;
}

static sotto_status read_labels(sources *from, const char *name, const char *json,
                                size_t size_bytes, sot_report *report, sotto_error *error)
{
    const sotto_report_config *config = from->config;
    if (config->data.path != NULL || config->labels != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "labels have no accuracy of their own; give the public rows and "
                        "the labels to the report of the student");
    }
    const sotto_status status = sot_labels_facts_parse(
        name == NULL ? "labels" : name, json, size_bytes, &from->labels, error);
    if (status != SOTTO_OK) return status;
    report->subject = SOT_SUBJECT_LABELS;
    report->labels = &from->labels.report;
    report->schema = from->labels.report.schema;
    return verify(from, &from->labels.labels.file, json, size_bytes, report, error);
}

/* Returns true if the file is certified and neither a model nor labels. A file that cannot be read as JSON is for the model's
 * reader to refuse. */
static bool is_release(const char *json, size_t size_bytes)
{
    sot_json *document = NULL;
    sot_json_value kind, certificate;
    const char *text = "";
    if (sot_json_parse("file", json, size_bytes, size_bytes, &document, NULL) != SOTTO_OK)
        return false;
    const sot_json_value root = sot_json_root(document);
    const bool certified = sot_json_kind_of(&root) == SOT_JSON_OBJECT &&
                           sot_json_member(&root, "certificate", &certificate);
    const bool named = certified && sot_json_member(&root, "kind", &kind) &&
                       sot_json_as_string(&kind, &text, NULL) == SOTTO_OK;
    const bool other = strcmp(text, "model") != 0 && strcmp(text, "labels") != 0;
    sot_json_free(document);
    return certified && (!named || other);
}

static sotto_status read_release(sources *from, const char *name, const char *json,
                                 size_t size_bytes, sot_report *report,
                                 sotto_error *error)
{
    const sotto_report_config *config = from->config;
    sot_json_value schema;
    (void)name;
    if (config->data.path != NULL || config->labels != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a release has no accuracy and no labels; leave the public rows "
                        "and the labels out");
    }
    sotto_status status = sot_certificate_file_open(json, size_bytes, &from->file, error);
    if (status != SOTTO_OK) return status;
    from->is_certified = true;
    report->subject = SOT_SUBJECT_RELEASE;
    if (sot_json_member(&from->file.root, "schema", &schema))
        status = sot_again_schema(&from->file.root, &from->schema, error);
    if (status != SOTTO_OK) return status;
    report->schema = from->schema;
    return verify(from, &from->file, json, size_bytes, report, error);
}

/* Several posterior samples show their own spread. */
static sotto_status spread_draws(sources *from, sot_report *report, sotto_error *error)
{
    const size_t count = sot_model_shown(from->model);
    if (from->model->draws == 1) return SOTTO_OK;
    from->deviations = sot_new_array(count, sizeof *from->deviations);
    if (from->deviations == NULL)
        return sot_fail_memory(error, count, sizeof *from->deviations);
    for (size_t i = 0; i < count; i++)
        from->deviations[i] = sot_model_shown_spread(from->model, i);
    report->noise = (sot_report_noise){.kind = SOT_NOISE_DRAWS,
                                       .deviations = from->deviations,
                                       .repeats = from->model->draws};
    return SOTTO_OK;
}

static sotto_status read_model(sources *from, const char *name, const char *json,
                               size_t size_bytes, sot_report *report, sotto_error *error)
{
    sotto_status status = sotto_model_parse(name, json, size_bytes, &from->model, error);
    if (status == SOTTO_OK)
        status =
            sot_json_parse(name, json, size_bytes, size_bytes, &from->document, error);
    if (status != SOTTO_OK) return status;
    const sot_json_value root = sot_json_root(from->document);
    report->model = from->model;
    report->schema = from->model->schema;
    report->settings = &from->settings;
    status = sot_json_get_string(&root, "method", &report->method, error);
    if (status == SOTTO_OK)
        status = sot_json_get_object(&root, "settings", &from->settings, error);
    if (status == SOTTO_OK)
        status = sot_report_noise_read(&root, from->model->coefficient_count,
                                       &report->noise, error);
    if (status == SOTTO_OK) status = spread_draws(from, report, error);
    if (status == SOTTO_OK)
        status = read_certificate(from, json, size_bytes, report, error);
    return status == SOTTO_OK ? read_student(from, report, error) : status;
}

/* ---- the ledger ---- */

/* NULL: the file names none. */
static const char *dataset_of(const sot_report *report)
{
    return report->subject == SOT_SUBJECT_RELEASE
               ? report->file->certificate.facts.dataset
               : sotto_schema_dataset(report->schema);
}

static sotto_status read_ledger(sources *from, sot_report *report, sotto_error *error)
{
    const char *dataset = dataset_of(report);
    const char *head = NULL;
    if (from->config->ledger == NULL) return SOTTO_OK;
    if (report->file != NULL && report->file->certificate.facts.ledger != NULL)
        head = report->file->certificate.facts.ledger->after.head;
    /* For a student, the labels were charged. */
    const char *hash = report->is_student                     ? from->labels_hash
                       : report->subject == SOT_SUBJECT_MODEL ? from->model->hash
                                                              : report->file->hash;
    const sotto_status status =
        sot_report_ledger_read(from->config->ledger, hash, head, &from->ledger, error);
    if (status != SOTTO_OK) return status;
    if (dataset == NULL || strcmp(dataset, from->ledger.balance.dataset) != 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the ledger is of the data set '%.60s', but the %s %s of "
                        "%s%.60s; give its own ledger, or leave `ledger` out",
                        from->ledger.balance.dataset, sot_report_noun(report),
                        report->subject == SOT_SUBJECT_LABELS ? "are" : "is",
                        dataset == NULL ? "no named one" : "",
                        dataset == NULL ? "" : dataset);
    }
    report->ledger = &from->ledger;
    return SOTTO_OK;
}

/* ---- public rows ---- */

static double setting(const sot_json_value *settings, const char *name)
{
    sot_json_value member;
    double value = SOTTO_UNSET;
    if (!sot_json_member(settings, name, &member) ||
        sot_json_kind_of(&member) == SOT_JSON_NULL ||
        sot_json_as_double(&member, &value, NULL) != SOTTO_OK)
        return SOTTO_UNSET;
    return value;
}

/* NULL: the file does not have it, as older ones do not. */
static const char *word(const sot_json_value *settings, const char *name)
{
    sot_json_value member;
    const char *text = NULL;
    if (!sot_json_member(settings, name, &member) ||
        sot_json_as_string(&member, &text, NULL) != SOTTO_OK)
        return NULL;
    return text;
}

/* Named ways. Words that this sotto does not know leave the rules to choose. */
static void read_choices(const sot_json_value *settings, sot_report_training *out)
{
    const char *schedule = word(settings, "schedule");
    const char *iterate = word(settings, "iterate");
    const char *sampling = word(settings, "sampling");
    if (schedule == NULL ||
        sotto_schedule_from_name(schedule, &out->schedule, NULL) != SOTTO_OK)
        out->schedule = SOTTO_SCHEDULE_AUTO;
    if (iterate == NULL ||
        sotto_iterate_from_name(iterate, &out->iterate, NULL) != SOTTO_OK)
        out->iterate = SOTTO_ITERATE_AUTO;
    out->single_records = sampling != NULL &&
                          strcmp(sampling, sotto_sampling_name(SOTTO_SINGLE_RECORD)) == 0;
    /* Its rate follows from lambda. */
    if (out->schedule == SOTTO_SCHEDULE_STRONG) out->learning_rate = SOTTO_UNSET;
}

/* sotto_model_parse() has checked these members. */
static sotto_status read_training(sources *from, sot_report_training *out,
                                  sotto_error *error)
{
    const sot_json_value root = sot_json_root(from->document);
    sot_json_value settings;
    const char *method = NULL, *adjacency = NULL;
    *out = (sot_report_training){.schema = from->model->schema,
                                 .model = from->model->kind,
                                 .expected_rows = from->config->expected_rows,
                                 .threads = from->config->threads,
                                 .progress = from->config->progress,
                                 .progress_context = from->config->progress_context};
    sotto_status status = sot_json_get_string(&root, "method", &method, error);
    if (status == SOTTO_OK) status = sotto_method_from_name(method, &out->method, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(&root, "epsilon", &out->epsilon, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(&root, "delta", &out->delta, error);
    if (status == SOTTO_OK)
        status = sot_json_get_string(&root, "adjacency", &adjacency, error);
    if (status == SOTTO_OK)
        status = sotto_adjacency_from_name(adjacency, &out->adjacency, error);
    if (status == SOTTO_OK)
        status = sot_json_get_object(&root, "settings", &settings, error);
    if (status != SOTTO_OK) return status;
    if (from->model->concept != NULL) {
        size_t size_bytes = 0;
        status = sot_json_writer_new(false, &from->concept, error);
        if (status != SOTTO_OK) return status;
        sot_concept_class_write(from->model->concept, from->concept);
        status = sot_json_writer_finish(from->concept, &out->concept, &size_bytes, error);
        if (status != SOTTO_OK) return status;
    }
    if (from->model->curves != NULL)
        out->rule = sot_encoding_bins_rule(from->model->encoding);
    out->lambda = setting(&settings, "lambda");
    out->steps = setting(&settings, "steps");
    if (isnan(out->steps)) out->steps = setting(&settings, "passes");
    out->batch = setting(&settings, "batch");
    out->radius = setting(&settings, "radius");
    out->learning_rate = setting(&settings, "learning_rate");
    if ((sot_method_row_of(out->method)->takes & SOT_TAKES_ITERATE) != 0)
        read_choices(&settings, out);
    /* A pure training with an inexact sampler is certified at a tiny delta that is not a
     * setting. */
    if (out->delta < 1e-100) out->delta = SOTTO_UNSET;
    return SOTTO_OK;
}

static sotto_status fill_curve(sources *from, sot_report *report, sotto_error *error)
{
    sot_report_training training;
    const size_t count = sot_model_shown(from->model);
    const bool is_known =
        report->noise.kind == SOT_NOISE_EXACT || report->noise.kind == SOT_NOISE_DRAWS;
    bool measured = false;
    sotto_status status = read_training(from, &training, error);
    if (status != SOTTO_OK) return status;
    /* The numbers of a concept are places: their variance means nothing. */
    if (!is_known && from->model->concept == NULL) {
        from->deviations = sot_new_array(count, sizeof *from->deviations);
        if (from->deviations == NULL)
            return sot_fail_memory(error, count, sizeof *from->deviations);
    }
    status = sot_report_curve_fill(&training, &from->config->data, from->config->repeats,
                                   &from->curve, is_known ? NULL : from->deviations,
                                   count, &measured, error);
    if (status == SOTTO_OK && measured) {
        report->noise = (sot_report_noise){.kind = SOT_NOISE_MEASURED,
                                           .deviations = from->deviations,
                                           .repeats = from->curve.repeats,
                                           .rows = from->curve.learned};
    }
    report->curve = &from->curve;
    return status;
}

static sotto_status read_rows(sources *from, sot_report *report, sotto_error *error)
{
    if (from->config->data.path == NULL) return SOTTO_OK;
    const sotto_status status = sot_report_scores_read(
        from->model, &from->config->data, from->config->images, &from->scores, error);
    if (status != SOTTO_OK) return status;
    report->scores = &from->scores;
    if (!from->is_certified || from->config->repeats == 0) return SOTTO_OK;
    if (!report->is_student) return fill_curve(from, report, error);
    (void)snprintf(from->curve.reason, sizeof from->curve.reason,
                   "the student's epsilon is that of the votes of teachers, which were "
                   "trained on the secret rows; on public rows there is nothing to vary");
    report->curve = &from->curve;
    return SOTTO_OK;
}

/* ---- the public door ---- */

static void release(sources *from)
{
    sot_free(from->deviations);
    sot_json_writer_free(from->concept);
    sot_report_scores_clear(&from->scores);
    sot_report_ledger_clear(&from->ledger);
    if (from->is_certified) sot_certificate_file_close(&from->file);
    sot_labels_facts_clear(&from->labels);
    sotto_schema_free(from->schema);
    sot_json_free(from->document);
    sotto_model_free(from->model);
}

typedef sotto_status (*reader)(sources *from, const char *name, const char *json,
                               size_t size_bytes, sot_report *report, sotto_error *error);

static sotto_status choose_reader(const char *json, size_t size_bytes, reader *out_reader,
                                  sotto_error *error)
{
    bool is_labels = false;
    const sotto_status status = sot_pate_is_labels(json, size_bytes, &is_labels, error);
    *out_reader = is_labels                      ? read_labels
                  : is_release(json, size_bytes) ? read_release
                                                 : read_model;
    return status;
}

sotto_status sotto_report_render_graded(const char *name, const char *model_json,
                                        size_t size_bytes,
                                        const sotto_report_config *config,
                                        sotto_grade *out_grade, char **out_html,
                                        sotto_error *error)
{
    sotto_report_config own;
    sources from = {.config = &own};
    sot_report report = {.outcome = SOTTO_OK};
    reader read = NULL;
    sotto_status status = SOT_TAKE(report, config, &own, error);
    if (status == SOTTO_OK) status = check_config(&own, error);
    if (status == SOTTO_OK) status = choose_reader(model_json, size_bytes, &read, error);
    if (status == SOTTO_OK)
        status = read(&from, name, model_json, size_bytes, &report, error);
    if (status == SOTTO_OK) status = read_ledger(&from, &report, error);
    if (status == SOTTO_OK) status = read_rows(&from, &report, error);
    if (status == SOTTO_OK) status = sot_report_write(&report, out_html, error);
    if (status == SOTTO_OK) *out_grade = sot_report_grade(&report).grade;
    release(&from);
    return status;
}

sotto_status sotto_report_render(const char *name, const char *model_json,
                                 size_t size_bytes, const sotto_report_config *config,
                                 char **out_html, sotto_error *error)
{
    sotto_grade grade;
    return sotto_report_render_graded(name, model_json, size_bytes, config, &grade,
                                      out_html, error);
}
