/* privacy/mechanisms/selection/selection.h: the common part of the mechanisms that
 * choose, and exact epsilons. */
#ifndef SOT_PRIVACY_MECHANISMS_SELECTION_SELECTION_H
#define SOT_PRIVACY_MECHANISMS_SELECTION_SELECTION_H

#include <sotto/selection.h>

#include "random/choice.h"
#include "random/discrete_laplace.h"

/* The smallest and largest epsilon of an exact coin exp(-epsilon): 2^-30 and 1e6 < 2^20. */
#define SOT_EPSILON_MIN 0x1p-30
#define SOT_EPSILON_MAX 1e6
/* Largest sensitivity of a score: 2^43. */
#define SOT_SENSITIVITY_MAX (UINT64_C(1) << 43)

/* SOTTO_INVALID_ARGUMENT unless epsilon is in that range. */
SOTTO_MUST_CHECK sotto_status sot_check_epsilon(double epsilon, sotto_error *error);

/* Returns epsilon / divisor as an exact ratio: numerator odd or small, denominator divisor times
 * a power of two. epsilon is checked, 1 <= divisor <= 2^44. So the parts stay within those of
 * sot_slope. */
sot_slope sot_exact_slope(double epsilon, uint64_t divisor);

/* Discrete Laplace noise of scale at least multiple / epsilon, above it by less than a
 * thousandth, as the sampler's 50 bits allow. scale = multiple 2^k / floor(2^k epsilon), k as
 * large as possible. The noise is for *out_epsilon_used = floor(2^k epsilon) / 2^k <= epsilon, a
 * double without rounding. Refuses a multiple / epsilon above 2^40. */
SOTTO_MUST_CHECK sotto_status sot_noise_for_epsilon(double epsilon, uint64_t multiple,
                                                    sot_ratio *out_scale,
                                                    double *out_epsilon_used,
                                                    sotto_error *error);

/* All settings of a choice. */
SOTTO_MUST_CHECK sotto_status sot_selection_check(const sotto_selection_config *config,
                                                  sotto_error *error);

/* Twice the sensitivity, or the sensitivity if the change is monotone. */
uint64_t sot_selection_range_of(sotto_score_change change, uint64_t sensitivity);

SOTTO_MUST_CHECK sotto_status sot_check_change(sotto_score_change change,
                                               sotto_error *error);

/* Checks the settings and fills an event of this mechanism. */
SOTTO_MUST_CHECK sotto_status sot_selection_event(const sotto_selection_config *config,
                                                  sotto_mechanism mechanism,
                                                  sotto_event *out_event,
                                                  sotto_error *error);

struct sotto_gate;
/* The checks before every choice: settings, neighbours, plan. Fills the index for the
 * gate tape and the record. */
SOTTO_MUST_CHECK sotto_status sot_selection_admit(struct sotto_gate *gate,
                                                  const sotto_selection_config *config,
                                                  sotto_mechanism mechanism,
                                                  size_t *out_index, sotto_error *error);

/* epsilon over the declared range. */
sot_slope sot_selection_slope(const sotto_selection_config *config);

/* That cells cover a grid of at most `most` points, which the message calls `most_text`; messages quote no number of the cells. */
SOTTO_MUST_CHECK sotto_status sot_selection_check_cells(const uint64_t *ends,
                                                        size_t cells, uint64_t most,
                                                        const char *most_text,
                                                        sotto_error *error);

#endif
