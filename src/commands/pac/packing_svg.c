/* The picture of a study of the packing: success against rows, rows against the class, and the contrast. */
#include <math.h>
#include <stdio.h>

#include "base/svg.h"
#include "commands/pac/packing_study.h"

enum { WIDTH = 1080, HEIGHT = 350, TOP = 44, SIDE = 258, LINE_POINTS = 129 };

/* The same colours in all panels. */
static const sot_svg_style exponential_style = SOT_SVG_FIRST, flip_style = SOT_SVG_SECOND,
                           every_style = SOT_SVG_THIRD, other_style = SOT_SVG_FOURTH;

typedef double (*success_member)(const sotto_packing_success *success);

static double of_exponential(const sotto_packing_success *success)
{
    return success->exponential;
}

static double of_flip(const sotto_packing_success *success)
{
    return success->permute_and_flip;
}

static double of_every(const sotto_packing_success *success)
{
    return success->ceiling;
}

/* ---- success against rows ---- */

/* A smooth curve: even numbers of rows, from 2 to the most. */
static void draw_success_line(sot_growing *out, const sot_svg_panel *panel,
                              const sotto_packing_study *study, uint64_t class_size,
                              success_member member, sot_svg_style style)
{
    double x[LINE_POINTS], y[LINE_POINTS];
    for (int i = 0; i < LINE_POINTS; i++) {
        const double rows = 2.0 + (panel->x.most - 2.0) * i / (LINE_POINTS - 1);
        const sotto_packing_setting setting = {.adjacency = study->config.adjacency,
                                               .epsilon = study->config.epsilon,
                                               .class_size = class_size,
                                               .rows = 2 * (uint64_t)(rows / 2.0)};
        sotto_packing_success success;
        x[i] = (double)setting.rows;
        y[i] = sotto_packing_success_of(&setting, &success, NULL) == SOTTO_OK
                   ? member(&success)
                   : SOTTO_UNSET;
    }
    sot_svg_line(out, panel, style, x, y, LINE_POINTS);
}

static void draw_seen(sot_growing *out, const sot_svg_panel *panel,
                      const sotto_packing_study *study, size_t class_index)
{
    const size_t count = study->config.rows_count;
    const sotto_packing_point *points = study->points + class_index * count;
    double x[SOTTO_STUDY_PLACES_MAX], exponential[SOTTO_STUDY_PLACES_MAX],
        flip[SOTTO_STUDY_PLACES_MAX];
    for (size_t i = 0; i < count; i++) {
        x[i] = (double)points[i].rows;
        exponential[i] = points[i].exponential_seen;
        flip[i] = points[i].permute_and_flip_seen;
    }
    sot_svg_points(out, panel, exponential_style, x, exponential, count);
    sot_svg_points(out, panel, flip_style, x, flip, count);
}

static void class_name(uint64_t class_size, char *out, size_t size_bytes)
{
    int bits = 0;
    while (class_size >> bits > 1)
        bits++;
    if (class_size == UINT64_C(1) << bits && bits > 6) {
        (void)snprintf(out, size_bytes, "K = 2^%d", bits);
    } else {
        (void)snprintf(out, size_bytes, "K = %.4g", (double)class_size);
    }
}

/* The most classes that curves do not hide: the first, and the last that the exponential mechanism learns. */
static size_t last_learned(const sotto_packing_study *study)
{
    const uint64_t most = study->rows[study->config.rows_count - 1];
    size_t last = 0;
    for (size_t i = 1; i < study->config.class_count; i++)
        if (study->needed[i].exponential <= most) last = i;
    return last;
}

/* Where a curve is this high, a little to its right. */
static void draw_class_names(sot_growing *out, const sot_svg_panel *panel,
                             const sotto_packing_study *study, uint64_t class_size,
                             bool with_every)
{
    const sotto_packing_setting setting = {.adjacency = study->config.adjacency,
                                           .epsilon = study->config.epsilon,
                                           .class_size = class_size};
    const double gap = panel->x.most / 60.0;
    sotto_packing_rows high, middle;
    char name[32];
    class_name(class_size, name, sizeof name);
    if (sotto_packing_rows_for(&setting, 0.75, &high, NULL) == SOTTO_OK)
        sot_svg_note(out, panel, exponential_style, (double)high.exponential + gap, 0.74,
                     "start", name);
    if (with_every && sotto_packing_rows_for(&setting, 0.6, &middle, NULL) == SOTTO_OK)
        sot_svg_note(out, panel, every_style, (double)middle.least + gap, 0.58, "start",
                     name);
}

static void draw_success(sot_growing *out, const sotto_packing_study *study)
{
    const size_t last = last_learned(study);
    const double most = (double)study->rows[study->config.rows_count - 1];
    const sot_svg_panel panel = {.title = "Success; dots: simulated",
                                 .x = {"rows n", 0.0, fmax(most, 4.0), false, true},
                                 .y = {"correct threshold named", 0.0, 1.0, false, false},
                                 .left = 66,
                                 .top = TOP,
                                 .width = SIDE,
                                 .height = SIDE};
    sot_svg_panel_draw(out, &panel);
    for (size_t index = 0; index <= last; index += last > 0 ? last : 1) {
        const uint64_t class_size = study->class_sizes[index];
        draw_success_line(out, &panel, study, class_size, of_every, every_style);
        draw_success_line(out, &panel, study, class_size, of_flip, flip_style);
        draw_success_line(out, &panel, study, class_size, of_exponential,
                          exponential_style);
        draw_seen(out, &panel, study, index);
        draw_class_names(out, &panel, study, class_size, index > 0);
    }
}

