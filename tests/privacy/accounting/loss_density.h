/* tests/privacy/accounting/loss_density.h: the exact law of objective perturbation on a line, for any
 * loss of one margin, with a data-free r(theta) and an interval for theta.
 *
 * theta = argmin over |theta| <= radius of sum of f(theta x; y) + r(theta) + (lambda/2) theta^2 + b theta.
 * Inside, b(theta) = -J'(theta) is a bijection, so the density of theta is nu(b) J''(theta); at the
 * ends theta has atoms, the probabilities that b pushes it further. delta(epsilon) is the integral
 * over b inside, in panels of eight Gauss-Legendre points that end where f'' jumps or the loss crosses
 * epsilon, and the two atoms. Losses are written down afresh: nothing of src/ is used.
 */
#ifndef SOTTO_TESTS_LOSS_DENSITY_H
#define SOTTO_TESTS_LOSS_DENSITY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef enum line_loss {
    LINE_LOGISTIC,
    LINE_HINGE,  /* smoothed; parameter: its width h */
    LINE_HUBER,  /* parameter: its threshold K; squared on a ball with K = R B + Y */
    LINE_POISSON /* parameter: where its slope is cut */
} line_loss;

enum { LINE_ROWS = 6, LINE_BREAKS = 64 };

typedef struct line_row {
    double x, y, weight;
} line_row;

typedef struct line_data {
    size_t rows;
    line_row row[LINE_ROWS];
} line_data;

/* Two neighbours and what they share. sigma for Gaussian b, else rate of e^{-rate |b|/bound}. */
typedef struct line_pair {
    line_loss loss;
    double parameter;
    line_data first, second;
    double slope, curvature, l1, l1_width; /* r(theta) */
    double lambda, radius;                 /* radius 0: the whole line */
    double sigma, rate, bound;
} line_pair;

static inline void line_add(line_data *data, double x, double y, double weight)
{
    data->row[data->rows++] = (line_row){x, y, weight};
}

/* f' and f'' in u. */
static inline void line_bend(const line_pair *pair, double u, double y, double *out_slope,
                             double *out_curvature)
{
    const double p = pair->parameter;
    switch (pair->loss) {
    case LINE_LOGISTIC: {
        const double m = y * u;
        const double s = m > 0.0 ? exp(-m) / (1.0 + exp(-m)) : 1.0 / (1.0 + exp(m));
        *out_slope = -y * s;
        *out_curvature = s * (1.0 - s);
        return;
    }
    case LINE_HINGE: {
        const double short_by = 1.0 + p - y * u;
        const double s = fmin(1.0, fmax(0.0, short_by / (2.0 * p)));
        *out_slope = -y * s;
        *out_curvature = s > 0.0 && s < 1.0 ? 0.5 / p : 0.0;
        return;
    }
    case LINE_HUBER:
        *out_slope = fmin(p, fmax(-p, u - y));
        *out_curvature = fabs(u - y) < p ? 1.0 : 0.0;
        return;
    case LINE_POISSON: {
        const double mean = exp(fmin(u, 300.0));
        *out_slope = fmin(p, fmax(-p, mean - y));
        *out_curvature = fabs(mean - y) < p ? mean : 0.0;
        return;
    }
    }
}

/* Where f'' jumps, in theta; at most two. */
static inline size_t line_jumps(const line_pair *pair, const line_row *row, double out[2])
{
    const double p = pair->parameter;
    if (pair->loss == LINE_LOGISTIC || row->x == 0.0) return 0;
    if (pair->loss == LINE_POISSON) {
        out[0] = log(p + row->y) / row->x;
        if (!(row->y > p)) return 1;
        out[1] = log(row->y - p) / row->x;
        return 2;
    }
    /* Hinge: y u = 1 -+ h, and y = -1 or 1. Huber: u = y -+ K. */
    const double reach = pair->loss == LINE_HINGE ? row->y * p : p;
    out[0] = (row->y - reach) / row->x;
    out[1] = (row->y + reach) / row->x;
    return 2;
}

