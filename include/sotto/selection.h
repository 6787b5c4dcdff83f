/* sotto/selection.h: settings shared by the mechanisms that choose one of many candidates.
 *
 * Idea        Candidates are public; each has an integer score computed from the records. One
 *             record changes the scores, as a function on the candidates, by an amount whose
 *             range (largest change minus smallest) is bounded. Only that range matters: adding
 *             the same number to all scores changes no choice.
 * Theorem     P(score of the choice <= best - t) <= candidates exp(-epsilon t / range). It holds
 *             for the exponential mechanism (Dwork & Roth 2014, Thm 3.11), permute-and-flip
 *             (McKenna & Sheldon, NeurIPS 2020) and report-noisy-max.
 * Neighbours  `adjacency` says which pairs `sensitivity` and `change` are about.
 * Assumes     (1) The candidates are public, and so is their number. (2) `sensitivity` bounds the
 *             change of every candidate's score for every pair of neighbours, not only those
 *             seen. (3) SOTTO_CHANGE_MONOTONE is set only if no pair of neighbours moves one
 *             score up and another one down: counts under SOTTO_ADD_REMOVE, for example.
 * Rounding    epsilon is used as the exact dyadic number that the double is; bounds of failure are
 *             rounded up. Proof note: selection.md
 */
#ifndef SOTTO_SELECTION_H
#define SOTTO_SELECTION_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Possible changes of the scores between neighbours. Values are part of the ABI. */
typedef enum sotto_score_change {
    SOTTO_CHANGE_UNSET = 0,
    SOTTO_CHANGE_ANY = 1,     /* up or down: the range is twice the sensitivity */
    SOTTO_CHANGE_MONOTONE = 2 /* all up or all down: the range is the sensitivity */
} sotto_score_change;

typedef struct sotto_selection_config {
    double epsilon;       /* from 2^-30 to 1e6; has no default */
    uint64_t sensitivity; /* of one score, in its units, from 1 to 2^43; no default */
    sotto_score_change change; /* has no default */
    sotto_adjacency adjacency; /* has no default */
    const char *purpose; /* the purpose of the choice, 1 to 47 bytes; borrowed; has no
                          * default */
} sotto_selection_config;

/* Nothing is set. */
SOTTO_API sotto_selection_config sotto_selection_defaults(void);

/* The range of the change that the settings declare. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_selection_range(
    const sotto_selection_config *config, uint64_t *out_range, sotto_error *error);

/* The accuracy theorem. The chosen score is `shortfall` or more below the best with probability
 * at most min(1, candidates exp(-epsilon shortfall / range)). Rounded up. `candidates` is their
 * public number, or the size of the grid if they come in cells. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_selection_failure(
    const sotto_selection_config *config, uint64_t candidates, uint64_t shortfall,
    double *out_probability_upper, sotto_error *error);

/* The inverse: the smallest whole shortfall for which sotto_selection_failure() is at most
 * `failure`, in (0, 1). SOTTO_UNREACHABLE if it is beyond 2^62. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_selection_shortfall(const sotto_selection_config *config, uint64_t candidates,
                          double failure, uint64_t *out_shortfall, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
