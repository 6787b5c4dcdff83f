/* privacy/mechanisms/symmetric/symmetric.h: release a symmetric matrix of integer sums under Gaussian noise.
 *
 * Idea        A record moves the matrix by a symmetric matrix, measured in the Frobenius norm,
 *             which counts off-diagonal entries twice. Noise that is isotropic for this norm has
 *             the scale sigma on the diagonal and sigma / sqrt(2) off it, mirrored. That is half
 *             the variance of noise of scale sigma for most of the matrix.
 * Theorem     mu-GDP with mu = l2_sensitivity / sigma, where l2_sensitivity bounds the move of the
 *             matrix between neighbours, in the Frobenius norm.
 * Neighbours  Those of `adjacency`, which must be the plan's.
 * Noise       One sample for each unordered pair and each diagonal entry, at every size, from the
 *             gate's generator. The bits are the same for any number of threads.
 * Rounding    Both scales are rounded up; noise is rounded to whole units, as in sotto/gaussian.h.
 *             Proof note: src/privacy/mechanisms/symmetric/symmetric.md
 */
#ifndef SOT_PRIVACY_MECHANISMS_SYMMETRIC_SYMMETRIC_H
#define SOT_PRIVACY_MECHANISMS_SYMMETRIC_SYMMETRIC_H

#include <sotto/gaussian.h>

#define SOT_SYMMETRIC_SIZE_MOST 8192

/* The event is sotto_gaussian_event() of the same config, which is not sampled; sigma is at least
 * 2^-19 units. `exact` is size x size, row by row, both triangles; a secret entry is to be
 * 0 in it. Writes the noisy matrix, both triangles; the two may be the same array. If the random source fails,
 * all of it becomes zero; after any other failure it is as before. */
SOTTO_MUST_CHECK sotto_status sot_symmetric_release(sotto_gate *gate,
                                                    const sotto_gaussian_config *config,
                                                    const int64_t *exact, size_t size,
                                                    int64_t *out_noisy,
                                                    sotto_error *error);

#endif
