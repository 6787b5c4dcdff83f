/* models/linear/solver/problem.h: a regularised sum of losses of one margin per row, over all
 * theta or over a ball,
 *
 *     J(theta) = sum over rows of f(theta.x; y) + (lambda/2)|theta - center|^2
 *                + l1 sum over j of (sqrt(theta_j^2 + l1_width^2) - l1_width) + linear.theta,
 *
 * and its functions for solvers and tests. Every function is bit-identical for any number of
 * threads. Only sot_glm_solve() uses the ball.
 */
#ifndef SOT_MODELS_LINEAR_SOLVER_PROBLEM_H
#define SOT_MODELS_LINEAR_SOLVER_PROBLEM_H

#include <stdint.h>

#include "base/threads.h"
#include "data/batches/matrix.h"
#include "models/linear/losses/loss.h"

/* The smoothed norm has second derivative `l1 w^2 / (t^2 + w^2)^(3/2) >= 0` and is twice
 * differentiable. It is part of the data-free r(theta) of the theorems. */
typedef struct sot_glm {
    const sot_matrix *matrix;
    const sot_loss *loss;
    double lambda;        /* > 0 */
    const double *center; /* matrix->columns numbers, public; NULL: 0 */
    double l1, l1_width;  /* l1 0: none; else l1_width > 0 */
    double radius;        /* |theta| <= radius; 0: no ball */
    const double *linear; /* b: matrix->columns numbers; NULL: 0 */
    sot_pool *pool;       /* NULL: one thread */
} sot_glm;

/* Value and gradient in double, fast; either may be NULL. */
SOTTO_MUST_CHECK sotto_status sot_glm_value(const sot_glm *glm, const double *theta,
                                            double *out_value, double *out_gradient,
                                            sotto_error *error);

/* Returns a proven upper bound on |grad J(theta)|, including all rounding. In double or, with
 * `careful`, in double-double (some twenty times slower, far tighter). Infinite if theta is not
 * finite. Proof: gradient_norm.md. */
SOTTO_MUST_CHECK sotto_status sot_glm_gradient_norm_upper(const sot_glm *glm,
                                                          const double *theta,
                                                          bool careful,
                                                          double *out_norm_upper,
                                                          sotto_error *error);

/* Computes theta (in: the start, a public point; out) with |theta - theta*| <= tau / lambda,
 * theta* the minimiser. It is proven by |grad J| <= tau at theta. If a double is too coarse for
 * that, it is proven at a point that rounds to theta, with the rounding counted. In a ball theta*
 * is the minimiser there, and |theta| <= radius (1 + 2^-50). A solver that stalls is followed by
 * a safer one at higher precision. The note solver.md proves that this ends, for any rows, if tau
 * is above a floor; 2^-20 slope_most R is, or 2^-10 R for the hinge. Fails only for lack of
 * memory, on cancellation or, before any computation, if tau is not positive or the slope of a
 * caller's loss jumps. */
SOTTO_MUST_CHECK sotto_status sot_glm_solve(const sot_glm *glm, double tau, double *theta,
                                            sotto_error *error);

/* For the gate tape (tests): -grad J without its linear part, and log det of the Hessian (few
 * columns: the matrix is stored whole). */
SOTTO_MUST_CHECK sotto_status sot_glm_noise_of(const sot_glm *glm, const double *theta,
                                               double *out_noise,
                                               double *out_log_determinant,
                                               sotto_error *error);

/* Computes the exact gradient sum of noisy gradient descent, in integers, in one pass over the
 * rows. For each row it takes the slope f'(theta.x; y) in float, then per coordinate trunc(slope
 * x_j / spacing), added up in int64. A row's contribution is a function of only that row, theta
 * and the spacing. Its norm in units is at most slope_most R / spacing (1 + 2^-20) (proof:
 * gradient_sum.md). `spacing` is a power of two, 2^-100 to 2^99, with slope_most R / spacing at
 * most 2^20. */
SOTTO_MUST_CHECK sotto_status sot_glm_gradient_units(const sot_glm *glm,
                                                     const double *theta, double spacing,
                                                     int64_t *out_units,
                                                     sotto_error *error);

/* The same for some rows, added to `inout_units`: `count` places in the matrix, in any order; a
 * place given twice counts twice. `rows` NULL: all of the matrix. At most 2^32 rows in all. Only
 * matrix, loss and pool of the problem are used. */
SOTTO_MUST_CHECK sotto_status sot_glm_add_gradient_units(
    const sot_glm *glm, const uint32_t *rows, size_t count, const double *theta,
    double spacing, int64_t *inout_units, sotto_error *error);

#endif
