/* Plain gradient steps, and noise at the end: full batches (gd-output), or shuffled passes over small
 * ones (permutation-sgd). Claims: stable.md. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "data/batches/batch.h"
#include "methods/convex/erm.h"
#include "models/linear/rows/row_sum.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/correction/correction.h"
#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/output/output.h"

/* Share of a pure budget for rounding, in the sense of
 * privacy/mechanisms/output/output.h. */
#define CORRECTION_SHARE 0x1p-10

/* Defaults: small batches, ten passes over them, and for full batches at most this number of
 * steps. */
enum { BATCH_RULE = 50, PASSES_RULE = 10, PASSES_MOST = 1000, STEPS_MOST = 1000000 };

/* Public. A step makes theta: shrink theta - step (gradient sum of at most `batch` rows), projected on
 * the ball. */
typedef struct stable {
    sot_output_config noise;
    double shrink, step;
    double radius; /* 0: no ball */
    uint64_t passes, rows, batch, batches;
    double theta_most; /* |theta| at most, on the way */
    double rounding;   /* |computed - exact result| at most */
} stable;

/* ---- public: the move of the result by one record ---- */

/* base^exponent, rounded up; 0 <= base <= 1. */
static double power_up(double base, uint64_t exponent)
{
    double power = 1.0;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) power = fmin(1.0, sot_mul_up(power, base));
        base = fmin(1.0, sot_mul_up(base, base));
    }
    return power;
}

/* In every pass one step sees the record. There the two results separate by at most 2 L step, and
 * all steps bring them closer by the factor `shrink`. Passes are `batches` steps apart. */
static double sensitivity_of(const stable *at, double record_bound)
{
    const double once = sot_mul_up(2.0 * record_bound, at->step);
    const double between = power_up(at->shrink, at->batches);
    double sum = 0.0;
    for (uint64_t pass = 0; pass < at->passes; pass++)
        sum = sot_add_up(sot_mul_up(sum, between), 1.0);
    return sot_mul_up(once, sum);
}

/* Sums of positive numbers in double: all their own roundings are below this. */
#define SLACK (1.0 + 0x1p-30)

/* Bounds |theta| during training for any rows, with a margin of a quarter for
 * rounding. */
static double theta_most_of(const stable *at, double record_bound)
{
    const double each = at->step * (double)at->batch * record_bound;
    double most = each * (double)at->passes * (double)at->batches;
    if (at->shrink < 1.0) most = fmin(most, each / (1.0 - at->shrink));
    if (at->radius > 0.0) most = fmin(most, at->radius);
    return 1.25 * most;
}

/* stable.md: the error bound of one step's arithmetic, times the steps. */
static double rounding_of(const stable *at, const sot_empirical_facts *facts)
{
    const double unit = 0x1p-53;
    const double rows = (double)at->batch;
    const double roundings = SOT_ROW_SUM_BLOCK + rows / SOT_ROW_SUM_BLOCK + 3.0;
    const double sum_error =
        rows * (facts->row_error + facts->row_error_norm * at->theta_most) +
        roundings * unit * (1.0 + 0x1p-10) * rows * facts->record_bound;
    const double update_error = 4.0 * unit * (1.0 + 0x1p-10) *
                                (at->theta_most + at->step * rows * facts->record_bound);
    const double project_error =
        (4.0 * (double)facts->dimension + 32.0) * unit * at->radius;
    const double steps = (double)at->passes * (double)at->batches;
    return steps * (at->step * sum_error + update_error + project_error + DBL_MIN) *
           SLACK;
}

