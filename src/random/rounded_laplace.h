/* random/rounded_laplace.h: Laplace noise rounded to the integers, exactly.
 *
 * Distribution: out = round(scale L), L with density exp(-|x|)/2. Rounding is post-processing of
 * a real Laplace number. So a release with this noise inherits the Laplace mechanism's analysis.
 *
 * Exactness: total variation at most 2^SOT_ROUNDED_LAPLACE_LOG2_TV a sample. The exponential |L|
 * is sampled digit by digit until the rounding is decided; |L| >= 512 is rejected. Proof note:
 * rounded_laplace.md.
 *
 * Timing: rejection. Not constant-time.
 */
#ifndef SOT_RANDOM_ROUNDED_LAPLACE_H
#define SOT_RANDOM_ROUNDED_LAPLACE_H

#include "random/rng.h"

enum { SOT_ROUNDED_LAPLACE_LOG2_TV = -700 };

/* 2^-20 <= scale <= 2^53: |out| < 2^63. */
SOTTO_MUST_CHECK sotto_status sot_rounded_laplace_fill(sotto_rng *rng, double scale,
                                                       int64_t *out, size_t count,
                                                       sotto_error *error);

#endif
