#include "privacy/accounting/objective_loss/unit_hull.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/profile/gaussian.h"

enum { SIDE = SOT_UNIT_HULL_SIDE, NODES = SOT_UNIT_HULL_NODES };

/* sot_ndtr and sot_log_ndtr are good to a relative 1.5e-15. */
static const double ndtr_error = 2e-15;

/* Nodes reach at least this many standard deviations beyond the mean of a loss; the rest is the tail, or lumped. */
static const double reach = 9.0;

/* A tail that has to be taken more often than this for its rounding is below the doubles. */
static const double weight_most = 2.0;

/* ---- bounds of the profile ---- */

/* From `start` on delta(epsilon) <= weight G(A, epsilon - offset). */
typedef struct tail {
    double start, offset, weight;
} tail;

/* frozen_slope.md, section 8: the chain at its Gaussian split. */
static tail tail_of(const sot_unit *unit, sot_direction direction)
{
    const sot_frozen_row *row = &unit->chain.row;
    const double rows = (double)unit->rows;
    const double square = sot_mul_up(row->shift, row->shift);
    const bool removes = direction == SOT_REMOVE || unit->is_replaced;
    const double steps =
        unit->is_replaced ? rows * (2.0 * rows - 1.0) : 0.5 * rows * (rows - 1.0);
    tail out = {.start = sot_mul_up(steps, square), .weight = 1.0};
    if (removes) out.start = fmax(out.start, unit->atom);
    if (row->signs == 0) return out;
    out.weight = removes && !unit->is_replaced ? 1.0 : (double)row->signs;
    if (!removes) return out;
    out.offset = sot_mul_up(rows, row->offset);
    out.start = fmax(out.start, sot_add_up(out.offset, sot_mul_up(steps, square)));
    out.weight = fmax(out.weight, sot_exp_up(sot_mul_up(rows - 1.0, row->offset)));
    return out;
}

static double chain_upper(const sot_unit *unit, sot_direction direction, double epsilon)
{
    const bool removes = direction == SOT_REMOVE;
    return sot_chain_delta_upper(&unit->chain,
                                 unit->is_replaced || !removes ? unit->rows : 0,
                                 unit->is_replaced || removes ? unit->rows : 0, epsilon);
}

static sot_bracket tail_at(const sot_unit *unit, const tail *beyond, double epsilon)
{
    return sot_gaussian_delta((sot_bracket){unit->shift, unit->shift},
                              sot_sub_down(epsilon, beyond->offset));
}

/* delta(epsilon) of one direction, epsilon >= 0. */
static double curve_upper(const sot_unit *unit, sot_direction direction,
                          const tail *beyond, double epsilon)
{
    const sot_direction other = direction == SOT_REMOVE ? SOT_ADD : SOT_REMOVE;
    const double mirrored =
        sot_mirrored_delta_upper(epsilon, chain_upper(unit, other, -epsilon));
    const double least = fmin(chain_upper(unit, direction, epsilon), mirrored);
    if (epsilon < beyond->start) return least;
    return fmin(least, sot_mul_up(beyond->weight, tail_at(unit, beyond, epsilon).upper));
}

/* ---- the hull ---- */

/* Places and values of the nodes. The place of node SIDE is 0. From there on `value` is the profile of one direction at the
 * place. Before it, `value` is the profile of the other direction at -place. So no value is near 1, where doubles lose digits. */
typedef struct node_curve {
    double place[NODES], value[NODES];
    bool is_vertex[NODES];
} node_curve;

/* e^to - e^from. */
static sot_bracket run_between(double from, double to)
{
    return (sot_bracket){
        sot_mul_down(sot_exp_down(from), sot_expm1_down(sot_sub_down(to, from))),
        sot_mul_up(sot_exp_up(from), sot_expm1_up(sot_sub_up(to, from)))};
}

/* The direction's own profile at a node, from the other one's before node SIDE. */
static sot_bracket height_of(const node_curve *curve, int i)
{
    if (i >= SIDE) return (sot_bracket){curve->value[i], curve->value[i]};
    const double c = curve->place[i];
    return (sot_bracket){
        sot_sub_down(1.0, sot_mul_up(sot_exp_up(c), sot_sub_up(1.0, curve->value[i]))),
        sot_sub_up(1.0,
                   sot_mul_down(sot_exp_down(c), sot_sub_down(1.0, curve->value[i])))};
}

/* The size of the chord's slope in e^epsilon, to node `to` behind node SIDE. */
static sot_bracket fall_between(const node_curve *curve, int from, int to)
{
    const sot_bracket run = run_between(curve->place[from], curve->place[to]);
    const sot_bracket height = height_of(curve, from);
    return (sot_bracket){
        fmax(0.0, sot_div_down(sot_sub_down(height.lower, curve->value[to]), run.upper)),
        sot_div_up(sot_sub_up(height.upper, curve->value[to]), run.lower)};
}

