#include <assert.h>
#include <math.h>

#include <sotto/laplace.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/additive/additive.h"
#include "random/discrete_laplace.h"

/* Scales from 2^-10, less than any useful noise, to the sampler's largest. */
#define SCALE_LEAST 0x1p-10
#define SCALE_MOST  0x1p50

/* Whole numbers up to here are exact as doubles, with room to spare. */
#define SENSITIVITY_MOST 0x1p50

_Static_assert(SOT_DISCRETE_LAPLACE_MAX == UINT64_C(1) << 50,
               "the bounds below assume it");

sotto_laplace_config sotto_laplace_defaults(void)
{
    return (sotto_laplace_config){.l1_sensitivity = SOTTO_UNSET,
                                  .scale = SOTTO_UNSET,
                                  .adjacency = SOTTO_ADJACENCY_UNSET,
                                  .grid = 1.0,
                                  .purpose = NULL};
}

/* Returns the smallest n / 2^k >= scale, where k <= 50 is as large as n <= 2^50 allows; in lowest
 * terms. 2^(e-1) <= scale < 2^e gives scale 2^(50-e) < 2^50. So its ceiling is at most 2^50 and
 * at least 2^49: the scale grows by less than one part in 2^49 (k = 50: scale < 1, n >= 2^40). */
static sot_ratio ratio_at_least(double scale)
{
    assert(scale >= SCALE_LEAST && scale <= SCALE_MOST);
    int exponent = 0;
    (void)frexp(scale, &exponent);
    int k = 50 - exponent;
    if (k > 50) k = 50;
    if (k < 0) k = 0; /* scale = 2^50 */
    uint64_t n = (uint64_t)ceil(ldexp(scale, k));
    for (; k > 0 && n % 2 == 0; k--)
        n /= 2;
    return (sot_ratio){.numerator = n, .denominator = UINT64_C(1) << k};
}

static double exact_double(sot_ratio ratio)
{
    return (double)ratio.numerator / (double)ratio.denominator; /* n <= 2^50 over 2^k */
}

static sotto_status check_sensitivity(double l1_sensitivity, sotto_error *error)
{
    if (l1_sensitivity >= 1.0 && l1_sensitivity <= SENSITIVITY_MOST &&
        floor(l1_sensitivity) == l1_sensitivity) {
        return SOTTO_OK;
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "l1_sensitivity is %g; integer sums move by whole units: set it to a "
                    "whole number from 1 to 2^50",
                    l1_sensitivity);
}

sotto_status sotto_laplace_scale(double epsilon, double l1_sensitivity, double *out_scale,
                                 sotto_error *error)
{
    const sotto_status status = check_sensitivity(l1_sensitivity, error);
    if (status != SOTTO_OK) return status;
    const double scale = sot_div_up(l1_sensitivity, epsilon);
    if (!(epsilon > 0.0 && scale >= SCALE_LEAST && scale <= SCALE_MOST)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "epsilon is %g at sensitivity %g; give one that needs a scale from "
            "2^-10 to 2^50",
            epsilon, l1_sensitivity);
    }
    *out_scale = exact_double(ratio_at_least(scale));
    return SOTTO_OK;
}

sotto_status sotto_laplace_event(const sotto_laplace_config *config,
                                 sotto_event *out_event, sotto_error *error)
{
    if (!(config->scale >= SCALE_LEAST && config->scale <= SCALE_MOST)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "scale is %g units of the sum; set it with sotto_laplace_scale(), "
            "from 2^-10 to 2^50",
            config->scale);
    }
    sotto_status status = check_sensitivity(config->l1_sensitivity, error);
    if (status != SOTTO_OK) return status;

    sotto_event event = sotto_event_defaults();
    status = sot_additive_event(&event, config->adjacency, config->grid, config->purpose,
                                error);
    if (status != SOTTO_OK) return status;
    event.mechanism = SOTTO_DISCRETE_LAPLACE;
    event.scale = exact_double(ratio_at_least(config->scale)) * config->grid;
    event.sensitivity = config->l1_sensitivity * config->grid;
    *out_event = event;
    return SOTTO_OK;
}

static sotto_status fill(sotto_rng *rng, const void *law, int64_t *out, size_t count,
                         sotto_error *error)
{
    return sot_discrete_laplace_fill(rng, *(const sot_ratio *)law, out, count, error);
}

sotto_status sot_laplace_release_solved(sotto_gate *gate,
                                        const sotto_laplace_config *config,
                                        double order_slack, const int64_t *values,
                                        size_t count, int64_t *out_noisy,
                                        sotto_error *error)
{
    sot_additive mechanism = {
        .adjacency = config->adjacency,
        .norm = SOTTO_L1,
        .sensitivity = config->l1_sensitivity,
        .order_slack = order_slack,
        .fill = fill,
        .sampler_error = 0.0, /* clipping removes the sampler's only error: laplace.md */
    };
    const sotto_status status = sotto_laplace_event(config, &mechanism.event, error);
    if (status != SOTTO_OK) return status;

    const sot_ratio scale = ratio_at_least(config->scale);
    mechanism.law = &scale;
    return sot_additive_release(gate, &mechanism, values, count, out_noisy, error);
}

sotto_status sotto_laplace_release(sotto_gate *gate, const sotto_laplace_config *config,
                                   const int64_t *exact_sums, size_t count,
                                   int64_t *out_noisy_sums, sotto_error *error)
{
    return sot_laplace_release_solved(gate, config, 0.0, exact_sums, count,
                                      out_noisy_sums, error);
}
