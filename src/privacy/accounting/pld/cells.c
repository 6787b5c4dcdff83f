#include "privacy/accounting/pld/cells.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/pld/line.h"

/* A grid of more cells than this is a mistake of the planning. */
static const double cells_max = 0x1p25;

static double cell_start(const sot_pld_cells *cells, int64_t k)
{
    return cells->anchor + (double)k * cells->step;
}

/* Bound on the rounding error of cell_start(). */
static double start_error(const sot_pld_cells *cells, int64_t k)
{
    return 2.0 * DBL_EPSILON *
           (fabs(cells->anchor) + fabs((double)k * cells->step) + DBL_MIN);
}

/* Adds brackets to a cell; sums of two positive doubles, rounded outward. */
static void deposit(sot_pld_cells *cells, int64_t k, sot_bracket mass, sot_bracket rise)
{
    const int64_t i = k - cells->first;
    if (i < 0 ||
        i >= (int64_t)cells->count) { /* the range allows for this: see span_of */
        cells->infinite_up = sot_add_up(cells->infinite_up, mass.upper);
        return;
    }
    /* Losses may lie below the cell by as much as its lower end was moved: a shift of all losses. */
    if (rise.lower < 0.0 && mass.lower > 0.0)
        cells->moved = fmax(cells->moved, 2.0 * -rise.lower / mass.lower);
    cells->mass_up[i] = sot_add_up(cells->mass_up[i], mass.upper);
    cells->rise_up[i] = sot_add_up(cells->rise_up[i], fmin(rise.upper, mass.upper));
    cells->mass_down[i] = sot_add_down(cells->mass_down[i], fmax(0.0, mass.lower));
    if (mass.lower > 0.0)
        cells->mass_most[i] =
            sot_add_up(cells->mass_most[i], fmax(mass.lower, mass.upper));
    cells->rise_down[i] = sot_add_down(cells->rise_down[i], fmax(0.0, rise.lower));
}

/* ---- atoms ---- */

/* Mass at or below `least`, in an upper end only: worse when lifted to the end of the cell there. */
static void lift(sot_pld_cells *cells, double least, double mass)
{
    const int64_t k = (int64_t)floor((least - cells->anchor) / cells->step) + 1;
    deposit(cells, k, (sot_bracket){0.0, mass},
            (sot_bracket){0.0, sot_mul_up(mass, -sot_expm1_down(-cells->step))});
}

/* Atoms too light to have a cell: all together at most e^log_tail. */
static bool is_negligible(const sot_pld_law *law, const sot_pld_piece *piece,
                          sot_pld_reach reach)
{
    return piece->kind == SOT_PLD_ATOM && law->piece_count > 64 &&
           fmax(piece->mass.lower, piece->mass.upper) * (double)law->piece_count <
               exp(reach.log_tail);
}

/* Within rounding of a node the atom is put on the node, and the distance goes to `moved`. */
static void deposit_atom(sot_pld_cells *cells, const sot_pld_law *law,
                         const sot_pld_piece *piece, sot_pld_reach reach)
{
    const double place = piece->from;
    if (is_negligible(law, piece, reach)) {
        cells->infinite_up = sot_add_up(cells->infinite_up, piece->mass.upper);
        return;
    }
    if (place < reach.least) {
        lift(cells, reach.least, piece->mass.upper);
        return;
    }
    const double spacing = 2.0 * cells->step;
    const double nearest = floor((place - cells->anchor) / spacing + 0.5);
    const int64_t node = 2 * (int64_t)nearest;
    const double near_by =
        law->place_err +
        16.0 * DBL_EPSILON * (fabs(place) + fabs(law->anchor) + spacing) +
        4.0 * start_error(cells, node);
    const double distance = place - cell_start(cells, node);
    if (fabs(distance) <= near_by) {
        cells->moved = fmax(cells->moved, 2.0 * near_by);
        deposit(cells, node, piece->mass, (sot_bracket){0.0, 0.0});
        return;
    }
    const int64_t k = node + (int64_t)floor(distance / cells->step);
    const double inside = place - cell_start(cells, k);
    const double low = fmin(fmax(inside - near_by, 0.0), cells->step);
    const double high = fmin(fmax(inside + near_by, 0.0), cells->step);
    const sot_bracket rise = {sot_mul_down(piece->mass.lower, -sot_expm1_up(-low)),
                              sot_mul_up(piece->mass.upper, -sot_expm1_down(-high))};
    deposit(cells, k, piece->mass, rise);
    cells->moved = fmax(cells->moved, 2.0 * near_by); /* for one beyond its cell's end */
}

/* ---- ramps: density c e^{(l - to)/2} ---- */

