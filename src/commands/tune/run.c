/* One tuning: plan, header, charge, a secret number of trainings, certificate, file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/copy.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/memory.h"
#include "base/sized.h"
#include "commands/train/network.h"
#include "commands/tune/tune.h"
#include "data/batches/matrix.h"
#include "privacy/mechanisms/best_run/best_run.h"

/* A listener receives the elapsed whole seconds, and nothing of trainings or steps. */
typedef struct listener {
    sotto_progress_function function; /* NULL: none */
    void *context;
    double started, told;
} listener;

typedef struct tune_run {
    sotto_tuning *tuning;
    listener listener;
    sot_session session;
    sot_source *source;
    sot_matrix *matrix; /* all rows; NULL: a stream */
    sot_table *table;
    sot_matrix *validation; /* public */
    double *tried;          /* of the current training */
    double *best;           /* of the best so far */
    size_t count;           /* coefficients of either */
    size_t winner;          /* the candidate of the best so far */
    char *payload;          /* its model file without certificate; NULL: none yet */
} tune_run;

/* ---- who listens ---- */

static int tell_time(const sotto_progress *progress, void *context)
{
    listener *own = context;
    const double now = sot_clock_seconds();
    (void)progress; /* steps of one training; the number of trainings is secret */
    if (own->function == NULL || now - own->told < 0.25) return 0;
    own->told = now;
    const sotto_progress told = {.elapsed_seconds = floor(now - own->started),
                                 .epsilon_so_far = SOTTO_UNSET,
                                 .unit = "step"};
    return own->function(&told, own->context);
}

static sotto_status fail_interrupted(sotto_error *error)
{
    return sot_fail(error, SOTTO_INTERRUPTED,
                    "the tuning was stopped; nothing was written");
}

/* ---- the trainings ---- */

static void wipe_payload(tune_run *run)
{
    if (run->payload != NULL) sot_wipe_and_free(run->payload, strlen(run->payload) + 1);
    run->payload = NULL;
}

/* The file is made now: the next training overwrites a network's norms. */
static sotto_status keep_best(tune_run *run, size_t candidate, sotto_error *error)
{
    sotto_training *training = run->tuning->runs[candidate].training;
    wipe_payload(run);
    run->winner = candidate;
    memcpy(run->best, run->tried, run->count * sizeof *run->best);
    const sot_own_budget own = sot_tuning_dress(run->tuning, training);
    const sotto_status status =
        sot_training_payload(training, run->best, NULL, &run->payload, error);
    sot_tuning_undress(own, training);
    return status;
}

/* Through the gate of one training: its releases, and the score if that is one. */
static sotto_status learn_and_score(tune_run *run, const sot_tuned_run *candidate,
                                    sotto_gate *gate, double *out_score,
                                    sotto_error *error)
{
    const sotto_tune_config *config = &run->tuning->config;
    sotto_status status = sotto_gate_open(gate, error);
    if (status == SOTTO_OK)
        status = sot_training_learn_table(candidate->training, gate, run->table,
                                          run->tried, error);
    if (status == SOTTO_OK && run->validation != NULL)
        status = sot_tune_score_public(candidate->training, run->validation, run->tried,
                                       out_score, error);
    else if (status == SOTTO_OK)
        status = sot_tune_score_release(candidate->training, config->score_epsilon, gate,
                                        run->matrix, run->tried, out_score, error);
    if (status == SOTTO_OK) status = sotto_gate_finish(gate, error);
    if (status == SOTTO_OK &&
        sotto_gate_sampler_error_upper(gate) > run->tuning->run_sampler_error) {
        status = sot_fail(error, SOTTO_INTERNAL,
                          "the samplers' error is larger than the charged one");
    }
    return status;
}

static sotto_status run_once(tune_run *run, sot_best_run *best, size_t candidate,
                             sotto_error *error)
{
    const sot_tuned_run *one = &run->tuning->runs[candidate];
    sotto_gate *gate = NULL;
    double score = 0.0;
    sotto_status status = sotto_gate_new(one->plan, best->rng, &gate, error);
    if (status == SOTTO_OK) status = learn_and_score(run, one, gate, &score, error);
    if (status == SOTTO_OK && sot_best_run_offer(best, score))
        status = keep_best(run, candidate, error);
    sot_wipe(&score, sizeof score);
    sotto_gate_free(gate);
    if (status == SOTTO_INTERRUPTED ||
        (status == SOTTO_OK && tell_time(NULL, &run->listener) != 0))
        return fail_interrupted(error);
    return status;
}

/* No training: the coefficients are zeros, and the settings those of the first candidate. */
static sotto_status keep_default(tune_run *run, sotto_error *error)
{
    if (run->payload != NULL) return SOTTO_OK;
    memset(run->tried, 0, run->count * sizeof *run->tried);
    return keep_best(run, 0, error);
}

