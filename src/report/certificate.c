/* The certificate as it was verified, and what neither it nor this page can promise. */
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
                 "The guarantee above follows from this record of what was done. It is a "
                 "part of the %s.",
                 report->model != NULL ? "model file" : "file of the labels");
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
    sot_html_item(
        out,
        "The guarantee is about one %s at a time. Patterns of the whole group are "
        "what a model is for: it may well say something true about a person whose "
        "records %s never saw.",
        certificate->facts.unit, report->model != NULL ? "it" : "its teachers");
    if (strcmp(certificate->facts.unit, "teacher") == 0) {
        sot_html_item(out, "The unit is a whole teacher. Whose records are with several "
                           "of them has as many times the epsilon.");
    } else if (is_row) {
        sot_html_item(out,
                      "One person, one row: nobody checks it. A person with three rows "
                      "has three times the epsilon.");
    } else {
        sot_html_item(out, "One person, one id: a person with two ids has twice the "
                           "epsilon.");
    }
    if (certificate->facts.ledger == NULL) {
        sot_html_item(out,
                      "No ledger counts what else is released from the same data. "
                      "Guarantees add up: two such %s have twice the epsilon, or a "
                      "little less.",
                      report->model != NULL ? "models" : "files of labels");
    } else {
        sot_html_item(out,
                      "The budget is as good as the ledger: who puts back an older copy, "
                      "or uses the data without it, resets it. The head quoted in the "
                      "certificate tells the first.");
    }
    if (certificate->sampler_error > 0.0) {
        char number[SOT_SHOWN_BYTES];
        sot_html_item(out,
                      "The sampler of %s is within %s of its exact law, in total "
                      "variation; delta includes it.",
                      sot_report_is_drawn(report) ? "the draws" : "the noise",
                      sot_shown_up(certificate->sampler_error, 3, number));
    }
    sot_html_item(out,
                  "The schema and all settings must have been chosen without looking at "
                  "the secret rows. That cannot be recomputed.");
    sot_html_item(out,
                  "How long a training takes depends on the rows. Whoever saw when it "
                  "began and ended may have learned something.");
    sot_html_item(out, "A hash is no signature: it shows accidents and clumsy changes. "
                       "Whoever can rewrite the file can write another certificate. That "
                       "the software did what the certificate says is for its sources to "
                       "show.");
}

void sot_report_add_weaknesses(sot_growing *out, const sot_report *report)
{
    sot_html_section_open(out, "weaknesses", "Known weaknesses");
    sot_html_say(out, "What this page and the certificate cannot promise.");
    sot_growing_text(out, "<ul>\n");
    if (report->file != NULL) {
        add_of_guarantee(out, report);
    } else {
        sot_html_item(out,
                      "This model hides nothing. If the rows it was made of were not "
                      "public, neither it nor this page may be published.");
    }
    if (report->scores != NULL) {
        sot_html_item(out,
                      "The rows behind scores and curves were declared public by "
                      "whoever made this page. If some of them were secret, or were "
                      "among the training rows, this page reveals something of them, "
                      "and its scores are too good.");
    }
    if (report->model == NULL || report->is_student)
        sot_html_item(out, "Where the votes came from a table, how many teachers one "
                           "record touches is the word of whoever trained them; the "
                           "certificate lists it then.");
    if (report->file != NULL && report->model != NULL && report->model->concept != NULL) {
        sot_html_item(out, "Chance took part in the choice of the rule. It is good "
                           "for predicting, and not for conclusions about causes.");
    } else if (report->file != NULL && report->model != NULL) {
        sot_html_item(out,
                      "%s and shrinkage push coefficients about. They are good for "
                      "predicting together, and not for conclusions about single causes.",
                      sot_report_is_drawn(report) ? "Random draws" : "Noise");
    }
    sot_html_item(out, "%s",
                  report->model != NULL
                      ? "A score is an average: the model may serve small groups worse, "
                        "and privacy noise weighs more on them. Check them on public "
                        "rows of their own."
                      : "Labels may be wrong, and more often for small groups: teachers "
                        "saw few of their rows, and noise decides where votes are near "
                        "each other.");
    sot_html_item(out,
                  "The proofs stand beside the code, which is tested against them and "
                  "not derived from them. No outside audit has been made.");
    sot_growing_text(out, "</ul>\n");
    sot_html_say(out, "The whole list is docs/explanation/known-weaknesses.md of sotto.");
    sot_html_section_close(out);
}
