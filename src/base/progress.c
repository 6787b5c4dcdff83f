#include "base/progress.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/error.h"

sot_progress sot_progress_begin(sotto_progress_function function, void *context)
{
    return (sot_progress){function, context, sot_clock_seconds(), "step"};
}

sotto_status sot_progress_report(const sot_progress *progress, uint64_t step,
                                 uint64_t steps, double epsilon_so_far,
                                 sotto_error *error)
{
    if (progress->function == NULL) return SOTTO_OK;
    const sotto_progress now = {
        .step = step,
        .steps = steps,
        .elapsed_seconds = sot_clock_seconds() - progress->started_seconds,
        .epsilon_so_far = epsilon_so_far,
        .unit = progress->unit,
    };
    if (progress->function(&now, progress->context) == 0) return SOTTO_OK;
    return sot_progress_stopped(progress, step, steps, error);
}

sotto_status sot_progress_stopped(const sot_progress *progress, uint64_t step,
                                  uint64_t steps, sotto_error *error)
{
    return sot_fail(error, SOTTO_INTERRUPTED,
                    "stopped on request after %s %" PRIu64 " of %" PRIu64, progress->unit,
                    step, steps);
}
