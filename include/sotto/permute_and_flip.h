/* sotto/permute_and_flip.h: choose a candidate, never worse on average than the exponential mechanism.
 *
 * Idea        Visit the candidates in a random order. Take each with probability exp(-epsilon gap
 *             / range), where gap is the best score minus its score.
 * Theorem     McKenna & Sheldon, NeurIPS 2020: epsilon-DP, and the expected gap is at most
 *             that of the exponential mechanism with the same epsilon.
 * Neighbours  config->adjacency; see sotto/selection.h.
 * Assumes     The assumptions of sotto/selection.h, and an attacker who does not observe the
 *             running time.
 * When        For a single choice. It is not bounded-range: under zCDP it costs epsilon
 *             tanh(epsilon/2), up to four times the exponential mechanism's epsilon^2/8. For many
 *             choices under one budget take sotto/exponential.h.
 * Rounding    None: the sampler uses only integers. Proof note: permute_and_flip.md
 */
#ifndef SOTTO_PERMUTE_AND_FLIP_H
#define SOTTO_PERMUTE_AND_FLIP_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/gate.h>
#include <sotto/selection.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The line of a plan that one choice takes: mechanism SOTTO_PERMUTE_AND_FLIP, the epsilon and the purpose. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_permute_and_flip_event(
    const sotto_selection_config *config, sotto_event *out_event, sotto_error *error);

/* Chooses among the candidates 0 .. count - 1, in at most `count` trials. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_permute_and_flip_choose(
    sotto_gate *gate, const sotto_selection_config *config, const int64_t *scores,
    size_t count, size_t *out_choice, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
