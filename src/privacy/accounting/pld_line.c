#include "privacy/accounting/pld_line.h"

#include <float.h>
#include <math.h>

#include "numeric/outward.h"
#include "numeric/special.h"

/* ---- Gauss-Legendre on [0, 1] ---- */

typedef struct rule {
    int points;
    double widest; /* largest X = w (Y + 4) it is used for */
    double node[8];
    double weight[8];
} rule;

static const rule rules[] = {
    {3,
     0.007,
     {0.11270166537925831, 0.5, 0.88729833462074169},
     {0.27777777777777778, 0.44444444444444444, 0.27777777777777778}},
    {5,
     0.28,
     {0.046910077030668004, 0.23076534494715846, 0.5, 0.76923465505284154,
      0.95308992296933200},
     {0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324,
      0.11846344252809454}},
    {8,
     2.0,
     {0.019855071751231884, 0.10166676129318663, 0.23723379504183550, 0.40828267875217510,
      0.59171732124782490, 0.76276620495816450, 0.89833323870681337, 0.98014492824876812},
     {0.050614268145188130, 0.11119051722668724, 0.15685332293894364, 0.18134189168918099,
      0.18134189168918099, 0.15685332293894364, 0.11119051722668724,
      0.050614268145188130}},
};

static const double inverse_sqrt_two_pi = 0x1.9884533d43651p-2;

static double density(double y)
{
    return inverse_sqrt_two_pi * exp(-0.5 * y * y);
}

/* ---- the line ---- */

sot_line sot_line_of(const sot_pld_piece *piece, double reach)
{
    sot_line line = {.direction = piece->direction, .rate = piece->rate};
    line.mu = 0.5 * (piece->mu.lower + piece->mu.upper);
    line.mu_relative = (piece->mu.upper - piece->mu.lower) / line.mu + DBL_EPSILON;
    const bool is_remove = piece->direction == SOT_REMOVE;
    const double first_mean = is_remove && piece->rate == 1.0 ? line.mu : 0.0;
    const double last_mean = is_remove ? line.mu : 0.0;
    line.from = first_mean - reach;
    line.to = last_mean + reach;
    /* Each end is at least `reach` from every mean; the margin covers its rounding. */
    const double tail =
        sot_ndtr(-reach * (1.0 - 8.0 * DBL_EPSILON) + 4.0 * DBL_EPSILON * line.mu) *
        (1.0 + 1e-12);
    double low_tail = tail;
    if (piece->floor > line.from) {
        line.from = fmin(piece->floor, line.to);
        low_tail = 0.0;
    }
    line.lowest = is_remove ? line.from : line.to;
    line.highest = is_remove ? line.to : line.from;
    line.below = is_remove ? low_tail : tail;
    line.above = is_remove ? tail : low_tail;
    return line;
}

double sot_line_loss(const sot_line *line, double y)
{
    const double exponent = line->mu * y - 0.5 * line->mu * line->mu;
    double log_ratio = exponent;
    if (line->rate < 1.0) {
        log_ratio = exponent < 500.0
                        ? log1p(line->rate * expm1(exponent))
                        : exponent + log(line->rate); /* the rest is below e^-500 */
    }
    return line->direction == SOT_REMOVE ? log_ratio : -log_ratio;
}

/* U with log(1-q+q e^U) = l, and a bound on its error when l is off by `error`. dU/dl = r/(q e^U) =
 * 1/p. Where e^U is not known to be positive: *out_blur is its error, else 0. */
static double exponent_at(double rate, double l, double error, double *out_error,
                          double *out_blur)
{
    *out_blur = 0.0;
    if (rate == 1.0) {
        *out_error = error;
        return l;
    }
    if (l > 30.0) {
        *out_error = error * (1.0 + 1e-12 / rate) + 8.0 * DBL_EPSILON * (l - log(rate));
        return l - log(rate) + log1p((rate - 1.0) * exp(-l));
    }
    const double growth = expm1(l) / rate; /* e^U - 1 */
    const double power = 1.0 + growth;
    const double blur = 4.0 * DBL_EPSILON * (1.0 + fabs(growth)) + error * exp(l) / rate;
    if (!(power > 2.0 * blur)) {
        *out_blur = blur;
        *out_error = 0.0;
        return power < -2.0 * blur ? -HUGE_VAL : log(4.0 * blur);
    }
    const double exponent = log1p(growth);
    *out_error = 2.0 * blur / power + 4.0 * DBL_EPSILON * fabs(exponent);
    return exponent;
}

sot_line_mark sot_line_at(const sot_line *line, double loss, double error)
{
    const bool is_remove = line->direction == SOT_REMOVE;
    const double l = is_remove ? loss : -loss;
    double exponent_error;
    double blur;
    const double exponent = exponent_at(line->rate, l, error, &exponent_error, &blur);
    sot_line_mark mark = {.loss = loss};
    /* At the end of the support r may differ from its limit 1-q by at most 5 blur q. */
    const double end_slack = 6.0 * blur * line->rate * exp(-l);
    if (isinf(exponent) || (blur > 0.0 && is_remove)) {
        mark.y = -HUGE_VAL;
        mark.slack = end_slack;
        return mark;
    }
    const double place = exponent / line->mu + 0.5 * line->mu;
    const double place_error =
        exponent_error / line->mu + (8.0 * DBL_EPSILON + 2.0 * line->mu_relative) *
                                        (fabs(exponent) / line->mu + line->mu);
    mark.y = is_remove ? place - place_error : place + place_error;
    /* l moves by at most p mu dy, p the posterior, which increases with y. */
    const double highest = is_remove ? place : mark.y + place_error;
    const double power = exp(line->mu * highest - 0.5 * line->mu * line->mu);
    const double posterior =
        isinf(power) ? 1.0 : line->rate * power / (1.0 + line->rate * (power - 1.0));
    mark.slack = 2.5 * fmin(1.0, posterior * 1.01) * line->mu * place_error + end_slack;
    return mark;
}

