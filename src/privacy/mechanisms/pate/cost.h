/* privacy/mechanisms/pate/cost.h: the arithmetic of PATE's steps, for the mechanisms, the meter and their tests. */
#ifndef SOT_PRIVACY_MECHANISMS_PATE_COST_H
#define SOT_PRIVACY_MECHANISMS_PATE_COST_H

#include <sotto/pate_cost.h>

/* Votes and teachers: at most this many, so that counts on the grid of the noise fit. */
#define SOT_PATE_VOTES_MAX   (INT64_C(1) << 24)
#define SOT_PATE_TOUCHED_MAX (UINT64_C(1) << 20)

/* Checks all settings of `config` except its purpose; settings that the aggregator does
 * not use must be unset. */
SOTTO_MUST_CHECK sotto_status sot_pate_check(const sotto_pate_config *config,
                                             sotto_error *error);

/* True for Confident and Interactive. */
bool sot_pate_has_test(const sotto_pate_config *config);

/* The event of one step, once, without a purpose; settings are checked. Gaussian noise of
 * noise_multiplier sigma / sensitivity, Laplace likewise, and for Mode the pair itself. */
sotto_event sot_pate_event(const sotto_pate_config *config, sotto_pate_step step);

/* The first of the largest: a rule for ties that knows no record. */
size_t sot_pate_first_largest(const int64_t *values, size_t count);

/* ---- data-dependent ---- */

/* log of the bound on P[noisy argmax != argmax]: min(sum over j of erfc(gap_j/(2 sigma))/2, 1 - 1/C). */
double sot_pate_gnmax_log_q(const int64_t *votes, size_t classes, double sigma);

/* min(order/sigma^2, the data-dependent bound) for P[not the likeliest output] <= e^log_q. With
 * sigma = sqrt2 sigma_1 the same for a test. `out_used`, which may be NULL: the second one is less. */
double sot_pate_gaussian_rdp(double log_q, double sigma, double order, bool *out_used);

/* log P[top + N(0, sigma_1^2) >= threshold], and of the likelier outcome's complement. */
double sot_pate_test_log_answered(double top, double threshold, double sigma_1);
double sot_pate_test_log_q(double top, double threshold, double sigma_1);

/* The bound on P[noisy argmax != argmax] for Laplace noise of scale 1/gamma. The log-moment at
 * lambda > 0 for this q: order lambda + 1 times lambda. */
double sot_pate_lnmax_q(const int64_t *votes, size_t classes, double gamma);
double sot_pate_lnmax_log_moment(double q, double gamma, double lambda);

/* A Gaussian release beside the votes, whose divergence no data change: order/(2 noise_multiplier^2). */
void sot_pate_meter_add_gaussian(sotto_pate_meter *meter, double noise_multiplier);

/* max over j of n_j - teachers p_j; `student` NULL: max n_j. */
double sot_pate_top(const int64_t *votes, size_t classes, const double *student,
                    uint64_t teachers);

#endif
