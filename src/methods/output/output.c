/* Output perturbation: the minimiser itself, with noise. Claims: output.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "methods/convex/erm.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/correction/correction.h"
#include "privacy/mechanisms/output/output.h"

/* Share of a pure budget for the solver's error and the rounding. */
#define CORRECTION_SHARE 0x1p-10

/* ---- public ---- */

/* The move of the exact minimiser: L/lambda a row, both directions of a replaced one. */
static double sensitivity(const sot_learner *learner, double lambda)
{
    const sot_learner_setup *setup = &learner->setup;
    double bound =
        sot_mul_up(learner->empirical->facts.record_bound, (double)setup->unit_rows);
    if (setup->config->adjacency == SOTTO_REPLACE_ONE) bound *= 2.0;
    return sot_div_up(bound, lambda);
}

static sot_output_config config_at(const sot_learner *learner, double lambda)
{
    const sotto_train_config *config = learner->setup.config;
    return (sot_output_config){.adjacency = config->adjacency,
                               .dimension = learner->empirical->facts.dimension,
                               .sensitivity = sensitivity(learner, lambda),
                               .lambda = lambda,
                               .tau = learner->empirical->facts.tau,
                               .sigma = SOTTO_UNSET,
                               .epsilon = SOTTO_UNSET,
                               .correction_share =
                                   isnan(config->delta) ? CORRECTION_SHARE : SOTTO_UNSET,
                               .purpose = "coefficients"};
}

/* The theoretically optimal lambda. Noise v of standard deviation s a coordinate costs
 * `E (1/2) v.Hv = (s^2/2) tr H <= (s^2/2) n beta`. Each row's Hessian has rank one and trace at
 * most beta, so the dimension does not enter. Shrinkage costs (lambda/2)|theta*|^2, and
 * s = m / lambda with a constant m. The sum `n beta m^2 / (2 lambda^2) + lambda |theta*|^2 / 2`
 * is smallest at `lambda = (2 n beta m^2 / |theta*|^2)^(1/3)`. Softmax has the trace of its
 * record's Hessian in place of beta. A loss that is not smooth costs
 * `n L E |v| <= n L m sqrt(d) / lambda` instead. The minimum with shrinkage is at
 * `lambda = sqrt(2 n L m sqrt(d)) / |theta*|`. */
static sotto_status lambda_of_theory(const sot_learner *learner, double *out_lambda,
                                     sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    const sot_empirical_facts *facts = &learner->empirical->facts;
    const double rows = (double)sot_learner_rows(&learner->setup);
    if (!(rows > 0.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`expected_rows` is missing: output perturbation chooses lambda by the "
            "number of rows; pass `expected_rows=N` (an estimate is fine), or `lambda`");
    }
    sot_output_config trial = config_at(learner, 1.0);
    const sotto_status status =
        sot_output_calibrate(&trial, config->epsilon, sot_erm_delta(config), error);
    if (status != SOTTO_OK) return status;
    double deviation = trial.sigma; /* at lambda = 1 */
    if (isnan(deviation)) {
        /* Density exp(-epsilon |v| / sensitivity): |v| is a gamma variable of shape d, so a
         * coordinate has variance (d + 1) (sensitivity / epsilon)^2. */
        deviation =
            trial.sensitivity / trial.epsilon * sqrt((double)trial.dimension + 1.0);
    }
    const double norm_guess = sot_learner_norm_guess(learner);
    if (isinf(facts->trace)) { /* the hinge: see above */
        const double length = sqrt((double)facts->dimension) * deviation;
        *out_lambda = sqrt(2.0 * rows * facts->record_bound * length) / norm_guess;
        return SOTTO_OK;
    }
    *out_lambda = cbrt(2.0 * rows * facts->trace * deviation * deviation /
                       (norm_guess * norm_guess));
    return SOTTO_OK;
}

static sotto_status plan(const sot_learner *learner, sotto_plan *events,
                         sotto_error *error)
{
    return sot_output_plan(learner->state, events, error);
}

/* ---- secret: the records ---- */

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    const sot_output_config *config = learner->state;
    const sotto_train_config *settings = learner->setup.config;
    const sot_progress progress =
        sot_progress_begin(settings->progress, settings->progress_context);
    const sot_empirical *empirical = learner->empirical;
    const sot_empirical_terms terms = sot_erm_terms(learner, config->lambda);
    const size_t size_bytes = config->dimension * sizeof(double);
    double *minimiser = sot_new_array(config->dimension, sizeof *minimiser);
    int64_t *units = sot_new_array(config->dimension, sizeof *units);
    sotto_status status = SOTTO_OK;
    if (minimiser == NULL || units == NULL)
        status = sot_fail_memory(error, config->dimension, sizeof *units);
    if (status == SOTTO_OK) status = sot_progress_report(&progress, 0, 1, 0.0, error);
    if (status == SOTTO_OK) {
        status = empirical->operations->solve(empirical, sot_table_matrix(table), &terms,
                                              NULL, config->tau, pool, minimiser, error);
    }
    if (status == SOTTO_OK)
        status = sot_output_release(gate, config, minimiser, units, error);
    if (status == SOTTO_OK)
        status = sot_progress_report(&progress, 1, 1, settings->epsilon, error);
    if (status == SOTTO_OK)
        sot_coefficients_from_units(units, config->dimension, learner->grid, out_theta);
    sot_wipe_and_free(minimiser, size_bytes); /* without noise */
    sot_free(units);                          /* released */
    return status;
}

sotto_status sot_erm_output(sot_learner *learner, sotto_error *error)
{
    const sotto_train_config *settings = learner->setup.config;
    double lambda = settings->lambda;
    sotto_status status = SOTTO_OK;
    sot_output_config *config = sot_new_array(1, sizeof *config);
    if (config == NULL) return sot_fail_memory(error, 1, sizeof *config);
    learner->state = config;
    learner->plan = plan;
    learner->learn = learn;
    if (isnan(lambda)) status = lambda_of_theory(learner, &lambda, error);
    if (status != SOTTO_OK) return status;
    *config = config_at(learner, lambda);
    status =
        sot_output_calibrate(config, settings->epsilon, sot_erm_delta(settings), error);
    if (status == SOTTO_OK) status = sot_output_grid(config, &learner->grid, error);
    if (status != SOTTO_OK) return status;
    sot_learner_set(learner, "lambda", lambda,
                    isnan(settings->lambda)
                        ? "minimum of the theoretical error of noise and shrinkage"
                        : "given");
    sot_learner_set(learner, "sensitivity", config->sensitivity,
                    "largest move of the exact minimiser");
    if (isnan(config->sigma)) {
        sot_learner_set(learner, "noise_epsilon", config->epsilon,
                        "the noise v has density exp(-noise_epsilon |v| / sensitivity)");
    } else {
        sot_learner_set(learner, "sigma", config->sigma,
                        "standard deviation of each coefficient's noise");
    }
    sot_learner_set(learner, "tau", config->tau, "certified bound on the gradient norm");
    learner->sampler_error = SOT_ERM_SAMPLER_ERROR;
    return SOTTO_OK;
}
