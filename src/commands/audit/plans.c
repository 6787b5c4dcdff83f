/* Plans with more noise or less: the family in which an audit states the amount of noise. */
#include <math.h>

#include "commands/audit/audit_parts.h"

sotto_status sot_plan_scaled(const sotto_plan *plan, double factor, sotto_plan **out_plan,
                             sotto_error *error)
{
    sotto_plan *made = NULL;
    sotto_status status = sotto_plan_new(sotto_plan_adjacency(plan), &made, error);
    for (size_t i = 0; status == SOTTO_OK && i < sotto_plan_size(plan); i++) {
        sotto_event event = *sotto_plan_event(plan, i);
        if (factor != 1.0 && !isnan(event.noise_multiplier)) {
            event.noise_multiplier *= factor;
            /* For a Gaussian the ratio is enough. */
            event.scale = event.sensitivity = SOTTO_UNSET;
        }
        status = sotto_plan_add(made, &event, error);
    }
    if (status == SOTTO_OK)
        *out_plan = made;
    else
        sotto_plan_free(made);
    return status;
}

bool sot_plan_has_noise(const sotto_plan *plan)
{
    for (size_t i = 0; i < sotto_plan_size(plan); i++)
        if (isnan(sotto_plan_event(plan, i)->noise_multiplier)) return false;
    return sotto_plan_size(plan) > 0;
}
