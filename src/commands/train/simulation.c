/* A training that is run for real, again and again, on public rows. */
#include "commands/train/simulation.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands/train/concept.h"
#include "commands/train/probable.h"
#include "data/batches/matrix.h"
#include "data/encode/blocks.h"
#include "models/kinds.h"
#include "random/rng.h"

enum { HELD_BACK = 5 }; /* every fifth row */

/* ---- the rows ---- */

static sotto_status load(const sotto_training *training, sotto_rng *rng,
                         const sotto_data_file *file, uint64_t rows,
                         sot_matrix **out_matrix, sotto_error *error)
{
    sot_source *source = NULL;
    sot_public_records drawn = {0};
    sotto_status status = SOTTO_OK;
    if (file != NULL) {
        status = sot_source_open(file, training->schema, false, &source, error);
    } else {
        status = sot_public_draw(training->schema, rows, rng, &drawn, error);
        if (status == SOTTO_OK)
            status =
                sot_source_open_records(&drawn.records, training->schema, &source, error);
    }
    if (status == SOTTO_OK) {
        sot_source_set_threads(source, training->config.threads);
        status = sot_matrix_load(source, training->schema, training->encoding, rng,
                                 out_matrix, error);
    }
    if (status == SOTTO_OK && file == NULL) {
        status = training->learner->concept != NULL
                     ? sot_training_plant_concept(training, *out_matrix, rng, error)
                     : sot_public_plant(training->encoding, *out_matrix, rng, error);
    }
    sot_source_close(source);
    sot_public_clear(&drawn);
    return status;
}

sotto_status sot_rehearsal_open(const sotto_training *training,
                                const sotto_data_file *file, uint64_t rows,
                                sotto_rng *rng, sot_rehearsal *out_rehearsal,
                                sotto_error *error)
{
    sot_matrix *all = NULL;
    sot_rehearsal *run = out_rehearsal;
    *run =
        (sot_rehearsal){.rng = rng, .count = sot_learner_coefficients(training->learner)};
    sotto_status status = load(training, rng, file, rows, &all, error);
    if (status == SOTTO_OK && all->rows < 2 * HELD_BACK) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "a forecast needs at least %d public rows", 2 * HELD_BACK);
    }
    if (status == SOTTO_OK)
        status = sot_public_split(all, HELD_BACK, &run->seen, &run->held, error);
    sot_matrix_free(all);
    if (status != SOTTO_OK) return status;
    run->theta = sot_new_array(run->count, sizeof *run->theta);
    run->numbers = run->count;
    if (sot_encoding_blocks(training->encoding) > 0) {
        run->numbers =
            training->learner->outputs * (sot_encoding_values(training->encoding) + 1);
        run->curves = sot_new_array(run->numbers, sizeof *run->curves);
        if (run->curves == NULL)
            return sot_fail_memory(error, run->numbers, sizeof *run->curves);
    }
    return run->theta == NULL ? sot_fail_memory(error, run->count, sizeof *run->theta)
                              : SOTTO_OK;
}

sotto_status sot_rehearsal_resize(sot_rehearsal *rehearsal, uint64_t rows,
                                  sotto_error *error)
{
    sot_matrix *other = NULL;
    if (rows == rehearsal->seen->rows) return SOTTO_OK;
    if (rows > SIZE_MAX / sizeof(double))
        return sot_fail_memory(error, (size_t)rows, sizeof(double));
    const sotto_status status =
        sot_public_repeat(rehearsal->seen, (size_t)rows, &other, error);
    if (status != SOTTO_OK) return status;
    sot_matrix_free(rehearsal->seen);
    rehearsal->seen = other;
    return SOTTO_OK;
}

sotto_status sot_rehearsal_enlarge(sot_rehearsal *rehearsal, uint64_t rows,
                                   sotto_error *error)
{
    return rows <= rehearsal->seen->rows ? SOTTO_OK
                                         : sot_rehearsal_resize(rehearsal, rows, error);
}

void sot_rehearsal_watch(sot_rehearsal *rehearsal, uint64_t planned,
                         sotto_progress_function progress, void *context)
{
    rehearsal->progress = sot_progress_begin(progress, context);
    rehearsal->progress.unit = "training";
    rehearsal->done = 0;
    rehearsal->planned = planned;
}

void sot_rehearsal_close(sot_rehearsal *rehearsal)
{
    sot_matrix_free(rehearsal->seen);
    sot_matrix_free(rehearsal->held);
    sot_free(rehearsal->theta);
    sot_free(rehearsal->curves);
    *rehearsal = (sot_rehearsal){.rng = NULL};
}

/* ---- the runs ---- */

static sotto_status find_scores(const sot_rehearsal *run, const sotto_training *training,
                                double *out_score, double out_proper[SOT_PROPER],
                                sotto_error *error)
{
    for (int k = 0; k < SOT_PROPER; k++)
        out_proper[k] = (double)NAN;
    sot_probable_scores found;
    sotto_status status =
        sot_public_score(training, run->held, run->theta, out_score, error);
    if (status != SOTTO_OK || !sot_tells_probabilities(training)) return status;
    status = sot_probable_all(training, run->held, run->theta, &found, error);
    if (status != SOTTO_OK) return status;
    out_proper[SOT_PROPER_AUC] = found.auc;
    out_proper[SOT_PROPER_LOG_LOSS] = found.log_loss;
    out_proper[SOT_PROPER_BRIER] = found.brier;
    return SOTTO_OK;
}

