/* Objective perturbation: the minimiser of an objective with a random linear term.
 * Claims: objective.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "methods/convex/erm.h"
#include "models/kinds.h"
#include "privacy/mechanisms/correction/correction.h"
#include "privacy/mechanisms/objective/objective.h"

/* The part of the budget for the solver's error and the rounding, as a share of mu or of a pure
 * epsilon. The noise of the objective grows by half its square, or by the share itself. */
#define CORRECTION_SHARE 0x1p-10

/* The default lambda, in multiples of the theorem's smallest, by the epsilon of one row (epsilon
 * over the rows of a unit, half of it under replace-one). Measured on public data sets
 * (bench/bench_train.c, docs/howto/choosing-parameters.md). With Gaussian noise the smallest is
 * best in the middle. For a small epsilon noise costs more than shrinkage. For a large one a
 * slightly smaller lambda is worth its per cent of noise. Pure noise is longer by the root of the
 * dimension, and needs more. */
#define LOW_EPSILON  0.5
#define LOW_FACTOR   3.0
#define HIGH_EPSILON 1.0
#define HIGH_FACTOR  0.8
/* With the frozen-slope theorem less lambda costs little noise. It pays where the rows are many for the features: t = rows epsilon /
 * features. From LOW_EPSILON on at most this over sqrt(t), and not below the second. Chosen on public data sets
 * (docs/howto/choosing-parameters.md), one row per unit, add-remove, where a public number of rows was given. */
#define ROWS_FACTOR 12.0
#define ROWS_LEAST  0.4
/* Additive models have many coefficients for few rows each: more shrinkage. Chosen by cross-validation inside the training
 * rows of public tables (docs/reference/additive.md#default-lambda): the first from this number of rows times epsilon on. */
#define BINS_ROWS       6000.0
#define BINS_FACTOR     1.5
#define BINS_FEW_FACTOR 3.0
#define PURE_FACTOR     1.5 /* over epsilon, within these two: */
#define PURE_LEAST      0.6
#define PURE_MOST       10.0
/* Losses without a sharp theorem pay for the determinant, by the smoothness beta. The lambda of
 * sot_objective_least_lambda() spends a share of epsilon on it. Less is better where the noise,
 * proportional to L, is small against the cost of lambda: SVM and Huber (bench/bench_erm.c). */
#define FLAT_FACTOR 0.4

static const struct {
    sotto_calibration calibration;
    sot_objective_theorem theorem;
} theorems[] = {
    {SOTTO_CALIBRATION_SHARP, SOT_OBJECTIVE_SHARP},
    {SOTTO_CALIBRATION_CHAUDHURI, SOT_OBJECTIVE_CHAUDHURI},
    {SOTTO_CALIBRATION_KIFER, SOT_OBJECTIVE_KIFER},
    {SOTTO_CALIBRATION_REDBERG, SOT_OBJECTIVE_REDBERG},
    {SOTTO_CALIBRATION_FORMER, SOT_OBJECTIVE_SHARP},
};
enum { THEOREMS = sizeof theorems / sizeof theorems[0] };

/* ---- public: the distribution of the noise ---- */

/* The sharp one for this loss. */
static sot_objective_theorem sharp_theorem(const sot_empirical_facts *facts)
{
    return facts->self_bounding ? SOT_OBJECTIVE_SHARP : SOT_OBJECTIVE_VERTICES;
}

static sotto_status choose_theorem(const sot_learner *learner, sot_objective_theorem *out,
                                   sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    for (int i = 0; i < THEOREMS; i++) {
        if (theorems[i].calibration == config->calibration) {
            *out = theorems[i].theorem;
            if (*out == SOT_OBJECTIVE_SHARP)
                *out = sharp_theorem(&learner->empirical->facts);
            return SOTTO_OK;
        }
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the calibration is %d; set it to one of sotto_calibration",
                    (int)config->calibration);
}

