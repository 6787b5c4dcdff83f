#include "learn/posterior/posterior.h"

#include "base/error.h"

sotto_status sot_posterior_new(const sot_learner_setup *setup, sot_learner **out_learner,
                               sotto_error *error)
{
    (void)setup, (void)out_learner;
    return sot_fail(error, SOTTO_UNREACHABLE, "not yet");
}
