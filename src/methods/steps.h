/* methods/steps.h: the privacy of every iterative training: many releases of one Gaussian sum,
 * after a few others.
 *
 * Idea: a step's sum is released with Gaussian noise, `steps` times with the same settings.
 * Releases before the first step have their own noise. The noise of the steps is the smallest
 * with which everything together fits the budget. Schedules of step sizes are functions of public
 * numbers.
 */
#ifndef SOT_METHODS_STEPS_H
#define SOT_METHODS_STEPS_H

#include <sotto/gaussian.h>
#include <sotto/train_config.h>

#include "base/progress.h"
#include "methods/learner.h"

/* The most steps that a training takes. */
#define SOT_STEPS_MAX 1000000

/* Number of reports to the listener during a long training: each computes an account. */
enum { SOT_STEPS_REPORTS = 20 };

/* The releases of a training; public. */
typedef struct sot_steps {
    const sotto_gaussian_config *noise;  /* of one step's sum */
    uint64_t count;                      /* of steps */
    const sotto_gaussian_config *before; /* one release each, before the first step */
    size_t before_count;
} sot_steps;

/* Refuses settings that no iterative training can use: no delta, no number of rows, too many
 * steps. `subject` begins the messages, for example "gradient descent"; `instead` ends the one
 * about the delta: "", or ", or use ...". */
SOTTO_MUST_CHECK sotto_status sot_steps_check(const sot_learner_setup *setup,
                                              const char *subject, const char *instead,
                                              sotto_error *error);

/* The least noise with which everything fits the budget: sets noise->sigma, whose sensitivity and sampling are
 * set, and *out_multiplier. steps->noise is not looked at. */
SOTTO_MUST_CHECK sotto_status sot_steps_calibrate(const sot_steps *steps,
                                                  const sotto_train_config *config,
                                                  sotto_gaussian_config *noise,
                                                  double *out_multiplier,
                                                  sotto_error *error);

/* Adds everything to a plan, in order. */
SOTTO_MUST_CHECK sotto_status sot_steps_plan(const sot_steps *steps, sotto_plan *plan,
                                             sotto_error *error);

/* Returns a bound on the samplers' total variation over `numbers` released numbers. */
double sot_steps_sampler_error(double numbers);

/* Reports to the listener, if there is one, the cost of `done` steps and of the releases before
 * them. */
SOTTO_MUST_CHECK sotto_status sot_steps_report(const sot_steps *steps,
                                               const sotto_train_config *config,
                                               const sot_progress *progress,
                                               uint64_t done, sotto_error *error);

/* The size of step t, from 1, of `steps`: constant (and auto), root, linear, cosine; h is `rate`. */
double sot_step_size(sotto_schedule schedule, double rate, double t, double steps);

#endif
