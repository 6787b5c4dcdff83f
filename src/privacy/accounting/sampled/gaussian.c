#include "privacy/accounting/sampled/gaussian.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/special.h"
#include "numeric/sum.h"
#include "privacy/accounting/sampled/grid.h"

static const double unit = 0x1p-53; /* relative error of one rounding */

double sot_sampled_loss_max(const sot_sampled *sampled, sot_direction direction)
{
    return direction == SOT_REMOVE ? HUGE_VAL
                                   : sot_widen_up(-log1p(-sampled->rate), 8.0 * unit);
}

/* M(t) - 1 = E[expm1(z log r) - z (r - 1)], because E[r] = 1: full accuracy for tiny rates.
 * The sum of absolute rounding errors follows gaussian.md, section 3. */
static double mgf_minus_one(const sot_grid *grid, double step, double *out_error)
{
    const double z = grid->power;
    const double first = floor(grid->lower / step);
    const double last = ceil(grid->upper / step);
    const double front = 0.39894228040143268 * step;
    sot_sum sum = {0};
    double rounding = 0.0;
    for (double k = first; k <= last; k += 1.0) {
        const double y = k * step;
        const double log_density = -0.5 * y * y;
        const double density = front * exp(log_density);
        const sot_grid_node node = sot_grid_node_at(grid, y);
        /* Far out e^{z log r} may overflow where its product with the density does not. */
        const double exponent = z * node.log_ratio;
        const double power = exponent > 30.0 ? front * exp(exponent + log_density)
                                             : density * expm1(exponent);
        const double ratio = node.log_ratio > 30.0
                                 ? front * exp(node.log_ratio + log_density)
                                 : density * node.ratio_minus_one;
        sot_sum_add(&sum, power);
        sot_sum_add(&sum, -z * ratio);
        rounding += (12.0 + 2.0 * y * y) * (fabs(power) + fabs(z * ratio)) +
                    fabs(z) * (density + fabs(power)) *
                        (node.log_ratio_error + 2.0 * fabs(node.log_ratio)) +
                    fabs(z) * (density + fabs(ratio)) *
                        (node.log_ratio_error + 2.0 * fabs(node.log_ratio));
    }
    /* The two terms E[1] and E[z(r-1)] on the shifted line Im y = 5, see section 2. */
    const double entire = 2.0 * (1.0 + 2.0 * grid->rate * fabs(z)) * exp(12.5) /
                          expm1(fmin(10.0 * M_PI / step, 700.0));
    *out_error = 2.0 * unit * rounding + entire;
    return sot_sum_value(&sum);
}

/* log of the sum itself: for M far from 1, where the terms may overflow. */
static double mgf_logarithm(const sot_grid *grid, double step, double *out_error)
{
    const double first = floor(grid->lower / step);
    const double last = ceil(grid->upper / step);
    const double largest = grid->log_peak;
    sot_sum sum = {0};
    double rounding = 0.0;
    for (double k = first; k <= last; k += 1.0) {
        const double y = k * step;
        const sot_grid_node node = sot_grid_node_at(grid, y);
        const double term = exp(grid->power * node.log_ratio - 0.5 * y * y - largest);
        sot_sum_add(&sum, term);
        rounding += term * (12.0 + 2.0 * y * y + fabs(largest) +
                            fabs(grid->power) *
                                (node.log_ratio_error + 2.0 * fabs(node.log_ratio)));
    }
    const double total = sot_sum_value(&sum);
    *out_error =
        2.0 * unit * (rounding / total + fabs(largest) + fabs(log(total * step)) + 4.0);
    return largest + log(total * step * 0.39894228040143268);
}

/* The finite sum has `order` terms; beyond, the quadrature is the cheaper one. */
static const double integer_order_max = 4096.0;

/* Remove at integer z: M = sum_k C(z,k) (1-q)^(z-k) q^k e^{k(k-1)/(2 sigma^2)} (Mironov, Talwar
 * & Zhang 2019, eq. 30). Without the exponential the sum is 1, so M - 1 has expm1 instead, and
 * positive terms only: no cancellation at any rate. */
