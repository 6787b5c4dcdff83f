#include "privacy/accounting/pld/line.h"

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

/* z with log Phi(-z) = log_tail, at most 37: beyond, the densities underflow. */
static double quantile(double log_tail)
{
    if (!(log_tail < -0.7)) return 0.0;
    return fmin(-sot_normal_quantile_log(log_tail), 37.0);
}

/* Returns the mass of the line beyond |y| = place on the side of `sign`, rounded up. */
static double tail_beyond(const sot_line *line, double place, double sign)
{
    const double blur = 8.0 * DBL_EPSILON * (fabs(place) + line->mu);
    const double first = sot_ndtr(blur - place);
    if (line->direction == SOT_ADD) return sot_widen_up(first, 1e-14);
    const double second = sot_ndtr(blur - place + sign * line->mu);
    return sot_widen_up((1.0 - line->rate) * first + line->rate * second, 1e-14);
}

/* log(1-q+q e^U) */
static double log_ratio(double rate, double exponent)
{
    if (rate == 1.0) return exponent;
    return exponent < 500.0 ? log1p(rate * expm1(exponent))
                            : exponent + log(rate); /* the rest is below e^-500 */
}

double sot_line_loss(const sot_line *line, double y)
{
    const double half = 0.5 * line->mu * line->mu;
    const double with = log_ratio(line->rate, line->mu * y - half);
    if (line->is_replaced) return with - log_ratio(line->rate, -line->mu * y - half);
    return line->direction == SOT_REMOVE ? with : -with;
}

/* Returns U with log(1-q+q e^U) = l, and a bound on its error if l is off by `error`;
 * dU/dl = r/(q e^U) = 1/p. If e^U is not known to be positive, *out_blur is its error, else 0. */
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

/* q e^U/(1-q+q e^U) at U = +-mu y - mu^2/2. */
static double posterior_at(const sot_line *line, double y, double sign)
{
    const double exponent = sign * line->mu * y - 0.5 * line->mu * line->mu;
    return 1.0 / (1.0 + (1.0 - line->rate) / line->rate * exp(-exponent));
}

/* "replaced": let w = e^{mu y}, k = e^{-mu^2/2}. The equation `(1-q+qkw) = e^l (1-q+qk/w)` is
 * quadratic in w. Its root is `mu y = l/2 + asinh(s), s = (1-q) sinh(l/2)/(qk)`. */
static sot_line_mark replaced_at(const sot_line *line, double loss, double error)
{
    const double mu = line->mu;
    const double half = 0.5 * fabs(loss);
    const double log_factor = log((1.0 - line->rate) / line->rate) + 0.5 * mu * mu;
    const double log_sinh =
        half < 20.0 ? log(sinh(half)) : half - 0.69314718055994531; /* -infinity at 0 */
    const double log_s = log_factor + log_sinh;
    const double inverse =
        log_s < 300.0 ? asinh(exp(log_s)) : log_s + 0.69314718055994531;
    /* relative error of s; asinh turns it into at most as much, and at most asinh(s) times */
    const double blur =
        8.0 * DBL_EPSILON *
            (4.0 + fabs(log_factor) + (isinf(log_sinh) ? 0.0 : fabs(log_sinh))) +
        2.0 * line->mu_relative * mu * mu;
    const double slope = 0.5 * exp(log_factor + half); /* of s in l, from above */
    const double root = log_s < 300.0 ? hypot(1.0, exp(log_s)) : 1.0;
    const double moved =
        error * (0.5 + (log_s < 300.0 ? slope / root : 0.5 / tanh(half)));
    const double place = copysign((half + inverse) / mu, loss);
    const double place_error =
        1.01 * (moved + fmin(1.0, 2.0 * inverse) * blur) / mu +
        (8.0 * DBL_EPSILON + 2.0 * line->mu_relative) * (half + inverse) / mu;
    sot_line_mark mark = {.loss = loss, .y = place - place_error};
    /* the loss rises by mu times the two posteriors, each at most 1 */
    const double with = posterior_at(line, place, 1.0);
    const double against = posterior_at(line, mark.y - place_error, -1.0);
    mark.slack =
        5.0 * mu * fmin(2.0, 1.01 * (with + against)) * place_error + 2.0 * error;
    return mark;
}

