/* tests/privacy/accounting/objective_density.h: the exact law of objective perturbation.
 *
 * theta = argmin sum of logistic losses + g.theta + (h/2)|theta|^2 + (lambda/2)|theta|^2 + b.theta
 * in one or two dimensions. b(theta) is a bijection, so the density of theta on a data set is
 * nu(b(theta)) det H(theta), and the privacy loss at theta is a difference of two logarithms.
 * delta(epsilon) is then the integral over b of nu(b) (1 - e^{epsilon - loss})_+: along lines, in
 * panels of eight Gauss-Legendre points, a panel cut where the loss crosses epsilon. Nothing of
 * src/ is used but the standard normal distribution.
 */
#ifndef SOTTO_TESTS_OBJECTIVE_DENSITY_H
#define SOTTO_TESTS_OBJECTIVE_DENSITY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DENSITY_ROWS = 8 };

/* Rows q = label * features; a weight is a number of copies. */
typedef struct density_data {
    size_t rows;
    double row[DENSITY_ROWS][2];
    double weight[DENSITY_ROWS];
} density_data;

/* Gradient of the objective without b, and its Hessian (xx, xy, yy). */
struct density_pair;
typedef void (*density_loss)(const struct density_pair *pair, const density_data *data,
                             const double theta[2], double out_gradient[2],
                             double out_hessian[3]);

/* Two neighbours and what they share. sigma for Gaussian b, rate (of e^{-rate |b|/R}) for pure. */
typedef struct density_pair {
    density_data first, second;
    double slope[2];  /* g */
    double curvature; /* h */
    double lambda;
    double sigma;
    double rate;
    double record_bound;
    bool is_flat;      /* nothing moves along the second axis: one line is all */
    double axis[2];    /* unit vector along which the loss varies most */
    density_loss loss; /* NULL: logistic */
    const void *context;
    /* Of a loss whose f'' jumps: another number on each piece. NULL: no jumps. */
    uint64_t (*piece)(const struct density_pair *pair, const double theta[2]);
} density_pair;

static inline void density_add(density_data *data, double x, double y, double weight)
{
    const size_t i = data->rows++;
    data->row[i][0] = x;
    data->row[i][1] = y;
    data->weight[i] = weight;
}

/* 1/(1 + e^u) */
static inline double density_wrong(double u)
{
    return u > 0.0 ? exp(-u) / (1.0 + exp(-u)) : 1.0 / (1.0 + exp(u));
}

static inline void density_derivatives(const density_pair *pair, const density_data *data,
                                       const double theta[2], double out_gradient[2],
                                       double out_hessian[3])
{
    if (pair->loss != NULL) {
        pair->loss(pair, data, theta, out_gradient, out_hessian);
        return;
    }
    const double ridge = pair->lambda + pair->curvature;
    for (int i = 0; i < 2; i++)
        out_gradient[i] = pair->slope[i] + ridge * theta[i];
    out_hessian[0] = out_hessian[2] = ridge;
    out_hessian[1] = 0.0;
    for (size_t i = 0; i < data->rows; i++) {
        const double *q = data->row[i];
        const double s = density_wrong(q[0] * theta[0] + q[1] * theta[1]);
        const double curve = data->weight[i] * s * (1.0 - s);
        out_gradient[0] -= data->weight[i] * s * q[0];
        out_gradient[1] -= data->weight[i] * s * q[1];
        out_hessian[0] += curve * q[0] * q[0];
        out_hessian[1] += curve * q[0] * q[1];
        out_hessian[2] += curve * q[1] * q[1];
    }
}

/* The minimiser with tilt b, from the start in `theta`: Newton, steps halved until the gradient
 * shrinks. */
static inline void density_solve(const density_pair *pair, const density_data *data,
                                 const double b[2], double theta[2])
{
    double gradient[2], hessian[3];
    density_derivatives(pair, data, theta, gradient, hessian);
    double norm = hypot(gradient[0] + b[0], gradient[1] + b[1]);
    const double scale = 1.0 + hypot(b[0], b[1]) + hypot(pair->slope[0], pair->slope[1]);
    for (int step = 0; step < 200 && norm > 1e-13 * scale; step++) {
        const double r[2] = {gradient[0] + b[0], gradient[1] + b[1]};
        const double det = hessian[0] * hessian[2] - hessian[1] * hessian[1];
        const double move[2] = {(hessian[2] * r[0] - hessian[1] * r[1]) / det,
                                (hessian[0] * r[1] - hessian[1] * r[0]) / det};
        double length = 1.0, shrunk = norm;
        for (int halving = 0; halving < 60; halving++, length *= 0.5) {
            const double next[2] = {theta[0] - length * move[0],
                                    theta[1] - length * move[1]};
            density_derivatives(pair, data, next, gradient, hessian);
            shrunk = hypot(gradient[0] + b[0], gradient[1] + b[1]);
            if (shrunk < norm) {
                theta[0] = next[0];
                theta[1] = next[1];
                break;
            }
        }
        if (!(shrunk < norm)) return; /* as good as rounding allows */
        norm = shrunk;
    }
}

/* log of the density of theta on a data set, but for the constant of nu. */
static inline double density_log(const density_pair *pair, const density_data *data,
                                 const double theta[2])
{
    double gradient[2], hessian[3];
    density_derivatives(pair, data, theta, gradient, hessian);
    const double norm = hypot(gradient[0], gradient[1]);
    const double det = hessian[0] * hessian[2] - hessian[1] * hessian[1];
    const double log_noise = isnan(pair->rate)
                                 ? -0.5 * norm * norm / (pair->sigma * pair->sigma)
                                 : -pair->rate * norm / pair->record_bound;
    return log_noise + log(det);
}

