#include "privacy/mechanisms/selection/selection.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/gate/gate.h"
#include "random/digits.h"

/* ---- exact epsilons ---- */

sotto_status sot_check_epsilon(double epsilon, sotto_error *error)
{
    if (!(epsilon >= SOT_EPSILON_MIN && epsilon <= SOT_EPSILON_MAX)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "epsilon is %g; set it to a number from 1e-9 to 1e6, for example 0.5",
            epsilon);
    }
    return SOTTO_OK;
}

sot_slope sot_exact_slope(double epsilon, uint64_t divisor)
{
    assert(epsilon >= SOT_EPSILON_MIN && epsilon <= SOT_EPSILON_MAX);
    assert(divisor >= 1 && divisor <= 2 * SOT_SENSITIVITY_MAX);
    sot_dyadic exact =
        sot_dyadic_from(epsilon); /* mantissa 2^exponent, exponent <= -33 */
    const int zeros = __builtin_ctzll(exact.mantissa);
    exact.mantissa >>= zeros;
    exact.exponent += zeros;
    /* epsilon < 2^20: an integer stays below 2^20 when written out. */
    if (exact.exponent > 0) {
        exact.mantissa <<= exact.exponent;
        exact.exponent = 0;
    }
    /* epsilon >= 2^-30 has exponent >= -30 - 52, so the denominator is at most 2^82 2^44. */
    return (sot_slope){.numerator = exact.mantissa,
                       .denominator = (sot_u128)divisor << -exact.exponent};
}

sotto_status sot_noise_for_epsilon(double epsilon, uint64_t multiple,
                                   sot_ratio *out_scale, double *out_epsilon_used,
                                   sotto_error *error)
{
    assert(multiple >= 1);
    /* Both parts at most 2^50; at least 2^10 <= floor(2^k epsilon) keeps the loss below 2^-10. */
    int shift = 50;
    while (shift > -50 &&
           (ldexp((double)multiple, shift) > 0x1p50 || ldexp(epsilon, shift) >= 0x1p50)) {
        shift--;
    }
    const double floored = floor(ldexp(epsilon, shift));
    if (multiple > SOT_DISCRETE_LAPLACE_MAX || shift < 0 || !(floored >= 0x1p10)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "epsilon %g needs noise of scale %g, above the sampler's limit "
                        "of 2^40; use a coarser grid or a larger epsilon",
                        epsilon, (double)multiple / epsilon);
    }
    *out_scale =
        (sot_ratio){.numerator = multiple << shift, .denominator = (uint64_t)floored};
    *out_epsilon_used = ldexp(floored, -shift);
    return SOTTO_OK;
}

/* ---- settings ---- */

sotto_selection_config sotto_selection_defaults(void)
{
    return (sotto_selection_config){.epsilon = SOTTO_UNSET};
}

sotto_status sot_check_change(sotto_score_change change, sotto_error *error)
{
    if (change != SOTTO_CHANGE_ANY && change != SOTTO_CHANGE_MONOTONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "change is %d; set it to SOTTO_CHANGE_ANY, or to "
                        "SOTTO_CHANGE_MONOTONE if one record moves no two scores in "
                        "opposite directions",
                        (int)change);
    }
    return SOTTO_OK;
}

sotto_status sot_selection_check(const sotto_selection_config *config, sotto_error *error)
{
    sotto_status status = sot_check_epsilon(config->epsilon, error);
    if (status == SOTTO_OK) status = sot_check_change(config->change, error);
    if (status != SOTTO_OK) return status;
    if (config->sensitivity < 1 || config->sensitivity > SOT_SENSITIVITY_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sensitivity is %" PRIu64
                        "; set it to the largest change of a score by one record, a "
                        "whole number from 1 to 2^43",
                        config->sensitivity);
    }
    if (config->adjacency != SOTTO_ADD_REMOVE && config->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "adjacency is %d; set it to SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
            (int)config->adjacency);
    }
    return SOTTO_OK;
}

uint64_t sot_selection_range_of(sotto_score_change change, uint64_t sensitivity)
{
    /* One score may go up by the sensitivity while another goes down by it. */
    if (change == SOTTO_CHANGE_MONOTONE) return sensitivity;
    return 2 * sensitivity;
}

sotto_status sotto_selection_range(const sotto_selection_config *config,
                                   uint64_t *out_range, sotto_error *error)
{
    const sotto_status status = sot_selection_check(config, error);
    if (status != SOTTO_OK) return status;
    *out_range = sot_selection_range_of(config->change, config->sensitivity);
    return SOTTO_OK;
}

