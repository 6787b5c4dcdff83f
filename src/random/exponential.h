/* random/exponential.h: exact exponential numbers, and the norm and direction made from them.
 *
 * Idea: pure objective and output perturbation add a vector b with density proportional to
 * exp(-|b| / s) in R^d. Its norm is s times a Gamma(d) number, a sum of d independent
 * exponentials. Its direction is uniform: a normal vector divided by its norm.
 *
 * Exactness: there is a real vector b* with exactly that distribution (up to total variation
 * 2^SOT_GAMMA_DIRECTION_LOG2_TV), and the result b = grid * out is never farther than the stated
 * l2_error_upper from it. That bound is known before the sample; the caller counts it (tau in the
 * mechanisms). The result b need not be the exact rounding of b* coordinate by coordinate. Proof
 * note: exponential.md.
 *
 * Timing: rejection everywhere. Not constant-time.
 */
#ifndef SOT_RANDOM_EXPONENTIAL_H
#define SOT_RANDOM_EXPONENTIAL_H

#include "random/digits.h"
#include "random/rng.h"

/* floor(2^64 E), E exponential with mean 1 (von Neumann 1951: comparisons only). The low word
 * holds 64 binary places. */
sot_u128 sot_exponential(sotto_rng *rng);

/* The digits of E / 512; E >= 512 (probability below 2^-738) is drawn again. */
void sot_exponential_digits(sotto_rng *rng, sot_digits *out_digits);

enum { SOT_GAMMA_DIRECTION_LOG2_TV = -900, SOT_GAMMA_DIRECTION_MAX = 1 << 20 };

typedef struct sot_gamma_direction {
    size_t dimension; /* 1 .. SOT_GAMMA_DIRECTION_MAX */
    double scale;     /* s */
    double grid;      /* spacing of the results */
} sot_gamma_direction;

/* The a-priori bound on |grid * out - b*|, rounded up. Refuses settings whose results might not
 * be exact as integers in a double (s (d + sqrt(1387 d) + 694) > 2^50 grids). */
SOTTO_MUST_CHECK sotto_status sot_gamma_direction_error(const sot_gamma_direction *law,
                                                        double *out_l2_error_upper,
                                                        sotto_error *error);

/* One vector, law->dimension integers. */
SOTTO_MUST_CHECK sotto_status sot_gamma_direction_draw(const sot_gamma_direction *law,
                                                       sotto_rng *rng, int64_t *out,
                                                       sotto_error *error);

#endif
