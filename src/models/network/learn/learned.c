/* The initial parameters, and scores on public rows during training. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/learn/parts.h"

/* Seed of the random initial parameters: public, like everything about them. */
enum { FIRST_SEED = 1 };

void sot_nn_first_parameters(const sot_learner *learner, float *out_parameters)
{
    const sot_net *net = learner->net;
    const double *center = learner->setup.center;
    sot_net_initialise(net, FIRST_SEED, out_parameters);
    for (size_t i = 0; center != NULL && i < net->parameters; i++)
        out_parameters[i] = (float)center[i];
}

/* Below 2^-16 a float may be finer than 2^-40; a multiple of that is a float still. */
sotto_status sot_nn_write_result(const sot_net *net, const sot_nn_state *state,
                                 double grid, double *out_theta, sotto_error *error)
{
    float *weights = sot_new_array(net->parameters, sizeof *weights);
    if (weights == NULL) return sot_fail_memory(error, net->parameters, sizeof *weights);
    sot_nn_result(net, state, weights);
    for (size_t i = 0; i < net->parameters; i++)
        out_theta[i] = rint((double)weights[i] / grid) * grid;
    sot_free(weights);
    return SOTTO_OK;
}

/* ---- validation ---- */

struct sot_nn_validation {
    const sot_net *net;
    sot_validation *curve;
    sot_nn_rows rows;
    sot_engine *engine;
    float *weights;
    float *scores;
};

sotto_status sot_nn_validation_new(const sot_learner *learner, const float *parameters,
                                   sot_pool *pool, sot_nn_validation **out_validation,
                                   sotto_error *error)
{
    const sot_net *net = learner->net;
    sot_validation *curve = learner->validation;
    *out_validation = NULL;
    if (curve == NULL || curve->matrix->rows == 0) return SOTTO_OK;
    sot_nn_validation *validation = sot_new_array(1, sizeof *validation);
    if (validation == NULL) return sot_fail_memory(error, 1, sizeof *validation);
    const size_t rows = curve->matrix->rows;
    validation->net = net;
    validation->curve = curve;
    validation->weights = sot_new_array(net->parameters, sizeof(float));
    validation->scores = sot_new_array(rows * net->outputs, sizeof(float));
    sotto_status status = SOTTO_OK;
    if (validation->weights == NULL || validation->scores == NULL)
        status =
            sot_fail_memory(error, rows * net->outputs + net->parameters, sizeof(float));
    if (status == SOTTO_OK)
        status = sot_nn_rows_of(net, curve->matrix, &validation->rows, error);
    if (status == SOTTO_OK)
        status = sot_nn_rows_apply(&validation->rows, net, 0, net->front, parameters,
                                   pool, error);
    if (status == SOTTO_OK)
        status = sot_engine_new(net, NULL, 1, pool, &validation->engine, error);
    if (status != SOTTO_OK) {
        sot_nn_validation_free(validation);
        return status;
    }
    *out_validation = validation;
    return SOTTO_OK;
}

void sot_nn_validation_free(sot_nn_validation *validation)
{
    if (validation == NULL) return;
    sot_engine_free(validation->engine);
    sot_nn_rows_free(&validation->rows);
    sot_free(validation->weights);
    sot_free(validation->scores);
    sot_free(validation);
}

/* The share of rows whose largest score is their label's, the first among equals; two classes have the labels -1
 * and 1. */
static double accuracy(const sot_nn_validation *validation)
{
    const size_t outputs = validation->net->outputs, count = validation->rows.count;
    size_t right = 0;
    for (size_t i = 0; i < count; i++) {
        const float *scores = validation->scores + i * outputs;
        const double label = validation->rows.labels[i];
        size_t best = 0;
        for (size_t c = 1; c < outputs; c++)
            if (scores[c] > scores[best]) best = c;
        right += outputs == 2 ? (best == 1) == (label > 0.0) : (double)best == label;
    }
    return (double)right / (double)count;
}

static double root_mean_square(const sot_nn_validation *validation)
{
    double squares = 0.0;
    for (size_t i = 0; i < validation->rows.count; i++) {
        const double away = (double)validation->scores[i] - validation->rows.labels[i];
        squares += away * away;
    }
    return sqrt(squares / (double)validation->rows.count);
}

sotto_status sot_nn_validate(sot_nn_validation *validation, const sot_nn_state *state,
                             uint64_t step, uint64_t steps, sotto_error *error)
{
    const uint64_t every = steps / SOT_STEPS_REPORTS + 1;
    if (validation == NULL || (step % every != 0 && step != steps)) return SOTTO_OK;
    sot_validation *curve = validation->curve;
    if (curve->count == curve->room) return SOTTO_OK;
    sot_nn_result(validation->net, state, validation->weights);
    const sotto_status status = sot_engine_scores(
        validation->engine, validation->weights, validation->rows.inputs,
        validation->rows.count, validation->scores, error);
    if (status != SOTTO_OK) return status;
    curve->steps[curve->count] = step;
    curve->scores[curve->count++] = validation->net->loss == SOT_NET_SOFTMAX
                                        ? accuracy(validation)
                                        : root_mean_square(validation);
    return SOTTO_OK;
}