static double lambda_factor(const sot_learner_setup *setup,
                            const sot_empirical_facts *facts)
{
    const sotto_train_config *config = setup->config;
    const bool flat = facts->record_bound * facts->record_bound <= facts->smoothness;
    const double steps =
        (double)setup->unit_rows * (config->adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0);
    const double epsilon = config->epsilon / steps;
    if (sot_model_row_of(config->model)->has_bins && facts->self_bounding &&
        !isnan(config->delta))
        return (double)sot_learner_rows(setup) * epsilon >= BINS_ROWS ? BINS_FACTOR
                                                                      : BINS_FEW_FACTOR;
    if (!facts->self_bounding && !isnan(config->delta))
        return flat && !sot_model_row_of(config->model)->has_bins ? FLAT_FACTOR : 1.0;
    if (!facts->self_bounding && facts->outputs == 1) return 1.0; /* pure, one margin */
    if (isnan(config->delta))
        return fmin(PURE_MOST, fmax(PURE_LEAST, PURE_FACTOR / epsilon));
    if (epsilon < LOW_EPSILON) return LOW_FACTOR;
    /* Less than the smallest is only for the distribution of one row:
     * privacy/accounting/objective_loss/row_loss.h. */
    const bool is_one_row =
        steps == 1.0 && (config->calibration == SOTTO_CALIBRATION_SHARP ||
                         config->calibration == SOTTO_CALIBRATION_FORMER);
    const double factor = is_one_row && epsilon >= HIGH_EPSILON ? HIGH_FACTOR : 1.0;
    const double rows = (double)sot_learner_rows(setup);
    if (!is_one_row || config->calibration != SOTTO_CALIBRATION_SHARP || rows == 0.0)
        return factor;
    const double features = (double)facts->dimension / (double)facts->outputs;
    const double per_feature = rows * epsilon / features;
    return fmin(factor, fmax(ROWS_LEAST, ROWS_FACTOR / sqrt(per_feature)));
}

/* The other theorems get the lambda of the sharp one, so that only the noise is compared; they
 * raise it where they must. */
static sotto_status choose_lambda(const sot_learner *learner, sot_objective_law *law,
                                  const char **out_why, sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    sot_objective_law sharp = *law;
    double least;
    sharp.theorem = sharp_theorem(&learner->empirical->facts);
    const sotto_status status = sot_objective_least_lambda(
        &sharp, config->epsilon, sot_erm_delta(config), &least, error);
    if (status != SOTTO_OK) return status;
    if (isnan(config->lambda)) {
        const double factor = lambda_factor(&learner->setup, &learner->empirical->facts);
        law->lambda = factor * least;
        *out_why = "lambda of the sharp theorem, for comparison";
        if (law->theorem != sharp.theorem) return SOTTO_OK;
        if (sharp.theorem != SOT_OBJECTIVE_SHARP) {
            *out_why = "default for this loss: part of epsilon pays for its curvature";
            return SOTTO_OK;
        }
        *out_why = factor == 1.0  ? "the smallest that the theorem allows"
                   : factor > 1.0 ? "above the smallest that the theorem allows: a "
                                    "larger lambda trades bias for less noise"
                                  : "below the threshold where regularisation is free: a "
                                    "smaller lambda trades noise for less bias";
        return SOTTO_OK;
    }
    law->lambda = config->lambda;
    *out_why =
        "given"; /* less than the least is paid for with noise, as far as that goes */
    return SOTTO_OK;
}

sot_objective_law sot_erm_objective_law(const sot_learner *learner)
{
    const sot_empirical_facts *facts = &learner->empirical->facts;
    sot_objective_law law = sot_objective_law_defaults();
    law.adjacency = learner->setup.config->adjacency;
    law.unit_rows = learner->setup.unit_rows;
    law.record_bound = facts->record_bound;
    law.smoothness = facts->smoothness;
    law.rank = facts->rank;
    law.trace = facts->trace;
    law.one_signed = facts->one_signed;
    law.classes =
        facts->self_bounding ? 1 : facts->outputs; /* softmax of two: one margin */
    law.dimension = facts->dimension;
    law.is_former = learner->setup.config->calibration == SOTTO_CALIBRATION_FORMER;
    return law;
}

static sotto_status calibrate(sot_learner *learner, sot_objective_config *out,
                              sotto_error *error)
{
    const sot_learner_setup *setup = &learner->setup;
    const sotto_train_config *config = setup->config;
    const char *why = NULL;
    const sot_empirical_facts *facts = &learner->empirical->facts;
    sot_objective_law law = sot_erm_objective_law(learner);
    sotto_status status = choose_theorem(learner, &law.theorem, error);
    if (status == SOTTO_OK) status = choose_lambda(learner, &law, &why, error);
    if (status != SOTTO_OK) return status;
    const double asked = law.lambda;
    status = sot_objective_calibrate(&law, config->epsilon, sot_erm_delta(config),
                                     CORRECTION_SHARE, error);
    if (status != SOTTO_OK) return status;
    if (law.lambda > asked) why = "raised to the smallest that the theorem allows";
    sot_learner_set(learner, "lambda", law.lambda, why);
    *out = (sot_objective_config){.law = law,
                                  .dimension = facts->dimension,
                                  .tau = facts->tau,
                                  .ball = isnan(config->radius) ? 0.0 : config->radius,
                                  .correction_share = CORRECTION_SHARE,
                                  .purpose = "coefficients"};
    return SOTTO_OK;
}

