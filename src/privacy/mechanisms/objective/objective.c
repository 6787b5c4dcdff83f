#include "privacy/mechanisms/objective/objective.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/correction/correction.h"
#include "random/exponential.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

/* b has 46 bits below sigma. |Z| < 44 keeps its integers below 2^52, so they are exact as
 * doubles. Rounding moves b by at most sqrt(d) 2^-47 sigma. */
#define NOISE_BITS 46

/* The grid's rounding is at most an eighth of the solver's residual. */
#define GRID_SHARE 0x1p-3

/* The box is at least 2^32 R/lambda: data sets of up to 2^32 rows are clipped only
 * because of b. */
#define BOX_GRID 0x1p-29

/* For the rounding of noise_of(), of the gate tape's sums and of the two
 * log-determinants. */
#define TAPE_TOLERANCE 1e-6

static bool is_pure(const sot_objective_law *law)
{
    return isnan(law->sigma);
}

/* ---- from settings to facts ---- */

/* The move of the gradient by one unit, and so the noise behind a given theta. */
static double shift_upper(const sot_objective_law *law)
{
    const double rows = (double)law->unit_rows; /* at most 10^6 */
    const double one = sot_mul_up(rows, law->record_bound);
    return law->adjacency == SOTTO_REPLACE_ONE ? 2.0 * one : one;
}

static sotto_status check_config(const sot_objective_config *config, sotto_error *error)
{
    if (config->dimension == 0 || config->dimension > SOT_COEFFICIENTS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %zu coefficients; objective perturbation takes 1 to "
                        "%d",
                        config->dimension, (int)SOT_COEFFICIENTS_MAX);
    }
    /* The negations catch NaN. */
    if (!(config->tau > 0.0 && isfinite(config->tau))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "tau is %g; set it to the certified bound on the gradient norm, "
                        "for example 1e-8",
                        config->tau);
    }
    if (!(config->correction_share >= 0x1p-20 && config->correction_share <= 0.5)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "correction_share is %g; set it from 2^-20 to 1/2, for example "
                        "to 2^-10",
                        config->correction_share);
    }
    if (isnan(config->law.sigma) == isnan(config->law.rate)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sigma is %g and rate %g; set exactly one of them, for example "
                        "with sot_objective_calibrate()",
                        config->law.sigma, config->law.rate);
    }
    return SOTTO_OK;
}

/* At least R/e: a larger scale is a smaller rate, for which the theorem claims less. */
static sot_gamma_direction gamma_of(const sot_objective_law *law, size_t dimension)
{
    const double scale = sot_div_up(law->record_bound, law->rate);
    return (sot_gamma_direction){
        .dimension = dimension, .scale = scale, .grid = sot_gamma_grid(scale, dimension)};
}

static sotto_status noise_facts(const sot_objective_config *config,
                                sot_objective_facts *facts, sotto_error *error)
{
    const sot_objective_law *law = &config->law;
    if (is_pure(law)) {
        const sot_gamma_direction gamma = gamma_of(law, config->dimension);
        facts->noise_grid = gamma.grid;
        return sot_gamma_direction_error(&gamma, &facts->noise_error, error);
    }
    facts->noise_grid = ldexp(sot_power_of_two_above(law->sigma), -NOISE_BITS);
    facts->noise_error =
        sot_mul_up(sot_sqrt_up((double)config->dimension), facts->noise_grid / 2.0);
    return SOTTO_OK;
}

static double coefficient_grid(const sot_objective_config *config, double radius)
{
    const double fine = sot_power_of_two_below(radius * GRID_SHARE /
                                               sot_sqrt_up((double)config->dimension));
    const double wide =
        sot_power_of_two_above(config->law.record_bound * BOX_GRID / config->law.lambda);
    return fmax(fine, wide);
}

