/* The calibration of predictions. */
#include <math.h>
#include <stdio.h>

#include "base/svg.h"
#include "numeric/shown.h"
#include "report/html.h"
#include "report/report.h"

enum { WIDTH = 440, HEIGHT = 300, DIGITS = 3, WORDS_BYTES = 512 };

/* The compared quantity, by the kind of prediction. */
typedef struct comparison {
    const char *said, *found; /* axes */
    double scale;             /* 100 for shares */
    bool diagonal;            /* said and found are the same quantity */
} comparison;

static comparison comparison_of(const sotto_model *model)
{
    if (model->prediction == SOTTO_PREDICTS_NUMBER)
        return (comparison){"predicted", "true, on average", 1.0, true};
    if (model->prediction == SOTTO_PREDICTS_SCORE)
        return (comparison){"score", "truly so, %", 1.0, false};
    if (sotto_model_classes(model) > 2)
        return (comparison){"predicted probability, %", "right, %", 100.0, true};
    return (comparison){"predicted probability, %", "truly so, %", 100.0, true};
}

#define OPEN  "\xe2\x80\x9c" /* quotation marks */
#define CLOSE "\xe2\x80\x9d"

static void add_meaning(sot_growing *out, const sotto_model *model)
{
    const size_t classes = sotto_model_classes(model);
    const char *second = classes == 2 ? sotto_model_class(model, 1) : "";
    if (classes == 0) {
        sot_html_say(out, "Do predictions match the truth? The public rows are put into "
                          "groups of similar prediction: the prediction, and the true "
                          "value on average. On the diagonal the two agree.");
    } else if (model->concept != NULL) {
        sot_html_say(
            out,
            "Do predictions match the truth? For public rows where the concept predicts "
            "yes (a score of 1), and those where it predicts no (-1), the share of " OPEN
            "%s" CLOSE ".",
            second);
    } else if (model->prediction == SOTTO_PREDICTS_SCORE) {
        sot_html_say(out,
                     "Do predictions match the truth? The public rows are put into "
                     "groups of similar score: the score for " OPEN "%s" CLOSE
                     ", and the share of " OPEN "%s" CLOSE ". A score is no probability; "
                     "the share should rise with it, and cross the middle near 0.",
                     second, second);
    } else if (classes > 2) {
        sot_html_say(
            out, "Do predictions match the truth? The public rows are put into groups of "
                 "similar prediction: the probability of the predicted class, and the "
                 "share of correct predictions. On the diagonal the two agree.");
    } else {
        sot_html_say(out,
                     "Do predictions match the truth? The public rows are put into "
                     "groups of similar prediction: the predicted probability of " OPEN
                     "%s" CLOSE ", and the true share of " OPEN "%s" CLOSE
                     ". On the diagonal the two agree.",
                     second, second);
    }
}

typedef struct dots {
    double said[SOT_REPORT_BINS_MAX], found[SOT_REPORT_BINS_MAX];
    double lower[SOT_REPORT_BINS_MAX], upper[SOT_REPORT_BINS_MAX];
    double least, most, left, right; /* of y, and of x */
} dots;

static dots dots_of(const sot_report_scores *scores, const comparison *kind,
                    bool is_share)
{
    dots made = {
        .least = HUGE_VAL, .most = -HUGE_VAL, .left = HUGE_VAL, .right = -HUGE_VAL};
    const double shares = is_share ? 100.0 : 1.0;
    for (size_t i = 0; i < scores->bin_count; i++) {
        const sot_report_bin *bin = &scores->bins[i];
        made.said[i] = kind->scale * bin->said;
        made.found[i] = shares * bin->found;
        made.lower[i] = shares * bin->lower;
        made.upper[i] = shares * bin->upper;
        made.left = fmin(made.left, made.said[i]);
        made.right = fmax(made.right, made.said[i]);
        made.least = fmin(made.least, made.lower[i]);
        made.most = fmax(made.most, made.upper[i]);
    }
    return made;
}

