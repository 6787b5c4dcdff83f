/* Noisy gradient descent: every step's gradient sum passes the gate. Claims: gd.md. */
#include <math.h>
#include <string.h>

#include <sotto/gaussian.h>
#include <sotto/grid.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plant.h"
#include "base/progress.h"
#include "learn/erm/erm.h"
#include "numeric/outward.h"

/* The rule where nobody gave steps and rate: as many steps as it takes for the error of descent and
 * that of the noise to meet, n mu beta D / (2 L sqrt(d)) with steps of 1/beta (gd.md), D = sot_erm_norm_guess(). On data that does not lie along one direction longer steps are stable too, and the
 * average over the later half forgives those that are not. */
enum { STEPS_LEAST = 20, STEPS_RULE_MOST = 500, STEPS_MAX = 1000000 };
#define RATE 4.0

/* A row's gradient is at most 2^20 units long. */
enum { GRADIENT_BITS = 19 };

typedef struct descent {
    sotto_gaussian_config noise; /* of one step's sum, in units of `spacing` */
    double spacing;
    double multiplier; /* sigma over sensitivity */
    uint64_t steps;
    double rate;               /* of one step, on the mean gradient */
    sot_empirical_terms terms; /* lambda beside the sum */
    double rows;               /* public: the divisor */
} descent;

/* ---- public ---- */

static sotto_status check_settings(const sot_learner_setup *setup, sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    if (isnan(config->delta)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "gradient descent needs a delta, because its noise is Gaussian; give "
            "one, for example 1e-6, or use the method objective");
    }
    if (sot_learner_rows(setup) == 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "gradient descent divides by a public number of rows, which nobody "
            "gave; give the expected rows, a guess will do");
    }
    if (config->steps > STEPS_MAX) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "%llu steps are more than gradient descent can use; give at most %d",
            (unsigned long long)config->steps, (int)STEPS_MAX);
    }
    if (!isnan(config->learning_rate) &&
        !(config->learning_rate > 0.0 && config->learning_rate <= 1e6)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the learning rate is %g; give one above 0, in units of 1/smoothness, "
            "for example 2",
            config->learning_rate);
    }
    return SOTTO_OK;
}

/* A step multiplies theta by 1 - rate lambda / rows, beside the gradient sum, which is bounded:
 * below -1 theta grows without end, and what was paid for is no model. */
static sotto_status check_stable(const descent *state, double learning_rate,
                                 sotto_error *error)
{
    if (state->rate * state->terms.lambda <= 2.0 * state->rows) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "lambda is %g: with a learning rate of %g and %.0f rows the steps run "
        "away; give a smaller lambda or rate",
        state->terms.lambda, learning_rate, state->rows);
}

/* The noise of `steps` Gaussian releases that together cost the budget. */
static sotto_status calibrate(descent *state, const sotto_train_config *config,
                              sotto_error *error)
{
    sotto_plan *open = NULL;
    sotto_account account;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.count = state->steps;
    sotto_status status = sotto_plan_new(config->adjacency, &open, error);
    if (status == SOTTO_OK) status = sotto_plan_add(open, &event, error);
    if (status == SOTTO_OK) {
        status = sotto_account_noise(open, SOTTO_EXACT, config->epsilon, config->delta,
                                     &state->multiplier, &account, error);
    }
    sotto_plan_free(open);
    if (status != SOTTO_OK) return status;
    /* A hair more: the event's own multiplier is sigma / sensitivity rounded down. */
    state->noise.sigma = sot_mul_up(sot_mul_up(state->multiplier, 1.0 + 0x1p-40),
                                    state->noise.l2_sensitivity);
    return SOTTO_OK;
}

/* The curvature that steps are measured by: beta, or, of a loss with a corner, the one that the method
 * for such losses would choose, L/D. */
static double curvature_of(const sot_empirical_facts *facts, const sot_learner *learner)
{
    return isinf(facts->smoothness) ? facts->record_bound / sot_erm_norm_guess(learner)
                                    : facts->smoothness;
}

/* In units: one row's gradient is at most slope_most R / spacing (1 + 2^-20) long (gradient_sum.md),
 * a unit has so many rows, and a replaced one counts twice. */
static sotto_status set_sensitivity(descent *state, const sot_learner *learner,
                                    sotto_error *error)
{
    int exponent;
    const sot_learner_setup *setup = &learner->setup;
    const double bound = learner->empirical->facts.record_bound;
    const sotto_status status =
        sotto_grid_exponent(bound, GRADIENT_BITS, &exponent, error);
    if (status != SOTTO_OK) return status;
    state->spacing = ldexp(1.0, exponent);
    double units = sot_mul_up(sot_div_up(bound, state->spacing), 1.0 + 0x1p-20);
    if (!SOT_PLANTED(erm_unit_rows_forgotten))
        units = sot_mul_up(units, (double)setup->unit_rows);
    const bool twice = setup->config->adjacency == SOTTO_REPLACE_ONE &&
                       !SOT_PLANTED(erm_add_remove_noise_under_replace_one);
    state->noise.l2_sensitivity = twice ? 2.0 * units : units;
    return SOTTO_OK;
}

