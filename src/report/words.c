/* The promise of a model in plain words, and whether its file bears it out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/version.h>

#include "numeric/outward.h"
#include "numeric/shown.h"
#include "report/grade.h"
#include "report/html.h"
#include "report/report.h"

enum {
    NEWS_BYTES = 768,
    ADVISORY_BYTES = 1024,
    CHANCE_BYTES = 64,
    FACTOR_DIGITS = 3,
    DIGITS = 6
};

#define CHANCE_LEAST 1e12 /* which people can picture: one in N */

/* ---- the outcome ---- */

static void add_news(sot_growing *out, const char *title, const char *text)
{
    sot_html_element(out, "<div class=\"news bad\" role=\"alert\"><strong>", title,
                     "</strong>");
    sot_html_element(out, "<span>", text, "</span></div>\n");
}

/* A guarantee that holds has a headline of its own. */
static void add_bad_news(sot_growing *out, const sot_report *report)
{
    char text[NEWS_BYTES];
    if (report->file == NULL && report->model->sampler[0] != '\0') {
        add_news(
            out, "No privacy guarantee: sampled by a heuristic",
            "This model was sampled by mala, a heuristic without a bound on its distance "
            "from the posterior, from rows that were declared public. If they were not, "
            "treat this page and the model like the data themselves.");
    } else if (report->file == NULL) {
        add_news(
            out, "No privacy guarantee",
            "This model was made without noise, of rows that were declared public. If "
            "they were not, treat this page and the model like the data themselves.");
    } else if (!report->file->certificate.is_secure) {
        (void)snprintf(text, sizeof text,
                       "A test seed made the noise, and anyone with the seed can remove "
                       "it. Do not publish %s: treat %s like the data themselves. "
                       "Nothing below is a guarantee.",
                       sot_report_self(report),
                       report->subject == SOT_SUBJECT_LABELS ? "them" : "it");
        add_news(out, "NOT PRIVATE", text);
    } else if (report->outcome != SOTTO_OK) {
        (void)snprintf(text, sizeof text,
                       "Do not rely on the rest of this page. The first difference that "
                       "sotto %s found: %s",
                       sotto_version(), report->reason);
        add_news(out, "NOT VERIFIED", text);
    }
}

/* Warnings about the version that made the file. */
static void add_advisories(sot_growing *out, const sot_report *report)
{
    const sotto_advisory *advisories[SOTTO_ADVISORIES_MAX];
    const size_t count =
        report->file == NULL ? 0 : sot_certificate_advisories(report->file, advisories);
    for (size_t i = 0; i < count; i++) {
        char title[NEWS_BYTES], text[ADVISORY_BYTES];
        sot_advisory_title(advisories[i], title, sizeof title);
        sot_advisory_text(advisories[i], report->file->certificate.software.version, text,
                          sizeof text);
        add_news(out, title, text);
    }
}

/* ---- the promise ---- */

/* "at most 1 in 1 000 000". A chance that is not one in a whole number is rounded up. */
static const char *chance_of(double delta, char out[CHANCE_BYTES])
{
    char number[SOT_SHOWN_BYTES];
    const double inverse = 1.0 / delta;
    if (!(inverse >= 2.0)) {
        (void)snprintf(out, CHANCE_BYTES, "at most %s",
                       sot_shown_percent_up(delta, FACTOR_DIGITS, number));
        return out;
    }
    if (inverse > CHANCE_LEAST) {
        (void)snprintf(out, CHANCE_BYTES, "less than 1 in a million millions");
        return out;
    }
    const double nearest = round(inverse);
    /* 1e-5 is not a double: its inverse is 1e5 up to the last bit. */
    const double whole =
        fabs(inverse - nearest) <= 1e-12 * inverse ? nearest : floor(inverse);
    (void)snprintf(out, CHANCE_BYTES, "at most 1 in %s",
                   sot_shown_count((uint64_t)whole, number));
    return out;
}

