/* Training on public rows: shuffled passes in mini-batches, no noise, no bound on a gradient. The reference for the
 * rest, and the maker of first weights. */
#include <math.h>
#include <string.h>

#include <sotto/rng.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/batches/batch.h"
#include "models/network/learn/parts.h"

/* Seed of the order of the rows: the same training twice gives the same network. */
enum { ORDER_SEED = 1 };

typedef struct plain_walk {
    const sot_learner *learner;
    sot_net *net;
    sot_pool *pool;
    sot_nn_moves moves;
    sot_engine *engine;
    sot_nn_rows rows;
    sot_nn_validation *validation;
    sot_nn_state state;
    sotto_rng *rng;
    size_t batch;
    uint32_t *order;      /* of a pass */
    float *sum;           /* one per parameter */
    const float **inputs; /* of a batch */
    double *labels;
    size_t *starts;
} plain_walk;

static sotto_status prepare_rows(plain_walk *plain, const sot_matrix *matrix,
                                 sotto_error *error)
{
    const float *weights = plain->state.weights;
    size_t from = 0;
    sotto_status status = sot_nn_rows_of(plain->net, matrix, &plain->rows, error);
    for (size_t i = 0; status == SOTTO_OK && i < plain->net->front; i++) {
        sot_layer *layer = &plain->net->layers[i];
        if (layer->kind != SOT_LAYER_DATA_NORM || layer->mean != NULL) continue;
        status = sot_nn_rows_apply(&plain->rows, plain->net, from, i, weights,
                                   plain->pool, error);
        if (status == SOTTO_OK)
            status = sot_data_norm_measure(layer, plain->rows.inputs, plain->rows.count,
                                           error);
        from = i;
    }
    if (status != SOTTO_OK) return status;
    return sot_nn_rows_apply(&plain->rows, plain->net, from, plain->net->front, weights,
                             plain->pool, error);
}

/* The number of rows is public here, and so are batch and steps. */
static sotto_status settle(plain_walk *plain, size_t rows, sotto_error *error)
{
    const sot_nn *nn = plain->learner->state;
    const double lambda = plain->learner->setup.config->lambda;
    if (rows == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are no rows to train on; give at least one");
    }
    plain->batch = nn->sampler.batch < rows ? (size_t)nn->sampler.batch : rows;
    plain->moves = nn->moves;
    if (!isnan(lambda)) plain->moves.decay = lambda / (double)rows;
    if (plain->moves.steps == 0) {
        const double steps = nn->epochs * (double)rows / (double)plain->batch;
        plain->moves.steps = (uint64_t)fmin(SOT_STEPS_MAX, fmax(1.0, rint(steps)));
    }
    return SOTTO_OK;
}

static sotto_status make_room(plain_walk *plain, size_t rows, sotto_error *error)
{
    const size_t parameters = plain->net->parameters;
    const size_t tiles = (plain->batch + SOT_TILE_ROWS - 1) / SOT_TILE_ROWS;
    plain->order = sot_new_array(rows, sizeof *plain->order);
    plain->sum = sot_new_array(parameters, sizeof *plain->sum);
    plain->inputs = sot_new_array(plain->batch, sizeof *plain->inputs);
    plain->labels = sot_new_array(plain->batch, sizeof *plain->labels);
    plain->starts = sot_new_array(tiles + 1, sizeof *plain->starts);
    if (plain->order == NULL || plain->sum == NULL || plain->inputs == NULL ||
        plain->labels == NULL || plain->starts == NULL)
        return sot_fail_memory(error, rows + parameters, sizeof(double));
    for (size_t i = 0; i <= tiles; i++)
        plain->starts[i] = i < tiles ? i * SOT_TILE_ROWS : plain->batch;
    return SOTTO_OK;
}