static double mgf_integer_order(const sot_sampled *sampled, double z, double *out_error)
{
    const double offset = 0.5 / (sampled->sigma * sampled->sigma);
    const double log_rate = log(sampled->rate);
    const double log_complement = log1p(-sampled->rate);
    double largest = -HUGE_VAL;
    for (double k = 2.0; k <= z; k += 1.0) {
        const double shift = k * (k - 1.0) * offset;
        largest = fmax(largest, sot_log_binomial(z, k) + k * log_rate +
                                    (z - k) * log_complement + shift);
    }
    sot_sum sum = {0};
    double rounding = 0.0;
    for (double k = 2.0; k <= z; k += 1.0) {
        const double shift = k * (k - 1.0) * offset;
        const double choose = sot_log_binomial(z, k);
        const double powers = k * log_rate + (z - k) * log_complement;
        /* log(e^shift - 1) = shift + log(1 - e^-shift) */
        const double term = exp(choose + powers + shift - largest) * -expm1(-shift);
        sot_sum_add(&sum, term);
        rounding +=
            term * (16.0 + 16.0 * choose - 4.0 * powers + 8.0 * shift + fabs(largest));
    }
    const double relative = 2.0 * unit * rounding / sot_sum_value(&sum);
    const double log_excess = largest + log(sot_sum_value(&sum));
    const double log_mgf = log_excess > 30.0 ? log_excess : log1p(exp(log_excess));
    /* d log(1 + e^x)/dx is at most 1, and at most the value itself over log 2 when x < 0. */
    *out_error = relative * fmin(1.0, 1.5 * log_mgf) +
                 8.0 * unit * (fabs(log_mgf) + fmin(1.0, log_mgf) * fabs(log_excess));
    return log_mgf;
}

double sot_sampled_log_mgf(const sot_sampled *sampled, sot_direction direction, double t,
                           double *out_error)
{
    *out_error = HUGE_VAL;
    const double order = t + 1.0;
    if (direction == SOT_REMOVE && order == floor(order) && order >= 2.0 &&
        order <= integer_order_max) {
        return mgf_integer_order(sampled, order, out_error);
    }
    sot_grid grid;
    if (!sot_grid_make(sampled->rate, sampled->sigma, direction, t, &grid))
        return HUGE_VAL;
    sot_cells cells;
    sot_cells_fill(&grid, &cells);
    const double step = sot_cells_step(&cells, &grid, 0.0, 1e-18);
    double relative;
    double log_mgf = mgf_logarithm(&grid, step, &relative);
    if (sampled->rate <= 0.5 && log_mgf < 4.0) {
        double absolute;
        const double excess = mgf_minus_one(&grid, step, &absolute);
        log_mgf = log1p(excess);
        relative = absolute / (1.0 + excess) * 1.01 + 4.0 * unit * fabs(log_mgf);
    }
    const double quadrature =
        exp(sot_cells_log_error(&cells, &grid, 0.0, step) - log_mgf);
    if (!(quadrature < 0.1) || !isfinite(log_mgf)) return HUGE_VAL;
    *out_error = relative + 1.2 * quadrature + sot_grid_outside(&grid);
    return log_mgf;
}

/* t -> P^{t+1} Q^{-t} is convex in P, and Q^{t+1} P^{-t} too. With P = (1-q)Q + qN(1),
 * both integrals are at most `1 - q + q e^{t(t+1)/(2 sigma^2)}`. */
double sot_sampled_log_mgf_bound(const sot_sampled *sampled, double t)
{
    const double q = sampled->rate;
    const double whole = 0.5 * t * (t + 1.0) / (sampled->sigma * sampled->sigma);
    const double bound = whole < 30.0
                             ? log1p(q * expm1(whole))
                             : whole + log(q) + log1p((1.0 - q) / q * exp(-whole));
    return bound + 16.0 * DBL_EPSILON * (fabs(bound) + whole + 1e-300);
}

double sot_sampled_log_mgf_estimate(const sot_sampled *sampled, sot_direction direction,
                                    double t)
{
    sot_grid grid;
    if (!sot_grid_make(sampled->rate, sampled->sigma, direction, t, &grid))
        return HUGE_VAL;
    /* Six digits will do: 8 standard deviations, and e^{-2 pi^2/0.7} from the strip. */
    const double step = 0.7 * fmin(1.0, sampled->sigma);
    grid.lower += 5.5;
    grid.upper -= 5.5;
    double ignored;
    if (sampled->rate <= 0.5 && grid.log_peak < 500.0) {
        const double excess = mgf_minus_one(&grid, step, &ignored);
        if (excess < 50.0) return log1p(fmax(excess, 0.0));
    }
    return mgf_logarithm(&grid, step, &ignored);
}