static sotto_status check_setup(const sot_learner *learner, sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    const char *method = sotto_method_name(learner->setup.method);
    if (config->public_n == 0 || config->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`public_n` is missing: the method %s needs a public number of "
                        "rows under replace-one; give `adjacency=replace-one` and "
                        "`public_n=N`, or use the methods objective or gd",
                        method);
    }
    if (isinf(learner->empirical->facts.smoothness)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the %s loss has a kink, and steps over it are not stable; use "
                        "`model=svm`, or the methods output, gd or sgd",
                        learner->empirical->facts.name);
    }
    if (config->steps > STEPS_MOST) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`steps` is %llu, more than %s can use; give at most %d",
                        (unsigned long long)config->steps, method, (int)STEPS_MOST);
    }
    if (config->batch > config->public_n) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`batch` is %llu, but the public row count is %llu; give at most that many",
            (unsigned long long)config->batch, (unsigned long long)config->public_n);
    }
    if (!isnan(config->learning_rate) &&
        !(config->learning_rate > 0.0 && config->learning_rate <= 2.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`learning_rate` is %g; steps are stable above 0 and up to 2, in "
                        "units of 1/smoothness; for example `learning_rate=1`",
                        config->learning_rate);
    }
    return SOTTO_OK;
}

/* ---- public: the rules ---- */

/* Returns the theoretically optimal total length of all steps, x = rate times their number.
 * Descent leaves D^2 / (2 x) of the mean loss. Noise of standard deviation s = m (2 L x / n)
 * costs (s^2 / 2) tr H. The sum is smallest at `x^3 = D^2 / (2 tr (2 m L / n)^2)`: stable.md. */
static sotto_status length_of_rule(const sot_learner *learner, const stable *at,
                                   double *out_length, sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    const sot_empirical_facts *facts = &learner->empirical->facts;
    sot_output_config trial = at->noise;
    trial.sensitivity = 1.0;
    trial.tau = 0x1p-30;
    const sotto_status status =
        sot_output_calibrate(&trial, config->epsilon, sot_erm_delta(config), error);
    if (status != SOTTO_OK) return status;
    const double deviation = isnan(trial.sigma)
                                 ? sqrt((double)trial.dimension + 1.0) /
                                       trial.epsilon /* methods/output/output.c has why */
                                 : trial.sigma;
    const double distance = sot_learner_norm_guess(learner);
    const double noise = 2.0 * deviation * facts->record_bound / (double)at->rows;
    *out_length = cbrt(distance * distance / (2.0 * facts->trace * noise * noise));
    return SOTTO_OK;
}

/* Sets rate and passes: given values, and the rest so that the total length is the default, with
 * steps of at most 1/(beta + lambda/n). */
static sotto_status set_steps(const sot_learner *learner, stable *at, sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    const double smoothness = learner->empirical->facts.smoothness;
    const double lambda = isnan(config->lambda) ? 0.0 : config->lambda / (double)at->rows;
    const double longest = 1.0 / (smoothness + lambda);
    const double steps_a_pass = (double)at->batches;
    const bool full = at->batch == at->rows;
    double length;
    const sotto_status status = length_of_rule(learner, at, &length, error);
    if (status != SOTTO_OK) return status;
    double rate = config->learning_rate / smoothness; /* NaN: not given */
    double passes = (double)config->steps;
    if (passes == 0.0) {
        const double least = length / (steps_a_pass * (isnan(rate) ? longest : rate));
        passes = isnan(rate) && !full ? fmax(PASSES_RULE, ceil(least)) : ceil(least);
        passes = fmin(PASSES_MOST, fmax(1.0, passes));
    }
    if (isnan(rate)) rate = fmin(longest, length / (passes * steps_a_pass));
    at->passes = (uint64_t)passes;
    at->step = rate / (double)at->batch;
    at->shrink = 1.0 - rate * lambda;
    /* The curvature of a sum of `batch` losses is at most batch beta: stable.md. */
    const double bend = sot_mul_up(sot_mul_up(at->step, (double)at->batch), smoothness);
    if (at->shrink > 0.0 && bend <= 2.0 * at->shrink) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`lambda` is %g, with which a learning rate of %g is not stable; "
                    "give a smaller `lambda` or `learning_rate`",
                    config->lambda, rate * smoothness);
}

