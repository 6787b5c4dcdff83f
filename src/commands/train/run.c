/* One training: plan, header, charge, gate, rows, learn, certificate, file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/loss.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/text.h"
#include "commands/session/checkpoint.h"
#include "commands/session/declared.h"
#include "commands/train/concept.h"
#include "commands/train/network.h"
#include "commands/train/train.h"
#include "data/batches/matrix.h"
#include "models/concept/classes/concept.h"
#include "privacy/mechanisms/gate/gate.h"

typedef struct train_run {
    sotto_training *training;
    sot_session session;
    sot_source *source;
    sot_matrix *matrix; /* all rows; NULL: a stream */
    sot_table *table;
    sot_curve_rows curve; /* public */
    double *theta;        /* released */
} train_run;

/* ---- the rows ---- */

sotto_status sot_training_learn_table(const sotto_training *training, sotto_gate *gate,
                                      sot_table *table, double *out_theta,
                                      sotto_error *error)
{
    sot_pool *pool = NULL;
    const sot_learner *learner = training->learner;
    sotto_status status = sot_pool_new(training->config.threads, &pool, error);
    if (status == SOTTO_OK) {
        /* A simulation without noise has no gate. */
        if (gate != NULL) sot_gate_set_pool(gate, pool);
        sot_pool_listen(pool, training->config.progress,
                        training->config.progress_context);
        if (learner->net != NULL) sot_training_forget_norms(training);
        status = learner->learn(learner, gate, table, pool, out_theta, error);
        if (gate != NULL) sot_gate_set_pool(gate, NULL);
    }
    if (status == SOTTO_OK && learner->net != NULL)
        sot_training_round_network(training, out_theta);
    sot_pool_free(pool);
    return status;
}

sotto_status sot_training_learn(const sotto_training *training, sotto_gate *gate,
                                const sot_matrix *matrix, double *out_theta,
                                sotto_error *error)
{
    sot_table *table = NULL;
    sotto_status status = sot_table_of_matrix(matrix, &table, error);
    if (status == SOTTO_OK)
        status = sot_training_learn_table(training, gate, table, out_theta, error);
    sot_table_free(table);
    return status;
}

sotto_status sot_training_open_table(const sotto_training *training, sot_source *source,
                                     sotto_rng *rng, sot_matrix **out_matrix,
                                     sot_table **out_table, sotto_error *error)
{
    sot_source_set_threads(source, training->config.threads);
    if (training->config.stream) {
        return sot_table_of_source(source, training->schema, training->encoding,
                                   out_table, error);
    }
    const sotto_status status = sot_matrix_load(
        source, training->schema, training->encoding, rng, out_matrix, error);
    if (status != SOTTO_OK) return status;
    return sot_table_of_matrix(*out_matrix, out_table, error);
}

/* A separate pass: the number of rows is compared before anything is released. The table detects
 * later changes of the file. */
sotto_status sot_training_check_public_n(const sotto_training *training, sot_table *table,
                                         const char *data_path, sotto_error *error)
{
    const uint64_t declared = training->config.public_n;
    uint64_t rows = 0;
    const sot_matrix *chunk = NULL;
    if (declared == 0) return SOTTO_OK;
    sotto_status status = sot_table_rewind(table, error);
    do {
        if (status == SOTTO_OK) status = sot_table_next(table, &chunk, error);
        if (status == SOTTO_OK && chunk != NULL) rows += chunk->rows;
    } while (status == SOTTO_OK && chunk != NULL);
    if (status != SOTTO_OK || rows == declared) return status;
    return sot_refuse_public_n(data_path, declared, error);
}

/* Rows, then everything that the plan holds. */
static sotto_status learn_from_rows(void *context, sotto_error *error)
{
    train_run *run = context;
    sotto_status status = sot_training_open_table(
        run->training, run->source, run->session.rng, &run->matrix, &run->table, error);
    if (status == SOTTO_OK)
        status = sot_training_check_public_n(run->training, run->table,
                                             run->session.data_path, error);
    if (status != SOTTO_OK) return status;
    if (run->session.keeper != NULL)
        run->training->learner->checkpoint = sot_keeper_checkpoint(run->session.keeper);
    status = sot_training_learn_table(run->training, run->session.gate, run->table,
                                      run->theta, error);
    if (status == SOTTO_OK && run->curve.matrix != NULL)
        sot_curve_rows_finish(run->training, &run->curve);
    return status;
}

/* ---- before anything is charged ---- */

