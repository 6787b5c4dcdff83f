/* The decay of the transform of the Poisson-sampled Gaussian along a vertical line.
 *
 * Shift the line of integration to y + ib, 0 < b < pi sigma. With theta = b/sigma and the
 * posterior p(y),
 *
 *     |r(y + ib)| = r(y) sqrt(1 - 4p(1-p) sin^2(theta/2)),
 *     arg r(y + ib) = a(y) = atan2(p sin theta, 1 - p + p cos theta) >= 0,
 *
 * hence for every s >= 0
 *
 *     |M(c + is)|/M(c) <= B_b(s) = e^{b^2/2}/M(c) int phi r^z (...)^{z/2} e^{-s a(y)} dy,
 *
 * which decreases in s. The code uses the smallest bound over a fixed list of b. B_b is
 * itself a trapezoid sum; its error bound needs theta at most pi/2 (gaussian.md, section
 * 4). */
#include "privacy/accounting/sampled/gaussian.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "privacy/accounting/sampled/grid.h"

enum { SHIFTS = 44 };

struct sot_sampled_tail {
    sot_grid grid;
    size_t count;        /* nodes */
    double *base_weight; /* count: exponential weights, sum 1 */
    double *posterior;   /* count: p(y) */
    double *argument;    /* SHIFTS x count: a(y) */
    double *weight;      /* SHIFTS x count: exponential weight times the modulus factor */
    bool filled[SHIFTS]; /* shifts are tabulated when first asked for */
    double log_factor[SHIFTS]; /* b^2/2 */
    double error[SHIFTS];      /* quadrature error, to be added to B */
    double widening;           /* 1 + the relative rounding error of B */
    int best;                  /* the shift that was best last time */
};

/* The largest shift is 0.35 pi sigma, and 0.15 pi sigma remain for the quadrature's strip. The
 * factor e^{b^2/2} makes heights above 9 useless: a whole Gaussian decays to e^-38 at 8.7. */
static double shift_height(double sigma, int index)
{
    return ldexp(fmin(0.35 * M_PI * sigma, 9.0), -index);
}

static double strip_height(double sigma)
{
    return fmin(0.15 * M_PI * sigma, 4.0);
}

/* log of the growth of the integrand on the strip's edge relative to M(c). */
static double strip_log_growth(const sot_grid *grid, double shift, double strip)
{
    double growth = 0.5 * strip * strip + 0.5 * shift * shift;
    if (grid->power < 0.0) {
        growth += grid->power * log(cos(0.5 * (strip + shift) * grid->inverse_sigma));
    }
    return growth;
}

static void fill_shift(sot_sampled_tail *tail, int index)
{
    const sot_grid *grid = &tail->grid;
    const double theta = shift_height(grid->sigma, index) * grid->inverse_sigma;
    const double half_sine = sin(0.5 * theta);
    const double sine = sin(theta);
    const double one_minus_cosine = 2.0 * half_sine * half_sine;
    double *argument = tail->argument + (size_t)index * tail->count;
    double *weight = tail->weight + (size_t)index * tail->count;
    for (size_t k = 0; k < tail->count; k++) {
        const double p = tail->posterior[k];
        const double square = -4.0 * p * (1.0 - p) * half_sine * half_sine;
        argument[k] = atan2(p * sine, 1.0 - p * one_minus_cosine);
        weight[k] = tail->base_weight[k] * exp(0.5 * grid->power * log1p(square));
    }
    tail->filled[index] = true;
}

/* Fills weights and posteriors of the nodes that matter; returns the omitted weight. The
 * relative error of a weight is at most
 * `2u (y^2 + |z| (error of log r + |log r|) + |log_peak| + 2)`. That of the normaliser is no
 * larger, and a sum of n positive terms adds n u. All go into `widening`. */
static double fill_nodes(sot_sampled_tail *tail, double step, size_t nodes)
{
    const sot_grid *grid = &tail->grid;
    const double first = floor(grid->lower / step);
    double sum = 0.0;
    double dropped = 0.0;
    double roundings = 0.0;
    for (size_t k = 0; k < nodes; k++) {
        const double y = (first + (double)k) * step;
        const sot_grid_node node = sot_grid_node_at(grid, y);
        const double weight =
            exp(grid->power * node.log_ratio - 0.5 * y * y - grid->log_peak);
        sum += weight;
        if (weight < 1e-24) {
            dropped += weight;
            continue;
        }
        roundings = fmax(roundings, y * y + fabs(grid->power) * (node.log_ratio_error +
                                                                 fabs(node.log_ratio)));
        tail->base_weight[tail->count] = weight;
        tail->posterior[tail->count] = sot_grid_posterior(grid, y);
        tail->count++;
    }
    for (size_t k = 0; k < tail->count; k++)
        tail->base_weight[k] /= sum;
    tail->widening = 1.0 + DBL_EPSILON * (2.0 * (roundings + fabs(grid->log_peak) + 2.0) +
                                          (double)nodes + 64.0);
    return dropped / sum;
}

