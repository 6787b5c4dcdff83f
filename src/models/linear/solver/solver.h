/* models/linear/solver/solver.h: one workspace for many minimisations of the same kind. A ball
 * takes several, with other weights nu, the hinge too, with other widths. Proof note: solver.md.
 *
 * sot_solver_run() minimises K(theta) = J(theta) + (nu/2)|theta|^2 without a ball, from the end
 * of the last run, until a proven bound on the gradient is small.
 */
#ifndef SOT_MODELS_LINEAR_SOLVER_SOLVER_H
#define SOT_MODELS_LINEAR_SOLVER_SOLVER_H

#include "models/linear/solver/newton.h"
#include "models/linear/solver/pass.h"

/* A point with all that a pass found there. */
typedef struct sot_point {
    double *theta, *theta_low;       /* theta_low: 0 until the careful stage needs it */
    double *gradient, *gradient_low; /* likewise */
    double *curvatures;              /* of each row */
    double slope_squares;
    double norm; /* |gradient|: computed in the fast stage, proven in extended
                  * precision */
} sot_point;

typedef struct sot_solver {
    sot_glm glm; /* may be changed between runs: the loss and its constants */
    sot_pass pass;
    sot_newton newton;
    sot_pass_bounds bounds;
    double tau;    /* of this run */
    double proven; /* of the last run: |grad K| at here.theta + here.theta_low */
    sot_point here, there;
    double *direction;
    sot_twofold nu; /* where the search for a ball begins, and where the last ended */
    int newton_steps_most; /* of the careful stage */
} sot_solver;

/* Starts at `theta`. End with sot_solver_end(), also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_solver_begin(const sot_glm *glm, const double *theta,
                                               sot_solver *out_solver,
                                               sotto_error *error);
void sot_solver_end(sot_solver *solver); /* wipes */

/* Afterwards proven + lambda |theta_low| <= tau at `here`. Continues, while it makes progress, to
 * a computed gradient of `wanted`, without a claim; INFINITY: no more is wanted. Never fails
 * because of the rows. */
SOTTO_MUST_CHECK sotto_status sot_solver_run(sot_solver *solver, sot_twofold nu,
                                             double tau, double wanted,
                                             sotto_error *error);

/* Only the stage in extended precision. */
SOTTO_MUST_CHECK sotto_status sot_solver_run_carefully(sot_solver *solver, sot_twofold nu,
                                                       double tau, sotto_error *error);

/* Computes the gradient of K at `here` and its bound, `proven`, in double-double numbers;
 * no step. */
SOTTO_MUST_CHECK sotto_status sot_solver_look(sot_solver *solver, sot_twofold nu,
                                              sotto_error *error);

/* The Newton direction of here.gradient, by the curvatures of `here`, which the caller has found. */
SOTTO_MUST_CHECK sotto_status sot_solver_aim(sot_solver *solver, double tolerance,
                                             sotto_error *error);

/* Writes (Hessian of K)^-1 theta, about, to `direction`. */
SOTTO_MUST_CHECK sotto_status sot_solver_inward(sot_solver *solver, sotto_error *error);

/* A bound of the smoothness of J on these rows, rounded up; infinite where the loss has none. */
double sot_solver_smoothness(const sot_solver *solver);

/* ball.c: a point t = theta + theta_low within the ball and a nu >= 0 with |grad J(t) + nu
 * t| <= proven and, as proven numbers,
 *
 *     proven + lambda |theta_low| + sqrt(lambda nu radius (radius - |t|)) <= tau,
 *
 * or, if `smooth`, `proven + lambda |theta_low| + (smoothness + lambda)(radius - |t|) <= tau`. */
SOTTO_MUST_CHECK sotto_status sot_solver_run_in_ball(sot_solver *solver, double tau,
                                                     bool smooth, sotto_error *error);

/* The same only by the safe method, the fallback of the other: projected descent, slow, from
 * `here`. */
SOTTO_MUST_CHECK sotto_status sot_solver_descend_in_ball(sot_solver *solver, double tau,
                                                         bool smooth, sotto_error *error);

/* hinge.c: the hinge, through smoothed ones. Afterwards |here.theta - minimiser| <= tau / lambda,
 * with or without a ball. */
SOTTO_MUST_CHECK sotto_status sot_solver_run_hinge(sot_solver *solver, double tau,
                                                   sotto_error *error);

/* True if the loss is a smoothed hinge for which Newton's method should begin with wider ones.
 * The other runs that method, for a certificate like those of sot_solver_run() or
 * sot_solver_run_in_ball(). */
bool sot_solver_is_narrow_corner(const sot_loss *loss);
SOTTO_MUST_CHECK sotto_status sot_solver_run_corner(sot_solver *solver, double tau,
                                                    sotto_error *error);

#endif
