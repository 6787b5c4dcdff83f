#include "learn/erm/erm.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "numeric/outward.h"

const sot_loss *sot_erm_loss(const sot_learner_setup *setup)
{
    assert(setup->config->model == SOTTO_MODEL_LOGISTIC);
    (void)setup;
    return &sot_loss_logistic;
}

double sot_erm_record_bound(const sot_learner_setup *setup)
{
    return sot_mul_up(sot_erm_loss(setup)->slope_most,
                      sot_encoding_bound(setup->encoding));
}

double sot_erm_smoothness(const sot_learner_setup *setup)
{
    const double bound = sot_encoding_bound(setup->encoding);
    return sot_mul_up(sot_erm_loss(setup)->curvature_most, sot_mul_up(bound, bound));
}

double sot_erm_tau(const sot_learner_setup *setup)
{
    return 0x1p-20 * sot_encoding_bound(setup->encoding);
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
    if (setup->config->model != SOTTO_MODEL_LOGISTIC) {
        return sot_fail(error, SOTTO_UNSUPPORTED, "the model %s has no learner",
                        sotto_model_kind_name(setup->config->model));
    }
    if (sot_encoding_classes(setup->encoding) != 2) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the label set has %zu labels; logistic regression needs two",
                        sot_encoding_classes(setup->encoding));
    }
    const learner_maker maker =
        (size_t)setup->method < MAKERS ? makers[setup->method] : NULL;
    if (maker == NULL) {
        return sot_fail(error, SOTTO_UNSUPPORTED, "the method %s has no learner",
                        sotto_method_name(setup->method));
    }
    sot_learner *learner = sot_learner_new(setup);
    if (learner == NULL) return sot_fail_memory(error, 1, sizeof *learner);
    status = maker(learner, error);
    if (status != SOTTO_OK) {
        sot_learner_free(learner);
        return status;
    }
    *out_learner = learner;
    return SOTTO_OK;
}