/* J' and J'' without b. */
static inline void line_derivatives(const line_pair *pair, const line_data *data,
                                    double theta, double *out_first, double *out_second)
{
    const double root = hypot(theta, pair->l1_width);
    double first = pair->slope + (pair->lambda + pair->curvature) * theta;
    double second = pair->lambda + pair->curvature;
    if (pair->l1 > 0.0) {
        first += pair->l1 * theta / root;
        second += pair->l1 * pair->l1_width * pair->l1_width / (root * root * root);
    }
    for (size_t i = 0; i < data->rows; i++) {
        const line_row *row = &data->row[i];
        double slope = NAN, curvature = NAN;
        line_bend(pair, row->x * theta, row->y, &slope, &curvature);
        first += row->weight * slope * row->x;
        second += row->weight * curvature * row->x * row->x;
    }
    *out_first = first;
    *out_second = second;
}

/* theta with J'(theta) = target: bisection that takes Newton's step where it can. */
static inline double line_solve(const line_pair *pair, const line_data *data,
                                double target)
{
    double low = -1.0, high = 1.0, first, second;
    for (line_derivatives(pair, data, low, &first, &second); first > target;
         line_derivatives(pair, data, low, &first, &second))
        low *= 2.0;
    for (line_derivatives(pair, data, high, &first, &second); first < target;
         line_derivatives(pair, data, high, &first, &second))
        high *= 2.0;
    double theta = 0.5 * (low + high);
    for (int i = 0; i < 200 && high - low > 1e-15 * (1.0 + fabs(low)); i++) {
        line_derivatives(pair, data, theta, &first, &second);
        if (first < target) low = theta;
        if (first > target) high = theta;
        if (first == target) return theta;
        const double step = theta - (first - target) / second;
        if (fabs(step - theta) < 1e-16 * (1.0 + fabs(theta))) return theta;
        theta = step > low && step < high && i % 3 != 2 ? step : 0.5 * (low + high);
    }
    return theta;
}

static inline double line_log_noise(const line_pair *pair, double b)
{
    return isnan(pair->rate) ? -0.5 * b * b / (pair->sigma * pair->sigma)
                             : -pair->rate * fabs(b) / pair->bound;
}

/* P(b <= at). */
static inline double line_below(const line_pair *pair, double at)
{
    if (isnan(pair->rate)) return 0.5 * erfc(-at / (pair->sigma * sqrt(2.0)));
    const double tail = 0.5 * exp(-pair->rate * fabs(at) / pair->bound);
    return at < 0.0 ? tail : 1.0 - tail;
}

/* The privacy loss at an inner theta. */
static inline double line_loss_at(const line_pair *pair, double theta)
{
    double one, one_second, two, two_second;
    line_derivatives(pair, &pair->first, theta, &one, &one_second);
    line_derivatives(pair, &pair->second, theta, &two, &two_second);
    return line_log_noise(pair, -one) - line_log_noise(pair, -two) +
           log(one_second / two_second);
}

static inline double line_loss_for(const line_pair *pair, double b)
{
    return line_loss_at(pair, line_solve(pair, &pair->first, -b));
}

/* ---- delta, Gaussian b ---- */

static inline double line_panel(const line_pair *pair, double from, double to,
                                double epsilon)
{
    static const double node[4] = {0.1834346424956498, 0.5255324099163290,
                                   0.7966664774136267, 0.9602898564975363};
    static const double weight[4] = {0.3626837833783620, 0.3137066458778873,
                                     0.2223810344533745, 0.1012285362903763};
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double sum = 0.0;
    for (int i = 0; i < 8; i++) {
        const double z = middle + (i < 4 ? -half : half) * node[i % 4];
        const double loss = line_loss_for(pair, pair->sigma * z);
        if (loss > epsilon)
            sum += weight[i % 4] * exp(-0.5 * z * z) * -expm1(epsilon - loss);
    }
    return half * sum * 0.3989422804014327;
}

static inline bool line_is_above(const line_pair *pair, double z, double epsilon)
{
    return line_loss_for(pair, pair->sigma * z) > epsilon;
}

