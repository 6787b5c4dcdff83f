#include "privacy/accounting/objective_loss/frozen_slope.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/profile/gaussian.h"

/* c(s) and s a both grow on [0, 1/2], and so do the two functions below: the maximum lies in [1/2, 1]. */
static const double slope_least = 0.5;

/* The slacks are relative distances of the certified maximum from a reached value. The depths count halvings of [1/2, 1]: the
 * most, those before a cell's middle is tried, and those that are enough if the hazard rate overflows. */
static const double slack = 0x1p-17, moment_slack = 0x1p-26;
enum { DEPTH_MAX = 26, DEPTH_TRIED = 7, DEPTH_BLIND = 10 };

/* Relative error of a computed hazard rate, derivative of c, or place: far more than their roundings. */
static const double blur = 1e-12;

static double curvature_up(const sot_frozen_row *row, double s)
{
    return sot_log1p_up(sot_mul_up(sot_mul_up(s, sot_sub_up(1.0, s)), row->determinant));
}

static double curvature_down(const sot_frozen_row *row, double s)
{
    return sot_log1p_down(
        sot_mul_down(sot_mul_down(s, sot_sub_down(1.0, s)), row->determinant));
}

/* c'(s), to nearest; not positive on [1/2, 1], and falling, since c is concave. */
static double curvature_slope(const sot_frozen_row *row, double s)
{
    const double rho = row->determinant;
    return rho * (1.0 - 2.0 * s) / (1.0 + s * (1.0 - s) * rho);
}

/* ---- the profile ---- */

static double profile_upper(double shift, double epsilon)
{
    return sot_gaussian_delta((sot_bracket){shift, shift}, epsilon).upper;
}

typedef struct interval {
    double low, high;
} interval;

/* x(s) = s a/2 + (epsilon - c(s))/(s a) on a cell. */
static interval places_of(const sot_frozen_row *row, double epsilon, double left,
                          double right)
{
    const double least = epsilon - curvature_up(row, left);
    const double most = epsilon - curvature_down(row, right);
    const double a = row->shift;
    const double low = 0.5 * left * a + least / ((least > 0.0 ? right : left) * a);
    const double high = 0.5 * right * a + most / ((most > 0.0 ? left : right) * a);
    /* The terms may cancel: each is off by a few of its last places. */
    const double doubt =
        blur * (1.0 + a + (2.0 * fabs(epsilon) + fabs(least) + fabs(most)) / (left * a));
    return (interval){low - doubt, high + doubt};
}

/* D(s) = a h(x(s)) + c'(s) on a cell, h = phi/Phi(-.) the hazard rate, which increases: the derivative of
 * G(s a, epsilon - c(s)) is D(s) e^{epsilon - c(s)} Phi(-x(s)) (frozen_slope.md, section 6). */
static interval drift_of(const sot_frozen_row *row, interval x, double left, double right)
{
    const double low = row->shift * (1.0 - blur) / sot_mills(x.low);
    const double high = row->shift * (1.0 + blur) / sot_mills(x.high);
    const double scale = blur * (1.0 + row->determinant);
    return (interval){low + curvature_slope(row, right) - scale,
                      high + curvature_slope(row, left) + scale};
}

/* The largest derivative's size on a cell around zero drift: e^{e} Phi(-x) = phi(x - s a) Mills(x). */
static double weight_upper(const sot_frozen_row *row, interval x, double left,
                           double right)
{
    const double low = x.low - right * row->shift, high = x.high - left * row->shift;
    const double nearest = low > 0.0 ? low : high < 0.0 ? high : 0.0;
    return 0.3989422804014327 * exp(-0.5 * nearest * nearest) * sot_mills(x.low) *
           (1.0 + 1e-9);
}

/* Cells from left to right. Where the profile g(s) = G(s a, epsilon - c(s)) grows, its value is needed at the end of the
 * growth only; where it falls, at the beginning of the fall. */
typedef struct slope_climb {
    const sot_frozen_row *row;
    double epsilon;
    double largest; /* an upper bound of g on all cells so far, but for `top` */
    bool is_growing, is_falling; /* on the cell before */
} slope_climb;

/* g(s) rounded up. */
static double profile_at(const slope_climb *climb, double s)
{
    return profile_upper(sot_mul_up(s, climb->row->shift),
                         sot_sub_down(climb->epsilon, curvature_up(climb->row, s)));
}

