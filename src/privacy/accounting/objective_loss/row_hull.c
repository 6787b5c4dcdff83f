#include "privacy/accounting/objective_loss/row_hull.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/profile/gaussian.h"

/* sot_ndtr is good to a relative 1.5e-15. */
static const double ndtr_error = 2e-15;

enum { CELLS = SOT_ROW_HULL_CELLS };

static sot_bracket gaussian_at(const sot_row_hull *hull, double epsilon)
{
    return sot_gaussian_delta((sot_bracket){hull->row.shift, hull->row.shift}, epsilon);
}

/* Phi(-a/2 - epsilon/a) = -dG/dc at c = e^epsilon, as a bracket. */
static sot_bracket gaussian_slope(const sot_row_hull *hull, double epsilon)
{
    const double a = hull->row.shift;
    const double x = -0.5 * a - epsilon / a;
    const double doubt = 4.0 * DBL_EPSILON * (0.5 * a + epsilon / a);
    return (sot_bracket){sot_widen_down(sot_ndtr(x - doubt), ndtr_error),
                         sot_widen_up(sot_ndtr(x + doubt), ndtr_error)};
}

/* e^to - e^from, as a bracket. */
static sot_bracket difference_of_exp(double from, double to)
{
    const double nearest = exp(from) * expm1(to - from);
    const double relative = 8.0 * DBL_EPSILON * (1.0 + from + to / (to - from));
    return (sot_bracket){sot_widen_down(nearest, relative),
                         sot_widen_up(nearest, relative)};
}

/* ---- the hull ---- */

static double slope_between(const sot_row_hull *hull, int from, int to)
{
    return (hull->value[to] - hull->value[from]) /
           (exp(hull->place[from]) * expm1(hull->place[to] - hull->place[from]));
}

/* Marks the vertices of the lower convex hull of the nodes, by a stack. For every result of rounding, chords between
 * upper bounds of a convex curve lie above it. */
static void mark_vertices(sot_row_hull *hull)
{
    int stack[CELLS + 1];
    int count = 0;
    for (int i = 0; i <= CELLS; i++) {
        while (count >= 2 && slope_between(hull, stack[count - 2], stack[count - 1]) >=
                                 slope_between(hull, stack[count - 1], i)) {
            count--;
        }
        stack[count++] = i;
    }
    for (int i = 0; i < count; i++)
        hull->is_vertex[stack[i]] = true;
}

/* Moves the other nodes down to the chord between the vertices around them, rounded up. */
static void lower_to_chords(sot_row_hull *hull)
{
    for (int from = 0; from < CELLS;) {
        int to = from + 1;
        while (!hull->is_vertex[to])
            to++;
        for (int i = from + 1; i < to; i++) {
            /* Values fall: the smallest part of the way down is the safe one. */
            const double part =
                sot_div_down(difference_of_exp(hull->place[from], hull->place[i]).lower,
                             difference_of_exp(hull->place[from], hull->place[to]).upper);
            const double fall = sot_sub_down(hull->value[from], hull->value[to]);
            hull->value[i] = fmin(
                hull->value[i], sot_sub_up(hull->value[from], sot_mul_down(part, fall)));
        }
        from = to;
    }
}

/* B lies under its chord and G above its tangent at the middle, both linear in e^epsilon. */
static void bound_excess(sot_row_hull *hull)
{
    for (int i = 0; i < CELLS; i++) {
        const double from = hull->place[i], to = hull->place[i + 1];
        const double middle = from + 0.5 * (to - from);
        const double height = gaussian_at(hull, middle).lower;
        const sot_bracket slope = gaussian_slope(hull, middle);
        const double at_left = sot_add_down(
            height, sot_mul_down(slope.lower, difference_of_exp(from, middle).lower));
        const double at_right = sot_sub_down(
            height, sot_mul_up(slope.upper, difference_of_exp(middle, to).upper));
        hull->left[i] = fmax(0.0, sot_sub_up(hull->value[i], at_left));
        hull->right[i] = fmax(0.0, sot_sub_up(hull->value[i + 1], at_right));
    }
}

sotto_status sot_row_hull_new(const sot_frozen_row *row, double most,
                              sot_row_hull **out_hull, sotto_error *error)
{
    sot_row_hull *hull = sot_new_array(1, sizeof *hull);
    if (hull == NULL) return sot_fail_memory(error, 1, sizeof *hull);
    hull->row = *row;
    hull->top = sot_frozen_top_upper(row, most);
    hull->value[0] = gaussian_at(hull, 0.0).upper;
    double least = hull->value[0];
    for (int i = 1; i <= CELLS; i++) {
        const double part = (double)i / CELLS; /* denser where the curvature is largest */
        hull->place[i] = i == CELLS ? hull->top : hull->top * part * sqrt(part);
        least = fmin(least, i == CELLS ? gaussian_at(hull, hull->top).upper
                                       : sot_frozen_removed_upper(row, hull->place[i]));
        hull->value[i] = least;
    }
    mark_vertices(hull);
    lower_to_chords(hull);
    bound_excess(hull);
    *out_hull = hull;
    return SOTTO_OK;
}

