/* The packing under a Lipschitz loss: an answer that is near costs little, and privacy does not forbid to be near. */
#include <math.h>
#include <string.h>

#include <sotto/model.h>
#include <sotto/train.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/rng.h"
#include "run/pac_packing.h"

enum { RADIUS = 4, GROUPS = 4, DESCENT_STEPS = 4000 };

static const char schema_text[] =
    "{\"dataset\": \"packing\", \"target\": {\"column\": \"yes\", \"labels\": [\"no\", "
    "\"yes\"]}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": -1, \"upper\": 1},"
    "{\"name\": \"yes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";

/* Rows of one kind: a place, an answer, how many. */
typedef struct group {
    double x, sign;
    uint64_t rows;
} group;

/* ---- the best weights ---- */

static double mean_loss(const group *groups, double rows, double weight, double constant)
{
    double sum = 0.0;
    for (int i = 0; i < GROUPS; i++) {
        const double margin = groups[i].sign * (weight * groups[i].x + constant);
        const double loss =
            margin > 0.0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
        sum += (double)groups[i].rows * loss;
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

/* Cells of the schema, two a row. */
static void fill_cells(const group groups[GROUPS], double *out_cells)
{
    for (int i = 0; i < GROUPS; i++) {
        for (uint64_t row = 0; row < groups[i].rows; row++) {
            *out_cells++ = groups[i].x;
            *out_cells++ = groups[i].sign > 0.0 ? 1.0 : 0.0;
        }
    }
}

static sotto_train_config config_of(const sotto_packing_setting *setting, uint64_t seed)
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
    config.insecure_test = true; /* the rows are nobody's */
    config.test_seed = seed;
    config.threads = 1;
    return config;
}

/* The mean loss of one private training, on the rows it saw: they are the distribution. */
static sotto_status train_once(const sotto_train_config *config,
                               const sotto_schema *schema, const double *cells,
                               size_t rows, double *out_loss, sotto_error *error)
{
    const sotto_records records = {
        .features = {.data = cells,
                     .element = SOTTO_FLOAT64,
                     .rows = rows,
                     .columns = 2,
                     .row_stride_bytes = 2 * (ptrdiff_t)sizeof *cells,
                     .column_stride_bytes = (ptrdiff_t)sizeof *cells}};
    sotto_train_result *result = NULL;
    sotto_model *model = NULL;
    sotto_evaluation evaluation = {.rows = 0};
    sotto_status status = sotto_train_records(config, schema, &records, &result, error);
    if (status == SOTTO_OK) {
        const char *json = sotto_train_json(result);
        status = sotto_model_parse("packing", json, strlen(json), &model, error);
    }
    if (status == SOTTO_OK)
        status = sotto_model_evaluate_records(model, &records, 0.5, &evaluation, error);
    if (status == SOTTO_OK) *out_loss = evaluation.log_loss;
    sotto_evaluation_clear(&evaluation);
    sotto_model_free(model);
    sotto_train_free(result);
    return status;
}

sotto_status sot_pac_lipschitz_contrast(const sotto_packing_setting *setting,
                                        uint64_t repeats, uint64_t seed, sotto_rng *rng,
                                        sotto_packing_contrast *out_contrast,
                                        sotto_error *error)
{
    const size_t rows = (size_t)setting->rows;
    sotto_schema *schema = NULL;
    double excess = 0.0, silent = 0.0;
    double *cells = sot_new_array(2 * rows, sizeof *cells);
    if (cells == NULL) return sot_fail_memory(error, 2 * rows, sizeof *cells);
    sotto_status status = sotto_schema_parse("packing", schema_text,
                                             sizeof schema_text - 1, &schema, error);
    for (uint64_t i = 0; i < repeats && status == SOTTO_OK; i++) {
        group groups[GROUPS];
        double loss = 0.0;
        const sotto_train_config config = config_of(setting, seed + i);
        fill_groups(setting, rng, groups);
        fill_cells(groups, cells);
        status = train_once(&config, schema, cells, rows, &loss, error);
        const double least = least_loss(groups, (double)rows);
        excess += loss - least;
        silent += mean_loss(groups, (double)rows, 0.0, 0.0) - least;
    }
    out_contrast->lipschitz_excess = excess / (double)repeats;
    out_contrast->lipschitz_silent = silent / (double)repeats;
    sotto_schema_free(schema);
    sot_free(cells);
    return status;
}
