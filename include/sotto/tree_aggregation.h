/* sotto/tree_aggregation.h: the cost of running sums by noisy binary trees. None of sotto's
 * learners uses them; this is an account for other software.
 *
 * Idea        Every node of a binary tree over the steps releases the sum of its leaves with
 *             Gaussian noise. A running sum adds a few nodes. A record of one step is in one node
 *             of each height.
 * Theorem     Dwork, Naor, Pitassi & Rothblum, STOC 2010; Chan, Shi & Song, TISSEC 2011; for
 *             learning, Kairouz et al., ICML 2021 (DP-FTRL). A tree over n steps finishes nodes
 *             of ceil(log2(n + 1)) heights above any leaf. So one record costs that many Gaussian
 *             releases at once: one Gaussian release of noise sigma/sqrt(heights).
 * Neighbours  One record's contribution is replaced by nothing (zeroed out); the step in which
 *             each record takes part is public. With add-remove plans: removing the record must
 *             not move others to other steps.
 * Assumes     (1) Each record takes part in at most one step of all trees together. If it takes part in
 *             one step of each of k trees, multiply the event's count by k. (2) Its
 *             contribution has at most the reference norm. (3) Every node has its own noise, of
 *             `noise_multiplier` times that norm, sampled once and reused.
 * Rounding    The number of heights is exact. Docs: accounting.md
 */
#ifndef SOTTO_TREE_AGGREGATION_H
#define SOTTO_TREE_AGGREGATION_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The event to add to an add-remove plan: a Gaussian one, repeated as often as a record is in
 * nodes of the largest tree. `steps` has the number of steps of each tree (a tree is started
 * anew after them), `trees` of them, each from 1 to 2^62. SOTTO_INVALID_ARGUMENT for others. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_tree_aggregation_event(double noise_multiplier, const uint64_t *steps, size_t trees,
                             sotto_event *out_event, sotto_error *error);

#ifdef __cplusplus
}
#endif

#endif