/* Shares have the whole axis; numbers as much as they need, both axes alike. */
static void choose_ranges(dots *made, const comparison *kind, bool is_share)
{
    if (is_share) {
        made->least = 0.0;
        made->most = 100.0;
        if (kind->diagonal) {
            made->left = 0.0;
            made->right = 100.0;
        }
    } else {
        made->left = made->least = fmin(made->left, made->least);
        made->right = made->most = fmax(made->right, made->most);
    }
    double *const ends[][2] = {{&made->left, &made->right}, {&made->least, &made->most}};
    for (size_t i = 0; i < 2; i++) {
        const double span = *ends[i][1] - *ends[i][0];
        if (is_share && (i == 1 || kind->diagonal)) continue;
        const double room = span > 0.0 ? 0.08 * span : fmax(1.0, 0.1 * fabs(*ends[i][0]));
        *ends[i][0] -= room;
        *ends[i][1] += room;
    }
}

static void draw_calibration(sot_growing *out, const sot_report_scores *scores,
                             const comparison *kind, bool is_share)
{
    dots made = dots_of(scores, kind, is_share);
    choose_ranges(&made, kind, is_share);
    const sot_svg_panel panel = {.title = "",
                                 .x = {kind->said, made.left, made.right, false, false},
                                 .y = {kind->found, made.least, made.most, false, false},
                                 .left = 62,
                                 .top = 14,
                                 .width = 366,
                                 .height = 236};
    sot_growing_text(out, "<figure>\n");
    sot_svg_begin_inline(out, WIDTH, HEIGHT, "calibration-plot",
                         "Calibration: predictions against true values",
                         "Dots with bars, one for each group of rows of similar "
                         "prediction, from the smallest to the largest. The table beside "
                         "it has the numbers.");
    sot_svg_panel_draw(out, &panel);
    if (kind->diagonal) {
        const double ends[] = {fmax(made.left, made.least), fmin(made.right, made.most)};
        sot_svg_line(out, &panel, SOT_SVG_GUIDE, ends, ends, 2);
    }
    sot_svg_whiskers(out, &panel, SOT_SVG_FIRST, made.said, made.lower, made.upper,
                     scores->bin_count);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, made.said, made.found, scores->bin_count);
    sot_svg_points(out, &panel, SOT_SVG_FIRST, made.said, made.found, scores->bin_count);
    sot_svg_end(out);
    sot_growing_text(out, "<figcaption>Dots: groups of rows; bars: 95% "
                          "intervals.</figcaption>\n</figure>\n");
}

static void add_bins(sot_growing *out, const sot_report_scores *scores,
                     const comparison *kind, bool is_share)
{
    const char *const header[] = {kind->scale == 1.0 ? "Said" : "Predicted, %",
                                  is_share ? "True, %" : "True", "95% interval", "Rows"};
    const dots made = dots_of(scores, kind, is_share);
    sot_html_table_open(out, "", "Calibration in groups", header, 4);
    for (size_t i = 0; i < scores->bin_count; i++) {
        char said[SOT_SHOWN_BYTES], found[SOT_SHOWN_BYTES], rows[SOT_SHOWN_BYTES];
        char lower[SOT_SHOWN_BYTES], upper[SOT_SHOWN_BYTES];
        char interval[2 * SOT_SHOWN_BYTES + 8];
        (void)snprintf(interval, sizeof interval, "%s to %s",
                       sot_shown_near(made.lower[i], DIGITS, lower),
                       sot_shown_near(made.upper[i], DIGITS, upper));
        const char *const cells[] = {sot_shown_near(made.said[i], DIGITS, said),
                                     sot_shown_near(made.found[i], DIGITS, found),
                                     interval,
                                     sot_shown_count(scores->bins[i].rows, rows)};
        sot_html_row(out, "", cells, 4);
    }
    sot_html_table_close(out);
}

void sot_report_add_calibration(sot_growing *out, const sot_report *report)
{
    sot_html_section_open(out, "calibration", "Calibration");
    if (report->scores == NULL) {
        sot_html_element(out, "<p class=\"none\">",
                         "Not computed: it needs public rows. Give them with --public.",
                         "</p>\n");
    } else {
        const comparison kind = comparison_of(report->model);
        const bool is_share = report->scores->evaluation.classes > 0;
        add_meaning(out, report->model);
        sot_growing_text(out, "<div class=\"pair\">\n");
        draw_calibration(out, report->scores, &kind, is_share);
        sot_growing_text(out, "<div>\n");
        add_bins(out, report->scores, &kind, is_share);
        sot_growing_text(out, "</div>\n</div>\n");
    }
    sot_html_section_close(out);
}
