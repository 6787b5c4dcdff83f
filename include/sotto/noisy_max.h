/* sotto/noisy_max.h: report the index of the largest noisy score.
 *
 * Idea        Add an independent exponential number of mean range / epsilon to each score and
 *             report the place of the largest sum (never the sum itself).
 * Theorem     Ding, Kifer, Saghaian, Steinke, Wang, Xiao & Zhang, "The Permute-and-Flip Mechanism
 *             is Identical to Report-Noisy-Max with Exponential Noise", arXiv:2105.07260. The
 *             index has exactly the distribution of permute-and-flip, and is sampled that way. So
 *             real exponential numbers are never needed, and ties have no special case.
 * Neighbours  config->adjacency; see sotto/selection.h.
 * Assumes     The assumptions of sotto/selection.h, and an attacker who does not observe the
 *             running time.
 * Noise       Only exponential noise is offered. Gumbel noise gives the exponential mechanism
 *             (sotto/exponential.h); two-sided Laplace noise is worse than either.
 * Rounding    None. Proof note: noisy_max.md
 */
#ifndef SOTTO_NOISY_MAX_H
#define SOTTO_NOISY_MAX_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/gate.h>
#include <sotto/selection.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills in the plan line of one report. Its distribution is that of permute-and-flip, and so is
 * its mechanism in the plan: SOTTO_PERMUTE_AND_FLIP. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_noisy_max_event(
    const sotto_selection_config *config, sotto_event *out_event, sotto_error *error);

/* The place, 0 .. count - 1, of the largest noisy score. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_noisy_max_report(
    sotto_gate *gate, const sotto_selection_config *config, const int64_t *scores,
    size_t count, size_t *out_place, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
