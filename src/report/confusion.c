/* The confusion of classes on public rows, and the scores of each class. */
#include <math.h>
#include <stdio.h>

#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum {
    DIGITS = 3,
    SHADES = 5,
    WORDS_BYTES = 512,
    SHARE_BYTES = SOT_SHOWN_BYTES + 2,
    FEW = 5 /* classes whose matrix has room to spare */
};

/* ---- the matrix ---- */

/* A share of a class that the model gets right has a shade a fifth; mistakes are rarer, and theirs
 * must show long before: from these shares on. */
static int shade_of(double share, bool is_right)
{
    static const double from[] = {0.02, 0.05, 0.1, 0.25};
    int shade = share > 0.0 ? 1 : 0;
    if (is_right) return (int)ceil(share * SHADES);
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++)
        shade += share >= from[i];
    return shade;
}

static void add_cell(sot_growing *out, uint64_t count, uint64_t of_class, bool is_right)
{
    char number[SOT_SHOWN_BYTES], part[SOT_SHOWN_BYTES];
    const double share = of_class == 0 ? 0.0 : (double)count / (double)of_class;
    sot_growing_format(out, "<td class=\"%s%d%s\">", is_right ? "h" : "w",
                       shade_of(share, is_right), is_right ? " right" : "");
    sot_html_text(out, sot_shown_count(count, number));
    sot_html_element(out, "<small>", sot_shown_near(100.0 * share, DIGITS, part),
                     "%</small></td>");
}

/* Rows of a class, or with `is_said` those that the model takes for it. */
static uint64_t total(const sotto_evaluation *evaluation, size_t class, bool is_said)
{
    const size_t classes = evaluation->classes;
    uint64_t sum = 0;
    for (size_t k = 0; k < classes; k++)
        sum += evaluation->confusion[is_said ? k * classes + class : class * classes + k];
    return sum;
}

static void add_matrix(sot_growing *out, const sot_report *report)
{
    const sotto_evaluation *evaluation = &report->scores->evaluation;
    const size_t classes = evaluation->classes;
    const bool few = classes <= FEW;
    char label[WORDS_BYTES];
    sot_growing_format(out,
                       "<div class=\"wide\" role=\"group\" tabindex=\"0\" "
                       "aria-label=\"Confusion matrix\">\n<table class=\"confusion%s\">\n"
                       "<caption>Confusion matrix: rows by true class, with the share of "
                       "that class</caption>\n<thead>\n<tr><th scope=\"col\">%s</th>",
                       few ? "" : " many", few ? "True class" : "True / predicted");
    for (size_t k = 0; k < classes; k++)
        sot_html_element(out, few ? "<th scope=\"col\">predicted " : "<th scope=\"col\">",
                         sotto_model_class(report->model, k), "</th>");
    sot_growing_text(out, "</tr>\n</thead>\n<tbody>\n");
    for (size_t i = 0; i < classes; i++) {
        const uint64_t all = total(evaluation, i, false);
        (void)snprintf(label, sizeof label, "%.200s",
                       sotto_model_class(report->model, i));
        sot_html_element(out, "<tr><th scope=\"row\">", label, "</th>");
        for (size_t k = 0; k < classes; k++)
            add_cell(out, evaluation->confusion[i * classes + k], all, i == k);
        sot_growing_text(out, "</tr>\n");
    }
    sot_growing_text(out, "</tbody>\n</table>\n</div>\n");
}

/* ---- class by class ---- */

static const char *share_text(uint64_t part, uint64_t whole, char out[SHARE_BYTES])
{
    char number[SOT_SHOWN_BYTES];
    if (whole == 0) return "no rows";
    (void)snprintf(out, SHARE_BYTES, "%s%%",
                   sot_shown_near(100.0 * (double)part / (double)whole, DIGITS, number));
    return out;
}

/* The class that this one is taken for most often, the first of equals; itself: for none. */
static size_t taken_for(const sotto_evaluation *evaluation, size_t class)
{
    const uint64_t *row = evaluation->confusion + class * evaluation->classes;
    size_t most = class;
    for (size_t k = 0; k < evaluation->classes; k++) {
        if (k != class && row[k] > (most == class ? 0 : row[most])) most = k;
    }
    return most;
}

static void add_class(sot_growing *out, const sot_report *report, size_t class)
{
    const sotto_evaluation *evaluation = &report->scores->evaluation;
    const uint64_t *row = evaluation->confusion + class * evaluation->classes;
    const uint64_t rows = total(evaluation, class, false);
    const size_t other = taken_for(evaluation, class);
    char count[SOT_SHOWN_BYTES], recall[SHARE_BYTES], precision[SHARE_BYTES];
    char share[SHARE_BYTES], label[WORDS_BYTES], mistake[WORDS_BYTES] = "none";
    (void)snprintf(label, sizeof label, "%.200s",
                   sotto_model_class(report->model, class));
    if (other != class)
        (void)snprintf(mistake, sizeof mistake, "%.200s (%s)",
                       sotto_model_class(report->model, other),
                       share_text(row[other], rows, share));
    const char *const cells[] = {
        label, sot_shown_count(rows, count), share_text(row[class], rows, recall),
        share_text(row[class], total(evaluation, class, true), precision), mistake};
    sot_html_row(out, "", cells, sizeof cells / sizeof cells[0]);
}

static void add_classes(sot_growing *out, const sot_report *report)
{
    static const char *const header[] = {"Class", "Rows", "Recall", "Precision",
                                         "Most often predicted as"};
    sot_html_say(
        out, "Recall: of the rows of a class, the share that the model found. Precision: "
             "of the rows predicted as the class, the share that is correct.");
    sot_html_table_open(out, "classes", "Class by class", header,
                        sizeof header / sizeof header[0]);
    for (size_t i = 0; i < report->scores->evaluation.classes; i++)
        add_class(out, report, i);
    sot_html_table_close(out);
}

void sot_report_add_confusion(sot_growing *out, const sot_report *report)
{
    const size_t classes = sotto_model_classes(report->model);
    sot_html_section_open(out, "confusion", "Confusion of classes");
    if (classes == 0) {
        sot_html_element(out, "<p class=\"none\">",
                         "This model predicts numbers: there are no classes to confuse. "
                         "Its errors stand under accuracy and calibration.",
                         "</p>\n");
    } else if (report->scores == NULL) {
        sot_html_element(out, "<p class=\"none\">",
                         "Not computed: it needs public rows. Give them with --public.",
                         "</p>\n");
    } else if (classes > SOT_REPORT_CLASSES_SHOWN) {
        sot_html_say(out,
                     "The matrix of %zu classes does not fit here; sotto evaluate "
                     "--json has it.",
                     classes);
    } else {
        sot_html_say(out, "True and predicted classes of the public rows. On the "
                          "diagonal the model was correct; the darker another cell, the "
                          "more rows of that class have that prediction.");
        add_matrix(out, report);
        add_classes(out, report);
    }
    sot_report_add_sheet(out, report);
    sot_html_section_close(out);
}
