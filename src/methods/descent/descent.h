/* methods/descent/descent.h: the common part of gradient descent and its stochastic variants:
 * noisy sums, steps from released numbers, an average, a listener.
 *
 * Theorem     For every theta a record's gradient is at most `record_bound` long, in units of a
 *             public spacing. The sum over the records of a step is released by
 *             sotto_gaussian_release(). Everything after that is a function of released and
 *             public numbers.
 * Proof note  gd.md, sgd.md
 */
#ifndef SOT_METHODS_DESCENT_DESCENT_H
#define SOT_METHODS_DESCENT_DESCENT_H

#include <sotto/gaussian.h>

#include "base/progress.h"
#include "methods/convex/erm.h"
#include "methods/steps.h"

/* Public: the settings of a descent. */
typedef struct sot_descent {
    sotto_gaussian_config noise; /* of one step's sum, in units of `spacing` */
    double spacing;
    double multiplier; /* sigma over sensitivity */
    uint64_t steps;
    sot_empirical_terms terms; /* lambda beside the sum of all rows */
    double rows;               /* public: N, by which the terms are divided */
    double
        divisor; /* public: of a step's noisy sum, the expected number of its records */
    sotto_schedule schedule; /* never auto */
    sotto_iterate iterate;   /* never auto */
    double rate;             /* h of the schedule, on the mean gradient */
} sot_descent;

/* The iterates: released numbers, except `units` between the sum and its release. */
typedef struct sot_walk {
    size_t dimension;
    double *theta;
    double *average;
    int64_t *units;
    double weight; /* of the average so far */
} sot_walk;

/* ---- public ---- */

/* Refuses settings that no descent can use: no delta, no number of rows, too many steps, a rate
 * below 0. `subject` begins the messages, for example "gradient descent". */
SOTTO_MUST_CHECK sotto_status sot_descent_check(const sot_learner_setup *setup,
                                                const char *subject, sotto_error *error);

/* Spacing and sensitivity of a step's sum. Poisson: the contribution of one record; else the move
 * of it by a unit under the adjacency. Sets the rest of `noise` but sigma. */
SOTTO_MUST_CHECK sotto_status sot_descent_sensitivity(sot_descent *descent,
                                                      const sot_learner *learner,
                                                      sotto_error *error);

/* The least noise with which all steps fit the budget; sampling as in descent->noise. */
SOTTO_MUST_CHECK sotto_status sot_descent_calibrate(sot_descent *descent,
                                                    const sotto_train_config *config,
                                                    sotto_error *error);

/* Adds the steps to a plan. */
SOTTO_MUST_CHECK sotto_status sot_descent_plan(const sot_descent *descent,
                                               sotto_plan *plan, sotto_error *error);

/* Returns beta or, for a loss with a kink, the constant by which its method would measure
 * steps: L/D. */
double sot_descent_curvature(const sot_learner *learner);

/* Returns a bound on the total variation of the samplers of all steps. */
double sot_descent_sampler_error(const sot_descent *descent, size_t dimension);

/* The learner's settings that every descent has: lambda, steps, noise, divisor. */
void sot_descent_describe(sot_learner *learner, const sot_descent *descent,
                          const char *lambda_why, const char *steps_why);

/* ---- the iterates ---- */

/* Starts at the centre, or at 0. Free with sot_walk_end(), also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_walk_begin(const sot_learner *learner,
                                             const sot_descent *descent,
                                             sot_walk *out_walk, sotto_error *error);
void sot_walk_end(sot_walk *walk); /* wipes the units */

/* Step t, from 1: releases walk->units, which hold the exact sum, and moves. */
SOTTO_MUST_CHECK sotto_status sot_walk_step(const sot_descent *descent, sotto_gate *gate,
                                            uint64_t step, double divisor, sot_walk *walk,
                                            sotto_error *error);

/* Resumes the iterates from an earlier process's checkpoint; *out_step steps are done, 0: none. A
 * state of another shape is refused. */
SOTTO_MUST_CHECK sotto_status sot_walk_resume(const sot_learner *learner, sot_walk *walk,
                                              uint64_t *out_step, sotto_error *error);
/* After a step: saves theta and the average, both functions of released numbers, if the
 * run wants that. */
SOTTO_MUST_CHECK sotto_status sot_walk_keep(const sot_learner *learner,
                                            const sot_walk *walk, uint64_t step,
                                            sotto_error *error);

/* The result, on the grid. */
void sot_walk_result(const sot_walk *walk, double grid, double *out_theta);

/* Reports to the listener, if there is one, the number of steps and their cost. */
SOTTO_MUST_CHECK sotto_status sot_descent_report(const sot_learner *learner,
                                                 const sot_descent *descent,
                                                 const sot_progress *progress,
                                                 uint64_t steps, sotto_error *error);

#endif
