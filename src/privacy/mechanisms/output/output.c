#include "privacy/mechanisms/output/output.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/additive/additive.h"
#include "privacy/mechanisms/correction/correction.h"
#include "privacy/mechanisms/gate/tape.h"
#include "random/exponential.h"

/* sqrt(d) grids are at most this part of the sensitivity: noise that hides the sensitivity grows
 * by a millionth. The box of 2^61 grids is then at least 2^30 sensitivities wide for d <= 2^20. */
#define GRID_SHARE 0x1p-20

/* ---- from settings to facts ---- */

static bool is_pure(const sot_output_config *config)
{
    return isnan(config->sigma);
}

static sotto_status check_config(const sot_output_config *config, sotto_error *error)
{
    if (config->dimension == 0 || config->dimension > SOT_COEFFICIENTS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %zu coefficients; output perturbation takes 1 to %d",
                        config->dimension, (int)SOT_COEFFICIENTS_MAX);
    }
    const double positive[] = {config->sensitivity, config->lambda, config->tau};
    const char *const names[] = {"sensitivity", "lambda", "tau"};
    for (size_t i = 0; i < 3; i++) {
        if (positive[i] > 0.0 && isfinite(positive[i])) continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s is %g; set it to a positive finite number", names[i],
                        positive[i]);
    }
    return SOTTO_OK;
}

static sotto_status check_noise(const sot_output_config *config, sotto_error *error)
{
    const bool has_sigma = config->sigma > 0.0 && isfinite(config->sigma);
    const bool has_epsilon = config->epsilon > 0.0 && isfinite(config->epsilon);
    if (has_sigma == has_epsilon || isnan(config->sigma) == isnan(config->epsilon)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sigma is %g and epsilon %g; set exactly one of them, for "
                        "example with sot_output_calibrate()",
                        config->sigma, config->epsilon);
    }
    if (has_epsilon &&
        !(config->correction_share >= 0x1p-20 && config->correction_share <= 0.5)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "correction_share is %g; set it from 2^-20 to 1/2, for example "
                        "to 2^-10",
                        config->correction_share);
    }
    return SOTTO_OK;
}

static sot_gamma_direction gamma_of(const sot_output_config *config, double grid)
{
    return (sot_gamma_direction){.dimension = config->dimension,
                                 .scale =
                                     sot_div_up(config->sensitivity, config->epsilon),
                                 .grid = grid};
}

/* Computes the grid, and the sensitivity on it. theta* moves by `sensitivity`, theta is within
 * tau/lambda of it on either side, and rounding moves either side by sqrt(d)/2 grids. */
static void grid_facts(const sot_output_config *config, sot_output_facts *facts)
{
    const double root = sot_sqrt_up((double)config->dimension);
    facts->grid = sot_power_of_two_below(config->sensitivity * GRID_SHARE / root);
    if (is_pure(config)) {
        const sot_gamma_direction gamma = gamma_of(config, facts->grid);
        facts->grid = fmax(facts->grid, sot_gamma_grid(gamma.scale, gamma.dimension));
    }
    const double solver = 2.0 * sot_div_up(config->tau, config->lambda);
    facts->solver_units = sot_add_up(sot_div_up(solver, facts->grid), root);
    facts->sensitivity_units =
        sot_add_up(sot_div_up(config->sensitivity, facts->grid), facts->solver_units);
}

static sotto_gaussian_config gaussian_of(const sot_output_config *config,
                                         const sot_output_facts *facts)
{
    sotto_gaussian_config gaussian = sotto_gaussian_defaults();
    gaussian.l2_sensitivity = facts->sensitivity_units;
    gaussian.sigma = config->sigma / facts->grid; /* exact: a power of two */
    gaussian.adjacency = config->adjacency;
    gaussian.grid = facts->grid;
    gaussian.purpose = config->purpose;
    return gaussian;
}