static void begin_session(train_run *run, const sotto_train_config *config,
                          const sotto_data_file *file, sot_origin origin)
{
    const sotto_training *training = run->training;
    run->session = (sot_session){.data_path = file == NULL ? NULL : file->path,
                                 .labels_path = file == NULL ? NULL : file->labels,
                                 .query = file == NULL ? NULL : file->query,
                                 .table = file == NULL ? NULL : file->table,
                                 .format = file == NULL ? NULL : file->format,
                                 .origin = origin,
                                 .schema = training->schema,
                                 .ledger_asked = config->ledger,
                                 .output = config->output,
                                 .sign = config->sign,
                                 .anew = config->again,
                                 .overwrite = config->overwrite,
                                 .numbers = sot_training_numbers(training),
                                 .plan = training->plan,
                                 .delta = training->delta,
                                 .sampler_error = training->learner->sampler_error,
                                 .insecure_test = config->insecure_test,
                                 .test_seed = config->test_seed};
    (void)snprintf(run->session.label, sizeof run->session.label, "train %s by %s",
                   sotto_model_kind_name(config->model),
                   sotto_method_name(training->method));
}

static sotto_status make_ready(train_run *run, const sotto_train_config *config,
                               const sotto_data_file *file, const sotto_records *records,
                               sotto_error *error)
{
    const sotto_schema *schema = run->training->schema;
    const size_t count = sot_learner_coefficients(run->training->learner);
    sot_origin origin;
    const sotto_status found = sot_origin_find(file, records, &origin, error);
    if (found != SOTTO_OK) return found;
    begin_session(run, config, file, origin);
    sotto_status status = config->data_is_public
                              ? sot_check_public_rows("data_is_public", schema, error)
                              : SOTTO_OK;
    if (status == SOTTO_OK)
        status = sot_training_check_keeping(run->training, &run->session, error);
    if (status == SOTTO_OK)
        status = sot_check_origin(run->session.origin, config->public_n, error);
    if (status == SOTTO_OK) status = sot_session_check(&run->session, error);
    if (status == SOTTO_OK)
        status = sot_training_spare_files(config, config->output, error);
    if (status == SOTTO_OK) {
        status = file != NULL
                     ? sot_source_open(file, schema, false, &run->source, error)
                     : sot_source_open_records(records, schema, &run->source, error);
    }
    if (status == SOTTO_OK) run->session.where = sot_source_where(run->source);
    if (status == SOTTO_OK) status = sot_source_check_training(run->source, error);
    if (status == SOTTO_OK && !config->data_is_public)
        status = sot_check_stream(&run->session, error);
    if (status == SOTTO_OK && config->stream)
        status = sot_source_check_rereading(run->source, error);
    if (status == SOTTO_OK) {
        run->theta = sot_new_array(count, sizeof *run->theta);
        if (run->theta == NULL)
            status = sot_fail_memory(error, count, sizeof *run->theta);
    }
    if (status == SOTTO_OK && run->training->learner->errors.lists > 0)
        status = sot_training_keep_errors(run->training, error);
    if (status == SOTTO_OK) status = sot_session_open(&run->session, error);
    if (status == SOTTO_OK)
        status = sot_training_keep(run->training, &run->session, error);
    if (status == SOTTO_OK && run->training->config.validation != NULL)
        status = sot_curve_rows_load(run->training, file, run->session.rng, &run->curve,
                                     error);
    return status;
}

/* The rule that the summary shows, of a file that an earlier process wrote. */
static sotto_status take_file(train_run *run, sotto_error *error)
{
    sotto_model *model = NULL;
    const char *text = run->session.file;
    if (run->training->learner->concept == NULL) return SOTTO_OK;
    const sotto_status status =
        sotto_model_parse(NULL, text, strlen(text), &model, error);
    if (status == SOTTO_OK)
        memcpy(run->theta, model->coefficients,
               sot_learner_coefficients(run->training->learner) * sizeof *run->theta);
    sotto_model_free(model);
    return status;
}

/* ---- results ---- */

/* A model of public rows is its payload: there is nothing to certify. */
static sotto_status finish_file(train_run *run, sotto_error *error)
{
    char *payload = NULL, *request = NULL;
    sotto_status status = sot_training_payload(run->training, run->theta,
                                               &run->curve.validation, &payload, error);
    if (status == SOTTO_OK && run->session.gate != NULL)
        status = sot_training_request(run->training, &run->session, &request, error);
    if (status == SOTTO_OK && run->session.gate != NULL)
        status = sot_training_certify(run->training, &run->session, NULL, NULL, payload,
                                      request, error);
    sot_free(request);
    if (status == SOTTO_OK && run->session.gate == NULL) {
        run->session.file = payload;
        return SOTTO_OK;
    }
    sot_free(payload);
    return status;
}

