/* sotto/pate_agreement.h: a private histogram of the agreement of teachers (the largest number of
 * votes).
 *
 * Idea        One record touches one teacher, which may change its vote on every query: each of Q
 *             queries can change, but by one vote only. A histogram of queries would have to hide
 *             Q queries that change bins. So votes are counted instead. Sum j adds up, over the
 *             queries, the votes of the largest count that lie between the public edges j and j +
 *             1. One vote more or less moves one such sum by one. Per query and bin of h votes
 *             the noise is h times smaller than that of a histogram of queries.
 * Theorem     One unit touches k teachers. It moves the vector of sums by at most Q k in L1 and
 *             in L2, and Q k is attained. So it is a Gaussian release of sensitivity Q k. With
 *             noise of s votes a query (sigma = Q s) it costs as much as one test of one query
 *             with test_noise = s.
 * Neighbours  Those of the configuration of the votes; its adjacency must be the plan's.
 * Assumes     (1) The assumptions of sotto/pate_cost.h. (2) The queries, their number, the number
 *             of teachers and of classes are public: all queries of the plan are counted.
 * Rounding    None: sums are integers. Noise as in sotto/gaussian.h.
 *             Proof note: pate/agreement.md
 */
#ifndef SOTTO_PATE_AGREEMENT_H
#define SOTTO_PATE_AGREEMENT_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/gate.h>
#include <sotto/pate_cost.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SOTTO_PATE_AGREEMENT_BINS_MAX = 100 };

typedef struct sotto_pate_agreement_config {
    double noise;  /* sigma, in votes a query; SOTTO_UNSET: no histogram */
    uint64_t bins; /* 1 to 100, and at most the number of teachers; default 0. 0: 1 to
                    * 10 (1: only the mean), so that the noise of a share
                    * (95%) is at most a quarter of the queries */
} sotto_pate_agreement_config;

/* No noise is set; bins by rule. */
SOTTO_API sotto_pate_agreement_config sotto_pate_agreement_defaults(void);

/* Writes the public edges in votes, ascending: ceil(i teachers / bins) for i = 0, 1, ... Edges
 * below teachers / classes, which the largest count always reaches, are left out except the last
 * of them. *out_count is at least two; the room is for SOTTO_PATE_AGREEMENT_BINS_MAX + 1.
 * `config` has the number of teachers. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_agreement_edges(
    const sotto_pate_config *config, const sotto_pate_agreement_config *agreement,
    size_t classes, int64_t *out_edges, size_t *out_count, sotto_error *error);

/* The line of a plan that it takes, once. Its purpose is that of `config`, at most 35 bytes, with " (agreement)"
 * behind it. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_agreement_event(
    const sotto_pate_config *config, const sotto_pate_agreement_config *agreement,
    uint64_t queries, sotto_event *out_event, sotto_error *error);

/* Releases noisy sums, one fewer than there are edges. Each query adds `min(max(top - edge, 0),
 * next edge - edge)`, where top is its largest count. votes[query * classes + class]. The noisy
 * sums may be negative and may rise: see sotto_pate_agreement_shares(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_agreement_release(
    sotto_gate *gate, const sotto_pate_config *config,
    const sotto_pate_agreement_config *agreement, const int64_t *votes, uint64_t queries,
    size_t classes, int64_t *out_sums, sotto_error *error);

/* Estimates from released sums: post-processing. */
typedef struct sotto_pate_agreement {
    size_t count;                                    /* as many as edges */
    double at[SOTTO_PATE_AGREEMENT_BINS_MAX + 1];    /* edge / teachers */
    double share[SOTTO_PATE_AGREEMENT_BINS_MAX + 1]; /* of the queries: 0 to 1, sum 1 */
    double deviation[SOTTO_PATE_AGREEMENT_BINS_MAX + 1]; /* of the noise in a share */
    double mean; /* share of the teachers that agree, over all queries */
    double mean_deviation;
} sotto_pate_agreement;

/* A query between two edges counts for both, in proportion to its distance. Share j is the mean
 * over the queries of a hat function that is 1 at edge j and 0 at its neighbours and beyond. Sums
 * are made to descend by weighted least squares, which never increases their error. `sigma` is
 * that of the sums: noise times queries. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_pate_agreement_shares(const int64_t *edges, size_t edge_count, const int64_t *sums,
                            uint64_t queries, uint64_t teachers, double sigma,
                            sotto_pate_agreement *out_agreement, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
