/* The settings of a training as members of a request. */
#include <sotto/model.h>

#include "commands/session/request.h"
#include "commands/train/concept.h"

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

#define FIELD_FOR(use, name, kind, word)                                                 \
    SOT_FIELD_FOR(use, sotto_train_config, #name, name, kind, word)
#define FIELD(...)  FIELD_FOR(SOT_FIELD_EVERYWHERE, __VA_ARGS__)
#define HASHED(...) FIELD_FOR(SOT_FIELD_HASHED, __VA_ARGS__)

/* Fields of sotto_train_config that decide a number. Files that it names are not here: their content stands in the file
 * and in the hash. Outputs, callbacks, time limits and threads change nothing that is written. A request has no target,
 * which the schema in the file has, and no validation rows. A new setting belongs here:
 * tests/commands/session/test_resume.c counts the fields, tests/commands/verify/test_verify_leaves.c trains by every
 * method. The order is that of the hash. */
static const sot_field fields[] = {
    FIELD(model, SOT_FIELD_WORD, model_word),
    FIELD(method, SOT_FIELD_WORD, method_word),
    FIELD(calibration, SOT_FIELD_WORD, calibration_word),
    FIELD(epsilon, SOT_FIELD_NUMBER, NULL),
    FIELD(delta, SOT_FIELD_NUMBER, NULL),
    FIELD(adjacency, SOT_FIELD_WORD, adjacency_word),
    FIELD(public_n, SOT_FIELD_COUNT, NULL),
    FIELD(expected_rows, SOT_FIELD_COUNT, NULL),
    HASHED(target, SOT_FIELD_TEXT, NULL),
    FIELD(lambda, SOT_FIELD_NUMBER, NULL),
    FIELD(lambda_theory, SOT_FIELD_FLAG, NULL),
    FIELD(steps, SOT_FIELD_COUNT, NULL),
    FIELD(learning_rate, SOT_FIELD_NUMBER, NULL),
    FIELD(width, SOT_FIELD_NUMBER, NULL),
    FIELD(threshold, SOT_FIELD_NUMBER, NULL),
    FIELD(radius, SOT_FIELD_NUMBER, NULL),
    FIELD(l1, SOT_FIELD_NUMBER, NULL),
    FIELD(l1_width, SOT_FIELD_NUMBER, NULL),
    FIELD(sampling, SOT_FIELD_WORD, sampling_word),
    FIELD(batch, SOT_FIELD_COUNT, NULL),
    FIELD(schedule, SOT_FIELD_WORD, schedule_word),
    FIELD(iterate, SOT_FIELD_WORD, iterate_word),
    FIELD(epochs, SOT_FIELD_NUMBER, NULL),
    FIELD(clipping, SOT_FIELD_WORD, clipping_word),
    FIELD(clip, SOT_FIELD_NUMBER, NULL),
    FIELD(optimizer, SOT_FIELD_WORD, optimizer_word),
    FIELD(momentum, SOT_FIELD_NUMBER, NULL),
    FIELD(weight_average, SOT_FIELD_NUMBER, NULL),
    FIELD(augmentations, SOT_FIELD_COUNT, NULL),
    FIELD(freeze, SOT_FIELD_TEXT, NULL),
    HASHED(validation, SOT_FIELD_TEXT, NULL),
    HASHED(validation_labels, SOT_FIELD_TEXT, NULL),
    FIELD(draws, SOT_FIELD_COUNT, NULL),
    FIELD(sampler, SOT_FIELD_WORD, sampler_word),
    FIELD(public_constants, SOT_FIELD_FLAG, NULL),
    FIELD_FOR(SOT_FIELD_REQUESTED, data_is_public, SOT_FIELD_FLAG, NULL),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

void sot_request_hash_training(const sotto_train_config *config, sot_json_writer *writer)
{
    sot_fields_hash(fields, FIELDS, config, writer);
}

void sot_request_write_training(const sotto_train_config *config, sot_json_writer *writer)
{
    const sotto_train_config defaults = sotto_train_defaults();
    sot_fields_write(fields, FIELDS, config, &defaults, writer);
}

sotto_status sot_request_read_training(const sot_json_value *request,
                                       sotto_train_config *config, sotto_error *error)
{
    *config = sotto_train_defaults();
    return sot_fields_read(fields, FIELDS, request, config, error);
}
