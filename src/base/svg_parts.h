/* base/svg_parts.h: text and numbers in SVG, for the files of base/svg.h. */
#ifndef SOT_BASE_SVG_PARTS_H
#define SOT_BASE_SVG_PARTS_H

#include "base/growing.h"

void sot_svg_add_escaped(sot_growing *out, const char *text);
/* One decimal, without the locale's idea of a decimal point. */
void sot_svg_add_tenths(sot_growing *out, double value);
/* An attribute of that name. */
void sot_svg_add_place(sot_growing *out, const char *name, double value);
void sot_svg_add_text(sot_growing *out, const char *class_name, double x, double y,
                      const char *anchor, const char *text);

#endif
