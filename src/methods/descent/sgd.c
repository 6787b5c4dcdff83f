/* Noisy stochastic gradient descent: every step looks at a fresh sample of the records. Claims:
 * sgd.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/batches/batch.h"
#include "methods/descent/descent.h"
#include "privacy/mechanisms/gate/gate.h"

/* Defaults: a twentieth of the rows per step, twenty passes over the data. One record per step:
 * n^2 steps, as in the theory of the lecture, up to a descent's limit. */
#define RATE_RULE   0.05
#define PASSES_RULE 20.0

/* In units of 1/smoothness: as gd.c. */
#define RATE_MOST 4.0

/* ---- public ---- */

static sotto_status refuse_units(const sot_learner_setup *setup, sotto_error *error)
{
    if (setup->unit_rows == 1) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "`sampling` is single-record, which has no guarantee for a unit of "
                    "up to %llu rows; use the methods objective, output or gd",
                    (unsigned long long)setup->unit_rows);
}

static sotto_status check_single(const sot_learner_setup *setup, sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    if (config->public_n == 0 || config->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`sampling` is single-record, which needs a public number of "
                        "rows under replace-one; give `adjacency=replace-one` and "
                        "`public_n=N`, or `sampling=poisson`");
    }
    if (config->batch > 1) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`batch` is %llu, but `sampling` takes one record per step; leave "
            "`batch` out, or give `sampling=poisson`",
            (unsigned long long)config->batch);
    }
    return SOTTO_OK;
}

static sotto_status set_sampling(const sot_learner *learner, sot_descent *descent,
                                 sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    const double batch = config->batch > 0 ? (double)config->batch
                                           : fmax(1.0, rint(RATE_RULE * descent->rows));
    descent->noise.sampling = config->sampling;
    if (config->sampling == SOTTO_SINGLE_RECORD) {
        const sotto_status status = check_single(&learner->setup, error);
        descent->noise.population = config->public_n;
        descent->divisor = 1.0;
        return status;
    }
    if (config->sampling != SOTTO_POISSON) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "stochastic gradient descent samples by poisson or single-record, not by %s",
            sotto_sampling_name(config->sampling));
    }
    if (batch > descent->rows) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`batch` is %.0f, but the public row count is %.0f; give at most that many",
            batch, descent->rows);
    }
    descent->noise.rate = batch / descent->rows;
    descent->divisor = descent->noise.rate * descent->rows;
    return SOTTO_OK;
}

static void set_steps(const sotto_train_config *config, sot_descent *descent)
{
    double steps = (double)config->steps;
    if (steps == 0.0) {
        steps = config->sampling == SOTTO_SINGLE_RECORD
                    ? descent->rows * descent->rows
                    : ceil(PASSES_RULE * descent->rows / descent->divisor);
    }
    descent->steps = (uint64_t)fmin(steps, SOT_STEPS_MAX);
}

/* Returns the root of G^2 = L^2 / B + d s^2, s the noise of a coordinate: the length of a step's
 * gradient estimate from B records and noise. Theory has L^2 instead of L^2 / B, the batch's
 * variance. For one record they are the same, and for a smooth loss the gradient itself shrinks
 * during training. */
static double gradient_length(const sot_learner *learner, const sot_descent *descent)
{
    const sot_empirical_facts *facts = &learner->empirical->facts;
    const double noise = descent->noise.sigma * descent->spacing / descent->divisor;
    return sqrt(facts->record_bound * facts->record_bound / descent->divisor +
                (double)facts->dimension * noise * noise);
}

/* Default schedule: 1/(lambda t) for a strongly convex loss, a constant rate for batches, and the
 * lectures' 1/sqrt(t) for single records. */
static sotto_schedule schedule_of_rule(const sot_learner *learner,
                                       const sot_descent *descent)
{
    if (!isnan(learner->setup.config->learning_rate)) return SOTTO_SCHEDULE_ROOT;
    if (descent->terms.lambda > 0.0) return SOTTO_SCHEDULE_STRONG;
    return descent->divisor > 1.0 ? SOTTO_SCHEDULE_CONSTANT : SOTTO_SCHEDULE_ROOT;
}