void sot_row_hull_free(sot_row_hull *hull)
{
    sot_free(hull);
}

double sot_row_hull_delta_upper(const sot_row_hull *hull, double epsilon)
{
    if (epsilon <= 0.0 || epsilon >= hull->top) return gaussian_at(hull, epsilon).upper;
    double value = sot_frozen_removed_upper(&hull->row, epsilon);
    /* Any chord from (1, G(a, 0)) over this epsilon: the one to the first vertex is the tangent, or next to it. */
    for (int i = 1; i <= CELLS; i++) {
        if (hull->place[i] < epsilon || !hull->is_vertex[i]) continue;
        const double part = sot_div_down(difference_of_exp(0.0, epsilon).lower,
                                         difference_of_exp(0.0, hull->place[i]).upper);
        const double fall = sot_sub_down(hull->value[0], hull->value[i]);
        return fmin(value, sot_sub_up(hull->value[0], sot_mul_down(part, fall)));
    }
    return value;
}

double sot_row_hull_chord_upper(const sot_row_hull *hull, double epsilon)
{
    if (epsilon <= 0.0 || epsilon >= hull->top) return gaussian_at(hull, epsilon).upper;
    int low = 0, high = CELLS; /* place[low] <= epsilon < place[high] */
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (hull->place[middle] <= epsilon) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (hull->place[low] == epsilon) return hull->value[low];
    const double part =
        sot_div_down(difference_of_exp(hull->place[low], epsilon).lower,
                     difference_of_exp(hull->place[low], hull->place[high]).upper);
    const double fall = sot_sub_down(hull->value[low], hull->value[high]);
    return sot_sub_up(hull->value[low], sot_mul_down(part, fmax(0.0, fall)));
}

/* ---- moments ---- */

/* With alpha = order + 1: E (P/Q)^alpha is e^{alpha (alpha - 1) a^2/2} and alpha (alpha - 1) times the integral over
 * [0, top] of e^{(alpha - 1) epsilon} (B - G); of the mirror image e^{-alpha epsilon}. On a cell B - G is at most linear
 * in e^epsilon, hence, after moving its right end up, in epsilon; the exponential lies under its chord; Simpson's rule
 * is exact for the product of two lines. */
double sot_row_hull_log_mgf_upper(const sot_row_hull *hull, sot_direction direction,
                                  double order)
{
    const double a = hull->row.shift;
    const double rate = direction == SOT_REMOVE ? order : -(order + 1.0);
    const double square = sot_mul_up(order, sot_add_up(order, 1.0));
    const double growth = 0.5 * sot_mul_up(square, sot_mul_up(a, a));
    double sum = 0.0;
    for (int i = 0; i < CELLS; i++) {
        const double from = hull->place[i], width = hull->place[i + 1] - from;
        const double left = hull->left[i];
        double right = hull->right[i];
        if (!(left > 0.0 || right > 0.0)) continue;
        if (right < left) right = left - (left - right) * (width / expm1(width));
        const double end = exp(rate * width);
        const double middle = 0.25 * (left + right) * (1.0 + end);
        const double integral = width / 6.0 * (left + 4.0 * middle + right * end);
        const double exponent = rate * from - growth;
        const double doubt =
            8.0 * DBL_EPSILON * (fabs(rate) * (from + width) + growth + 1.0);
        sum += integral * exp(exponent + doubt);
    }
    const double total =
        sot_add_up(growth, sot_log1p_up(sot_mul_up(square, sot_widen_up(sum, 1e-12))));
    return isnan(total) ? HUGE_VAL : total;
}

/* ---- the pair ---- */

/* The slope of the chord from one vertex to the next one: negative; its size as a bracket. */
static sot_bracket chord_slope(const sot_row_hull *hull, size_t from)
{
    size_t to = from + 1;
    while (!hull->is_vertex[to])
        to++;
    const sot_bracket run = difference_of_exp(hull->place[from], hull->place[to]);
    return (sot_bracket){
        sot_div_down(sot_sub_down(hull->value[from], hull->value[to]), run.upper),
        sot_div_up(sot_sub_up(hull->value[from], hull->value[to]), run.lower)};
}

double sot_row_hull_mass_upper(const sot_row_hull *hull, size_t i)
{
    if (!hull->is_vertex[i]) return 0.0;
    double before = gaussian_slope(hull, 0.0).upper;
    for (size_t j = i; j > 0; j--) {
        if (!hull->is_vertex[j - 1]) continue;
        before = chord_slope(hull, j - 1).upper;
        break;
    }
    const double after =
        i == CELLS ? gaussian_slope(hull, hull->top).lower : chord_slope(hull, i).lower;
    return fmax(0.0, sot_sub_up(before, after));
}

double sot_row_hull_weight_upper(const sot_row_hull *hull, size_t i)
{
    const double ratio =
        sot_div_up(hull->value[i], gaussian_at(hull, hull->place[i]).lower);
    return fmax(1.0, fmin(1e300, ratio));
}
