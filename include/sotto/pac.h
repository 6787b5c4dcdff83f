/* sotto/pac.h: learn a rule from a finite class of the caller's own, from C.
 *
 * Idea        A rule says yes or no of a record. Its score is minus the number of records whose label it gets wrong; one of
 *             the rules is chosen by the exponential mechanism or by permute-and-flip. Classes of thresholds, intervals, stumps, rectangles,
 *             conjunctions and parities need no list: sotto/train.h, SOTTO_MODEL_CONCEPT.
 * Theorem     Kasiviswanathan, Lee, Nissim, Raskhodnikova & Smith, "What can we learn privately?", FOCS 2008, for every finite
 *             class: epsilon-DP, and with probability at least 1 - rules exp(-epsilon t / range) the rule makes fewer than t errors more than the
 *             best one (sotto_selection_shortfall()).
 * Neighbours  config->adjacency: a record is a row with its label. One that comes or goes moves all counts in one direction; one that is
 *             replaced does not: SOTTO_CHANGE_MONOTONE needs SOTTO_ADD_REMOVE, and is refused otherwise.
 * Assumes     (1) the rules and their number were fixed without looking at the records; (2) what a rule says of a row depends on this
 *             row alone; (3) config->sensitivity is the most rows that one person has; (4) the caller's functions show nothing of rows by themselves, nor
 *             by the time they take.
 * Rounding    None: counts are integers and the choice is drawn exactly. Proof note: pac.md
 */
#ifndef SOTTO_PAC_H
#define SOTTO_PAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/gate.h>
#include <sotto/selection.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What rule number `rule` says of row number `row`. */
typedef bool (*sotto_pac_predict)(void *context, size_t rule, size_t row);

/* Give either `predict` or `predictions`. Everything is borrowed for the call. */
typedef struct sotto_pac_problem {
    size_t rules;          /* public, at least 1 */
    size_t rows;           /* may be 0 */
    const uint8_t *labels; /* one a row: 0 is no, anything else is yes */
    /* One bit for each rule and row: row i of rule h is bit i % 64 of word h * ((rows + 63) / 64) + i / 64. Bits behind the
     * last row are ignored. */
    const uint64_t *predictions;
    sotto_pac_predict predict; /* called for every rule and row, in order */
    void *context;
} sotto_pac_problem;

/* Chooses a rule, 0 .. rules - 1. `mechanism` is SOTTO_EXPONENTIAL or SOTTO_PERMUTE_AND_FLIP; the gate's plan holds its
 * event, from sotto_exponential_event() or sotto_permute_and_flip_event() with the same config. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pac_choose(
    sotto_gate *gate, const sotto_selection_config *config, sotto_mechanism mechanism,
    const sotto_pac_problem *problem, size_t *out_rule, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
