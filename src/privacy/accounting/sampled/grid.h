/* privacy/accounting/sampled/grid.h: the trapezoid grid under the Poisson-sampled Gaussian.
 *
 * The integrand is `f(y) = phi(y) r(y)^power e^{+-i s log r(y)}` with `r(y) = 1 - q + q e^U`,
 * `U = y/sigma - 1/(2 sigma^2)`. r has no zero in |Im y| < pi sigma. This file places the grid
 * and bounds its error; gaussian.md has the proofs.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_SAMPLED_GRID_H
#define SOT_PRIVACY_ACCOUNTING_SAMPLED_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "privacy/accounting/profile/bracket.h"

typedef struct sot_grid {
    double rate;
    double sigma;
    double power;          /* z: c + 1 for remove, -c for add */
    double inverse_sigma;  /* 1/sigma */
    double offset;         /* 1/(2 sigma^2) */
    double log_rate;       /* log q */
    double log_complement; /* log(1 - q) */
    double lower, upper;   /* the grid covers this range of y */
    double log_peak;       /* largest power * log r - y^2/2 on a coarse scan */
} sot_grid;

typedef struct sot_grid_node {
    double log_ratio;       /* log r */
    double ratio_minus_one; /* r - 1; meaningful below e^700 */
    double log_ratio_error; /* absolute error of log_ratio in units of 2^-53 */
} sot_grid_node;

/* False if the range of y is too wide for the bounds (orders above about 1000 sigma). Also false
 * if the noise is too small for a grid of this range: sigma below 0.012, or 0.045 at order 20. */
bool sot_grid_make(double rate, double sigma, sot_direction direction, double c,
                   sot_grid *out_grid);

sot_grid_node sot_grid_node_at(const sot_grid *grid, double y);

/* q e^U / r, the posterior probability that the record took part. */
double sot_grid_posterior(const sot_grid *grid, double y);

/* Cells of equal width over the range, with the suprema that bound the quadrature's error. */
enum { SOT_CELLS_MAX = 9000 };
typedef struct sot_cells {
    size_t count;
    double width;
    double
        log_base[SOT_CELLS_MAX]; /* sup of log(phi r^power) on the cell, minus log_peak */
    double posterior[SOT_CELLS_MAX]; /* p at the right edge, its supremum */
    double before[SOT_CELLS_MAX];    /* p at the left edge, its infimum */
} sot_cells;

void sot_cells_fill(const sot_grid *grid, sot_cells *out_cells);

/* log of a bound on |trapezoid sum - integral| (not yet divided by M(c)), for frequencies up
 * to s and this step. */
double sot_cells_log_error(const sot_cells *cells, const sot_grid *grid, double s,
                           double step);

/* A step whose error is about `tolerance` relative to M(c), as large as the bound allows. */
double sot_cells_step(const sot_cells *cells, const sot_grid *grid, double s,
                      double tolerance);

/* Bound on the part of the integral and of the sum outside [lower, upper], relative to M(c). */
double sot_grid_outside(const sot_grid *grid);

#endif
