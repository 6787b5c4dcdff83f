#include "methods/learner_settings.h"

#include <math.h>

#include "base/error.h"

typedef struct given_setting {
    unsigned flag;
    bool given;
    const char *name;
} given_setting;

static const char *find_stranger(const given_setting *settings, size_t count,
                                 unsigned taken, unsigned *out_flag)
{
    for (size_t i = 0; i < count; i++) {
        if (!settings[i].given || (taken & settings[i].flag) != 0) continue;
        *out_flag = settings[i].flag;
        return settings[i].name;
    }
    return NULL;
}

static const char *find_shared(const sotto_train_config *config, unsigned taken,
                               unsigned *out_flag)
{
    const given_setting settings[] = {
        {SOT_TAKES_CALIBRATION, config->calibration != SOTTO_CALIBRATION_SHARP,
         "a calibration"},
        {SOT_TAKES_THEORY, config->lambda_theory, "lambda theory"},
        {SOT_TAKES_STEPS, config->steps > 0, "a number of steps"},
        {SOT_TAKES_RATE, !isnan(config->learning_rate), "a learning rate"},
        {SOT_TAKES_SAMPLES, config->sampling != SOTTO_POISSON, "a sampling"},
        {SOT_TAKES_BATCH, config->batch > 0, "a batch"},
        {SOT_TAKES_SAMPLES, config->schedule != SOTTO_SCHEDULE_AUTO, "a schedule"},
        {SOT_TAKES_ITERATE, config->iterate != SOTTO_ITERATE_AUTO, "an iterate"},
        {SOT_TAKES_RADIUS, !isnan(config->radius), "a radius"},
        {SOT_TAKES_L1, config->l1 != 0.0 || !isnan(config->l1_width), "an L1 weight"},
        {SOT_TAKES_PRIOR, config->prior != NULL, "a prior"},
        {SOT_TAKES_CONVEX, config->width != sotto_train_defaults().width, "a width"},
        {SOT_TAKES_CONVEX, !isnan(config->threshold), "a threshold"},
        {SOT_TAKES_CONCEPT, config->concept != NULL, "a class of concepts"},
        {SOT_TAKES_DRAWS, config->draws > 0, "a number of draws"},
        {SOT_TAKES_DRAWS, config->sampler != SOTTO_SAMPLER_AUTO, "a sampler"},
        {SOT_TAKES_DRAWS, config->public_constants, "a wish for public constants"},
    };
    return find_stranger(settings, sizeof settings / sizeof settings[0], taken, out_flag);
}

static const char *find_network(const sotto_train_config *config, unsigned taken,
                                unsigned *out_flag)
{
    const unsigned flag = SOT_TAKES_NETWORK;
    const given_setting settings[] = {
        {flag, config->network != NULL, "a network"},
        {flag, !isnan(config->epochs), "a number of epochs"},
        {flag, !isnan(config->clip), "a clip"},
        {flag, config->clipping != SOTTO_CLIPPING_FLAT, "a rule of clipping"},
        {flag, config->optimizer != SOTTO_OPTIMIZER_SGD, "an optimizer"},
        {flag, !isnan(config->momentum), "a momentum"},
        {flag, !isnan(config->weight_average), "a weight average"},
        {flag, config->augmentations > 0, "a number of augmentations"},
        {flag, config->init != NULL, "an init"},
        {flag, config->freeze != NULL, "a list of frozen layers"},
        {flag, config->validation != NULL, "a file of validation rows"},
        {flag, config->validation_labels != NULL, "a file of validation labels"},
    };
    return find_stranger(settings, sizeof settings / sizeof settings[0], taken, out_flag);
}

sotto_status sot_learner_check_settings(const sot_learner_setup *setup, unsigned taken,
                                        sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    unsigned flag = 0;
    const char *stranger = find_shared(config, taken, &flag);
    if (stranger == NULL) stranger = find_network(config, taken, &flag);
    if (stranger == NULL) return SOTTO_OK;
    const bool of_model =
        config->model == SOTTO_MODEL_NETWORK || flag == SOT_TAKES_NETWORK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s has no meaning for the %s %s; leave it out", stranger,
                    of_model ? "model" : "method",
                    of_model ? sotto_model_kind_name(config->model)
                             : sotto_method_name(setup->method));
}
