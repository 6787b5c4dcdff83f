/* privacy/mechanisms/additive/additive.h: the common part of all mechanisms that add noise to
 * integer sums.
 *
 * The mechanism has the distribution of the noise and its theorem. This file passes the gate,
 * serves the gate tape, and adds.
 */
#ifndef SOT_PRIVACY_MECHANISMS_ADDITIVE_ADDITIVE_H
#define SOT_PRIVACY_MECHANISMS_ADDITIVE_ADDITIVE_H

#include <sotto/gaussian.h>
#include <sotto/grid.h>
#include <sotto/laplace.h>

#include "privacy/mechanisms/gate/gate.h"

/* Sums are taken as they are up to +-2^62, which the limits of sotto/grid.h guarantee; results
 * are clipped at one less. */
#define SOT_SUM_MAX    (INT64_C(1) << 62)
#define SOT_RESULT_MAX (SOT_SUM_MAX - 1)

/* Writes `count` independent samples. A long release calls it for one piece after the other, each
 * from the stream of its chunk. So it must not depend on the length of the release or on the
 * position of a piece. */
typedef sotto_status (*sot_noise_fill)(sotto_rng *rng, const void *law, int64_t *out,
                                       size_t count, sotto_error *error);

/* Writes all exact sums of a release with their noise, for noise whose samples depend on each other or on their
 * place. `out_noisy_sums` may be `exact_sums`. After a failure the caller wipes the outputs. */
typedef sotto_status (*sot_noise_add)(sotto_rng *rng, const void *law,
                                      const int64_t *exact_sums, size_t count,
                                      int64_t *out_noisy_sums, sotto_error *error);

typedef struct sot_additive {
    sotto_event event;
    sotto_adjacency adjacency;
    sotto_norm norm;    /* of `sensitivity` */
    double sensitivity; /* in units of the sums */
    double order_slack; /* for the gate tape: 0 for sums, more for the results of
                         * solvers */
    sot_noise_fill fill;
    sot_noise_fill fill_long; /* of long vectors (below); NULL: `fill` */
    sot_noise_add add;        /* instead of both; NULL: independent samples */
    const void *law;
    double sampler_error; /* bound on the total variation of one sample */
} sot_additive;

/* Returns clip(exact + noise), where `exact` is first clipped to +-SOT_SUM_MAX.
 *
 * Clipping the exact value moves neighbours closer, never apart. Clipping the result is
 * post-processing. Noise of +-INT64_MAX may stand for any larger noise: for every `exact` the
 * result is then +-SOT_RESULT_MAX, as it would be for the larger noise. */
int64_t sot_add_clamped(int64_t exact, int64_t noise);

/* The same for vectors: out[i] = sot_add_clamped(exact[i], noise[i]). `out` may be `exact`. */
typedef void (*sot_add_noise_function)(const int64_t *exact_sums, const int64_t *noise,
                                       size_t count, int64_t *out_noisy_sums);

void sot_add_noise(const int64_t *exact_sums, const int64_t *noise, size_t count,
                   int64_t *out_noisy_sums);
void sot_add_noise_plain(const int64_t *exact_sums, const int64_t *noise, size_t count,
                         int64_t *out_noisy_sums);
sot_add_noise_function sot_add_noise_avx2(void); /* NULL where there is no AVX2 */

/* The way in which the noise of a vector is sampled depends only on its length, which is public.
 *
 * - Short: one after the other from the gate's generator; outputs are written when all are
 *   sampled.
 * - Long: in chunks of SOT_NOISE_CHUNK, each from its own stream of a family that begins with a
 *   fresh key for every release (random/rng.h). So no two chunks and no two releases share noise.
 *   The threads of the gate's pool take any chunks, and the bits are the same for every number of
 *   threads. Nothing is allocated, and noise never leaves the cache. If a chunk fails (the random
 *   source, or the pool was cancelled), all outputs become zero: never a part of a release.
 * - Joint: `add` samples all noise of the release from the gate's generator, for any length. If
 *   it fails, all outputs become zero. */
enum { SOT_NOISE_CHUNK = 8192, SOT_NOISE_LONG = 4 * SOT_NOISE_CHUNK };

/* Lets the release through the gate, draws, adds, records. Noise is wiped: noise and output
 * together are the exact sums. */
SOTTO_MUST_CHECK sotto_status sot_additive_release(sotto_gate *gate,
                                                   const sot_additive *mechanism,
                                                   const int64_t *exact_sums,
                                                   size_t count, int64_t *out_noisy_sums,
                                                   sotto_error *error);

/* sotto_gaussian_release() and sotto_laplace_release() for rounded results of a solver. Sums are
 * equal in every order of the records; these may differ by `order_slack` units (norm of the
 * mechanism), well within the sensitivity. Only the gate tape uses it. */
SOTTO_MUST_CHECK sotto_status sot_gaussian_release_solved(
    sotto_gate *gate, const sotto_gaussian_config *config, double order_slack,
    const int64_t *values, size_t count, int64_t *out_noisy, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_laplace_release_solved(
    sotto_gate *gate, const sotto_laplace_config *config, double order_slack,
    const int64_t *values, size_t count, int64_t *out_noisy, sotto_error *error);

/* Checks that every additive config needs: adjacency, purpose, grid (a power of two). Fills
 * purpose and grid of the event. */
SOTTO_MUST_CHECK sotto_status sot_additive_event(sotto_event *event,
                                                 sotto_adjacency adjacency, double grid,
                                                 const char *purpose, sotto_error *error);

/* The least noise multiplier of one Gaussian release within (epsilon, delta). */
SOTTO_MUST_CHECK sotto_status sot_gaussian_least_multiplier(sotto_adjacency adjacency,
                                                            double epsilon, double delta,
                                                            double *out_multiplier,
                                                            sotto_error *error);

#endif
