#include "methods/descent/descent.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <sotto/grid.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"

/* A row's gradient is at most 2^20 units long. */
enum { GRADIENT_BITS = 19 };

/* ---- public ---- */

sotto_status sot_descent_check(const sot_learner_setup *setup, const char *subject,
                               sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    const sotto_status status = sot_steps_check(
        setup, subject, config->stream ? "" : ", or use `method=objective`", error);
    if (status != SOTTO_OK) return status;
    if (!isnan(config->learning_rate) &&
        !(config->learning_rate > 0.0 && config->learning_rate <= 1e6)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`learning_rate` is %g; it is above 0 and at most 1e6, in units "
                        "of 1/smoothness; for example `learning_rate=2`",
                        config->learning_rate);
    }
    return SOTTO_OK;
}

/* In units: one row's gradient is at most record_bound / spacing (1 + 2^-20) long
 * (models/linear/solver/gradient_sum.md). It is multiplied by the rows of a unit, and by two for
 * replacement. Under Poisson sampling the accountant handles the adjacency, and needs the
 * contribution of one record. */
sotto_status sot_descent_sensitivity(sot_descent *descent, const sot_learner *learner,
                                     sotto_error *error)
{
    int exponent;
    const sot_learner_setup *setup = &learner->setup;
    const double bound = learner->empirical->facts.record_bound;
    const sotto_status status =
        sotto_grid_exponent(bound, GRADIENT_BITS, &exponent, error);
    if (status != SOTTO_OK) return status;
    descent->spacing = ldexp(1.0, exponent);
    double units = sot_mul_up(sot_div_up(bound, descent->spacing), 1.0 + 0x1p-20);
    units = sot_mul_up(units, (double)setup->unit_rows);
    const bool twice = setup->config->adjacency == SOTTO_REPLACE_ONE &&
                       descent->noise.sampling != SOTTO_POISSON;
    descent->noise.l2_sensitivity = twice ? 2.0 * units : units;
    descent->noise.adjacency = setup->config->adjacency;
    descent->noise.purpose = "gradient sum";
    descent->noise.grid = descent->spacing;
    return SOTTO_OK;
}

static sot_steps steps_of(const sot_descent *descent)
{
    return (sot_steps){.noise = &descent->noise, .count = descent->steps};
}

sotto_status sot_descent_calibrate(sot_descent *descent, const sotto_train_config *config,
                                   sotto_error *error)
{
    const sot_steps steps = steps_of(descent);
    return sot_steps_calibrate(&steps, config, &descent->noise, &descent->multiplier,
                               error);
}

sotto_status sot_descent_plan(const sot_descent *descent, sotto_plan *plan,
                              sotto_error *error)
{
    const sot_steps steps = steps_of(descent);
    return sot_steps_plan(&steps, plan, error);
}

double sot_descent_curvature(const sot_learner *learner)
{
    const sot_empirical_facts *facts = &learner->empirical->facts;
    return isinf(facts->smoothness)
               ? facts->record_bound / sot_learner_norm_guess(learner)
               : facts->smoothness;
}

double sot_descent_sampler_error(const sot_descent *descent, size_t dimension)
{
    return sot_steps_sampler_error((double)dimension * (double)descent->steps);
}

void sot_descent_describe(sot_learner *learner, const sot_descent *descent,
                          const char *lambda_why, const char *steps_why)
{
    sot_learner_choose(learner, "schedule", sotto_schedule_name(descent->schedule));
    sot_learner_choose(learner, "iterate", sotto_iterate_name(descent->iterate));
    if (descent->noise.sampling != SOTTO_NOT_SAMPLED)
        sot_learner_choose(learner, "sampling",
                           sotto_sampling_name(descent->noise.sampling));
    sot_learner_set(learner, "lambda", descent->terms.lambda, lambda_why);
    sot_learner_set(learner, "steps", (double)descent->steps, steps_why);
    sot_learner_set(
        learner, "learning_rate", descent->rate * sot_descent_curvature(learner),
        isnan(learner->setup.config->learning_rate) ? "default, in units of 1/smoothness"
                                                    : "given, in units of 1/smoothness");
    sot_learner_set(learner, "sigma", descent->noise.sigma * descent->spacing,
                    "standard deviation of each coordinate of a step's gradient sum");
    sot_learner_set(learner, "divisor", descent->divisor,
                    "records of a step: a public number, not counted in the data");
}

/* ---- the iterates ---- */

sotto_status sot_walk_begin(const sot_learner *learner, const sot_descent *descent,
                            sot_walk *out_walk, sotto_error *error)
{
    const size_t dimension = learner->empirical->facts.dimension;
    const double *center = descent->terms.center;
    *out_walk = (sot_walk){.dimension = dimension,
                           .theta = sot_new_array(dimension, sizeof(double)),
                           .average = sot_new_array(dimension, sizeof(double)),
                           .units = sot_new_array(dimension, sizeof(int64_t))};
    if (out_walk->theta == NULL || out_walk->average == NULL || out_walk->units == NULL)
        return sot_fail_memory(error, dimension, sizeof(double));
    for (size_t i = 0; i < dimension && center != NULL; i++)
        out_walk->theta[i] = center[i];
    sot_erm_project(out_walk->theta, dimension, descent->terms.radius);
    return SOTTO_OK;
}

