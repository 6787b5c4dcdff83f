/* privacy/mechanisms/objective/objective.h: release the minimiser of an objective with a random
 * linear term.
 *
 * Idea        The gate samples b. The learner finds theta with |gradient + b| <= tau, proven. The
 *             exact minimiser theta* would be the private release. theta is within tau'/lambda of
 *             it on every data set, tau' = tau + the rounding of b. So theta is clipped to a
 *             public box, rounded to a grid, gets a little noise
 *             (privacy/mechanisms/correction/correction.h), and is released. This is adaptive
 *             composition of two releases, both in the plan.
 * Theorem     First event: privacy/accounting/objective/objective.h. Second: Gaussian (mu = sensitivity / sigma) or
 *             discrete Laplace (pure), sensitivity 2 tau'/lambda + the grid's rounding. theta -
 *             theta* is a function of (D, theta*), since b is.
 * Neighbours  Those of `law.adjacency`; a unit has `law.unit_rows` rows.
 * Assumes     (1) The objective is lambda-strongly convex and one record's gradient at most
 *             record_bound, log-determinant as in the theorem. (2) solve() returns only when its
 *             certificate holds; it may not fail because of the data. The gate tape tests both.
 * Rounding    b is a rounding of a real vector, counted in tau'; everything claimed is rounded
 *             outward. The samplers' total variation, at most 2^-879, is added to the gate's.
 *             Even a pure release is pure only up to it, so its certificate needs a delta: see
 *             SOT_OBJECTIVE_PURE_DELTA.
 * Proof note  objective.md
 */
#ifndef SOT_PRIVACY_MECHANISMS_OBJECTIVE_OBJECTIVE_H
#define SOT_PRIVACY_MECHANISMS_OBJECTIVE_OBJECTIVE_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/gate.h>

#include "privacy/accounting/objective/objective.h"
#include "privacy/mechanisms/gate/tape.h"

/* The delta of a pure run's certificate: 2.4e-181. 2 e^epsilon times the samplers' error vanishes
 * in it for every epsilon below 180. sotto_account_epsilon_inexact() refuses a delta of 0 after
 * such a release. */
#define SOT_OBJECTIVE_PURE_DELTA 0x1p-600

typedef struct sot_objective_config {
    sot_objective_law law; /* calibrated */
    size_t dimension;      /* 1 .. 2^20 */
    double tau;            /* bound of solve(): |gradient of the sum with b| <= tau */
    double ball; /* |theta| <= ball is part of the minimisation; 0: no ball. Only for the
               * gate tape: the claim is the same with and without */
    double correction_share; /* as in sot_objective_calibrate(); 2^-10 */
    const char
        *purpose; /* of the first event; the second's is "PURPOSE: solver"; borrowed;
                            at most 39 bytes */
} sot_objective_config;

typedef struct sot_objective_problem {
    void *context;
    /* Writes theta with a proven |gradient(theta) + b| <= tau, or, with a ball inside the
     * minimisation, a proven |theta - minimiser| <= tau/lambda. */
    sotto_status (*solve)(void *context, const double *b, double *out_theta,
                          sotto_error *error);
    /* For the gate tape: b and log|det db/dtheta| for theta on this data set. */
    sot_tape_noise_of noise_of;
} sot_objective_problem;

/* Public values derived from a config. */
typedef struct sot_objective_facts {
    double noise_grid;  /* spacing of b */
    double noise_error; /* |b - the real vector it stands for|, at most */
    double radius;      /* |theta - theta*|, at most: tau'/lambda */
    double grid;        /* spacing of the released coefficients */
    sotto_event events[2];
} sot_objective_facts;

/* Refuses inconsistent settings, naming the value. */
SOTTO_MUST_CHECK sotto_status sot_objective_derive(const sot_objective_config *config,
                                                   sot_objective_facts *out_facts,
                                                   sotto_error *error);

/* Adds the two events to a plan, which must have the adjacency `law.adjacency`. */
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

#endif
