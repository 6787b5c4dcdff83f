#include "numeric/roots.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "numeric/outward.h"

/* ---- roots ---- */

typedef struct point {
    double x, y; /* y = f(x) */
} point;

typedef struct search {
    point low, high;           /* the bracket: y has opposite signs */
    point third;               /* the end replaced last; a copy of an end at the start */
    double absolute, relative; /* the caller's tolerances */
    double floor;              /* magnitudes below it count as equal */
    double width;              /* when it was last seen to halve */
    int slow_steps;            /* since then */
    int wide_steps;            /* since the bracket was last narrow */
    bool bisected;             /* in the last step */
    bool geometric;            /* the last bisection */
} search;

static double tolerance_at(const search *s, double x)
{
    return s->absolute + s->relative * fabs(x);
}

static bool is_narrow_enough(const search *s)
{
    const double far = fmax(fabs(s->low.x), fabs(s->high.x));
    return s->high.x - s->low.x <= tolerance_at(s, far) ||
           sot_next_up(s->low.x) >= s->high.x;
}

/* The ends differ in sign or by more than a factor 4. */
static bool is_wide(const search *s)
{
    if (s->low.x < 0.0 && s->high.x > 0.0) return true;
    const double near = fmin(fabs(s->low.x), fabs(s->high.x));
    const double far = fmax(fabs(s->low.x), fabs(s->high.x));
    return far / 4.0 > fmax(near, s->floor);
}

/* Returns the point that halves the remaining work. Arithmetic bisection would need 2000
 * steps to go from [1e-300, 1e300] to a small relative error. So every other bisection of
 * a wide bracket is at zero or at the geometric mean, and 12 of these make any bracket
 * narrow. */
static double bisect(search *s)
{
    const double low = s->low.x;
    const double high = s->high.x;
    s->geometric = is_wide(s) && !s->geometric;
    if (!s->geometric) return 0.5 * low + 0.5 * high;
    if (low < 0.0 && high > 0.0) return 0.0;
    const double near = fmax(fmin(fabs(low), fabs(high)), s->floor);
    const double far = fmax(fabs(low), fabs(high));
    return (high > 0.0 ? 1.0 : -1.0) * sqrt(near) * sqrt(far);
}

/* The inverse parabola through three points, in Newton's form, at y = 0; the secant if
 * the third point does not help. Values are divided by the larger of the two at the ends,
 * so that neither tiny nor huge ones spoil the divided differences. NaN if f is
 * infinite. */
static double interpolate(const search *s)
{
    const bool low_is_best = fabs(s->low.y) <= fabs(s->high.y);
    const point best = low_is_best ? s->low : s->high;
    const point other = low_is_best ? s->high : s->low;
    const double scale = fabs(other.y);
    const double y0 = best.y / scale;
    const double y1 = other.y / scale; /* +-1, not the sign of y0: y1 - y0 is not 0 */
    const double y2 = s->third.y / scale;

    const double slope = (other.x - best.x) / (y1 - y0);
    const double secant = best.x - y0 * slope;
    if (y2 == y1 || y2 == y0) return secant;
    const double next_slope = (s->third.x - other.x) / (y2 - y1);
    const double parabola = secant + y0 * y1 * ((next_slope - slope) / (y2 - y0));
    return parabola >= s->low.x && parabola <= s->high.x ? parabola : secant;
}

/* Returns the next point. Interpolation is kept half a tolerance away from the ends. Once
 * an end is that close to the root, the step lands beyond the root and the bracket closes
 * at once. A bisection is forced if two steps did not halve the bracket, and at every
 * other step while it stays wide for long. So three evaluations always gain a bit. */
static double choose(search *s)
{
    enum { PATIENCE = 3 };
    s->wide_steps = is_wide(s) ? s->wide_steps + 1 : 0;
    s->bisected = (s->wide_steps > PATIENCE && !s->bisected) || s->slow_steps >= 2;
    double x = s->bisected ? bisect(s) : interpolate(s);
    if (isnan(x)) x = bisect(s);
    double from = s->low.x;
    double to = s->high.x;
    if (!s->bisected) {
        from += 0.5 * tolerance_at(s, from);
        to -= 0.5 * tolerance_at(s, to);
    }
    x = fmax(x, fmax(from, sot_next_up(s->low.x)));
    return fmin(x, fmin(to, sot_next_down(s->high.x)));
}

/* Keeps the half in which the sign changes. */
static void narrow(search *s, point next)
{
    if (signbit(next.y) == signbit(s->low.y)) {
        s->third = s->low;
        s->low = next;
    } else {
        s->third = s->high;
        s->high = next;
    }
    const double width = s->high.x - s->low.x;
    s->slow_steps = width <= 0.5 * s->width ? 0 : s->slow_steps + 1;
    if (s->slow_steps == 0) s->width = width;
}

bool sot_find_root(sot_function f, void *context, double *lower, double *upper,
                   double absolute, double relative, int evaluations_max)
{
    if (!isfinite(*lower) || !isfinite(*upper) || !(*lower <= *upper)) return false;
    if (evaluations_max < 2) return false;

    search s = {.absolute = absolute, .relative = relative};
    s.low = (point){*lower, f(*lower, context)};
    s.high = (point){*upper, f(*upper, context)};
    if (isnan(s.low.y) || isnan(s.high.y)) return false;
    if (s.low.y == 0.0 || s.high.y == 0.0) {
        *lower = *upper = s.low.y == 0.0 ? s.low.x : s.high.x;
        return true;
    }
    if (signbit(s.low.y) == signbit(s.high.y)) return false;
    s.third = s.high;
    s.floor = fmax(absolute, DBL_MIN);
    s.width = s.high.x - s.low.x;

    for (int evaluations = 2; evaluations < evaluations_max; evaluations++) {
        if (is_narrow_enough(&s)) break;
        point next = {.x = choose(&s)};
        next.y = f(next.x, context);
        if (isnan(next.y)) return false;
        if (next.y == 0.0)
            s.low = s.high = next;
        else
            narrow(&s, next);
        *lower = s.low.x;
        *upper = s.high.x;
    }
    return true;
}

