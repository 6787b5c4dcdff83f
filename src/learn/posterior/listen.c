#include "learn/posterior/listen.h"

#include <math.h>

#include "base/clock.h"

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
    const bool secret = ear->steps == 0;
    const uint64_t each = secret ? 1 : ear->steps;
    return sot_progress_report(watch->progress, watch->draw * each + (secret ? 0 : done),
                               watch->draws * each, (double)NAN, error);
}
