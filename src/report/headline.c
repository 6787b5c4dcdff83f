/* The headline of a report: the outcome of the verification, its grade, and beside them everything that is believed. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <sotto/version.h>

#include "numeric/shown.h"
#include "report/grade.h"
#include "report/html.h"

enum { TEXT_BYTES = 1024, RATE_DIGITS = 3, DELTA_DIGITS = 3, SOURCES_SHOWN = 6 };

/* ---- the outcome and its grade ---- */

static const struct {
    sotto_grade grade;
    const char *kind, *title; /* class of the box, and its words */
} boxes[] = {
    {SOTTO_GRADE_STRONG, "good", "Strong privacy"},
    {SOTTO_GRADE_MODERATE, "fair", "Moderate privacy"},
    {SOTTO_GRADE_WEAK, "poor", "Weak privacy"},
    {SOTTO_GRADE_FORMAL, "formal", "Formal guarantee only"},
};
enum { BOXES = sizeof boxes / sizeof boxes[0] };

static void explain_check(const sot_report *report, char out[TEXT_BYTES])
{
    if (report->subject == SOT_SUBJECT_LEDGER) {
        (void)snprintf(
            out, TEXT_BYTES,
            "sotto %s verified the chain of %llu ledger rows and recomputed every "
            "charge from its plan.",
            sotto_version(), (unsigned long long)report->ledger->balance.entries);
        return;
    }
    (void)snprintf(out, TEXT_BYTES,
                   "sotto %s recomputed every number of the certificate from this file "
                   "only, and %s.%s",
                   sotto_version(),
                   report->is_exact ? "each agrees to the last bit" : "each bound holds",
                   sot_certificate_open_question(report->file));
}

static void add_scale(sot_growing *out, sotto_grade grade)
{
    sot_growing_text(out, "<ol class=\"scale\" aria-label=\"Grades, the best first\">\n");
    for (size_t i = 0; i < BOXES; i++) {
        const bool own = boxes[i].grade == grade;
        sot_growing_format(out, "<li%s>",
                           own ? " class=\"own\" aria-current=\"true\"" : "");
        sot_html_element(out, "", sotto_grade_name(boxes[i].grade), "</li>\n");
    }
    sot_growing_text(out, "</ol>\n");
}

static void add_box(sot_growing *out, const sot_report *report,
                    const sot_grading *grading)
{
    char check[TEXT_BYTES], title[TEXT_BYTES];
    const char *rules = report->file == NULL ? "" : sot_certificate_rules(report->file);
    explain_check(report, check);
    if (grading->grade == SOTTO_GRADE_NONE) {
        sot_growing_format(out,
                           "<div class=\"news plainly\"><strong>"
                           "Verified%s, not graded</strong>",
                           rules);
        sot_html_element(out, "<span>", grading->reason, " ");
        sot_html_element(out, "", check, "</span></div>\n");
        return;
    }
    for (size_t i = 0; i < BOXES; i++) {
        if (boxes[i].grade != grading->grade) continue;
        (void)snprintf(title, sizeof title, "%s, verified%s", boxes[i].title, rules);
        sot_growing_format(out, "<div class=\"news %s\"><strong>", boxes[i].kind);
        sot_html_element(out, "", title, "</strong>");
    }
    sot_html_element(out, "<span>", check, "</span></div>\n");
    add_scale(out, grading->grade);
}

/* ---- the numbers behind the grade ---- */

static void add_row(sot_growing *out, const char *kind, const char *what,
                    const sot_graded *graded)
{
    char rate[SOT_SHOWN_BYTES], delta[SOT_SHOWN_BYTES];
    const char *const cells[] = {
        what, sot_shown_percent_up(graded->rate, RATE_DIGITS, rate),
        graded->delta > 0.0 ? sot_shown_up(graded->delta, DELTA_DIGITS, delta) : "0",
        sotto_grade_name(graded->grade)};
    sot_html_row(out, kind, cells, 4);
}

/* A guarantee about rows is worth less to a person with several. */
static void add_groups(sot_growing *out, const sot_certificate *certificate)
{
    static const unsigned groups[] = {2, 5};
    if (strcmp(certificate->facts.unit, "row") != 0) return;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        char what[64];
        const sot_graded group = sot_grade_of_group(&certificate->claims, groups[i]);
        (void)snprintf(what, sizeof what, "A person with %u rows", groups[i]);
        add_row(out, "", what, &group);
    }
}

