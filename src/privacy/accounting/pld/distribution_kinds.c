/* The pieces of distributions that are the same in both directions. */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/sum.h"
#include "privacy/accounting/pld/distribution.h"

/* More atoms than this are not listed. */
static const double atoms_max = 0x1p19;

static sot_bracket around(double nearest, double relative)
{
    sot_bracket out = {sot_widen_down(nearest, relative),
                       fmin(1.0, sot_widen_up(nearest, relative) + DBL_MIN)};
    if (out.lower < DBL_MIN) out.lower = 0.0; /* underflow lost the relative error */
    return out;
}

static bool allocate(sot_pld_law *law, double pieces)
{
    law->pieces = sot_new_array((size_t)pieces, sizeof *law->pieces);
    return law->pieces != NULL;
}

static sot_pld_piece *add(sot_pld_law *law, sot_pld_kind kind)
{
    sot_pld_piece *piece = &law->pieces[law->piece_count++];
    piece->kind = kind;
    if (kind != SOT_PLD_ATOM) law->has_density = 1;
    return piece;
}

static void add_atom(sot_pld_law *law, double place, double mass, double relative)
{
    sot_pld_piece *piece = add(law, SOT_PLD_ATOM);
    piece->from = place;
    piece->to = place;
    piece->mass = around(mass, relative);
}

/* ---- box: Laplace noise, bounded range ---- */

/* Laplace noise of scale 1, moved by e. For x < 0 the loss is e, mass 1/2; for x > e it is -e,
 * mass e^-e/2. Between it is e - 2x, with density e^{(l - e)/2}/4. Bounded range: only the
 * density `e^{(l - e)/2}/(2(1 - e^-e))` (pld.md, section 3). */
static bool fill_box(const sot_law *source, sot_pld_law *law)
{
    if (!allocate(law, 3.0)) return false;
    const double e = source->loss;
    const double relative = 8.0 * DBL_EPSILON * (2.0 + e);
    sot_pld_piece *ramp = add(law, SOT_PLD_RAMP);
    ramp->from = -e;
    ramp->to = e;
    ramp->mass = (sot_bracket){0.25, 0.25};
    law->anchor = e;
    law->spacing = 2.0 * e;
    law->place_err = 2.0 * DBL_EPSILON * e;
    if (!source->has_ends) {
        const double height = -0.5 / expm1(-e); /* may be above 1 */
        ramp->mass = (sot_bracket){sot_widen_down(height, 8.0 * DBL_EPSILON),
                                   sot_widen_up(height, 8.0 * DBL_EPSILON)};
        return true;
    }
    add_atom(law, e, 0.5, relative);
    add_atom(law, -e, 0.5 * exp(-e), relative);
    return true;
}

/* ---- lattices ---- */

/* e^eps : 1 : ... : 1 among k answers, the truth changed: losses eps, -eps and, for k - 2 answers, 0. */
static bool fill_response(const sot_law *source, sot_pld_law *law)
{
    if (!allocate(law, 3.0)) return false;
    const double e = source->loss;
    const double lie = exp(-e);
    const double total = 1.0 + (source->categories - 1.0) * lie;
    const double relative = 8.0 * DBL_EPSILON * (2.0 + e);
    add_atom(law, e, 1.0 / total, relative);
    add_atom(law, 0.0, (source->categories - 2.0) * lie / total, relative);
    add_atom(law, -e, lie / total, relative);
    law->anchor = e;
    law->spacing = e;
    law->place_err = 2.0 * DBL_EPSILON * e;
    return true;
}

/* P(x) proportional to e^{-a|x|}, moved by n steps. The loss is a(n - 2j) at x = j, and constant
 * beyond the two ends. P(x <= 0) = 1/(1 + e^-a), and (1 - e^-a)/(1 + e^-a) is the mass at 0. */