static sotto_iterate iterate_of_rule(const sot_descent *descent)
{
    switch (descent->schedule) {
    case SOTTO_SCHEDULE_STRONG:
        return SOTTO_ITERATE_WEIGHTED;
    case SOTTO_SCHEDULE_LINEAR:
    case SOTTO_SCHEDULE_COSINE:
        return SOTTO_ITERATE_LAST;
    case SOTTO_SCHEDULE_CONSTANT:
        return SOTTO_ITERATE_SUFFIX;
    case SOTTO_SCHEDULE_ROOT:
    case SOTTO_SCHEDULE_AUTO:
        break;
    }
    return SOTTO_ITERATE_AVERAGE;
}

/* Returns D / (G sqrt(t)), or with a constant rate D / (G sqrt(T)), at most the rate of gradient
 * descent. */
static double rate_of_rule(const sot_learner *learner, const sot_descent *descent)
{
    const double rate =
        sot_learner_norm_guess(learner) / gradient_length(learner, descent);
    if (descent->schedule == SOTTO_SCHEDULE_ROOT) return rate;
    return fmin(rate / sqrt((double)descent->steps),
                RATE_MOST / sot_descent_curvature(learner));
}

static sotto_status set_schedule(const sot_learner *learner, sot_descent *descent,
                                 sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    descent->schedule = config->schedule == SOTTO_SCHEDULE_AUTO
                            ? schedule_of_rule(learner, descent)
                            : config->schedule;
    if (descent->schedule == SOTTO_SCHEDULE_STRONG && !(descent->terms.lambda > 0.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`schedule` is strong, which divides by lambda, and lambda is 0; "
                        "give `lambda`, or another schedule");
    }
    if (descent->schedule == SOTTO_SCHEDULE_STRONG && !isnan(config->learning_rate)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`schedule` is strong, which has no learning rate of its own; leave out "
            "`learning_rate`, which is %g, or give another schedule",
            config->learning_rate);
    }
    descent->iterate = config->iterate == SOTTO_ITERATE_AUTO ? iterate_of_rule(descent)
                                                             : config->iterate;
    descent->rate = isnan(config->learning_rate)
                        ? rate_of_rule(learner, descent)
                        : config->learning_rate / sot_descent_curvature(learner);
    return SOTTO_OK;
}

static sotto_status plan(const sot_learner *learner, sotto_plan *events,
                         sotto_error *error)
{
    return sot_descent_plan(learner->state, events, error);
}

/* ---- secret: the records ---- */

typedef struct sampled {
    const sot_learner *learner;
    sot_table *table;
    sot_pool *pool;
    sot_batches *batches;
    sot_walk walk;
} sampled;

/* The exact gradient sum of the step's records. */
static sotto_status sum_gradient(sampled *run, uint64_t step, sotto_error *error)
{
    const sot_empirical *empirical = run->learner->empirical;
    const sot_descent *descent = run->learner->state;
    const sot_matrix *chunk = NULL;
    uint64_t first = 0;
    memset(run->walk.units, 0, run->walk.dimension * sizeof *run->walk.units);
    sotto_status status = sot_table_rewind(run->table, error);
    if (status == SOTTO_OK) status = sot_table_next(run->table, &chunk, error);
    while (status == SOTTO_OK && chunk != NULL) {
        const uint32_t *rows = NULL;
        size_t count = 0;
        status = sot_batches_of_step(run->batches, step, first, chunk->rows, &rows,
                                     &count, error);
        if (status == SOTTO_OK && count > 0) {
            status = empirical->operations->add_gradient(
                empirical, chunk, rows, count, run->walk.theta, descent->spacing,
                run->pool, run->walk.units, error);
        }
        first += chunk->rows;
        if (status == SOTTO_OK) status = sot_table_next(run->table, &chunk, error);
    }
    return status;
}

