/* sotto/progress.h: progress of a long computation, and a way to stop it.
 *
 * Privacy     Progress is not charged to the budget, so nothing in it depends on a record: no
 *             loss, gradient norm, batch size or row count. `step`, `steps` and `epsilon_so_far`
 *             follow only from the plan. The time is the one exception: see the known weaknesses.
 * Stopping    The listener is asked several times a second while a method iterates, also within a
 *             long step. A charge stays. An iterative training with an output finishes its step
 *             and saves a checkpoint first; the same call resumes it: resume.md.
 */
#ifndef SOTTO_PROGRESS_H
#define SOTTO_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_progress {
    uint64_t step;  /* steps done */
    uint64_t steps; /* steps in all, as planned */
    double elapsed_seconds;
    double epsilon_so_far; /* certified for the steps done; NaN if not computed */
    const char *unit; /* static: the unit, "step"; or `draw`, where a sampler's own steps
                       * are secret and only whole samples are counted */
    int asks_only; /* 1: only asks whether to continue; step, steps and epsilon carry no
                    * information */
} sotto_progress;

/* Called between steps and a few times a second, on the thread that made the library call. Return
 * 0 to continue; any other value ends the call with SOTTO_INTERRUPTED. Must return, and must not
 * call back into the same handle. */
typedef int (*sotto_progress_function)(const sotto_progress *progress, void *context);

#ifdef __cplusplus
}
#endif
#endif