/* The number of trainings is drawn before a row is read. */
static sotto_status tune_on_rows(void *context, sotto_error *error)
{
    tune_run *run = context;
    const sotto_tuning *tuning = run->tuning;
    const sotto_training *first = sot_tuning_first(tuning);
    const sot_best_run_config config = {.event = sotto_plan_event(tuning->plan, 0),
                                        .runs = tuning->config.runs,
                                        .settings = tuning->candidates.count,
                                        .run_sampler_error = tuning->run_sampler_error};
    sot_best_run best = {.gate = NULL};
    size_t candidate = 0;
    sotto_status status = sot_best_run_begin(run->session.gate, &config, &best, error);
    if (status == SOTTO_OK)
        status = sot_training_open_table(first, run->source, run->session.rng,
                                         &run->matrix, &run->table, error);
    if (status == SOTTO_OK)
        status =
            sot_training_check_public_n(first, run->table, run->session.data_path, error);
    while (status == SOTTO_OK && sot_best_run_next(&best, &candidate, &status, error))
        status = run_once(run, &best, candidate, error);
    if (status == SOTTO_OK) status = keep_default(run, error);
    if (status == SOTTO_OK) sot_best_run_end(&best);
    sot_best_run_clear(&best);
    return status;
}

/* ---- before anything is charged ---- */

static void begin_session(tune_run *run, const sotto_data_file *file, sot_origin origin)
{
    const sotto_tuning *tuning = run->tuning;
    const sotto_train_config *config = &tuning->config.train;
    run->session =
        (sot_session){.data_path = file == NULL ? NULL : file->path,
                      .labels_path = file == NULL ? NULL : file->labels,
                      .query = file == NULL ? NULL : file->query,
                      .table = file == NULL ? NULL : file->table,
                      .format = file == NULL ? NULL : file->format,
                      .origin = origin,
                      .schema = tuning->schema,
                      .ledger_asked = config->ledger,
                      .output = config->output,
                      .sign = config->sign,
                      .anew = config->again,
                      .overwrite = config->overwrite,
                      .numbers = sot_training_numbers(sot_tuning_first(tuning)),
                      .plan = tuning->plan,
                      .delta = tuning->delta,
                      .sampler_error = tuning->sampler_error,
                      .insecure_test = config->insecure_test,
                      .test_seed = config->test_seed};
    (void)snprintf(run->session.label, sizeof run->session.label, "tune %s",
                   sotto_model_kind_name(config->model));
}

/* All candidates have the same number of coefficients; only the number of posterior
 * samples could differ, and it is not tuned. */
static sotto_status make_room(tune_run *run, sotto_error *error)
{
    run->count = sot_learner_coefficients(sot_tuning_first(run->tuning)->learner);
    run->tried = sot_new_array(run->count, sizeof *run->tried);
    run->best = sot_new_array(run->count, sizeof *run->best);
    return run->tried == NULL || run->best == NULL
               ? sot_fail_memory(error, run->count, sizeof *run->tried)
               : SOTTO_OK;
}

static sotto_status make_ready(tune_run *run, const sotto_data_file *file,
                               const sotto_records *records, sotto_error *error)
{
    const sotto_tuning *tuning = run->tuning;
    sotto_train_config files = tuning->config.train;
    files.validation = tuning->config.validation;
    files.validation_labels = tuning->config.validation_labels;
    sot_origin origin;
    const sotto_status found = sot_origin_find(file, records, &origin, error);
    if (found != SOTTO_OK) return found;
    begin_session(run, file, origin);
    sotto_status status =
        sot_check_origin(run->session.origin, tuning->config.train.public_n, error);
    if (status == SOTTO_OK) status = sot_session_check(&run->session, error);
    if (status == SOTTO_OK)
        status = sot_training_spare_files(&files, files.output, error);
    if (status == SOTTO_OK) {
        status =
            file != NULL
                ? sot_source_open(file, tuning->schema, false, &run->source, error)
                : sot_source_open_records(records, tuning->schema, &run->source, error);
    }
    if (status == SOTTO_OK) run->session.where = sot_source_where(run->source);
    if (status == SOTTO_OK) status = sot_source_check_training(run->source, error);
    if (status == SOTTO_OK) status = sot_check_stream(&run->session, error);
    if (status == SOTTO_OK && files.stream)
        status = sot_source_check_rereading(run->source, error);
    if (status == SOTTO_OK) status = make_room(run, error);
    if (status == SOTTO_OK) status = sot_session_open(&run->session, error);
    if (status == SOTTO_OK) status = sot_tuning_identify(tuning, &run->session, error);
    if (status == SOTTO_OK) status = sot_session_keep(&run->session, NULL, error);
    if (status == SOTTO_OK)
        status = sot_tuning_load_validation(tuning, file, records, run->session.rng,
                                            &run->validation, error);
    return status;
}

/* ---- results ---- */