static const char *factor_of(double epsilon, char out[SOT_SHOWN_BYTES])
{
    const double factor = sot_exp_up(epsilon);
    char number[SOT_SHOWN_BYTES];
    if (factor < 1e9) return sot_shown_up(factor, FACTOR_DIGITS, out);
    (void)snprintf(out, SOT_SHOWN_BYTES, "e^%.30s",
                   sot_shown_up(epsilon, DIGITS, number));
    return out;
}

/* True if every paid event is a choice, with no noise on any number. */
static bool is_chosen(const sotto_plan *plan)
{
    bool chosen = true;
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_mechanism mechanism = sotto_plan_event(plan, i)->mechanism;
        chosen = chosen &&
                 (mechanism == SOTTO_EXPONENTIAL || mechanism == SOTTO_PERMUTE_AND_FLIP);
    }
    return chosen;
}

bool sot_report_is_drawn(const sot_report *report)
{
    return report->file->certificate.facts.route != NULL && !report->is_student;
}

/* The basis of the promise. */
static const char *name_chance(const sot_report *report)
{
    if (is_chosen(report->file->certificate.plan)) return "The choice was randomised";
    return sot_report_is_drawn(report) ? "Its coefficients were sampled at random"
                                       : "Noise was added";
}

static void add_promise(sot_growing *out, const sot_report *report)
{
    const sot_certificate *certificate = &report->file->certificate;
    const bool are_labels = report->subject == SOT_SUBJECT_LABELS;
    const char *self = sot_report_noun(report);
    const sot_claims *claims = &certificate->claims;
    const bool replaced = sotto_plan_adjacency(certificate->plan) == SOTTO_REPLACE_ONE;
    const char *unit = certificate->facts.unit;
    static const char *const openings[] = {
        "This model was trained", "These labels are votes of teachers that were trained",
        "This release was computed", "This model was trained, by way of teachers,"};
    char factor[SOT_SHOWN_BYTES], chance[CHANCE_BYTES];
    char wrong[SOT_SHOWN_BYTES], right[SOT_SHOWN_BYTES];
    (void)sot_shown_percent_whole(sot_false_positive_rates[1], wrong);
    (void)sot_shown_percent_up(claims->true_positive_rates[1], FACTOR_DIGITS, right);
    (void)factor_of(claims->epsilon, factor);
    sot_growing_text(out, "<div class=\"plain\">\n");
    sot_html_say(out,
                 replaced
                     ? "%s on records that stay secret. %s on purpose, so that the %s "
                       "almost the same for any data of any one %s."
                     : "%s on records that stay secret. %s on purpose, so that the %s "
                       "almost the same whether or not any one %s was in the data.",
                 openings[report->is_student ? 3 : report->subject], name_chance(report),
                 are_labels                               ? "labels come out"
                 : report->subject == SOT_SUBJECT_RELEASE ? "release comes out"
                                                          : "model comes out",
                 unit);
    if (claims->delta > 0.0) {
        sot_html_say(
            out,
            "How much is almost? No outcome of an analysis of %s becomes more than %s "
            "times as likely because of one %s, apart from a probability of %s.",
            sot_report_self(report), factor, unit, chance_of(claims->delta, chance));
    } else {
        sot_html_say(out,
                     "How much is almost? No outcome of an analysis of %s becomes more "
                     "than %s times as likely because of one %s.",
                     sot_report_self(report), factor, unit);
    }
    sot_html_say(
        out,
        replaced
            ? "How well can an attack do? An attacker who knows all other records tests "
              "a guess about one of them. With at most %s of false positives the attack "
              "has at most %s of true positives. Without the %s it would be %s."
            : "How well can an attack do? An attacker who knows all other records tests "
              "whether one is in the data. With at most %s of false positives the attack "
              "has at most %s of true positives. Without the %s it would be %s.",
        wrong, right, self, wrong);
    sot_growing_text(out, "</div>\n");
}

/* ---- the figures ---- */

