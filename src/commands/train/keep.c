/* Trainings that are the same one, and those that are kept step by step. */
#include <math.h>
#include <string.h>

#include <sotto/loss.h>

#include "base/error.h"
#include "commands/session/asked.h"
#include "commands/session/checkpoint.h"
#include "commands/session/request.h"
#include "commands/train/train.h"

/* The fields of the request's table, and the fields that it lacks. */
static void write_config(sot_json_writer *writer, const sotto_train_config *config)
{
    sot_request_hash_training(config, writer);
    sot_asked_text(writer, "loss", config->loss == NULL ? NULL : config->loss->name);
    sot_asked_text(writer, "sign", config->sign);
    sot_asked_count(writer, "stream", config->stream);
    sot_asked_count(writer, "insecure_test", config->insecure_test);
    sot_asked_count(writer, "test_seed", config->insecure_test ? config->test_seed : 0);
}

sotto_status sot_training_hash(const sotto_training *training,
                               char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    sot_json_writer *writer = NULL;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_array(writer);
    sot_json_begin_object(writer);
    write_config(writer, config);
    sot_json_end_object(writer);
    const char *const files[] = {config->prior, config->network, config->init,
                                 config->concept};
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == SOTTO_OK; i++) {
        sot_json_begin_object(writer);
        status = sot_asked_file(writer, "file", files[i], error);
        sot_json_end_object(writer);
    }
    sot_json_write_string(writer, training->json); /* the settings with defaults */
    sot_json_end_array(writer);
    return sot_asked_finish(writer, status, out_hash, error);
}

/* ---- long trainings ---- */

/* In steps: its states are kept on the way, with or without a ledger. */
static bool is_in_steps(const sotto_training *training, const sot_session *session)
{
    return session->output != NULL && session->plan != NULL && training->learner->resumes;
}

sotto_status sot_training_check_keeping(const sotto_training *training,
                                        const sot_session *session, sotto_error *error)
{
    const double minutes = training->config.max_minutes;
    const char *const files[] = {session->data_path, session->labels_path,
                                 session->ledger_asked,
                                 sotto_schema_ledger(training->schema)};
    if (!isnan(minutes) && !(minutes > 0.0 && minutes <= 1e6)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`max_minutes` is %g; it is above 0 and at most 1e6; for example "
                        "`max_minutes=30`",
                        minutes);
    }
    if (!isnan(minutes) && !is_in_steps(training, session)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`max_minutes` needs %s; leave `max_minutes` out",
                        session->output == NULL
                            ? "an output, beside which the checkpoint is written"
                            : "a private method with "
                              "checkpoints, such as sgd or gd");
    }
    if (session->output == NULL || session->plan == NULL) return SOTTO_OK;
    return sot_keeper_check_names(session->output, files, sizeof files / sizeof files[0],
                                  error);
}

static uint64_t steps_of(const sot_learner *learner)
{
    for (size_t i = 0; i < learner->setting_count; i++)
        if (strcmp(learner->settings[i].name, "steps") == 0)
            return (uint64_t)learner->settings[i].value;
    return 0;
}

/* A listener that asks to stop is obeyed once the state has been kept. */
sotto_status sot_training_keep(sotto_training *training, sot_session *session,
                               sotto_error *error)
{
    sotto_train_config *config = &training->config;
    char settings[SOTTO_HASH_HEX_BYTES];
    const sot_keeper_setup setup = {.max_minutes = config->max_minutes,
                                    .steps = steps_of(training->learner),
                                    .progress = config->progress,
                                    .progress_context = config->progress_context};
    if (session->plan == NULL) return SOTTO_OK; /* public rows: nothing is paid */
    sotto_status status = sot_training_hash(training, settings, error);
    if (status == SOTTO_OK) status = sot_asked_identify(session, settings, error);
    const bool in_steps = is_in_steps(training, session);
    if (status == SOTTO_OK)
        status = sot_session_keep(session, in_steps ? &setup : NULL, error);
    if (status != SOTTO_OK || !in_steps || config->progress == NULL) return status;
    config->progress = sot_keeper_listen;
    config->progress_context = session->keeper;
    return SOTTO_OK;
}
