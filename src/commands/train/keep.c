/* Trainings that are the same one, and those that are kept step by step. */
#include <math.h>
#include <string.h>

#include <sotto/loss.h>

#include "base/error.h"
#include "commands/session/asked.h"
#include "commands/session/checkpoint.h"
#include "commands/train/train.h"

/* Everything in sotto_train_config but where results go, who listens, how long and with how many threads: a
 * new field belongs here too, and tests/commands/session/test_resume.c counts them. */
static void write_config(sot_json_writer *writer, const sotto_train_config *config)
{
    sot_asked_count(writer, "model", (uint64_t)config->model);
    sot_asked_count(writer, "method", (uint64_t)config->method);
    sot_asked_count(writer, "calibration", (uint64_t)config->calibration);
    sot_asked_number(writer, "epsilon", config->epsilon);
    sot_asked_number(writer, "delta", config->delta);
    sot_asked_count(writer, "adjacency", (uint64_t)config->adjacency);
    sot_asked_count(writer, "public_n", config->public_n);
    sot_asked_count(writer, "expected_rows", config->expected_rows);
    sot_asked_text(writer, "target", config->target);
    sot_asked_number(writer, "lambda", config->lambda);
    sot_asked_count(writer, "lambda_theory", config->lambda_theory);
    sot_asked_count(writer, "steps", config->steps);
    sot_asked_number(writer, "learning_rate", config->learning_rate);
    sot_asked_number(writer, "width", config->width);
    sot_asked_number(writer, "threshold", config->threshold);
    sot_asked_number(writer, "radius", config->radius);
    sot_asked_number(writer, "l1", config->l1);
    sot_asked_number(writer, "l1_width", config->l1_width);
    sot_asked_count(writer, "sampling", (uint64_t)config->sampling);
    sot_asked_count(writer, "batch", config->batch);
    sot_asked_count(writer, "schedule", (uint64_t)config->schedule);
    sot_asked_count(writer, "iterate", (uint64_t)config->iterate);
    sot_asked_number(writer, "epochs", config->epochs);
    sot_asked_count(writer, "clipping", (uint64_t)config->clipping);
    sot_asked_number(writer, "clip", config->clip);
    sot_asked_count(writer, "optimizer", (uint64_t)config->optimizer);
    sot_asked_number(writer, "momentum", config->momentum);
    sot_asked_number(writer, "weight_average", config->weight_average);
    sot_asked_count(writer, "augmentations", config->augmentations);
    sot_asked_text(writer, "freeze", config->freeze);
    sot_asked_text(writer, "validation", config->validation);
    sot_asked_text(writer, "validation_labels", config->validation_labels);
    sot_asked_count(writer, "draws", config->draws);
    sot_asked_count(writer, "sampler", (uint64_t)config->sampler);
    sot_asked_count(writer, "public_constants", config->public_constants);
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
    sot_json_write_string(writer, training->json); /* what the rules made of it */
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
                        "the training may last %g minutes; give a number above 0 and at "
                        "most 1e6",
                        minutes);
    }
    if (!isnan(minutes) && !is_in_steps(training, session)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a limit of minutes needs %s; leave it out",
                        session->output == NULL ? "an output, beside which the "
                                                  "checkpoint is written"
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