/* 1 less that size: (c' v' - c v)/(c' - c) for c = e^place and values v of the other direction. */
static sot_bracket rise_between(const node_curve *curve, int from, int to)
{
    if (to > SIDE) {
        const sot_bracket fall = fall_between(curve, from, to);
        return (sot_bracket){sot_sub_down(1.0, fall.upper), sot_sub_up(1.0, fall.lower)};
    }
    /* (v' e^{place' - place} - v)/(e^{place' - place} - 1) = v' + (v' - v)/(e^width - 1) */
    const double up = sot_sub_up(curve->value[to], curve->value[from]); /* at least 0 */
    const double down = sot_sub_down(curve->value[to], curve->value[from]);
    const double width_up = sot_sub_up(curve->place[to], curve->place[from]);
    const double width_down = sot_sub_down(curve->place[to], curve->place[from]);
    return (sot_bracket){
        sot_add_down(curve->value[to], sot_div_down(down, sot_expm1_up(width_up))),
        sot_add_up(curve->value[to], sot_div_up(up, sot_expm1_down(width_down)))};
}

/* True when the node in the middle is on or above the chord. For every result of rounding, chords between upper bounds of a
 * convex curve lie above it. */
static bool is_above(const node_curve *curve, int from, int middle, int to)
{
    if (middle > SIDE)
        return fall_between(curve, from, middle).lower <=
               fall_between(curve, middle, to).lower;
    return rise_between(curve, from, middle).lower >=
           rise_between(curve, middle, to).lower;
}

static void mark_vertices(node_curve *curve)
{
    int stack[NODES], count = 0;
    for (int i = 0; i < NODES; i++) {
        while (count >= 2 && is_above(curve, stack[count - 2], stack[count - 1], i))
            count--;
        stack[count++] = i;
    }
    for (int i = 0; i < count; i++)
        curve->is_vertex[stack[i]] = true;
}

/* Nodes are dense around 0, A apart at most where the losses are, and as far as they go further out. */
static void place_nodes(node_curve *curve, double shift, double low, double top)
{
    const double left = asinh(low / shift), right = asinh(top / shift);
    for (int i = 1; i < SIDE; i++) {
        const double part = (double)i / SIDE;
        curve->place[SIDE - i] = -shift * sinh(left * part);
        curve->place[SIDE + i] = shift * sinh(right * part);
    }
    curve->place[0] = -low;
    curve->place[SIDE] = 0.0;
    curve->place[NODES - 1] = top;
}

/* Profiles fall: running minima, away from 0, where both directions have the same profile. */
static void bound_nodes(const sot_unit *unit, const tail *beyond, node_curve *curve)
{
    double removed = curve_upper(unit, SOT_REMOVE, &beyond[SOT_REMOVE], 0.0);
    double added = curve_upper(unit, SOT_ADD, &beyond[SOT_ADD], 0.0);
    removed = added = curve->value[SIDE] = fmin(removed, added);
    for (int i = 1; i <= SIDE; i++) {
        const double right = curve->place[SIDE + i], left = -curve->place[SIDE - i];
        removed =
            fmin(removed, curve_upper(unit, SOT_REMOVE, &beyond[SOT_REMOVE], right));
        added = fmin(added, curve_upper(unit, SOT_ADD, &beyond[SOT_ADD], left));
        curve->value[SIDE + i] = removed;
        curve->value[SIDE - i] = added;
    }
}

static node_curve mirrored(const node_curve *from)
{
    node_curve out;
    for (int i = 0; i < NODES; i++) {
        out.place[i] = -from->place[NODES - 1 - i];
        out.value[i] = from->value[NODES - 1 - i];
        out.is_vertex[i] = from->is_vertex[NODES - 1 - i];
    }
    return out;
}

/* ---- the pair ---- */

/* Returns the mass of the second distribution beyond the last node, rounded down: weight e^-offset P(t' > end - offset) with
 * t' ~ N(-A^2/2, A^2). */
static double tail_fall_down(const sot_unit_side *side, double shift)
{
    const double far = sot_div_up(sot_sub_up(side->end, side->offset), shift);
    const double one =
        sot_widen_down(sot_ndtr(sot_sub_down(-0.5 * shift, far)), ndtr_error);
    return sot_mul_down(side->weight, sot_mul_down(sot_exp_down(-side->offset), one));
}

/* The tail is taken so often that its profile reaches the value of the last node, which was rounded up. */
static void weigh_tail(const sot_unit *unit, const tail *beyond, double value,
                       sot_unit_side *side)
{
    const double profile = tail_at(unit, beyond, side->end).lower;
    const double weight = profile > 0.0 ? sot_div_up(value, profile) : HUGE_VAL;
    side->offset = beyond->offset;
    side->weight = fmax(beyond->weight, weight);
    if (side->weight <= weight_most * beyond->weight) return;
    side->weight = beyond->weight;
    side->infinite = value;
}

