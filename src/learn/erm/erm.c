#include "learn/erm/erm.h"

#include <math.h>

#include "base/error.h"
#include "base/text.h"

/* The corner of the smoothed L1 norm, times R, if nobody says how wide: a coefficient that moves no
 * margin by more than this counts as 0. */
#define L1_WIDTH_RULE 0x1p-7

#define MARGIN_GUESS 4.0

sot_empirical_terms sot_erm_terms(const sot_learner *learner, double lambda)
{
    const sotto_train_config *config = learner->setup.config;
    sot_empirical_terms terms = {.lambda = lambda, .center = learner->setup.center};
    if (!isnan(config->radius)) terms.radius = config->radius;
    if (config->l1 > 0.0) {
        terms.l1 = config->l1;
        terms.l1_width = isnan(config->l1_width)
                             ? L1_WIDTH_RULE / sot_encoding_bound(learner->setup.encoding)
                             : config->l1_width;
    }
    return terms;
}

double sot_erm_terms_slope(const sot_empirical_terms *terms, size_t index, double theta)
{
    const double center = terms->center == NULL ? 0.0 : terms->center[index];
    const double slope = terms->lambda * (theta - center);
    return terms->l1 > 0.0 ? slope + terms->l1 * theta / hypot(theta, terms->l1_width)
                           : slope;
}

void sot_erm_project(double *theta, size_t count, double radius)
{
    double squares = 0.0;
    if (!(radius > 0.0)) return;
    for (size_t i = 0; i < count; i++)
        squares += theta[i] * theta[i];
    if (squares <= radius * radius) return;
    const double scale = radius / sqrt(squares);
    for (size_t i = 0; i < count; i++)
        theta[i] *= scale;
}

double sot_erm_norm_guess(const sot_learner *learner)
{
    const double guess = MARGIN_GUESS / sot_encoding_bound(learner->setup.encoding);
    return fmin(guess, learner->setup.config->radius); /* of NaN: the guess */
}

double sot_erm_delta(const sotto_train_config *config)
{
    return isnan(config->delta) ? 0.0 : config->delta;
}

void sot_erm_from_units(const int64_t *units, size_t count, double grid,
                        double *out_theta)
{
    for (size_t i = 0; i < count; i++)
        out_theta[i] = (double)units[i] * grid;
}

void sot_erm_round(double *theta, size_t count, double grid)
{
    for (size_t i = 0; i < count; i++)
        theta[i] = nearbyint(theta[i] / grid) * grid;
}

/* ---- settings that no rule of the method could honour ---- */

static sotto_status refuse_stranger(const sot_learner_setup *setup, const char *setting,
                                    sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s has no meaning for the method %s; leave it out", setting,
                    sotto_method_name(setup->method));
}

static sotto_status check_strangers(const sot_learner_setup *setup, sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    const sotto_method method = setup->method;
    if (config->calibration != SOTTO_CALIBRATION_SHARP &&
        method != SOTTO_METHOD_OBJECTIVE)
        return refuse_stranger(setup, "a calibration", error);
    if (config->lambda_theory && method != SOTTO_METHOD_OUTPUT)
        return refuse_stranger(setup, "lambda theory", error);
    if (config->steps > 0 && method != SOTTO_METHOD_GD)
        return refuse_stranger(setup, "a number of steps", error);
    if (!isnan(config->learning_rate) && method != SOTTO_METHOD_GD)
        return refuse_stranger(setup, "a learning rate", error);
    if (config->lambda_theory && !isnan(config->lambda)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "lambda is %g and also the one of the theory; give one of them",
                        config->lambda);
    }
    const bool may_be_zero = method == SOTTO_METHOD_GD; /* the others need convexity */
    if (!isnan(config->lambda) &&
        !(config->lambda <= 1e100 &&
          (config->lambda >= 0x1p-300 || (may_be_zero && config->lambda == 0.0)))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "lambda is %g; give a positive weight beside the sum of the "
                        "losses, or none for the rule",
                        config->lambda);
    }
    return SOTTO_OK;
}

typedef sotto_status (*learner_maker)(sot_learner *learner, sotto_error *error);

static const learner_maker makers[] = {
    [SOTTO_METHOD_OUTPUT] = sot_erm_output,
    [SOTTO_METHOD_OBJECTIVE] = sot_erm_objective,
    [SOTTO_METHOD_GD] = sot_erm_gd,
    [SOTTO_METHOD_NONE] = sot_erm_none,
};
enum { MAKERS = sizeof makers / sizeof makers[0] };

sotto_status sot_erm_new(const sot_learner_setup *setup, sot_learner **out_learner,
                         sotto_error *error)
{
    sotto_status status = check_strangers(setup, error);
    if (status != SOTTO_OK) return status;
    const learner_maker maker =
        (size_t)setup->method < MAKERS ? makers[setup->method] : NULL;
    if (maker == NULL) {
        return sot_fail(error, SOTTO_UNSUPPORTED, "the method %s has no learner",
                        sotto_method_name(setup->method));
    }
    sot_learner *learner = sot_learner_new(setup);
    if (learner == NULL) return sot_fail_memory(error, 1, sizeof *learner);
    status = sot_empirical_new(setup, &learner->empirical, error);
    if (status == SOTTO_OK) {
        learner->outputs = learner->empirical->facts.outputs;
        status = maker(learner, error);
    }
    if (status != SOTTO_OK) {
        sot_learner_free(learner);
        return status;
    }
    *out_learner = learner;
    return SOTTO_OK;
}
