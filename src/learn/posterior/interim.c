/* Until the samplers are here: plans with typical numbers, and no draws. Weak: the samplers' own take precedence. */
#include <math.h>

#include "base/error.h"
#include "learn/posterior/sampler.h"

__attribute__((weak)) sot_sampler_facts
sot_sampler_facts_of(const sot_loss *loss, size_t classes, size_t columns)
{
    return (sot_sampler_facts){.dimension = classes == 0 ? columns : classes * columns,
                               .columns = columns,
                               .slope_most = loss == NULL ? sqrt(2.0) : loss->slope_most};
}

__attribute__((weak)) sotto_status
sot_sampler_plan_new(const sot_sampler_facts *facts, const sot_loss *loss,
                     sotto_sampler sampler, double distance, sot_sampler_plan *out_plan,
                     sotto_error *error)
{
    (void)loss, (void)error;
    *out_plan = (sot_sampler_plan){
        .sampler = sampler == SOTTO_SAMPLER_AUTO ? SOTTO_SAMPLER_EXACT_GAUSSIAN : sampler,
        .public_constants = facts->rows_planned > 0,
        .steps = facts->rows_planned > 0 ? 1000 : 0,
        .distance_mixing = distance,
        .distance_rounding = 0x1p-4 * distance,
        .distance = 1.0625 * distance,
        .total_variation = 0x1p-80,
        .facts = *facts};
    return SOTTO_OK;
}

__attribute__((weak)) sotto_status
sot_sampler_draw(const sot_sampler_plan *plan, const sot_potential *potential,
                 sotto_rng *rng, const sot_sampler_watch *watch, double *out_theta,
                 sot_sampler_counts *counts, sotto_error *error)
{
    (void)plan, (void)potential, (void)rng, (void)watch, (void)out_theta, (void)counts;
    return sot_fail(error, SOTTO_UNSUPPORTED, "this build has no sampler");
}

__attribute__((weak)) sotto_status sot_mala_draw(const sot_potential *potential,
                                                 uint64_t steps, sotto_rng *rng,
                                                 const sot_sampler_watch *watch,
                                                 double *out_theta, sotto_error *error)
{
    (void)potential, (void)steps, (void)rng, (void)watch, (void)out_theta;
    return sot_fail(error, SOTTO_UNSUPPORTED, "this build has no sampler");
}