/* Over t = l - a from t0 to t1: `mass = 2c e^{(a + t0 - to)/2} expm1((t1 - t0)/2)`. Since
 * `e^{t/2}(1 - e^-t) = 2 sinh(t/2)`, `rise = 8c e^{(a - to)/2} sinh((t1 + t0)/4) sinh((t1 -
 * t0)/4)`. */
static void deposit_ramp(sot_pld_cells *cells, const sot_pld_law *law,
                         const sot_pld_piece *whole_piece, sot_pld_reach reach)
{
    sot_pld_piece cut = *whole_piece;
    const sot_pld_piece *piece = &cut;
    if (reach.least > cut.from) {
        cut.from = fmin(reach.least, cut.to);
        const double missing = 2.0 * exp(0.5 * (cut.from - cut.to)); /* all of it below */
        lift(cells, cut.from, sot_mul_up(cut.mass.upper, missing * (1.0 + 1e-12)));
    }
    const double g = cells->step;
    const int64_t last = (int64_t)floor((piece->to - cells->anchor) / g) + 1;
    for (int64_t k = (int64_t)floor((piece->from - cells->anchor) / g) - 1; k <= last;
         k++) {
        const double a = cell_start(cells, k);
        const double t0 = fmin(fmax(piece->from - a, 0.0), g);
        const double t1 = fmin(fmax(piece->to - a, 0.0), g);
        if (!(t1 > t0)) continue;
        /* Ends are off by the rounding of a: a relative error of the width, of the density,
         * and of the rise's lower end. */
        const double blur = 2.0 * start_error(cells, k) + 2.0 * law->place_err;
        const double relative = 32.0 * DBL_EPSILON + blur + 2.0 * blur / (t1 - t0) +
                                DBL_EPSILON * fabs(a - piece->to);
        const double mass =
            2.0 * exp(0.5 * (a + t0 - piece->to)) * expm1(0.5 * (t1 - t0));
        const double rise = 8.0 * exp(0.5 * (a - piece->to)) * sinh(0.25 * (t1 + t0)) *
                            sinh(0.25 * (t1 - t0));
        if (!(relative <
              0.5)) { /* a sliver: all of it may be there, at the top, or none */
            const double most = sot_mul_up(piece->mass.upper, 8.0 * blur + DBL_MIN);
            deposit(cells, k, (sot_bracket){0.0, most},
                    (sot_bracket){0.0, sot_mul_up(most, -sot_expm1_down(-g))});
            continue;
        }
        const sot_bracket whole = {
            sot_widen_down(piece->mass.lower * mass, relative),
            sot_add_up(sot_widen_up(piece->mass.upper * mass, relative), DBL_MIN)};
        const double shift = sot_mul_up(whole.upper, 2.0 * blur);
        const sot_bracket part = {
            sot_widen_down(piece->mass.lower * rise, relative) - shift,
            sot_add_up(sot_widen_up(piece->mass.upper * rise, relative), shift)};
        deposit(cells, k, whole, part);
    }
}

/* ---- lines ---- */

/* A line that counts several times; products of doubles, rounded outward. */
static sot_bracket times(sot_bracket value, double weight)
{
    if (weight == 1.0) return value;
    return (sot_bracket){value.lower < 0.0 ? -sot_mul_up(weight, -value.lower)
                                           : sot_mul_down(weight, value.lower),
                         sot_mul_up(weight, value.upper)};
}

static void deposit_line(sot_pld_cells *cells, const sot_pld_piece *piece,
                         sot_pld_reach reach)
{
    const double weight = piece->weight > 0.0 ? piece->weight : 1.0;
    const sot_line line = sot_line_of(piece, reach);
    const double top = sot_line_loss(&line, line.highest);
    const double bottom = sot_line_loss(&line, line.lowest);
    const int64_t first = (int64_t)floor((bottom - cells->anchor) / cells->step) - 1;
    const int64_t last = (int64_t)floor((top - cells->anchor) / cells->step) + 1;
    sot_line_mark mark =
        sot_line_at(&line, cell_start(cells, first), start_error(cells, first));
    for (int64_t k = first; k <= last; k++) {
        const sot_line_mark next =
            sot_line_at(&line, cell_start(cells, k + 1), start_error(cells, k + 1));
        sot_bracket mass;
        sot_bracket rise;
        if (sot_line_between(&line, &mark, &next, &mass, &rise))
            deposit(cells, k, times(mass, weight), times(rise, weight));
        mark = next;
    }
    lift(cells, bottom, times((sot_bracket){0.0, line.below}, weight).upper);
    cells->infinite_up = sot_add_up(cells->infinite_up,
                                    times((sot_bracket){0.0, line.above}, weight).upper);
}

