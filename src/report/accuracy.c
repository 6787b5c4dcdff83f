/* The scores of the model on public rows, and the cost of privacy. Scores are rounded to the worse
 * side. */
#include <math.h>
#include <stdio.h>

#include "base/svg.h"
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum { WIDTH = 440, HEIGHT = 300, DIGITS = 4, WORDS_BYTES = 512 };

/* ---- scores ---- */

static void add_number(sot_growing *out, const char *label, double value,
                       const char *note)
{
    char number[SOT_SHOWN_BYTES];
    if (isnan(value)) return;
    sot_html_figure(out, label, sot_shown_near(value, DIGITS, number), note);
}

static void add_scores(sot_growing *out, const sotto_evaluation *evaluation)
{
    char number[SOT_SHOWN_BYTES];
    sot_html_figures_open(out);
    sot_html_figure(out, "Public rows", sot_shown_count(evaluation->rows, number), "");
    if (evaluation->classes > 0) {
        sot_html_figure(out, "Accuracy",
                        sot_shown_percent_down(evaluation->accuracy, DIGITS, number),
                        "share of rows whose class is right");
        add_number(out, "Area under the curve", evaluation->auc,
                   "1: perfect order, 0.5: none");
        add_number(out, "Log loss", evaluation->log_loss, "0: certain, and right");
        add_number(out, "Brier score", evaluation->brier, "0: certain, and right");
    } else {
        sot_html_figure(out, "Typical error (RMSE)",
                        sot_shown_up(sqrt(evaluation->mse), DIGITS, number),
                        "in the units of the target");
        sot_html_figure(out, "Mean absolute error",
                        sot_shown_up(evaluation->mae, DIGITS, number),
                        "in the units of the target");
        add_number(out, "Explained (R squared)", evaluation->r2,
                   "1: all of it, 0: no better than the mean");
        add_number(out, "Poisson deviance", evaluation->deviance,
                   "0: every count is right");
    }
    sot_html_figures_close(out);
}

/* ---- the curve ---- */

typedef struct lines {
    double epsilon[SOT_REPORT_POINTS_MAX], mean[SOT_REPORT_POINTS_MAX];
    double lower[SOT_REPORT_POINTS_MAX], upper[SOT_REPORT_POINTS_MAX];
    double least, most; /* of everything that is drawn */
    double scale;       /* 100 for shares */
} lines;

/* AUC and errors have no percent. */
static bool has_percent(const sot_report_curve *curve)
{
    return !curve->is_error && !curve->is_auc;
}

static const char *name_of(const sot_report_curve *curve)
{
    return curve->is_auc ? "AUC" : curve->is_error ? "Error" : "Accuracy";
}

/* Rounds to the worse side. */
static const char *shown_score(const sot_report_curve *curve, double score,
                               char out[SOT_SHOWN_BYTES])
{
    return has_percent(curve) ? sot_shown_percent_down(score, DIGITS, out)
           : curve->is_error  ? sot_shown_up(score, DIGITS, out)
                              : sot_shown_down(score, DIGITS, out);
}

static lines lines_of(const sot_report_curve *curve)
{
    lines found = {.least = HUGE_VAL, .most = -HUGE_VAL};
    found.scale = has_percent(curve) ? 100.0 : 1.0;
    const double marks[] = {curve->without_noise, curve->trivial};
    for (size_t i = 0; i < 2; i++) {
        if (isnan(marks[i])) continue;
        found.least = fmin(found.least, found.scale * marks[i]);
        found.most = fmax(found.most, found.scale * marks[i]);
    }
    for (size_t i = 0; i < curve->count; i++) {
        const sot_report_point *point = &curve->points[i];
        found.epsilon[i] = point->epsilon;
        found.mean[i] = found.scale * point->mean;
        found.lower[i] = found.scale * (point->mean - point->deviation);
        found.upper[i] = found.scale * (point->mean + point->deviation);
        found.least = fmin(found.least, found.lower[i]);
        found.most = fmax(found.most, found.upper[i]);
    }
    const double room = fmax(0.12 * (found.most - found.least), 1e-9 * fabs(found.most));
    found.least = fmax(0.0, found.least - room);
    found.most += room;
    if (!curve->is_error) found.most = fmin(found.scale, found.most);
    if (!(found.least < found.most)) found.most = found.least + 1.0;
    return found;
}

