/* What a training would be worth, found out on public rows: it is run for real, again and again. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "random/rng.h"
#include "run/train.h"
#include "run/train_public.h"

enum { HELD_BACK = 5, REPEATS_MAX = 10000 }; /* every fifth row is held back */

/* ---- the rows ---- */

typedef struct forecast {
    const sotto_training *training;
    sotto_rng *rng;
    sot_matrix *seen;
    sot_matrix *held;
    double *theta;
} forecast;

static sotto_status load(forecast *run, const sotto_data_file *file, uint64_t rows,
                         sot_matrix **out_matrix, sotto_error *error)
{
    const sotto_training *training = run->training;
    sot_source *source = NULL;
    sot_public_records drawn = {0};
    sotto_status status = SOTTO_OK;
    if (file != NULL) {
        status = sot_source_open(file, training->schema, false, &source, error);
    } else {
        status = sot_public_draw(training->schema, rows, run->rng, &drawn, error);
        if (status == SOTTO_OK)
            status =
                sot_source_open_records(&drawn.records, training->schema, &source, error);
    }
    if (status == SOTTO_OK) {
        status = sot_matrix_load(source, training->schema, training->encoding, run->rng,
                                 out_matrix, error);
    }
    if (status == SOTTO_OK && file == NULL)
        status = sot_public_plant(training->encoding, *out_matrix, run->rng, error);
    sot_source_close(source);
    sot_public_clear(&drawn);
    return status;
}

static sotto_status prepare(forecast *run, const sotto_data_file *file, uint64_t rows,
                            sotto_error *error)
{
    sot_matrix *all = NULL;
    const size_t dimension =
        run->training->learner->outputs * sot_encoding_dimension(run->training->encoding);
    sotto_status status = load(run, file, rows, &all, error);
    if (status == SOTTO_OK && all->rows < 2 * HELD_BACK) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "a forecast needs at least %d public rows", 2 * HELD_BACK);
    }
    if (status == SOTTO_OK)
        status = sot_public_split(all, HELD_BACK, &run->seen, &run->held, error);
    sot_matrix_free(all);
    if (status != SOTTO_OK) return status;
    run->theta = sot_new_array(dimension, sizeof *run->theta);
    return run->theta == NULL ? sot_fail_memory(error, dimension, sizeof *run->theta)
                              : SOTTO_OK;
}

/* ---- the runs ---- */

/* One training with fresh noise. Its gate opens without a charge: the rows are public. */
static sotto_status run_once(forecast *run, double *out_score, sotto_error *error)
{
    sotto_gate *gate = NULL;
    sotto_status status = SOTTO_OK;
    if (run->training->plan != NULL) {
        status = sotto_gate_new(run->training->plan, run->rng, &gate, error);
        if (status == SOTTO_OK) status = sotto_gate_open(gate, error);
    }
    if (status == SOTTO_OK)
        status = sot_training_learn(run->training, gate, run->seen, run->theta, error);
    if (status == SOTTO_OK)
        *out_score = sot_public_score(run->training, run->held, run->theta);
    sotto_gate_free(gate);
    return status;
}

static sotto_status run_without_noise(forecast *run, double *out_score,
                                      sotto_error *error)
{
    sotto_train_config config = sotto_train_defaults();
    sotto_training *plain = NULL;
    const sotto_train_config *own = &run->training->config;
    /* The hinge loss has no minimiser to compute; its smoothed form is as good. */
    config.model = own->model == SOTTO_MODEL_HINGE ? SOTTO_MODEL_SVM : own->model;
    config.width = own->width;
    config.loss = own->loss;
    if (own->model == SOTTO_MODEL_HUBER) config.threshold = own->threshold;
    config.method = SOTTO_METHOD_NONE;
    config.data_is_public = true;
    config.target = run->training->target;
    config.threads = run->training->config.threads;
    sotto_status status =
        sotto_training_plan(&config, run->training->schema, &plain, error);
    if (status == SOTTO_OK)
        status = sot_training_learn(plain, NULL, run->seen, run->theta, error);
    if (status == SOTTO_OK)
        *out_score = sot_public_score(run->training, run->held, run->theta);
    sotto_training_free(plain);
    return status;
}

static sotto_status repeat(forecast *run, uint64_t repeats, sotto_forecast *out,
                           sotto_error *error)
{
    const sot_encoding *encoding = run->training->encoding;
    double mean = 0.0;
    double squares = 0.0; /* around the mean, by Welford's update */
    sotto_status status = run_without_noise(run, &out->without_noise, error);
    for (uint64_t i = 0; status == SOTTO_OK && i < repeats; i++) {
        double score = 0.0;
        status = run_once(run, &score, error);
        const double step = score - mean;
        mean += step / (double)(i + 1);
        squares += step * (score - mean);
    }
    if (status != SOTTO_OK) return status;
    out->repeats = repeats;
    out->score = sot_encoding_role(encoding) == SOT_TARGET_CLASSES
                     ? SOTTO_FORECAST_ACCURACY
                     : SOTTO_FORECAST_RMSE;
    out->mean = mean;
    out->deviation = repeats > 1 ? sqrt(squares / (double)(repeats - 1)) : 0.0;
    return sot_public_trivial(encoding, run->seen, run->held, &out->trivial, error);
}

sotto_status sotto_training_forecast_data(const sotto_training *training,
                                          const sotto_data_file *file, uint64_t rows,
                                          uint64_t repeats, sotto_forecast *out_forecast,
                                          sotto_error *error)
{
    forecast run = {.training = training};
    sotto_forecast found = {0};
    if (repeats == 0 || repeats > REPEATS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%llu repeats were asked for; give 1 to %d",
                        (unsigned long long)repeats, (int)REPEATS_MAX);
    }
    if ((file == NULL) == (rows == 0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "a forecast needs public rows: give a file of them, or the number of "
            "rows to draw from the schema");
    }
    sotto_status status =
        training->config.insecure_test
            ? sotto_rng_new_for_test(training->config.test_seed, &run.rng, error)
            : sotto_rng_new(&run.rng, error);
    if (status == SOTTO_OK) status = prepare(&run, file, rows, error);
    if (status == SOTTO_OK) status = repeat(&run, repeats, &found, error);
    sot_matrix_free(run.seen);
    sot_matrix_free(run.held);
    sot_free(run.theta);
    sotto_rng_free(run.rng);
    if (status == SOTTO_OK) *out_forecast = found;
    return status;
}

sotto_status sotto_training_forecast(const sotto_training *training, const char *path,
                                     uint64_t rows, uint64_t repeats,
                                     sotto_forecast *out_forecast, sotto_error *error)
{
    const sotto_data_file file = {.path = path};
    return sotto_training_forecast_data(training, path == NULL ? NULL : &file, rows,
                                        repeats, out_forecast, error);
}
