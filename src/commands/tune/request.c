/* The request of a tuning, written and read; and the tuning planned again from it. */
#include <string.h>

#include <sotto/model.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"
#include "commands/session/again.h"
#include "commands/session/asked.h"
#include "commands/session/request.h"
#include "commands/train/concept.h"
#include "commands/tune/tune.h"

sot_own_budget sot_tuning_dress(const sotto_tuning *tuning, sotto_training *training)
{
    const sot_own_budget own = {training->config.epsilon, training->delta};
    training->config.epsilon = tuning->config.train.epsilon;
    training->config.validation = tuning->config.validation_records != NULL
                                      ? "rows in memory"
                                      : tuning->config.validation;
    training->delta = tuning->delta;
    return own;
}

void sot_tuning_undress(sot_own_budget own, sotto_training *training)
{
    training->config.epsilon = own.epsilon;
    training->config.validation = NULL;
    training->delta = own.delta;
}

/* ---- the request ---- */

static const char *law_word(int value)
{
    return sotto_runs_law_name((sotto_runs_law)value);
}

static const sot_field fields[] = {
    SOT_FIELD(sotto_tune_config, "grid", grid, SOT_FIELD_TEXT, NULL),
    SOT_FIELD(sotto_tune_config, "search", search, SOT_FIELD_TEXT, NULL),
    SOT_FIELD(sotto_tune_config, "candidates", candidates, SOT_FIELD_COUNT, NULL),
    SOT_FIELD(sotto_tune_config, "search_seed", search_seed, SOT_FIELD_COUNT, NULL),
    SOT_FIELD(sotto_tune_config, "distribution", runs.law, SOT_FIELD_WORD, law_word),
    SOT_FIELD(sotto_tune_config, "eta", runs.shape, SOT_FIELD_NUMBER, NULL),
    SOT_FIELD(sotto_tune_config, "gamma", runs.gamma, SOT_FIELD_NUMBER, NULL),
    SOT_FIELD(sotto_tune_config, "mean", runs.mean, SOT_FIELD_NUMBER, NULL),
    SOT_FIELD(sotto_tune_config, "score_epsilon", score_epsilon, SOT_FIELD_NUMBER, NULL),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* The one that auto chose, if it chose the same for all. */
static sotto_method method_of(const sotto_tuning *tuning)
{
    const sotto_method first = sot_tuning_first(tuning)->method;
    for (size_t i = 1; i < tuning->candidates.count; i++)
        if (tuning->runs[i].training->method != first) return tuning->config.train.method;
    return first;
}

sotto_status sot_tuning_request(const sotto_tuning *tuning, size_t winner,
                                const sot_session *session, char **out_json,
                                sotto_error *error)
{
    const sotto_tune_config defaults = sotto_tune_defaults();
    sot_json_writer *writer = NULL;
    sotto_train_config train = tuning->config.train;
    train.method = method_of(tuning);
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "command", "tune");
    sot_fields_write(fields, FIELDS, &tuning->config, &defaults, writer);
    if (sot_tune_has_validation(&tuning->config)) {
        sot_json_put_bool(writer, "validation", true);
    }
    sot_json_put_whole(writer, "winner", winner + 1);
    status = sot_training_write_request(sot_tuning_first(tuning), &train, writer, error);
    sot_request_write_rows(session, writer);
    sot_json_end_object(writer);
    return sot_json_writer_take(writer, status, out_json, error);
}

sotto_status sot_tuning_identify(const sotto_tuning *tuning, sot_session *session,
                                 sotto_error *error)
{
    char *request = NULL;
    char settings[SOTTO_HASH_HEX_BYTES], training[SOTTO_HASH_HEX_BYTES];
    sot_json_writer *writer = NULL;
    sotto_status status = sot_tuning_request(tuning, 0, session, &request, error);
    if (status == SOTTO_OK)
        status = sot_training_hash(sot_tuning_first(tuning), training, error);
    if (status == SOTTO_OK) status = sot_json_writer_new(false, &writer, error);
    if (status == SOTTO_OK) {
        sot_json_begin_object(writer);
        sot_asked_text(writer, "request", request);
        sot_asked_text(writer, "first", training);
        status = sot_asked_path(writer, "validation", tuning->config.validation, error);
        if (status == SOTTO_OK)
            status = sot_asked_path(writer, "validation_labels",
                                    tuning->config.validation_labels, error);
        sot_json_end_object(writer);
        status = sot_asked_finish(writer, status, settings, error);
    }
    sot_free(request);
    return status == SOTTO_OK ? sot_asked_identify(session, settings, error) : status;
}

/* ---- the tuning again ---- */