static void raise_to(slope_climb *climb, double value)
{
    climb->largest = fmax(climb->largest, value);
    climb->is_growing = climb->is_falling = false;
}

/* A cell on which g may have its maximum inside: both factors at their worst, or the middle and the mean value theorem.
 * True when that is close enough, or below the known value. */
static bool accept_cell(slope_climb *climb, interval x, interval drift, double left,
                        double right)
{
    const sot_frozen_row *row = climb->row;
    const double middle = profile_at(climb, 0.5 * (left + right));
    const double steepest =
        weight_upper(row, x, left, right) * fmax(fabs(drift.low), fabs(drift.high));
    const double upper = sot_widen_up(middle + 0.5 * (right - left) * steepest, 1e-14);
    if (!(upper <= fmax(climb->largest, middle * (1.0 + slack)))) return false;
    raise_to(climb, upper);
    return true;
}

static void climb_cell(slope_climb *climb, double left, double right, int depth)
{
    const sot_frozen_row *row = climb->row;
    const interval x = places_of(row, climb->epsilon, left, right);
    const bool has_drift = x.low > -30.0 && x.high < 1e8;
    if (has_drift) {
        const interval drift = drift_of(row, x, left, right);
        if (drift.low > 0.0) {
            climb->is_growing = true;
            climb->is_falling = false;
            return;
        }
        if (drift.high < 0.0) {
            if (!climb->is_falling) raise_to(climb, profile_at(climb, left));
            climb->is_falling = true;
            return;
        }
        if (depth <= DEPTH_MAX - DEPTH_TRIED && accept_cell(climb, x, drift, left, right))
            return;
    }
    if (depth == 0 || (!has_drift && depth <= DEPTH_MAX - DEPTH_BLIND)) {
        raise_to(climb,
                 profile_upper(sot_mul_up(right, row->shift),
                               sot_sub_down(climb->epsilon, curvature_up(row, left))));
        return;
    }
    const double middle = 0.5 * (left + right);
    climb_cell(climb, left, middle, depth - 1);
    climb_cell(climb, middle, right, depth - 1);
}

double sot_frozen_delta_upper(const sot_frozen_row *row, double epsilon)
{
    slope_climb climb = {.row = row, .epsilon = epsilon};
    climb_cell(&climb, slope_least, 1.0, DEPTH_MAX);
    if (climb.is_growing) raise_to(&climb, profile_at(&climb, 1.0));
    return climb.largest < 1.0 ? climb.largest : 1.0; /* NaN: 1 */
}

/* D > 0 on all of [1/2, 1] at one epsilon; D grows with epsilon. */
static bool is_increasing(const sot_frozen_row *row, double epsilon, double left,
                          double right, int depth)
{
    const interval x = places_of(row, epsilon, left, right);
    if (!(x.low > -30.0 && x.high < 1e8)) return false;
    const interval drift = drift_of(row, x, left, right);
    if (drift.low > 0.0) return true;
    if (depth == 0 || !(drift.high > 0.0)) return false;
    const double middle = 0.5 * (left + right);
    return is_increasing(row, epsilon, middle, right, depth - 1) &&
           is_increasing(row, epsilon, left, middle, depth - 1);
}

