/* sotto/sparse_vector.h: find the questions whose answer is above a threshold.
 *
 * Idea        Compare each answer, with fresh noise, to one noisy threshold. Any number of
 *             answers "below" costs nothing beyond the threshold's noise. Only "above" is paid
 *             for, so a run stops after `above_most` of them.
 * Theorem     Above-threshold is epsilon-DP (Dwork & Roth 2014, Thm 3.23; Lyu, Su & Li, VLDB
 *             2017). The noise on the threshold has scale 2 sensitivity / epsilon. The noise on
 *             each answer has scale 4 sensitivity / epsilon, or 2 sensitivity / epsilon if all
 *             answers move in the same direction. With above_most = c it is run c times with
 *             epsilon / c each and fresh noise on the threshold, which composes to epsilon. Here
 *             with discrete Laplace noise on integers.
 * Neighbours  config->adjacency.
 * Assumes     (1) `sensitivity` bounds the change of every answer for every pair of neighbours.
 *             (2) SOTTO_CHANGE_MONOTONE is set only if no pair of neighbours moves one answer up
 *             and another one down. (3) Threshold and questions are public, or follow from
 *             earlier outputs of the gate.
 * Rounding    Scales are rounded up to a ratio that the sampler samples exactly, by less than a thousandth;
 *             epsilon is charged in full. Proof note: sparse_vector.md
 */
#ifndef SOTTO_SPARSE_VECTOR_H
#define SOTTO_SPARSE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/gate.h>
#include <sotto/selection.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_sparse_vector_config {
    double epsilon;       /* of the whole run, from 2^-30 to 1e6; has no default */
    uint64_t sensitivity; /* of one answer, in its units, from 1 to 2^43; no default */
    sotto_score_change change; /* of the answers; has no default */
    sotto_adjacency adjacency; /* has no default */
    int64_t threshold;         /* public; 0 unless set */
    uint64_t
        above_most; /* largest number of answers "above", 1 to 2^20; has no default */
    const char *purpose; /* 1 to 47 bytes; borrowed; has no default */
} sotto_sparse_vector_config;

/* A run: begun, asked, exhausted. */
typedef struct sotto_sparse_vector sotto_sparse_vector;

/* Nothing that carries privacy is set. */
SOTTO_API sotto_sparse_vector_config sotto_sparse_vector_defaults(void);

/* The line of a plan that one run takes: mechanism SOTTO_PURE, the epsilon and the purpose. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_sparse_vector_event(
    const sotto_sparse_vector_config *config, sotto_event *out_event, sotto_error *error);

/* Begins a run, which uses the whole epsilon for any questions. The gate must outlive the run.
 * Free it with sotto_sparse_vector_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_sparse_vector_begin(sotto_gate *gate, const sotto_sparse_vector_config *config,
                          sotto_sparse_vector **out_run, sotto_error *error);

/* Is `answer`, computed from the records, above the threshold? SOTTO_NOT_IN_PLAN once `above` has
 * been said above_most times. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_sparse_vector_ask(sotto_sparse_vector *run,
                                                                int64_t answer,
                                                                bool *out_above,
                                                                sotto_error *error);

/* Returns the number of answers "above" that are left: a function of released answers. */
SOTTO_API uint64_t sotto_sparse_vector_left(const sotto_sparse_vector *run);

/* Wipes the noise and frees; NULL is fine. */
SOTTO_API void sotto_sparse_vector_free(sotto_sparse_vector *run);

#ifdef __cplusplus
}
#endif
#endif
