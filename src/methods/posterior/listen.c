#include "methods/posterior/listen.h"

#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "base/error.h"

#define LISTEN_SECONDS 0.1

sot_sampler_ear sot_sampler_ear_begin(const sot_sampler_watch *watch, uint64_t steps)
{
    return (sot_sampler_ear){
        .watch = watch, .steps = steps, .heard_seconds = sot_clock_seconds()};
}

sotto_status sot_sampler_listen(sot_sampler_ear *ear, uint64_t done, sotto_error *error)
{
    const sot_sampler_watch *watch = ear->watch;
    if (watch == NULL || watch->progress == NULL) return SOTTO_OK;
    const double now = sot_clock_seconds();
    if (now - ear->heard_seconds < LISTEN_SECONDS) return SOTTO_OK;
    ear->heard_seconds = now;
    if (ear->steps > 0)
        return sot_progress_report(watch->progress, watch->draw * ear->steps + done,
                                   watch->draws * ear->steps, (double)NAN, error);
    sot_progress of_draws = *watch->progress;
    of_draws.unit = "draw";
    const sotto_status status =
        sot_progress_report(&of_draws, watch->draw, watch->draws, (double)NAN, error);
    if (status != SOTTO_INTERRUPTED) return status;
    return sot_fail(error, status,
                    "stopped on request in sample %" PRIu64 " of %" PRIu64
                    "; the progress of its sampler stays secret",
                    watch->draw + 1, watch->draws);
}
