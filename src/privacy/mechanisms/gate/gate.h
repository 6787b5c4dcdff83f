/* privacy/mechanisms/gate/gate.h: the gate's interface for mechanisms.
 *
 * A release has these steps, in this order:
 *
 * 1. Check the settings, build the event (with the function that plans use too). 2.
 * sot_gate_check_adjacency(): the settings have the plan's neighbours. 3. sot_gate_admit():
 * refuses events that the plan does not cover; counts. 4. sot_tape_sum(), sot_tape_choice(),
 * sot_tape_density() or sot_tape_draw(): tests only; true means that a replay gave the output. 5.
 * Sample from sot_gate_rng(), compute the output. 6. sot_tape_sum_result(), ...: tests only;
 * records the output on the gate tape. 7. sot_gate_record(): the release has happened; adds the
 * sampler's error.
 *
 * A release that was admitted and then fails has used its place. It may have sampled noise, so
 * the gate does not admit it again. Fail closed.
 */
#ifndef SOT_PRIVACY_MECHANISMS_GATE_GATE_H
#define SOT_PRIVACY_MECHANISMS_GATE_GATE_H

#include <sotto/gate.h>

#include "base/threads.h"

typedef enum sot_gate_state {
    SOT_GATE_SHUT = 0, /* nothing has been charged */
    SOT_GATE_OPEN = 1,
    SOT_GATE_FINISHED = 2
} sot_gate_state;

struct sotto_gate {
    sot_gate_state state;
    sotto_plan *plan;
    sotto_rng *rng;       /* borrowed */
    sot_pool *pool;       /* borrowed; NULL: one thread */
    uint64_t *admitted;   /* per event of the plan: let through */
    uint64_t *recorded;   /* of those, the number that reached the end */
    double sampler_error; /* sum, rounded up */
    bool resumed;
    bool capped; /* it was finished early: the counts of the plan are caps */
};

/* SOTTO_NOT_IN_PLAN unless the plan is about these neighbours. */
SOTTO_MUST_CHECK sotto_status sot_gate_check_adjacency(const sotto_gate *gate,
                                                       sotto_adjacency adjacency,
                                                       sotto_error *error);

/* Lets one release of `event` through and counts it. Every field and the purpose must equal
 * those of an event of the plan; only `count` is not compared: this is one of them. Equal events
 * of a plan are used up in order. SOTTO_NOT_IN_PLAN: the gate is shut or finished, the plan has
 * no such event, or it has already happened as often as planned. The message quotes the plan and
 * the purpose, which are public, and no other value of `event`. */
SOTTO_MUST_CHECK sotto_status sot_gate_admit(sotto_gate *gate, const sotto_event *event,
                                             size_t *out_index, sotto_error *error);

/* Records that the admitted release `index` has happened. `sampler_error` is at least 0. It is a
 * proven upper bound on the total variation between the sampled and the theorem's distribution,
 * over all samples of this release. */
void sot_gate_record(sotto_gate *gate, size_t index, double sampler_error);

/* True if event `index` of the plan is this one: same mechanism, purpose and fields but for `count`. */
bool sot_gate_covers(const sotto_gate *gate, size_t index, const sotto_event *event);

/* sotto_gate_finish() for plans whose counts are caps. Fewer releases may have happened, because
 * their number is itself an output (queries that a test answered, a run that stopped early).
 * Every admitted release must have happened. The whole plan stays charged, and the certificate
 * states it. */
SOTTO_MUST_CHECK sotto_status sot_gate_finish_early(sotto_gate *gate, sotto_error *error);

sotto_rng *sot_gate_rng(sotto_gate *gate);

/* An earlier process carried out part of this plan under the same charge: `released` times each
 * event of the plan, with this total sampler error. Call it once, before the gate is opened. The
 * gate then admits the rest, and sotto_gate_finish() requires the whole plan. SOTTO_NOT_IN_PLAN:
 * more than the plan holds. */
SOTTO_MUST_CHECK sotto_status sot_gate_resume(sotto_gate *gate, const uint64_t *released,
                                              double sampler_error, sotto_error *error);

/* Long releases (privacy/mechanisms/additive/additive.h) use these threads from now on; NULL, the
 * initial state: only the caller's thread. The gate borrows the pool: set NULL before the pool is
 * freed. The released values do not depend on it. */
void sot_gate_set_pool(sotto_gate *gate, sot_pool *pool);

/* Copies a purpose into an event. It is printed in certificates and messages and matched by
 * the gate: 1 to 47 bytes of UTF-8 without control characters. NULL is refused as unset. */
SOTTO_MUST_CHECK sotto_status sot_event_set_purpose(sotto_event *event,
                                                    const char *purpose,
                                                    sotto_error *error);

#endif
