/* sotto/gate.h: the gate, which every released number passes.
 *
 * Idea        A gate holds the plan, the randomness and the number of releases of each event. A
 *             mechanism asks it for each release; it refuses every event that the plan does not
 *             cover.
 * Order       new (shut) -> the plan is charged to the ledger -> open -> releases -> finish.
 *             A shut gate refuses everything, so nothing can be released before it is charged.
 * Assumes     The caller of sotto_gate_open() has charged the plan, or runs without a ledger
 *             and says so in the certificate.
 */
#ifndef SOTTO_GATE_H
#define SOTTO_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/rng.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_gate sotto_gate;

/* Copies the plan, which must have no open targets; `rng` stays the caller's and must outlive
 * the gate. The gate starts shut. Free it with sotto_gate_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_gate_new(const sotto_plan *plan,
                                                       sotto_rng *rng,
                                                       sotto_gate **out_gate,
                                                       sotto_error *error);
SOTTO_API void sotto_gate_free(sotto_gate *gate);

/* The plan has been charged: releases may begin. Opening twice is refused. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_gate_open(sotto_gate *gate,
                                                        sotto_error *error);

/* SOTTO_NOT_IN_PLAN unless every event of the plan has happened exactly as often as planned;
 * the message names the first that has not. A certificate is made only after this. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_gate_finish(sotto_gate *gate,
                                                          sotto_error *error);

/* Borrowed: the plan that the gate was made with. */
SOTTO_API const sotto_plan *sotto_gate_plan(const sotto_gate *gate);

/* Returns the number of releases of event `index` of the plan, including admitted releases that then failed. */
SOTTO_API uint64_t sotto_gate_released(const sotto_gate *gate, size_t index);

/* False when the randomness came from a test seed: the certificate says "not private". */
SOTTO_API bool sotto_gate_is_secure(const sotto_gate *gate);

/* Sum of the samplers' total-variation errors over everything released, rounded up; it is
 * added to delta. 0 with exact samplers. */
SOTTO_API double sotto_gate_sampler_error_upper(const sotto_gate *gate);

#ifdef __cplusplus
}
#endif
#endif
