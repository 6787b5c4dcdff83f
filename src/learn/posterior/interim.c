/* Until MALA is here. Weak: its own takes precedence. */
#include "base/error.h"
#include "learn/posterior/sampler.h"

__attribute__((weak)) sotto_status sot_mala_draw(const sot_potential *potential,
                                                 uint64_t steps, sotto_rng *rng,
                                                 const sot_sampler_watch *watch,
                                                 double *out_theta, sotto_error *error)
{
    (void)potential, (void)steps, (void)rng, (void)watch, (void)out_theta;
    return sot_fail(error, SOTTO_UNSUPPORTED, "this build has no MALA");
}