static sotto_status correction_of(const sot_output_config *config,
                                  const sot_output_facts *facts,
                                  char purpose[SOTTO_PURPOSE_BYTES],
                                  sot_correction *out_correction, sotto_error *error)
{
    *out_correction = (sot_correction){
        .adjacency = config->adjacency,
        .dimension = config->dimension,
        .radius = sot_add_up(sot_div_up(config->tau, config->lambda), facts->noise_error),
        .grid = facts->grid,
        .noise_multiplier = SOTTO_UNSET,
        .epsilon = sot_mul_down(config->correction_share, config->epsilon),
        .purpose = purpose};
    return sot_correction_purpose(config->purpose, purpose, error);
}

static sotto_status derive_pure(const sot_output_config *config, sot_output_facts *facts,
                                sotto_error *error)
{
    const sot_gamma_direction gamma = gamma_of(config, facts->grid);
    sotto_status status = sot_gamma_direction_error(&gamma, &facts->noise_error, error);
    if (status != SOTTO_OK) return status;
    sotto_event event = sotto_event_defaults();
    status = sot_additive_event(&event, config->adjacency, facts->grid, config->purpose,
                                error);
    if (status != SOTTO_OK) return status;
    event.mechanism = SOTTO_PURE;
    event.epsilon = config->epsilon;
    event.grid = SOTTO_UNSET; /* pure events have none */
    facts->events[0] = event;

    char purpose[SOTTO_PURPOSE_BYTES];
    sot_correction correction;
    status = correction_of(config, facts, purpose, &correction, error);
    if (status != SOTTO_OK) return status;
    facts->event_count = 2;
    return sot_correction_event(&correction, &facts->events[1], error);
}

sotto_status sot_output_derive(const sot_output_config *config,
                               sot_output_facts *out_facts, sotto_error *error)
{
    sot_output_facts facts = {.event_count = 1};
    sotto_status status = check_config(config, error);
    if (status == SOTTO_OK) status = check_noise(config, error);
    if (status != SOTTO_OK) return status;
    grid_facts(config, &facts);
    if (is_pure(config)) {
        status = derive_pure(config, &facts, error);
    } else {
        const sotto_gaussian_config gaussian = gaussian_of(config, &facts);
        status = sotto_gaussian_event(&gaussian, &facts.events[0], error);
    }
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < facts.event_count; i++)
        facts.events[i].count = 1;
    *out_facts = facts;
    return SOTTO_OK;
}

/* ---- calibration ---- */

sotto_status sot_output_calibrate(sot_output_config *config, double epsilon, double delta,
                                  sotto_error *error)
{
    sotto_status status = check_config(config, error);
    if (status != SOTTO_OK) return status;
    sot_output_config filled = *config;
    sot_output_facts facts;
    if (delta == 0.0) {
        /* (1 - share) epsilon and share of that: below epsilon together. */
        filled.sigma = SOTTO_UNSET;
        filled.epsilon = sot_mul_down(1.0 - config->correction_share, epsilon);
    } else {
        double multiplier = 0.0;
        status = sot_gaussian_least_multiplier(config->adjacency, epsilon, delta,
                                               &multiplier, error);
        if (status != SOTTO_OK) return status;
        filled.epsilon = SOTTO_UNSET;
        filled.correction_share = SOTTO_UNSET;
        filled.sigma = 1.0; /* any: the grid does not depend on it */
        grid_facts(&filled, &facts);
        /* A hair more, so that the quotient, rounded down, is at least the multiplier. */
        filled.sigma =
            sot_widen_up(multiplier * facts.sensitivity_units, 0x1p-40) * facts.grid;
    }
    status = sot_output_derive(&filled, &facts, error);
    if (status == SOTTO_OK) *config = filled;
    return status;
}