static sotto_status take_step(sampled *run, sotto_gate *gate, uint64_t step,
                              sotto_error *error)
{
    const sot_descent *descent = run->learner->state;
    const sotto_status status = sum_gradient(run, step, error);
    if (status != SOTTO_OK) return status;
    return sot_walk_step(descent, gate, step, descent->divisor, &run->walk, error);
}

static sotto_status walk_all(sampled *run, sotto_gate *gate, sotto_error *error)
{
    const sot_descent *descent = run->learner->state;
    const sotto_train_config *config = run->learner->setup.config;
    const sot_progress progress =
        sot_progress_begin(config->progress, config->progress_context);
    const uint64_t every = descent->steps / SOT_STEPS_REPORTS + 1;
    uint64_t done = 0;
    sotto_status status = sot_walk_resume(run->learner, &run->walk, &done, error);
    if (status == SOTTO_OK)
        status = sot_descent_report(run->learner, descent, &progress, done, error);
    for (uint64_t step = done + 1; status == SOTTO_OK && step <= descent->steps; step++) {
        status = take_step(run, gate, step, error);
        if (status == SOTTO_OK && (step % every == 0 || step == descent->steps))
            status = sot_descent_report(run->learner, descent, &progress, step, error);
        if (status == SOTTO_OK)
            status = sot_walk_keep(run->learner, &run->walk, step, error);
    }
    return status;
}

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    sampled run = {.learner = learner, .table = table, .pool = pool};
    const sot_descent *descent = learner->state;
    sotto_status status =
        sot_batches_new(sot_gate_rng(gate), descent->noise.sampling, descent->noise.rate,
                        descent->noise.batch, &run.batches, error);
    if (status == SOTTO_OK) status = sot_walk_begin(learner, descent, &run.walk, error);
    if (status == SOTTO_OK) status = walk_all(&run, gate, error);
    if (status == SOTTO_OK) sot_walk_result(&run.walk, learner->grid, out_theta);
    sot_walk_end(&run.walk);
    sot_batches_free(run.batches);
    return status;
}

sotto_status sot_erm_sgd(sot_learner *learner, sotto_error *error)
{
    const sot_learner_setup *setup = &learner->setup;
    const sotto_train_config *config = setup->config;
    sotto_status status = sot_descent_check(setup, "stochastic gradient descent", error);
    if (status == SOTTO_OK) status = refuse_units(setup, error);
    if (status != SOTTO_OK) return status;
    sot_descent *descent = sot_new_array(1, sizeof *descent);
    if (descent == NULL) return sot_fail_memory(error, 1, sizeof *descent);
    learner->state = descent;
    learner->plan = plan;
    learner->learn = learn;
    learner->streams = config->sampling == SOTTO_POISSON;
    learner->resumes = true;
    learner->grid = 0x1p-40;
    *descent = (sot_descent){
        .noise = sotto_gaussian_defaults(),
        .terms = sot_erm_terms(learner, isnan(config->lambda) ? 0.0 : config->lambda),
        .rows = (double)sot_learner_rows(setup)};
    status = set_sampling(learner, descent, error);
    if (status != SOTTO_OK) return status;
    set_steps(config, descent);
    status = sot_descent_sensitivity(descent, learner, error);
    if (status == SOTTO_OK) status = sot_descent_calibrate(descent, config, error);
    if (status == SOTTO_OK) status = set_schedule(learner, descent, error);
    if (status != SOTTO_OK) return status;
    sot_descent_describe(learner, descent, isnan(config->lambda) ? "none" : "given",
                         config->steps > 0 ? "given"
                         : config->sampling == SOTTO_SINGLE_RECORD
                             ? "rows squared, at most a million"
                             : "twenty passes over the data, on average");
    if (config->sampling == SOTTO_POISSON)
        sot_learner_set(learner, "rate", descent->noise.rate,
                        "probability that a record takes part in a step");
    learner->sampler_error =
        sot_descent_sampler_error(descent, learner->empirical->facts.dimension);
    return SOTTO_OK;
}
