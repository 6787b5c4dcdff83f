/* sotto/pate_aggregate.h: label a query by the noisy vote of teachers.
 *
 * Idea        Each teacher votes for a class; noise is added to the counts and the class with the
 *             largest noisy count is said, never a count. Confident and Interactive first test under
 *             noise whether the answer is clear (or news to the student), and pay for an answer only then.
 * Theorem     The aggregators' own (sotto/pate_cost.h). Noise is exactly Gaussian or Laplace, rounded to a
 *             grid of 2^-32 votes: what is said is a function of the theorem's release.
 * Neighbours  Those of the configuration; its adjacency must be the plan's.
 * Assumes     (1) what sotto/pate_cost.h assumes; (2) every query gets fresh noise, from the gate; (3) nobody
 *             sees the time it takes.
 * Rounding    Noise is at least what the event says, but for the samplers' total variation (below
 *             2^-700 a number), which the gate counts. Equal noisy counts: the first class, whatever
 *             the data. Proof note: pate.md
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

/* The line of a plan that one step of one query takes. Its purpose is the configuration's, with " (test)"
 * behind it for the test. Aggregators without a test have the step SOTTO_PATE_ANSWER alone. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_event(const sotto_pate_config *config,
                                                         sotto_pate_step step,
                                                         sotto_event *out_event,
                                                         sotto_error *error);

/* A plan for at most `asked` queries of which at most `answered` are answered; for aggregators without a
 * test the two are the same number. These caps are the guarantee: how many were answered is an output. Free it
 * with sotto_plan_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_plan(const sotto_pate_config *config,
                                                        uint64_t asked, uint64_t answered,
                                                        sotto_plan **out_plan,
                                                        sotto_error *error);

/* The most answers that fit (epsilon, delta) if all of `asked` queries are tested, by the exact accountant; for
 * aggregators without a test `asked` is 0 and the answer is the number of queries. May exceed `asked`: then every query
 * can be answered. `out_account` is that of this number. SOTTO_UNREACHABLE when not even one fits. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_answers(
    const sotto_pate_config *config, uint64_t asked, double epsilon, double delta,
    uint64_t *out_answered, sotto_account *out_account, sotto_error *error);

/* How many more queries the gate's plan holds: 0 as soon as one that would be answered could not be. Ask this
 * before the query, for a test that has been paid for and cannot be answered is wasted. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_left(const sotto_gate *gate,
                                                        const sotto_pate_config *config,
                                                        uint64_t *out_queries,
                                                        sotto_error *error);

typedef enum sotto_pate_outcome {
    SOTTO_PATE_NOTHING = 0, /* no label */
    SOTTO_PATE_VOTED = 1,   /* the teachers' */
    SOTTO_PATE_REINFORCED =
        2 /* the student's own, of Interactive; costs the test alone */
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