/* mu of the whole budget: that of one Gaussian release which costs as much. */
static sotto_status steps_of_rule(const sot_learner *learner, uint64_t *out_steps,
                                  sotto_error *error)
{
    const sot_learner_setup *setup = &learner->setup;
    const sot_empirical_facts *facts = &learner->empirical->facts;
    descent once = {.steps = 1, .noise = {.l2_sensitivity = 1.0}};
    const sotto_status status = calibrate(&once, setup->config, error);
    if (status != SOTTO_OK) return status;
    const double noise = once.multiplier * (double)setup->unit_rows *
                         sqrt((double)facts->dimension) / (double)sot_learner_rows(setup);
    const double steps = isinf(facts->smoothness)
                             ? 1.0 / (4.0 * noise * noise)
                             : curvature_of(facts, learner) *
                                   sot_erm_norm_guess(learner) /
                                   (2.0 * noise * facts->record_bound);
    *out_steps = (uint64_t)fmin(STEPS_RULE_MOST, fmax(STEPS_LEAST, ceil(steps)));
    return SOTTO_OK;
}

static sotto_status plan(const sot_learner *learner, sotto_plan *events,
                         sotto_error *error)
{
    const descent *state = learner->state;
    sotto_event event;
    const sotto_status status = sotto_gaussian_event(&state->noise, &event, error);
    if (status != SOTTO_OK) return status;
    event.count = state->steps;
    return sotto_plan_add(events, &event, error);
}

/* ---- secret: the records ---- */

/* What the first `steps` steps cost; for the listener alone. */
static sotto_status epsilon_after(const sot_learner *learner, uint64_t steps,
                                  double *out_epsilon, sotto_error *error)
{
    const descent *state = learner->state;
    const sotto_train_config *config = learner->setup.config;
    sotto_plan *done = NULL;
    sotto_account account;
    sotto_event event;
    *out_epsilon = 0.0;
    if (steps == 0) return SOTTO_OK;
    sotto_status status = sotto_gaussian_event(&state->noise, &event, error);
    event.count = steps;
    if (status == SOTTO_OK) status = sotto_plan_new(config->adjacency, &done, error);
    if (status == SOTTO_OK) status = sotto_plan_add(done, &event, error);
    if (status == SOTTO_OK)
        status = sotto_account_epsilon(done, SOTTO_EXACT, config->delta, &account, error);
    sotto_plan_free(done);
    if (status == SOTTO_OK) *out_epsilon = account.epsilon;
    return status;
}

static sotto_status report(const sot_learner *learner, const sot_progress *progress,
                           uint64_t step, sotto_error *error)
{
    const descent *state = learner->state;
    double epsilon = SOTTO_UNSET;
    if (progress->function == NULL) return SOTTO_OK;
    const sotto_status status = epsilon_after(learner, step, &epsilon, error);
    if (status != SOTTO_OK) return status;
    return sot_progress_report(progress, step, state->steps, epsilon, error);
}

/* One step from released numbers only: `units` is the noisy sum. */
static void move(const descent *state, const int64_t *units, double divisor,
                 double *theta, size_t dimension)
{
    for (size_t i = 0; i < dimension; i++) {
        const double gradient = (double)units[i] * state->spacing +
                                sot_erm_terms_slope(&state->terms, i, theta[i]);
        theta[i] -= state->rate * gradient / divisor;
    }
    sot_erm_project(theta, dimension, state->terms.radius);
}

/* The exact gradient sum of all rows, chunk by chunk. */
static sotto_status sum_gradient(const sot_learner *learner, sot_table *table,
                                 sot_pool *pool, const double *theta, int64_t *units,
                                 sotto_error *error)
{
    const sot_empirical *empirical = learner->empirical;
    const descent *state = learner->state;
    const sot_matrix *chunk = NULL;
    memset(units, 0, empirical->facts.dimension * sizeof *units);
    sotto_status status = sot_table_rewind(table, error);
    if (status == SOTTO_OK) status = sot_table_next(table, &chunk, error);
    while (status == SOTTO_OK && chunk != NULL) {
        status = empirical->operations->add_gradient(empirical, chunk, NULL, 0, theta,
                                                     state->spacing, pool, units, error);
        if (status == SOTTO_OK) status = sot_table_next(table, &chunk, error);
    }
    return status;
}

static double divisor_of(const descent *state, const sot_table *table)
{
    if (SOT_PLANTED(erm_rows_as_divisor) && sot_table_matrix(table) != NULL)
        return (double)sot_table_matrix(table)->rows;
    return state->rows;
}

