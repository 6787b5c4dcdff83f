/* methods/steps.h: what every training in steps does with its privacy: many releases of one Gaussian sum,
 * after a few others.
 *
 * Idea        A step's sum leaves under Gaussian noise, `steps` times with the same settings; what is released before
 *             the first step has noise of its own. The noise of the steps is the least with which
 *             all of it together fits the budget. Steps of schedules are functions of public numbers.
 */
#ifndef SOT_METHODS_STEPS_H
#define SOT_METHODS_STEPS_H

#include <sotto/gaussian.h>
#include <sotto/train_config.h>

#include "base/progress.h"
#include "methods/learner.h"

/* The most steps that a training takes. */
#define SOT_STEPS_MAX 1000000

/* The listener hears of so many of the steps of a long training: each costs an account. */
enum { SOT_STEPS_REPORTS = 20 };

/* What a training releases; public. */
typedef struct sot_steps {
    const sotto_gaussian_config *noise;  /* of one step's sum */
    uint64_t count;                      /* of steps */
    const sotto_gaussian_config *before; /* one release each, before the first step */
    size_t before_count;
} sot_steps;

/* Refuses what no training in steps can do: no delta, no number of rows, too many steps. `subject` begins
 * the messages, for example "gradient descent"; `instead` ends the one about the delta: "", or ", or use ...". */
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

/* What the samplers may be off, in total variation, over `numbers` released numbers. */
double sot_steps_sampler_error(double numbers);

/* Tells the listener, if there is one, about `done` steps and what they cost, with all that came before
 * them. */
SOTTO_MUST_CHECK sotto_status sot_steps_report(const sot_steps *steps,
                                               const sotto_train_config *config,
                                               const sot_progress *progress,
                                               uint64_t done, sotto_error *error);

/* The size of step t, from 1, of `steps`: constant (and auto), root, linear, cosine; h is `rate`. */
double sot_step_size(sotto_schedule schedule, double rate, double t, double steps);

#endif
