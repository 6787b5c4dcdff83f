/* The guarantee as a curve, and the best attack. All points are recomputed from the
 * plan in the certificate; upper bounds are rounded up. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/svg.h"
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum {
    WIDTH = 440,
    HEIGHT = 300,
    POINTS = 19,
    LARGE = 11, /* deltas for the middle of the attack's curve */
    RATES = 101,
    PAIRS_MAX = POINTS + LARGE + SOT_GUARANTEES_MAX + SOT_PROFILE_SIZE,
    DIGITS = 6,
    PERCENT_DIGITS = 3,
    WORDS_BYTES = 400
};

#define DELTA_MOST 0.1

typedef struct profile {
    size_t count;
    double epsilons[POINTS], deltas[POINTS]; /* delta falls, epsilon rises */
    sotto_account pairs[PAIRS_MAX];          /* all that is known, for the attack */
    size_t pair_count;
} profile;

/* The smallest delta of the picture: a little below the headline's, if that is in sight. */
static double least_delta(const sot_claims *claims)
{
    if (claims->delta >= 1e-15) return fmin(1e-7, claims->delta * 1e-2);
    return 1e-12;
}

static void add_pair(profile *curve, double epsilon, double delta)
{
    curve->pairs[curve->pair_count++] =
        (sotto_account){.epsilon = epsilon, .delta = delta};
}

/* No finite epsilon is an answer too: there is no such pair. */
static sotto_status price(const sot_certificate *certificate, double delta,
                          profile *curve, bool *out_found, sotto_error *error)
{
    sotto_account account;
    const sotto_status status =
        sotto_account_epsilon_inexact(certificate->plan, SOTTO_EXACT, delta,
                                      certificate->sampler_error, &account, error);
    *out_found = status == SOTTO_OK;
    if (*out_found) add_pair(curve, account.epsilon, delta);
    return status == SOTTO_UNREACHABLE ? SOTTO_OK : status;
}

/* Every pair bounds the attack; where it has many false positives, those of a large delta are best. */
static sotto_status compute(const sot_certificate *certificate, profile *out,
                            sotto_error *error)
{
    const sot_claims *claims = &certificate->claims;
    const double step = log(least_delta(claims) / DELTA_MOST) / (POINTS - 1);
    for (int i = 0; i < POINTS + LARGE; i++) {
        bool found = false;
        const double delta =
            i < POINTS ? DELTA_MOST * exp(step * i) : 0.04 * (double)(i - POINTS + 1);
        const sotto_status status = price(certificate, delta, out, &found, error);
        if (status != SOTTO_OK) return status;
        if (!found || i >= POINTS) continue;
        out->epsilons[out->count] = out->pairs[out->pair_count - 1].epsilon;
        out->deltas[out->count++] = delta;
    }
    for (size_t i = 0; i < claims->guarantee_count; i++)
        add_pair(out, claims->guarantees[i].epsilon, claims->guarantees[i].delta);
    for (size_t i = 0; i < SOT_PROFILE_SIZE; i++)
        add_pair(out, claims->profile[i].epsilon, claims->profile[i].delta);
    return SOTTO_OK;
}

/* ---- the profile ---- */

