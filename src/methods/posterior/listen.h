/* methods/posterior/listen.h: asks the listener whether to continue, by the clock, so
 * that the number of questions reveals no more than the time. */
#ifndef SOT_METHODS_POSTERIOR_LISTEN_H
#define SOT_METHODS_POSTERIOR_LISTEN_H

#include "methods/posterior/sampler.h"

typedef struct sot_sampler_ear {
    const sot_sampler_watch *watch; /* NULL: none */
    uint64_t steps;                 /* public; 0: their number is secret */
    double heard_seconds;           /* when the listener was asked last */
} sot_sampler_ear;

sot_sampler_ear sot_sampler_ear_begin(const sot_sampler_watch *watch, uint64_t steps);

/* After `done` steps. SOTTO_INTERRUPTED when the listener asks to stop. */
SOTTO_MUST_CHECK sotto_status sot_sampler_listen(sot_sampler_ear *ear, uint64_t done,
                                                 sotto_error *error);

#endif
