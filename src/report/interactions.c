/* Heat maps of the interactions of an additive model: one tile for each pair of bins. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/svg.h"
#include "numeric/shown.h"
#include "report/curves.h"
#include "report/html.h"

enum {
    WIDTH = 900,
    LEFT = 150,
    TOP = 26,
    RIGHT = 14,
    ROW_MOST = 34,
    ROW_LEAST = 6,
    HEIGHT_MOST = 420,
    BELOW = 62,
    CHARACTER = 7,  /* width of a label's, about */
    ROW_LABEL = 14, /* height of a label */
    LABEL_CHARACTERS = 20,
    TILES_MAX = 40000, /* a larger map is left to the model file */
    WORDS_BYTES = 4 * SOT_BIN_NAME_BYTES,
    DIGITS = 3
};

/* One map; the column with more bins lies across. */
typedef struct picture {
    const sot_report *report;
    const sot_bin_block *block;
    const sot_axis *across, *down;
    size_t margin;
    bool swapped; /* `across` is the second axis of the block */
    double
        most; /* largest |value| of all maps: a map of noise stays pale beside the others */
    double reach; /* largest noise */
    sot_svg_map map;
} picture;

static size_t bin_of(const picture *self, size_t column, size_t row)
{
    return self->swapped ? row * self->block->second.bins + column
                         : column * self->block->second.bins + row;
}

static double value_at(const picture *self, size_t column, size_t row, double *out_reach)
{
    size_t index;
    const double value = sot_curve_value(self->report, self->block, self->margin,
                                         bin_of(self, column, row), &index);
    *out_reach = sot_curve_reach(self->report, self->block, index);
    return value;
}

static void find_range(picture *self)
{
    for (size_t row = 0; row < self->map.rows; row++) {
        for (size_t column = 0; column < self->map.columns; column++) {
            double reach;
            self->most = fmax(self->most, fabs(value_at(self, column, row, &reach)));
            self->reach = fmax(self->reach, reach);
        }
    }
}

static picture picture_of(const sot_report *report, const sot_bin_block *block,
                          size_t margin, double most)
{
    picture self = {.report = report,
                    .block = block,
                    .margin = margin,
                    .most = most,
                    .swapped = block->second.bins > block->axis.bins};
    self.across = self.swapped ? &block->second : &block->axis;
    self.down = self.swapped ? &block->axis : &block->second;
    const size_t rows = self.down->bins;
    const int height = HEIGHT_MOST / (int)(rows > HEIGHT_MOST ? HEIGHT_MOST : rows);
    const int row = height > ROW_MOST ? ROW_MOST : height < 1 ? 1 : height;
    const double total = fmin((double)rows * row, HEIGHT_MOST);
    self.map = (sot_svg_map){.columns = self.across->bins,
                             .rows = rows,
                             .left = LEFT,
                             .top = TOP,
                             .width = WIDTH - LEFT - RIGHT,
                             .height = (int)total};
    find_range(&self);
    return self;
}

/* ---- labels ---- */

/* Shortens a name to the room of a label. Ends before a character, never inside one. */
static void shorten(char *name)
{
    size_t characters = 0, at = 0;
    for (; name[at] != '\0'; at++) {
        const bool begins = ((unsigned char)name[at] & 0xc0) != 0x80;
        if (begins && characters++ == LABEL_CHARACTERS) break;
    }
    if (name[at] != '\0') memcpy(name + at, "...", sizeof "...");
}

static size_t longest_name(const sot_axis *axis)
{
    size_t longest = 1;
    for (size_t i = 0; i < axis->bins; i++) {
        char name[SOT_BIN_NAME_BYTES + 4];
        sot_axis_name_bin(axis, i, name);
        shorten(name);
        longest = strlen(name) > longest ? strlen(name) : longest;
    }
    return longest;
}

/* Names every bin if there is room, otherwise every second one, every third one, and so on. */
static void add_labels(sot_growing *out, const picture *self, bool is_column)
{
    const sot_axis *axis = is_column ? self->across : self->down;
    const double room = is_column ? (double)self->map.width / (double)self->map.columns
                                  : (double)self->map.height / (double)self->map.rows;
    const double wanted =
        is_column ? (double)(CHARACTER * (longest_name(axis) + 1)) : ROW_LABEL;
    const size_t stride = (size_t)ceil(wanted / room);
    for (size_t i = 0; i < axis->bins; i += stride < 1 ? 1 : stride) {
        char name[SOT_BIN_NAME_BYTES + 4];
        sot_axis_name_bin(axis, i, name);
        shorten(name);
        sot_svg_map_label(out, &self->map, is_column, i, name);
    }
}