void sot_walk_end(sot_walk *walk)
{
    sot_free(walk->theta); /* functions of released sums */
    sot_free(walk->average);
    sot_wipe_and_free(walk->units,
                      walk->dimension * sizeof *walk->units); /* held exact sums */
    *walk = (sot_walk){0};
}

/* The size of step t, on the gradient of the mean objective. */
static double step_size(const sot_descent *descent, double t)
{
    if (descent->schedule == SOTTO_SCHEDULE_STRONG)
        return descent->rows / (descent->terms.lambda * t);
    return sot_step_size(descent->schedule, descent->rate, t, (double)descent->steps);
}

/* Returns the weight of theta after step t in the average; 0: none. */
static double weight_of(const sot_descent *descent, uint64_t step)
{
    switch (descent->iterate) {
    case SOTTO_ITERATE_AVERAGE:
        return 1.0;
    case SOTTO_ITERATE_SUFFIX:
        return step > descent->steps / 2 ? 1.0 : 0.0;
    case SOTTO_ITERATE_WEIGHTED:
        return (double)step;
    case SOTTO_ITERATE_LAST:
    case SOTTO_ITERATE_AUTO:
        break;
    }
    return step == descent->steps ? 1.0 : 0.0;
}

sotto_status sot_walk_step(const sot_descent *descent, sotto_gate *gate, uint64_t step,
                           double divisor, sot_walk *walk, sotto_error *error)
{
    const size_t dimension = walk->dimension;
    const sotto_status status = sotto_gaussian_release(gate, &descent->noise, walk->units,
                                                       dimension, walk->units, error);
    if (status != SOTTO_OK) return status;
    const double size = step_size(descent, (double)step);
    for (size_t i = 0; i < dimension; i++) {
        const double gradient =
            (double)walk->units[i] * descent->spacing / divisor +
            sot_erm_terms_slope(&descent->terms, i, walk->theta[i]) / descent->rows;
        walk->theta[i] -= size * gradient;
    }
    sot_erm_project(walk->theta, dimension, descent->terms.radius);
    const double weight = weight_of(descent, step);
    if (weight == 0.0) return SOTTO_OK;
    walk->weight += weight;
    for (size_t i = 0; i < dimension; i++)
        walk->average[i] += (walk->theta[i] - walk->average[i]) * (weight / walk->weight);
    return SOTTO_OK;
}

/* weight, theta, average: as the machine has them, which reads them again. */
sotto_status sot_walk_resume(const sot_learner *learner, sot_walk *walk,
                             uint64_t *out_step, sotto_error *error)
{
    const sot_checkpoint *checkpoint = learner->checkpoint;
    const size_t bytes = walk->dimension * sizeof(double);
    *out_step = 0;
    if (checkpoint == NULL || checkpoint->state == NULL) return SOTTO_OK;
    if (checkpoint->state_bytes != sizeof(double) + 2 * bytes) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the checkpoint's state has %zu bytes where this training has "
                        "%zu; delete it to start anew",
                        checkpoint->state_bytes, sizeof(double) + 2 * bytes);
    }
    memcpy(&walk->weight, checkpoint->state, sizeof walk->weight);
    memcpy(walk->theta, checkpoint->state + sizeof(double), bytes);
    memcpy(walk->average, checkpoint->state + sizeof(double) + bytes, bytes);
    *out_step = checkpoint->step;
    return SOTTO_OK;
}

sotto_status sot_walk_keep(const sot_learner *learner, const sot_walk *walk,
                           uint64_t step, sotto_error *error)
{
    const sot_checkpoint *checkpoint = learner->checkpoint;
    const size_t bytes = walk->dimension * sizeof(double);
    if (checkpoint == NULL || !checkpoint->is_due(checkpoint->context)) return SOTTO_OK;
    unsigned char *state = sot_new_array(sizeof(double) + 2 * bytes, 1);
    if (state == NULL) return sot_fail_memory(error, sizeof(double) + 2 * bytes, 1);
    memcpy(state, &walk->weight, sizeof walk->weight);
    memcpy(state + sizeof(double), walk->theta, bytes);
    memcpy(state + sizeof(double) + bytes, walk->average, bytes);
    const sotto_status status = checkpoint->keep(checkpoint->context, step, state,
                                                 sizeof(double) + 2 * bytes, error);
    sot_free(state);
    return status;
}

void sot_walk_result(const sot_walk *walk, double grid, double *out_theta)
{
    assert(walk->weight > 0.0);
    for (size_t i = 0; i < walk->dimension; i++)
        out_theta[i] = walk->average[i];
    sot_erm_round(out_theta, walk->dimension, grid);
}

/* ---- the listener ---- */

sotto_status sot_descent_report(const sot_learner *learner, const sot_descent *descent,
                                const sot_progress *progress, uint64_t steps,
                                sotto_error *error)
{
    const sot_steps all = steps_of(descent);
    return sot_steps_report(&all, learner->setup.config, progress, steps, error);
}
