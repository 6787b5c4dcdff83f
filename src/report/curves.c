/* The section of an additive model. Each column has a curve over its bins, or bars over its values, with a band of noise. Everything is the release itself, or follows from public settings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "artifact/model_file/additive.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/svg.h"
#include "data/encode/blocks.h"
#include "numeric/shown.h"
#include "report/curves.h"
#include "report/html.h"
#include "report/report.h"

enum {
    WIDTH = 440,
    HEIGHT = 240,
    DIGITS = 3,
    COLUMNS_SHOWN = 30,
    VALUES_SHOWN = 20,
    POINTS_MAX = 2 * (SOT_BINS_MAX + SOT_BINS_HALVINGS),
    WORDS_BYTES = 768
};

#define NORMAL_975 1.959963984540054 /* its 97.5% point */

/* ---- the band ---- */

/* Returns half the width of a band that holds 95% of the noise in value `index` of the curves; 0: not known. A value is
 * v.theta for a public vector v. |v|^2 is the squared norm of the block. Independent noise of deviation sigma on each
 * coefficient has deviation |v| sigma there. If theta is (1/lambda)-Lipschitz, the value is (|v|/lambda)-Lipschitz. */
double sot_curve_reach(const sot_report *report, const sot_bin_block *block, size_t index)
{
    const sot_report_noise *noise = &report->noise;
    switch (noise->kind) {
    case SOT_NOISE_EXACT:
    case SOT_NOISE_BOUND:
        return NORMAL_975 * noise->deviation * sqrt(sot_bin_block_squares(block));
    case SOT_NOISE_MEASURED:
    case SOT_NOISE_DRAWS:
        return NORMAL_975 * noise->deviations[index];
    case SOT_NOISE_UNKNOWN:
    case SOT_NOISE_ABSENT:
    case SOT_NOISE_OF_VOTES:
        break;
    }
    return 0.0;
}

/* ---- one column ---- */

typedef struct shape {
    size_t block;
    double range; /* between the largest and the smallest value */
} shape;

double sot_curve_value(const sot_report *report, const sot_bin_block *block,
                       size_t margin, size_t bin, size_t *out_index)
{
    const size_t stride = sot_encoding_values(report->model->encoding) + 1;
    *out_index = margin * stride + block->value + bin;
    return sot_model_curve_value(report->model, *out_index);
}

static double range_of(const sot_report *report, const sot_bin_block *block)
{
    double range = 0.0;
    for (size_t margin = 0; margin < report->model->margins; margin++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t bin = 0; bin < block->bins; bin++) {
            size_t index;
            const double value = sot_curve_value(report, block, margin, bin, &index);
            least = fmin(least, value);
            most = fmax(most, value);
        }
        range = fmax(range, most - least);
    }
    return range;
}