static void add_numbers(sot_growing *out, const sot_report *report,
                        const sot_grading *grading)
{
    static const char *const header[] = {"For", "True positives, at most", "Delta",
                                         "Grade"};
    char self[64];
    (void)snprintf(self, sizeof self, "%s", sot_report_self(report));
    self[0] = (char)toupper((unsigned char)self[0]);
    sot_html_table_open(out, "grades", "Best attack with 1% false positives", header, 4);
    if (grading->has_own) add_row(out, "own", self, &grading->own);
    if (grading->has_history) {
        add_row(out, grading->has_own ? "" : "own",
                report->ledger != NULL ? "Everything charged so far"
                                       : "Everything charged until then",
                &grading->history);
        add_row(out, "", "The whole budget, if it is spent", &grading->budget);
    }
    if (grading->has_own) add_groups(out, &report->file->certificate);
    sot_html_table_close(out);
}

/* ---- beliefs ---- */

static void add_item(sot_growing *out, const char *text)
{
    char line[TEXT_BYTES];
    (void)snprintf(line, sizeof line, "%s", text);
    line[0] = (char)toupper((unsigned char)line[0]);
    sot_html_item(out, "%s.", line);
}

/* The sources that the schema names for bounds and categories, as far as there is room. */
static void add_sources(sot_growing *out, const sotto_schema *schema)
{
    char line[TEXT_BYTES] = "";
    size_t named = 0, used = 0, columns = 0;
    for (size_t i = 0; i < sotto_schema_size(schema); i++) {
        const sotto_column *column = sotto_schema_column(schema, i);
        if (column->type == SOTTO_COLUMN_IGNORE) continue;
        columns++;
        if (column->source == NULL || named++ >= SOURCES_SHOWN) continue;
        const int added = snprintf(line + used, sizeof line - used, "%s%.60s: %.80s",
                                   used == 0 ? "" : "; ", column->name, column->source);
        used += added > 0 ? (size_t)added : 0;
    }
    if (columns == 0) return;
    if (named == 0) {
        sot_html_item(out, "The schema names no source for its bounds and categories.");
    } else {
        sot_html_item(out, "Sources of bounds and categories (%zu of %zu columns): %s%s.",
                      named, columns, line, named > SOURCES_SHOWN ? "; and others" : "");
    }
}

static void add_of_file(sot_growing *out, const sot_report *report)
{
    const sotto_belief *believed[SOTTO_BELIEFS_MAX];
    const size_t count = sot_certificate_believed(report->file, believed);
    if (strcmp(report->file->certificate.facts.unit, "row") == 0)
        add_item(out, "one person has one row");
    if (sot_report_balance(report) == NULL)
        add_item(out, "nothing else is released from these data: no ledger tracks it");
    if (report->ledger == NULL && report->file->certificate.facts.ledger != NULL)
        add_item(out, "nothing was charged later: the certificate quotes the ledger, and "
                      "--ledger was not given");
    if (report->schema != NULL) add_sources(out, report->schema);
    for (size_t i = 0; i < count; i++)
        add_item(out, believed[i]->meaning);
    if (report->scores != NULL) add_item(out, "the rows of --public are public");
}

static void add_of_ledger(sot_growing *out, const sot_report_ledger *ledger)
{
    const sotto_ledger_balance *balance = &ledger->balance;
    add_item(out, "every access to the data goes through this ledger");
    add_item(out, "the file was not replaced by an older copy: compare its head with the "
                  "last certificate");
    add_item(out, balance->curator[0] != '\0'
                      ? "the curator chose budget and grants without looking at outputs; "
                        "the signatures were verified"
                      : "budget and grants were chosen without looking at outputs; no "
                        "curator signed them");
    add_item(out, "the number of runs was not chosen because of the amount spent");
    if (balance->unit[0] == '\0') add_item(out, "one person has one row");
    if (ledger->unstated > 0)
        sot_html_item(out,
                      "The noise of %zu charged runs was secret: their rows do not state "
                      "its source.",
                      ledger->unstated);
}

void sot_report_add_headline(sot_growing *out, const sot_report *report)
{
    const sot_grading grading = sot_report_grade(report);
    sot_growing_text(out, "<div class=\"verdict\">\n<div>\n");
    add_box(out, report, &grading);
    if (grading.grade != SOTTO_GRADE_NONE) add_numbers(out, report, &grading);
    sot_growing_text(out,
                     "</div>\n<div class=\"believed\">\n<h3>Believed, not checked</h3>\n"
                     "<ul>\n");
    if (report->subject == SOT_SUBJECT_LEDGER) {
        add_of_ledger(out, report->ledger);
    } else {
        add_of_file(out, report);
    }
    sot_growing_text(out, "</ul>\n</div>\n</div>\n");
    if (grading.grade != SOTTO_GRADE_NONE)
        sot_html_say(out,
                     "The grade is that of %s. Its thresholds are "
                     "derived in docs/explanation/grades.md of sotto.",
                     !grading.has_own ? "everything charged so far"
                     : grading.has_history
                         ? "the worse of this file and everything charged so far"
                         : "this file");
}