/* Panels of at most 1/4 over [from, to], where f'' does not jump. */
static inline double line_stretch(const line_pair *pair, double from, double to,
                                  double epsilon)
{
    const int panels = (int)ceil((to - from) / 0.25);
    const double edge = 1e-12 * (to - from); /* the ends belong to jumps */
    double sum = 0.0;
    for (int i = 0; i < panels; i++) {
        double left = from + (to - from) * i / panels;
        const double right = from + (to - from) * (i + 1) / panels;
        double low = left + edge, high = right - edge;
        const bool low_above = line_is_above(pair, low, epsilon);
        if (low_above != line_is_above(pair, high, epsilon)) {
            for (int halving = 0; halving < 45; halving++) {
                const double middle = 0.5 * (low + high);
                if (line_is_above(pair, middle, epsilon) == low_above) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            sum += line_panel(pair, left, low, epsilon);
            left = low;
        }
        sum += line_panel(pair, left, right, epsilon);
    }
    return sum;
}

static inline int line_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Places of b, in sigma, between which the loss is smooth; the first and last are the ends. */
static inline size_t line_breaks(const line_pair *pair, double out[LINE_BREAKS])
{
    const double reach = 9.5;
    double low = -reach, high = reach, first, second;
    if (pair->radius > 0.0) {
        line_derivatives(pair, &pair->first, pair->radius, &first, &second);
        low = fmin(reach, fmax(low, -first / pair->sigma));
        line_derivatives(pair, &pair->first, -pair->radius, &first, &second);
        high = fmax(-reach, fmin(high, -first / pair->sigma));
    }
    size_t count = 0;
    out[count++] = low;
    for (int side = 0; side < 2; side++) {
        const line_data *data = side == 0 ? &pair->first : &pair->second;
        for (size_t i = 0; i < data->rows; i++) {
            double jump[2];
            const size_t jumps = line_jumps(pair, &data->row[i], jump);
            for (size_t j = 0; j < jumps; j++) {
                line_derivatives(pair, &pair->first, jump[j], &first, &second);
                const double z = -first / pair->sigma;
                if (z > low && z < high) out[count++] = z;
            }
        }
    }
    out[count++] = high;
    qsort(out, count, sizeof *out, line_order);
    return count;
}

/* (P(theta at an end) on the first) - e^epsilon (on the second), if positive; both ends. */
static inline double line_atoms(const line_pair *pair, double epsilon)
{
    double sum = 0.0;
    for (int side = -1; side <= 1 && pair->radius > 0.0; side += 2) {
        double one, two, second;
        line_derivatives(pair, &pair->first, side * pair->radius, &one, &second);
        line_derivatives(pair, &pair->second, side * pair->radius, &two, &second);
        /* theta = B when J'(B) + b <= 0; b is symmetric */
        sum += fmax(0.0, line_below(pair, -side * one) -
                             exp(epsilon) * line_below(pair, -side * two));
    }
    return sum;
}

/* delta(epsilon) of the pair (first, second), Gaussian b. */
static inline double line_delta(const line_pair *pair, double epsilon)
{
    double places[LINE_BREAKS];
    const size_t count = line_breaks(pair, places);
    double sum = line_atoms(pair, epsilon);
    for (size_t i = 0; i + 1 < count; i++) {
        if (places[i + 1] > places[i])
            sum += line_stretch(pair, places[i], places[i + 1], epsilon);
    }
    return sum;
}

/* The largest loss of pure noise, over theta inside and at the ends. */
static inline double line_pure_loss(const line_pair *pair)
{
    double largest = -HUGE_VAL;
    const double reach = pair->radius > 0.0 ? pair->radius : 12.0;
    for (int i = 1; i < 4000; i++)
        largest = fmax(largest, line_loss_at(pair, reach * (i / 2000.0 - 1.0)));
    for (int side = -1; side <= 1 && pair->radius > 0.0; side += 2) {
        double one, two, second;
        line_derivatives(pair, &pair->first, side * pair->radius, &one, &second);
        line_derivatives(pair, &pair->second, side * pair->radius, &two, &second);
        largest = fmax(
            largest, log(line_below(pair, -side * one) / line_below(pair, -side * two)));
    }
    return largest;
}

static inline line_pair line_swapped(const line_pair *pair)
{
    line_pair swapped = *pair;
    swapped.first = pair->second;
    swapped.second = pair->first;
    return swapped;
}

#endif