/* `purpose` is where the second event's lives. */
static sotto_status correction_of(const sot_objective_config *config,
                                  const sot_objective_facts *facts,
                                  char purpose[SOTTO_PURPOSE_BYTES],
                                  sot_correction *out_correction, sotto_error *error)
{
    const sot_objective_law law = config->law;
    sot_correction correction = {.adjacency = config->law.adjacency,
                                 .dimension = config->dimension,
                                 .radius = facts->radius,
                                 .grid = facts->grid,
                                 .noise_multiplier = SOTTO_UNSET,
                                 .epsilon = SOTTO_UNSET,
                                 .purpose = purpose};
    double mu = SOTTO_UNSET;
    const sotto_status status = sot_objective_correction(&law, config->correction_share,
                                                         &mu, &correction.epsilon, error);
    if (status != SOTTO_OK) return status;
    if (!is_pure(&law)) correction.noise_multiplier = sot_div_up(1.0, mu);
    *out_correction = correction;
    return sot_correction_purpose(config->purpose, purpose, error);
}

sotto_status sot_objective_derive(const sot_objective_config *config,
                                  sot_objective_facts *out_facts, sotto_error *error)
{
    sot_objective_facts facts = {0};
    sotto_status status = check_config(config, error);
    if (status != SOTTO_OK) return status;
    const sot_objective_law law = config->law;
    status = sot_objective_event(&law, &facts.events[0], error);
    if (status != SOTTO_OK) return status;
    status = sot_event_set_purpose(&facts.events[0], config->purpose, error);
    if (status != SOTTO_OK) return status;
    status = noise_facts(config, &facts, error);
    if (status != SOTTO_OK) return status;
    const double tau_upper = sot_add_up(config->tau, facts.noise_error);
    facts.radius = sot_div_up(tau_upper, law.lambda);
    facts.grid = coefficient_grid(config, facts.radius);

    char purpose[SOTTO_PURPOSE_BYTES];
    sot_correction correction;
    status = correction_of(config, &facts, purpose, &correction, error);
    if (status != SOTTO_OK) return status;
    status = sot_correction_event(&correction, &facts.events[1], error);
    if (status != SOTTO_OK) return status;
    facts.events[0].count = 1;
    facts.events[1].count = 1;
    *out_facts = facts;
    return SOTTO_OK;
}

sotto_status sot_objective_plan(const sot_objective_config *config, sotto_plan *plan,
                                sotto_error *error)
{
    sot_objective_facts facts;
    sotto_status status = sot_objective_derive(config, &facts, error);
    if (status != SOTTO_OK) return status;
    if (sotto_plan_adjacency(plan) != config->law.adjacency) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the minimiser protects %s neighbours and the plan %s; "
                        "calibrate it for the plan's",
                        sotto_adjacency_name(config->law.adjacency),
                        sotto_adjacency_name(sotto_plan_adjacency(plan)));
    }
    status = sotto_plan_add(plan, &facts.events[0], error);
    if (status != SOTTO_OK) return status;
    return sotto_plan_add(plan, &facts.events[1], error);
}

sotto_status sot_objective_grid(const sot_objective_config *config, double *out_grid,
                                sotto_error *error)
{
    sot_objective_facts facts;
    const sotto_status status = sot_objective_derive(config, &facts, error);
    if (status == SOTTO_OK) *out_grid = facts.grid;
    return status;
}

/* ---- the release ---- */

/* All secret: each of them and the output together reveal more than the output. */
typedef struct workspace {
    int64_t *noise_units;
    double *noise;
    double *theta;
    int64_t *theta_units;
} workspace;

static void workspace_free(workspace *space, size_t dimension)
{
    sot_wipe_and_free(space->noise_units, dimension * sizeof *space->noise_units);
    sot_wipe_and_free(space->noise, dimension * sizeof *space->noise);
    sot_wipe_and_free(space->theta, dimension * sizeof *space->theta);
    sot_wipe_and_free(space->theta_units, dimension * sizeof *space->theta_units);
}

