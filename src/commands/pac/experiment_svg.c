/* The picture of an experiment: excess risk against rows, learner by learner. */
#include <math.h>
#include <stdio.h>

#include "base/svg.h"
#include "commands/pac/experiment.h"

enum { PANEL = 440, HEIGHT = 400, TOP = 44, LEFT = 70, ACROSS = 330, DOWN = 300 };

static const double excess_least = 1e-7;

static void draw_panel(sot_growing *out, const sotto_pac_experiment *of, int left)
{
    static const sot_svg_style styles[SOTTO_PAC_LEARNERS] = {
        SOT_SVG_THIRD, SOT_SVG_FIRST, SOT_SVG_SECOND, SOT_SVG_FOURTH};
    static const char *const names[SOTTO_PAC_LEARNERS] = {
        "fewest errors, no privacy", "exponential mechanism", "permute-and-flip",
        "Laplace on all counts"};
    const size_t count = of->config.rows_count;
    double x[SOTTO_STUDY_PLACES_MAX], y[SOTTO_STUDY_PLACES_MAX];
    char title[80];
    for (size_t i = 0; i < count; i++)
        x[i] = (double)of->points[i].rows;
    if (of->config.noise > 0.0) {
        (void)snprintf(title, sizeof title, "Agnostic: %g %% of labels turned",
                       100.0 * of->config.noise);
    } else {
        (void)snprintf(title, sizeof title, "Realizable");
    }
    const sot_svg_panel panel = {
        .title = title,
        .x = {"rows n", x[0], fmax(x[count - 1], 2.0 * x[0]), true, false},
        .y = {"mean excess risk", excess_least, 1.0, true, false},
        .left = left,
        .top = TOP,
        .width = ACROSS,
        .height = DOWN};
    sot_svg_panel_draw(out, &panel);
    for (size_t i = 0; i < count; i++)
        y[i] = of->points[i].excess[SOTTO_PAC_LEARNER_EXPONENTIAL].bound;
    sot_svg_line(out, &panel, SOT_SVG_GUIDE, x, y, count);
    for (int learner = SOTTO_PAC_LEARNERS - 1; learner >= 0; learner--) {
        for (size_t i = 0; i < count; i++)
            y[i] = of->points[i].excess[learner].mean;
        sot_svg_line(out, &panel, styles[learner], x, y, count);
        sot_svg_points(out, &panel, styles[learner], x, y, count);
        sot_svg_note(out, &panel, styles[learner], 1.08 * x[0],
                     excess_least * pow(10.0, 0.15 + 0.33 * learner), "start",
                     names[learner]);
    }
    sot_svg_note(out, &panel, SOT_SVG_GUIDE, 1.08 * x[0], excess_least * pow(10.0, 1.47),
                 "start", "dashed: proven alpha, exponential");
}

sotto_status sotto_pac_experiment_to_svg(const sotto_pac_experiment *first,
                                         const sotto_pac_experiment *second,
                                         char **out_svg, sotto_error *error)
{
    sot_growing out = {.failed = false};
    sot_svg_begin(&out, second != NULL ? 2 * PANEL : PANEL, HEIGHT,
                  "Excess risk of private learners",
                  "Mean risk above the best threshold's, against the number of rows. "
                  "Curves: the exponential mechanism, permute-and-flip, Laplace noise on "
                  "all counts, and the fewest errors without privacy.");
    draw_panel(&out, first, LEFT);
    if (second != NULL) draw_panel(&out, second, LEFT + PANEL);
    sot_svg_end(&out);
    return sot_growing_finish(&out, out_svg, error);
}
