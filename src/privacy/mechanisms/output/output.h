/* privacy/mechanisms/output/output.h: release the minimiser of a convex objective under noise (output
 * perturbation).
 *
 * Idea        One record moves the exact minimiser theta* of a lambda-strongly convex sum of
 *             L-Lipschitz losses by at most L/lambda. Noise on theta* hides that. The learner has
 *             theta with a proven |gradient| <= tau, so |theta - theta*| <= tau/lambda on every
 *             data set.
 * Theorem     Gaussian: theta, rounded to a public grid, has sensitivity `sensitivity` + 2
 *             tau/lambda + the rounding of both sides. It is released as a Gaussian sum: one
 *             event. Pure: theta* + v with v of density proportional to exp(-epsilon
 *             |v| / sensitivity) is epsilon-DP (Chaudhuri, Monteleoni & Sarwate, JMLR 2011, Thm
 *             6). v is sampled on the grid within a known distance of a real vector of that
 *             distribution. A second event (discrete Laplace,
 *             privacy/mechanisms/correction/correction.h) covers that distance, the solver's
 *             error and the grid.
 * Neighbours  Those of `adjacency`, for which `sensitivity` must hold: times 2 under replace-one,
 *             times the rows of a unit. It never depends on the number of rows.
 * Assumes     (1) `sensitivity` bounds every pair of neighbours. (2) |gradient(theta)| <= tau is
 *             proven on every data set. The gate tape tests both.
 * Rounding    Outward. The samplers' total variation is added to the gate's, see
 *             SOT_OBJECTIVE_PURE_DELTA in privacy/mechanisms/objective/objective.h for pure runs.
 * Proof note  output.md
 */
#ifndef SOT_PRIVACY_MECHANISMS_OUTPUT_OUTPUT_H
#define SOT_PRIVACY_MECHANISMS_OUTPUT_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/gate.h>

typedef struct sot_output_config {
    sotto_adjacency adjacency;
    size_t dimension; /* 1 .. 2^20 */
    double
        sensitivity; /* of the exact minimiser, L2: L/lambda, 2 L/lambda, times the rows */
    double lambda;
    double tau;              /* |gradient| <= tau, proven */
    double sigma;            /* Gaussian; SOTTO_UNSET: pure */
    double epsilon;          /* pure: of the first event; SOTTO_UNSET: Gaussian */
    double correction_share; /* pure: the second event's epsilon over the first's; 2^-10;
                                SOTTO_UNSET: Gaussian */
    const char *
        purpose; /* borrowed; pure: at most 39 bytes, see privacy/mechanisms/correction/correction.h */
} sot_output_config;

/* Public values derived from a config. */
typedef struct sot_output_facts {
    double grid;         /* spacing of the released coefficients, a power of two */
    double solver_units; /* contribution of solver and grid to the sensitivity, in grid
                          * units */
    double sensitivity_units; /* all of it */
    double
        noise_error; /* pure: |v - the real vector it stands for|, at most; Gaussian: 0 */
    size_t event_count; /* Gaussian 1, pure 2 */
    sotto_event events[2];
} sot_output_facts;

/* Refuses inconsistent settings, naming the value. */
SOTTO_MUST_CHECK sotto_status sot_output_derive(const sot_output_config *config,
                                                sot_output_facts *out_facts,
                                                sotto_error *error);

/* Fills in the smallest sigma (or, with delta 0, the first epsilon) with which all events
 * together stay within (epsilon, delta). The other one of the two becomes SOTTO_UNSET. */
SOTTO_MUST_CHECK sotto_status sot_output_calibrate(sot_output_config *config,
                                                   double epsilon, double delta,
                                                   sotto_error *error);

/* Adds the events to a plan, which must be about config->adjacency. */
SOTTO_MUST_CHECK sotto_status sot_output_plan(const sot_output_config *config,
                                              sotto_plan *plan, sotto_error *error);

/* The spacing of the released coefficients: fine against the sensitivity. */
SOTTO_MUST_CHECK sotto_status sot_output_grid(const sot_output_config *config,
                                              double *out_grid, sotto_error *error);

/* `theta` has a proven |gradient| <= tau. Writes `dimension` coefficients, in units of
 * sot_output_grid(), only on success. */
SOTTO_MUST_CHECK sotto_status sot_output_release(sotto_gate *gate,
                                                 const sot_output_config *config,
                                                 const double *theta, int64_t *out_units,
                                                 sotto_error *error);

#endif
