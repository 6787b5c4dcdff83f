/* models/softmax/softmax.h: multinomial logistic regression for two classes or more, over all
 * theta or over a ball,
 *
 *     J(theta) = sum over rows of (log sum over c of exp(u_c) - u_y), u_c = theta_c.x,
 *                + (lambda/2)|theta - center|^2
 *                + l1 sum of (sqrt(t^2 + l1_width^2) - l1_width) over theta's numbers t
 *                + linear.theta.
 *
 * Constants: let |x| <= R, p the probabilities and e_y the label's indicator. A record's gradient
 * is (p - e_y) (x) x: at most sqrt2 R long. Its Hessian is (diag p - p p^T) (x) x x^T: of rank
 * classes - 1, trace at most (1 - 1/classes) R^2, norm at most R^2 / 2. Proofs: softmax.md.
 *
 * Labels: with two classes, negative is the first, all else the second, as for one margin. With
 * more, the class's place, from 0; values below it and NaN count as the first, beyond as the
 * last.
 *
 * Vectors: theta, center, linear, gradients have classes x columns numbers, class by class.
 *
 * Threads: every function is bit-identical for any number of them.
 */
#ifndef SOT_MODELS_SOFTMAX_SOFTMAX_H
#define SOT_MODELS_SOFTMAX_SOFTMAX_H

#include "methods/empirical.h"

enum { SOT_SOFTMAX_CLASSES_MOST = 1 << 16 };

typedef struct sot_softmax {
    const sot_matrix *matrix;
    size_t classes;       /* 2 to SOT_SOFTMAX_CLASSES_MOST */
    double lambda;        /* > 0 */
    const double *center; /* public; NULL: 0 */
    double l1, l1_width;  /* l1 0: none; else l1_width > 0 */
    double radius;        /* |theta| <= radius; 0: no ball */
    const double *linear; /* NULL: 0 */
    sot_pool *pool;       /* NULL: one thread */
} sot_softmax;

/* The sum of losses as the methods see it. Refuses a target without a label set, and settings that
 * have no meaning here. Free with sot_empirical_free(). */
SOTTO_MUST_CHECK sotto_status sot_softmax_empirical(const sot_learner_setup *setup,
                                                    sot_empirical **out_empirical,
                                                    sotto_error *error);

/* Value and gradient in double, fast; either may be NULL. The ball has no part in them. */
SOTTO_MUST_CHECK sotto_status sot_softmax_value(const sot_softmax *softmax,
                                                const double *theta, double *out_value,
                                                double *out_gradient, sotto_error *error);

/* Returns a proven upper bound on |grad J(theta)|, including all rounding. In double or, with
 * `careful`, in double-double (much slower, and far tighter). Infinite if theta is not finite.
 * Proof: softmax.md. */
SOTTO_MUST_CHECK sotto_status sot_softmax_gradient_norm_upper(const sot_softmax *softmax,
                                                              const double *theta,
                                                              bool careful,
                                                              double *out_norm_upper,
                                                              sotto_error *error);

/* Computes theta (in: the start, a public point) with |theta - theta*| <= tau / lambda, proven
 * as by sot_glm_solve(). theta* is the minimiser, over the ball if there is one. solver.md
 * proves that it ends, for any rows, if tau is above a floor stated there. With a ball theta is
 * in it up to that distance. Fails only for lack of memory, on cancellation or, before any
 * computation, if tau is not positive. */
SOTTO_MUST_CHECK sotto_status sot_softmax_solve(const sot_softmax *softmax, double tau,
                                                double *theta, sotto_error *error);

/* For the gate tape (tests): -grad J without its linear part, and log det of the Hessian (few
 * columns: the matrix is stored whole). */
SOTTO_MUST_CHECK sotto_status sot_softmax_noise_of(const sot_softmax *softmax,
                                                   const double *theta, double *out_noise,
                                                   double *out_log_determinant,
                                                   sotto_error *error);

/* Adds the exact gradient sum of the losses of `count` rows (`rows` NULL: of all, and `count` is
 * theirs) to `units`, in integers. For each row it takes the slopes p - e_y in float, then per
 * coordinate trunc(slope x_j / spacing). A row's contribution is a function of only that row,
 * theta and the spacing. Its norm in units is at most sqrt2 R / spacing (1 + 2^-20) (proof:
 * gradient_sum.md). `spacing` is a power of two, 2^-100 to 2^99, with sqrt2 R / spacing at most
 * 2^20. */
SOTTO_MUST_CHECK sotto_status sot_softmax_add_units(const sot_softmax *softmax,
                                                    const uint32_t *rows, size_t count,
                                                    const double *theta, double spacing,
                                                    int64_t *units, sotto_error *error);

#endif
