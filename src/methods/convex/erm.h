/* methods/convex/erm.h: learners that minimise the sum of a convex loss, privately.
 *
 * J(theta) = sum over rows of f(theta.x; y) + (lambda/2)|theta|^2. lambda stands beside the SUM
 * of the losses and is never a multiple of the number of rows, which is secret under add-remove.
 * The constant column is one of the features: it is inside the norm bound, and regularised like
 * the rest.
 *
 * Each method is made only from public facts and has a proof note:
 * methods/objective/objective.md, methods/output/output.md, methods/descent/gd.md,
 * methods/descent/sgd.md, methods/stable/stable.md, methods/frank_wolfe/frank_wolfe.md.
 */
#ifndef SOT_METHODS_CONVEX_ERM_H
#define SOT_METHODS_CONVEX_ERM_H

#include "methods/empirical.h"
#include "methods/learner.h"
#include "privacy/accounting/objective/objective.h"

/* The method that SOTTO_METHOD_AUTO stands for, and why, a static text. */
sotto_method sot_erm_choose(const sotto_train_config *config, const char **out_why);

/* The learner of setup->method. Refuses settings that the method cannot honour, by name. Free with
 * sot_learner_free(). */
SOTTO_MUST_CHECK sotto_status sot_erm_new(const sot_learner_setup *setup,
                                          sot_learner **out_learner, sotto_error *error);

/* ---- the methods: each fills an empty learner ---- */

SOTTO_MUST_CHECK sotto_status sot_erm_objective(sot_learner *learner, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_erm_output(sot_learner *learner, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_erm_gd(sot_learner *learner, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_erm_none(sot_learner *learner, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_erm_sgd(sot_learner *learner, sotto_error *error);
/* gd-output and permutation-sgd: which of them, learner->setup.method says. */
SOTTO_MUST_CHECK sotto_status sot_erm_stable(sot_learner *learner, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_erm_frank_wolfe(sot_learner *learner,
                                                  sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_erm_newton(sot_learner *learner, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_erm_statistics(sot_learner *learner,
                                                 sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_erm_adassp(sot_learner *learner, sotto_error *error);

/* ---- common functions ---- */

/* The data-free part of the objective: lambda, and the settings' centre, smoothed L1 norm and ball. */
sot_empirical_terms sot_erm_terms(const sot_learner *learner, double lambda);

/* Returns the derivative of the terms by theta_i, for iterative methods. */
double sot_erm_terms_slope(const sot_empirical_terms *terms, size_t index, double theta);

/* The nearest point of the L2 ball, to rounding; a radius of 0: none. */
void sot_erm_project(double *theta, size_t count, double radius);

/* Bound on the sampler error of an objective's or an output's noise. It is at most 2^-880 each
 * for the noise and its correction (privacy/mechanisms/objective/objective.h, output.h), with a
 * margin. */
#define SOT_ERM_SAMPLER_ERROR 0x1p-870

/* Returns the inputs of the theorems on objective perturbation for these losses, rows and
 * neighbours; theorem and lambda are unset. */
sot_objective_law sot_erm_objective_law(const sot_learner *learner);

/* 0 for a pure guarantee. */
double sot_erm_delta(const sotto_train_config *config);

/* Rounds theta to the grid, to nearest. For results that are already released, or public. */
void sot_erm_round(double *theta, size_t count, double grid);

#endif
