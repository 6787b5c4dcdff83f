/* From settings and schema to a tuning with its plan. No record is read here. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "commands/tune/tune.h"
#include "methods/kinds.h"
#include "models/kinds.h"
#include "privacy/accounting/selection/selection.h"

enum { CANDIDATES_DRAWN = 32, REPEATS = 5, REPEATS_MAX = 1000 };

void sotto_tune_set_defaults(sotto_tune_config *out_config, size_t size_bytes,
                             size_t train_bytes)
{
    const sotto_tune_config defaults = {.train = sotto_train_defaults(),
                                        .runs = sotto_runs_defaults(),
                                        .score_epsilon = SOTTO_UNSET};
    sot_sized_give(SOT_SIZED_WITH(tune, train), &defaults, out_config, size_bytes,
                   train_bytes);
}

/* ---- checks ---- */

static sotto_status check_space(const sotto_tune_config *config, sotto_error *error)
{
    if ((config->grid == NULL) == (config->search == NULL)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        config->grid == NULL
                            ? "`grid` is missing: there is nothing to choose from; give "
                              "`grid=lambda=10,30,100`, or ranges with `search`"
                            : "`grid` and `search` were both given; leave one out");
    }
    if (config->grid != NULL && (config->candidates > 0 || config->search_seed > 0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`candidates` and `search_seed` are for a search, and a grid has "
                        "all its combinations; leave them out");
    }
    if (config->validation != NULL && config->validation_records != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`validation` is given as a file and in memory; give it once");
    }
    if (config->train.validation != NULL || config->train.validation_labels != NULL ||
        !isnan(config->train.max_minutes)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        isnan(config->train.max_minutes)
                            ? "the validation rows of a tuning are those of its score; "
                              "set them for the tuning, not for each training"
                            : "`max_minutes` is given, but a resumed tuning would reveal "
                              "the number of its trainings; leave `max_minutes` out");
    }
    return SOTTO_OK;
}

/* Where the score comes from: public rows, or a release. */
static sotto_status check_score(const sotto_tune_config *config, sotto_error *error)
{
    const bool paid = !isnan(config->score_epsilon);
    if (paid == sot_tune_has_validation(config)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            paid ? "`validation` and `score_epsilon` were both given: the score is on "
                   "public rows, or a release on the private ones; leave one out"
                 : "`score_epsilon` is missing: a tuning needs a score; give "
                   "`score_epsilon=0.1`, or public rows with `validation`");
    }
    if (paid && !(config->score_epsilon > 0.0 && config->score_epsilon <= 1e6)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`score_epsilon` is %g; it is above 0; for example `score_epsilon=0.1`",
            config->score_epsilon);
    }
    if (paid && config->score_epsilon >= config->train.epsilon) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`score_epsilon` is %g, but the whole tuning has an `epsilon` of %g; give a "
            "smaller score, for example `score_epsilon=%g`",
            config->score_epsilon, config->train.epsilon, 0.05 * config->train.epsilon);
    }
    if (paid && config->train.stream) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`stream` is given, but a score on the private rows needs them in memory; "
            "leave `stream` out, or give public rows with `validation`");
    }
    if (config->repeats > 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`repeats` is for public rows; leave it out");
    }
    return SOTTO_OK;
}

static sotto_status check_private(const sotto_tune_config *config, sotto_error *error)
{
    const sotto_train_config *train = &config->train;
    if (sot_method_row_of(train->method)->noiseless) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`method` is none, which adds no noise; declare the rows public with "
            "`data_is_public=true`, or choose a private method, for example "
            "`method=auto`");
    }
    sotto_status status = sot_check_privacy(train->epsilon, train->delta,
                                            train->adjacency, train->public_n, error);
    if (status == SOTTO_OK) status = check_score(config, error);
    if (status == SOTTO_OK) status = sot_runs_check(&config->runs, error);
    if (status != SOTTO_OK) return status;
    if (config->runs.law == SOTTO_RUNS_POISSON &&
        !sot_model_row_of(train->model)->has_coefficients) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`distribution` is poisson, which may lead to no training, and the model %s "
            "has no default to release then; use `distribution=negative-binomial`",
            sotto_model_kind_name(train->model));
    }
    return SOTTO_OK;
}

static sotto_status check_public(const sotto_tune_config *config, sotto_error *error)
{
    if (config->runs.law != SOTTO_RUNS_UNSET || !isnan(config->score_epsilon)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`data_is_public` is given: every candidate is tried and every score is "
            "free; leave out `runs_mean`, `distribution`, `eta` and `score_epsilon`");
    }
    if (config->train.ledger != NULL || config->train.stream) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            config->train.ledger != NULL
                ? "`ledger` is given, but public rows cost nothing; leave `ledger` out"
                : "`stream` is given, but a search over public rows holds them in "
                  "memory; leave `stream` out");
    }
    if (!sot_method_row_of(config->train.method)->noiseless &&
        config->train.output != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`output` is given, but private methods are only simulated on "
                        "public rows; leave `output` out, or give `method=none`");
    }
    if (config->repeats > REPEATS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`repeats` is %llu; give at most %d",
                        (unsigned long long)config->repeats, REPEATS_MAX);
    }
    return SOTTO_OK;
}