static void draw_profile(sot_growing *out, const sot_claims *claims, const profile *curve)
{
    char words[WORDS_BYTES], epsilon[SOT_SHOWN_BYTES], delta[SOT_SHOWN_BYTES];
    double most = claims->epsilon;
    for (size_t i = 0; i < curve->count; i++)
        most = fmax(most, curve->epsilons[i]);
    const sot_svg_panel panel = {
        .title = "",
        .x = {"epsilon", 0.0, most > 0.0 ? 1.08 * most : 1.0, false, false},
        .y = {"delta", least_delta(claims), DELTA_MOST, true, false},
        .left = 62,
        .top = 14,
        .width = 366,
        .height = 236};
    (void)snprintf(
        words, sizeof words,
        "A falling curve, delta on a logarithmic scale against epsilon; it passes "
        "epsilon %s at delta %s. The table beside it has the numbers.",
        sot_shown_up(claims->epsilon, DIGITS, epsilon),
        sot_shown_up(claims->delta, DIGITS, delta));
    sot_growing_text(out, "<figure>\n");
    sot_svg_begin_inline(out, WIDTH, HEIGHT, "profile-plot",
                         "Profile of the guarantee: delta against epsilon", words);
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, curve->epsilons, curve->deltas,
                 curve->count);
    if (claims->delta >= panel.y.least) {
        const bool late = claims->epsilon > 0.6 * panel.x.most;
        sot_svg_points(out, &panel, SOT_SVG_SECOND, &claims->epsilon, &claims->delta, 1);
        sot_svg_note(out, &panel, SOT_SVG_SECOND,
                     claims->epsilon + (late ? -0.025 : 0.025) * panel.x.most,
                     claims->delta * (late ? 0.45 : 1.6), late ? "end" : "start",
                     "this certificate");
    }
    sot_svg_end(out);
    sot_growing_text(out,
                     "<figcaption>Every point of the curve is a guarantee, and all hold "
                     "at the same time.</figcaption>\n</figure>\n");
}

static void add_epsilons(sot_growing *out, const sot_claims *claims)
{
    static const char *const header[] = {"Delta", "Epsilon is at most"};
    sot_html_table_open(out, "", "The guarantee at several deltas", header, 2);
    for (size_t i = 0; i < claims->guarantee_count; i++) {
        const sot_guarantee *row = &claims->guarantees[i];
        char delta[SOT_SHOWN_BYTES], epsilon[SOT_SHOWN_BYTES];
        const char *const cells[] = {sot_shown_up(row->delta, DIGITS, delta),
                                     sot_shown_up(row->epsilon, DIGITS, epsilon)};
        sot_html_row(out, row->delta == claims->delta ? "own" : "", cells, 2);
    }
    sot_html_table_close(out);
    if (!isnan(claims->mu) || !isnan(claims->rho)) {
        char mu[SOT_SHOWN_BYTES], rho[SOT_SHOWN_BYTES];
        sot_html_say(out, "In single numbers: %s%s%s%s%s.",
                     isnan(claims->mu) ? "" : "mu ",
                     isnan(claims->mu) ? "" : sot_shown_up(claims->mu, DIGITS, mu),
                     isnan(claims->mu) ? "" : " (Gaussian differential privacy), ",
                     isnan(claims->rho) ? "no rho" : "rho ",
                     isnan(claims->rho) ? "" : sot_shown_up(claims->rho, DIGITS, rho));
    }
}

static void add_guarantee(sot_growing *out, const sot_certificate *certificate,
                          const profile *curve)
{
    sot_html_say(out,
                 "Epsilon limits the change of the probability of any outcome by one %s; "
                 "delta is the probability that the limit fails. One can be traded for "
                 "the other: a smaller delta has a larger epsilon.",
                 certificate->facts.unit);
    sot_growing_text(out, "<div class=\"pair\">\n");
    draw_profile(out, &certificate->claims, curve);
    sot_growing_text(out, "<div>\n");
    add_epsilons(out, &certificate->claims);
    sot_growing_text(out, "</div>\n</div>\n");
}

/* ---- the attack ---- */

