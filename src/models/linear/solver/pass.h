/* models/linear/solver/pass.h: passes over the rows of a problem, with a workspace that lasts for many of them.
 *
 * Rows are divided into chunks that depend only on the matrix's shape. A chunk adds up its blocks
 * of rows, and the chunks are added up in their order. So the bits are the same for any number of
 * threads, without a long chain of roundings. Vectors have `width` numbers
 * (models/linear/rows/rows.h).
 */
#ifndef SOT_MODELS_LINEAR_SOLVER_PASS_H
#define SOT_MODELS_LINEAR_SOLVER_PASS_H

#include "models/linear/rows/frame.h"
#include "models/linear/rows/rows.h"
#include "models/linear/solver/problem.h"
#include "models/linear/solver/terms.h"

typedef struct sot_pass {
    const sot_glm *glm;
    const sot_rows *rows;
    size_t width;
    size_t step;       /* rows looked at together */
    size_t block_rows; /* added up first */
    size_t chunk_rows, chunks;
    double *sums;      /* 2 width a chunk */
    double *numbers;   /* 2 a chunk */
    sot_twofold nu;    /* of (nu/2)|theta|^2 beside J; 0 unless a solver wants it */
    double *values[2]; /* of rows held as bins: theta by value, at two points */
    double *by_value;  /* and a sum by value; else NULL */
    double *ridge; /* the data-free part of the Hessian, a diagonal; lambda at first */
} sot_pass;

/* The inputs of the rounding error bounds of a gradient. */
typedef struct sot_pass_bounds {
    double frobenius_upper; /* sqrt of the sum of all x_ij^2 */
    double linear_upper;    /* |b| */
    double center_upper;    /* |center| */
    double row_upper;       /* the longest row */
    size_t terms;           /* of a row's product with theta, at most */
    size_t terms_careful;   /* the same in double-double numbers */
} sot_pass_bounds;

/* Free with sot_pass_end(), also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_pass_begin(const sot_glm *glm, sot_pass *out_pass,
                                             sotto_error *error);
void sot_pass_end(sot_pass *pass); /* wipes */

/* The vector of the kernels for theta: itself, or the values of its blocks in the pass's room `point`, 0 or 1. */
const double *sot_pass_expand(sot_pass *pass, const double *theta, size_t point);
/* Adds up the chunks' sums: one number per column. */
void sot_pass_collect(sot_pass *pass, double *out);

sot_frame sot_pass_frame(const sot_pass *pass);

/* A zeroed vector of `width` numbers; NULL when memory runs out. */
double *sot_pass_vector(const sot_pass *pass);
void sot_pass_drop(const sot_pass *pass, double *vector); /* wipes; NULL is fine */

/* The gradient in double. Also, unless NULL: f'' of every row, the objective, and the sum of the
 * squares of the computed slopes. */
typedef struct sot_pass_result {
    double *gradient;
    double *curvatures;
    double *value;
    double *slope_squares;
} sot_pass_result;

SOTTO_MUST_CHECK sotto_status sot_pass_gradient(sot_pass *pass, const double *theta,
                                                const sot_pass_result *out,
                                                sotto_error *error);

/* The gradient at theta + theta_low in about 106 bits: gradient + gradient_low. theta_low NULL: 0. */
SOTTO_MUST_CHECK sotto_status sot_pass_gradient_careful(
    sot_pass *pass, const double *theta, const double *theta_low, double *out_gradient,
    double *out_gradient_low, double *out_slope_squares, sotto_error *error);

/* The product of one row with theta + theta_low, as the careful gradient has it. */
sot_twofold sot_pass_margin_careful(sot_pass *pass, size_t row, const double *theta,
                                    const double *theta_low);

/* Computes sums of only the losses, without terms, at `count` points, in one pass over the rows.
 * The error is at most sot_pass_value_error(). It holds for the exact sum at any point within
 * 2^-52 |theta| of theta, |theta| at most theta_norm. values.md. */
enum { SOT_PASS_POINTS = 2 };
SOTTO_MUST_CHECK sotto_status sot_pass_values(sot_pass *pass, const double *const *thetas,
                                              size_t count, double *out_values,
                                              sotto_error *error);
double sot_pass_value_error(const sot_pass *pass, const sot_pass_bounds *bounds,
                            double theta_norm);

/* The sum of the losses at from + step + step_low minus that at `from`, for a loss that has `difference_careful`. Its error is at
 * most sum of |x_i| times |step| times (difference_error_careful + 2^-95 slope_most + (4 terms + 8) 2^-105 (slope_most + curvature_most |x| |from|)):
 * values.md. */
SOTTO_MUST_CHECK sotto_status sot_pass_difference_careful(
    sot_pass *pass, const double *from, const double *step, const double *step_low,
    sot_twofold *out_difference, sotto_error *error);

/* For the hinge, smoothed by `width`: the computed sum and an upper bound on the sum over rows of
 * |a| (h - |a|) / (2 h), a = 1 - y u, where |a| < h. It measures the distance of the smoothed slopes
 * from subgradients (solver.md). In double or, if `careful`, in double-double numbers, where the
 * two are closer. */
SOTTO_MUST_CHECK sotto_status sot_pass_corner(sot_pass *pass,
                                              const sot_pass_bounds *bounds,
                                              const double *theta,
                                              const double *theta_low, double width,
                                              bool careful, double *out_sum,
                                              double *out_sum_upper, sotto_error *error);

/* (X^T C X + ridge) v, C the diagonal matrix of curvatures. */
SOTTO_MUST_CHECK sotto_status sot_pass_curved(sot_pass *pass, const double *curvatures,
                                              const double *v, double *out,
                                              sotto_error *error);

/* Its diagonal. */
SOTTO_MUST_CHECK sotto_status sot_pass_diagonal(sot_pass *pass, const double *curvatures,
                                                double *out, sotto_error *error);

/* The whole matrix: columns^2 numbers, row by row, the lower triangle only. */
SOTTO_MUST_CHECK sotto_status sot_pass_hessian(sot_pass *pass, const double *curvatures,
                                               double *out, sotto_error *error);

SOTTO_MUST_CHECK sotto_status sot_pass_measure(sot_pass *pass,
                                               sot_pass_bounds *out_bounds,
                                               sotto_error *error);

/* Returns an upper bound on |v|, of any size; infinite if a number in it is not
 * finite. */
double sot_norm_upper(const double *v, size_t count);

/* |v + low| in about 106 bits: a relative error below (count + 8) 2^-102; infinite if a number in v
 * is not finite. */
sot_twofold sot_norm_twofold(const double *v, const double *low, size_t count);

/* gradient_norm.md: upper bounds of |exact gradient|, from a computed one. */
double sot_pass_norm_upper(const sot_pass *pass, const sot_pass_bounds *bounds,
                           const double *theta, const double *gradient,
                           double slope_squares);
double sot_pass_norm_upper_careful(const sot_pass *pass, const sot_pass_bounds *bounds,
                                   const double *theta, const double *gradient,
                                   const double *gradient_low, double slope_squares);

#endif
