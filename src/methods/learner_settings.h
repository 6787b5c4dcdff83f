/* methods/learner_settings.h: settings that a learner cannot honour are refused, by name.
 *
 * Idea     sotto_train_config has the settings of all learners. What was given and would be ignored is a
 *          misunderstanding, and perhaps one about privacy: it is an error.
 */
#ifndef SOT_METHODS_LEARNER_SETTINGS_H
#define SOT_METHODS_LEARNER_SETTINGS_H

#include "methods/learner.h"

enum {
    SOT_TAKES_CALIBRATION = 1,
    SOT_TAKES_THEORY = 2,
    SOT_TAKES_STEPS = 4,
    SOT_TAKES_RATE = 8,
    SOT_TAKES_SAMPLES = 16, /* sampling, schedule */
    SOT_TAKES_ITERATE = 32,
    SOT_TAKES_RADIUS = 128,
    SOT_TAKES_L1 = 256,
    SOT_TAKES_PRIOR = 512,
    SOT_TAKES_BATCH = 1024,
    SOT_TAKES_CONVEX = 2048,  /* the corners of losses of a margin */
    SOT_TAKES_NETWORK = 4096, /* everything of networks alone */
    SOT_TAKES_CONCEPT = 8192,
    SOT_TAKES_DRAWS = 16384 /* draws, sampler, public constants */
};

/* SOTTO_INVALID_ARGUMENT for the first setting that was given and is not among `taken`. */
SOTTO_MUST_CHECK sotto_status sot_learner_check_settings(const sot_learner_setup *setup,
                                                         unsigned taken,
                                                         sotto_error *error);

#endif