static inline double density_loss_at(const density_pair *pair, const double theta[2])
{
    return density_log(pair, &pair->first, theta) -
           density_log(pair, &pair->second, theta);
}

/* One line of b: z[1] fixed, z[0] runs. */
typedef struct density_line {
    const density_pair *pair;
    double across;
    double theta[2]; /* warm start */
} density_line;

static inline double density_line_loss(density_line *line, double along)
{
    const density_pair *pair = line->pair;
    const double *u = pair->axis;
    const double b[2] = {pair->sigma * (along * u[0] - line->across * u[1]),
                         pair->sigma * (along * u[1] + line->across * u[0])};
    density_solve(pair, &pair->first, b, line->theta);
    return density_loss_at(pair, line->theta);
}

static inline double density_phi(double z)
{
    return 0.3989422804014327 * exp(-0.5 * z * z);
}

/* What is averaged over b: a function of the loss, with a kink at `kink` (NaN: none). */
typedef struct density_average {
    double (*value)(double loss, double parameter, double kink);
    double parameter;
    double kink;
    double reach; /* in standard deviations of b; 0: 9 */
} density_average;

/* Integral over [from, to] of phi times the value. Eight-point Gauss-Legendre. */
static inline double density_panel(density_line *line, double from, double to,
                                   const density_average *of)
{
    static const double node[4] = {0.1834346424956498, 0.5255324099163290,
                                   0.7966664774136267, 0.9602898564975363};
    static const double weight[4] = {0.3626837833783620, 0.3137066458778873,
                                     0.2223810344533745, 0.1012285362903763};
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double sum = 0.0;
    for (int i = 0; i < 8; i++) {
        const double z = middle + (i < 4 ? -half : half) * node[i % 4];
        const double loss = density_line_loss(line, z);
        sum += weight[i % 4] * density_phi(z) * of->value(loss, of->parameter, of->kink);
    }
    return half * sum;
}

/* Which side of the kink, and which piece of the losses. */
static inline uint64_t density_side(density_line *line, double z, double kink)
{
    const uint64_t above = density_line_loss(line, z) > kink ? 1 : 0;
    const density_pair *pair = line->pair;
    return above + (pair->piece == NULL ? 0 : 2 * pair->piece(pair, line->theta));
}

/* Where on [from, to] the side ceases to be that of `from`. */
static inline double density_crossing(density_line *line, double from, double to,
                                      uint64_t side, double kink)
{
    for (int i = 0; i < 45; i++) {
        const double middle = 0.5 * (from + to);
        if (density_side(line, middle, kink) == side) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return 0.5 * (from + to);
}

static inline double density_line_integral(density_line *line, const density_average *of)
{
    const double reach = of->reach > 0.0 ? of->reach : 9.0, width = 0.25;
    double sum = 0.0;
    uint64_t side = density_side(line, -reach, of->kink);
    for (double left = -reach; left < reach; left += width) {
        const double right = left + width;
        const uint64_t right_side = density_side(line, right, of->kink);
        double from = left;
        for (int cuts = 0; side != right_side && cuts < 8; cuts++) {
            const double cut = density_crossing(line, from, right, side, of->kink);
            sum += density_panel(line, from, cut, of);
            from = cut + 1e-12;
            side = density_side(line, from, of->kink);
        }
        sum += density_panel(line, from, right, of);
        side = right_side;
    }
    return sum;
}

static inline double density_integral(const density_pair *pair, const density_average *of)
{
    density_line line = {.pair = pair};
    if (pair->is_flat) return density_line_integral(&line, of);
    /* The trapezoid rule on a smooth function times phi: its error is e^{-2 pi^2/step^2}. */
    const double step = 0.5;
    double sum = 0.0;
    for (int i = -14; i <= 14; i++) {
        line.across = step * i;
        sum += step * density_phi(line.across) * density_line_integral(&line, of);
    }
    return sum;
}

static inline double density_hockey(double loss, double parameter, double kink)
{
    (void)parameter;
    return loss > kink ? -expm1(kink - loss) : 0.0;
}

static inline double density_moment(double loss, double parameter, double kink)
{
    (void)kink;
    return exp(parameter * loss);
}

/* delta(epsilon) of the pair (first, second), Gaussian b. */
static inline double density_delta(const density_pair *pair, double epsilon)
{
    const density_average of = {density_hockey, NAN, epsilon, 0.0};
    return density_integral(pair, &of);
}

/* Renyi divergence of order alpha of the pair. Its mass is where a tilt of alpha - 1 shifts of
 * 2 R/sigma, the most that one record for another makes, has its own. */
static inline double density_rdp(const density_pair *pair, double alpha)
{
    const double shift = 2.0 * pair->record_bound / pair->sigma;
    const double reach = 9.0 + 0.25 * ceil(4.0 * (alpha - 1.0) * shift);
    const density_average of = {density_moment, alpha - 1.0, NAN, reach};
    return log(density_integral(pair, &of)) / (alpha - 1.0);
}

static inline density_pair density_swapped(const density_pair *pair)
{
    density_pair swapped = *pair;
    swapped.first = pair->second;
    swapped.second = pair->first;
    return swapped;
}

/* The privacy loss of pure noise at theta, if the slope g is such that b = `b` there on the first
 * data set: every theta and every b meet on some neighbours. */
static inline double density_pure_loss(density_pair *pair, const double theta[2],
                                       const double b[2])
{
    double gradient[2], hessian[3];
    density_derivatives(pair, &pair->first, theta, gradient, hessian);
    for (int i = 0; i < 2; i++)
        pair->slope[i] -= gradient[i] + b[i];
    return density_loss_at(pair, theta);
}

#endif
