/* privacy/mechanisms/propose_test_release/propose_test_release.h: the two numbers of the test, for the release and for tests that
 * enumerate all histograms. */
#ifndef SOT_PRIVACY_MECHANISMS_PROPOSE_TEST_RELEASE_PROPOSE_TEST_RELEASE_H
#define SOT_PRIVACY_MECHANISMS_PROPOSE_TEST_RELEASE_PROPOSE_TEST_RELEASE_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/propose_test_release.h>

/* The least integer k >= 1 for which r^k/(1+r) <= delta is proved with outward rounding, r =
 * exp(-epsilon_used). */
int64_t sot_mode_threshold(double epsilon_used, double delta);

/* The mode, the first of equals, and the number of votes that must change before a neighbour could have
 * another one. At least two categories, no negative count. */
int64_t sot_mode_distance(sotto_adjacency adjacency, const int64_t *counts,
                          size_t categories, size_t *out_mode);

/* The same if neighbours change the gap of the two largest counts by up to `gap_most`. Their
 * modes differ only at gaps up to it. The distance is max(0, ceil(gap/gap_most) - 1). */
int64_t sot_mode_distance_by(int64_t gap_most, const int64_t *counts, size_t categories,
                             size_t *out_mode);

/* sotto_propose_test_release_mode() for neighbours that move the histogram by `l1_most` and its gap
 * by `gap_most`. config->adjacency must be the plan's, and says no more. */
SOTTO_MUST_CHECK sotto_status sot_propose_test_release(
    sotto_gate *gate, const sotto_propose_test_release_config *config, int64_t gap_most,
    double l1_most, const int64_t *counts, size_t categories, bool *out_released,
    size_t *out_mode, sotto_error *error);

#endif
