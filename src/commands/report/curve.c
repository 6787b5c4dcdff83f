#include "commands/report/curve.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "commands/train/simulation.h"
#include "random/rng.h"

/* Of the model's own epsilon. */
static const double multiples[] = {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
enum { MULTIPLES = sizeof multiples / sizeof multiples[0] };

/* The rows are public: a seed hides nothing, and the same files give the same page. */
enum { SEED = 20260 };

/* ---- settings ---- */

/* The rows of a rehearsal are public, and so is their number. */
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

/* With what the file keeps of the settings, so that the noise has the model's own law. */
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
    if (training->method == SOTTO_METHOD_SGD) config.schedule = training->schedule;
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
    config.model =
        training->model == SOTTO_MODEL_HINGE ? SOTTO_MODEL_SVM : training->model;
    config.concept = training->concept;
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
        sot_rehearse_without_noise(run, planned, &curve->without_noise, NULL) != SOTTO_OK)
        curve->without_noise = NAN;
    if (status == SOTTO_OK) {
        curve->is_error = sot_rehearsal_score(planned) == SOTTO_FORECAST_RMSE;
        status = sot_public_trivial(planned->encoding, run->seen, run->held,
                                    &curve->trivial, error);
    }
    sotto_training_free(planned);
    if (status == SOTTO_OK) curve->points[curve->count++] = point;
    return status;
}

/* An epsilon for which the method has no calibration is a point less, not a failure. */
static sotto_status fill_points(const sot_report_training *training, sot_rehearsal *run,
                                sot_report_curve *curve, sotto_error *error)
{
    for (int i = 0; i < MULTIPLES; i++) {
        sotto_error reason = {.status = SOTTO_OK};
        const double epsilon = multiples[i] * training->epsilon;
        const sotto_status status = add_point(training, run, epsilon, curve, &reason);
        if (status == SOTTO_OUT_OF_MEMORY)
            return sot_fail(error, status, "%s", reason.message);
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
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status, "%s", reason.message);
    return SOTTO_OK;
}

static sotto_status run_all(const sot_report_training *training, sot_rehearsal *run,
                            sot_report_curve *curve, double *out_deviations,
                            bool *out_measured, sotto_error *error)
{
    curve->learned = run->seen->rows;
    curve->held = run->held->rows;
    sotto_status status = fill_points(training, run, curve, error);
    if (status == SOTTO_OK && out_deviations != NULL && curve->repeats > 1)
        status =
            measure(training, run, curve->repeats, out_deviations, out_measured, error);
    return status;
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
    if (training->model == SOTTO_MODEL_CUSTOM) {
        (void)snprintf(
            out_curve->reason, sizeof out_curve->reason,
            "the loss is the caller's own, and the model file does not hold it.");
        return SOTTO_OK;
    }
    if (training->model == SOTTO_MODEL_NETWORK) {
        (void)snprintf(
            out_curve->reason, sizeof out_curve->reason,
            "a network takes long to learn, and so many trainings too long for "
            "a page; sotto plan --forecast tries one setting.");
        return SOTTO_OK;
    }
    if (training->method == SOTTO_METHOD_POSTERIOR ||
        training->method == SOTTO_METHOD_REGULARIZED_EM) {
        (void)snprintf(out_curve->reason, sizeof out_curve->reason,
                       "a draw of a posterior takes long, and so many too long for a "
                       "page; sotto plan --forecast tries one setting.");
        return SOTTO_OK;
    }
    sotto_status status = sotto_rng_new_for_test(SEED, &rng, error);
    if (status == SOTTO_OK) {
        status = open_rows(training, file, rng, &run, &out_curve->seen, &reason);
        if (status == SOTTO_OK && run.count == count) {
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
