/* The forecast of a training's score, by trainings on public rows. */
#include <math.h>

#include "base/error.h"
#include "commands/session/declared.h"
#include "commands/train/probable.h"
#include "commands/train/simulation.h"
#include "numeric/special.h"
#include "random/rng.h"

/* Student's t of v degrees of freedom has P(|t| > x) = I(v/(v + x^2); v/2, 1/2). */
double sotto_forecast_reach(double deviation, uint64_t repeats)
{
    if (repeats < 2) return SOTTO_UNSET;
    const double degrees = (double)repeats - 1.0;
    const double share = sot_incomplete_beta_inverse(0.5 * degrees, 0.5, 0.05);
    const double quantile = sqrt(degrees * (1.0 - share) / share);
    return quantile * deviation * sqrt(1.0 + 1.0 / (double)repeats);
}

static sotto_forecast_part part_of(const sot_rehearsal *run, int place, double trivial)
{
    return (sotto_forecast_part){.mean = run->means[place],
                                 .deviation = run->deviations[place],
                                 .without_noise = run->plain[place],
                                 .trivial = trivial};
}

/* The trivial scores of a model without probabilities are not asked for. */
static sotto_status add_parts(const sot_rehearsal *run, const sotto_training *training,
                              sotto_forecast *out, sotto_error *error)
{
    sot_probable_scores trivial = {.auc = SOTTO_UNSET, .log_loss = SOTTO_UNSET};
    sotto_status status = SOTTO_OK;
    if (sot_tells_probabilities(training))
        status = sot_probable_trivial(training->encoding, run->seen, run->held, &trivial,
                                      error);
    out->auc = part_of(run, SOT_PROPER_AUC, trivial.auc);
    out->log_loss = part_of(run, SOT_PROPER_LOG_LOSS, trivial.log_loss);
    return status;
}

static uint64_t rows_of(const sotto_training *training)
{
    const sotto_train_config *config = &training->config;
    return config->public_n > 0 ? config->public_n : config->expected_rows;
}

static sotto_status repeat(sot_rehearsal *run, const sotto_training *training,
                           uint64_t repeats, sotto_forecast *out, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if (rows_of(training) > 0)
        status = sot_rehearsal_resize(run, rows_of(training), error);
    out->rows = run->seen->rows;
    out->held = run->held->rows;
    if (status == SOTTO_OK)
        status = sot_rehearse_without_noise(run, training, &out->without_noise, error);
    if (status == SOTTO_OK)
        status = sot_rehearse(run, training, repeats, &out->mean, &out->deviation, NULL,
                              error);
    if (status != SOTTO_OK) return status;
    out->repeats = repeats;
    out->score = sot_rehearsal_score(training);
    status = add_parts(run, training, out, error);
    if (status != SOTTO_OK) return status;
    return sot_public_trivial(training->encoding, run->seen, run->held, &out->trivial,
                              error);
}

sotto_status sotto_training_forecast_data(const sotto_training *training,
                                          const sotto_data_file *file, uint64_t rows,
                                          uint64_t repeats, sotto_forecast *out_forecast,
                                          sotto_error *error)
{
    return sotto_training_forecast_watched(training, file, rows, repeats, NULL, NULL,
                                           out_forecast, error);
}

sotto_status sotto_training_forecast_watched(
    const sotto_training *training, const sotto_data_file *file, uint64_t rows,
    uint64_t repeats, sotto_progress_function progress, void *progress_context,
    sotto_forecast *out_forecast, sotto_error *error)
{
    sotto_rng *rng = NULL;
    sot_rehearsal run = {.rng = NULL};
    sotto_forecast found = {0};
    if (repeats == 0 || repeats > SOT_REHEARSAL_REPEATS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`repeats` is %llu; give 1 to %d, for example `repeats=5`",
                        (unsigned long long)repeats, (int)SOT_REHEARSAL_REPEATS_MAX);
    }
    if ((file == NULL) == (rows == 0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a forecast needs rows: give a file of public rows, or the "
                        "number of synthetic rows to sample, for example --rows 1000");
    }
    sotto_status status = file == NULL
                              ? SOTTO_OK
                              : sot_check_public_rows("public", training->schema, error);
    if (status == SOTTO_OK)
        status = training->config.insecure_test
                     ? sotto_rng_new_for_test(training->config.test_seed, &rng, error)
                     : sotto_rng_new(&rng, error);
    if (status == SOTTO_OK)
        status = sot_rehearsal_open(training, file, rows, rng, &run, error);
    sot_rehearsal_watch(&run, repeats, progress, progress_context);
    if (status == SOTTO_OK) status = repeat(&run, training, repeats, &found, error);
    sot_rehearsal_close(&run);
    sotto_rng_free(rng);
    if (status == SOTTO_OK) *out_forecast = found;
    return status;
}
