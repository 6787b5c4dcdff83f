/* models/linear/solver/newton.h: the Newton direction, H d = -g, by Cholesky or by conjugate gradients.
 *
 * Both give a Galerkin direction, d.Hd = -d.g > 0 up to rounding. It is the minimum of the
 * quadratic model over all vectors, or over those reached so far. solver.md needs no more.
 */
#ifndef SOT_MODELS_LINEAR_SOLVER_NEWTON_H
#define SOT_MODELS_LINEAR_SOLVER_NEWTON_H

#include "models/linear/solver/pass.h"

typedef struct sot_newton {
    sot_pass *pass;
    bool direct;
    double *hessian;                               /* direct: columns^2 */
    double *diagonal, *residual, *search, *curved; /* otherwise */
} sot_newton;

/* True if forming the matrix of the Hessian is faster, from the shape of the matrix. */
bool sot_newton_direct_pays(const sot_matrix *matrix);

/* Free with sot_newton_end(), also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_newton_begin(sot_pass *pass, bool direct,
                                               sot_newton *out_newton,
                                               sotto_error *error);
void sot_newton_end(sot_newton *newton); /* wipes */

/* Writes `width` numbers. Conjugate gradients stop when the residual is at most `tolerance` times
 * the gradient, or when rounding ends their progress. */
SOTTO_MUST_CHECK sotto_status
sot_newton_direction(sot_newton *newton, const double *curvatures, const double *gradient,
                     double tolerance, double *out_direction, sotto_error *error);

double sot_product(const double *a, const double *b, size_t count);

#endif
