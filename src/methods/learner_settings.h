/* methods/learner_settings.h: the settings of a training, one row each: defaults, place in files, learners that use it.
 *
 * Idea: sotto_train_config has the settings of all learners. A setting that would be ignored is a
 * misunderstanding, perhaps one about privacy: it is an error.
 */
#ifndef SOT_METHODS_LEARNER_SETTINGS_H
#define SOT_METHODS_LEARNER_SETTINGS_H

#include "base/json/field.h"
#include "methods/kinds.h"
#include "methods/learner.h"

/* The settings that decide a number. */
extern const sot_field sot_train_fields[];
extern const size_t sot_train_field_count;

/* SOTTO_INVALID_ARGUMENT for the first setting that was given and is not among `taken`. */
SOTTO_MUST_CHECK sotto_status sot_learner_check_settings(const sot_learner_setup *setup,
                                                         unsigned taken,
                                                         sotto_error *error);

#endif