static sotto_status plan(const sot_learner *learner, sotto_plan *events,
                         sotto_error *error)
{
    return sot_objective_plan(learner->state, events, error);
}

/* ---- secret: the records ---- */

typedef struct tilted {
    const sot_empirical *empirical;
    const sot_matrix *matrix;
    sot_empirical_terms terms;
    sot_pool *pool;
    double tau;
} tilted;

/* Returns theta with a proven distance to the minimiser of the sum with b, from the
 * public start 0. */
static sotto_status solve(void *context, const double *b, double *out_theta,
                          sotto_error *error)
{
    const tilted *problem = context;
    const sot_empirical *empirical = problem->empirical;
    for (size_t i = 0; i < empirical->facts.dimension; i++)
        out_theta[i] = 0.0;
    return empirical->operations->solve(empirical, problem->matrix, &problem->terms, b,
                                        problem->tau, problem->pool, out_theta, error);
}

/* Only for the gate tape. It cannot report an error: a failed computation gives no
 * noise. */
static void noise_of(const void *context, const double *theta, double *out_noise,
                     double *out_log_determinant)
{
    const tilted *problem = context;
    const sot_empirical *empirical = problem->empirical;
    if (empirical->operations->noise_of(empirical, problem->matrix, &problem->terms,
                                        theta, out_noise, out_log_determinant,
                                        NULL) == SOTTO_OK)
        return;
    *out_log_determinant = NAN;
    for (size_t i = 0; i < empirical->facts.dimension; i++)
        out_noise[i] = NAN;
}

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    const sot_objective_config *config = learner->state;
    const sotto_train_config *settings = learner->setup.config;
    const sot_progress progress =
        sot_progress_begin(settings->progress, settings->progress_context);
    tilted problem = {.empirical = learner->empirical,
                      .matrix = sot_table_matrix(table),
                      .terms = sot_erm_terms(learner, config->law.lambda),
                      .pool = pool,
                      .tau = config->tau};
    const sot_objective_problem asked = {
        .context = &problem, .solve = solve, .noise_of = noise_of};
    int64_t *units = sot_new_array(config->dimension, sizeof *units);
    if (units == NULL) return sot_fail_memory(error, config->dimension, sizeof *units);
    sotto_status status = sot_progress_report(&progress, 0, 1, 0.0, error);
    if (status == SOTTO_OK)
        status = sot_objective_release(gate, config, &asked, units, error);
    if (status == SOTTO_OK)
        status = sot_progress_report(&progress, 1, 1, settings->epsilon, error);
    if (status == SOTTO_OK)
        sot_coefficients_from_units(units, config->dimension, learner->grid, out_theta);
    sot_free(units); /* released */
    return status;
}

sotto_status sot_erm_objective(sot_learner *learner, sotto_error *error)
{
    if (isinf(learner->empirical->facts.smoothness)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the %s loss has a kink, and objective perturbation needs a "
                        "smooth one; use `model=svm`, or the methods output, gd or sgd",
                        learner->empirical->facts.name);
    }
    sot_objective_config *config = sot_new_array(1, sizeof *config);
    if (config == NULL) return sot_fail_memory(error, 1, sizeof *config);
    learner->state = config;
    learner->plan = plan;
    learner->learn = learn;
    sotto_status status = calibrate(learner, config, error);
    if (status == SOTTO_OK) status = sot_objective_grid(config, &learner->grid, error);
    if (status != SOTTO_OK) return status;
    if (isnan(config->law.rate)) {
        sot_learner_set(
            learner, "sigma", config->law.sigma,
            "standard deviation of each coordinate of the random linear term");
    } else {
        sot_learner_set(
            learner, "rate", config->law.rate,
            "the random linear term b has density exp(-rate |b| / record bound)");
    }
    sot_learner_set(learner, "tau", config->tau, "certified bound on the gradient norm");
    sot_learner_set(learner, "correction_share", config->correction_share,
                    "share of the budget for the solver's error and rounding");
    learner->sampler_error = SOT_ERM_SAMPLER_ERROR;
    return SOTTO_OK;
}
