/* Plots of an attack's result beside the bound of the claim. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "commands/audit/audit_parts.h"
#include "commands/audit/svg.h"

enum {
    PANEL = 440,
    HEIGHT = 400,
    TOP = 44,
    LEFT = 70,
    ACROSS = 330,
    DOWN = 300,
    PLACES = 160
};

/* Rates of fewer accusations are chance, and would seem to pass the claim. */
static const double accused_least = 10.0;

/* The rate of an attacker who tosses a coin between two neighbouring thresholds, where equal scores leave a gap. The points rise in
 * both rates. */
static double found_at(const sotto_roc *roc, double false_positive_rate)
{
    const sotto_roc_point *points = sotto_roc_points(roc);
    size_t after = 1;
    while (points[after].false_positive_rate <= false_positive_rate &&
           after + 1 < sotto_roc_size(roc))
        after++;
    const sotto_roc_point *a = &points[after - 1], *b = &points[after];
    const double step = b->false_positive_rate - a->false_positive_rate;
    const double part =
        step > 0.0 ? (false_positive_rate - a->false_positive_rate) / step : 1.0;
    return a->true_positive_rate +
           fmin(1.0, part) * (b->true_positive_rate - a->true_positive_rate);
}

/* Rates of the attack at PLACES false positive rates, evenly on a logarithmic axis from `least` to 1. */
void sot_audit_draw_roc(sot_growing *out, const sotto_roc *roc, const sotto_curve *claim,
                        const char *title, double least, int left)
{
    double x[PLACES], seen[PLACES], promised[PLACES];
    for (int i = 0; i < PLACES; i++) {
        x[i] = exp(log(least) * (1.0 - (double)i / (PLACES - 1)));
        seen[i] = found_at(roc, x[i]);
        promised[i] = claim == NULL ? x[i] : sotto_curve_attack(claim, x[i]);
    }
    const sot_svg_panel panel = {.title = title,
                                 .x = {"false positive rate", least, 1.0, true, false},
                                 .y = {"true positive rate", least, 1.0, true, false},
                                 .left = left,
                                 .top = TOP,
                                 .width = ACROSS,
                                 .height = DOWN};
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, SOT_SVG_GUIDE, x, x, PLACES);
    if (claim != NULL) sot_svg_line(out, &panel, SOT_SVG_SECOND, x, promised, PLACES);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, x, seen, PLACES);
    const double corner = pow(least, 0.6);
    if (claim != NULL)
        sot_svg_note(out, &panel, SOT_SVG_SECOND, corner, pow(least, 0.86), "start",
                     "upper limit of the claim");
    sot_svg_note(out, &panel, SOT_SVG_FIRST, corner, pow(least, 0.92), "start",
                 "attack, observed");
}

static void draw_trade_off(sot_growing *out, const sotto_audit *audit,
                           const sotto_roc *roc, int left)
{
    const sotto_audit_verdict *verdict = &audit->found.verdict;
    double x[PLACES], seen[PLACES], promised[PLACES];
    for (int i = 0; i < PLACES; i++) {
        x[i] = (double)i / (PLACES - 1);
        seen[i] = 1.0 - found_at(roc, x[i]);
        promised[i] = sotto_curve_trade_off(audit->curve, x[i]);
    }
    const sot_svg_panel panel = {.title = "Trade-off",
                                 .x = {"false positive rate", 0.0, 1.0, false, false},
                                 .y = {"false negative rate", 0.0, 1.0, false, false},
                                 .left = left,
                                 .top = TOP,
                                 .width = ACROSS,
                                 .height = DOWN};
    const double guide_x[2] = {0.0, 1.0}, guide_y[2] = {1.0, 0.0};
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, SOT_SVG_GUIDE, guide_x, guide_y, 2);
    sot_svg_line(out, &panel, SOT_SVG_SECOND, x, promised, PLACES);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, x, seen, PLACES);
    sot_svg_points(out, &panel, SOT_SVG_THIRD, &verdict->false_positive_rate_upper,
                   &verdict->false_negative_rate_upper, 1);
    sot_svg_note(out, &panel, SOT_SVG_SECOND, 0.42, 0.94, "start",
                 "lower limit of the claim");
    sot_svg_note(out, &panel, SOT_SVG_FIRST, 0.42, 0.88, "start", "attack, observed");
    sot_svg_note(out, &panel, SOT_SVG_THIRD, 0.42, 0.82, "start",
                 "confidence region: below the");
    sot_svg_note(out, &panel, SOT_SVG_THIRD, 0.42, 0.77, "start",
                 "claim's curve it refutes it");
}

sotto_status sotto_audit_to_svg(const sotto_audit *audit, char **out_svg,
                                sotto_error *error)
{
    const size_t runs = (size_t)audit->found.runs;
    sotto_roc *roc = NULL;
    sot_growing out = {.failed = false};
    const sotto_status status =
        sotto_roc_new(audit->scores + runs, runs, audit->scores, runs, &roc, error);
    if (status != SOTTO_OK) return status;
    sot_svg_begin(&out, 2 * PANEL, HEIGHT, "An attack beside the claim",
                  "Left: true positive rate of the attack against its false positive "
                  "rate, beside the claim's upper limit. Right: false negative rates, "
                  "beside the claim's trade-off curve.");
    sot_audit_draw_roc(&out, roc, audit->curve, "Receiver operating characteristic",
                       fmax(1e-4, accused_least / (double)runs), LEFT);
    draw_trade_off(&out, audit, roc, LEFT + PANEL);
    sot_svg_end(&out);
    sotto_roc_free(roc);
    return sot_growing_finish(&out, out_svg, error);
}