static bool fill_discrete_laplace(const sot_law *source, sot_pld_law *law)
{
    if (!allocate(law, source->steps + 1.0)) return false;
    const double n = source->steps;
    const double a = source->loss / n;
    const double relative = 8.0 * DBL_EPSILON * (3.0 + source->loss);
    for (double j = 0.0; j <= n; j += 1.0) {
        const double share = (j == 0.0 || j == n) ? 1.0 : -expm1(-a);
        add_atom(law, a * (n - 2.0 * j), exp(-a * j) * share / (1.0 + exp(-a)), relative);
    }
    law->anchor = a * n;
    law->spacing = 2.0 * a;
    law->place_err = 4.0 * DBL_EPSILON * source->loss;
    return true;
}

/* P(x) proportional to e^{-x^2/(2 sigma^2)}, moved by n: losses (n^2 - 2nx)/(2 sigma^2). The
 * omitted part, |x| > 38.5 sigma + 1, has less than 1e-300. */
static bool fill_discrete_gaussian(const sot_law *source, sot_pld_law *law)
{
    const double sigma = source->sigma;
    const double n = source->steps;
    const double farthest = ceil(38.5 * sigma) + 1.0;
    if (!allocate(law, 2.0 * farthest + 1.0)) return false;
    sot_sum total = {0.0, 0.0};
    for (double x = farthest; x > 0.0; x -= 1.0)
        sot_sum_add(&total, 2.0 * exp(-0.5 * (x / sigma) * (x / sigma)));
    const double whole = 1.0 + sot_sum_value(&total);
    const double spacing = n / sigma / sigma;
    for (double x = -farthest; x <= farthest; x += 1.0) {
        const double z = x / sigma;
        add_atom(law, spacing * (0.5 * n - x), exp(-0.5 * z * z) / whole,
                 8.0 * DBL_EPSILON * (3.0 + z * z));
    }
    law->anchor = 0.5 * n * spacing;
    law->spacing = spacing;
    law->place_err = 8.0 * DBL_EPSILON * spacing * (farthest + n);
    law->infinite = 1e-300;
    return true;
}

/* ---- sampled Gaussians, one record exchanged ---- */

static sot_pld_piece *add_line(sot_pld_law *law, const sot_law *source,
                               sot_direction direction, double floor)
{
    sot_pld_piece *line = add(law, SOT_PLD_LINE);
    line->direction = direction;
    line->rate = source->rate;
    line->mu =
        (sot_bracket){sot_div_down(1.0, source->sigma), sot_div_up(1.0, source->sigma)};
    line->floor = floor;
    return line;
}

/* Each record takes part by its own coin: (1-q)N(0) + qN(1) against (1-q)N(0) + qN(-1). */
static bool fill_replaced(const sot_law *source, sot_pld_law *law)
{
    if (!allocate(law, 1.0)) return false;
    add_line(law, source, SOT_REMOVE, -HUGE_VAL)->is_replaced = 1;
    return true;
}

/* A batch of fixed size: delta(eps) = H((1-q)Q + qP || Q) for eps >= 0, and by symmetry below. So
 * where r > 1, that is y > mu/2, the loss is log r with the density of the mixture. Mirrored it
 * is -log r with that of Q. The remaining mass is at 0:
 * `1 - int_{y > mu/2} (r + 1) phi = (1-q)(2 Phi(mu/2) - 1) = (1-q) erf(mu/sqrt(8))`. */
static bool fill_fixed(const sot_law *source, sot_pld_law *law)
{
    if (!allocate(law, 3.0)) return false;
    const double cut = 0.5 / source->sigma;
    const double floor = cut * (1.0 - 4.0 * DBL_EPSILON); /* at most mu/2 */
    add_line(law, source, SOT_REMOVE, floor);
    add_line(law, source, SOT_ADD, floor);
    add_atom(law, 0.0, (1.0 - source->rate) * erf(cut / 1.4142135623730951),
             32.0 * DBL_EPSILON);
    /* The lines count the mass below the floor twice; the lower end subtracts it here. */
    sot_bracket *atom = &law->pieces[2].mass;
    atom->lower = fmax(0.0, atom->lower - 16.0 * DBL_EPSILON * cut);
    return true;
}