/* ---- the whole distribution ---- */

static void span_of(const sot_pld_law *law, sot_pld_reach reach, double *out_bottom,
                    double *out_top)
{
    double bottom = HUGE_VAL;
    double top = -HUGE_VAL;
    for (size_t i = 0; i < law->piece_count; i++) {
        const sot_pld_piece *piece = &law->pieces[i];
        if (is_negligible(law, piece, reach)) continue;
        double from = fmax(piece->from, reach.least);
        double to = fmax(piece->to, reach.least);
        if (piece->kind == SOT_PLD_LINE) {
            const sot_line line = sot_line_of(piece, reach);
            from = sot_line_loss(&line, line.lowest);
            to = sot_line_loss(&line, line.highest);
        }
        bottom = fmin(bottom, from);
        top = fmax(top, to);
    }
    *out_bottom = bottom;
    *out_top = top;
}

double sot_pld_cells_estimate(const sot_pld_law *law, double spacing, sot_pld_reach reach)
{
    double bottom;
    double top;
    span_of(law, reach, &bottom, &top);
    return 2.0 * (top - bottom) / spacing + 16.0;
}

/* Most losses of a line sampled at a small rate lie within that rate of 0, near the end of the
 * support. That end is the anchor. If the grid is too coarse to resolve them, a node at their
 * mean is best: contraction then loses nothing there. The same holds if the largest losses crowd
 * below the end ("add"), where no node above them would take them. */
static double anchor_of(const sot_pld_law *law, double spacing, sot_pld_reach reach)
{
    if (law->spacing > 0.0 || law->piece_count != 1 ||
        law->pieces[0].kind != SOT_PLD_LINE || law->pieces[0].is_replaced ||
        (spacing < 0.125 * fabs(law->anchor) && law->pieces[0].direction == SOT_REMOVE)) {
        return law->anchor;
    }
    const sot_line line = sot_line_of(&law->pieces[0], reach);
    const bool is_remove = line.direction == SOT_REMOVE;
    const double from = is_remove ? law->anchor : law->anchor - spacing;
    const sot_line_mark low = sot_line_at(&line, from, 0.0);
    const sot_line_mark high = sot_line_at(&line, from + spacing, 0.0);
    sot_bracket mass;
    sot_bracket rise;
    if (!sot_line_between(&line, &low, &high, &mass, &rise)) return law->anchor;
    return from - log1p(-fmin(rise.upper / mass.upper, 0.5));
}

sotto_status sot_pld_cells_new(const sot_pld_law *law, double spacing,
                               sot_pld_reach reach, sot_pld_cells *out_cells,
                               sotto_error *error)
{
    double bottom;
    double top;
    span_of(law, reach, &bottom, &top);
    *out_cells = (sot_pld_cells){.step = 0.5 * spacing};
    out_cells->anchor = remainder(anchor_of(law, spacing, reach), spacing); /* exact */
    const double g = out_cells->step;
    const double first = 2.0 * floor((bottom - out_cells->anchor) / spacing) - 4.0;
    const double count = 2.0 * ceil((top - out_cells->anchor) / spacing) + 6.0 - first;
    if (!(count > 0.0 && count <= cells_max)) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "the accountant pld would need %g cells of width %g; use `accountant=exact`",
            count, g);
    }
    out_cells->first = (int64_t)first;
    out_cells->count = (size_t)count;
    double *memory = sot_new_array(5 * out_cells->count, sizeof *memory);
    if (memory == NULL)
        return sot_fail_memory(error, 5 * out_cells->count, sizeof *memory);
    out_cells->mass_up = memory;
    out_cells->rise_up = memory + out_cells->count;
    out_cells->mass_down = memory + 2 * out_cells->count;
    out_cells->rise_down = memory + 3 * out_cells->count;
    out_cells->mass_most = memory + 4 * out_cells->count;
    out_cells->infinite_up = law->infinite;
    for (size_t i = 0; i < law->piece_count; i++) {
        const sot_pld_piece *piece = &law->pieces[i];
        switch (piece->kind) {
        case SOT_PLD_ATOM:
            deposit_atom(out_cells, law, piece, reach);
            break;
        case SOT_PLD_RAMP:
            deposit_ramp(out_cells, law, piece, reach);
            break;
        case SOT_PLD_LINE:
            deposit_line(out_cells, piece, reach);
            break;
        }
    }
    return SOTTO_OK;
}

void sot_pld_cells_free(sot_pld_cells *cells)
{
    sot_free(cells->mass_up); /* one block */
    *cells = (sot_pld_cells){0};
}