static sotto_status workspace_new(workspace *space, size_t dimension, sotto_error *error)
{
    *space =
        (workspace){.noise_units = sot_new_array(dimension, sizeof *space->noise_units),
                    .noise = sot_new_array(dimension, sizeof *space->noise),
                    .theta = sot_new_array(dimension, sizeof *space->theta),
                    .theta_units = sot_new_array(dimension, sizeof *space->theta_units)};
    if (space->noise_units != NULL && space->noise != NULL && space->theta != NULL &&
        space->theta_units != NULL) {
        return SOTTO_OK;
    }
    workspace_free(space, dimension);
    return sot_fail_memory(error, dimension, sizeof *space->noise);
}

/* b, on its grid: the products are exact. */
static sotto_status draw(sotto_gate *gate, const sot_objective_config *config,
                         const sot_objective_facts *facts, workspace *space,
                         sotto_error *error)
{
    const sot_objective_law *law = &config->law;
    sotto_status status = SOTTO_OK;
    if (is_pure(law)) {
        const sot_gamma_direction gamma = gamma_of(law, config->dimension);
        status = sot_gamma_direction_draw(&gamma, sot_gate_rng(gate), space->noise_units,
                                          error);
    } else {
        status =
            sot_rounded_gaussian_fill(sot_gate_rng(gate), law->sigma / facts->noise_grid,
                                      space->noise_units, config->dimension, error);
    }
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < config->dimension; i++)
        space->noise[i] = (double)space->noise_units[i] * facts->noise_grid;
    return SOTTO_OK;
}

/* Total variation of b: one vector, or one number per coordinate. */
static double sampler_error(const sot_objective_config *config)
{
    if (is_pure(&config->law)) return ldexp(1.0, SOT_GAMMA_DIRECTION_LOG2_TV);
    return ldexp((double)config->dimension, SOT_ROUNDED_GAUSSIAN_LOG2_TV);
}

/* The first event: theta for noise that the gate draws. */
static sotto_status minimise(sotto_gate *gate, const sot_objective_config *config,
                             const sot_objective_facts *facts,
                             const sot_objective_problem *problem, workspace *space,
                             sotto_error *error)
{
    const sot_objective_law law = config->law;
    size_t index = 0;
    sotto_status status = sot_gate_admit(gate, &facts->events[0], &index, error);
    if (status != SOTTO_OK) return status;
    const sot_tape_density_call call = {.index = index,
                                        .dimension = config->dimension,
                                        .shift_most = shift_upper(&law),
                                        .log_determinant_most =
                                            sot_objective_log_determinant_upper(&law),
                                        .residual_most = config->tau,
                                        .ball = config->ball,
                                        .tolerance = TAPE_TOLERANCE,
                                        .noise_of = problem->noise_of,
                                        .context = problem->context};
    if (!sot_tape_density(gate, &call, NULL, space->noise)) {
        status = draw(gate, config, facts, space, error);
        if (status != SOTTO_OK) return status;
    }
    status = problem->solve(problem->context, space->noise, space->theta, error);
    if (status != SOTTO_OK) return status;
    sot_tape_density_result(gate, &call, space->theta, space->noise);
    sot_gate_record(gate, index, sampler_error(config));
    return SOTTO_OK;
}

sotto_status sot_objective_release(sotto_gate *gate, const sot_objective_config *config,
                                   const sot_objective_problem *problem,
                                   int64_t *out_units, sotto_error *error)
{
    sot_objective_facts facts;
    char purpose[SOTTO_PURPOSE_BYTES];
    sot_correction correction;
    sotto_status status = sot_objective_derive(config, &facts, error);
    if (status != SOTTO_OK) return status;
    status = correction_of(config, &facts, purpose, &correction, error);
    if (status != SOTTO_OK) return status;
    status = sot_gate_check_adjacency(gate, config->law.adjacency, error);
    if (status != SOTTO_OK) return status;

    workspace space;
    const size_t dimension = config->dimension;
    status = workspace_new(&space, dimension, error);
    if (status != SOTTO_OK) return status;

    status = minimise(gate, config, &facts, problem, &space, error);
    if (status != SOTTO_OK) goto done;
    sot_coefficients_round(space.theta, dimension, facts.grid, space.theta_units);
    status =
        sot_correction_release(gate, &correction, space.theta_units, out_units, error);
done:
    workspace_free(&space, dimension);
    return status;
}
