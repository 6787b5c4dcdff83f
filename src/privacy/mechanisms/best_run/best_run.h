/* privacy/mechanisms/best_run/best_run.h: a secret number of private runs, of which the best one
 * is released.
 *
 * - sot_best_run_begin(): the gate admits the one event; K is sampled, before anything else.
 * - while (sot_best_run_next()): a fresh generator, and a setting sampled from the public list,
 *   with replacement. One run follows, through its own gate, whose plan was priced.
 * - sot_best_run_offer(): its score. True: it is the best so far; keep it and wipe the one
 *   before.
 * - sot_best_run_end(): the release has happened.
 *
 * With a Poisson distribution there may be no run: then a fixed output is released. Proof note:
 * best_run.md.
 */
#ifndef SOT_PRIVACY_MECHANISMS_BEST_RUN_BEST_RUN_H
#define SOT_PRIVACY_MECHANISMS_BEST_RUN_BEST_RUN_H

#include <stdbool.h>

#include <sotto/selection_cost.h>

#include "privacy/mechanisms/gate/gate.h"

typedef struct sot_best_run_config {
    const sotto_event *event; /* the cost of the best of the runs; of the gate's plan */
    sotto_runs runs;
    size_t settings;          /* in the public list, at least 1 */
    double run_sampler_error; /* of one run with any of them, an upper bound */
} sot_best_run_config;

/* Start with {0}. Everything in it is secret but the generator of the run. */
typedef struct sot_best_run {
    sotto_gate *gate; /* borrowed */
    size_t index;     /* of the event in the gate's plan */
    size_t settings;
    double sampler_error; /* of all runs, on average over their number */
    uint64_t count, done;
    uint64_t test_seed; /* of the runs' generators, if the gate's is one for tests */
    sotto_rng *rng;     /* of the current run */
    double best;
} sot_best_run;

/* Admits the event and draws the number of runs. */
SOTTO_MUST_CHECK sotto_status sot_best_run_begin(sotto_gate *gate,
                                                 const sot_best_run_config *config,
                                                 sot_best_run *out_best,
                                                 sotto_error *error);

/* False: there are no more runs, or no randomness: then *out_status says so. The generator is best->rng. */
bool sot_best_run_next(sot_best_run *best, size_t *out_setting, sotto_status *out_status,
                       sotto_error *error);

/* Larger is better; NaN is the worst. The first of equal scores stays. */
bool sot_best_run_offer(sot_best_run *best, double score);

/* All runs are done: records the release. */
void sot_best_run_end(sot_best_run *best);

/* Wipes; also after failure. */
void sot_best_run_clear(sot_best_run *best);

#endif