static int wider_first(const void *a, const void *b)
{
    const shape *x = a, *y = b;
    if (x->range != y->range) return x->range > y->range ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

/* Two points a bin, its ends: a curve of steps. */
typedef struct points {
    double x[POINTS_MAX], y[POINTS_MAX], lower[POINTS_MAX], upper[POINTS_MAX];
    double least, most, reach;
    size_t count;
} points;

static void add_point(points *out, double x, double y, double reach)
{
    const size_t at = out->count++;
    out->x[at] = x;
    out->y[at] = y;
    out->lower[at] = y - reach;
    out->upper[at] = y + reach;
    out->least = fmin(out->least, y);
    out->most = fmax(out->most, y);
    out->reach = fmax(out->reach, reach);
}

static double half_of(const sot_axis *axis)
{
    return axis->facts->type == SOTTO_COLUMN_INTEGER ? 0.5 : 0.0;
}

/* Where a bin begins in the plot: an integer is as wide as 1, so that the last one is seen. */
static double begin_of(const sot_axis *axis, size_t bin)
{
    if (bin == 0) return axis->facts->lower - half_of(axis);
    const double edge = axis->edges[bin - 1];
    return half_of(axis) > 0.0 ? ceil(edge) - 0.5 : edge;
}

static void list_points(const sot_report *report, const sot_bin_block *block,
                        size_t margin, points *out)
{
    const sot_axis *axis = &block->axis;
    out->count = 0;
    for (size_t bin = 0; bin < block->bins; bin++) {
        size_t index;
        const double value = sot_curve_value(report, block, margin, bin, &index);
        const double reach = sot_curve_reach(report, block, index);
        const bool last = bin + 1 == block->bins;
        add_point(out, begin_of(axis, bin), value, reach);
        add_point(out,
                  last ? axis->facts->upper + half_of(axis) : begin_of(axis, bin + 1),
                  value, reach);
    }
}

static const char *name_of(const sot_report *report, const sot_bin_block *block,
                           char out[WORDS_BYTES])
{
    char name[SOT_BIN_NAME_BYTES];
    sot_axis_name(report->model->encoding, &block->axis, name);
    (void)snprintf(out, WORDS_BYTES, "%s%s",
                   sotto_schema_is_matrix(report->model->schema) ? "feature " : "", name);
    return out;
}

/* A band wider than the curve would hide the curve: the axis then clips the band. */
static sot_svg_axis axis_of(const points *all)
{
    const double height = fmax(all->most - all->least, 1e-6);
    const double room = fmin(all->reach, height) + 0.05 * height;
    return (sot_svg_axis){"", fmin(0.0, all->least) - room, fmax(0.0, all->most) + room,
                          false, false};
}

static void draw_curve(sot_growing *out, const sot_report *report,
                       const sot_bin_block *block, size_t margin, points *all)
{
    char name[WORDS_BYTES], id[64], words[2 * WORDS_BYTES], low[SOT_SHOWN_BYTES],
        high[SOT_SHOWN_BYTES];
    const sotto_column *facts = block->axis.facts;
    const double half = half_of(&block->axis);
    *all = (points){.least = INFINITY, .most = -INFINITY};
    list_points(report, block, margin, all);
    const sot_svg_panel panel = {
        .title = "",
        .x = {"", facts->lower - half, facts->upper + half, false, false},
        .y = axis_of(all),
        .left = 56,
        .top = 14,
        .width = 372,
        .height = 190};
    (void)snprintf(words, sizeof words,
                   "Contribution of %s to the score in each of %zu bins: from %s to %s.",
                   name_of(report, block, name), block->bins,
                   sot_shown_near(all->least, DIGITS, low),
                   sot_shown_near(all->most, DIGITS, high));
    (void)snprintf(id, sizeof id, "curve-%zu-%zu", block->value, margin);
    sot_growing_text(out, "<figure>\n");
    sot_svg_begin_inline(out, WIDTH, HEIGHT, id, name, words);
    sot_svg_panel_draw(out, &panel);
    if (all->reach > 0.0)
        sot_svg_band(out, &panel, SOT_SVG_FIRST, all->x, all->lower, all->upper,
                     all->count);
    sot_svg_line(out, &panel, SOT_SVG_FIRST, all->x, all->y, all->count);
    sot_svg_end(out);
    sot_html_element(out, "<figcaption><strong>", name, "</strong>");
    if (report->model->margins > 1)
        sot_html_element(out, ", for ", sotto_model_class(report->model, margin), "");
    sot_growing_text(out, "</figcaption>\n</figure>\n");
}

/* ---- a column of categories ---- */

typedef struct bar {
    size_t bin;
    double value, reach;
} bar;

static int larger_first(const void *a, const void *b)
{
    const bar *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return x->bin < y->bin ? -1 : x->bin > y->bin;
}

static void add_bar(sot_growing *out, const sot_bin_block *block,
                    const sot_svg_axis *axis, const bar *own)
{
    char name[SOT_BIN_NAME_BYTES], number[SOT_SHOWN_BYTES], noise[SOT_SHOWN_BYTES];
    sot_axis_name_bin(&block->axis, own->bin, name);
    sot_html_element(out, "<tr><th scope=\"row\">", name, "</th>");
    sot_html_element(out, "<td>", sot_shown_near(own->value, DIGITS, number), "</td>");
    sot_html_element(out, own->reach > 0.0 ? "<td>&plusmn;&nbsp;" : "<td>",
                     own->reach > 0.0 ? sot_shown_up(own->reach, DIGITS - 1, noise)
                                      : "not known",
                     "</td>");
    sot_growing_text(out, "<td class=\"bar\">");
    sot_svg_row(out, axis, own->value, own->reach);
    sot_growing_text(out, "</td></tr>\n");
}

static sotto_status add_bars(sot_growing *out, const sot_report *report,
                             const sot_bin_block *block, size_t margin,
                             const sot_svg_axis *axis, sotto_error *error)
{
    static const char *const header[] = {"Value", "Adds", "Noise", "Bar"};
    char name[WORDS_BYTES], caption[2 * WORDS_BYTES];
    const size_t shown = block->bins < VALUES_SHOWN ? block->bins : VALUES_SHOWN;
    bar *bars = sot_new_array(block->bins, sizeof *bars);
    if (bars == NULL) return sot_fail_memory(error, block->bins, sizeof *bars);
    for (size_t bin = 0; bin < block->bins; bin++) {
        size_t index;
        bars[bin].bin = bin;
        bars[bin].value = sot_curve_value(report, block, margin, bin, &index);
        bars[bin].reach = sot_curve_reach(report, block, index);
    }
    qsort(bars, block->bins, sizeof *bars, larger_first);
    (void)snprintf(caption, sizeof caption, "%s%s%s", name_of(report, block, name),
                   report->model->margins > 1 ? ", for " : "",
                   report->model->margins > 1 ? sotto_model_class(report->model, margin)
                                              : "");
    sot_html_table_open(out, "weights", caption, header, 4);
    /* The largest and the smallest of many. */
    for (size_t i = 0; i < shown; i++)
        add_bar(out, block, axis, &bars[i < shown / 2 ? i : block->bins - shown + i]);
    sot_html_table_close(out);
    if (shown < block->bins)
        sot_html_say(out,
                     "%zu values between them are not shown; the model file has them.",
                     block->bins - shown);
    sot_free(bars);
    return SOTTO_OK;
}

/* ---- the section ---- */

static void explain(sot_growing *out, const sot_report *report)
{
    const sotto_model *model = report->model;
    if (model->margins > 1)
        sot_html_say(out,
                     "The score of a class is a constant plus one number for each "
                     "column and each named pair, by the bin of the cell. Columns with "
                     "the largest range come first.");
    else if (sotto_model_classes(model) == 2)
        sot_html_say(
            out,
            "The score is a constant plus one number for each column and each "
            "named pair, by the bin of the cell. It is the logarithm of the odds of "
            "\xe2\x80\x9c%s\xe2\x80\x9d. Columns with the largest range come "
            "first.",
            sotto_model_class(model, 1));
    else
        sot_html_say(out, "The prediction is a constant plus one number for each column "
                          "and each named pair, by the bin of the cell. The target is "
                          "scaled to [-1, 1]. "
                          "Columns with the largest range come first.");
    switch (report->noise.kind) {
    case SOT_NOISE_EXACT:
        sot_html_say(out, "The bands hold 95 of 100 samples of the noise that was added "
                          "for privacy, at each place.");
        break;
    case SOT_NOISE_BOUND:
        sot_html_say(out, "The bands bound the noise that was added for privacy. With "
                          "other noise, 95 of 100 trainings would stay within them at "
                          "each place, for any data. With many rows the noise is far "
                          "smaller. Public rows, given with --public, show it.");
        break;
    case SOT_NOISE_MEASURED:
        sot_html_say(out,
                     "The bands are 1.96 standard deviations of the same training on "
                     "the public rows, with other noise. With more rows they are "
                     "narrower.");
        break;
    case SOT_NOISE_DRAWS:
        sot_html_say(out, "The curves are means of the posterior samples, and the bands "
                          "1.96 standard deviations of a sample.");
        break;
    case SOT_NOISE_ABSENT:
        sot_html_say(out, "There are no bands: no noise was added.");
        break;
    case SOT_NOISE_UNKNOWN:
    case SOT_NOISE_OF_VOTES:
        sot_html_say(out, "There are no bands: the noise does not follow from the file "
                          "for this method.");
        break;
    }
}

static bool is_line(const sot_bin_block *block)
{
    return block->axis.edges != NULL && !sot_bin_block_is_interaction(block);
}

static bool is_bars(const sot_bin_block *block)
{
    return block->axis.edges == NULL && !sot_bin_block_is_interaction(block);
}

/* One scale for the bars of all columns: a bar that is only noise stays small beside the others. */
static sot_svg_axis axis_of_bars(const sot_report *report, const shape *shapes,
                                 size_t count)
{
    double end = 0.0;
    for (size_t i = 0; i < count; i++) {
        const sot_bin_block *block =
            sot_encoding_block(report->model->encoding, shapes[i].block);
        for (size_t m = 0; m < report->model->margins && is_bars(block); m++) {
            for (size_t bin = 0; bin < block->bins; bin++) {
                size_t index;
                const double value = sot_curve_value(report, block, m, bin, &index);
                end = fmax(end, fabs(value) + sot_curve_reach(report, block, index));
            }
        }
    }
    if (!(end > 0.0)) end = 1.0;
    return (sot_svg_axis){"", -end, end, false, false};
}

static size_t list_maps(const sot_report *report, const shape *shapes, size_t count,
                        size_t *out_blocks)
{
    size_t maps = 0;
    for (size_t i = 0; i < count; i++)
        if (sot_bin_block_is_interaction(
                sot_encoding_block(report->model->encoding, shapes[i].block)))
            out_blocks[maps++] = shapes[i].block;
    return maps;
}

static sotto_status add_maps(sot_growing *out, const sot_report *report,
                             const shape *shapes, size_t count, sotto_error *error)
{
    size_t *blocks = sot_new_array(count, sizeof *blocks);
    if (blocks == NULL) return sot_fail_memory(error, count, sizeof *blocks);
    sot_report_add_maps(out, report, blocks, list_maps(report, shapes, count, blocks));
    sot_free(blocks);
    return SOTTO_OK;
}

/* Curves side by side, heat maps, then tables. */
static sotto_status add_shapes(sot_growing *out, const sot_report *report,
                               const shape *shapes, size_t count, points *room,
                               sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    sot_growing_text(out, "<div class=\"pair even\">\n");
    for (size_t i = 0; i < count; i++) {
        const sot_bin_block *block =
            sot_encoding_block(report->model->encoding, shapes[i].block);
        for (size_t m = 0; m < report->model->margins && is_line(block); m++)
            draw_curve(out, report, block, m, room);
    }
    sot_growing_text(out, "</div>\n");
    status = add_maps(out, report, shapes, count, error);
    const sot_svg_axis axis = axis_of_bars(report, shapes, count);
    for (size_t i = 0; i < count; i++) {
        const sot_bin_block *block =
            sot_encoding_block(report->model->encoding, shapes[i].block);
        for (size_t m = 0;
             m < report->model->margins && is_bars(block) && status == SOTTO_OK; m++)
            status = add_bars(out, report, block, m, &axis, error);
    }
    return status;
}

sotto_status sot_report_add_curves(sot_growing *out, const sot_report *report,
                                   sotto_error *error)
{
    const sot_encoding *encoding = report->model->encoding;
    const size_t count = sot_encoding_blocks(encoding);
    const size_t most = COLUMNS_SHOWN / report->model->margins;
    const size_t shown = count < most ? count : most == 0 ? 1 : most;
    shape *shapes = sot_new_array(count, sizeof *shapes);
    points *room = sot_new_array(1, sizeof *room);
    sotto_status status = SOTTO_OK;
    if (shapes == NULL || room == NULL)
        status = sot_fail_memory(error, count, sizeof *shapes);
    for (size_t i = 0; status == SOTTO_OK && i < count; i++)
        shapes[i] = (shape){i, range_of(report, sot_encoding_block(encoding, i))};
    if (status == SOTTO_OK) {
        qsort(shapes, count, sizeof *shapes, wider_first);
        sot_html_section_open(out, "coefficients", "Curves");
        explain(out, report);
        status = add_shapes(out, report, shapes, shown, room, error);
        if (shown < count)
            sot_html_say(out, "%zu others are not shown; the model file has them.",
                         count - shown);
        sot_html_section_close(out);
    }
    sot_free(shapes);
    sot_free(room);
    return status;
}