sotto_status sot_selection_event(const sotto_selection_config *config,
                                 sotto_mechanism mechanism, sotto_event *out_event,
                                 sotto_error *error)
{
    sotto_status status = sot_selection_check(config, error);
    if (status != SOTTO_OK) return status;
    sotto_event event = sotto_event_defaults();
    event.mechanism = mechanism;
    event.epsilon = config->epsilon;
    status = sot_event_set_purpose(&event, config->purpose, error);
    if (status == SOTTO_OK) *out_event = event;
    return status;
}

sotto_status sot_selection_admit(sotto_gate *gate, const sotto_selection_config *config,
                                 sotto_mechanism mechanism, size_t *out_index,
                                 sotto_error *error)
{
    sotto_event event;
    sotto_status status = sot_selection_event(config, mechanism, &event, error);
    if (status == SOTTO_OK)
        status = sot_gate_check_adjacency(gate, config->adjacency, error);
    if (status == SOTTO_OK) status = sot_gate_admit(gate, &event, out_index, error);
    return status;
}

sot_slope sot_selection_slope(const sotto_selection_config *config)
{
    return sot_exact_slope(config->epsilon,
                           sot_selection_range_of(config->change, config->sensitivity));
}

sotto_status sot_selection_check_cells(const uint64_t *ends, size_t cells, uint64_t most,
                                       const char *most_text, sotto_error *error)
{
    if (cells == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are 0 cells; give at least one");
    }
    if (ends[cells - 1] > most) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the grid has more than %s points; take a coarser one",
                        most_text);
    }
    for (size_t i = 0; i < cells; i++) {
        /* Where the cells end may come from records: no number in the message. */
        if (ends[i] <= (i == 0 ? 0 : ends[i - 1])) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "the ends of the cells do not ascend; leave out empty cells");
        }
    }
    return SOTTO_OK;
}

/* ---- the accuracy theorem ---- */

/* min(1, candidates exp(-epsilon shortfall / range)), rounded up at each step. */
static double failure_upper(const sotto_selection_config *config, uint64_t candidates,
                            uint64_t shortfall)
{
    const uint64_t range = sot_selection_range_of(config->change, config->sensitivity);
    /* A shortfall above 2^53 is rounded down: the bound is then that of a smaller one. */
    double behind = (double)shortfall;
    if (shortfall > UINT64_C(1) << 53) behind = sot_next_down(behind);
    const double exponent =
        sot_div_down(sot_mul_down(config->epsilon, behind), (double)range);
    double many = (double)candidates;
    if (candidates > UINT64_C(1) << 53) many = sot_next_up(many);
    return fmin(1.0, sot_mul_up(many, sot_exp_up(-exponent)));
}

static sotto_status check_candidates(uint64_t candidates, sotto_error *error)
{
    if (candidates == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are 0 candidates; give at least one");
    }
    return SOTTO_OK;
}

sotto_status sotto_selection_failure(const sotto_selection_config *config,
                                     uint64_t candidates, uint64_t shortfall,
                                     double *out_probability_upper, sotto_error *error)
{
    sotto_status status = sot_selection_check(config, error);
    if (status == SOTTO_OK) status = check_candidates(candidates, error);
    if (status != SOTTO_OK) return status;
    *out_probability_upper = failure_upper(config, candidates, shortfall);
    return SOTTO_OK;
}

sotto_status sotto_selection_shortfall(const sotto_selection_config *config,
                                       uint64_t candidates, double failure,
                                       uint64_t *out_shortfall, sotto_error *error)
{
    sotto_status status = sot_selection_check(config, error);
    if (status == SOTTO_OK) status = check_candidates(candidates, error);
    if (status != SOTTO_OK) return status;
    if (!(failure > 0.0 && failure < 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "failure is %g; give a probability between 0 and 1, for example "
                        "0.05",
                        failure);
    }
    uint64_t high = UINT64_C(1) << 62; /* meets the target, or nothing does */
    if (failure_upper(config, candidates, high) > failure) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "no shortfall below 2^62 has a probability of at most %g; with a "
                        "sensitivity of %" PRIu64 " epsilon %g is too small",
                        failure, config->sensitivity, config->epsilon);
    }
    uint64_t low = 0; /* the bound does not increase with the shortfall: bisect */
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (failure_upper(config, candidates, middle) <= failure) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *out_shortfall = low;
    return SOTTO_OK;
}
