/* The certificate as it was verified, and the limits of it and of this page. */
#include <string.h>

#include "artifact/certificate/page.h"
#include "base/memory.h"
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

sotto_status sot_report_add_certificate(sot_growing *out, const sot_report *report,
                                        sotto_error *error)
{
    sot_page *page = NULL;
    char *html = NULL;
    sot_html_section_open(out, "certificate", "The certificate");
    if (report->file == NULL) {
        sot_html_element(out, "<p class=\"none\">",
                         "There is none: a model of public rows has nothing to certify.",
                         "</p>\n");
        sot_html_section_close(out);
        return SOTTO_OK;
    }
    sot_html_say(out,
                 "The guarantee above follows from this record of the run. It is a part "
                 "of the %s.",
                 report->subject == SOT_SUBJECT_LABELS  ? "file of the labels"
                 : report->subject == SOT_SUBJECT_MODEL ? "model file"
                                                        : "release file");
    sotto_status status = sot_page_new(&page, error);
    if (status != SOTTO_OK) return status;
    sot_page_add_scope(page, &report->file->certificate);
    sot_page_add_believed(page, report->file);
    sot_page_add_run(page, &report->file->certificate);
    sot_page_add_check(page, report->file);
    status = sot_page_render_part(page, &html, error);
    if (status == SOTTO_OK) sot_growing_text(out, html);
    sot_html_section_close(out);
    sot_free(html);
    sot_page_free(page);
    return status;
}

/* ---- known weaknesses ---- */

static void add_of_guarantee(sot_growing *out, const sot_report *report)
{
    const sot_certificate *certificate = &report->file->certificate;
    const bool is_row = strcmp(certificate->facts.unit, "row") == 0;
    sot_html_item(out,
                  "The guarantee is about one %s at a time. Patterns of the whole group "
                  "are the purpose of a %s: it may well reveal something true about a "
                  "person whose records %s never used.",
                  certificate->facts.unit,
                  report->subject == SOT_SUBJECT_RELEASE ? "release" : "model",
                  report->subject == SOT_SUBJECT_LABELS ? "its teachers" : "it");
    if (strcmp(certificate->facts.unit, "teacher") == 0) {
        sot_html_item(out, "The unit is a whole teacher. A person whose records are with "
                           "several teachers has as many times the epsilon.");
    } else if (is_row) {
        sot_html_item(out, "One person, one row: not checked. A person with three rows "
                           "has three times the epsilon.");
    } else {
        sot_html_item(out, "One person, one id: a person with two ids has twice the "
                           "epsilon.");
    }
    if (certificate->facts.ledger == NULL) {
        sot_html_item(out,
                      "No ledger counts other releases from the same data. "
                      "Guarantees add up: two such %s have twice the epsilon, or a "
                      "little less.",
                      report->subject == SOT_SUBJECT_MODEL     ? "models"
                      : report->subject == SOT_SUBJECT_RELEASE ? "releases"
                                                               : "files of labels");
    } else {
        sot_html_item(out, "The budget is as good as the ledger: an older copy of it, or "
                           "use of the data without it, resets the budget. The head "
                           "quoted in the certificate reveals an older copy.");
    }
    if (certificate->sampler_error > 0.0) {
        char number[SOT_SHOWN_BYTES];
        sot_html_item(out,
                      "The sampler of %s is within %s of its exact distribution, in "
                      "total variation; delta includes it.",
                      sot_report_is_drawn(report) ? "the posterior samples" : "the noise",
                      sot_shown_up(certificate->sampler_error, 3, number));
    }
    sot_html_item(out,
                  "The schema and all settings must have been chosen without looking at "
                  "the secret rows. That cannot be recomputed.");
    sot_html_item(out, "The duration of a training depends on the rows. Anyone who saw "
                       "its beginning and end may have learned something.");
    sot_html_item(out,
                  "A hash is no signature: it shows accidents and clumsy changes. Anyone "
                  "who can rewrite the file can write another certificate. Only the "
                  "sources show that the software works as the certificate states.");
}

static void add_of_ledger(sot_growing *out)
{
    sot_html_item(out,
                  "The sum covers only the runs that were charged here. A copy of the "
                  "data, or a program that reads them without the ledger, is outside "
                  "of it.");
    sot_html_item(out, "An older copy of the file resets the budget. The heads that "
                       "certificates quote reveal it: sotto ledger check --expect-head.");
    sot_html_item(out,
                  "The amount spent so far is information. It bounds the privacy loss "
                  "if the number of runs was not chosen because of it. The whole budget "
                  "bounds the loss for every order of runs.");
}

void sot_report_add_weaknesses(sot_growing *out, const sot_report *report)
{
    sot_html_section_open(out, "weaknesses", "Known weaknesses");
    sot_html_say(out, "Limits of this page and of the certificate.");
    sot_growing_text(out, "<ul>\n");
    if (report->subject == SOT_SUBJECT_LEDGER) {
        add_of_ledger(out);
    } else if (report->file != NULL) {
        add_of_guarantee(out, report);
    } else {
        sot_html_item(out, "This model hides nothing. If its training rows were not "
                           "public, neither it nor this page may be published.");
    }
    if (report->scores != NULL) {
        sot_html_item(
            out,
            "The rows behind scores and curves were declared public by the author of "
            "this page. If some of them were secret, or were training rows, this page "
            "leaks information about these rows, and its scores are optimistic.");
    }
    if (report->subject == SOT_SUBJECT_LABELS || report->is_student)
        sot_html_item(out, "If the votes came from a table, the number of teachers that "
                           "one record touches is a statement of the teachers' owner. "
                           "The certificate then lists it.");
    if (report->file != NULL && report->model != NULL && report->model->concept != NULL) {
        sot_html_item(out, "The concept was sampled at random. It is good for "
                           "predictions, and not for conclusions about causes.");
    } else if (report->file != NULL && report->model != NULL) {
        sot_html_item(
            out,
            "%s and shrinkage change coefficients. They are good for predictions "
            "together, and not for conclusions about single causes.",
            sot_report_is_drawn(report) ? "Random sampling" : "Noise");
    }
    if (report->subject == SOT_SUBJECT_MODEL)
        sot_html_item(out,
                      "A score is an average: the model may serve small groups worse, "
                      "and privacy noise weighs more on them. Check them on public "
                      "rows of their own.");
    if (report->subject == SOT_SUBJECT_LABELS)
        sot_html_item(
            out, "Labels may be wrong, and more often for small groups: teachers saw few "
                 "of their rows, and noise decides where votes are near each other.");
    if (report->subject == SOT_SUBJECT_RELEASE)
        sot_html_item(out,
                      "The intervals cover the noise that was added for privacy. They "
                      "do not cover sampling error, nor values that the bounds of the "
                      "schema clipped.");
    sot_html_item(out, "The proofs stand beside the code, which is tested against them "
                       "and not derived from them. No outside audit has been made.");
    sot_growing_text(out, "</ul>\n");
    sot_html_say(out, "The whole list is docs/explanation/known-weaknesses.md of sotto.");
    sot_html_section_close(out);
}