/* ---- releases on a sample ---- */

sotto_status sot_pld_subsampled_fill(const sot_subsampled *source,
                                     sot_direction direction, sot_pld_law *out_law,
                                     sotto_error *error)
{
    sot_pair_table table;
    const sotto_status status = sot_subsampled_atoms(source, direction, &table, error);
    if (status != SOTTO_OK) return status;
    *out_law = (sot_pld_law){
        .count = 1.0, .place_err = table.place_error, .infinite = table.outside};
    if (!allocate(out_law, (double)table.count)) {
        sot_pair_table_clear(&table);
        return sot_fail_memory(error, table.count, sizeof *out_law->pieces);
    }
    for (size_t i = 0; i < table.count; i++) {
        sot_pld_piece *piece = add(out_law, SOT_PLD_ATOM);
        piece->from = piece->to = table.atoms[i].loss;
        piece->mass = table.atoms[i].mass;
        out_law->anchor = fmax(out_law->anchor, piece->from);
    }
    /* Two atoms, or 0 and two mirrored ones, are a lattice. Elsewhere the spacing of the grid decides on the width. */
    const bool is_batch = source->kind == SOT_SAMPLE_BATCH;
    out_law->has_density = table.count != (is_batch ? 3 : 2);
    if (!out_law->has_density)
        out_law->spacing =
            is_batch ? out_law->anchor : fabs(table.atoms[1].loss - table.atoms[0].loss);
    sot_pair_table_clear(&table);
    return SOTTO_OK;
}

sot_pld_filled sot_pld_law_fill(const sot_law *source, sot_pld_law *out_law)
{
    *out_law = (sot_pld_law){.count = 1.0};
    bool done = false;
    switch (source->kind) {
    case SOT_LAW_BOX:
        done = fill_box(source, out_law);
        break;
    case SOT_LAW_DISCRETE_LAPLACE:
        if (source->steps > atoms_max) return SOT_PLD_NOT_LISTED;
        done = fill_discrete_laplace(source, out_law);
        break;
    case SOT_LAW_RESPONSE:
        done = fill_response(source, out_law);
        break;
    case SOT_LAW_DISCRETE_GAUSSIAN: /* sigma is at most 2000 steps */
        done = fill_discrete_gaussian(source, out_law);
        break;
    case SOT_LAW_REPLACED: /* e^{mu^2/2} must not overflow: line.c */
        if (source->sigma < 1.0 / 30.0) return SOT_PLD_NOT_LISTED;
        done = fill_replaced(source, out_law);
        break;
    case SOT_LAW_FIXED:
        done = fill_fixed(source, out_law);
        break;
    }
    return done ? SOT_PLD_FILLED : SOT_PLD_NO_MEMORY;
}

/* ---- comparison ---- */

static bool pieces_equal(const sot_pld_piece *a, const sot_pld_piece *b)
{
    return a->kind == b->kind && a->direction == b->direction && a->from == b->from &&
           a->to == b->to && a->mass.lower == b->mass.lower &&
           a->mass.upper == b->mass.upper && a->rate == b->rate &&
           a->mu.lower == b->mu.lower && a->mu.upper == b->mu.upper &&
           a->floor == b->floor && a->has_ceiling == b->has_ceiling &&
           a->ceiling == b->ceiling && a->weight == b->weight &&
           a->is_replaced == b->is_replaced;
}

bool sot_pld_law_equals(const sot_pld_law *a, const sot_pld_law *b)
{
    if (a->piece_count != b->piece_count || a->anchor != b->anchor ||
        a->spacing != b->spacing || a->place_err != b->place_err ||
        a->infinite != b->infinite)
        return false;
    for (size_t i = 0; i < a->piece_count; i++) {
        if (!pieces_equal(&a->pieces[i], &b->pieces[i])) return false;
    }
    return true;
}
