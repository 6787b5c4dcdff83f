/* The picture of a curve: profile, trade-off curve, attack at small false positive rates. */
#include <math.h>
#include <stdio.h>

#include <sotto/curve.h>

#include "base/memory.h"
#include "base/svg.h"

enum { WIDTH = 1020, HEIGHT = 340, TOP = 44, SIDE = 250, LINE_POINTS = 161 };

static const double rate_least = 1e-6; /* of the right panel */

/* The least delta worth a place on the axis: the smallest positive one, a whole decade. */
static double delta_floor(const sotto_account *points, size_t count)
{
    double least = 1.0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].delta > 0.0) least = fmin(least, points[i].delta);
    }
    return pow(10.0, fmax(-300.0, fmin(-1.0, floor(log10(least) + 1e-9))));
}

static void draw_profile(sot_growing *out, const sotto_curve *curve, double *x, double *y)
{
    const sotto_account *points = sotto_curve_points(curve);
    const size_t count = sotto_curve_size(curve);
    const double widest = points[count - 1].epsilon;
    const sot_svg_panel panel = {
        .title = "Privacy profile",
        .x = {"epsilon", 0.0, widest > 0.0 ? widest : 1.0, false, false},
        .y = {"delta", delta_floor(points, count), 1.0, true, false},
        .left = 66,
        .top = TOP,
        .width = SIDE,
        .height = SIDE};
    for (size_t i = 0; i < count; i++) {
        x[i] = points[i].epsilon;
        y[i] = points[i].delta;
    }
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, x, y, count);
}

/* Draws the lower bounds on a test's false negative rate: 1 - TPR at FPR from 0 to 1. */
static void draw_trade_off(sot_growing *out, const sotto_curve *curve, double *x,
                           double *y)
{
    static const double ends[] = {0.0, 1.0}, guessing[] = {1.0, 0.0};
    const sot_svg_panel panel = {
        .title = "Trade-off curve",
        .x = {"false positive rate", 0.0, 1.0, false, false},
        .y = {"false negative rate, at least", 0.0, 1.0, false, false},
        .left = 396,
        .top = TOP,
        .width = SIDE,
        .height = SIDE};
    for (size_t i = 0; i < LINE_POINTS; i++) {
        const double share = (double)i / (LINE_POINTS - 1);
        x[i] = share * share; /* closer together where the curve is steep */
        y[i] = sotto_curve_trade_off(curve, x[i]);
    }
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, SOT_SVG_GUIDE, ends, guessing, 2);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, x, y, LINE_POINTS);
    sot_svg_note(out, &panel, SOT_SVG_GUIDE, 0.97, 0.9, "end", "dashed: guessing");
}

static void draw_attack(sot_growing *out, const sotto_curve *curve, double *x, double *y)
{
    const sot_svg_panel panel = {
        .title = "Best attack",
        .x = {"false positive rate", rate_least, 1.0, true, false},
        .y = {"true positive rate, at most", rate_least, 1.0, true, false},
        .left = 736,
        .top = TOP,
        .width = SIDE,
        .height = SIDE};
    for (size_t i = 0; i < LINE_POINTS; i++) {
        x[i] = pow(rate_least, 1.0 - (double)i / (LINE_POINTS - 1));
        y[i] = sotto_curve_attack(curve, x[i]);
    }
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, SOT_SVG_GUIDE, x, x, LINE_POINTS);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, x, y, LINE_POINTS);
    sot_svg_note(out, &panel, SOT_SVG_GUIDE, 0.5, 3.0 * rate_least, "end",
                 "dashed: guessing");
}

sotto_status sotto_curve_to_svg(const sotto_curve *curve, char **out_svg,
                                sotto_error *error)
{
    const size_t size = sotto_curve_size(curve);
    const size_t room = size > LINE_POINTS ? size : LINE_POINTS;
    double *x = sot_new_array(room, sizeof *x);
    double *y = sot_new_array(room, sizeof *y);
    sot_growing out = {.failed = x == NULL || y == NULL};
    if (!out.failed) {
        sot_svg_begin(
            &out, WIDTH, HEIGHT, "Privacy profile, trade-off curve and attack",
            "Left: delta against epsilon. Middle: the false negative rate of any "
            "test for one record, at least. Right: its true positive rate, at "
            "most, against its false positive rate.");
        draw_profile(&out, curve, x, y);
        draw_trade_off(&out, curve, x, y);
        draw_attack(&out, curve, x, y);
        sot_svg_end(&out);
    }
    sot_free(x);
    sot_free(y);
    return sot_growing_finish(&out, out_svg, error);
}
