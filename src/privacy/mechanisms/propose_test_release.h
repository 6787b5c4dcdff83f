/* mechanisms/propose_test_release.h: the two numbers of the test, for the release and for tests that
 * enumerate all histograms. */
#ifndef SOT_MECHANISMS_PROPOSE_TEST_RELEASE_H
#define SOT_MECHANISMS_PROPOSE_TEST_RELEASE_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>

/* The least integer k >= 1 for which r^k/(1+r) <= delta is proved with outward rounding, r =
 * exp(-epsilon_used). */
int64_t sot_mode_threshold(double epsilon_used, double delta);

/* The mode, the first of equals, and how many votes must change before a neighbour could have
 * another one. At least two categories, no negative count. */
int64_t sot_mode_distance(sotto_adjacency adjacency, const int64_t *counts,
                          size_t categories, size_t *out_mode);

#endif
