/* The page of a model: head, header, contents, sections, foot. */
#include "report/report.h"

#include <string.h>

#include <sotto/version.h>

#include "artifact/page/templates.h"
#include "base/memory.h"
#include "base/svg.h"
#include "report/html.h"

/* The policy forbids the browser to load or run anything, after any other fault; images stand in
 * the page itself. */
static const char head_before_policy[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'";
static const char policy_of_images[] = "; img-src data:";
static const char head_before_title[] =
    "\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"referrer\" content=\"no-referrer\">\n"
    "<title>";

static const struct {
    const char *id, *title;
} contents[] = {
    {"words", "Summary"},
    {"values", "The released values"},
    {"profile", "The guarantee"},
    {"attack", "Success of an attack"},
    {"budget", "The budget"},
    {"labels", "Votes and labels"},
    {"accuracy", "Accuracy and its cost"},
    {"coefficients", "Coefficients"},
    {"settings", "Training settings"},
    {"calibration", "Calibration"},
    {"confusion", "Confusion of classes"},
    {"certificate", "The certificate"},
    {"weaknesses", "Known weaknesses"},
};

bool sot_report_holds(const sot_report *report)
{
    return report->file != NULL && report->outcome == SOTTO_OK &&
           report->file->certificate.is_secure;
}

const char *sot_report_self(const sot_report *report)
{
    static const char *const names[] = {"this model", "these labels", "this release",
                                        "this ledger"};
    return names[report->subject];
}

const char *sot_report_noun(const sot_report *report)
{
    static const char *const names[] = {"model", "labels", "release", "ledger"};
    return names[report->subject];
}

static const sotto_schema *schema_of(const sot_report *report)
{
    return report->schema != NULL ? report->schema : report->model->schema;
}

/* The predicted quantity: the target's column, or the label of a matrix. */
static const char *target_of(const sot_report *report)
{
    const sotto_target *target = sotto_schema_target(schema_of(report));
    if (target == NULL || target->column == NULL) return "the label of each row";
    return target->column;
}

/* "a private histogram of the column age" is a title by itself. */
static void add_release_title(sot_growing *out, const char *output, bool holds)
{
    static const char start[] = "a private ";
    const bool is_title = holds && strncmp(output, start, sizeof start - 1) == 0;
    if (is_title)
        sot_html_element(out, "A", output + 1, "");
    else
        sot_html_element(out, holds ? "A private release: " : "A release: ", output, "");
}

static void add_title(sot_growing *out, const sot_report *report)
{
    const bool holds = sot_report_holds(report);
    switch (report->subject) {
    case SOT_SUBJECT_MODEL:
        sot_growing_text(out, holds ? "A private " : "A ");
        sot_html_text(out, sotto_model_kind_name(report->model->kind));
        sot_html_element(out, " model of ", target_of(report), "");
        break;
    case SOT_SUBJECT_LABELS:
        sot_html_element(out, holds ? "Private labels of " : "Labels of ",
                         target_of(report), "");
        break;
    case SOT_SUBJECT_RELEASE:
        add_release_title(out, report->file->certificate.facts.output, holds);
        break;
    case SOT_SUBJECT_LEDGER:
        sot_html_element(out, "The privacy budget of ", report->ledger->balance.dataset,
                         "");
        break;
    }
}

static const char *dataset_of(const sot_report *report)
{
    if (report->subject == SOT_SUBJECT_LEDGER) return report->ledger->balance.dataset;
    if (report->subject == SOT_SUBJECT_RELEASE)
        return report->file->certificate.facts.dataset;
    return sotto_schema_dataset(schema_of(report));
}

static void add_about_model(sot_growing *out, const sot_report *report)
{
    sot_html_element(
        out, report->is_student ? "a student of labels by teachers, method " : "method ",
        report->method, "");
    sot_growing_format(out, " &middot; %zu encoded features",
                       sotto_model_dimension(report->model));
    if (sotto_model_classes(report->model) > 0)
        sot_growing_format(out, " &middot; %zu classes",
                           sotto_model_classes(report->model));
}

static void add_about(sot_growing *out, const sot_report *report)
{
    switch (report->subject) {
    case SOT_SUBJECT_MODEL:
        add_about_model(out, report);
        break;
    case SOT_SUBJECT_LABELS:
        sot_html_element(out, "aggregator ", report->labels->aggregator, "");
        sot_growing_format(out, " &middot; %zu classes",
                           sotto_schema_target(schema_of(report))->label_count);
        break;
    case SOT_SUBJECT_RELEASE:
        sot_html_element(out, "unit ", report->file->certificate.facts.unit, "");
        break;
    case SOT_SUBJECT_LEDGER:
        sot_html_element(out, "unit ",
                         report->ledger->balance.unit[0] != '\0'
                             ? report->ledger->balance.unit
                             : "row",
                         "");
        sot_growing_format(out, " &middot; %llu ledger rows",
                           (unsigned long long)report->ledger->balance.entries);
        break;
    }
}

static void add_header(sot_growing *out, const sot_report *report)
{
    const char *dataset = dataset_of(report);
    sot_growing_format(out,
                       "<header>\n<p class=\"brand\">sotto &middot; %s "
                       "report</p>\n<h1>",
                       sot_report_noun(report));
    add_title(out, report);
    sot_growing_text(out, "</h1>\n<p class=\"about\">");
    if (dataset != NULL) sot_html_element(out, "Data set ", dataset, " &middot; ");
    add_about(out, report);
    sot_growing_text(out, "</p>\n</header>\n");
}

/* A ledger has no certificate of its own, and only a model or a student has the sections that follow from one. */
static bool has_section(const sot_report *report, const char *id)
{
    static const char *const of_models[] = {"accuracy", "coefficients", "settings",
                                            "calibration", "confusion"};
    static const char *const of_files[] = {"profile", "attack", "certificate"};
    if (strcmp(id, "values") == 0) return report->subject == SOT_SUBJECT_RELEASE;
    if (strcmp(id, "labels") == 0)
        return report->subject == SOT_SUBJECT_LABELS || report->is_student;
    for (size_t i = 0; i < sizeof of_models / sizeof of_models[0]; i++)
        if (strcmp(id, of_models[i]) == 0) return report->subject == SOT_SUBJECT_MODEL;
    for (size_t i = 0; i < sizeof of_files / sizeof of_files[0]; i++)
        if (strcmp(id, of_files[i]) == 0) return report->subject != SOT_SUBJECT_LEDGER;
    return true;
}

static void add_contents(sot_growing *out, const sot_report *report)
{
    sot_growing_text(out, "<nav aria-label=\"Contents\">\n<ol>\n");
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        const bool own = strcmp(contents[i].id, "coefficients") == 0;
        if (!has_section(report, contents[i].id)) continue;
        const char *title = own && report->model->net != NULL       ? "Layers"
                            : own && report->model->concept != NULL ? "The concept"
                                                                    : contents[i].title;
        sot_growing_format(out, "<li><a href=\"#%s\">%s</a></li>\n", contents[i].id,
                           title);
    }
    sot_growing_text(out, "</ol>\n</nav>\n");
}

