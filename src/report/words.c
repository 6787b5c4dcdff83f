/* The promise of a model in plain words, and whether its file bears it out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/version.h>

#include "numeric/outward.h"
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum {
    NEWS_BYTES = 768,
    ADVISORY_BYTES = 1024,
    CHANCE_BYTES = 64,
    FACTOR_DIGITS = 3,
    DIGITS = 6
};

#define CHANCE_LEAST 1e12 /* of which people have an idea: one in so many */

/* ---- the outcome ---- */

static void add_news(sot_growing *out, bool good, const char *title, const char *text)
{
    sot_html_element(out,
                     good ? "<div class=\"news good\"><strong>"
                          : "<div class=\"news bad\" role=\"alert\"><strong>",
                     title, "</strong>");
    sot_html_element(out, "<span>", text, "</span></div>\n");
}

/* Whether the stated guarantee may not hold, although every number was recomputed. */
static bool has_advisory(const sot_report *report)
{
    const sotto_advisory *advisories[SOTTO_ADVISORIES_MAX];
    const size_t count = sot_certificate_advisories(report->file, advisories);
    for (size_t i = 0; i < count; i++)
        if (advisories[i]->affects_privacy) return true;
    return false;
}

static void add_outcome(sot_growing *out, const sot_report *report)
{
    char text[NEWS_BYTES];
    if (report->file == NULL && report->model->sampler[0] != '\0') {
        add_news(
            out, false, "No privacy guarantee: drawn by a heuristic",
            "This model was drawn by the sampler mala, of whose draws nobody knows how "
            "near they are to the posterior, from rows that were declared public. If "
            "they were not, treat this page and the model like the data themselves.");
    } else if (report->file == NULL) {
        add_news(
            out, false, "No privacy guarantee",
            "This model was made without noise, of rows that were declared public. If "
            "they were not, treat this page and the model like the data themselves.");
    } else if (!report->file->certificate.is_secure) {
        (void)snprintf(text, sizeof text,
                       "A test seed made the noise, and whoever knows the seed can take "
                       "it off again. Do not publish %s: treat %s like the data "
                       "themselves. Nothing below is a guarantee.",
                       sot_report_self(report), report->model != NULL ? "it" : "them");
        add_news(out, false, "NOT PRIVATE", text);
    } else if (report->outcome != SOTTO_OK) {
        (void)snprintf(text, sizeof text,
                       "Do not rely on what follows. The first difference that sotto %s "
                       "found: %s",
                       sotto_version(), report->reason);
        add_news(out, false, "NOT VERIFIED", text);
    } else {
        (void)snprintf(
            text, sizeof text,
            "The %s a certificate. sotto %s recomputed every number "
            "in it from the file alone, and %s.",
            report->model != NULL ? "model carries" : "labels carry", sotto_version(),
            report->is_exact ? "each agrees to the last bit" : "each bound holds");
        add_news(out, true,
                 has_advisory(report) ? "Numbers verified" : "Private, and verified",
                 text);
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
        add_news(out, false, title, text);
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

/* Whether everything that was paid for was chosen, with no noise on any number. */
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

/* What the promise rests on. */
static const char *name_chance(const sot_report *report)
{
    if (is_chosen(report->file->certificate.plan))
        return "Chance took part in the choice";
    return sot_report_is_drawn(report) ? "Its coefficients were drawn at random"
                                       : "Noise was added";
}

static void add_promise(sot_growing *out, const sot_report *report)
{
    const sot_certificate *certificate = &report->file->certificate;
    const bool is_model = report->model != NULL;
    const char *self = is_model ? "model" : "labels";
    const sot_claims *claims = &certificate->claims;
    const bool replaced = sotto_plan_adjacency(certificate->plan) == SOTTO_REPLACE_ONE;
    const char *unit = certificate->facts.unit;
    char factor[SOT_SHOWN_BYTES], chance[CHANCE_BYTES];
    char wrong[SOT_SHOWN_BYTES], right[SOT_SHOWN_BYTES];
    (void)sot_shown_percent_whole(sot_false_positive_rates[1], wrong);
    (void)sot_shown_percent_up(claims->true_positive_rates[1], FACTOR_DIGITS, right);
    (void)factor_of(claims->epsilon, factor);
    sot_growing_text(out, "<div class=\"plain\">\n");
    sot_html_say(
        out,
        replaced ? "%s from records that stay secret. %s on purpose, so that the %s "
                   "almost the same whatever the data say of any one %s."
                 : "%s from records that stay secret. %s on purpose, so that the %s "
                   "almost the same whether or not any one %s was in the data.",
        report->is_student ? "This model was learned, by way of teachers,"
        : is_model         ? "This model was learned"
                           : "These labels are what teachers say who learned",
        name_chance(report), is_model ? "model comes out" : "labels come out", unit);
    if (claims->delta > 0.0) {
        sot_html_say(
            out,
            "How much is almost? Nothing that can be read from %s becomes "
            "more than %s times as likely because of one %s, apart from a chance "
            "of %s.",
            sot_report_self(report), factor, unit, chance_of(claims->delta, chance));
    } else {
        sot_html_say(out,
                     "How much is almost? Nothing that can be read from %s becomes "
                     "more than %s times as likely because of one %s.",
                     sot_report_self(report), factor, unit);
    }
    sot_html_say(
        out,
        replaced
            ? "What does that mean for an attack? Someone who knows everything about all "
              "others tests a guess about one of them. If they believe at most %s of "
              "wrong "
              "guesses, they believe at most %s of right ones. Without the %s it "
              "would be %s."
            : "What does that mean for an attack? Someone who knows everything about all "
              "others tries to tell who was in the data. If they wrongly accuse at most "
              "%s "
              "of those who were not, they recognise at most %s of those who were. "
              "Without the %s it would be %s.",
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
    char value[SOT_SHOWN_BYTES];
    const sotto_ledger_balance *balance = NULL;
    if (report->ledger != NULL) {
        balance = &report->ledger->balance;
    } else if (report->file != NULL && report->file->certificate.facts.ledger != NULL) {
        balance = &report->file->certificate.facts.ledger->after;
    }
    if (balance == NULL || !(balance->budget > 0.0)) return;
    sot_html_figure(out, "Budget left",
                    sot_shown_percent_down(
                        fmin(1.0, fmax(0.0, balance->left / balance->budget)), 3, value),
                    report->ledger != NULL  ? "of the data set, as of its ledger"
                    : report->model != NULL ? "of the data set, after this model"
                                            : "of the data set, after these labels");
}

static void add_figures(sot_growing *out, const sot_report *report)
{
    char number[SOT_SHOWN_BYTES], chance[CHANCE_BYTES];
    const bool certified = report->file != NULL;
    if (!certified && report->scores == NULL) return;
    sot_html_figures_open(out);
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
    sot_html_section_open(out, "words", "In plain words");
    /* The worse news first. */
    if (sot_report_holds(report)) add_advisories(out, report);
    add_outcome(out, report);
    if (!sot_report_holds(report)) add_advisories(out, report);
    if (sot_report_holds(report)) add_promise(out, report);
    add_figures(out, report);
    if (report->file != NULL) {
        sot_html_element(out, "<blockquote><p>In the words of the certificate: ",
                         report->file->certificate.statement, "</p></blockquote>\n");
    }
    sot_html_section_close(out);
}
