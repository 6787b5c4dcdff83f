/* sotto/pate_agreement.h: how much teachers agree, paid for: a histogram of the largest number of votes.
 *
 * Idea        One record touches one teacher, who may vote anew on every query: of Q queries each can change, but
 *             each by one vote only. A count of queries in bins would have to hide Q queries that jump from one bin
 *             to the next. So votes are counted instead: sum j has, of every query, how many of the votes between
 *             the public edges j and j + 1 its largest count reaches. One vote more or less moves one such
 *             sum by one. Per query and bin of h votes the noise is h times smaller than that of a hard count.
 * Theorem     The vector of sums moves by at most Q k in L1 and in L2, k the teachers that one unit touches, and Q k is
 *             attained. So it is a Gaussian release of sensitivity Q k: with noise of s votes a query, sigma = Q s, it
 *             costs as much as one test of one query with test_noise = s, however many queries there are.
 * Neighbours  Those of the configuration of the votes; its adjacency must be the plan's.
 * Assumes     (1) what sotto/pate_cost.h assumes; (2) the queries, their number, the number of teachers and of classes
 *             are public: whatever was asked, all queries of the plan are looked at.
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
    uint64_t bins; /* of the number of teachers, 1 to 100 and at most that number; 0: as
                       many, up to 10, as leave a share at most a quarter of the queries of
                       noise (95%), and at least 1: the mean alone; default 0 */
} sotto_pate_agreement_config;

/* No noise is set; bins by rule. */
SOTTO_API sotto_pate_agreement_config sotto_pate_agreement_defaults(void);

/* The public edges in votes, ascending: ceil(i teachers / bins) for those i that are not below what the largest of
 * `classes` counts reaches anyway, teachers / classes, and the last of those that are. *out_count of them, at least two; the room is for
 * SOTTO_PATE_AGREEMENT_BINS_MAX + 1. `config` has the number of teachers. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_agreement_edges(
    const sotto_pate_config *config, const sotto_pate_agreement_config *agreement,
    size_t classes, int64_t *out_edges, size_t *out_count, sotto_error *error);

/* The line of a plan that it takes, once. Its purpose is that of `config`, at most 35 bytes, with " (agreement)"
 * behind it. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_agreement_event(
    const sotto_pate_config *config, const sotto_pate_agreement_config *agreement,
    uint64_t queries, sotto_event *out_event, sotto_error *error);

/* Noisy sums, one less than there are edges: of every query min(max(top - edge, 0), next edge - edge), top its largest
 * count. votes[query * classes + class]. They may be negative, and need not descend: see
 * sotto_pate_agreement_shares(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_agreement_release(
    sotto_gate *gate, const sotto_pate_config *config,
    const sotto_pate_agreement_config *agreement, const int64_t *votes, uint64_t queries,
    size_t classes, int64_t *out_sums, sotto_error *error);

/* What released sums say: post-processing. */
typedef struct sotto_pate_agreement {
    size_t count;                                    /* as many as edges */
    double at[SOTTO_PATE_AGREEMENT_BINS_MAX + 1];    /* edge / teachers */
    double share[SOTTO_PATE_AGREEMENT_BINS_MAX + 1]; /* of the queries: 0 to 1, sum 1 */
    double deviation[SOTTO_PATE_AGREEMENT_BINS_MAX + 1]; /* of the noise in a share */
    double mean; /* share of the teachers that agree, over all queries */
    double mean_deviation;
} sotto_pate_agreement;

/* A query between two edges counts for both, in proportion to how near it is: share j is the mean over the queries of a
 * hat that is 1 at edge j and 0 at its neighbours and beyond. Sums are made to descend by weighted least squares, which
 * moves them no further from the truth. `sigma` is that of the sums: noise times queries. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_pate_agreement_shares(const int64_t *edges, size_t edge_count, const int64_t *sums,
                            uint64_t queries, uint64_t teachers, double sigma,
                            sotto_pate_agreement *out_agreement, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
