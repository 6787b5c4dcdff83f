/* mechanisms/objective.h: release the minimiser of a randomly tilted objective.
 *
 * Idea        The gate draws b. The learner finds theta with |gradient + b| <= tau, proven. The exact
 *             minimiser theta* would be the private release; theta is within tau'/lambda of it, tau'
 *             = tau + the rounding of b, on every data set. So theta, rounded to a grid and given
 *             a little noise of its own for a sensitivity of 2 tau'/lambda (+ the grid's rounding),
 *             may leave: adaptive composition of two releases, both in the plan.
 * Theorem     First event: accounting/objective.h. Second: Gaussian (mu = sensitivity / sigma) or
 *             discrete Laplace (pure). theta - theta* is a function of (D, theta*), since b is.
 * Assumes     (1) the objective is lambda-strongly convex and one record's gradient at most
 *             record_bound, log-determinant as in the theorem; (2) solve() returns only when its
 *             certificate holds; it may not fail because of the data; the tape tests both.
 * Proof note  objective.md
 */
#ifndef SOT_MECHANISMS_OBJECTIVE_H
#define SOT_MECHANISMS_OBJECTIVE_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/gate.h>

#include "privacy/accounting/objective.h"
#include "privacy/mechanisms/tape.h"

typedef struct sot_objective_config {
    sot_objective_law law; /* calibrated */
    size_t dimension;
    double tau; /* what solve() proves: |gradient of the tilted sum| <= tau */
    double correction_share; /* as in sot_objective_calibrate(); 2^-10 */
    const char *purpose;     /* of the first event; the second's is "PURPOSE: solver" */
} sot_objective_config;

typedef struct sot_objective_problem {
    void *context;
    /* Writes theta with a proven |gradient(theta) + b| <= tau. */
    sotto_status (*solve)(void *context, const double *b, double *out_theta,
                          sotto_error *error);
    /* For the tape: b and log|det db/dtheta| for theta on this data set. */
    sot_tape_noise_of noise_of;
} sot_objective_problem;

/* Adds the two events to a plan. */
SOTTO_MUST_CHECK sotto_status sot_objective_plan(const sot_objective_config *config,
                                                 sotto_plan *plan, sotto_error *error);

/* The spacing of the released coefficients, a power of two: fine against the noise. */
SOTTO_MUST_CHECK sotto_status sot_objective_grid(const sot_objective_config *config,
                                                 double *out_grid, sotto_error *error);

/* Writes `dimension` coefficients, in units of sot_objective_grid(), only on success. */
SOTTO_MUST_CHECK sotto_status sot_objective_release(sotto_gate *gate,
                                                    const sot_objective_config *config,
                                                    const sot_objective_problem *problem,
                                                    int64_t *out_units,
                                                    sotto_error *error);

/* ---- output perturbation ---- */

/* theta* itself has l2-sensitivity `sensitivity` (L/lambda, 2 L/lambda, times the unit's rows).
 * Gaussian: one event, the solver's 2 tau/lambda and the grid's rounding added to the sensitivity.
 * Pure: density exp(-epsilon |v| / sensitivity); the noise vector is not the exact rounding of a
 * real one, so, as above, a second event (discrete Laplace) covers its rounding, the solver's error
 * and the grid. */
typedef struct sot_output_config {
    sotto_adjacency adjacency;
    size_t dimension;
    double sensitivity; /* of the exact minimiser */
    double lambda;
    double tau;              /* |gradient| <= tau, proven */
    double sigma;            /* Gaussian; SOTTO_UNSET: pure */
    double epsilon;          /* pure: of the first event; SOTTO_UNSET: Gaussian */
    double correction_share; /* pure: the second event's part of epsilon */
    const char *purpose;
} sot_output_config;

/* Least sigma (or first epsilon) within (epsilon, delta); delta 0: pure. */
SOTTO_MUST_CHECK sotto_status sot_output_calibrate(sot_output_config *config,
                                                   double epsilon, double delta,
                                                   sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_output_plan(const sot_output_config *config,
                                              sotto_plan *plan, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_output_grid(const sot_output_config *config,
                                              double *out_grid, sotto_error *error);
/* `theta` has a proven |gradient| <= tau. */
SOTTO_MUST_CHECK sotto_status sot_output_release(sotto_gate *gate,
                                                 const sot_output_config *config,
                                                 const double *theta, int64_t *out_units,
                                                 sotto_error *error);

#endif
