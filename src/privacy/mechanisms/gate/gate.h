/* privacy/mechanisms/gate/gate.h: what a mechanism asks of the gate.
 *
 * A release goes like this, in this order:
 *
 *     1. check the settings, build the event (the function that plans use too)
 *     2. sot_gate_check_adjacency()   the settings mean the neighbours that the plan means
 *     3. sot_gate_admit()             refuses what the plan does not cover; counts it
 *     4. sot_tape_sum(), sot_tape_choice(), sot_tape_density() or sot_tape_draw()
 *                                     tests only: true means a replay gave the output
 *     5. draw from sot_gate_rng(), compute the output
 *     6. sot_tape_sum_result(), ...   tests only: the output goes on the tape
 *     7. sot_gate_record()            the release has happened; adds the sampler's error
 *
 * A release that was admitted and then fails has used up its place: it may have drawn, so the
 * gate does not let it try again. Fail closed.
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
    uint64_t *recorded;   /* of those, how many went to the end */
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

/* The admitted release `index` has happened. `sampler_error` is the total-variation distance
 * between the law that was drawn and the law that the theorem is about, at least 0: a proven
 * upper bound over everything this release drew. */
void sot_gate_record(sotto_gate *gate, size_t index, double sampler_error);

/* True if event `index` of the plan is this one: same mechanism, purpose and fields but for `count`. */
bool sot_gate_covers(const sotto_gate *gate, size_t index, const sotto_event *event);

/* sotto_gate_finish() for plans whose counts are caps: less may have been released, for how much is itself
 * an output (queries that a test answered, a run that stopped early). What was let through must have
 * happened. The whole plan stays charged and is what a certificate states. */
SOTTO_MUST_CHECK sotto_status sot_gate_finish_early(sotto_gate *gate, sotto_error *error);

sotto_rng *sot_gate_rng(sotto_gate *gate);

/* An earlier process carried out part of this plan under the same charge: `released` times each event of the plan,
 * with this much sampler error in all. Once, and before the gate is opened; it then lets through what is left, and
 * sotto_gate_finish() asks for the whole plan. SOTTO_NOT_IN_PLAN: more than the plan holds. */
SOTTO_MUST_CHECK sotto_status sot_gate_resume(sotto_gate *gate, const uint64_t *released,
                                              double sampler_error, sotto_error *error);

/* Long releases (privacy/mechanisms/additive/additive.h) draw on these threads from now on; NULL, as a gate begins: on the
 * caller's alone. The gate borrows the pool: take it away before it is freed. What is released does
 * not depend on it. */
void sot_gate_set_pool(sotto_gate *gate, sot_pool *pool);

/* Copies a purpose into an event. It is printed in certificates and messages and matched by
 * the gate: 1 to 47 bytes of UTF-8 without control characters. NULL is refused as unset. */
SOTTO_MUST_CHECK sotto_status sot_event_set_purpose(sotto_event *event,
                                                    const char *purpose,
                                                    sotto_error *error);

#endif
