/* base/progress.h: reports the progress of a long computation to the caller. */
#ifndef SOT_BASE_PROGRESS_H
#define SOT_BASE_PROGRESS_H

#include <stdint.h>

#include <sotto/error.h>
#include <sotto/progress.h>

typedef struct sot_progress {
    sotto_progress_function function; /* NULL: none */
    void *context;
    double started_seconds; /* of sot_clock_seconds() */
    const char *unit;       /* static; the counted unit */
} sot_progress;

sot_progress sot_progress_begin(sotto_progress_function function, void *context);

/* Call it from the thread that began, between steps, with numbers of the plan only: see
 * sotto/progress.h. SOTTO_INTERRUPTED when the listener asks to stop. */
SOTTO_MUST_CHECK sotto_status sot_progress_report(const sot_progress *progress,
                                                  uint64_t step, uint64_t steps,
                                                  double epsilon_so_far,
                                                  sotto_error *error);

/* Returns SOTTO_INTERRUPTED with the message of a stop after `step`. It is for a pool's listener
 * that stopped a loop within a step, so that every stop has the same message. */
SOTTO_MUST_CHECK sotto_status sot_progress_stopped(const sot_progress *progress,
                                                   uint64_t step, uint64_t steps,
                                                   sotto_error *error);

#endif
