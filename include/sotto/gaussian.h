/* sotto/gaussian.h: release a vector of integer sums under Gaussian noise.
 *
 * Idea        One person moves the vector by at most `l2_sensitivity`; independent noise of scale
 *             `sigma` on every coordinate hides that step. Two kinds of integer noise:
 *             - rounded: round(sigma Z), Z standard normal. Rounding commutes with integer sums,
 *               so the release is post-processing of a real Gaussian release.
 *             - discrete: P(x) proportional to exp(-x^2 / (2 sigma^2)) on the integers.
 * Theorem     Rounded: the release is mu-GDP with mu = l2_sensitivity / sigma (Dong, Roth & Su,
 *             JRSS B 2022, Thm 2.7, and post-processing). Discrete: it is rho-zCDP with
 *             rho = l2_sensitivity^2 / (2 sigma^2) (Canonne, Kamath & Steinke, NeurIPS 2020,
 *             Thm 14); it is not exactly GDP.
 * Neighbours  Those of `adjacency`, which must be the plan's.
 * Assumes     (1) `l2_sensitivity` bounds every pair of neighbours, not only those seen. Under
 *             Poisson sampling it bounds every record's contribution to the sum; for batches, the
 *             change when one record is replaced. Record-and-replay tests check it.
 *             (2) If `sampling` is set, the records were sampled that way. (3) The samplers'
 *             distributions: proof notes rounded_gaussian.md, discrete_gaussian.md.
 * Rounding    The event's noise_multiplier is sigma / l2_sensitivity rounded down; the discrete
 *             noise has a variance of at least sigma^2. The samplers' errors, at most 2^-900 a
 *             coordinate, are added to the gate's. Proof note: gaussian.md
 */
#ifndef SOTTO_GAUSSIAN_H
#define SOTTO_GAUSSIAN_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/gate.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_gaussian_config {
    double l2_sensitivity;     /* public bound, in units of the sum; has no default */
    double sigma;              /* noise scale, in units of the sum; has no default */
    sotto_adjacency adjacency; /* between which data sets; has no default */
    double grid;               /* the unit of the sum, a power of two; default 1 */
    sotto_sampling sampling;   /* of the records in the sum; default not sampled */
    double rate;               /* of Poisson sampling; unset by default */
    uint64_t population;       /* of batches and single records; default 0 */
    uint64_t batch;            /* of batches; default 0 */
    const char *purpose;       /* the purpose of the release; borrowed; has no default */
} sotto_gaussian_config;

/* Every field that carries privacy starts unset, and an unset field is refused. */
SOTTO_API sotto_gaussian_config sotto_gaussian_defaults(void);

/* Fills in the event of one release with this config, which a plan must hold for the gate
 * to admit the release. Set its count to the number of releases before adding it. Scale
 * and sensitivity are those of the config times `grid`. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_gaussian_event(
    const sotto_gaussian_config *config, sotto_event *out_event, sotto_error *error);

/* Adds exactly rounded Gaussian noise, sigma from 2^-20 to 2^56. Writes the noisy sums only on
 * success; `exact_sums` stays the caller's; the two may be the same array. A vector of 32768 and
 * more is noised in place; if the random source fails in between, it is set to zeros. Results are
 * clipped to +-(2^62 - 1). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_gaussian_release(
    sotto_gate *gate, const sotto_gaussian_config *config, const int64_t *exact_sums,
    size_t count, int64_t *out_noisy_sums, sotto_error *error);

/* The same with discrete Gaussian noise, sigma from 2^-10 to 2^30, not sampled: an event of
 * kind SOTTO_DISCRETE_GAUSSIAN. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_discrete_gaussian_event(
    const sotto_gaussian_config *config, sotto_event *out_event, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_discrete_gaussian_release(
    sotto_gate *gate, const sotto_gaussian_config *config, const int64_t *exact_sums,
    size_t count, int64_t *out_noisy_sums, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
