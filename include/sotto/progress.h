/* sotto/progress.h: how far a long computation is, and a way to stop it.
 *
 * Privacy     Nothing that depends on a record goes through here, because nothing here is
 *             charged to the budget: no loss, no gradient norm, no batch size, no count of
 *             rows. `step`, `steps` and `epsilon_so_far` follow from the plan alone. The
 *             time is the one exception a program cannot avoid: see the known weaknesses.
 * Stopping    The listener is asked several times a second while a method iterates, also within a long step. What
 *             was charged stays charged. A training in steps that has an output finishes its step and keeps how far
 *             it is first, and the same call goes on: resume.md.
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
    double epsilon_so_far; /* certified for the steps done; NaN if nobody computed it */
    const char *unit; /* static: what is counted, "step"; or "draw", where a sampler's own
                         steps are secret and only whole draws are told */
    int asks_only; /* 1: a question by the clock whether to go on; step, steps and epsilon tell nothing then */
} sotto_progress;

/* Called between steps and a few times a second, on the thread that made the library call. Return 0 to go on;
 * anything else ends the call with SOTTO_INTERRUPTED. Must return, and must not call back
 * into the same handle. */
typedef int (*sotto_progress_function)(const sotto_progress *progress, void *context);

#ifdef __cplusplus
}
#endif
#endif