static void draw_mark(sot_growing *out, const sot_svg_panel *panel, double value)
{
    const double x[] = {panel->x.least, panel->x.most}, y[] = {value, value};
    if (!isnan(value)) sot_svg_line(out, panel, SOT_SVG_GUIDE, x, y, 2);
}

/* Away from the curve: marks above it have their words on the left, marks below it on the right. */
static void name_mark(sot_growing *out, const sot_svg_panel *panel, double value,
                      bool is_upper, bool is_left, const char *text)
{
    if (isnan(value)) return;
    const double height = panel->y.most - panel->y.least;
    sot_svg_note(
        out, panel, SOT_SVG_GUIDE, is_left ? panel->x.least * 1.05 : panel->x.most / 1.05,
        value + (is_upper ? 0.02 : -0.06) * height, is_left ? "start" : "end", text);
}

static void draw_curve(sot_growing *out, const sot_report_curve *curve)
{
    const lines found = lines_of(curve);
    const bool upwards = !curve->is_error;
    char words[WORDS_BYTES], title[WORDS_BYTES], first[SOT_SHOWN_BYTES],
        last[SOT_SHOWN_BYTES];
    const sot_svg_panel panel = {.title = "",
                                 .x = {"epsilon", curve->points[0].epsilon * 0.8,
                                       curve->points[curve->count - 1].epsilon * 1.25,
                                       true, false},
                                 .y = {curve->is_auc ? "AUC"
                                       : upwards     ? "accuracy, %"
                                                     : "error (RMSE)",
                                       found.least, found.most, false, false},
                                 .left = 62,
                                 .top = 14,
                                 .width = 366,
                                 .height = 236};
    (void)snprintf(words, sizeof words,
                   "%s against epsilon on a logarithmic scale, from %s at the smallest "
                   "epsilon to %s at the largest. The table beside it has the numbers.",
                   name_of(curve), sot_shown_near(found.mean[0], 3, first),
                   sot_shown_near(found.mean[curve->count - 1], 3, last));
    sot_growing_text(out, "<figure>\n");
    (void)snprintf(title, sizeof title, "%s against epsilon", name_of(curve));
    sot_svg_begin_inline(out, WIDTH, HEIGHT, "curve-plot", title, words);
    sot_svg_panel_draw(out, &panel);
    draw_mark(out, &panel, found.scale * curve->without_noise);
    draw_mark(out, &panel, found.scale * curve->trivial);
    sot_svg_whiskers(out, &panel, SOT_SVG_FIRST, found.epsilon, found.lower, found.upper,
                     curve->count);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, found.epsilon, found.mean, curve->count);
    name_mark(out, &panel, found.scale * curve->without_noise, upwards, true,
              "without noise");
    name_mark(out, &panel, found.scale * curve->trivial, !upwards, false,
              curve->is_auc ? "by chance"
              : upwards     ? "always the most common class"
                            : "always the mean");
    /* Last, so that no word covers one. */
    for (size_t i = 0; i < curve->count; i++)
        sot_svg_points(out, &panel,
                       found.epsilon[i] == curve->own ? SOT_SVG_SECOND : SOT_SVG_FIRST,
                       &found.epsilon[i], &found.mean[i], 1);
    sot_svg_end(out);
    sot_growing_text(out,
                     "<figcaption>Dots: the mean of the trainings; bars: one standard "
                     "deviation. The dot of another colour is this model's "
                     "epsilon.</figcaption>\n</figure>\n");
}

