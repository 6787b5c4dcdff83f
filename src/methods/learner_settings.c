#include "methods/learner_settings.h"

#include <stddef.h>

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

/* ---- one row a setting ---- */

#define WORD(function, type, name)                                                       \
    static const char *function(int value)                                               \
    {                                                                                    \
        return name((type)value);                                                        \
    }
WORD(model_word, sotto_model_kind, sotto_model_kind_name)
WORD(method_word, sotto_method, sotto_method_name)
WORD(calibration_word, sotto_calibration, sotto_calibration_name)
WORD(adjacency_word, sotto_adjacency, sotto_adjacency_name)
WORD(sampling_word, sotto_sampling, sotto_sampling_name)
WORD(schedule_word, sotto_schedule, sotto_schedule_name)
WORD(iterate_word, sotto_iterate, sotto_iterate_name)
WORD(clipping_word, sotto_clipping, sotto_clipping_name)
WORD(optimizer_word, sotto_optimizer, sotto_optimizer_name)
WORD(sampler_word, sotto_sampler, sotto_sampler_name)
WORD(basis_word, sotto_basis, sotto_basis_name)

#define ROW(name, of_kind, words, for_use, takes)                                        \
    {                                                                                    \
#name, SOT_FIELD_##of_kind, offsetof(sotto_train_config, name), words,           \
            SOT_FIELD_##for_use, takes                                                   \
    }

/* Settings that decide a number, in the order of the hash. Files that they name stand nowhere: their content stands in the
 * certified file and in the hash. Outputs, callbacks, time limits and threads change nothing that is written. A request has no target,
 * which the schema in the file has, and no validation rows. A new setting belongs here:
 * tests/commands/session/test_resume.c counts the fields, tests/commands/verify/test_verify_leaves.c trains by every
 * method. */
const sot_field sot_train_fields[] = {
    ROW(model, WORD, model_word, EVERYWHERE, 0),
    ROW(method, WORD, method_word, EVERYWHERE, 0),
    ROW(calibration, WORD, calibration_word, EVERYWHERE, SOT_TAKES_CALIBRATION),
    ROW(epsilon, NUMBER, NULL, EVERYWHERE, 0),
    ROW(delta, NUMBER, NULL, EVERYWHERE, 0),
    ROW(adjacency, WORD, adjacency_word, EVERYWHERE, 0),
    ROW(public_n, COUNT, NULL, EVERYWHERE, 0),
    ROW(expected_rows, COUNT, NULL, EVERYWHERE, 0),
    ROW(target, TEXT, NULL, HASHED, 0),
    ROW(lambda, NUMBER, NULL, EVERYWHERE, 0),
    ROW(lambda_theory, FLAG, NULL, EVERYWHERE, SOT_TAKES_THEORY),
    ROW(steps, COUNT, NULL, EVERYWHERE, SOT_TAKES_STEPS),
    ROW(learning_rate, NUMBER, NULL, EVERYWHERE, SOT_TAKES_RATE),
    ROW(width, NUMBER, NULL, EVERYWHERE, SOT_TAKES_CONVEX),
    ROW(threshold, NUMBER, NULL, EVERYWHERE, SOT_TAKES_CONVEX),
    ROW(radius, NUMBER, NULL, EVERYWHERE, SOT_TAKES_RADIUS),
    ROW(l1, NUMBER, NULL, EVERYWHERE, SOT_TAKES_L1),
    ROW(l1_width, NUMBER, NULL, EVERYWHERE, SOT_TAKES_L1),
    ROW(sampling, WORD, sampling_word, EVERYWHERE, SOT_TAKES_SAMPLES),
    ROW(batch, COUNT, NULL, EVERYWHERE, SOT_TAKES_BATCH),
    ROW(schedule, WORD, schedule_word, EVERYWHERE, SOT_TAKES_SAMPLES),
    ROW(iterate, WORD, iterate_word, EVERYWHERE, SOT_TAKES_ITERATE),
    ROW(epochs, NUMBER, NULL, EVERYWHERE, SOT_TAKES_NETWORK),
    ROW(clipping, WORD, clipping_word, EVERYWHERE, SOT_TAKES_NETWORK),
    ROW(clip, NUMBER, NULL, EVERYWHERE, SOT_TAKES_NETWORK),
    ROW(optimizer, WORD, optimizer_word, EVERYWHERE, SOT_TAKES_NETWORK),
    ROW(momentum, NUMBER, NULL, EVERYWHERE, SOT_TAKES_NETWORK),
    ROW(weight_average, NUMBER, NULL, EVERYWHERE, SOT_TAKES_NETWORK),
    ROW(augmentations, COUNT, NULL, EVERYWHERE, SOT_TAKES_NETWORK),
    ROW(freeze, TEXT, NULL, EVERYWHERE, SOT_TAKES_NETWORK),
    ROW(validation, TEXT, NULL, HASHED, SOT_TAKES_NETWORK),
    ROW(validation_labels, TEXT, NULL, HASHED, SOT_TAKES_NETWORK),
    ROW(draws, COUNT, NULL, EVERYWHERE, SOT_TAKES_DRAWS),
    ROW(sampler, WORD, sampler_word, EVERYWHERE, SOT_TAKES_DRAWS),
    ROW(public_constants, FLAG, NULL, EVERYWHERE, SOT_TAKES_DRAWS),
    ROW(basis, WORD, basis_word, EVERYWHERE, SOT_TAKES_BINS),
    ROW(bins, COUNT, NULL, EVERYWHERE, SOT_TAKES_BINS),
    ROW(data_is_public, FLAG, NULL, REQUESTED, 0),
    ROW(prior, TEXT, NULL, NOWHERE, SOT_TAKES_PRIOR),
    ROW(concept, TEXT, NULL, NOWHERE, SOT_TAKES_CONCEPT),
    ROW(network, TEXT, NULL, NOWHERE, SOT_TAKES_NETWORK),
    ROW(init, TEXT, NULL, NOWHERE, SOT_TAKES_NETWORK),
};
const size_t sot_train_field_count = sizeof sot_train_fields / sizeof sot_train_fields[0];

/* ---- settings that a learner does not honour ---- */

static const sot_field *find_stranger(const sotto_train_config *config, unsigned taken)
{
    const sotto_train_config defaults = sotto_train_defaults();
    for (size_t i = 0; i < sot_train_field_count; i++) {
        const sot_field *field = &sot_train_fields[i];
        if (field->taken != 0 && (field->taken & taken) == 0 &&
            !sot_field_is_default(field, config, &defaults))
            return field;
    }
    return NULL;
}

sotto_status sot_learner_check_settings(const sot_learner_setup *setup, unsigned taken,
                                        sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    const sot_model_row *row = sot_model_row_of(config->model);
    if (row->has_bins) taken |= SOT_TAKES_BINS;
    const sot_field *stranger = find_stranger(config, taken);
    if (stranger == NULL) return SOTTO_OK;
    const bool of_model = row->has_settings || stranger->taken == SOT_TAKES_NETWORK ||
                          stranger->taken == SOT_TAKES_BINS;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT, "`%s` has no meaning for the %s %s; leave it out",
        stranger->taken == SOT_TAKES_THEORY ? "lambda=theory" : stranger->name,
        of_model ? "model" : "method",
        of_model ? sotto_model_kind_name(config->model)
                 : sotto_method_name(setup->method));
}
