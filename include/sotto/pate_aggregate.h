/* sotto/pate_aggregate.h: label a query by the noisy vote of teachers.
 *
 * Idea        Each teacher votes for a class. The class with the largest noisy count is released,
 *             never a count. Confident and Interactive first test under noise whether the answer
 *             is clear (or new to the student). An answer is charged only if the test passes.
 * Theorem     The aggregators' own (sotto/pate_cost.h). Noise is exactly Gaussian or Laplace,
 *             rounded to a grid of 2^-32 votes: the answer is a function of the theorem's
 *             release.
 * Neighbours  Those of the configuration; its adjacency must be the plan's.
 * Assumes     (1) The assumptions of sotto/pate_cost.h. (2) Every query gets fresh noise, from
 *             the gate. (3) The attacker does not observe the running time.
 * Rounding    The noise is at least that of the event, up to the samplers' total variation (below
 *             2^-700 a number), which the gate counts. Equal noisy counts: always the first
 *             class. Proof note: pate.md
 */
#ifndef SOTTO_PATE_AGGREGATE_H
#define SOTTO_PATE_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/gate.h>
#include <sotto/pate_cost.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills in the plan line of one step of one query. Its purpose is the configuration's, with "
 * (test)" appended for the test. Aggregators without a test have only the step
 * SOTTO_PATE_ANSWER. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_event(const sotto_pate_config *config,
                                                         sotto_pate_step step,
                                                         sotto_event *out_event,
                                                         sotto_error *error);

/* A plan for at most `asked` queries of which at most `answered` are answered; for aggregators without a
 * test the two are the same number. The guarantee covers these caps: the number of answers is an output. Free it
 * with sotto_plan_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_plan(const sotto_pate_config *config,
                                                        uint64_t asked, uint64_t answered,
                                                        sotto_plan **out_plan,
                                                        sotto_error *error);

/* Returns the largest number of answers that fits (epsilon, delta) if all of `asked` queries are
 * tested, by the exact accountant. Aggregators without a test have `asked` = 0, and the result is
 * the number of queries. It may exceed `asked`: then every query can be answered. `out_account`
 * is the account for this number. SOTTO_UNREACHABLE if not even one fits. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_answers(
    const sotto_pate_config *config, uint64_t asked, double epsilon, double delta,
    uint64_t *out_answered, sotto_account *out_account, sotto_error *error);

/* Returns the number of queries left in the gate's plan: 0 as soon as an answer could not be released. Ask this
 * before the query, for a test that has been paid for and cannot be answered is wasted. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_left(const sotto_gate *gate,
                                                        const sotto_pate_config *config,
                                                        uint64_t *out_queries,
                                                        sotto_error *error);

typedef enum sotto_pate_outcome {
    SOTTO_PATE_NOTHING = 0, /* no label */
    SOTTO_PATE_VOTED = 1,   /* the teachers' */
    SOTTO_PATE_REINFORCED =
        2 /* the student's own, with Interactive; costs only the test */
} sotto_pate_outcome;

/* One query: votes[j] teachers say class j, at most 2^24 in all classes. `student` is the student's
 * probability of each class for Interactive, NULL for the others. *out_class is `classes` when there is
 * nothing. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_pate_label(sotto_gate *gate, const sotto_pate_config *config, const int64_t *votes,
                 size_t classes, const double *student, sotto_pate_outcome *out_outcome,
                 size_t *out_class, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