/* The second distribution's mass is the change of the slope at a vertex, the first one's e^place times that. Before the first
 * node the profile is the chord to 1 at e^epsilon = 0. */
static void fill_side(const node_curve *curve, double shift, sot_unit_side *side)
{
    int before = -1;
    for (int i = 0; i < NODES; i++) {
        side->place[i] = curve->place[i];
        if (!curve->is_vertex[i]) continue;
        int after = i + 1;
        while (after < NODES && !curve->is_vertex[after])
            after++;
        double mass;
        if (i > SIDE) {
            const double left = fall_between(curve, before, i).upper;
            const double right = after < NODES ? fall_between(curve, i, after).lower
                                               : tail_fall_down(side, shift);
            mass = sot_sub_up(left, right);
        } else {
            const double left =
                before < 0 ? curve->value[0] : rise_between(curve, before, i).lower;
            mass = sot_sub_up(rise_between(curve, i, after).upper, left);
        }
        side->mass[i] = sot_mul_up(sot_exp_up(curve->place[i]), fmax(0.0, mass));
        before = i;
    }
}

sotto_status sot_unit_hull_new(const sot_unit *unit, sot_unit_hull **out_hull,
                               sotto_error *error)
{
    const tail beyond[2] = {tail_of(unit, SOT_REMOVE), tail_of(unit, SOT_ADD)};
    const double spread = unit->shift * (0.5 * unit->shift + reach);
    double end[2];
    *out_hull = NULL;
    for (int i = 0; i < 2; i++)
        end[i] = fmax(beyond[i].start, beyond[i].offset + spread);
    if (!(end[0] <= SOT_ROW_HULL_MOST && end[1] <= SOT_ROW_HULL_MOST)) return SOTTO_OK;
    sot_unit_hull *hull = sot_new_array(1, sizeof *hull);
    if (hull == NULL) return sot_fail_memory(error, 1, sizeof *hull);
    node_curve removal = {.place = {0.0}};
    place_nodes(&removal, unit->shift, end[SOT_ADD], end[SOT_REMOVE]);
    bound_nodes(unit, beyond, &removal);
    mark_vertices(&removal);
    const node_curve addition = mirrored(&removal);
    hull->shift = unit->shift;
    for (int i = 0; i < 2; i++) {
        const node_curve *side = i == SOT_REMOVE ? &removal : &addition;
        hull->side[i].end = end[i];
        weigh_tail(unit, &beyond[i], side->value[NODES - 1], &hull->side[i]);
        fill_side(side, unit->shift, &hull->side[i]);
    }
    *out_hull = hull;
    return SOTTO_OK;
}

void sot_unit_hull_free(sot_unit_hull *hull)
{
    sot_free(hull);
}

/* ---- moments ---- */

/* log of: weight times E e^{order (offset + t)} over offset + t > end, t ~ N(A^2/2, A^2). */
static double tail_log_moment_up(const sot_unit_side *side, double shift, double order)
{
    const double growth = sot_mul_up(sot_mul_up(order, sot_add_up(order, 1.0)),
                                     0.5 * sot_mul_up(shift, shift));
    const double far = sot_div_down(sot_sub_down(side->end, side->offset), shift);
    const double log_tail =
        sot_log_ndtr(sot_sub_up(sot_add_up(0.5 * shift, sot_mul_up(order, shift)), far));
    const double log_tail_up = fmin(0.0, log_tail + ndtr_error * fabs(log_tail));
    return sot_add_up(
        sot_add_up(sot_log_up(side->weight), sot_mul_up(order, side->offset)),
        sot_add_up(growth, log_tail_up));
}

double sot_unit_hull_log_mgf_upper(const sot_unit_hull *hull, sot_direction direction,
                                   double order)
{
    const sot_unit_side *side = &hull->side[direction];
    if (side->infinite > 0.0) return HUGE_VAL;
    double term[NODES + 1];
    int count = 0;
    double largest = term[count++] = tail_log_moment_up(side, hull->shift, order);
    for (int i = 0; i < NODES; i++) {
        if (!(side->mass[i] > 0.0)) continue;
        const double log_mass = log(side->mass[i]), moved = order * side->place[i];
        const double doubt = 8.0 * DBL_EPSILON * (fabs(log_mass) + fabs(moved) + 1.0);
        term[count] = log_mass + moved + doubt;
        largest = fmax(largest, term[count++]);
    }
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += exp(term[i] - largest);
    const double total = sot_add_up(largest, sot_log_up(sot_widen_up(sum, 1e-12)));
    return isnan(total) ? HUGE_VAL : total;
}