/* ---- minima ---- */

/* (3 - sqrt(5)) / 2: the golden section of an interval. */
static const double golden = 0.38196601125010515;

/* Brent's state: x is the best point, w the second best, v the previous w. */
typedef struct descent {
    double lower, upper; /* contain the minimum */
    point x, w, v;
    double step, previous; /* the last step and the one before it */
    int evaluations_left;
} descent;

static double evaluate(descent *s, sot_function f, void *context, double x)
{
    s->evaluations_left--;
    const double y = f(x, context);
    return isnan(y) ? (double)INFINITY : y;
}

/* Starts at the golden section. Where f is infinite two values do not show on which side
 * the minimum lies. So the grids of 1/2, 1/4, 1/8, ... are searched until a finite value
 * appears. The neighbours on the last complete grid are infinite or not inside, and so
 * bound the search. */
static void find_finite_start(descent *s, sot_function f, void *context)
{
    const double lower = s->lower;
    const double width = s->upper - s->lower;
    s->x.x = lower + golden * width;
    s->x.y = evaluate(s, f, context, s->x.x);
    if (isfinite(s->x.y)) return;

    for (double parts = 2.0; s->evaluations_left > 0; parts *= 2.0) {
        const double spacing = width / parts;
        if (!(lower + spacing > lower) || !(s->upper - spacing < s->upper)) return;
        for (double i = 1.0; i < parts && s->evaluations_left > 0; i += 2.0) {
            const double x = lower + i * spacing;
            const double y = evaluate(s, f, context, x);
            if (!isfinite(y)) continue;
            s->x.x = x;
            s->x.y = y;
            s->lower = x - spacing;
            s->upper = x + spacing;
            return;
        }
    }
}

/* Returns the step from x to the minimum of the parabola through x, w, v. False if that
 * leaves the interval, or is not less than half the step before last, or a value is
 * infinite. */
static bool parabolic_step(const descent *s, double *out_step)
{
    const double r = (s->x.x - s->w.x) * (s->x.y - s->v.y);
    const double q = (s->x.x - s->v.x) * (s->x.y - s->w.y);
    const double p = (s->x.x - s->v.x) * q - (s->x.x - s->w.x) * r;
    const double denominator = 2.0 * (r - q);
    if (!(fabs(denominator) > 0.0) || !isfinite(p) || !isfinite(denominator))
        return false;
    const double step = p / denominator;
    const double x = s->x.x + step;
    if (!(fabs(step) < 0.5 * fabs(s->previous)) || !(x > s->lower) || !(x < s->upper))
        return false;
    *out_step = step;
    return true;
}

/* Brent's next point: the parabola's, or the golden section of the larger part; never
 * within `least` of x, nor of the ends. */
static double next_point(descent *s, double least)
{
    const double middle = 0.5 * s->lower + 0.5 * s->upper;
    double step;
    if (fabs(s->previous) > least && parabolic_step(s, &step)) {
        s->previous = s->step;
        const double x = s->x.x + step;
        if (x - s->lower < 2.0 * least || s->upper - x < 2.0 * least)
            step = copysign(least, middle - s->x.x);
    } else {
        s->previous = (s->x.x < middle ? s->upper : s->lower) - s->x.x;
        step = golden * s->previous;
    }
    s->step = step;
    return s->x.x + (fabs(step) >= least ? step : copysign(least, step));
}

static void take(descent *s, point next)
{
    if (next.y <= s->x.y) {
        if (next.x < s->x.x)
            s->upper = s->x.x;
        else
            s->lower = s->x.x;
        s->v = s->w;
        s->w = s->x;
        s->x = next;
        return;
    }
    if (next.x < s->x.x)
        s->lower = next.x;
    else
        s->upper = next.x;
    if (next.y <= s->w.y || s->w.x == s->x.x) {
        s->v = s->w;
        s->w = next;
    } else if (next.y <= s->v.y || s->v.x == s->x.x || s->v.x == s->w.x) {
        s->v = next;
    }
}

/* R. P. Brent, Algorithms for Minimization without Derivatives, 1973, chapter 5. */
double sot_minimize(sot_function f, void *context, double lower, double upper,
                    double tolerance, int evaluations_max, double *out_minimum)
{
    assert(isfinite(lower) && isfinite(upper) && lower <= upper);
    descent s = {.lower = lower, .upper = upper, .evaluations_left = evaluations_max};
    find_finite_start(&s, f, context);
    s.w = s.v = s.x;
    while (s.evaluations_left > 0 && isfinite(s.x.y)) {
        /* The test makes max(x - lower, upper - x) <= 2 least = tolerance. */
        const double least =
            fmax(0.5 * tolerance, 2.0 * DBL_EPSILON * fabs(s.x.x) + DBL_MIN);
        const double middle = 0.5 * s.lower + 0.5 * s.upper;
        if (fabs(s.x.x - middle) <= 2.0 * least - 0.5 * (s.upper - s.lower)) break;

        point next = {.x = next_point(&s, least)};
        next.y = evaluate(&s, f, context, next.x);
        take(&s, next);
    }
    if (out_minimum != NULL) *out_minimum = s.x.y;
    return s.x.x;
}
