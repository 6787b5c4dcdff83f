/* Proof note: gradient_norm.md. */
#include <float.h>
#include <math.h>

#include "models/linear/solver/pass.h"

double sot_norm_upper(const double *v, size_t count)
{
    double most = 0.0;
    for (size_t j = 0; j < count; j++) {
        if (!isfinite(v[j])) return (double)INFINITY;
        most = fmax(most, fabs(v[j]));
    }
    if (most == 0.0) return 0.0;
    int exponent;
    (void)frexp(most, &exponent);
    double squares = 0.0;
    for (size_t j = 0; j < count; j++) {
        const double scaled = ldexp(v[j], -exponent); /* at most 1; may lose 2^-1074 */
        squares += scaled * scaled;
    }
    const double more = 1.0 + ((double)count + 8.0) * 0x1p-52;
    return ldexp(sqrt(squares) * more, exponent) + DBL_TRUE_MIN;
}

sot_twofold sot_norm_twofold(const double *v, const double *low, size_t count)
{
    double most = 0.0;
    for (size_t j = 0; j < count; j++) {
        if (!isfinite(v[j])) return (sot_twofold){(double)INFINITY, 0.0};
        most = fmax(most, fabs(v[j]));
    }
    if (most == 0.0) return (sot_twofold){0.0, 0.0};
    int exponent;
    (void)frexp(most, &exponent);
    sot_twofold squares = {0.0, 0.0};
    for (size_t j = 0; j < count; j++) {
        const sot_twofold scaled = {ldexp(v[j], -exponent), ldexp(low[j], -exponent)};
        squares = sot_twofold_add(squares, sot_twofold_mul(scaled, scaled));
    }
    const sot_twofold root = sot_twofold_sqrt(squares);
    return (sot_twofold){ldexp(root.high, exponent), ldexp(root.low, exponent)};
}

/* The largest amount by which the product of `count` factors 1 + e, |e| <= unit, differs from 1. */
static double gathered(double count, double unit)
{
    const double first = count * unit;
    return first < 0.5 ? first / (1.0 - first) : (double)INFINITY;
}

/* All terms differ by more than 2^-45 in size, so one factor covers the roundings of the bound's
 * own arithmetic. DBL_MIN covers underflow, at most 2^-1074 a product. */
static double bound(double computed_norm, double rounding)
{
    const double sum = (computed_norm + rounding) * (1.0 + 0x1p-40) + DBL_MIN;
    return isnan(sum) ? (double)INFINITY : sum;
}

double sot_pass_norm_upper(const sot_pass *pass, const sot_pass_bounds *bounds,
                           const double *theta, const double *gradient,
                           double slope_squares)
{
    const sot_glm *glm = pass->glm;
    const double rows = (double)glm->matrix->rows;
    const double unit = 0x1p-53;
    const double theta_norm = sot_norm_upper(theta, glm->matrix->columns);
    const double norm = sot_norm_upper(gradient, glm->matrix->columns);

    /* Slopes: the margin's error times the curvature, and the loss's own error. */
    const double margin_error = gathered((double)bounds->terms + 1.0, unit) * theta_norm *
                                bounds->frobenius_upper;
    const double slopes_error =
        (glm->loss->curvature_most * margin_error + glm->loss->slope_error * sqrt(rows)) *
        bounds->frobenius_upper;
    /* Sums: every term goes through at most this many roundings. */
    const double roundings = (double)pass->block_rows +
                             (double)pass->chunk_rows / (double)pass->block_rows +
                             (double)pass->chunks + SOT_TERMS_ROUNDINGS +
                             (glm->matrix->layout != NULL ? 2.0 : 0.0);
    const double squares = slope_squares * (1.0 + (rows + 8.0) * unit * 2.0);
    const double terms = sqrt(squares) * bounds->frobenius_upper +
                         sot_terms_size_upper(glm, pass->nu, theta_norm,
                                              bounds->linear_upper, bounds->center_upper);
    /* The gradient in double leaves out the second double of nu. */
    return bound(norm, slopes_error + gathered(roundings, unit) * terms +
                           fabs(pass->nu.low) * theta_norm);
}

double sot_pass_norm_upper_careful(const sot_pass *pass, const sot_pass_bounds *bounds,
                                   const double *theta, const double *gradient,
                                   const double *gradient_low, double slope_squares)
{
    const sot_glm *glm = pass->glm;
    const double rows = (double)glm->matrix->rows;
    const double unit = 0x1p-105; /* of an addition of a double: 2 u^2 */
    /* theta_low is at most 2^-53 of theta. */
    const double theta_norm =
        sot_norm_upper(theta, glm->matrix->columns) * (1.0 + 0x1p-50);
    const double norm = sot_norm_upper(gradient, glm->matrix->columns) +
                        sot_norm_upper(gradient_low, glm->matrix->columns);
    const double margin_error =
        gathered(4.0 * (double)bounds->terms_careful + 8.0, unit) * theta_norm *
        bounds->frobenius_upper;
    const double slopes_error = (glm->loss->curvature_most * margin_error +
                                 glm->loss->slope_error_careful * sqrt(rows)) *
                                bounds->frobenius_upper;
    const double roundings =
        2.0 * (double)pass->chunk_rows + 2.0 * (double)pass->chunks + 16.0;
    const double squares = slope_squares * (1.0 + (rows + 8.0) * 0x1p-52);
    const double slopes_norm = sqrt(squares) * bounds->frobenius_upper;
    const double free_terms = sot_terms_size_upper(
        glm, pass->nu, theta_norm, bounds->linear_upper, bounds->center_upper);
    const double terms = slopes_norm + free_terms;
    return bound(norm, slopes_error + gathered(roundings, unit) * terms +
                           0x1p-80 * slopes_norm + SOT_TERMS_ERROR_CAREFUL * free_terms);
}
