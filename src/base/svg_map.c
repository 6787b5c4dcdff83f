/* Heat maps: a grid of tiles whose colours are numbers around 0. */
#include <math.h>
#include <stdio.h>

#include "base/svg.h"
#include "base/svg_parts.h"

/* The strongest tile is not opaque: the page behind it stays part of the colour, light or dark. */
#define STRONGEST 0.9

/* Orange above 0, blue below, stronger with the size; every tile names its number. */
static void add_tile(sot_growing *out, double x, double y, double width, double height,
                     double share, const char *words)
{
    const double opacity = STRONGEST * fmin(fabs(share), 1.0);
    sot_growing_format(out, "<rect class=\"n%d\"", share >= 0.0 ? 1 : 0);
    sot_svg_add_place(out, "x", x);
    sot_svg_add_place(out, "y", y);
    sot_svg_add_place(out, "width", width);
    sot_svg_add_place(out, "height", height);
    /* Hundredths, as whole numbers: no locale. */
    sot_growing_format(out, " fill-opacity=\".%02ld\"><title>", lround(opacity * 100.0));
    sot_svg_add_escaped(out, words);
    sot_growing_text(out, "</title></rect>\n");
}

void sot_svg_map_tile(sot_growing *out, const sot_svg_map *map, size_t column, size_t row,
                      double share, const char *words)
{
    const double width = (double)map->width / (double)map->columns;
    const double height = (double)map->height / (double)map->rows;
    add_tile(out, map->left + width * (double)column, map->top + height * (double)row,
             width, height, share, words);
}

void sot_svg_map_label(sot_growing *out, const sot_svg_map *map, bool is_column,
                       size_t index, const char *text)
{
    if (is_column) {
        const double width = (double)map->width / (double)map->columns;
        sot_svg_add_text(out, "k", map->left + width * ((double)index + 0.5),
                         map->top + map->height + 16.0, "middle", text);
        return;
    }
    const double height = (double)map->height / (double)map->rows;
    sot_svg_add_text(out, "k", map->left - 6.0,
                     map->top + height * ((double)index + 0.5) + 4.0, "end", text);
}

void sot_svg_map_frame(sot_growing *out, const sot_svg_map *map, const char *across,
                       const char *down)
{
    sot_growing_format(out,
                       "<rect class=\"g\" x=\"%d\" y=\"%d\" width=\"%d\" "
                       "height=\"%d\"/>\n",
                       map->left, map->top, map->width, map->height);
    sot_svg_add_text(out, "k", map->left + map->width / 2.0,
                     map->top + map->height + 34.0, "middle", across);
    sot_svg_add_text(out, "k", map->left - 6.0, map->top - 10.0, "end", down);
}

void sot_svg_map_scale(sot_growing *out, const sot_svg_map *map, const char *least,
                       const char *most)
{
    enum { TILES = 15, TILE = 8, SIZE = 10 };
    const double left = map->left + map->width - TILES * TILE - 48.0;
    const double top = map->top + map->height + 42.0;
    for (int i = 0; i < TILES; i++)
        add_tile(out, left + TILE * i, top, TILE, SIZE, 2.0 * i / (TILES - 1.0) - 1.0,
                 "");
    sot_svg_add_text(out, "k", left - 6.0, top + SIZE - 1.0, "end", least);
    sot_svg_add_text(out, "k", left + TILES * TILE + 6.0, top + SIZE - 1.0, "start",
                     most);
}