sot_line_mark sot_line_at(const sot_line *line, double loss, double error)
{
    if (line->is_replaced) return replaced_at(line, loss, error);
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
    const double posterior = posterior_at(line, highest, 1.0);
    mark.slack = 2.5 * fmin(1.0, posterior * 1.01) * line->mu * place_error + end_slack;
    return mark;
}

/* Losses below `least` are not looked at: the range of y ends there. */
static void cut_at(sot_line *line, double least, double *low_tail, double *high_tail)
{
    const double y = sot_line_at(line, least, 0.0).y;
    if (line->direction == SOT_ADD && y < line->to) {
        line->to = fmax(y, line->from);
        *high_tail = tail_beyond(line, line->to, 1.0);
    }
    if (line->direction == SOT_REMOVE && y > line->from) {
        line->from = fmin(y, line->to);
        *low_tail = tail_beyond(line, -line->from, -1.0);
    }
}

sot_line sot_line_of(const sot_pld_piece *piece, sot_pld_reach reach)
{
    sot_line line = {.direction = piece->direction,
                     .rate = piece->rate,
                     .is_replaced = piece->is_replaced};
    line.mu = 0.5 * (piece->mu.lower + piece->mu.upper);
    line.mu_relative = (piece->mu.upper - piece->mu.lower) / line.mu + DBL_EPSILON;
    const bool is_remove = piece->direction == SOT_REMOVE;
    const double far = quantile(reach.log_tail);
    line.from = -far;
    line.to = far;
    if (is_remove) { /* of the second density only a part q is there */
        line.to = fmax(far, line.mu + quantile(reach.log_tail - log(piece->rate)));
        if (piece->rate == 1.0) line.from = line.mu - far;
    }
    double low_tail = tail_beyond(&line, -line.from, -1.0);
    double high_tail = tail_beyond(&line, line.to, 1.0);
    if (piece->floor > line.from) {
        line.from = fmin(piece->floor, line.to);
        low_tail = 0.0;
    }
    if (piece->has_ceiling && piece->ceiling < line.to) {
        line.to = fmax(piece->ceiling, line.from);
        high_tail = 0.0;
    }
    if (isfinite(reach.least)) cut_at(&line, reach.least, &low_tail, &high_tail);
    line.lowest = is_remove ? line.from : line.to;
    line.highest = is_remove ? line.to : line.from;
    line.below = is_remove ? low_tail : high_tail;
    line.above = is_remove ? high_tail : low_tail;
    return line;
}

/* ---- one interval ---- */

typedef struct sums {
    double mass;
    double rise;
} sums;

/* Values at the cell's lower loss, for the rise. */
typedef struct reference {
    double y;         /* infinite: see `base` */
    double base;      /* "remove", y infinite: 1 - q - e^a, at least 0 */
    double posterior; /* "add": q e^U / r at y */
    double loss;      /* "replaced" */
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
    const double rising = -expm1(-line->mu * offset);
    if (line->is_replaced) {
        /* p - e^a q = q phi(y - mu) (1 - e^{-mu t}) + e^a q phi(y + mu) (e^{mu t} - 1), t = y - y_a */
        const double far = y + line->mu;
        const double against = line->rate * inverse_sqrt_two_pi *
                               exp(ref->loss + line->mu * offset - 0.5 * far * far);
        out->rise += weight * (with + against) * rising;
        return;
    }
    out->rise +=
        isinf(ref->y) ? weight * (ref->base * without + with) : weight * with * rising;
}

/* The larger of |y| and |y - mu|, of those below 38.5: beyond, that density is below DBL_MIN, which
 * the upper ends allow for. Negative when both are beyond. */
static double distance(const sot_line *line, double y)
{
    const double nothing = 38.5;
    const double first = fabs(y);
    const double second = fabs(y - line->mu);
    const double nearer =
        fmax(first < nothing ? first : -1.0, second < nothing ? second : -1.0);
    return line->is_replaced && nearer >= 0.0 ? fmax(nearer, fabs(y + line->mu)) : nearer;
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
            if (fabs(left) > 38.0 || fabs(left - line->mu) > 38.0)
                reach = fmax(reach, 39.0);
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
    reference ref = {.y = mark->y, .loss = mark->loss};
    if (line->direction == SOT_REMOVE) {
        if (isinf(mark->y)) ref.base = fmax(0.0, -(expm1(mark->loss) + line->rate));
        return ref;
    }
    ref.posterior = posterior_at(line, mark->y, 1.0);
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
    /* exp(-y^2/2) with y off by a few roundings. mu enters through y - mu and, for "add",
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
