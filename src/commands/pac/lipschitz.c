/* The packing under a Lipschitz loss: an answer that is near costs little, and privacy does not forbid to be near. */
#include <math.h>

#include <sotto/train.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands/pac/invented.h"
#include "commands/pac/packing_study.h"
#include "commands/train/public.h"
#include "random/rng.h"

enum { RADIUS = 4, GROUPS = 4, DESCENT_STEPS = 1000 };

static const char schema_text[] =
    "{\"dataset\": \"packing\", \"target\": {\"column\": \"yes\", \"labels\": [\"no\", "
    "\"yes\"]}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": -1, \"upper\": 1},"
    "{\"name\": \"yes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";

/* Rows of one kind: a place, an answer, their number. */
typedef struct group {
    double x, sign;
    uint64_t rows;
} group;

/* ---- the best weights ---- */

static double loss_at(double margin)
{
    return margin > 0.0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
}

static double mean_loss(const group *groups, double rows, double weight, double constant)
{
    double sum = 0.0;
    for (int i = 0; i < GROUPS; i++) {
        const double margin = groups[i].sign * (weight * groups[i].x + constant);
        sum += (double)groups[i].rows * loss_at(margin);
    }
    return sum / rows;
}

/* Projected descent: the gradient is 1/2-Lipschitz, as |(x, 1)|^2 <= 2 and the loss has curvature 1/4 at most. */
static double least_loss(const group *groups, double rows)
{
    double weight = 0.0, constant = 0.0;
    for (int step = 0; step < DESCENT_STEPS; step++) {
        double down_weight = 0.0, down_constant = 0.0;
        for (int i = 0; i < GROUPS; i++) {
            const double margin = groups[i].sign * (weight * groups[i].x + constant);
            const double pull =
                (double)groups[i].rows / rows * groups[i].sign / (1.0 + exp(margin));
            down_weight += pull * groups[i].x;
            down_constant += pull;
        }
        weight += 2.0 * down_weight;
        constant += 2.0 * down_constant;
        const double norm = hypot(weight, constant);
        if (norm > RADIUS) {
            weight *= RADIUS / norm;
            constant *= RADIUS / norm;
        }
    }
    return mean_loss(groups, rows, weight, constant);
}

/* ---- the private learner ---- */

static void fill_groups(const sotto_packing_setting *setting, sotto_rng *rng,
                        group groups[GROUPS])
{
    const double last = (double)(setting->class_size - 1);
    const uint64_t place = 1 + sot_rng_below(rng, setting->class_size - 1);
    const uint64_t quarter = setting->rows / 4, middle = setting->rows / 2 - quarter;
    groups[0] = (group){-1.0, -1.0, quarter};
    groups[1] = (group){-1.0 + 2.0 * (double)(place - 1) / last, -1.0, middle};
    groups[2] = (group){-1.0 + 2.0 * (double)place / last, 1.0, middle};
    groups[3] = (group){1.0, 1.0, quarter};
}

/* Cells of the schema, two per row. */
static void fill_cells(const group groups[GROUPS], double *out_cells)
{
    for (int i = 0; i < GROUPS; i++) {
        for (uint64_t row = 0; row < groups[i].rows; row++) {
            *out_cells++ = groups[i].x;
            *out_cells++ = groups[i].sign > 0.0 ? 1.0 : 0.0;
        }
    }
}

static sotto_train_config config_of(const sotto_packing_setting *setting)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_OBJECTIVE;
    config.epsilon = setting->epsilon;
    config.adjacency = setting->adjacency;
    if (setting->adjacency == SOTTO_REPLACE_ONE) {
        config.public_n = setting->rows;
    } else {
        config.expected_rows = setting->rows;
    }
    config.threads = 1;
    return config;
}

/* The mean loss of one private training, on the rows it saw: they are the distribution. */
static sotto_status train_once(const sotto_training *training, const double *cells,
                               size_t rows, sotto_rng *rng, double *theta,
                               double *out_loss, sotto_error *error)
{
    sot_matrix *matrix = NULL;
    double sum = 0.0;
    sotto_status status =
        sot_pac_invented_rows(training, cells, rows, rng, &matrix, error);
    if (status == SOTTO_OK)
        status = sot_pac_invented_learn(training, matrix, rng, theta, error);
    for (size_t i = 0; i < rows && status == SOTTO_OK; i++) {
        const double margin = sot_public_margin(matrix, i, theta);
        sum += loss_at(cells[2 * i + 1] > 0.0 ? margin : -margin);
    }
    sot_matrix_free(matrix);
    *out_loss = sum / (double)rows;
    return status;
}

static sotto_status run_all(const sotto_packing_setting *setting,
                            const sotto_training *training, uint64_t repeats,
                            double *cells, sotto_rng *rng,
                            sotto_packing_contrast *out_contrast, sotto_error *error)
{
    const size_t rows = (size_t)setting->rows;
    const size_t count = sot_learner_coefficients(training->learner);
    double excess = 0.0, silent = 0.0;
    double *theta = sot_new_array(count, sizeof *theta);
    if (theta == NULL) return sot_fail_memory(error, count, sizeof *theta);
    sotto_status status = SOTTO_OK;
    for (uint64_t i = 0; i < repeats && status == SOTTO_OK; i++) {
        group groups[GROUPS];
        double loss = 0.0;
        fill_groups(setting, rng, groups);
        fill_cells(groups, cells);
        status = train_once(training, cells, rows, rng, theta, &loss, error);
        const double least = least_loss(groups, (double)rows);
        excess += loss - least;
        silent += mean_loss(groups, (double)rows, 0.0, 0.0) - least;
    }
    sot_free(theta);
    out_contrast->lipschitz_excess = excess / (double)repeats;
    out_contrast->lipschitz_silent = silent / (double)repeats;
    return status;
}

sotto_status sot_pac_lipschitz_contrast(const sotto_packing_setting *setting,
                                        uint64_t repeats, sotto_rng *rng,
                                        sotto_packing_contrast *out_contrast,
                                        sotto_error *error)
{
    const size_t numbers = 2 * (size_t)setting->rows;
    const sotto_train_config config = config_of(setting);
    sotto_schema *schema = NULL;
    sotto_training *training = NULL;
    double *cells = sot_new_array(numbers, sizeof *cells);
    if (cells == NULL) return sot_fail_memory(error, numbers, sizeof *cells);
    sotto_status status = sotto_schema_parse("packing", schema_text,
                                             sizeof schema_text - 1, &schema, error);
    if (status == SOTTO_OK)
        status = sotto_training_plan(&config, schema, &training, error);
    if (status == SOTTO_OK)
        status = run_all(setting, training, repeats, cells, rng, out_contrast, error);
    sotto_training_free(training);
    sotto_schema_free(schema);
    sot_free(cells);
    return status;
}