/* Log losses stand beside an AUC. */
static void add_points(sot_growing *out, const sot_report_curve *curve)
{
    const size_t columns = curve->is_auc ? 4 : 3;
    const char *const header[] = {"Epsilon", name_of(curve), "Standard deviation",
                                  "Log loss"};
    sot_html_table_open(out, "", "Scores by epsilon", header, columns);
    for (size_t i = 0; i < curve->count; i++) {
        const sot_report_point *point = &curve->points[i];
        char epsilon[SOT_SHOWN_BYTES], mean[SOT_SHOWN_BYTES], deviation[SOT_SHOWN_BYTES];
        char log_loss[SOT_SHOWN_BYTES], label[SOT_SHOWN_BYTES + 16];
        const bool own = point->epsilon == curve->own;
        (void)snprintf(label, sizeof label, "%s%s",
                       sot_shown_near(point->epsilon, 3, epsilon),
                       own ? " (this model)" : "");
        const char *const cells[] = {
            label, shown_score(curve, point->mean, mean),
            has_percent(curve) ? sot_shown_percent_up(point->deviation, 2, deviation)
                               : sot_shown_up(point->deviation, 2, deviation),
            sot_shown_up(point->log_loss, DIGITS, log_loss)};
        sot_html_row(out, own ? "own" : "", cells, columns);
    }
    if (!isnan(curve->without_noise)) {
        char mean[SOT_SHOWN_BYTES];
        const char *const cells[] = {
            "without noise", shown_score(curve, curve->without_noise, mean), "", ""};
        sot_html_row(out, "", cells, columns);
    }
    sot_html_table_close(out);
}

static void add_curve(sot_growing *out, const sot_report_curve *curve)
{
    char repeats[SOT_SHOWN_BYTES], seen[SOT_SHOWN_BYTES], held[SOT_SHOWN_BYTES];
    char learned[SOT_SHOWN_BYTES];
    sot_growing_text(out, "<h3>Cost of privacy</h3>\n");
    if (curve->count == 0) {
        sot_html_element(out, "<p class=\"none\">No curve: ", curve->reason, "</p>\n");
        return;
    }
    (void)sot_shown_count(curve->repeats, repeats);
    (void)sot_shown_count(curve->seen, seen);
    (void)sot_shown_count(curve->held, held);
    if (curve->learned > curve->seen) {
        sot_html_say(out,
                     "The same kind of training, %s times at each epsilon, on %s public "
                     "rows and scored on %s others. They are repeated until there are "
                     "%s, the public estimate of the number of training rows.",
                     repeats, seen, held, sot_shown_count(curve->learned, learned));
    } else {
        sot_html_say(
            out,
            "The same kind of training, %s times at each epsilon, on %s of the public "
            "rows and scored on the %s others. The model itself was trained on other "
            "rows: with more of them, privacy costs less than here, with fewer more.",
            repeats, seen, held);
    }
    sot_growing_text(out, "<div class=\"pair\">\n");
    draw_curve(out, curve);
    sot_growing_text(out, "<div>\n");
    add_points(out, curve);
    sot_growing_text(out, "</div>\n</div>\n");
}

sotto_status sot_report_add_accuracy(sot_growing *out, const sot_report *report,
                                     sotto_error *error)
{
    sot_html_section_open(out, "accuracy", "Accuracy and its cost");
    if (report->scores == NULL) {
        sot_html_element(
            out, "<p class=\"none\">",
            "Not known: no public rows were given. A score of the secret rows would "
            "itself be a release, and cost budget. Public rows of the same schema, given "
            "with --public, show the accuracy and the cost of privacy.",
            "</p>\n");
    } else {
        sot_html_say(
            out, "Accuracy on rows that were declared public. They reveal nothing about "
                 "the secret ones, and represent them as well as they resemble them.");
        add_scores(out, &report->scores->evaluation);
        if (report->curve != NULL) add_curve(out, report->curve);
    }
    const sotto_status status = sot_report_add_learning(out, report, error);
    sot_html_section_close(out);
    return status;
}