/* One training with fresh noise. Its gate opens without a charge: the rows are public. */
static sotto_status run_once(sot_rehearsal *run, const sotto_training *training,
                             double *out_score, double out_proper[SOT_PROPER],
                             sotto_error *error)
{
    sotto_gate *gate = NULL;
    sotto_status status = SOTTO_OK;
    if (training->plan != NULL) {
        status = sotto_gate_new(training->plan, run->rng, &gate, error);
        if (status == SOTTO_OK) status = sotto_gate_open(gate, error);
    }
    if (status == SOTTO_OK)
        status = sot_training_learn(training, gate, run->seen, run->theta, error);
    if (status == SOTTO_OK)
        status = find_scores(run, training, out_score, out_proper, error);
    sotto_gate_free(gate);
    return status;
}

/* The same network, learned as long from as many records per step. */
static void copy_network(const sotto_train_config *own, sotto_train_config *config)
{
    if (!sot_model_row_of(own->model)->has_settings) return;
    config->network = own->network;
    config->init = own->init;
    config->freeze = own->freeze;
    config->steps = own->steps;
    config->epochs = own->epochs;
    config->batch = own->batch;
    config->expected_rows = own->public_n > 0 ? own->public_n : own->expected_rows;
}

/* The same bins: the rows are already encoded by them. */
static void copy_bins(const sotto_training *training, sotto_train_config *config)
{
    if (sot_encoding_blocks(training->encoding) == 0) return;
    const sot_bins_rule rule = sot_encoding_bins_rule(training->encoding);
    config->basis = rule.basis;
    config->bins = rule.bins;
}

sotto_status sot_rehearse_without_noise(sot_rehearsal *run,
                                        const sotto_training *training, double *out_score,
                                        sotto_error *error)
{
    sotto_train_config config = sotto_train_defaults();
    sotto_training *plain = NULL;
    const sotto_train_config *own = &training->config;
    /* The hinge loss has no minimiser to compute; its smoothed form is as good. */
    config.model = sot_model_plain(own->model);
    config.width = own->width;
    config.loss = own->loss;
    config.concept = own->concept;
    if (sot_model_row_of(own->model)->keeps_threshold) config.threshold = own->threshold;
    copy_network(own, &config);
    copy_bins(training, &config);
    config.method = SOTTO_METHOD_NONE;
    config.data_is_public = true;
    config.target = training->target;
    config.threads = training->config.threads;
    sotto_status status = sotto_training_plan(&config, training->schema, &plain, error);
    if (status == SOTTO_OK)
        status = sot_training_learn(plain, NULL, run->seen, run->theta, error);
    if (status == SOTTO_OK)
        status = find_scores(run, plain, out_score, run->plain, error);
    sotto_training_free(plain);
    return status;
}

/* Means and sums of squares around them, by Welford's update. */
static void update(double value, uint64_t before, double *mean, double *squares)
{
    const double step = value - *mean;
    *mean += step / (double)(before + 1);
    *squares += step * (value - *mean);
}

static double deviation_of(double squares, uint64_t repeats)
{
    return repeats > 1 ? sqrt(squares / (double)(repeats - 1)) : 0.0;
}

/* Returns the coefficients or curves of the last run. */
static const double *numbers_of(const sot_rehearsal *run, const sotto_training *training)
{
    const sot_encoding *encoding = training->encoding;
    if (run->curves == NULL) return run->theta;
    for (size_t k = 0; k < training->learner->outputs; k++)
        sot_encoding_curves(encoding, run->theta + k * sot_encoding_dimension(encoding),
                            run->curves + k * (sot_encoding_values(encoding) + 1));
    return run->curves;
}

sotto_status sot_rehearse(sot_rehearsal *run, const sotto_training *training,
                          uint64_t repeats, double *out_mean, double *out_deviation,
                          double *out_deviations, sotto_error *error)
{
    double mean = 0.0, squares = 0.0;
    double proper_squares[SOT_PROPER] = {0.0};
    double *number_squares = out_deviations, *means = NULL;
    sotto_status status = SOTTO_OK;
    if (number_squares != NULL) {
        means = sot_new_array(run->numbers, sizeof *means);
        if (means == NULL) return sot_fail_memory(error, run->numbers, sizeof *means);
        memset(number_squares, 0, run->numbers * sizeof *number_squares);
    }
    memset(run->means, 0, sizeof run->means);
    for (uint64_t i = 0; status == SOTTO_OK && i < repeats; i++) {
        double score = 0.0, proper[SOT_PROPER] = {0.0};
        status = run_once(run, training, &score, proper, error);
        update(score, i, &mean, &squares);
        for (int k = 0; k < SOT_PROPER; k++)
            update(proper[k], i, &run->means[k], &proper_squares[k]);
        const double *numbers = means == NULL ? NULL : numbers_of(run, training);
        for (size_t j = 0; means != NULL && j < run->numbers; j++)
            update(numbers[j], i, &means[j], &number_squares[j]);
        if (status == SOTTO_OK)
            status = sot_progress_report(&run->progress, ++run->done, run->planned,
                                         SOTTO_UNSET, error);
    }
    for (size_t j = 0; means != NULL && j < run->numbers; j++)
        number_squares[j] = deviation_of(number_squares[j], repeats);
    sot_free(means);
    if (status != SOTTO_OK) return status;
    for (int k = 0; k < SOT_PROPER; k++)
        run->deviations[k] = deviation_of(proper_squares[k], repeats);
    *out_mean = mean;
    *out_deviation = deviation_of(squares, repeats);
    return SOTTO_OK;
}

sotto_forecast_score sot_rehearsal_score(const sotto_training *training)
{
    return sot_encoding_role(training->encoding) == SOT_TARGET_CLASSES
               ? SOTTO_FORECAST_ACCURACY
               : SOTTO_FORECAST_RMSE;
}
