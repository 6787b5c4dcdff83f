/* methods/posterior/losses.h: the sum of losses for the samplers, one margin per row or softmax.
 *
 * Vectors have `dimension` numbers, class by class. Sums contain only the losses, neither beta
 * nor the prior.
 */
#ifndef SOT_METHODS_POSTERIOR_LOSSES_H
#define SOT_METHODS_POSTERIOR_LOSSES_H

#include "methods/posterior/sampler.h"
#include "models/linear/solver/pass.h"
#include "models/softmax/pass.h"

enum { SOT_LOSSES_POINTS = 2 };

typedef struct sot_losses {
    const sot_potential *potential;
    size_t dimension;
    double rows;
    double frobenius_upper; /* sqrt of the sum of all x_ij^2 */
    double
        curvature_upper; /* of beta times the sum: the largest eigenvalue, and the trace, of its Hessian are at most this */
    sot_glm glm;
    sot_pass pass;
    sot_pass_bounds bounds;
    sot_softmax softmax;
    sot_softmax_pass soft_pass;
    sot_softmax_bounds soft_bounds;
    double *vectors[4]; /* of the passes' own layout */
} sot_losses;

/* Free with sot_losses_end(), also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_losses_begin(const sot_potential *potential,
                                               sot_losses *out_losses,
                                               sotto_error *error);
void sot_losses_end(sot_losses *losses); /* wipes */

/* Returns the sum at theta, its gradient, and a bound on the gradient's error, as a
 * vector; theta's norm is at most theta_norm. */
SOTTO_MUST_CHECK sotto_status sot_losses_look(sot_losses *losses, const double *theta,
                                              double *out_value, double *out_gradient,
                                              double *out_gradient_error,
                                              sotto_error *error);

/* Returns the sums at up to SOT_LOSSES_POINTS points, and a bound on their errors. It
 * holds for the exact sum at any point within 2^-52 |theta| of theta. */
SOTTO_MUST_CHECK sotto_status sot_losses_values(sot_losses *losses,
                                                const double *const *thetas, size_t count,
                                                double *out_values, sotto_error *error);
double sot_losses_value_error(const sot_losses *losses, double theta_norm);

/* The sum at from + step + step_low minus that at `from`, carefully: models/linear/solver/values.md. */
SOTTO_MUST_CHECK sotto_status sot_losses_difference(
    sot_losses *losses, const double *from, const double *step, const double *step_low,
    sot_twofold *out_difference, sotto_error *error);

/* X^T C X, C the curvatures at theta over curvature_most, about: columns^2 numbers, the lower triangle. */
SOTTO_MUST_CHECK sotto_status sot_losses_bend(sot_losses *losses, const double *theta,
                                              double *out, sotto_error *error);

/* A point of the ball, near the mode of the potential; rows are at most row_bound long. */
SOTTO_MUST_CHECK sotto_status sot_losses_mode(const sot_potential *potential,
                                              double row_bound, double *out_theta,
                                              sotto_error *error);

#endif
