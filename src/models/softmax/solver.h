/* models/softmax/solver.h: the common part of the solver's files. Proof note:
 * solver.md. */
#ifndef SOT_MODELS_SOFTMAX_SOLVER_H
#define SOT_MODELS_SOFTMAX_SOLVER_H

#include "models/softmax/pass.h"

/* A point with all that a pass found there. */
typedef struct sot_softmax_point {
    double *theta, *theta_low;       /* theta_low: 0 in the quick stage */
    double *gradient, *gradient_low; /* likewise */
    double *probabilities;           /* of each row */
    double slope_squares;
    double norm; /* |gradient|: computed in the fast stage, a proven bound in extended
                  * precision */
} sot_softmax_point;

typedef struct sot_softmax_solver {
    sot_softmax_pass pass;
    sot_softmax_bounds bounds;
    sot_softmax_point here, there;
    double *direction;
    /* For conjugate gradients. */
    double *ridge, *diagonal, *residual, *search, *curved;
} sot_softmax_solver;

/* Free with sot_softmax_solver_end(), also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_softmax_solver_begin(const sot_softmax *problem,
                                                       sot_softmax_solver *out_solver,
                                                       sotto_error *error);
void sot_softmax_solver_end(sot_softmax_solver *solver); /* wipes */

/* Computes the Newton direction from `here`, H d = -gradient, by conjugate gradients with the
 * diagonal as preconditioner. It stops at a residual of `tolerance` times the gradient, or when
 * rounding ends the progress. d.Hd = -d.gradient > 0 up to rounding. */
SOTTO_MUST_CHECK sotto_status sot_softmax_direction(sot_softmax_solver *solver,
                                                    double tolerance, sotto_error *error);

/* Gradient, probabilities and norm at a point whose theta is set. */
SOTTO_MUST_CHECK sotto_status sot_softmax_look(sot_softmax_solver *solver,
                                               sot_softmax_point *at, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_softmax_look_carefully(sot_softmax_solver *solver,
                                                         sot_softmax_point *at,
                                                         sotto_error *error);

/* Newton's method in double on J + (extra/2)|theta|^2. *out_proven if the certificate |gradient| <=
 * goal holds at `here`. Otherwise the computed norm may be at most goal / 2, so that only rounding
 * is in the way, or there was no progress. */
SOTTO_MUST_CHECK sotto_status sot_softmax_quick(sot_softmax_solver *solver, double goal,
                                                bool *out_proven, sotto_error *error);

/* The same with gradients in double-double numbers, until the proven norm is at most `goal`. With
 * `to_round`, until the norm plus lambda times the size of theta_low is: then theta by itself
 * suffices. */
SOTTO_MUST_CHECK sotto_status sot_softmax_careful(sot_softmax_solver *solver, double goal,
                                                  bool to_round, sotto_error *error);

/* From `here` to a point within tau / lambda of the minimiser over the ball. */
SOTTO_MUST_CHECK sotto_status sot_softmax_in_ball(sot_softmax_solver *solver, double tau,
                                                  sotto_error *error);

#endif
