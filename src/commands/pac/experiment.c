/* Private learners of thresholds, and the fewest errors, on rows of a known distribution. */
#include "commands/pac/experiment.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/pac_theory.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "commands/pac/invented.h"
#include "commands/pac/packing_study.h"
#include "random/rng.h"

enum { CELLS_MOST = 1 << 16 };
#define ROWS_MOST (UINT64_C(1) << 26)

/* The choice of each learner, and the bound about it. */
static const struct {
    const char *name;
    sotto_method method;
    sotto_pac_bound realizable, agnostic;
} learners[SOTTO_PAC_LEARNERS] = {
    {"public", SOTTO_METHOD_NONE, SOTTO_PAC_PUBLIC_REALIZABLE, SOTTO_PAC_PUBLIC_AGNOSTIC},
    {"exponential", SOTTO_METHOD_EXPONENTIAL, SOTTO_PAC_REALIZABLE, SOTTO_PAC_AGNOSTIC},
    {"permute-and-flip", SOTTO_METHOD_PERMUTE_AND_FLIP, SOTTO_PAC_REALIZABLE,
     SOTTO_PAC_AGNOSTIC},
    {"laplace", SOTTO_METHOD_LAPLACE, SOTTO_PAC_LAPLACE_REALIZABLE,
     SOTTO_PAC_LAPLACE_AGNOSTIC},
};

const char *sotto_pac_learner_name(sotto_pac_learner learner)
{
    return (int)learner >= 0 && (int)learner < SOTTO_PAC_LEARNERS ? learners[learner].name
                                                                  : "unknown";
}

/* ---- settings ---- */

static sotto_status check(const sotto_pac_experiment_config *config, sotto_error *error)
{
    sotto_status status =
        sot_pac_check_places("numbers of rows", config->rows, config->rows_count, error);
    if (status == SOTTO_OK) status = sot_pac_check_repeats(config->repeats, 1, error);
    if (status != SOTTO_OK) return status;
    if (config->rows[0] < 1 || config->rows[config->rows_count - 1] > ROWS_MOST) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`rows` is from %" PRIu64 " to %" PRIu64
                        "; give numbers from 1 to 2^26",
                        config->rows[0], config->rows[config->rows_count - 1]);
    }
    if (config->cells < 2 || config->cells > CELLS_MOST) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %" PRIu64 " cells; give from 2 to %d", config->cells,
                        CELLS_MOST);
    }
    if (!(config->noise >= 0.0 && config->noise < 0.5)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the noise of the labels is %g; give 0, or a share below 1/2",
                        config->noise);
    }
    return SOTTO_OK;
}

/* ---- rows, errors, risk ---- */

static uint64_t right_start(const sotto_pac_experiment_config *config)
{
    return config->cells / 3;
}

/* Risk above that of the best threshold, whose risk is the noise. */
static double excess_of(const sotto_pac_experiment_config *config, double threshold)
{
    const double distance = fabs(threshold - (double)right_start(config));
    return (1.0 - 2.0 * config->noise) * distance / (double)config->cells;
}

/* Two cells per row: where it is, and its answer. */
static void draw_rows(const sotto_pac_experiment_config *config, uint64_t rows,
                      sotto_rng *rng, double *out_cells)
{
    const uint64_t start = right_start(config);
    /* As a share of 2^64: the distribution is the experiment's own, and exact enough for
     * it. */
    const uint64_t turned = (uint64_t)ldexp(config->noise, 64);
    for (uint64_t i = 0; i < rows; i++) {
        const uint64_t place = sot_rng_below(rng, config->cells);
        const bool is_turned = turned > 0 && sot_rng_u64(rng) < turned;
        out_cells[2 * i] = (double)place;
        out_cells[2 * i + 1] = (place >= start) != is_turned ? 1.0 : 0.0;
    }
}

/* ---- one number of rows ---- */

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void summarise(const sotto_pac_experiment_config *config, size_t learner,
                      double *excess, sotto_pac_experiment_point *out)
{
    const double repeats = (double)config->repeats;
    double sum = 0.0;
    qsort(excess, (size_t)config->repeats, sizeof *excess, ascending);
    for (uint64_t i = 0; i < config->repeats; i++)
        sum += excess[i];
    const double rank = ceil((1.0 - config->beta) * repeats) - 1.0;
    out->excess[learner].mean = sum / repeats;
    out->excess[learner].quantile = excess[(size_t)fmax(0.0, rank)];
}

/* The alpha that is proven at this n. */
static sotto_status fill_bound(const sotto_pac_experiment_config *config, size_t learner,
                               sotto_pac_experiment_point *out, sotto_error *error)
{
    sotto_pac_setting setting = sotto_pac_defaults();
    double *bound = &out->excess[learner].bound;
    setting.adjacency = config->adjacency;
    setting.class_size = (double)(config->cells + 1);
    setting.epsilon = config->epsilon;
    setting.beta = config->beta;
    setting.rows = (double)out->rows;
    *bound = SOTTO_UNSET;
    const sotto_status status = sotto_pac_alpha(
        &setting,
        config->noise > 0.0 ? learners[learner].agnostic : learners[learner].realizable,
        bound, error);
    return status == SOTTO_UNREACHABLE ? SOTTO_OK : status;
}

/* The common state of all numbers of rows. */
typedef struct laboratory {
    const sotto_pac_experiment_config *config;
    sotto_schema *schema;
    sotto_training *trainings[SOTTO_PAC_LEARNERS];
    sotto_rng *rng;
    double *cells;  /* of the most rows */
    double *excess; /* learner by learner */
} laboratory;

