/* The score of a training on its own rows: a sum over rows, with discrete Laplace noise. Every
 * row adds from 0 to 1, so one unit moves the sum by at most its rows. The prediction for a row
 * depends on that row and on coefficients that are already released.
 *
 *     probabilities   1 - the row's Brier score: it sees calibration and rare classes
 *     scores          1 for a right class
 *     numbers         1 - (miss / range)^2 */
#include <math.h>

#include <sotto/laplace.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands/train/network.h"
#include "commands/train/probable.h"
#include "commands/train/public.h"
#include "commands/tune/tune.h"

/* The contribution of a row is a multiple of it, if it is not 0 or 1. A finer grid would have more atoms of noise for an
 * accountant to read, and the noise of any score is a thousand times larger. */
#define ROW_GRID  0x1p-10
#define ROW_UNITS 1024.0

static bool tells_classes(const sotto_training *training)
{
    return sot_encoding_role(training->encoding) == SOT_TARGET_CLASSES;
}

/* 0 or 1 for each row. */
static bool counts_rows(const sotto_training *training)
{
    return tells_classes(training) && !sot_tells_probabilities(training);
}

static sotto_status configure(const sotto_training *training, double epsilon,
                              sotto_laplace_config *out_config, sotto_error *error)
{
    const uint64_t unit_rows = sotto_schema_unit_rows(training->schema);
    const double rows = unit_rows == 0 ? 1.0 : (double)unit_rows;
    const bool whole = counts_rows(training);
    *out_config = sotto_laplace_defaults();
    out_config->l1_sensitivity = whole ? rows : rows * ROW_UNITS;
    out_config->adjacency = training->config.adjacency;
    out_config->grid = whole ? 1.0 : ROW_GRID;
    out_config->purpose = "score of a training";
    return sotto_laplace_scale(epsilon, out_config->l1_sensitivity, &out_config->scale,
                               error);
}

sotto_status sot_tune_score_plan(const sotto_training *training, double epsilon,
                                 sotto_plan *plan, sotto_error *error)
{
    sotto_laplace_config config;
    sotto_event event;
    if (training->learner->net != NULL && !tells_classes(training)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`score_epsilon` is given, but the score of a network of numbers "
                        "needs public rows; give `validation` in its place");
    }
    sotto_status status = configure(training, epsilon, &config, error);
    if (status == SOTTO_OK) status = sotto_laplace_event(&config, &event, error);
    if (status != SOTTO_OK) return status;
    event.count = 1;
    return sotto_plan_add(plan, &event, error);
}

/* ---- the exact sum ---- */

/* Rows that are predicted right. The share times the rows is that whole number again: both are below 2^33, and two
 * roundings are far less than a half. */
static sotto_status count_right(const sotto_training *training, const sot_matrix *matrix,
                                const double *theta, int64_t *out_sum, sotto_error *error)
{
    double share = 0.0;
    const sotto_status status = sot_public_score(training, matrix, theta, &share, error);
    if (status == SOTTO_OK) *out_sum = (int64_t)rint(share * (double)matrix->rows);
    return status;
}

static void add_brier(const double *probabilities, size_t classes, size_t label,
                      void *context)
{
    int64_t *sum = context;
    const double hit = 1.0 - sot_brier_of_row(probabilities, classes, label);
    *sum += hit > 0.0 ? (int64_t)floor(fmin(hit, 1.0) * ROW_UNITS) : 0;
}

/* 1 for a number that is hit, 0 for one that is missed by the whole range, the square between. */
static int64_t sum_hits(const sotto_training *training, const sot_matrix *matrix,
                        const double *theta)
{
    const sotto_target *target = sot_encoding_target(training->encoding);
    const double width = target->upper - target->lower;
    int64_t sum = 0;
    for (size_t i = 0; i < matrix->rows; i++) {
        const double miss = sot_public_miss(training, matrix, i, theta) / width;
        const double hit = 1.0 - miss * miss;
        if (hit > 0.0) sum += (int64_t)floor(fmin(hit, 1.0) * ROW_UNITS);
    }
    return sum;
}

sotto_status sot_tune_score_release(const sotto_training *training, double epsilon,
                                    sotto_gate *gate, const sot_matrix *matrix,
                                    const double *theta, double *out_score,
                                    sotto_error *error)
{
    sotto_laplace_config config;
    int64_t sum = 0;
    sotto_status status = configure(training, epsilon, &config, error);
    if (status == SOTTO_OK && matrix->rows > 0 && counts_rows(training))
        status = count_right(training, matrix, theta, &sum, error);
    else if (status == SOTTO_OK && matrix->rows > 0 && tells_classes(training))
        status = sot_probable_visit(training, matrix, theta, add_brier, &sum, error);
    else if (status == SOTTO_OK && matrix->rows > 0)
        sum = sum_hits(training, matrix, theta);
    if (status == SOTTO_OK)
        status = sotto_laplace_release(gate, &config, &sum, 1, &sum, error);
    if (status == SOTTO_OK) *out_score = (double)sum;
    sot_wipe(&sum, sizeof sum);
    return status;
}

sotto_status sot_tune_score_public(const sotto_training *training,
                                   const sot_matrix *matrix, const double *theta,
                                   double *out_score, sotto_error *error)
{
    sotto_status status;
    if (sot_tells_probabilities(training))
        status = sot_probable_brier(training, matrix, theta, out_score, error);
    else
        status = sot_public_score(training, matrix, theta, out_score, error);
    if (status == SOTTO_OK && !counts_rows(training)) *out_score = -*out_score;
    return status;
}

const char *sot_tune_score_name(const sotto_training *training)
{
    return counts_rows(training)     ? "accuracy"
           : tells_classes(training) ? "Brier score"
                                     : "root mean squared error";
}

sotto_status sot_tuning_load_validation(const sotto_tuning *tuning,
                                        const sotto_data_file *file,
                                        const sotto_records *records, sotto_rng *rng,
                                        sot_matrix **out_matrix, sotto_error *error)
{
    const sotto_tune_config *config = &tuning->config;
    const sotto_training *first = sot_tuning_first(tuning);
    const sotto_data_file own = {.path = config->validation,
                                 .labels = config->validation_labels};
    if (config->validation_records != NULL)
        return sot_validation_load_records(first, config->validation_records, records,
                                           rng, out_matrix, error);
    if (own.path == NULL) return SOTTO_OK;
    return sot_validation_load(first, &own, file, rng, out_matrix, error);
}
