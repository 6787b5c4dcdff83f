/* Proof note: softmax.md. */
#include <float.h>
#include <math.h>

#include "models/linear/solver/pass.h"
#include "models/softmax/pass.h"
#include "models/softmax/row.h"

/* diag p - p p^T: softmax.md. */
#define CURVATURE_MOST 0.5

/* The largest amount by which the product of `count` factors 1 + e, |e| <= unit, differs from 1. */
static double gathered(double count, double unit)
{
    const double first = count * unit;
    return first < 0.5 ? first / (1.0 - first) : (double)INFINITY;
}

/* One factor covers the roundings of the bound's own arithmetic, all of whose terms are positive.
 * DBL_MIN covers underflow, at most 2^-1074 a product. */
static double bound(double computed_norm, double rounding)
{
    const double sum = (computed_norm + rounding) * (1.0 + 0x1p-40) + DBL_MIN;
    return isnan(sum) ? (double)INFINITY : sum;
}

/* Roundings that a term of a row's product with theta passes: kernels.c. */
static double margin_roundings(const sot_softmax_pass *pass, size_t terms)
{
    const sot_matrix *matrix = pass->problem->matrix;
    if (matrix->dense == NULL) return (double)terms + 1.0;
    const size_t block =
        matrix->stride < SOT_SOFTMAX_COLUMNS ? matrix->stride : SOT_SOFTMAX_COLUMNS;
    const size_t blocks = (matrix->stride + block - 1) / block;
    return (double)(block / 4 + 2 + blocks);
}

/* sqrt of the number of coordinates times l1: the largest norm of the gradient. */
static double l1_gradient(const sot_softmax *problem)
{
    return problem->l1 * sqrt((double)(problem->classes * problem->matrix->columns)) *
           (1.0 + 0x1p-50);
}

/* The sizes of all terms of a gradient, as vectors, added up. */
static double sizes(const sot_softmax_pass *pass, const sot_softmax_bounds *bounds,
                    double theta_norm, double slopes_norm)
{
    const sot_softmax *problem = pass->problem;
    return slopes_norm + problem->lambda * (theta_norm + bounds->center_upper) +
           pass->extra * theta_norm + bounds->linear_upper + l1_gradient(problem);
}

double sot_softmax_norm_upper(const sot_softmax_pass *pass,
                              const sot_softmax_bounds *bounds, const double *theta,
                              const double *gradient, double slope_squares)
{
    const sot_softmax *problem = pass->problem;
    const double rows = (double)problem->matrix->rows;
    const double unit = 0x1p-53;
    const double theta_norm = sot_norm_upper(theta, pass->length);
    const double norm = sot_norm_upper(gradient, pass->length);

    /* Slopes: the margins' error times the curvature, and the row's own error. */
    const double margin_error = gathered(margin_roundings(pass, bounds->terms), unit) *
                                theta_norm * bounds->frobenius_upper;
    const double slopes_error = (CURVATURE_MOST * margin_error +
                                 sot_softmax_row_error(problem->classes) * sqrt(rows)) *
                                bounds->frobenius_upper;
    /* Sums: every term goes through at most this many roundings. */
    const double roundings = (double)pass->block_rows +
                             (double)pass->chunk_rows / (double)pass->block_rows +
                             (double)pass->chunks + 16.0;
    const double more = 1.0 + (rows + (double)problem->classes + 8.0) * unit * 2.0;
    const double slopes_norm = sqrt(slope_squares * more) * bounds->frobenius_upper;
    const double rounding =
        slopes_error +
        gathered(roundings, unit) * sizes(pass, bounds, theta_norm, slopes_norm) +
        0x1p-49 * l1_gradient(problem);
    return bound(norm, rounding);
}

/* A row's loss is log(sum) + below. The sum is good to 2^-50 + (2 classes + 8) 2^-53, its
 * logarithm to 2^-50, with two roundings of at most log(classes) + sqrt2 |theta| |x|. Margins:
 * sqrt2 times their errors. */
double sot_softmax_value_error(const sot_softmax_pass *pass,
                               const sot_softmax_bounds *bounds, double theta_norm)
{
    const double rows = (double)pass->problem->matrix->rows;
    const double classes = (double)pass->problem->classes;
    const double reach = theta_norm * sqrt(rows) * bounds->frobenius_upper;
    const double sizes = rows * (1.0 + log(classes)) + 2.0 * reach;
    const double own =
        rows * sot_softmax_row_error(pass->problem->classes) + 0x1p-49 * sizes;
    const double margins =
        1.5 * (margin_roundings(pass, bounds->terms) + 4.0) * 0x1p-52 * reach;
    const double sums =
        ((double)pass->chunk_rows + (double)pass->chunks + 4.0) * 0x1p-52 * (sizes + own);
    return bound(0.0, own + margins + sums);
}

double sot_softmax_norm_upper_careful(const sot_softmax_pass *pass,
                                      const sot_softmax_bounds *bounds,
                                      const double *theta, const double *gradient,
                                      const double *gradient_low, double slope_squares)
{
    const sot_softmax *problem = pass->problem;
    const double rows = (double)problem->matrix->rows;
    const double unit = 0x1p-105; /* of an addition of a double: 2 u^2 */
    /* theta_low is at most 2^-53 of theta. */
    const double theta_norm = sot_norm_upper(theta, pass->length) * (1.0 + 0x1p-50);
    const double norm = sot_norm_upper(gradient, pass->length) +
                        sot_norm_upper(gradient_low, pass->length);
    const double margin_error = gathered(4.0 * (double)bounds->terms + 8.0, unit) *
                                theta_norm * bounds->frobenius_upper;
    const double slopes_error =
        (CURVATURE_MOST * margin_error +
         sot_softmax_row_error_careful(problem->classes) * sqrt(rows)) *
        bounds->frobenius_upper;
    const double roundings =
        3.0 * (double)pass->chunk_rows + 2.0 * (double)pass->chunks + 24.0;
    const double more = 1.0 + (rows * (double)problem->classes + 8.0) * 0x1p-52;
    const double slopes_norm = sqrt(slope_squares * more) * bounds->frobenius_upper;
    const double rounding =
        slopes_error +
        gathered(roundings, unit) * sizes(pass, bounds, theta_norm, slopes_norm) +
        0x1p-98 * l1_gradient(problem);
    return bound(norm, rounding);
}