static double atoms_tolerance(const sot_sampled *sampled)
{
    return fmin(1e-16, fmax(1e-26, 1e-13 / sampled->count));
}

double sot_sampled_atoms_estimate(const sot_sampled *sampled, sot_direction direction,
                                  double c, double s_max)
{
    sot_grid grid;
    if (!sot_grid_make(sampled->rate, sampled->sigma, direction, c, &grid))
        return HUGE_VAL;
    sot_cells cells;
    sot_cells_fill(&grid, &cells);
    const double step = sot_cells_step(&cells, &grid, s_max, atoms_tolerance(sampled));
    return (double)cells.count * cells.width / step;
}

/* Keeps the atoms within e^-60 of the largest; the rest is counted as an error. */
static const double negligible_log_weight = -60.0;

sotto_status sot_sampled_atoms(const sot_sampled *sampled, sot_direction direction,
                               double c, double s_max, sot_atoms *out_atoms,
                               sotto_error *error)
{
    sot_grid grid;
    if (!sot_grid_make(sampled->rate, sampled->sigma, direction, c, &grid)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the order %g is too large for the quadrature", c);
    }
    sot_cells cells;
    sot_cells_fill(&grid, &cells);
    const double step = sot_cells_step(&cells, &grid, s_max, atoms_tolerance(sampled));
    const double first = floor(grid.lower / step);
    const double last = ceil(grid.upper / step);
    const double sign = direction == SOT_REMOVE ? 1.0 : -1.0;
    if (last - first > 1e7) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "the quadrature of rate %g and noise multiplier %g needs more than "
            "1e7 nodes",
            sampled->rate, sampled->sigma);
    }
    sotto_status status = sot_atoms_new((size_t)(last - first) + 1, out_atoms, error);
    if (status != SOTTO_OK) return status;

    size_t kept = 0;
    double sum = 0.0;
    double dropped = 0.0;
    double rounding = 0.0;
    double weight_errors = 0.0;
    double sizes = 0.0;
    const double summation = SOT_ATOM_ROUNDINGS + (last - first) / SOT_ATOM_BLOCK;
    for (double k = first; k <= last; k += 1.0) {
        const double y = k * step;
        const sot_grid_node node = sot_grid_node_at(&grid, y);
        const double log_weight =
            grid.power * node.log_ratio - 0.5 * y * y - grid.log_peak;
        const double weight = exp(log_weight);
        if (log_weight < negligible_log_weight) {
            dropped += weight;
            continue;
        }
        const double size = fabs(node.log_ratio);
        const double weight_error =
            2.0 * y * y + fabs(grid.power) * (node.log_ratio_error + 2.0 * size) +
            fabs(grid.log_peak);
        rounding += weight * (node.log_ratio_error + size * (summation + weight_error));
        weight_errors += weight * weight_error;
        sizes += weight * size;
        out_atoms->loss[kept] = sign * node.log_ratio;
        out_atoms->weight[kept] = weight;
        sum += weight;
        kept++;
    }
    const size_t lanes = SOT_ATOM_LANES;
    out_atoms->count = (kept + lanes - 1) / lanes * lanes; /* the rest stayed zero */
    sot_atoms_normalize(out_atoms);
    const double log_mgf = grid.log_peak + log(sum * step * 0.39894228040143268);
    const double quadrature =
        exp(sot_cells_log_error(&cells, &grid, s_max, step) - log_mgf);
    /* The weights' errors act on the terms, and through the normaliser on all of them. */
    out_atoms->rounding_per_s =
        2.0 * unit * (rounding + weight_errors / sum * sizes) / sum;
    /* Transform at s and normaliser at 0 both err, hence the factor 2.4 = 2 * 1.2. */
    out_atoms->quadrature =
        2.4 * quadrature + 4.0 * dropped / sum + 2.0 * sot_grid_outside(&grid);
    if (!(quadrature < 0.1)) out_atoms->quadrature = HUGE_VAL;
    return SOTTO_OK;
}