static sotto_status begin(plain_walk *plain, const sot_matrix *matrix, sotto_error *error)
{
    sotto_status status = settle(plain, matrix->rows, error);
    if (status == SOTTO_OK) status = make_room(plain, matrix->rows, error);
    if (status != SOTTO_OK) return status;
    float *first = sot_new_array(plain->net->parameters, sizeof *first);
    if (first == NULL)
        return sot_fail_memory(error, plain->net->parameters, sizeof *first);
    sot_nn_first_parameters(plain->learner, first);
    status = sot_nn_state_begin(plain->net, &plain->moves, first, &plain->state, error);
    sot_free(first);
    if (status == SOTTO_OK) status = prepare_rows(plain, matrix, error);
    const sot_nn *nn = plain->learner->state;
    if (status == SOTTO_OK)
        status =
            sot_engine_new(plain->net, &nn->clip, 1, plain->pool, &plain->engine, error);
    if (status == SOTTO_OK)
        status = sotto_rng_new_for_test(ORDER_SEED, &plain->rng, error);
    if (status == SOTTO_OK)
        status = sot_nn_validation_new(plain->learner, plain->state.weights, plain->pool,
                                       &plain->validation, error);
    return status;
}

static void end(plain_walk *plain)
{
    sot_engine_free(plain->engine);
    sot_nn_rows_free(&plain->rows);
    sot_nn_validation_free(plain->validation);
    sot_nn_state_free(&plain->state);
    sotto_rng_free(plain->rng);
    sot_free(plain->order);
    sot_free(plain->sum);
    sot_free(plain->inputs);
    sot_free(plain->labels);
    sot_free(plain->starts);
}

static sotto_status take_step(plain_walk *plain, sotto_error *error)
{
    const size_t slices = plain->rows.count / plain->batch;
    const size_t slice = (size_t)(plain->state.step % slices);
    double loss; /* not reported */
    sotto_status status = SOTTO_OK;
    if (slice == 0)
        status = sot_shuffle(plain->rng, plain->rows.count, plain->order, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < plain->batch; i++) {
        const uint32_t row = plain->order[slice * plain->batch + i];
        plain->inputs[i] = plain->rows.inputs[row];
        plain->labels[i] = plain->rows.labels[row];
    }
    const sot_tiles tiles = {.inputs = plain->inputs,
                             .labels = plain->labels,
                             .starts = plain->starts,
                             .tiles = (plain->batch + SOT_TILE_ROWS - 1) / SOT_TILE_ROWS,
                             .copies = 1};
    memset(plain->sum, 0, plain->net->parameters * sizeof *plain->sum);
    status = sot_engine_add_plain(plain->engine, plain->state.weights, &tiles, plain->sum,
                                  &loss, error);
    if (status != SOTTO_OK) return status;
    const float inverse = (float)(1.0 / (double)plain->batch);
    for (size_t i = 0, at = 0; i < plain->net->layer_count; i++) {
        const sot_layer *layer = &plain->net->layers[i];
        const size_t count = layer->frozen ? 0 : layer->parameters;
        for (size_t k = 0; k < count; k++)
            plain->sum[at++] = inverse * plain->sum[layer->first + k];
    }
    sot_nn_move(plain->net, &plain->moves, plain->sum, &plain->state);
    return SOTTO_OK;
}

static sotto_status walk_all(plain_walk *plain, sotto_error *error)
{
    const sotto_train_config *config = plain->learner->setup.config;
    const sot_progress progress =
        sot_progress_begin(config->progress, config->progress_context);
    const uint64_t steps = plain->moves.steps;
    const uint64_t every = steps / SOT_STEPS_REPORTS + 1;
    sotto_status status = SOTTO_OK;
    while (status == SOTTO_OK && plain->state.step < steps) {
        status = take_step(plain, error);
        const uint64_t step = plain->state.step;
        if (status == SOTTO_OK)
            status =
                sot_nn_validate(plain->validation, &plain->state, step, steps, error);
        if (status == SOTTO_OK && progress.function != NULL &&
            (step % every == 0 || step == steps))
            status = sot_progress_report(&progress, step, steps, SOTTO_UNSET, error);
    }
    return status;
}

sotto_status sot_nn_walk_plain(const sot_learner *learner, sotto_gate *gate,
                               sot_table *table, sot_pool *pool, double *out_theta,
                               sotto_error *error)
{
    (void)gate; /* there is none: nothing is private */
    plain_walk plain = {.learner = learner, .net = learner->net, .pool = pool};
    sotto_status status = begin(&plain, sot_table_matrix(table), error);
    if (status == SOTTO_OK) status = walk_all(&plain, error);
    if (status == SOTTO_OK)
        status =
            sot_nn_write_result(plain.net, &plain.state, learner->grid, out_theta, error);
    end(&plain);
    return status;
}
