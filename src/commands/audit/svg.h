/* commands/audit/svg.h: the panel that pictures of attacks share. */
#ifndef SOT_COMMANDS_AUDIT_SVG_H
#define SOT_COMMANDS_AUDIT_SVG_H

#include <sotto/audit_statistics.h>

#include "base/svg.h"

/* Plots the rates on logarithmic axes from `least` on, beside the bound of a claim; NULL: only
 * beside chance. The panel is 330 wide and 300 high, at (left, 44). */
void sot_audit_draw_roc(sot_growing *out, const sotto_roc *roc, const sotto_curve *claim,
                        const char *title, double least, int left);

#endif