static sotto_status fill_tail(sot_sampled_tail *tail, double step, sotto_error *error)
{
    const sot_grid *grid = &tail->grid;
    const size_t nodes =
        (size_t)(ceil(grid->upper / step) - floor(grid->lower / step)) + 1;
    tail->base_weight = sot_new_array(nodes, sizeof *tail->base_weight);
    tail->posterior = sot_new_array(nodes, sizeof *tail->posterior);
    if (tail->base_weight == NULL || tail->posterior == NULL) {
        return sot_fail_memory(error, nodes, 2 * sizeof *tail->posterior);
    }
    const double dropped = fill_nodes(tail, step, nodes);
    tail->argument = sot_new_array(SHIFTS * tail->count, sizeof *tail->argument);
    tail->weight = sot_new_array(SHIFTS * tail->count, sizeof *tail->weight);
    if (tail->argument == NULL || tail->weight == NULL) {
        return sot_fail_memory(error, 2 * SHIFTS * tail->count, sizeof *tail->argument);
    }
    const double strip = strip_height(grid->sigma);
    for (int i = 0; i < SHIFTS; i++) {
        const double b = shift_height(grid->sigma, i);
        const double growth = strip_log_growth(grid, b, strip);
        tail->log_factor[i] = 0.5 * b * b;
        /* 1e-12 covers the rounding of the arguments; the strip's growth also bounds the
         * factors of the nodes left out. */
        tail->error[i] = 1e-12 + 3.0 * exp(growth - 2.0 * M_PI * strip / step) +
                         4.0 * dropped * exp(growth) + sot_grid_outside(grid);
    }
    tail->best = 7;
    return SOTTO_OK;
}

sotto_status sot_sampled_tail_new(const sot_sampled *sampled, sot_direction direction,
                                  double c, sot_sampled_tail **out_tail,
                                  sotto_error *error)
{
    sot_grid grid;
    if (!sot_grid_make(sampled->rate, sampled->sigma, direction, c, &grid)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the order %g is too large for the quadrature", c);
    }
    const double strip = strip_height(grid.sigma);
    const double growth = strip_log_growth(&grid, shift_height(grid.sigma, 0), strip);
    const double step = fmin(0.25, 2.0 * M_PI * strip / (36.0 + growth));
    if ((grid.upper - grid.lower) / step > 1e6) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "the tail of rate %g and noise multiplier %g needs more than 1e6 nodes",
            sampled->rate, sampled->sigma);
    }
    sot_sampled_tail *tail = sot_new_array(1, sizeof *tail);
    if (tail == NULL) return sot_fail_memory(error, 1, sizeof *tail);
    tail->grid = grid;
    const sotto_status status = fill_tail(tail, step, error);
    if (status != SOTTO_OK) {
        sot_sampled_tail_free(tail);
        return status;
    }
    *out_tail = tail;
    return SOTTO_OK;
}

void sot_sampled_tail_free(sot_sampled_tail *tail)
{
    if (tail == NULL) return;
    sot_free(tail->base_weight);
    sot_free(tail->posterior);
    sot_free(tail->argument);
    sot_free(tail->weight);
    sot_free(tail);
}

static double bound_at(sot_sampled_tail *tail, int index, double s)
{
    if (index < 0 || index >= SHIFTS) return HUGE_VAL;
    if (!tail->filled[index]) fill_shift(tail, index);
    const double *argument = tail->argument + (size_t)index * tail->count;
    const double *weight = tail->weight + (size_t)index * tail->count;
    double sum = 0.0;
    for (size_t k = 0; k < tail->count; k++)
        sum += weight[k] * exp(-s * argument[k]);
    return exp(tail->log_factor[index]) * sum * tail->widening + tail->error[index];
}

/* Searches from the best shift of the last call to the nearest local minimum. */
double sot_sampled_tail_log(sot_sampled_tail *tail, double s)
{
    double least = bound_at(tail, tail->best, s);
    for (int direction = -1; direction <= 1; direction += 2) {
        double next = bound_at(tail, tail->best + direction, s);
        while (next < least) {
            least = next;
            tail->best += direction;
            next = bound_at(tail, tail->best + direction, s);
        }
    }
    return log(fmin(least, 1.0)); /* 1 is the trivial bound */
}