static sotto_status summarize(const tune_run *run, const sotto_training *training,
                              char **out_text, sotto_error *error)
{
    char *summary = NULL;
    sotto_status status =
        sot_training_summary(training, &run->session, run->best, &summary, error);
    if (status == SOTTO_OK) {
        const size_t length = strlen(summary);
        if (length > 0) summary[length - 1] = '\0'; /* its last end of line */
        status = sot_tuning_summary(run->tuning, run->winner, summary, out_text, error);
    }
    sot_free(summary);
    return status;
}

static sotto_status certify(tune_run *run, const sotto_training *training,
                            sotto_error *error)
{
    char statement[SOT_TUNE_STATEMENT_BYTES];
    char *request = NULL;
    sot_tuning_state(run->tuning, run->winner, statement);
    sotto_status status =
        sot_tuning_request(run->tuning, run->winner, &run->session, &request, error);
    if (status == SOTTO_OK)
        status =
            sot_training_certify(training, &run->session, statement,
                                 &run->tuning->selection, run->payload, request, error);
    sot_free(request);
    return status;
}

static sotto_status deliver(tune_run *run, sotto_train_result *result, sotto_error *error)
{
    const sot_session *session = &run->session;
    const bool is_new = session->outcome == SOTTO_RUN_NEW;
    sotto_status status = is_new ? SOTTO_OK
                                 : sot_tuning_take_file(run->tuning, session,
                                                        &run->winner, run->best, error);
    if (status != SOTTO_OK) return status;
    sotto_training *training = run->tuning->runs[run->winner].training;
    const sot_own_budget own = sot_tuning_dress(run->tuning, training);
    if (is_new) status = certify(run, training, error);
    if (status == SOTTO_OK) status = summarize(run, training, &result->text, error);
    sot_tuning_undress(own, training);
    if (status == SOTTO_OK)
        status = sot_session_render(session, &result->certificate, error);
    if (status == SOTTO_OK) status = sot_copy_text(session->file, &result->json, error);
    if (status == SOTTO_OK) status = sot_session_write(session, error);
    return status;
}

/* ---- the whole way ---- */

static void clear(tune_run *run)
{
    wipe_payload(run);
    sot_table_free(run->table);
    sot_source_close(run->source);
    sot_matrix_free(run->matrix);
    sot_matrix_free(run->validation);
    sot_wipe_and_free(run->tried, run->count * sizeof *run->tried);
    sot_wipe_and_free(run->best, run->count * sizeof *run->best);
    sot_session_close(&run->session);
}

static sotto_status tune_private(tune_run *run, const sotto_data_file *file,
                                 const sotto_records *records, sotto_train_result *result,
                                 sotto_error *error)
{
    sotto_status status = make_ready(run, file, records, error);
    if (status == SOTTO_OK && run->session.outcome == SOTTO_RUN_NEW)
        status = sot_session_run(&run->session, tune_on_rows, run, error);
    if (status == SOTTO_OK) status = deliver(run, result, error);
    status = sot_session_end(&run->session, status, error);
    if (status == SOTTO_OK) sot_training_hand_over(&run->session, result);
    clear(run);
    return status;
}

static sotto_status tune(const sotto_tune_config *given, const sotto_schema *schema,
                         const sotto_data_file *file, const sotto_records *records,
                         sotto_train_result **out_result, sotto_error *error)
{
    sotto_tune_config config;
    sotto_status status = SOT_TAKE_WITH(tune, train, given, &config, error);
    if (status != SOTTO_OK) return status;
    tune_run run = {.listener = {.function = config.train.progress,
                                 .context = config.train.progress_context,
                                 .started = sot_clock_seconds()}};
    sotto_tune_config own = config;
    if (config.train.progress != NULL) own.train.progress = tell_time;
    own.train.progress_context = &run.listener;
    sotto_train_result *result = sot_new_array(1, sizeof *result);
    if (result == NULL) return sot_fail_memory(error, 1, sizeof *result);
    status = sotto_tuning_plan(&own, schema, &run.tuning, error);
    if (status == SOTTO_OK) {
        status = sot_tuning_is_public(run.tuning)
                     ? sot_tune_public(run.tuning, &config, file, records, result, error)
                     : tune_private(&run, file, records, result, error);
    }
    sotto_tuning_free(run.tuning);
    if (status != SOTTO_OK) {
        sotto_train_free(result);
        return status;
    }
    *out_result = result;
    return SOTTO_OK;
}

sotto_status sotto_tune_data(const sotto_tune_config *config, const sotto_schema *schema,
                             const sotto_data_file *file, sotto_train_result **out_result,
                             sotto_error *error)
{
    return tune(config, schema, file, NULL, out_result, error);
}

sotto_status sotto_tune_records(const sotto_tune_config *config,
                                const sotto_schema *schema, const sotto_records *records,
                                sotto_train_result **out_result, sotto_error *error)
{
    return tune(config, schema, NULL, records, out_result, error);
}
