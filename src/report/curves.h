/* report/curves.h: parts of the section of an additive model. */
#ifndef SOT_REPORT_CURVES_H
#define SOT_REPORT_CURVES_H

#include "base/growing.h"
#include "data/encode/blocks.h"
#include "report/report.h"

/* Returns the number that a bin of a block adds, and its place among the numbers with noise. */
double sot_curve_value(const sot_report *report, const sot_bin_block *block,
                       size_t margin, size_t bin, size_t *out_index);
/* Returns half the width of its band of noise; 0: not known. */
double sot_curve_reach(const sot_report *report, const sot_bin_block *block,
                       size_t index);

/* Draws one heat map for each interaction and margin (interactions.c). */
void sot_report_add_maps(sot_growing *out, const sot_report *report, const size_t *blocks,
                         size_t count);

#endif