static sotto_status check(const sotto_tune_config *config, sotto_error *error)
{
    const sotto_status status = check_space(config, error);
    if (status != SOTTO_OK) return status;
    return config->train.data_is_public ? check_public(config, error)
                                        : check_private(config, error);
}

/* ---- the plan ---- */

static sotto_status make_candidates(sotto_tuning *tuning, const sotto_tune_config *config,
                                    sotto_error *error)
{
    const char *space = config->grid != NULL ? config->grid : config->search;
    tuning->space = sot_copy_string(space);
    if (tuning->space == NULL) return sot_fail_memory(error, strlen(space) + 1, 1);
    if (config->grid != NULL)
        return sot_candidates_grid(space, &config->train, &tuning->candidates, error);
    return sot_candidates_search(
        space, config->candidates == 0 ? CANDIDATES_DRAWN : config->candidates,
        config->search_seed, &config->train, &tuning->candidates, error);
}

/* The method none is for all candidates or for none: a mixture would mix public and
 * private trainings. */
static sotto_status check_methods(const sotto_tuning *tuning, sotto_error *error)
{
    const bool is_public = sot_tuning_is_public(tuning);
    const bool plain = tuning->runs[0].training->plan == NULL;
    for (size_t i = 0; i < tuning->candidates.count; i++) {
        const bool none = tuning->runs[i].training->plan == NULL;
        if (none == plain && (!none || is_public)) continue;
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`method` is none for one of the candidates; give private methods only");
    }
    return SOTTO_OK;
}

static sotto_status make_runs(sotto_tuning *tuning, sotto_error *error)
{
    const size_t count = tuning->candidates.count;
    tuning->runs = sot_new_array(count, sizeof *tuning->runs);
    if (tuning->runs == NULL) return sot_fail_memory(error, count, sizeof *tuning->runs);
    sotto_status status;
    do {
        status = sot_tuning_is_public(tuning)
                     ? sot_tuning_plan_runs(tuning, tuning->config.train.epsilon, error)
                     : sot_tuning_calibrate(tuning, error);
    } while (status == SOTTO_INVALID_ARGUMENT && sot_tuning_skip_refused(tuning));
    if (sot_tuning_is_public(tuning)) tuning->run_epsilon = SOTTO_UNSET;
    return status == SOTTO_OK ? check_methods(tuning, error) : status;
}

sotto_status sotto_tuning_plan(const sotto_tune_config *config,
                               const sotto_schema *schema, sotto_tuning **out_tuning,
                               sotto_error *error)
{
    sotto_tune_config own;
    const sotto_status status = SOT_TAKE_WITH(tune, train, config, &own, error);
    return status == SOTTO_OK
               ? sot_tuning_plan_with(&own, schema, NULL, out_tuning, error)
               : status;
}

sotto_status sot_tuning_plan_with(const sotto_tune_config *config,
                                  const sotto_schema *schema,
                                  const sot_training_inputs *inputs,
                                  sotto_tuning **out_tuning, sotto_error *error)
{
    sotto_status status = check(config, error);
    if (status != SOTTO_OK) return status;
    sotto_tuning *tuning = sot_new_array(1, sizeof *tuning);
    if (tuning == NULL) return sot_fail_memory(error, 1, sizeof *tuning);
    tuning->config = *config;
    if (config->repeats == 0) tuning->config.repeats = REPEATS;
    tuning->schema = schema;
    tuning->inputs = inputs;
    tuning->run_epsilon = SOTTO_UNSET;
    status = make_candidates(tuning, config, error);
    if (status == SOTTO_OK) status = make_runs(tuning, error);
    if (status == SOTTO_OK) status = sot_tuning_describe(tuning, error);
    if (status != SOTTO_OK) {
        sotto_tuning_free(tuning);
        return status;
    }
    *out_tuning = tuning;
    return SOTTO_OK;
}

void sotto_tuning_free(sotto_tuning *tuning)
{
    if (tuning == NULL) return;
    for (size_t i = 0; tuning->runs != NULL && i < tuning->candidates.count; i++) {
        sotto_plan_free(tuning->runs[i].plan);
        sotto_training_free(tuning->runs[i].training);
    }
    sot_free(tuning->runs);
    sot_free(tuning->distinct);
    sot_candidates_clear(&tuning->candidates);
    sotto_plan_free(tuning->plan);
    sot_free(tuning->space);
    sot_free(tuning->json);
    sot_free(tuning->text);
    sot_free(tuning);
}

/* ---- results ---- */

const sotto_plan *sotto_tuning_events(const sotto_tuning *tuning)
{
    return tuning->plan;
}

size_t sotto_tuning_candidates(const sotto_tuning *tuning)
{
    return tuning->candidates.count;
}

const sotto_plan *sotto_tuning_run_events(const sotto_tuning *tuning, size_t index)
{
    return index < tuning->candidates.count ? tuning->runs[index].plan : NULL;
}

double sotto_tuning_run_epsilon(const sotto_tuning *tuning)
{
    return tuning->run_epsilon;
}

const char *sotto_tuning_text(const sotto_tuning *tuning)
{
    return tuning->text;
}

const char *sotto_tuning_json(const sotto_tuning *tuning)
{
    return tuning->json;
}
