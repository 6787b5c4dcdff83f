/* methods/posterior/plan.h: the common part of the samplers' files for plans. */
#ifndef SOT_METHODS_POSTERIOR_PLAN_H
#define SOT_METHODS_POSTERIOR_PLAN_H

#include "methods/posterior/losses.h"

/* Columns up to which a sampler makes a matrix of them: for its step, and for exact-gaussian. */
enum { SOT_SAMPLER_STEP_COLUMNS = 256, SOT_GAUSSIAN_COLUMNS = 1024 };

/* With eta T = SOT_SAMPLER_TRACE, T the bound of the curvature's trace, a step takes 2.5 trials on average at most: 1 / sqrt(1 - 0.84).
 * Where the curvature is known eta T may be more, up to SOT_SAMPLER_BEND. */
#define SOT_SAMPLER_TRACE 0.84
#define SOT_SAMPLER_BEND  7.4

/* Returns the smallest number of steps of size sqrt(eta') = step after which two chains of the
 * ball are within `distance`. That is when 2 R (1 - lambda eta')^N is small enough, rounded up.
 * At least 1. Infinite numbers become 2^63. */
uint64_t sot_sampler_steps(double lambda, double radius, double step, double distance);

/* sqrt(eta') from the rows, and where the mode is, about; at least plan->step_least. */
SOTTO_MUST_CHECK sotto_status sot_sampler_step_of(sot_losses *losses,
                                                  const sot_sampler_plan *plan,
                                                  const double *mode, double *out_step,
                                                  sotto_error *error);

/* The proximal sampler's part of a plan whose facts, distance_mixing and public_constants are set. */
SOTTO_MUST_CHECK sotto_status sot_proximal_plan(sot_sampler_plan *plan,
                                                sotto_error *error);
SOTTO_MUST_CHECK sotto_status
sot_proximal_draw(const sot_sampler_plan *plan, const sot_potential *potential,
                  sotto_rng *rng, const sot_sampler_watch *watch, double *out_theta,
                  sot_sampler_counts *counts, sotto_error *error);

/* Adds the part of exact-gaussian to a plan of sot_proximal_plan(): gaussian.md. */
void sot_gaussian_plan(sot_sampler_plan *plan);
SOTTO_MUST_CHECK sotto_status
sot_gaussian_draw(const sot_sampler_plan *plan, const sot_potential *potential,
                  sotto_rng *rng, const sot_sampler_watch *watch, double *out_theta,
                  sot_sampler_counts *counts, sotto_error *error);

#endif
