/* Noisy gradient descent: every step's gradient sum passes the gate. Claims: gd.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/descent/descent.h"
#include "models/kinds.h"

/* The default of steps and rate. The number of steps balances the error of descent and that of
 * the noise, `n mu beta D / (2 L sqrt(d))` with steps of 1/beta (gd.md),
 * D = sot_learner_norm_guess(). On data that does not lie along one direction longer steps are
 * stable too. The average over the later half reduces the effect of unstable ones. */
enum { STEPS_LEAST = 20, STEPS_RULE_MOST = 500 };
#define RATE 4.0
/* The squared loss curves by beta everywhere: longer steps than this are stable on no data. */
#define RATE_SQUARED 2.0

/* ---- public ---- */

/* A step multiplies theta by 1 - rate lambda / rows, beside the gradient sum, which is bounded.
 * Below -1 theta diverges, and the paid result would be useless. */
static sotto_status check_stable(const sot_descent *descent, double learning_rate,
                                 sotto_error *error)
{
    if (descent->rate * descent->terms.lambda <= 2.0 * descent->rows) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`lambda` is %g: with a learning rate of %g and %.0f rows the steps "
                    "diverge; give a smaller `lambda` or `learning_rate`",
                    descent->terms.lambda, learning_rate, descent->rows);
}

/* mu of the whole budget: that of one Gaussian release of the same cost. A loss with a kink has
 * no beta; there the errors balance at T = n^2 mu^2 / (4 d). */
static sotto_status steps_of_rule(const sot_learner *learner, uint64_t *out_steps,
                                  sotto_error *error)
{
    const sot_learner_setup *setup = &learner->setup;
    const sot_empirical_facts *facts = &learner->empirical->facts;
    sot_descent once = {.steps = 1,
                        .noise = {.l2_sensitivity = 1.0, .rate = SOTTO_UNSET}};
    const sotto_status status = sot_descent_calibrate(&once, setup->config, error);
    if (status != SOTTO_OK) return status;
    const double noise = once.multiplier * (double)setup->unit_rows *
                         sqrt((double)facts->dimension) / (double)sot_learner_rows(setup);
    const double steps = isinf(facts->smoothness)
                             ? 1.0 / (4.0 * noise * noise)
                             : facts->smoothness * sot_learner_norm_guess(learner) /
                                   (2.0 * noise * facts->record_bound);
    *out_steps = (uint64_t)fmin(STEPS_RULE_MOST, fmax(STEPS_LEAST, ceil(steps)));
    return SOTTO_OK;
}

static sotto_status plan(const sot_learner *learner, sotto_plan *events,
                         sotto_error *error)
{
    return sot_descent_plan(learner->state, events, error);
}

/* ---- secret: the records ---- */

/* The exact gradient sum of all rows, chunk by chunk. */
static sotto_status sum_gradient(const sot_learner *learner, sot_table *table,
                                 sot_pool *pool, sot_walk *walk, sotto_error *error)
{
    const sot_empirical *empirical = learner->empirical;
    const sot_descent *descent = learner->state;
    const sot_matrix *chunk = NULL;
    memset(walk->units, 0, walk->dimension * sizeof *walk->units);
    sotto_status status = sot_table_rewind(table, error);
    if (status == SOTTO_OK) status = sot_table_next(table, &chunk, error);
    while (status == SOTTO_OK && chunk != NULL) {
        status = empirical->operations->add_gradient(empirical, chunk, NULL, 0,
                                                     walk->theta, descent->spacing, pool,
                                                     walk->units, error);
        if (status == SOTTO_OK) status = sot_table_next(table, &chunk, error);
    }
    return status;
}

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    const sot_descent *descent = learner->state;
    const sotto_train_config *config = learner->setup.config;
    const sot_progress progress =
        sot_progress_begin(config->progress, config->progress_context);
    sot_walk walk;
    uint64_t done = 0;
    sotto_status status = sot_walk_begin(learner, descent, &walk, error);
    if (status == SOTTO_OK) status = sot_walk_resume(learner, &walk, &done, error);
    if (status == SOTTO_OK)
        status = sot_descent_report(learner, descent, &progress, done, error);
    for (uint64_t step = done + 1; status == SOTTO_OK && step <= descent->steps; step++) {
        status = sum_gradient(learner, table, pool, &walk, error);
        if (status == SOTTO_OK)
            status = sot_walk_step(descent, gate, step, descent->divisor, &walk, error);
        if (status == SOTTO_OK)
            status = sot_descent_report(learner, descent, &progress, step, error);
        if (status == SOTTO_OK) status = sot_walk_keep(learner, &walk, step, error);
    }
    if (status == SOTTO_OK) sot_walk_result(&walk, learner->grid, out_theta);
    sot_walk_end(&walk);
    return status;
}

sotto_status sot_erm_gd(sot_learner *learner, sotto_error *error)
{
    const sot_learner_setup *setup = &learner->setup;
    const sotto_train_config *config = setup->config;
    sotto_status status = sot_descent_check(setup, "gradient descent", error);
    if (status != SOTTO_OK) return status;
    sot_descent *descent = sot_new_array(1, sizeof *descent);
    if (descent == NULL) return sot_fail_memory(error, 1, sizeof *descent);
    learner->state = descent;
    learner->plan = plan;
    learner->learn = learn;
    learner->streams = true;
    learner->resumes = true;
    learner->grid = 0x1p-40;
    const double rule =
        sot_model_row_of(config->model)->is_quadratic ? RATE_SQUARED : RATE;
    const double rate = isnan(config->learning_rate) ? rule : config->learning_rate;
    const double rows = (double)sot_learner_rows(setup);
    *descent = (sot_descent){
        .noise = sotto_gaussian_defaults(),
        .steps = config->steps,
        .terms = sot_erm_terms(learner, isnan(config->lambda) ? 0.0 : config->lambda),
        .rows = rows,
        .divisor = rows,
        .schedule = SOTTO_SCHEDULE_CONSTANT,
        .iterate = config->iterate == SOTTO_ITERATE_AUTO ? SOTTO_ITERATE_SUFFIX
                                                         : config->iterate,
        .rate = rate / sot_descent_curvature(learner)};
    status = check_stable(descent, rate, error);
    if (status == SOTTO_OK && config->steps == 0)
        status = steps_of_rule(learner, &descent->steps, error);
    if (status == SOTTO_OK) status = sot_descent_sensitivity(descent, learner, error);
    if (status == SOTTO_OK) status = sot_descent_calibrate(descent, config, error);
    if (status != SOTTO_OK) return status;
    sot_descent_describe(
        learner, descent,
        isnan(config->lambda) ? "none: the small number of steps regularises" : "given",
        config->steps > 0 ? "given" : "where descent and noise cost the same, in theory");
    learner->sampler_error =
        sot_descent_sampler_error(descent, learner->empirical->facts.dimension);
    return SOTTO_OK;
}