size_t sot_training_numbers(const sotto_training *training)
{
    const size_t count = sot_learner_coefficients(training->learner);
    const size_t few = 100000; /* networks have no errors beside their weights */
    return count < few ? 3 * count : count + 2 * few;
}

static sotto_status deliver(train_run *run, sotto_train_result *result,
                            sotto_error *error)
{
    const sot_session *session = &run->session;
    sotto_status status = session->outcome == SOTTO_RUN_NEW ? finish_file(run, error)
                                                            : take_file(run, error);
    if (status == SOTTO_OK)
        status = sot_training_summary(run->training, session, run->theta, &result->text,
                                      error);
    if (status == SOTTO_OK && session->gate != NULL)
        status = sot_session_render(session, &result->certificate, error);
    if (status == SOTTO_OK) {
        result->json = sot_copy_string(session->file);
        if (result->certificate == NULL) result->certificate = sot_copy_string("");
        if (result->json == NULL || result->certificate == NULL)
            status = sot_fail_memory(error, strlen(session->file) + 1, 1);
    }
    if (status == SOTTO_OK) status = sot_session_write(session, error);
    return status;
}

/* ---- the whole way ---- */

static void clear(train_run *run)
{
    if (run->training != NULL) {
        run->training->learner->checkpoint = NULL;
        if (run->training->learner->errors.lists > 0)
            sot_training_clear_errors(run->training);
    }
    sot_table_free(run->table);
    sot_source_close(run->source);
    sot_matrix_free(run->matrix);
    if (run->curve.matrix != NULL) sot_curve_rows_clear(&run->curve);
    sot_free(run->theta);
    sot_session_close(&run->session);
    sotto_training_free(run->training);
}

static sotto_status train(const sotto_train_config *given, const sotto_schema *schema,
                          const sotto_data_file *file, const sotto_records *records,
                          sotto_train_result **out_result, sotto_error *error)
{
    train_run run = {0};
    sotto_train_config config;
    sotto_status status = SOT_TAKE(train, given, &config, error);
    if (status != SOTTO_OK) return status;
    sotto_train_result *result = sot_new_array(1, sizeof *result);
    if (result == NULL) return sot_fail_memory(error, 1, sizeof *result);
    status = sotto_training_plan(&config, schema, &run.training, error);
    if (status == SOTTO_OK) status = make_ready(&run, &config, file, records, error);
    if (status == SOTTO_OK && run.session.outcome == SOTTO_RUN_NEW)
        status = sot_session_run(&run.session, learn_from_rows, &run, error);
    if (status == SOTTO_OK) status = deliver(&run, result, error);
    status = sot_session_end(&run.session, status, error);
    if (status == SOTTO_OK) sot_training_hand_over(&run.session, result);
    clear(&run);
    if (status != SOTTO_OK) {
        sotto_train_free(result);
        return status;
    }
    *out_result = result;
    return SOTTO_OK;
}

sotto_status sotto_train_data(const sotto_train_config *config,
                              const sotto_schema *schema, const sotto_data_file *file,
                              sotto_train_result **out_result, sotto_error *error)
{
    return train(config, schema, file, NULL, out_result, error);
}

sotto_status sotto_train_records(const sotto_train_config *config,
                                 const sotto_schema *schema, const sotto_records *records,
                                 sotto_train_result **out_result, sotto_error *error)
{
    return train(config, schema, NULL, records, out_result, error);
}

void sotto_train_free(sotto_train_result *result)
{
    if (result == NULL) return;
    sot_kept_drop(result->kept, true);
    sot_free(result->json);
    sot_free(result->text);
    sot_free(result->certificate);
    sot_free(result);
}

void sot_training_hand_over(sot_session *session, sotto_train_result *result)
{
    result->outcome = session->outcome;
    result->kept = sot_session_hand_over(session);
}

void sotto_train_hold(sotto_train_result *result)
{
    sot_kept_drop(result->kept, false);
    result->kept = NULL;
}

const char *sotto_train_json(const sotto_train_result *result)
{
    return result->json;
}

const char *sotto_train_text(const sotto_train_result *result)
{
    return result->text;
}

const char *sotto_train_certificate(const sotto_train_result *result)
{
    return result->certificate;
}

sotto_run_outcome sotto_train_outcome(const sotto_train_result *result)
{
    return result->outcome;
}