/* ---- one interval ---- */

typedef struct sums {
    double mass;
    double rise;
} sums;

/* What the rise needs of the cell's lower loss. */
typedef struct reference {
    double y;         /* infinite: see `base` */
    double base;      /* "remove", y infinite: 1 - q - e^a, at least 0 */
    double posterior; /* "add": q e^U / r at y */
} reference;

static void add_point(const sot_line *line, const reference *ref, double y, double offset,
                      double weight, sums *out)
{
    const double without = density(y);
    if (line->direction ==
        SOT_ADD) { /* loss -log r: 1 - r/r_ref = p (1 - e^{-mu (ref - y)}) */
        out->mass += weight * without;
        out->rise += weight * without * ref->posterior * -expm1(-line->mu * offset);
        return;
    }
    const double with = line->rate * density(y - line->mu);
    out->mass += weight * ((1.0 - line->rate) * without + with);
    out->rise += isinf(ref->y) ? weight * (ref->base * without + with)
                               : weight * with * -expm1(-line->mu * offset);
}

/* The larger of |y| and |y - mu|, of those below 38.5: beyond, that density is below DBL_MIN, which
 * the upper ends allow for. Negative when both are beyond. */
static double distance(const sot_line *line, double y)
{
    const double nothing = 38.5;
    const double first = fabs(y);
    const double second = fabs(y - line->mu);
    return fmax(first < nothing ? first : -1.0, second < nothing ? second : -1.0);
}

/* Panels from left to right; offsets from the reference are kept apart from y, so that they have
 * their own relative accuracy. */
static sums integrate(const sot_line *line, const reference *ref, double from, double to)
{
    sums total = {0.0, 0.0};
    double left = from;
    while (left < to) {
        double reach = fmax(distance(line, left), distance(line, to));
        if (reach < 0.0) { /* nothing here: on to the second density, if it is ahead */
            left = fmin(to, left < line->mu - 38.4 ? line->mu - 38.4 : to);
            continue;
        }
        double width = to - left;
        double scaled = width * (reach + 4.0);
        if (scaled > 2.0) { /* a panel of at most 1/4 near `left` */
            reach = fmax(0.0, distance(line, left)) + 0.25;
            if (fabs(left) > 38.0 || fabs(left - line->mu) > 38.0) reach = 39.0;
            width = fmin(width, fmin(0.25, 1.9 / (reach + 4.0)));
            scaled = fmin(2.0, width * (reach + 4.0));
        }
        const rule *r = rules;
        while (scaled > r->widest)
            r++;
        const double right = width < to - left ? left + width : to;
        const double span = right - left;
        for (int i = 0; i < r->points; i++) {
            const double inner = r->node[i] * span;
            /* "add": the reference is at or above the right end */
            const double offset =
                line->direction == SOT_REMOVE
                    ? (left - ref->y) + inner
                    : (ref->y - right) + r->node[r->points - 1 - i] * span;
            add_point(line, ref, left + inner, offset, r->weight[i] * span, &total);
        }
        left = right;
    }
    return total;
}

static reference reference_at(const sot_line *line, const sot_line_mark *mark)
{
    reference ref = {.y = mark->y};
    if (line->direction == SOT_REMOVE) {
        if (isinf(mark->y)) ref.base = fmax(0.0, -(expm1(mark->loss) + line->rate));
        return ref;
    }
    const double exponent = line->mu * mark->y - 0.5 * line->mu * line->mu;
    ref.posterior = 1.0 / (1.0 + (1.0 - line->rate) / line->rate * exp(-exponent));
    return ref;
}

bool sot_line_between(const sot_line *line, const sot_line_mark *from,
                      const sot_line_mark *to, sot_bracket *out_mass,
                      sot_bracket *out_rise)
{
    const bool is_remove = line->direction == SOT_REMOVE;
    const double left = fmax(is_remove ? from->y : to->y, line->from);
    const double right = fmin(is_remove ? to->y : from->y, line->to);
    if (!(left < right)) return false;
    const reference ref = reference_at(line, from);
    const sums sum = integrate(line, &ref, left, right);
    /* exp(-y^2/2) with y off by a few roundings; mu enters through y - mu, and for "add"
     * through the posterior at the reference, whose exponent is mu y - mu^2/2. */
    const double y_max = fmax(0.0, fmax(distance(line, left), distance(line, right)));
    const double exponent =
        is_remove ? y_max * line->mu : (fabs(left) + fabs(right) + line->mu) * line->mu;
    const double relative =
        DBL_EPSILON * (48.0 + 8.0 * y_max * (y_max + line->mu)) +
        (4.0 * line->mu_relative + 8.0 * DBL_EPSILON) * (1.0 + exponent);
    out_mass->upper = sot_widen_up(sum.mass, relative) + DBL_MIN;
    out_mass->lower = sot_widen_down(sum.mass, relative);
    const double base_error =
        is_remove && isinf(ref.y)
            ? 8.0 * DBL_EPSILON * (line->rate + fabs(expm1(from->loss)))
            : 0.0;
    out_rise->upper = sot_widen_up(sum.rise + base_error * sum.mass, relative) + DBL_MIN;
    out_rise->lower = sot_widen_down(sum.rise, relative) - (from->slack + base_error) *
                                                               out_mass->upper *
                                                               (1.0 + 4.0 * DBL_EPSILON);
    return true;
}
