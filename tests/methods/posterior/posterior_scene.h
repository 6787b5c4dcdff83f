/* tests/methods/posterior/posterior_scene.h: a posterior learner on its own. */
#ifndef SOTTO_TESTS_POSTERIOR_SCENE_H
#define SOTTO_TESTS_POSTERIOR_SCENE_H

#include "methods/convex/erm_scene.h"

#include "methods/posterior/posterior.h"

static inline sotto_train_config drawn_config(sotto_model_kind model, sotto_method method,
                                              double delta)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = model;
    config.method = method;
    config.epsilon = 0.75;
    config.delta = delta;
    return config;
}

static inline sotto_status drawn_begin(scene *at, sotto_train_config config,
                                       sotto_error *error)
{
    return scene_begin_with(at, config, sot_posterior_new, error);
}

/* Whether the learner has such a setting. */
static inline bool drawn_has(const scene *at, const char *name)
{
    for (size_t i = 0; i < at->learner->setting_count; i++)
        if (strcmp(at->learner->settings[i].name, name) == 0) return true;
    return false;
}

#endif
