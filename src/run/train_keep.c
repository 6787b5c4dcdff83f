/* Trainings that can be gone on with.
 *
 * Which trainings are the same one: the same settings, schema and names of files, in the same sotto. Hashes of public
 * texts. What the rows hold is secret, and a hash of it would tell whether somebody's row is among them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/loss.h>
#include <sotto/version.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/memory.h"
#include "run/checkpoint.h"
#include "run/train.h"

static void write_number(sot_json_writer *writer, const char *key, double value)
{
    sot_json_key(writer, key);
    if (isnan(value)) {
        sot_json_write_null(writer);
    } else {
        sot_json_write_hex(writer, value);
    }
}

static void write_count(sot_json_writer *writer, const char *key, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    sot_json_key(writer, key);
    sot_json_write_string(writer, text);
}

/* Any bytes: paths need not be UTF-8. */
static void write_text(sot_json_writer *writer, const char *key, const char *text)
{
    char hash[SOTTO_HASH_HEX_BYTES];
    sot_json_key(writer, key);
    if (text == NULL) {
        sot_json_write_null(writer);
        return;
    }
    sot_kept_hash(text, strlen(text), hash);
    sot_json_write_string(writer, hash);
}

/* A file that settings name, public as they are: its name and what is in it. A name that is no file, as a
 * preset's, stands for itself. */
static sotto_status write_file(sot_json_writer *writer, const char *key, const char *path,
                               sotto_error *error)
{
    char hash[SOTTO_HASH_HEX_BYTES];
    char *bytes = NULL;
    size_t size_bytes = 0;
    sotto_error ignored;
    write_text(writer, key, path);
    if (path == NULL) return SOTTO_OK;
    const sotto_status status =
        sot_file_read(path, SOTTO_CERTIFIED_BYTES_MAX, &bytes, &size_bytes, &ignored);
    if (status == SOTTO_OUT_OF_MEMORY) return sot_fail_memory(error, 1, 1);
    if (status != SOTTO_OK) return SOTTO_OK;
    sot_kept_hash(bytes, size_bytes, hash);
    sot_free(bytes);
    sot_json_key(writer, "content");
    sot_json_write_string(writer, hash);
    return SOTTO_OK;
}

/* Everything in sotto_train_config but where results go, who listens, how long and with how many threads: a
 * new field belongs here too, and tests/run/test_resume.c counts them. */
static void write_config(sot_json_writer *writer, const sotto_train_config *config)
{
    write_count(writer, "model", (uint64_t)config->model);
    write_count(writer, "method", (uint64_t)config->method);
    write_count(writer, "calibration", (uint64_t)config->calibration);
    write_number(writer, "epsilon", config->epsilon);
    write_number(writer, "delta", config->delta);
    write_count(writer, "adjacency", (uint64_t)config->adjacency);
    write_count(writer, "public_n", config->public_n);
    write_count(writer, "expected_rows", config->expected_rows);
    write_text(writer, "target", config->target);
    write_number(writer, "lambda", config->lambda);
    write_count(writer, "lambda_theory", config->lambda_theory);
    write_count(writer, "steps", config->steps);
    write_number(writer, "learning_rate", config->learning_rate);
    write_number(writer, "width", config->width);
    write_number(writer, "threshold", config->threshold);
    write_number(writer, "radius", config->radius);
    write_number(writer, "l1", config->l1);
    write_number(writer, "l1_width", config->l1_width);
    write_count(writer, "sampling", (uint64_t)config->sampling);
    write_count(writer, "batch", config->batch);
    write_count(writer, "schedule", (uint64_t)config->schedule);
    write_count(writer, "iterate", (uint64_t)config->iterate);
    write_number(writer, "epochs", config->epochs);
    write_count(writer, "clipping", (uint64_t)config->clipping);
    write_number(writer, "clip", config->clip);
    write_count(writer, "optimizer", (uint64_t)config->optimizer);
    write_number(writer, "momentum", config->momentum);
    write_number(writer, "weight_average", config->weight_average);
    write_count(writer, "augmentations", config->augmentations);
    write_text(writer, "freeze", config->freeze);
    write_text(writer, "validation", config->validation);
    write_text(writer, "validation_labels", config->validation_labels);
    write_count(writer, "draws", config->draws);
    write_count(writer, "sampler", (uint64_t)config->sampler);
    write_count(writer, "public_constants", config->public_constants);
    write_text(writer, "loss", config->loss == NULL ? NULL : config->loss->name);
    write_text(writer, "sign", config->sign);
    write_count(writer, "stream", config->stream);
    write_count(writer, "insecure_test", config->insecure_test);
    write_count(writer, "test_seed", config->insecure_test ? config->test_seed : 0);
}

static sotto_status hash_settings(const sotto_training *training,
                                  char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    sot_json_writer *writer = NULL;
    const char *text = NULL;
    size_t size_bytes = 0;
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
        status = write_file(writer, "file", files[i], error);
        sot_json_end_object(writer);
    }
    sot_json_write_string(writer, training->json); /* what the rules made of it */
    sot_json_end_array(writer);
    if (status == SOTTO_OK)
        status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK) sot_kept_hash(text, size_bytes, out_hash);
    sot_json_writer_free(writer);
    return status;
}

static sotto_status hash_names(const sot_session *session,
                               char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    sot_json_writer *writer = NULL;
    const char *text = NULL;
    size_t size_bytes = 0;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    write_text(writer, "data", session->data_path);
    write_text(writer, "labels", session->labels_path);
    write_text(writer, "query", session->query);
    sot_json_end_object(writer);
    status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK) sot_kept_hash(text, size_bytes, out_hash);
    sot_json_writer_free(writer);
    return status;
}

sotto_status sot_training_identity(const sotto_training *training,
                                   const sot_session *session,
                                   sot_kept_identity *out_identity, sotto_error *error)
{
    char *schema = NULL;
    (void)snprintf(out_identity->version, sizeof out_identity->version, "%s",
                   sotto_version());
    sotto_status status =
        sotto_schema_to_json(training->schema, training->target, &schema, error);
    if (status == SOTTO_OK) {
        sot_kept_hash(schema, strlen(schema), out_identity->schema);
        status = hash_settings(training, out_identity->settings, error);
    }
    if (status == SOTTO_OK) status = hash_names(session, out_identity->data, error);
    sotto_schema_free_text(schema);
    return status;
}

/* ---- long trainings ---- */

static bool is_kept(const sotto_training *training, const sot_session *session)
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
    if (!isnan(minutes) && !is_kept(training, session)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a limit of minutes needs %s; leave it out",
                        session->output == NULL ? "an output, beside which it is kept "
                                                  "how far the training is"
                                                : "a private method in steps that can "
                                                  "go on later, such as sgd or gd");
    }
    if (!is_kept(training, session)) return SOTTO_OK;
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
    if (!is_kept(training, session)) return SOTTO_OK;
    sot_keeper_setup setup = {.session = session,
                              .max_minutes = config->max_minutes,
                              .steps = steps_of(training->learner),
                              .progress = config->progress,
                              .progress_context = config->progress_context};
    sotto_status status =
        sot_training_identity(training, session, &setup.identity, error);
    if (status == SOTTO_OK) status = sot_session_keep(session, &setup, error);
    if (status != SOTTO_OK || config->progress == NULL) return status;
    config->progress = sot_keeper_listen;
    config->progress_context = session->keeper;
    return SOTTO_OK;
}