sotto_status sot_output_plan(const sot_output_config *config, sotto_plan *plan,
                             sotto_error *error)
{
    sot_output_facts facts;
    sotto_status status = sot_output_derive(config, &facts, error);
    if (status != SOTTO_OK) return status;
    if (sotto_plan_adjacency(plan) != config->adjacency) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the minimiser protects %s neighbours and the plan %s; "
                        "calibrate it for the plan's",
                        sotto_adjacency_name(config->adjacency),
                        sotto_adjacency_name(sotto_plan_adjacency(plan)));
    }
    for (size_t i = 0; i < facts.event_count && status == SOTTO_OK; i++)
        status = sotto_plan_add(plan, &facts.events[i], error);
    return status;
}

sotto_status sot_output_grid(const sot_output_config *config, double *out_grid,
                             sotto_error *error)
{
    sot_output_facts facts;
    const sotto_status status = sot_output_derive(config, &facts, error);
    if (status == SOTTO_OK) *out_grid = facts.grid;
    return status;
}

/* ---- the release ---- */

/* The first event of the pure kind: `units` become theta + v. As integers: |theta| <= 2^61 and
 * |v| < 2^51 grids. */
static sotto_status add_noise(sotto_gate *gate, const sot_output_config *config,
                              const sot_output_facts *facts, int64_t *units,
                              int64_t *noise, sotto_error *error)
{
    size_t index = 0;
    sotto_status status = sot_gate_admit(gate, &facts->events[0], &index, error);
    if (status != SOTTO_OK) return status;
    const sot_tape_sum_call call = {.index = index,
                                    .values = units,
                                    .count = config->dimension,
                                    .norm = SOTTO_L2,
                                    .sensitivity = facts->sensitivity_units,
                                    .order_slack = facts->solver_units};
    if (!sot_tape_sum(gate, &call, units)) {
        const sot_gamma_direction gamma = gamma_of(config, facts->grid);
        status = sot_gamma_direction_draw(&gamma, sot_gate_rng(gate), noise, error);
        if (status != SOTTO_OK) return status;
        for (size_t i = 0; i < config->dimension; i++)
            units[i] += noise[i];
    }
    sot_tape_sum_result(gate, units, config->dimension);
    sot_gate_record(gate, index, ldexp(1.0, SOT_GAMMA_DIRECTION_LOG2_TV));
    return SOTTO_OK;
}

static sotto_status release_pure(sotto_gate *gate, const sot_output_config *config,
                                 const sot_output_facts *facts, int64_t *units,
                                 int64_t *out_units, sotto_error *error)
{
    const size_t dimension = config->dimension;
    char purpose[SOTTO_PURPOSE_BYTES];
    sot_correction correction;
    sotto_status status = correction_of(config, facts, purpose, &correction, error);
    if (status != SOTTO_OK) return status;
    int64_t *noise = sot_new_array(dimension, sizeof *noise);
    if (noise == NULL) return sot_fail_memory(error, dimension, sizeof *noise);
    status = add_noise(gate, config, facts, units, noise, error);
    if (status == SOTTO_OK)
        status = sot_correction_release(gate, &correction, units, out_units, error);
    sot_wipe_and_free(noise, dimension * sizeof *noise);
    return status;
}

sotto_status sot_output_release(sotto_gate *gate, const sot_output_config *config,
                                const double *theta, int64_t *out_units,
                                sotto_error *error)
{
    sot_output_facts facts;
    sotto_status status = sot_output_derive(config, &facts, error);
    if (status != SOTTO_OK) return status;
    status = sot_gate_check_adjacency(gate, config->adjacency, error);
    if (status != SOTTO_OK) return status;

    const size_t dimension = config->dimension;
    int64_t *units = sot_new_array(dimension, sizeof *units);
    if (units == NULL) return sot_fail_memory(error, dimension, sizeof *units);
    sot_coefficients_round(theta, dimension, facts.grid, units);
    if (is_pure(config)) {
        status = release_pure(gate, config, &facts, units, out_units, error);
    } else {
        const sotto_gaussian_config gaussian = gaussian_of(config, &facts);
        status = sot_gaussian_release_solved(gate, &gaussian, facts.solver_units, units,
                                             dimension, out_units, error);
    }
    sot_wipe_and_free(units, dimension * sizeof *units);
    return status;
}