/* ---- rows against the class ---- */

static void draw_rows(sot_growing *out, const sotto_packing_study *study)
{
    const size_t count = study->config.class_count;
    double x[SOTTO_STUDY_PLACES_MAX], y[3][SOTTO_STUDY_PLACES_MAX];
    for (size_t i = 0; i < count; i++) {
        x[i] = (double)study->class_sizes[i];
        y[0][i] = (double)study->needed[i].exponential;
        y[1][i] = (double)study->needed[i].permute_and_flip;
        y[2][i] = (double)study->needed[i].least;
    }
    const sot_svg_panel panel = {
        .title = "Rows for a success of 0.9",
        .x = {"thresholds K", x[0], fmax(x[count - 1], 2.0 * x[0]), true, false},
        .y = {"rows n", 0.0, 1.1 * y[0][count - 1], false, true},
        .left = 66 + 356,
        .top = TOP,
        .width = SIDE,
        .height = SIDE};
    const double left = x[0] * 1.2, top = panel.y.most;
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, every_style, x, y[2], count);
    sot_svg_line(out, &panel, flip_style, x, y[1], count);
    sot_svg_line(out, &panel, exponential_style, x, y[0], count);
    sot_svg_note(out, &panel, exponential_style, left, 0.93 * top, "start",
                 "exponential mechanism");
    sot_svg_note(out, &panel, flip_style, left, 0.86 * top, "start", "permute-and-flip");
    sot_svg_note(out, &panel, every_style, left, 0.79 * top, "start", "no learner below");
}

/* ---- the contrast ---- */

static void draw_contrast(sot_growing *out, const sotto_packing_study *study)
{
    const size_t count = study->config.class_count;
    double x[SOTTO_STUDY_PLACES_MAX], packed[SOTTO_STUDY_PLACES_MAX],
        seen[SOTTO_STUDY_PLACES_MAX], least[SOTTO_STUDY_PLACES_MAX],
        dense[SOTTO_STUDY_PLACES_MAX], smooth[SOTTO_STUDY_PLACES_MAX],
        silent[SOTTO_STUDY_PLACES_MAX];
    char title[64];
    for (size_t i = 0; i < count; i++) {
        const sotto_packing_contrast *at = &study->contrast[i];
        x[i] = (double)at->class_size;
        packed[i] = at->packed_error_exact;
        seen[i] = at->packed_error;
        least[i] = at->packed_error_least;
        dense[i] = at->dense_error;
        smooth[i] = at->lipschitz_excess;
        silent[i] = at->lipschitz_silent;
    }
    (void)snprintf(title, sizeof title, "The same %llu rows: error",
                   (unsigned long long)study->config.contrast_rows);
    const sot_svg_panel panel = {
        .title = title,
        .x = {"thresholds K", x[0], fmax(x[count - 1], 2.0 * x[0]), true, false},
        .y = {"mean error, or excess loss", 0.0, 0.8, false, false},
        .left = 66 + 2 * 356,
        .top = TOP,
        .width = SIDE,
        .height = SIDE};
    const double left = x[0] * 1.2;
    sot_svg_panel_draw(out, &panel);
    sot_svg_line(out, &panel, SOT_SVG_GUIDE, x, silent, count);
    sot_svg_line(out, &panel, every_style, x, least, count);
    sot_svg_line(out, &panel, flip_style, x, dense, count);
    sot_svg_line(out, &panel, other_style, x, smooth, count);
    sot_svg_line(out, &panel, exponential_style, x, packed, count);
    sot_svg_points(out, &panel, exponential_style, x, seen, count);
    sot_svg_points(out, &panel, flip_style, x, dense, count);
    sot_svg_points(out, &panel, other_style, x, smooth, count);
    sot_svg_note(out, &panel, exponential_style, left, 0.745, "start",
                 "packing, exponential mechanism");
    sot_svg_note(out, &panel, every_style, left, 0.69, "start",
                 "packing, every learner: lower bound");
    sot_svg_note(out, &panel, flip_style, left, 0.635, "start",
                 "bounded density, same mechanism");
    sot_svg_note(out, &panel, other_style, left, 0.58, "start",
                 "logistic (dashed: without the record)");
}

sotto_status sotto_packing_study_to_svg(const sotto_packing_study *study, char **out_svg,
                                        sotto_error *error)
{
    sot_growing out = {.failed = false};
    const bool has_contrast = study->config.contrast_rows > 0;
    sot_svg_begin(
        &out, has_contrast ? WIDTH : WIDTH - 356, HEIGHT, "The packing of thresholds",
        "Left: probability of naming the correct one of K thresholds, against the number "
        "of rows. Curves are formulas for the exponential mechanism, permute-and-flip "
        "and the upper limit of every private learner; dots are simulations. Next: rows "
        "for a "
        "success of 0.9 against K. Right, if there: errors of the same rows with a "
        "bounded density, and with a Lipschitz loss.");
    draw_success(&out, study);
    draw_rows(&out, study);
    if (has_contrast) draw_contrast(&out, study);
    sot_svg_end(&out);
    return sot_growing_finish(&out, out_svg, error);
}
