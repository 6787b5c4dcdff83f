/* sotto/laplace.h: release a vector of integer sums under discrete Laplace noise.
 *
 * Idea        One person moves the vector by at most `l1_sensitivity` in all; independent
 *             two-sided geometric noise on every coordinate hides that step.
 * Theorem     With P(x) proportional to exp(-|x| / scale) on the integers the release is pure
 *             epsilon-DP, epsilon = l1_sensitivity / scale (Ghosh, Roughgarden & Sundararajan,
 *             SIAM J. Comput. 2012, for one coordinate; the triangle inequality for more).
 * Neighbours  Those of `adjacency`, which must be the plan's.
 * Assumes     (1) `l1_sensitivity` bounds every pair of neighbours, not only those seen;
 *             record-and-replay tests check it. (2) The sampler's distribution: proof note
 *             discrete_laplace.md.
 * Rounding    The sampler's scale is a ratio of integers: the smallest n / 2^k at or above the
 *             configured scale. It is a double, and the event states it. The sampler adds no
 *             error to the gate's sampler error. Proof note: laplace.md
 */
#ifndef SOTTO_LAPLACE_H
#define SOTTO_LAPLACE_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/gate.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_laplace_config {
    double l1_sensitivity;     /* public bound, a whole number of units; has no default */
    double scale;              /* of the noise, in units of the sum; has no default */
    sotto_adjacency adjacency; /* between which data sets; has no default */
    double grid;               /* the unit of the sum, a power of two; default 1 */
    const char *purpose;       /* the purpose of the release; borrowed; has no default */
} sotto_laplace_config;

/* Every field that carries privacy starts unset, and an unset field is refused. */
SOTTO_API sotto_laplace_config sotto_laplace_defaults(void);

/* The least scale that can be sampled and costs at most `epsilon`: l1_sensitivity / epsilon,
 * rounded up. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_laplace_scale(double epsilon,
                                                            double l1_sensitivity,
                                                            double *out_scale,
                                                            sotto_error *error);

/* Fills in the event of one release with this config, which a plan must hold for the gate to
 * admit the release. Set its count to the number of releases before adding it. Its scale is
 * exactly the sampled one, times `grid`. Scales from 2^-10 to 2^50. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_laplace_event(
    const sotto_laplace_config *config, sotto_event *out_event, sotto_error *error);

/* Writes the noisy sums only on success; `exact_sums` stays the caller's; the two may be the same
 * array. A vector of 32768 and more is noised in place; if the random source fails in between, it
 * is set to zeros. Results are clipped to +-(2^62 - 1). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_laplace_release(
    sotto_gate *gate, const sotto_laplace_config *config, const int64_t *exact_sums,
    size_t count, int64_t *out_noisy_sums, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
