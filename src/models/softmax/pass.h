/* models/softmax/pass.h: passes over the rows of a problem, with a workspace that lasts for many of them.
 *
 * Rows are divided into chunks that depend only on the matrix's shape. A chunk adds up its blocks
 * of rows, and the chunks are added up in their order. So the bits are the same for any number of
 * threads, without a long chain of roundings. Vectors have `length` numbers in the layout of
 * kernels.h, with zeros where dense rows are padded.
 */
#ifndef SOT_MODELS_SOFTMAX_PASS_H
#define SOT_MODELS_SOFTMAX_PASS_H

#include "models/linear/losses/double_double.h"
#include "models/linear/rows/frame.h"
#include "models/softmax/kernels.h"
#include "models/softmax/softmax.h"

typedef struct sot_softmax_pass {
    const sot_softmax *problem;
    const sot_softmax_kernels *kernels;
    double extra; /* of (extra/2)|theta|^2, which is added to J to reach the ball */
    size_t length;
    size_t step;       /* rows looked at together */
    size_t block_rows; /* added up first */
    size_t chunk_rows, chunks;
    double *sums;            /* 2 length a chunk */
    double *scales;          /* step x classes a chunk */
    double *numbers;         /* 2 a chunk */
    double *center, *linear; /* the problem's, as vectors; NULL: 0 */
} sot_softmax_pass;

/* The inputs of the rounding error bounds of a gradient. */
typedef struct sot_softmax_bounds {
    double frobenius_upper; /* sqrt of the sum of all x_ij^2 */
    double row_upper;       /* the longest row */
    double center_upper, linear_upper;
    size_t terms; /* of a row's product with theta, at most */
} sot_softmax_bounds;

/* Free with sot_softmax_pass_end(), also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_softmax_pass_begin(const sot_softmax *problem,
                                                     sot_softmax_pass *out_pass,
                                                     sotto_error *error);
void sot_softmax_pass_end(sot_softmax_pass *pass); /* wipes */

sot_frame sot_softmax_frame(const sot_softmax_pass *pass);

/* A zeroed vector; NULL when memory runs out. */
double *sot_softmax_vector(const sot_softmax_pass *pass);
void sot_softmax_drop(const sot_softmax_pass *pass, double *vector); /* NULL is fine */

/* From and to class by class, classes x columns numbers. */
void sot_softmax_arrange(const sot_softmax_pass *pass, const double *from, double *out);
void sot_softmax_restore(const sot_softmax_pass *pass, const double *from, double *out);

/* The gradient in double. Also, unless NULL: the probabilities of every row (rows x classes), the
 * objective, and the sum of the squares of the computed slopes p - e_y. */
typedef struct sot_softmax_result {
    double *gradient;
    double *probabilities;
    double *value;
    double *slope_squares;
} sot_softmax_result;

SOTTO_MUST_CHECK sotto_status sot_softmax_gradient(sot_softmax_pass *pass,
                                                   const double *theta,
                                                   const sot_softmax_result *out,
                                                   sotto_error *error);

/* The gradient at theta + theta_low in about 106 bits: gradient + gradient_low. theta_low NULL: 0. */
SOTTO_MUST_CHECK sotto_status sot_softmax_gradient_careful(
    sot_softmax_pass *pass, const double *theta, const double *theta_low,
    double *out_gradient, double *out_gradient_low, double *out_slope_squares,
    sotto_error *error);

/* Computes sums of only the losses, without terms, at `count` points, in one pass over the rows.
 * The error is at most sot_softmax_value_error(). It holds for the exact sum at any point within
 * 2^-52 |theta| of theta, |theta| at most theta_norm. */
enum { SOT_SOFTMAX_POINTS = 2 };
SOTTO_MUST_CHECK sotto_status sot_softmax_values(sot_softmax_pass *pass,
                                                 const double *const *thetas,
                                                 size_t count, double *out_values,
                                                 sotto_error *error);
double sot_softmax_value_error(const sot_softmax_pass *pass,
                               const sot_softmax_bounds *bounds, double theta_norm);

/* As sot_pass_difference_careful(), with sot_softmax_difference_error(), a slope_most of sqrt2 and a curvature_most of 1/2. */
SOTTO_MUST_CHECK sotto_status sot_softmax_difference_careful(
    sot_softmax_pass *pass, const double *from, const double *step,
    const double *step_low, sot_twofold *out_difference, sotto_error *error);

/* The products of one row with theta + theta_low, one per class, as the gradient in extended precision has them. */
void sot_softmax_margins_careful(sot_softmax_pass *pass, size_t row, const double *theta,
                                 const double *theta_low, sot_twofold *out);

/* H v, H the Hessian of the losses at these probabilities plus the diagonal matrix `ridge`. */
SOTTO_MUST_CHECK sotto_status sot_softmax_curved(sot_softmax_pass *pass,
                                                 const double *probabilities,
                                                 const double *ridge, const double *v,
                                                 double *out, sotto_error *error);

/* The diagonal of H, from one row of `every` and scaled up: to guide conjugate gradients. */
SOTTO_MUST_CHECK sotto_status sot_softmax_diagonal(sot_softmax_pass *pass,
                                                   const double *probabilities,
                                                   const double *ridge, size_t every,
                                                   double *out, sotto_error *error);

SOTTO_MUST_CHECK sotto_status sot_softmax_measure(sot_softmax_pass *pass,
                                                  sot_softmax_bounds *out_bounds,
                                                  sotto_error *error);

/* ---- the terms that hold no records ---- */

/* Adds their gradient to `gradient`; returns their value. */
double sot_softmax_add_terms(const sot_softmax_pass *pass, const double *theta,
                             double *gradient);
/* Returns their gradient at one place, in double-double numbers. */
sot_twofold sot_softmax_terms_careful(const sot_softmax_pass *pass, size_t place,
                                      sot_twofold theta);
/* Their second derivatives. */
void sot_softmax_ridge(const sot_softmax_pass *pass, const double *theta, double *out);

/* ---- softmax.md: upper bounds of |exact gradient|, from a computed one ---- */

double sot_softmax_norm_upper(const sot_softmax_pass *pass,
                              const sot_softmax_bounds *bounds, const double *theta,
                              const double *gradient, double slope_squares);
double sot_softmax_norm_upper_careful(const sot_softmax_pass *pass,
                                      const sot_softmax_bounds *bounds,
                                      const double *theta, const double *gradient,
                                      const double *gradient_low, double slope_squares);

#endif
