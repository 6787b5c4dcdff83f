/* models/linear/solver/terms.h: the part of J that no record enters: its derivatives, and their errors.
 *
 *     r(t) = (lambda/2) |t - center|^2 + (nu/2) |t|^2 + l1 sum (sqrt(t_j^2 + w^2) - w) + b.t
 *
 * nu is the weight that keeps a minimiser within a ball (solver.md); 0 otherwise.
 */
#ifndef SOT_MODELS_LINEAR_SOLVER_TERMS_H
#define SOT_MODELS_LINEAR_SOLVER_TERMS_H

#include "models/linear/solver/problem.h"

/* gradient[j] += dr/dt_j, for every column. A term passes at most SOT_TERMS_ROUNDINGS roundings. */
void sot_terms_add_gradient(const sot_glm *glm, sot_twofold nu, const double *theta,
                            double *gradient);
enum { SOT_TERMS_ROUNDINGS = 16 };

/* dr/dt_j at t = theta + theta_low in about 106 bits, an error of at most
 * SOT_TERMS_ERROR_CAREFUL times the sum of the terms' sizes. */
sot_twofold sot_terms_gradient_careful(const sot_glm *glm, sot_twofold nu, size_t column,
                                       sot_twofold theta);
#define SOT_TERMS_ERROR_CAREFUL 0x1p-97

/* An upper bound of the sizes of the gradient's terms, as the norm of a vector. */
double sot_terms_size_upper(const sot_glm *glm, sot_twofold nu, double theta_norm_upper,
                            double linear_upper, double center_upper);

/* The second derivatives, one per column: the Hessian of r is diagonal. */
void sot_terms_curvatures(const sot_glm *glm, double nu, const double *theta,
                          double *out);
/* Their supremum over all theta: lambda + nu + l1 / w, rounded up. */
double sot_terms_curvature_most(const sot_glm *glm, sot_twofold nu);
/* sup |r'''| / r'' over all theta and directions of length 1: 3 / (2 w), or 0 without l1. */
double sot_terms_twist_most(const sot_glm *glm);

/* Returns r(theta), without a proven error. */
double sot_terms_value(const sot_glm *glm, const double *theta);

#endif