static sotto_status calibrate(const sot_learner *learner, stable *at, sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    const sot_empirical_facts *facts = &learner->empirical->facts;
    at->theta_most = theta_most_of(at, facts->record_bound);
    at->rounding = rounding_of(at, facts);
    at->noise.sensitivity = sensitivity_of(at, facts->record_bound);
    at->noise.lambda = 1.0; /* the result is within tau / lambda of the exact one */
    at->noise.tau = at->rounding;
    if (!(at->rounding <= at->noise.sensitivity &&
          at->rounding <= at->theta_most / 8.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%.0f steps over %llu rows in double precision have no proof of "
                        "stability; give fewer `steps`, a larger `batch` or a `radius`",
                        (double)at->passes * (double)at->batches,
                        (unsigned long long)at->rows);
    }
    return sot_output_calibrate(&at->noise, config->epsilon, sot_erm_delta(config),
                                error);
}

static sotto_status plan(const sot_learner *learner, sotto_plan *events,
                         sotto_error *error)
{
    const stable *at = learner->state;
    return sot_output_plan(&at->noise, events, error);
}

/* ---- secret: the records ---- */

typedef struct walk {
    const sot_learner *learner;
    const sot_matrix *matrix;
    sot_pool *pool;
    uint32_t *order; /* NULL: the whole matrix is one batch */
    double *theta, *sum;
} walk;

static sotto_status take_step(const walk *run, uint64_t first, sotto_error *error)
{
    const stable *at = run->learner->state;
    const sot_empirical *empirical = run->learner->empirical;
    const size_t dimension = empirical->facts.dimension;
    const uint64_t left = run->matrix->rows - first;
    const size_t count = (size_t)(left < at->batch ? left : at->batch);
    memset(run->sum, 0, dimension * sizeof *run->sum);
    const sotto_status status = empirical->operations->add_gradient_double(
        empirical, run->matrix, run->order == NULL ? NULL : run->order + first, count,
        run->theta, run->pool, run->sum, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < dimension; i++)
        run->theta[i] = at->shrink * run->theta[i] - at->step * run->sum[i];
    sot_erm_project(run->theta, dimension, at->radius);
    return SOTTO_OK;
}

/* All passes, each in the same order. Without one, a pass is one step over the whole matrix. */
static sotto_status walk_all(const walk *run, sotto_error *error)
{
    const stable *at = run->learner->state;
    const uint64_t stride = run->order == NULL ? run->matrix->rows : at->batch;
    const sotto_train_config *config = run->learner->setup.config;
    const sot_progress progress =
        sot_progress_begin(config->progress, config->progress_context);
    sotto_status status = SOTTO_OK;
    for (uint64_t pass = 0; pass < at->passes && status == SOTTO_OK; pass++) {
        status = sot_progress_report(&progress, pass, at->passes, 0.0, error);
        for (uint64_t first = 0; status == SOTTO_OK && first < run->matrix->rows;
             first += stride)
            status = take_step(run, first, error);
    }
    return status;
}

static sotto_status release(const walk *run, sotto_gate *gate, double *out_theta,
                            sotto_error *error)
{
    const stable *at = run->learner->state;
    const sotto_train_config *config = run->learner->setup.config;
    const sot_progress progress =
        sot_progress_begin(config->progress, config->progress_context);
    const size_t dimension = at->noise.dimension;
    int64_t *units = sot_new_array(dimension, sizeof *units);
    if (units == NULL) return sot_fail_memory(error, dimension, sizeof *units);
    sotto_status status = sot_output_release(gate, &at->noise, run->theta, units, error);
    if (status == SOTTO_OK)
        status = sot_progress_report(&progress, at->passes, at->passes, config->epsilon,
                                     error);
    if (status == SOTTO_OK)
        sot_coefficients_from_units(units, dimension, run->learner->grid, out_theta);
    sot_free(units); /* released */
    return status;
}

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    const stable *at = learner->state;
    const size_t dimension = at->noise.dimension;
    const bool shuffled = learner->setup.method == SOTTO_METHOD_PERMUTATION_SGD;
    walk run = {.learner = learner,
                .matrix = sot_table_matrix(table),
                .pool = pool,
                .theta = sot_new_array(dimension, sizeof(double)),
                .sum = sot_new_array(dimension, sizeof(double))};
    const size_t rows = run.matrix->rows;
    sotto_status status = SOTTO_OK;
    if (shuffled) run.order = sot_new_array(rows == 0 ? 1 : rows, sizeof *run.order);
    if (run.theta == NULL || run.sum == NULL || (shuffled && run.order == NULL))
        status = sot_fail_memory(error, dimension + rows, sizeof(double));
    if (status == SOTTO_OK && shuffled)
        status = sot_shuffle(sot_gate_rng(gate), rows, run.order, error);
    if (status == SOTTO_OK) status = walk_all(&run, error);
    if (status == SOTTO_OK) status = release(&run, gate, out_theta, error);
    sot_wipe_and_free(run.theta, dimension * sizeof(double)); /* without noise */
    sot_wipe_and_free(run.sum, dimension * sizeof(double));
    sot_free(run.order);
    return status;
}

