/* methods/posterior/posterior.h: learners that sample their coefficients from a density instead
 * of minimising.
 *
 *     density proportional to exp(-beta sum over rows of f(theta.x; y) - (lambda/2)|theta - center|^2) on |theta| <= radius
 *
 * - posterior: the posterior of a Gaussian prior of precision lambda, its likelihood to the power
 *   beta <= 1.
 * - regularized-em: the same density as a mechanism; beta is as large as the budget allows.
 *
 * Claims: with a delta, Gaussian DP (Gopi, Lee & Liu 2022); without one, pure, from the range of
 * one record's loss on the ball. posterior.md.
 */
#ifndef SOT_METHODS_POSTERIOR_POSTERIOR_H
#define SOT_METHODS_POSTERIOR_POSTERIOR_H

#include "methods/learner.h"

/* The learner of setup->method, one of the two. Refuses settings that it cannot honour, by name. */
SOTTO_MUST_CHECK sotto_status sot_posterior_new(const sot_learner_setup *setup,
                                                sot_learner **out_learner,
                                                sotto_error *error);

#endif
