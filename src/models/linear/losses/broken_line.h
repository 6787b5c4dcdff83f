/* models/linear/losses/broken_line.h: f(u + step) - f(u) where f' is a broken line: the area
 * under it, piece by piece.
 *
 * Error: at most 2^-99 slope_most |step| in all, with slope_most the largest |slope| and
 * |u| <= 2^500, if `curvature` times the length of a piece is at most 2 slope_most. Lengths of
 * pieces are differences of nodes and u, each with a relative error of a few 2^-105
 * (double_double.h). Since f' is continuous, a node that is off by e moves the area only by e^2.
 * A u that is off by e moves it by e curvature |step|. A piece of length t costs 12 roundings of
 * its slope times t.
 */
#ifndef SOT_MODELS_LINEAR_LOSSES_BROKEN_LINE_H
#define SOT_MODELS_LINEAR_LOSSES_BROKEN_LINE_H

#include "models/linear/losses/double_double.h"

/* The line leaves `from` with `slope` and rises by `rate` a unit; it ends at `to`, if `to` is finite. */
typedef struct sot_walk_piece {
    sot_twofold from, slope, rate;
    sot_twofold to;
} sot_walk_piece;

/* The piece that begins at u or holds it: from <= u < to. */
typedef sot_walk_piece (*sot_walk_find)(const void *context, sot_twofold u);

/* The area under one piece between u and u + step, u in the piece, step >= 0. */
static inline sot_twofold sot_walk_area(const sot_walk_piece *piece, sot_twofold u,
                                        sot_twofold step)
{
    const sot_twofold half = {0.5 * step.high, 0.5 * step.low};
    const sot_twofold middle = sot_twofold_add(u, half);
    const sot_twofold along = sot_twofold_add(middle, sot_twofold_minus(piece->from));
    const sot_twofold slope =
        piece->rate.high == 0.0
            ? piece->slope
            : sot_twofold_add(piece->slope, sot_twofold_mul(piece->rate, along));
    return sot_twofold_mul(slope, step);
}

/* step >= 0. */
static inline sot_twofold sot_walk_up(sot_walk_find find, const void *context,
                                      sot_twofold u, sot_twofold step)
{
    sot_twofold sum = {0.0, 0.0};
    while (step.high > 0.0) {
        const sot_walk_piece piece = find(context, u);
        sot_twofold length = step;
        const int ends = isfinite(piece.to.high);
        const sot_twofold room =
            ends ? sot_twofold_add(piece.to, sot_twofold_minus(u)) : step;
        if (ends && sot_twofold_less(room, step)) length = room;
        sum = sot_twofold_add(sum, sot_walk_area(&piece, u, length));
        if (!ends || !sot_twofold_less(room, step)) break;
        step = sot_twofold_add(step, sot_twofold_minus(room));
        u = piece.to;
    }
    return sum;
}

static inline sot_twofold sot_walk(sot_walk_find find, const void *context, sot_twofold u,
                                   sot_twofold step)
{
    if (step.high >= 0.0) return sot_walk_up(find, context, u, step);
    return sot_twofold_minus(
        sot_walk_up(find, context, sot_twofold_add(u, step), sot_twofold_minus(step)));
}

#endif
