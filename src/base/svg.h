/* base/svg.h: plots as SVG, written into a growing text.
 *
 * Idea     A picture is some panels side by side. A panel has two axes, linear or logarithmic,
 *          and lines in the units of its axes. One self-contained file: no script, no font, no
 *          address. Colours follow the reader's light or dark preference.
 * Numbers  Coordinates are written in tenths of a unit by integer arithmetic: the same calls
 *          give the same bytes in every locale.
 */
#ifndef SOT_BASE_SVG_H
#define SOT_BASE_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/growing.h"

typedef struct sot_svg_axis {
    const char *label;
    double least, most; /* least < most; above 0 if logarithmic */
    bool is_log;
    bool is_whole; /* counts: no tick between two whole numbers */
} sot_svg_axis;

typedef struct sot_svg_panel {
    const char *title;
    sot_svg_axis x, y;
    int left, top, width, height; /* of the plotting area; labels need 60 to its left, 24
                                   * above and 44 below */
} sot_svg_panel;

/* The style of a line. */
typedef enum sot_svg_style {
    SOT_SVG_FIRST = 0,  /* the first colour, bold */
    SOT_SVG_SECOND = 1, /* the second colour, bold */
    SOT_SVG_THIRD = 2,
    SOT_SVG_FOURTH = 3,
    SOT_SVG_GUIDE = 4 /* thin and dashed, for comparison */
} sot_svg_style;

/* Texts are escaped; `title` and `description` are for screen readers. */
void sot_svg_begin(sot_growing *out, int width, int height, const char *title,
                   const char *description);
void sot_svg_end(sot_growing *out);

/* The same as a part of an HTML page, as wide as its place allows. It has no colours of its own: the
 * page defines --ink, --soft, --grid and --c0 to --c3 and includes sot_svg_rules() in its style.
 * `id` (letters, digits and -) is not used twice in the page. */
void sot_svg_begin_inline(sot_growing *out, int width, int height, const char *id,
                          const char *title, const char *description);
const char *sot_svg_rules(void);

/* Frame, grid, tick labels, axis labels and title. */
void sot_svg_panel_draw(sot_growing *out, const sot_svg_panel *panel);

/* Writes a line through the points, clamped to the panel; a value that is not finite (on a
 * logarithmic axis: or not positive) interrupts it. */
void sot_svg_line(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                  const double *x, const double *y, size_t count);

/* Words at a place of the panel, in the colour of the style; `anchor` is start, middle or end. */
void sot_svg_note(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                  double x, double y, const char *anchor, const char *text);

/* Writes a dot at each point; values without a place are left out. */
void sot_svg_points(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                    const double *x, const double *y, size_t count);

/* Upright bars with caps, from `lower` to `upper` at each x. */
void sot_svg_whiskers(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                      const double *x, const double *lower, const double *upper,
                      size_t count);

/* The area between the points, which all have a place, and the lower edge, tinted. */
void sot_svg_area(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                  const double *x, const double *y, size_t count);

/* The area between two lines over the same places, tinted. */
void sot_svg_band(sot_growing *out, const sot_svg_panel *panel, sot_svg_style style,
                  const double *x, const double *lower, const double *upper,
                  size_t count);

/* Writes one row of a bar chart in a table, for a cell of it. It is a bar from 0 to `value`, and
 * a whisker of `reach` to both sides of its end (0 or NaN: none). A screen reader skips it: other
 * cells have the numbers. `axis` is linear and contains 0. */
void sot_svg_row(sot_growing *out, const sot_svg_axis *axis, double value, double reach);

/* The place of a heat map, a grid of tiles. Labels need room to its left and 34 below, the scale 60. */
typedef struct sot_svg_map {
    size_t columns, rows; /* 1 or more */
    int left, top, width, height;
} sot_svg_map;

/* Writes one tile. `share` from -1 to 1 is its colour: below 0 the first colour, above the second, 0 the page's.
 * `words` are shown where the pointer rests. */
void sot_svg_map_tile(sot_growing *out, const sot_svg_map *map, size_t column, size_t row,
                      double share, const char *words);
/* Names a column, below the map, or a row, to its left. */
void sot_svg_map_label(sot_growing *out, const sot_svg_map *map, bool is_column,
                       size_t index, const char *text);
/* The frame, and the names of the columns and of the rows: the labels of rows need 16 above. */
void sot_svg_map_frame(sot_growing *out, const sot_svg_map *map, const char *across,
                       const char *down);
/* Colours from share -1 to 1, and the numbers at both ends. */
void sot_svg_map_scale(sot_growing *out, const sot_svg_map *map, const char *least,
                       const char *most);

#endif