double sot_frozen_top_upper(const sot_frozen_row *row, double most)
{
    double low = 0.0, high = most;
    for (int i = 0; i < 24; i++) {
        const double middle = 0.5 * (low + high);
        if (is_increasing(row, middle, slope_least, 1.0, 12)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* ---- moments ---- */

/* order c(s) + order (order + 1) s^2 a^2/2 on a cell, rounded up: c lies under its tangent at the middle, and the rest is
 * convex, so that the larger of the two ends counts; and the value in the middle. */
static double moment_bound(const sot_frozen_row *row, double order, double left,
                           double right, double *out_middle)
{
    const double middle = 0.5 * (left + right), half = 0.5 * (right - left);
    const double top = curvature_up(row, middle);
    const double slope = curvature_slope(row, middle);
    const double doubt = blur * half * (fabs(slope) + row->determinant * DBL_EPSILON);
    const double square = sot_mul_up(row->shift, row->shift);
    const double growth = 0.5 * sot_mul_up(sot_add_up(order, 1.0), square);
    double largest = 0.0;
    for (int side = -1; side <= 1; side += 2) {
        const double s = side < 0 ? left : right;
        const double tangent = sot_add_up(sot_add_up(top, side * slope * half), doubt);
        const double rest = sot_mul_up(growth, sot_mul_up(s, s));
        largest = fmax(largest, sot_mul_up(order, sot_add_up(tangent, rest)));
    }
    *out_middle = order * (top + growth * middle * middle);
    return largest;
}

static double moment_cell(const sot_frozen_row *row, double order, double left,
                          double right, int depth, double *best)
{
    double middle;
    const double upper = moment_bound(row, order, left, right, &middle);
    *best = fmax(*best, middle);
    if (depth == 0 || upper <= *best * (1.0 + moment_slack) || upper == HUGE_VAL)
        return upper;
    const double cut = 0.5 * (left + right);
    const double one = moment_cell(row, order, left, cut, depth - 1, best);
    return fmax(one, moment_cell(row, order, cut, right, depth - 1, best));
}

/* order c + order (order + 1) a^2/2. */
static double constant_log_mgf_upper(const sot_frozen_row *row, double order)
{
    const double square = sot_mul_up(row->shift, row->shift);
    const double rest = 0.5 * sot_mul_up(sot_add_up(order, 1.0), square);
    return sot_mul_up(order, sot_add_up(row->offset, rest));
}

double sot_frozen_log_mgf_upper(const sot_frozen_row *row, double order)
{
    enum { PROBES = 64 };
    if (row->signs > 0) return constant_log_mgf_upper(row, order);
    double best = 0.0, middle;
    for (int i = 0; i < PROBES;
         i++) { /* any value ends the search early, and none is wrong */
        const double s = slope_least + (1.0 - slope_least) * (i + 0.5) / PROBES;
        (void)moment_bound(row, order, s, s, &middle);
        best = fmax(best, middle);
    }
    best = fmax(best, 0.5 * order * (order + 1.0) * row->shift * row->shift);
    const double upper = moment_cell(row, order, slope_least, 1.0, DEPTH_MAX, &best);
    return isnan(upper) ? HUGE_VAL : upper;
}

/* ---- both directions at any epsilon ---- */

double sot_mirrored_delta_upper(double epsilon, double other)
{
    const double rest = sot_mul_up(sot_exp_up(epsilon), other);
    const double lost =
        epsilon < 0.0 ? -sot_expm1_down(epsilon) : sot_sub_up(1.0, sot_exp_down(epsilon));
    return fmin(1.0, fmax(0.0, sot_add_up(lost, rest)));
}

/* a^2/2 + a|Z|, the largest loss of an added row whose slope has either sign: 2 P(t > x) is 1 at x = a^2/2, so that its
 * profile is 2 G(a, .) from there on and a chord below. Any place above 0 gives a bound: the place may be rounded. */
static double either_sign_upper(double shift, double epsilon)
{
    const double start = 0.5 * shift * shift;
    const double twice = 2.0 * profile_upper(shift, fmax(epsilon, start));
    if (epsilon >= start) return fmin(1.0, twice);
    const double below = sot_sub_down(epsilon, start);
    return fmin(1.0, sot_add_up(-sot_expm1_down(below),
                                sot_mul_up(sot_exp_up(below), fmin(1.0, twice))));
}

/* Bounds that do not use the other direction. */
static double removed_alone_upper(const sot_frozen_row *row, double epsilon)
{
    if (row->signs > 0)
        return profile_upper(row->shift, sot_sub_down(epsilon, row->offset));
    return fmax(profile_upper(row->shift, epsilon), sot_frozen_delta_upper(row, epsilon));
}

static double added_alone_upper(const sot_frozen_row *row, double epsilon)
{
    return row->signs > 1 ? either_sign_upper(row->shift, epsilon)
                          : profile_upper(row->shift, epsilon);
}

double sot_frozen_removed_upper(const sot_frozen_row *row, double epsilon)
{
    if (epsilon > 0.0) return removed_alone_upper(row, epsilon);
    if (row->signs < 2) return profile_upper(row->shift, epsilon); /* G mirrored is G */
    return fmin(removed_alone_upper(row, epsilon),
                sot_mirrored_delta_upper(epsilon, added_alone_upper(row, -epsilon)));
}

double sot_frozen_added_upper(const sot_frozen_row *row, double epsilon)
{
    if (epsilon < 0.0)
        return sot_mirrored_delta_upper(epsilon, removed_alone_upper(row, -epsilon));
    const double alone = added_alone_upper(row, epsilon);
    if (row->signs < 2) return alone;
    return fmin(alone,
                sot_mirrored_delta_upper(epsilon, removed_alone_upper(row, -epsilon)));
}