static void add_quality(sot_growing *out, const sot_report *report)
{
    char value[SOT_SHOWN_BYTES], rows[SOT_SHOWN_BYTES], note[NEWS_BYTES];
    if (report->scores == NULL) return;
    const sotto_evaluation *evaluation = &report->scores->evaluation;
    (void)snprintf(note, sizeof note, "on %s public rows",
                   sot_shown_count(evaluation->rows, rows));
    if (evaluation->classes > 0) {
        sot_html_figure(out, "Accuracy",
                        sot_shown_percent_down(evaluation->accuracy, 3, value), note);
    } else {
        sot_html_figure(out, "Typical error",
                        sot_shown_up(sqrt(evaluation->mse), 3, value), note);
    }
}

static void add_left(sot_growing *out, const sot_report *report)
{
    char value[SOT_SHOWN_BYTES], note[NEWS_BYTES];
    const sotto_ledger_balance *balance = sot_report_balance(report);
    if (balance == NULL || !(balance->budget > 0.0)) return;
    (void)snprintf(note, sizeof note, "of the data set, after %s",
                   sot_report_self(report));
    sot_html_figure(out, "Budget left",
                    sot_shown_percent_down(
                        fmin(1.0, fmax(0.0, balance->left / balance->budget)), 3, value),
                    report->ledger != NULL ? "of the data set, as of its ledger" : note);
}

/* For a ledger: its guarantee so far. */
static void add_spent(sot_growing *out, const sotto_ledger_balance *balance)
{
    char number[SOT_SHOWN_BYTES];
    if (!isnan(balance->rho) && balance->member_count > 0) {
        sot_html_figure(out, "Rho so far", sot_shown_up(balance->spent, DIGITS, number),
                        "zCDP, of everything charged");
    } else {
        sot_html_figure(out, "Epsilon so far",
                        isfinite(balance->epsilon_spent_upper)
                            ? sot_shown_up(balance->epsilon_spent_upper, DIGITS, number)
                            : "unbounded",
                        "of everything charged");
        sot_html_figure(
            out, "Delta",
            balance->delta > 0.0
                ? sot_shown_up(fmax(balance->delta, balance->delta_guaranteed), DIGITS,
                               number)
                : "0",
            "of the whole budget");
    }
}

static void add_figures(sot_growing *out, const sot_report *report)
{
    char number[SOT_SHOWN_BYTES], chance[CHANCE_BYTES];
    const bool certified = report->file != NULL;
    const bool is_ledger = report->subject == SOT_SUBJECT_LEDGER;
    if (!certified && report->scores == NULL && !is_ledger) return;
    sot_html_figures_open(out);
    if (is_ledger) add_spent(out, &report->ledger->balance);
    if (certified) {
        const sot_claims *claims = &report->file->certificate.claims;
        const bool holds = sot_report_holds(report);
        sot_html_figure(out, holds ? "Epsilon" : "Epsilon, void",
                        sot_shown_up(claims->epsilon, DIGITS, number),
                        "the smaller, the more private");
        if (claims->delta > 0.0) {
            sot_html_figure(out, holds ? "Delta" : "Delta, void",
                            sot_shown_up(claims->delta, DIGITS, number),
                            chance_of(claims->delta, chance));
        } else {
            sot_html_figure(out, holds ? "Delta" : "Delta, void", "0",
                            "the bound never fails");
        }
    }
    add_quality(out, report);
    add_left(out, report);
    sot_html_figures_close(out);
}

void sot_report_add_words(sot_growing *out, const sot_report *report)
{
    const bool is_ledger = report->subject == SOT_SUBJECT_LEDGER;
    sot_html_section_open(out, "words", "Summary");
    /* The worse news first. */
    if (!is_ledger && !sot_report_holds(report)) add_bad_news(out, report);
    add_advisories(out, report);
    if (is_ledger || sot_report_holds(report)) sot_report_add_headline(out, report);
    if (sot_report_holds(report)) add_promise(out, report);
    add_figures(out, report);
    if (report->file != NULL) {
        sot_html_prose(out, "<blockquote><p>In the words of the certificate: ",
                       report->file->certificate.statement, "</p></blockquote>\n");
    }
    sot_html_section_close(out);
}