static sotto_status certify(const sotto_tuning *tuning, size_t winner,
                            const sotto_model *model, sot_session *session,
                            sotto_error *error)
{
    char *payload = NULL, *request = NULL;
    char statement[SOT_TUNE_STATEMENT_BYTES];
    sotto_training *training = tuning->runs[winner].training;
    sot_tuning_state(tuning, winner, statement);
    sotto_status status = sot_training_take_released(training, model, error);
    const sot_own_budget own = sot_tuning_dress(tuning, training);
    if (status == SOTTO_OK)
        status =
            sot_training_payload(training, model->coefficients, NULL, &payload, error);
    if (status == SOTTO_OK)
        status = sot_tuning_request(tuning, winner, session, &request, error);
    if (status == SOTTO_OK)
        status = sot_training_certify(training, session, statement, &tuning->selection,
                                      payload, request, error);
    sot_tuning_undress(own, training);
    sot_training_clear_errors(training);
    sot_free(payload);
    sot_free(request);
    return status;
}

static sotto_status read_winner(const sot_json_value *request, const sotto_tuning *tuning,
                                size_t *out_winner, sotto_error *error)
{
    int64_t winner = 0;
    const sotto_status status = sot_json_get_int64(request, "winner", &winner, error);
    if (status != SOTTO_OK) return status;
    if (winner < 1 || tuning->plan == NULL || (uint64_t)winner > tuning->candidates.count)
        return sot_fail(error, SOTTO_VERIFICATION,
                        "request.winner is no candidate of a private tuning");
    *out_winner = (size_t)winner - 1;
    return SOTTO_OK;
}

sotto_status sot_tuning_take_file(const sotto_tuning *tuning, const sot_session *session,
                                  size_t *out_winner, double *theta, sotto_error *error)
{
    sot_certificate_file file = {0};
    sotto_model *model = NULL;
    const size_t size_bytes = strlen(session->file);
    sotto_status status =
        sot_certificate_file_open(session->file, size_bytes, &file, error);
    if (status == SOTTO_OK)
        status = read_winner(&file.request, tuning, out_winner, error);
    if (status == SOTTO_OK)
        status = sotto_model_parse(NULL, session->file, size_bytes, &model, error);
    if (status == SOTTO_OK) {
        const sot_learner *learner = tuning->runs[*out_winner].training->learner;
        if (learner->concept != NULL) /* the rule that the summary shows */
            memcpy(theta, model->coefficients,
                   sot_learner_coefficients(learner) * sizeof *theta);
    }
    sotto_model_free(model);
    sot_certificate_file_close(&file);
    return status;
}

static sotto_status plan_again(const sot_certificate_file *file,
                               const sotto_schema *schema, sot_training_asked *asked,
                               sotto_tuning **out_tuning, sotto_error *error)
{
    sotto_tune_config config = sotto_tune_defaults();
    sotto_status status =
        sot_training_read_request(&file->request, &file->root, asked, error);
    if (status != SOTTO_OK) return status;
    config.train = asked->config;
    config.validation = config.train.validation;
    config.train.validation = NULL;
    status = sot_fields_read(fields, FIELDS, &file->request, &config, error);
    if (status == SOTTO_OK)
        status = sot_tuning_plan_with(&config, schema, &asked->inputs, out_tuning, error);
    return status;
}

sotto_status sot_again_tune(const sot_certificate_file *file, const char *text,
                            size_t size_bytes, sotto_error *error)
{
    const sot_again again = {.file = file};
    sot_training_asked asked = {.center = NULL};
    sotto_tuning *tuning = NULL;
    sotto_model *model = NULL;
    sot_session session = {.again = &again};
    size_t winner = 0;
    sotto_status status = sotto_model_parse(NULL, text, size_bytes, &model, error);
    if (status == SOTTO_OK)
        status = sot_request_read_rows(&file->request, &session, error);
    if (status == SOTTO_OK)
        status = plan_again(file, sotto_model_schema(model), &asked, &tuning, error);
    if (status == SOTTO_OK)
        status = sot_check_origin(session.origin, asked.config.public_n, error);
    if (status == SOTTO_OK) {
        session.schema = sotto_model_schema(model);
        status = sot_check_where(&session, error);
    }
    if (status == SOTTO_OK) status = sot_check_stream(&session, error);
    if (status == SOTTO_OK) status = read_winner(&file->request, tuning, &winner, error);
    if (status == SOTTO_OK) {
        session.schema = tuning->schema;
        session.plan = tuning->plan;
        session.delta = tuning->delta;
        session.sampler_error = tuning->sampler_error;
        status = certify(tuning, winner, model, &session, error);
    }
    sotto_tuning_free(tuning);
    sot_training_asked_clear(&asked);
    sotto_model_free(model);
    return status;
}
