/* commands/session/noise.h: additive noise of a release: calibrated, planned, released, described. */
#ifndef SOT_COMMANDS_SESSION_NOISE_H
#define SOT_COMMANDS_SESSION_NOISE_H

#include <sotto/accountant.h>
#include <sotto/gate.h>

/* One additive mechanism, in grid units. */
typedef struct sot_noise {
    sotto_mechanism mechanism; /* SOTTO_DISCRETE_LAPLACE or SOTTO_GAUSSIAN (rounded) */
    const char *purpose;       /* borrowed */
    sotto_adjacency adjacency;
    double grid;
    double sensitivity; /* L1, a whole number, for Laplace; L2 for Gaussian */
    double scale;       /* Laplace's, or sigma */
    size_t dimension;
} sot_noise;

/* Adds the event of one release to the plan. */
SOTTO_MUST_CHECK sotto_status sot_noise_plan(const sot_noise *noise, sotto_plan *plan,
                                             sotto_error *error);

/* Releases noise->dimension exact sums. */
SOTTO_MUST_CHECK sotto_status sot_noise_release(const sot_noise *noise, sotto_gate *gate,
                                                const int64_t *exact, int64_t *out_noisy,
                                                sotto_error *error);

/* Bound on the samplers' total-variation error of one release. */
double sot_noise_sampler_error(const sot_noise *noise);

/* The least whole number of units that |noise| exceeds with probability at most 1 - confidence. */
double sot_noise_margin(const sot_noise *noise, double confidence);

double sot_noise_deviation(const sot_noise *noise); /* standard deviation, in units */

/* P(|A - theta B| >= distance), where A is `sum` noise and B `count` noise. A is taken as
 * continuous: its scale is thousands of units or more. B is taken as it is, on the integers. */
double sot_noise_ratio_tail(const sot_noise *sum, const sot_noise *count, double theta,
                            double distance);

/* Fieller's interval for the ratio theta = sum/count in [-half, half], from noisy_sum = sum + A
 * and noisy_count = count + B. It holds the theta that are not rejected at level 1 - confidence.
 * A - theta B is a pivot of known distribution, so every true theta is inside with the stated
 * probability. The whole range if everything is rejected. */
void sot_noise_ratio_interval(const sot_noise *sum, const sot_noise *count,
                              double noisy_sum, double noisy_count, double half,
                              double confidence, double *out_lower, double *out_upper);

#endif