/* ---- the whole ---- */

static void describe(sot_learner *learner, const stable *at)
{
    const sotto_train_config *config = learner->setup.config;
    const double smoothness = learner->empirical->facts.smoothness;
    const bool full = learner->setup.method == SOTTO_METHOD_GD_OUTPUT;
    sot_learner_set(learner, "lambda", isnan(config->lambda) ? 0.0 : config->lambda,
                    isnan(config->lambda) ? "none: stopping early regularises" : "given");
    sot_learner_set(learner, full ? "steps" : "passes", (double)at->passes,
                    config->steps > 0 ? "given"
                    : full ? "minimum of the theoretical error of descent and noise"
                           : "default");
    if (!full)
        sot_learner_set(learner, "batch", (double)at->batch,
                        config->batch > 0 ? "given" : "default");
    sot_learner_set(learner, "learning_rate", at->step * (double)at->batch * smoothness,
                    isnan(config->learning_rate)
                        ? "minimum of the theoretical error of descent and noise, in "
                          "units of 1/smoothness"
                        : "given, in units of 1/smoothness");
    sot_learner_set(learner, "sensitivity", at->noise.sensitivity,
                    "largest move of the last step's result by one record");
    if (isnan(at->noise.sigma)) {
        sot_learner_set(learner, "noise_epsilon", at->noise.epsilon,
                        "the noise v has density exp(-noise_epsilon |v| / sensitivity)");
    } else {
        sot_learner_set(learner, "sigma", at->noise.sigma,
                        "standard deviation of each coefficient's noise");
    }
    sot_learner_set(learner, "rounding", at->rounding,
                    "bound on the rounding error of the steps");
}

sotto_status sot_erm_stable(sot_learner *learner, sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    sotto_status status = check_setup(learner, error);
    if (status != SOTTO_OK) return status;
    stable *at = sot_new_array(1, sizeof *at);
    if (at == NULL) return sot_fail_memory(error, 1, sizeof *at);
    learner->state = at;
    learner->plan = plan;
    learner->learn = learn;
    at->rows = config->public_n;
    at->batch = config->batch > 0 ? config->batch : BATCH_RULE;
    if (learner->setup.method == SOTTO_METHOD_GD_OUTPUT || at->batch > at->rows)
        at->batch = at->rows;
    at->batches = (at->rows - 1) / at->batch + 1;
    at->radius = isnan(config->radius) ? 0.0 : config->radius;
    at->noise = (sot_output_config){
        .adjacency = config->adjacency,
        .dimension = learner->empirical->facts.dimension,
        .lambda = 1.0,
        .sigma = SOTTO_UNSET,
        .epsilon = SOTTO_UNSET,
        .correction_share = isnan(config->delta) ? CORRECTION_SHARE : SOTTO_UNSET,
        .purpose = "coefficients"};
    status = set_steps(learner, at, error);
    if (status == SOTTO_OK) status = calibrate(learner, at, error);
    if (status == SOTTO_OK) status = sot_output_grid(&at->noise, &learner->grid, error);
    if (status != SOTTO_OK) return status;
    describe(learner, at);
    learner->sampler_error = SOT_ERM_SAMPLER_ERROR;
    return SOTTO_OK;
}