static sotto_status descend(const sot_learner *learner, sotto_gate *gate,
                            sot_table *table, sot_pool *pool, double *theta,
                            int64_t *units, double *average, sotto_error *error)
{
    const descent *state = learner->state;
    const size_t dimension = learner->empirical->facts.dimension;
    const sotto_train_config *config = learner->setup.config;
    const sot_progress progress =
        sot_progress_begin(config->progress, config->progress_context);
    const double divisor = divisor_of(state, table);
    const uint64_t first = state->steps / 2; /* the later half is averaged */
    sotto_status status = report(learner, &progress, 0, error);
    for (uint64_t step = 0; status == SOTTO_OK && step < state->steps; step++) {
        status = sum_gradient(learner, table, pool, theta, units, error);
        if (status == SOTTO_OK) {
            status = sotto_gaussian_release(gate, &state->noise, units, dimension, units,
                                            error);
        }
        if (status != SOTTO_OK) break;
        move(state, units, divisor, theta, dimension);
        for (size_t i = 0; i < dimension && step >= first; i++)
            average[i] += theta[i] / (double)(state->steps - first);
        status = report(learner, &progress, step + 1, error);
    }
    return status;
}

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    const descent *state = learner->state;
    const size_t dimension = learner->empirical->facts.dimension;
    double *theta = sot_new_array(dimension, sizeof *theta);
    double *average = sot_new_array(dimension, sizeof *average);
    int64_t *units = sot_new_array(dimension, sizeof *units);
    sotto_status status = SOTTO_OK;
    if (theta == NULL || average == NULL || units == NULL)
        status = sot_fail_memory(error, dimension, sizeof *units);
    for (size_t i = 0; status == SOTTO_OK && i < dimension; i++)
        theta[i] = state->terms.center == NULL ? 0.0 : state->terms.center[i];
    if (status == SOTTO_OK)
        status = descend(learner, gate, table, pool, theta, units, average, error);
    if (status == SOTTO_OK) {
        sot_erm_round(average, dimension, learner->grid);
        for (size_t i = 0; i < dimension; i++)
            out_theta[i] = average[i];
    }
    sot_free(theta); /* functions of released sums */
    sot_free(average);
    sot_wipe_and_free(units, dimension * sizeof *units); /* held exact sums */
    return status;
}

sotto_status sot_erm_gd(sot_learner *learner, sotto_error *error)
{
    const sot_learner_setup *setup = &learner->setup;
    const sotto_train_config *config = setup->config;
    sotto_status status = check_settings(setup, error);
    if (status != SOTTO_OK) return status;
    descent *state = sot_new_array(1, sizeof *state);
    if (state == NULL) return sot_fail_memory(error, 1, sizeof *state);
    learner->state = state;
    learner->plan = plan;
    learner->learn = learn;
    learner->grid = 0x1p-40;
    const bool given = !isnan(config->learning_rate);
    const double rate = given ? config->learning_rate : RATE;
    state->steps = config->steps;
    learner->streams = true;
    state->rate = rate / curvature_of(&learner->empirical->facts, learner);
    state->terms = sot_erm_terms(learner, isnan(config->lambda) ? 0.0 : config->lambda);
    state->rows = (double)sot_learner_rows(setup);
    status = check_stable(state, rate, error);
    if (status != SOTTO_OK) return status;
    state->noise = sotto_gaussian_defaults();
    state->noise.adjacency = config->adjacency;
    state->noise.purpose = "gradient sum";
    if (config->steps == 0) status = steps_of_rule(learner, &state->steps, error);
    if (status == SOTTO_OK) status = set_sensitivity(state, learner, error);
    if (status != SOTTO_OK) return status;
    state->noise.grid = state->spacing;
    status = calibrate(state, config, error);
    if (status != SOTTO_OK) return status;
    const size_t dimension = learner->empirical->facts.dimension;
    sot_learner_set(learner, "lambda", state->terms.lambda,
                    isnan(config->lambda) ? "none: the steps are few" : "given");
    sot_learner_set(
        learner, "steps", (double)state->steps,
        config->steps > 0 ? "given" : "where descent and noise cost the same, in theory");
    sot_learner_set(learner, "learning_rate", rate,
                    given ? "given, in units of 1/smoothness"
                          : "the rule, in units of 1/smoothness");
    sot_learner_set(learner, "sigma", state->noise.sigma * state->spacing,
                    "standard deviation of each coordinate of a step's gradient sum");
    sot_learner_set(learner, "divisor", state->rows,
                    "rows: a public number, not counted in the data");
    /* sotto/gaussian.h: at most 2^-900 a coordinate; a hair more than the gate's own sum. */
    learner->sampler_error =
        (1.0 + 0x1p-20) * 0x1p-900 * (double)dimension * (double)state->steps;
    return SOTTO_OK;
}