static void draw_attack(sot_growing *out, const profile *curve)
{
    static const double corners[] = {0.0, 100.0};
    double wrong[RATES], right[RATES];
    for (int i = 0; i < RATES; i++) {
        wrong[i] = 100.0 * i / (RATES - 1);
        right[i] = 100.0 * sotto_account_attack(curve->pairs, curve->pair_count,
                                                (double)i / (RATES - 1));
    }
    const sot_svg_panel panel = {
        .title = "",
        .x = {"false positives, %", 0.0, 100.0, false, false},
        .y = {"true positives, at most %", 0.0, 100.0, false, false},
        .left = 62,
        .top = 14,
        .width = 366,
        .height = 236};
    sot_growing_text(out, "<figure>\n");
    sot_svg_begin_inline(
        out, WIDTH, HEIGHT, "attack-plot", "The best attack against blind guessing",
        "A curve above the diagonal: the true positive rate of an attack, at most, "
        "against its false positive rate. On the diagonal the attacker learns nothing.");
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, SOT_SVG_GUIDE, corners, corners, 2);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, wrong, right, RATES);
    sot_svg_note(out, &panel, SOT_SVG_FIRST, 4.0, 93.0, "start", "no attack is above");
    sot_svg_note(out, &panel, SOT_SVG_GUIDE, 62.0, 50.0, "start", "blind guessing");
    sot_svg_end(out);
    sot_growing_text(out,
                     "<figcaption>The closer the curve is to the diagonal, the less an "
                     "attacker can learn about one record.</figcaption>\n</figure>\n");
}

static void add_rates(sot_growing *out, const sot_certificate *certificate)
{
    static const char *const rates[] = {"False positives, at most",
                                        "True positives, at most"};
    sot_html_table_open(out, "", "The best possible attack", rates, 2);
    for (size_t i = 0; i < SOT_ATTACKS_SIZE; i++) {
        char wrong[SOT_SHOWN_BYTES], right[SOT_SHOWN_BYTES];
        const char *const cells[] = {
            sot_shown_percent_whole(sot_false_positive_rates[i], wrong),
            sot_shown_percent_up(certificate->claims.true_positive_rates[i],
                                 PERCENT_DIGITS, right)};
        sot_html_row(out, "", cells, 2);
    }
    sot_html_table_close(out);
}

static void add_attack(sot_growing *out, const sot_certificate *certificate,
                       const profile *curve)
{
    const bool replaced = sotto_plan_adjacency(certificate->plan) == SOTTO_REPLACE_ONE;
    sot_html_say(
        out, "%s",
        replaced
            ? "The attacker of this table knows every other record, has unlimited time, "
              "and tests a guess about one. A test with at most the first share of false "
              "positives has at most the second share of true positives."
            : "The attacker of this table knows every other record, has unlimited time, "
              "and tests whether one is in the data. A test with at most the first share "
              "of false positives has at most the second share of true positives.");
    sot_growing_text(out, "<div class=\"pair\">\n");
    draw_attack(out, curve);
    sot_growing_text(out, "<div>\n");
    add_rates(out, certificate);
    sot_growing_text(out, "</div>\n</div>\n");
}

/* ---- both sections ---- */

static void add_none(sot_growing *out, const char *text)
{
    sot_html_element(out, "<p class=\"none\">", text, "</p>\n");
}

sotto_status sot_report_add_profile(sot_growing *out, const sot_report *report,
                                    sotto_error *error)
{
    profile curve = {.count = 0};
    const sot_certificate *certificate =
        report->file == NULL ? NULL : &report->file->certificate;
    if (certificate != NULL) {
        const sotto_status status = compute(certificate, &curve, error);
        if (status != SOTTO_OK) return status;
    }
    const bool is_void = certificate != NULL && !sot_report_holds(report);
    const char *warning =
        is_void && certificate->is_secure
            ? "Not verified: see the warning above. The file states:"
            : "Void: see the warning above. With true noise it would be:";
    sot_html_section_open(out, "profile", "The guarantee");
    if (is_void) add_none(out, warning);
    if (certificate != NULL) {
        add_guarantee(out, certificate, &curve);
    } else {
        add_none(out, "There is none: the rows were declared public, and no noise was "
                      "added.");
    }
    sot_html_section_close(out);
    sot_html_section_open(out, "attack", "Success of an attack");
    if (is_void) add_none(out, warning);
    if (certificate != NULL) {
        add_attack(out, certificate, &curve);
    } else {
        add_none(out, "There is no limit: an attacker who knows all other rows can "
                      "compute the content of one row.");
    }
    sot_html_section_close(out);
    return SOTTO_OK;
}
