#include "methods/learner_settings.h"

#include <math.h>

#include "base/error.h"
#include "base/sized.h"
#include "models/kinds.h"

/* ---- defaults ---- */

void sotto_train_set_defaults(sotto_train_config *out_config, size_t size_bytes)
{
    const sotto_train_config defaults = {.epsilon = SOTTO_UNSET,
                                         .delta = SOTTO_UNSET,
                                         .adjacency = SOTTO_ADD_REMOVE,
                                         .lambda = SOTTO_UNSET,
                                         .learning_rate = SOTTO_UNSET,
                                         .width = 0.5,
                                         .threshold = SOTTO_UNSET,
                                         .radius = SOTTO_UNSET,
                                         .l1_width = SOTTO_UNSET,
                                         .sampling = SOTTO_POISSON,
                                         .epochs = SOTTO_UNSET,
                                         .clip = SOTTO_UNSET,
                                         .momentum = SOTTO_UNSET,
                                         .weight_average = SOTTO_UNSET,
                                         .max_minutes = SOTTO_UNSET};
    sot_sized_give(SOT_SIZED(train), &defaults, out_config, size_bytes, 0);
}

/* ---- settings that a learner does not honour ---- */

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
         "`calibration`"},
        {SOT_TAKES_THEORY, config->lambda_theory, "`lambda=theory`"},
        {SOT_TAKES_STEPS, config->steps > 0, "`steps`"},
        {SOT_TAKES_RATE, !isnan(config->learning_rate), "`learning_rate`"},
        {SOT_TAKES_SAMPLES, config->sampling != SOTTO_POISSON, "`sampling`"},
        {SOT_TAKES_BATCH, config->batch > 0, "`batch`"},
        {SOT_TAKES_SAMPLES, config->schedule != SOTTO_SCHEDULE_AUTO, "`schedule`"},
        {SOT_TAKES_ITERATE, config->iterate != SOTTO_ITERATE_AUTO, "`iterate`"},
        {SOT_TAKES_RADIUS, !isnan(config->radius), "`radius`"},
        {SOT_TAKES_L1, config->l1 != 0.0 || !isnan(config->l1_width), "`l1`"},
        {SOT_TAKES_PRIOR, config->prior != NULL, "`prior`"},
        {SOT_TAKES_CONVEX, config->width != sotto_train_defaults().width, "`width`"},
        {SOT_TAKES_CONVEX, !isnan(config->threshold), "`threshold`"},
        {SOT_TAKES_CONCEPT, config->concept != NULL, "`concept`"},
        {SOT_TAKES_DRAWS, config->draws > 0, "`draws`"},
        {SOT_TAKES_DRAWS, config->sampler != SOTTO_SAMPLER_AUTO, "`sampler`"},
        {SOT_TAKES_DRAWS, config->public_constants, "`public_constants`"},
    };
    return find_stranger(settings, sizeof settings / sizeof settings[0], taken, out_flag);
}

static const char *find_network(const sotto_train_config *config, unsigned taken,
                                unsigned *out_flag)
{
    const unsigned flag = SOT_TAKES_NETWORK;
    const given_setting settings[] = {
        {flag, config->network != NULL, "`network`"},
        {flag, !isnan(config->epochs), "`epochs`"},
        {flag, !isnan(config->clip), "`clip`"},
        {flag, config->clipping != SOTTO_CLIPPING_FLAT, "`clipping`"},
        {flag, config->optimizer != SOTTO_OPTIMIZER_SGD, "`optimizer`"},
        {flag, !isnan(config->momentum), "`momentum`"},
        {flag, !isnan(config->weight_average), "`weight_average`"},
        {flag, config->augmentations > 0, "`augmentations`"},
        {flag, config->init != NULL, "`init`"},
        {flag, config->freeze != NULL, "`freeze`"},
        {flag, config->validation != NULL, "`validation`"},
        {flag, config->validation_labels != NULL, "`validation_labels`"},
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
        sot_model_row_of(config->model)->has_settings || flag == SOT_TAKES_NETWORK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s has no meaning for the %s %s; leave it out", stranger,
                    of_model ? "model" : "method",
                    of_model ? sotto_model_kind_name(config->model)
                             : sotto_method_name(setup->method));
}
