#include "learn/posterior/plan.h"
void sot_gaussian_plan(sot_sampler_plan *plan)
{
    plan->sampler = SOTTO_SAMPLER_PROXIMAL;
}
sotto_status sot_gaussian_draw(const sot_sampler_plan *plan,
                               const sot_potential *potential, sotto_rng *rng,
                               const sot_sampler_watch *watch, double *out_theta,
                               sot_sampler_counts *counts, sotto_error *error)
{
    return sot_proximal_draw(plan, potential, rng, watch, out_theta, counts, error);
}
