/* sotto/pac.h: learn one concept of a finite class that the caller defines in C.
 *
 * Idea        A rule (concept) predicts yes or no for a record. Its score is minus its number of
 *             wrong labels. The exponential mechanism or permute-and-flip chooses one of the
 *             rules. Classes of thresholds, intervals, stumps, rectangles, conjunctions and
 *             parities need no list: sotto/train.h, SOTTO_MODEL_CONCEPT.
 * Theorem     Kasiviswanathan, Lee, Nissim, Raskhodnikova & Smith, FOCS 2008, for every finite
 *             class: the choice is epsilon-DP. With probability at least 1 - rules exp(-epsilon t
 *             / range), the rule makes fewer than t errors more than the best one
 *             (sotto_selection_shortfall()).
 * Neighbours  config->adjacency: a record is a row with its label. Adding or removing one moves
 *             all counts in one direction; replacing one does not. So SOTTO_CHANGE_MONOTONE needs
 *             SOTTO_ADD_REMOVE, and is refused otherwise.
 * Assumes     (1) The rules and their number were fixed without looking at the records. (2) The
 *             prediction of a rule for a row depends only on this row. (3) config->sensitivity is
 *             the largest number of rows of one person. (4) The caller's functions reveal nothing
 *             about rows, by output or by running time.
 * Rounding    None: counts are integers and the choice is sampled exactly. Proof note: pac.md
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

/* Returns the prediction of rule number `rule` for row number `row`. */
typedef bool (*sotto_pac_predict)(void *context, size_t rule, size_t row);

/* Give either `predict` or `predictions`. Everything is borrowed for the call. */
typedef struct sotto_pac_problem {
    size_t rules;          /* public, at least 1 */
    size_t rows;           /* may be 0 */
    const uint8_t *labels; /* one per row: 0 is no, anything else is yes */
    /* One bit for each rule and row: row i of rule h is bit i % 64 of word h * ((rows + 63) / 64) + i / 64. Bits
     * behind the
     * last row are ignored. */
    const uint64_t *predictions;
    sotto_pac_predict predict; /* called for every rule and row, in order */
    void *context;
} sotto_pac_problem;

/* Chooses a rule, 0 .. rules - 1. `mechanism` is SOTTO_EXPONENTIAL or SOTTO_PERMUTE_AND_FLIP; the gate's plan holds
 * its
 * event, from sotto_exponential_event() or sotto_permute_and_flip_event() with the same config. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pac_choose(
    sotto_gate *gate, const sotto_selection_config *config, sotto_mechanism mechanism,
    const sotto_pac_problem *problem, size_t *out_rule, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
