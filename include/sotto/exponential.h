/* sotto/exponential.h: choose a candidate with probability proportional to exp(score).
 *
 * Idea        A candidate with a better score is more likely: weights are exp(epsilon
 *             score / range).
 * Theorem     McSherry & Talwar, FOCS 2007 (Dwork & Roth 2014, Thm 3.10), for bounded range
 *             (Durfee & Rogers, NeurIPS 2019). The choice is epsilon-DP if the change of the
 *             scores between neighbours has range at most `range`. That is twice the sensitivity,
 *             or the sensitivity itself if the change has one sign.
 * Neighbours  config->adjacency; see sotto/selection.h.
 * Assumes     The assumptions of sotto/selection.h, and an attacker who does not observe the
 *             running time.
 * Rounding    None: the sampler uses only integers and has exactly the stated distribution, for
 *             scores of any size (proof note choice.md). Proof note: exponential.md
 */
#ifndef SOTTO_EXPONENTIAL_H
#define SOTTO_EXPONENTIAL_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/gate.h>
#include <sotto/selection.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The line of a plan that one choice takes: mechanism SOTTO_EXPONENTIAL, the epsilon and the purpose. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_exponential_event(
    const sotto_selection_config *config, sotto_event *out_event, sotto_error *error);

/* Chooses among the candidates 0 .. count - 1. Time: at most `count` trials on average. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_exponential_choose(
    sotto_gate *gate, const sotto_selection_config *config, const int64_t *scores,
    size_t count, size_t *out_choice, sotto_error *error);

/* Chooses among the points 0 .. ends[cells - 1] - 1 of a large public grid. The scores are
 * constant on cells of consecutive points; cell i ends before point ends[i]. Ends ascend, and the
 * last one is the public size of the grid, at most 2^62. The cells themselves may depend on the
 * records: a point is released, never a cell. Time: `cells` steps and less than 11 trials on
 * average. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_exponential_choose_point(
    sotto_gate *gate, const sotto_selection_config *config, const int64_t *scores,
    const uint64_t *ends, size_t cells, uint64_t *out_point, sotto_error *error);

/* Chooses an interval: two points low < high of such a grid, or the empty one, which is low = high = 0. Its score is
 * low_scores of low's cell plus high_scores of high's, or empty_score; each pair of points is one candidate. The grid has at most
 * 2^32 + 1 points, scores are within +-2^60. The cells may depend on the records. Time: `cells` steps and a bounded
 * number of trials on average. Proof note: exponential/pairs.md */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_exponential_choose_interval(
    sotto_gate *gate, const sotto_selection_config *config, const int64_t *low_scores,
    const int64_t *high_scores, const uint64_t *ends, size_t cells, int64_t empty_score,
    uint64_t *out_low, uint64_t *out_high, sotto_error *error);

/* A rectangle holds the cells x_low <= x < x_high, y_low <= y < y_high. */
typedef struct sotto_rectangle {
    uint64_t x_low, x_high, y_low, y_high; /* all 0: empty */
} sotto_rectangle;

/* Chooses a rectangle of a public grid of width x height cells, at most 1024 each, or the empty one. Its score is empty_score and the sum of
 * gains[x * height + y] over the cells inside; all of them together are within +-2^60. Time: width^2 height steps. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_exponential_choose_rectangle(
    sotto_gate *gate, const sotto_selection_config *config, const int64_t *gains,
    size_t width, size_t height, int64_t empty_score, sotto_rectangle *out_rectangle,
    sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