/* All learners see the same rows. */
static sotto_status run_once(laboratory *lab, uint64_t rows, size_t repeat,
                             sotto_error *error)
{
    const size_t repeats = (size_t)lab->config->repeats;
    sot_matrix *matrix = NULL;
    draw_rows(lab->config, rows, lab->rng, lab->cells);
    sotto_status status = sot_pac_invented_rows(lab->trainings[0], lab->cells,
                                                (size_t)rows, lab->rng, &matrix, error);
    for (size_t i = 0; i < SOTTO_PAC_LEARNERS && status == SOTTO_OK; i++) {
        double numbers[2] = {0.0, 0.0}; /* threshold, and never flipped */
        status =
            sot_pac_invented_learn(lab->trainings[i], matrix, lab->rng, numbers, error);
        lab->excess[i * repeats + repeat] = excess_of(lab->config, numbers[0]);
    }
    sot_matrix_free(matrix);
    return status;
}

static sotto_status run_point(laboratory *lab, sotto_pac_experiment_point *out,
                              sotto_error *error)
{
    const size_t repeats = (size_t)lab->config->repeats;
    sotto_status status = SOTTO_OK;
    for (size_t repeat = 0; repeat < repeats && status == SOTTO_OK; repeat++)
        status = run_once(lab, out->rows, repeat, error);
    for (size_t i = 0; i < SOTTO_PAC_LEARNERS && status == SOTTO_OK; i++) {
        summarise(lab->config, i, lab->excess + i * repeats, out);
        status = fill_bound(lab->config, i, out, error);
    }
    return status;
}

/* ---- the experiment ---- */

static sotto_status open_laboratory(laboratory *lab, sotto_error *error)
{
    const sotto_pac_experiment_config *config = lab->config;
    const size_t most = (size_t)config->rows[config->rows_count - 1];
    const size_t numbers = SOTTO_PAC_LEARNERS * (size_t)config->repeats;
    char text[256];
    const int length = snprintf(
        text, sizeof text,
        "{\"dataset\": \"invented\", \"target\": {\"column\": \"yes\", \"labels\": "
        "[\"no\", \"yes\"]}, \"columns\": [{\"name\": \"x\", \"type\": \"integer\", "
        "\"lower\": 0, \"upper\": %" PRIu64
        "}, {\"name\": \"yes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}",
        config->cells - 1);
    lab->cells = sot_new_array(2 * most, sizeof *lab->cells);
    if (lab->cells == NULL) return sot_fail_memory(error, 2 * most, sizeof *lab->cells);
    lab->excess = sot_new_array(numbers, sizeof *lab->excess);
    if (lab->excess == NULL) return sot_fail_memory(error, numbers, sizeof *lab->excess);
    sotto_status status =
        sotto_schema_parse("invented", text, (size_t)length, &lab->schema, error);
    if (status == SOTTO_OK)
        status = sotto_rng_new_for_test(config->seed, &lab->rng, error);
    for (size_t i = 0; i < SOTTO_PAC_LEARNERS && status == SOTTO_OK; i++)
        status = sot_pac_invented_plan(lab->schema, "thresholds", learners[i].method,
                                       config->adjacency, config->epsilon,
                                       &lab->trainings[i], error);
    return status;
}

static void close_laboratory(laboratory *lab)
{
    for (size_t i = 0; i < SOTTO_PAC_LEARNERS; i++)
        sotto_training_free(lab->trainings[i]);
    sotto_schema_free(lab->schema);
    sotto_rng_free(lab->rng);
    sot_free(lab->cells);
    sot_free(lab->excess);
}

static sotto_status run_points(sotto_pac_experiment *made, sotto_error *error)
{
    laboratory lab = {.config = &made->config};
    sotto_status status = open_laboratory(&lab, error);
    for (size_t i = 0; i < made->config.rows_count && status == SOTTO_OK; i++) {
        made->points[i].rows = made->config.rows[i];
        status = run_point(&lab, &made->points[i], error);
    }
    close_laboratory(&lab);
    return status;
}

void sotto_pac_experiment_set_defaults(sotto_pac_experiment_config *out_config,
                                       size_t size_bytes)
{
    const sotto_pac_experiment_config defaults = {.epsilon = SOTTO_UNSET};
    sot_sized_give(SOT_SIZED(pac_experiment), &defaults, out_config, size_bytes, 0);
}

sotto_status sotto_pac_experiment_run(const sotto_pac_experiment_config *given,
                                      sotto_pac_experiment **out_experiment,
                                      sotto_error *error)
{
    sotto_pac_experiment_config own;
    const sotto_pac_experiment_config *const config = &own;
    sotto_status status = SOT_TAKE(pac_experiment, given, &own, error);
    if (status == SOTTO_OK) status = check(config, error);
    if (status != SOTTO_OK) return status;
    sotto_pac_experiment *made = sot_new_array(1, sizeof *made);
    if (made == NULL) return sot_fail_memory(error, 1, sizeof *made);
    made->config = *config;
    memcpy(made->rows, config->rows, config->rows_count * sizeof *made->rows);
    made->config.rows = made->rows;
    status = run_points(made, error);
    if (status == SOTTO_OK) {
        *out_experiment = made;
    } else {
        sotto_pac_experiment_free(made);
    }
    return status;
}

void sotto_pac_experiment_free(sotto_pac_experiment *experiment)
{
    sot_free(experiment);
}

const sotto_pac_experiment_point *
sotto_pac_experiment_points(const sotto_pac_experiment *experiment)
{
    return experiment->points;
}
