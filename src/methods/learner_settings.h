/* methods/learner_settings.h: settings that a learner does not use are refused, by name.
 *
 * Idea: sotto_train_config has the settings of all learners. A setting that would be ignored is a
 * misunderstanding, perhaps one about privacy: it is an error.
 */
#ifndef SOT_METHODS_LEARNER_SETTINGS_H
#define SOT_METHODS_LEARNER_SETTINGS_H

#include "methods/kinds.h"
#include "methods/learner.h"

/* SOTTO_INVALID_ARGUMENT for the first setting that was given and is not among `taken`. */
SOTTO_MUST_CHECK sotto_status sot_learner_check_settings(const sot_learner_setup *setup,
                                                         unsigned taken,
                                                         sotto_error *error);

#endif