static sotto_status add_sections(sot_growing *out, const sot_report *report,
                                 sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    sot_report_add_words(out, report);
    if (has_section(report, "values")) sot_report_add_values(out, report);
    if (has_section(report, "profile"))
        status = sot_report_add_profile(out, report, error);
    if (status != SOTTO_OK) return status;
    sot_report_add_budget(out, report);
    if (has_section(report, "labels")) sot_report_add_labels(out, report);
    if (report->model != NULL) {
        status = sot_report_add_accuracy(out, report, error);
        if (status == SOTTO_OK) status = sot_report_add_coefficients(out, report, error);
        if (status != SOTTO_OK) return status;
        sot_report_add_settings(out, report);
        sot_report_add_calibration(out, report);
        sot_report_add_confusion(out, report);
    }
    if (has_section(report, "certificate"))
        status = sot_report_add_certificate(out, report, error);
    if (status == SOTTO_OK) sot_report_add_weaknesses(out, report);
    return status;
}

static void add_foot(sot_growing *out, const sot_report *report)
{
    static const char *const sources[] = {
        " from a model file with the BLAKE2b-256 hash ",
        " from a file of labels with the BLAKE2b-256 hash ",
        " from a release with the BLAKE2b-256 hash ", " from a ledger with the head "};
    sot_growing_text(out, "<footer>\n<p>Made by sotto ");
    sot_html_text(out, sotto_version());
    sot_html_element(
        out, sources[report->subject],
        report->subject == SOT_SUBJECT_MODEL    ? report->model->hash
        : report->subject == SOT_SUBJECT_LEDGER ? report->ledger->balance.head
                                                : report->file->hash,
        ". This page is one file: it has no script and fetches nothing. Made "
        "again from the same files, it is the same page.</p>\n</footer>\n");
}

sotto_status sot_report_write(const sot_report *report, char **out_html,
                              sotto_error *error)
{
    sot_growing out = {0};
    sot_growing_text(&out, head_before_policy);
    if (report->scores != NULL && report->scores->images.first_count > 0)
        sot_growing_text(&out, policy_of_images);
    sot_growing_text(&out, head_before_title);
    add_title(&out, report);
    sot_growing_text(&out, "</title>\n<style>\n");
    sot_growing_text(&out, sot_template_report_css);
    sot_growing_text(&out, sot_svg_rules());
    sot_growing_text(&out, "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">"
                           "Skip to the report</a>\n<div class=\"sheet\">\n");
    add_header(&out, report);
    add_contents(&out, report);
    sot_growing_text(&out, "<main id=\"main\">\n");
    const sotto_status status = add_sections(&out, report, error);
    if (status != SOTTO_OK) {
        sot_free(out.text);
        return status;
    }
    sot_growing_text(&out, "</main>\n");
    add_foot(&out, report);
    sot_growing_text(&out, "</div>\n</body>\n</html>\n");
    return sot_growing_finish(&out, out_html, error);
}