/* ---- one map ---- */

static void add_tiles(sot_growing *out, const picture *self)
{
    for (size_t row = 0; row < self->map.rows; row++) {
        char below[SOT_BIN_NAME_BYTES];
        sot_axis_name_bin(self->down, row, below);
        for (size_t column = 0; column < self->map.columns; column++) {
            char words[WORDS_BYTES], beside[SOT_BIN_NAME_BYTES], number[SOT_SHOWN_BYTES];
            double reach;
            const double value = value_at(self, column, row, &reach);
            sot_axis_name_bin(self->across, column, beside);
            (void)snprintf(words, sizeof words, "%.255s %s, %.255s %s: %s",
                           self->across->facts->name, beside, self->down->facts->name,
                           below, sot_shown_near(value, DIGITS, number));
            sot_svg_map_tile(out, &self->map, column, row,
                             self->most > 0.0 ? value / self->most : 0.0, words);
        }
    }
}

static void add_caption(sot_growing *out, const picture *self)
{
    char words[2 * WORDS_BYTES], noise[SOT_SHOWN_BYTES];
    const sotto_model *model = self->report->model;
    (void)snprintf(words, sizeof words, "%s and %s", self->block->axis.facts->name,
                   self->block->second.facts->name);
    sot_html_element(out, "<figcaption><strong>", words, "</strong>");
    if (model->margins > 1)
        sot_html_element(out, ", for ", sotto_model_class(model, self->margin), "");
    (void)snprintf(words, sizeof words, "%s%s%s",
                   ": contribution of a pair of bins, besides those of the two columns",
                   self->reach > 0.0 ? "; noise of a pair \xc2\xb1 " : "",
                   self->reach > 0.0 ? sot_shown_up(self->reach, DIGITS - 1, noise) : "");
    sot_html_element(out, "", words, "</figcaption>\n</figure>\n");
}

static void draw_map(sot_growing *out, const picture *self)
{
    char id[64], title[WORDS_BYTES], words[2 * WORDS_BYTES], most[SOT_SHOWN_BYTES],
        least[SOT_SHOWN_BYTES];
    (void)snprintf(title, sizeof title, "%s and %s", self->block->axis.facts->name,
                   self->block->second.facts->name);
    (void)snprintf(
        words, sizeof words,
        "Contribution of %s to the score in each of %zu pairs of bins: at most "
        "%s from 0.",
        title, self->block->bins, sot_shown_near(self->most, DIGITS, most));
    (void)snprintf(id, sizeof id, "map-%zu-%zu", self->block->value, self->margin);
    sot_growing_text(out, "<figure>\n");
    sot_svg_begin_inline(out, WIDTH, TOP + self->map.height + BELOW, id, title, words);
    add_tiles(out, self);
    sot_svg_map_frame(out, &self->map, self->across->facts->name,
                      self->down->facts->name);
    add_labels(out, self, true);
    add_labels(out, self, false);
    sot_svg_map_scale(out, &self->map, sot_shown_near(-self->most, DIGITS, least),
                      sot_shown_near(self->most, DIGITS, most));
    sot_svg_end(out);
    add_caption(out, self);
}

static double most_of(const sot_report *report, const size_t *blocks, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        const sot_bin_block *block =
            sot_encoding_block(report->model->encoding, blocks[i]);
        for (size_t margin = 0; margin < report->model->margins; margin++)
            most = picture_of(report, block, margin, most).most;
    }
    return most;
}

void sot_report_add_maps(sot_growing *out, const sot_report *report, const size_t *blocks,
                         size_t count)
{
    const double most = most_of(report, blocks, count);
    size_t left_out = 0;
    for (size_t i = 0; i < count; i++) {
        const sot_bin_block *block =
            sot_encoding_block(report->model->encoding, blocks[i]);
        if (block->bins > TILES_MAX) {
            left_out++;
            continue;
        }
        for (size_t margin = 0; margin < report->model->margins; margin++) {
            const picture self = picture_of(report, block, margin, most);
            draw_map(out, &self);
        }
    }
    if (left_out > 0)
        sot_html_say(out,
                     "%zu interactions of more than %d pairs of bins are not shown; the "
                     "model file has them.",
                     left_out, (int)TILES_MAX);
}
