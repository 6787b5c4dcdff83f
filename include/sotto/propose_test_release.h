/* sotto/propose_test_release.h: release the most frequent category if no single vote can change it.
 *
 * Idea        The mode of a histogram with a wide gap is the same for all neighbours: releasing
 *             it reveals nothing. The distance from the nearest histogram whose mode could change
 *             has sensitivity 1. Test it under noise, and release the mode only if the test
 *             passes.
 * Theorem     Dwork & Lei, STOC 2009, for integers. Let t be the distance, r = exp(-epsilon), and
 *             X discrete Laplace of scale 1/epsilon. Let k be the smallest integer with
 *             P(X >= k) = r^k/(1+r) <= delta. Releasing the mode if t + X >= k, and "nothing"
 *             otherwise, is (epsilon, delta)-DP.
 * Neighbours  SOTTO_REPLACE_ONE: one vote moves to another category; with gap g between the two
 *             largest counts t = max(0, ceil(g/2) - 1). SOTTO_ADD_REMOVE: one vote more or less;
 *             t = max(0, g - 1).
 * Assumes     (1) One record is one vote: it changes one count by one, or moves one unit from one
 *             count to another. (2) Categories and their order are public. Equal counts: the
 *             first category is always the mode.
 * Rounding    The scale is rounded up, k is found with outward rounding; epsilon and delta are charged
 *             in full, also when nothing is released.
 *             Proof note: propose_test_release.md
 */
#ifndef SOTTO_PROPOSE_TEST_RELEASE_H
#define SOTTO_PROPOSE_TEST_RELEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/gate.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_propose_test_release_config {
    double epsilon;            /* from 2^-30 to 1e6; has no default */
    double delta;              /* in (0, 0.999999]; has no default */
    sotto_adjacency adjacency; /* has no default */
    const char *purpose;       /* 1 to 47 bytes; borrowed; has no default */
} sotto_propose_test_release_config;

/* Nothing is set. */
SOTTO_API sotto_propose_test_release_config sotto_propose_test_release_defaults(void);

/* The line of a plan that one release takes: mechanism SOTTO_APPROXIMATE, epsilon, delta, purpose. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_propose_test_release_event(const sotto_propose_test_release_config *config,
                                 sotto_event *out_event, sotto_error *error);

/* Returns the k of the theorem: public, from the settings only. A histogram whose distance is k
 * or more is released with probability above 1/2. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_propose_test_release_threshold(const sotto_propose_test_release_config *config,
                                     int64_t *out_threshold, sotto_error *error);

/* Writes the mode of counts[0 .. categories - 1] and true, or `categories` and false ("nothing"). At
 * least two categories; negative counts are refused. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_propose_test_release_mode(
    sotto_gate *gate, const sotto_propose_test_release_config *config,
    const int64_t *counts, size_t categories, bool *out_released, size_t *out_mode,
    sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
