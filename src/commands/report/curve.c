#include "commands/report/curve.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "commands/train/simulation.h"
#include "methods/kinds.h"
#include "models/kinds.h"
#include "random/rng.h"

/* Multiples of the model's own epsilon. */
static const double multiples[] = {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
enum { MULTIPLES = sizeof multiples / sizeof multiples[0] };

/* The rows are public: a seed hides nothing, and the same files give the same page. */
enum { SEED = 20260 };

/* ---- settings ---- */

/* The rows of a simulation are public, and so is their number. */
static sotto_train_config config_of(const sot_report_training *training, double epsilon,
                                    uint64_t rows)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = training->model;
    config.method = training->method;
    config.epsilon = epsilon;
    config.delta = training->delta;
    config.adjacency = training->adjacency;
    config.threads = training->threads;
    config.radius = training->radius;
    config.concept = training->concept;
    config.basis = training->rule.basis;
    config.bins = training->rule.bins;
    config.insecure_test = true;
    config.test_seed = SEED;
    if (training->adjacency == SOTTO_REPLACE_ONE &&
        sotto_schema_unit(training->schema) == NULL) {
        config.public_n = rows;
    } else {
        config.expected_rows = rows;
    }
    return config;
}

/* Uses the settings of the file, so that the noise has the model's own distribution. */
static sotto_train_config own_config(const sot_report_training *training, uint64_t rows)
{
    sotto_train_config config = config_of(training, training->epsilon, rows);
    config.lambda = training->lambda;
    if (training->steps >= 1.0 && training->steps < 1e15)
        config.steps = (uint64_t)training->steps;
    if (training->batch >= 1.0 && training->batch < 1e15)
        config.batch = (uint64_t)training->batch;
    config.learning_rate = training->learning_rate;
    config.iterate = training->iterate;
    if ((sot_method_row_of(training->method)->takes & SOT_TAKES_SAMPLES) != 0)
        config.schedule = training->schedule;
    if (training->single_records) config.sampling = SOTTO_SINGLE_RECORD;
    return config;
}

/* ---- the rows ---- */

/* The number of rows is not known before they are read: a first plan is for reading them. */
static sotto_status open_rows(const sot_report_training *training,
                              const sotto_data_file *file, sotto_rng *rng,
                              sot_rehearsal *run, uint64_t *out_seen, sotto_error *error)
{
    sotto_training *plain = NULL;
    sotto_train_config config = sotto_train_defaults();
    config.model = sot_model_plain(training->model);
    config.concept = training->concept;
    config.basis = training->rule.basis;
    config.bins = training->rule.bins;
    config.method = SOTTO_METHOD_NONE;
    config.data_is_public = true;
    config.threads = training->threads;
    sotto_status status = sotto_training_plan(&config, training->schema, &plain, error);
    if (status == SOTTO_OK) status = sot_rehearsal_open(plain, file, 0, rng, run, error);
    *out_seen = status == SOTTO_OK ? run->seen->rows : 0;
    if (status == SOTTO_OK)
        status = sot_rehearsal_enlarge(run, training->expected_rows, error);
    sotto_training_free(plain);
    return status;
}

/* ---- the runs ---- */

/* The AUC in place of the accuracy, which imbalanced classes hide. */
static void prefer_auc(const sot_rehearsal *run, sot_report_point *point,
                       sot_report_curve *curve)
{
    point->log_loss = run->means[SOT_PROPER_LOG_LOSS];
    curve->is_auc = !isnan(run->means[SOT_PROPER_AUC]);
    if (!curve->is_auc) return;
    point->mean = run->means[SOT_PROPER_AUC];
    point->deviation = run->deviations[SOT_PROPER_AUC];
    curve->without_noise = run->plain[SOT_PROPER_AUC];
    curve->trivial = 0.5;
}

static sotto_status add_point(const sot_report_training *training, sot_rehearsal *run,
                              double epsilon, sot_report_curve *curve, sotto_error *error)
{
    sotto_training *planned = NULL;
    sot_report_point point = {.epsilon = epsilon};
    const sotto_train_config config = config_of(training, epsilon, run->seen->rows);
    sotto_status status = sotto_training_plan(&config, training->schema, &planned, error);
    if (status == SOTTO_OK)
        status = sot_rehearse(run, planned, curve->repeats, &point.mean, &point.deviation,
                              NULL, error);
    if (status == SOTTO_OK && isnan(curve->without_noise) &&
        sot_rehearse_without_noise(run, planned, &curve->without_noise, NULL) !=
            SOTTO_OK) {
        curve->without_noise = NAN;
        run->plain[SOT_PROPER_AUC] = NAN;
    }
    if (status == SOTTO_OK) {
        curve->is_error = sot_rehearsal_score(planned) == SOTTO_FORECAST_RMSE;
        status = sot_public_trivial(planned->encoding, run->seen, run->held,
                                    &curve->trivial, error);
        prefer_auc(run, &point, curve);
    }
    sotto_training_free(planned);
    if (status == SOTTO_OK) curve->points[curve->count++] = point;
    return status;
}

/* These end the report; another failure is a reason on the page. */
static bool ends_report(sotto_status status)
{
    return status == SOTTO_OUT_OF_MEMORY || status == SOTTO_INTERRUPTED;
}

/* An epsilon for which the method has no calibration is a point less, not a failure. */
static sotto_status fill_points(const sot_report_training *training, sot_rehearsal *run,
                                sot_report_curve *curve, sotto_error *error)
{
    for (int i = 0; i < MULTIPLES; i++) {
        sotto_error reason = {.status = SOTTO_OK};
        const double epsilon = multiples[i] * training->epsilon;
        const sotto_status status = add_point(training, run, epsilon, curve, &reason);
        if (ends_report(status)) return sot_fail(error, status, "%s", reason.message);
        run->done = (uint64_t)(i + 1) * curve->repeats;
        if (status != SOTTO_OK && curve->count == 0)
            (void)snprintf(curve->reason, sizeof curve->reason, "%s", reason.message);
    }
    return SOTTO_OK;
}

static sotto_status measure(const sot_report_training *training, sot_rehearsal *run,
                            uint64_t repeats, double *out_deviations, bool *out_measured,
                            sotto_error *error)
{
    sotto_training *planned = NULL;
    sotto_error reason = {.status = SOTTO_OK};
    double mean, deviation;
    sotto_train_config config = own_config(training, run->seen->rows);
    sotto_status status =
        sotto_training_plan(&config, training->schema, &planned, &reason);
    if (status == SOTTO_OK)
        status = sot_rehearse(run, planned, repeats, &mean, &deviation, out_deviations,
                              &reason);
    sotto_training_free(planned);
    *out_measured = status == SOTTO_OK;
    return ends_report(status) ? sot_fail(error, status, "%s", reason.message) : SOTTO_OK;
}

static sotto_status run_all(const sot_report_training *training, sot_rehearsal *run,
                            sot_report_curve *curve, double *out_deviations,
                            bool *out_measured, sotto_error *error)
{
    curve->learned = run->seen->rows;
    curve->held = run->held->rows;
    const bool measures = out_deviations != NULL && curve->repeats > 1;
    sot_rehearsal_watch(run, curve->repeats * (MULTIPLES + (measures ? UINT64_C(1) : 0)),
                        training->progress, training->progress_context);
    sotto_status status = fill_points(training, run, curve, error);
    if (status == SOTTO_OK && measures)
        status =
            measure(training, run, curve->repeats, out_deviations, out_measured, error);
    return status;
}

/* Why no curve is measured; NULL: one is. */
static const char *refusal_of(const sot_report_training *training)
{
    const sot_model_row *model = sot_model_row_of(training->model);
    if (model->takes_loss)
        return "the loss is a function in C, and the model file does not hold it.";
    if (model->has_settings)
        return "training a network takes long, and a curve needs many trainings; sotto "
               "plan --forecast tries one setting.";
    if (sot_method_row_of(training->method)->distribution != NULL)
        return "sampling a posterior takes long, and a curve needs many samples; sotto "
               "plan --forecast tries one setting.";
    return NULL;
}

sotto_status sot_report_curve_fill(const sot_report_training *training,
                                   const sotto_data_file *file, uint64_t repeats,
                                   sot_report_curve *out_curve, double *out_deviations,
                                   size_t count, bool *out_measured, sotto_error *error)
{
    sotto_rng *rng = NULL;
    sot_rehearsal run = {.rng = NULL};
    sotto_error reason = {.status = SOTTO_OK};
    *out_curve = (sot_report_curve){.repeats = repeats,
                                    .own = training->epsilon,
                                    .without_noise = NAN,
                                    .trivial = NAN};
    *out_measured = false;
    const char *refusal = refusal_of(training);
    if (refusal != NULL) {
        (void)snprintf(out_curve->reason, sizeof out_curve->reason, "%s", refusal);
        return SOTTO_OK;
    }
    sotto_status status = sotto_rng_new_for_test(SEED, &rng, error);
    if (status == SOTTO_OK) {
        status = open_rows(training, file, rng, &run, &out_curve->seen, &reason);
        if (status == SOTTO_OK && run.numbers == count) {
            status =
                run_all(training, &run, out_curve, out_deviations, out_measured, error);
        } else if (status == SOTTO_OK || status == SOTTO_INVALID_ARGUMENT) {
            (void)snprintf(out_curve->reason, sizeof out_curve->reason, "%s",
                           reason.message);
            status = SOTTO_OK;
        } else {
            status = sot_fail(error, status, "%s", reason.message);
        }
    }
    sot_rehearsal_close(&run);
    sotto_rng_free(rng);
    return status;
}
