/* The steps: records are drawn, their bounded gradients summed in integers, the sum released, the weights moved.
 * Claims: nn.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/learn/loop.h"
#include "privacy/mechanisms/gate/gate.h"

/* ---- before the first step ---- */

/* Learns and pays for the missing data norms, from the first to the last, each on the output of
 * the layers before it. */
static sotto_status learn_norms(sot_nn_walking *walk, size_t *out_from,
                                sotto_error *error)
{
    const float *weights = walk->state.weights;
    size_t from = 0, release = 0;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < walk->net->front; i++) {
        sot_layer *layer = &walk->net->layers[i];
        if (layer->kind != SOT_LAYER_DATA_NORM || layer->mean != NULL) continue;
        status = sot_nn_rows_apply(&walk->rows, walk->net, from, i, weights, walk->pool,
                                   error);
        if (status == SOTTO_OK) {
            status = sot_data_norm_learn(layer, walk->nn->before + release, walk->gate,
                                         walk->rows.inputs, walk->rows.count,
                                         walk->nn->rows, walk->pool, error);
        }
        from = i;
        release += sot_data_norm_releases(layer);
    }
    *out_from = from;
    return status;
}

/* True if the front is fast and its output is at least as large as its input. A second copy of
 * all records would then waste memory. */
static bool is_light(const sot_net *net)
{
    for (size_t i = 0; i < net->front; i++) {
        const sot_layer_kind kind = net->layers[i].kind;
        if (kind != SOT_LAYER_NORMALISE && kind != SOT_LAYER_DATA_NORM &&
            kind != SOT_LAYER_FLATTEN)
            return false;
    }
    return !sot_net_front_is_identity(net);
}

/* Prepares the records as inputs of the first trainable layer, once. Otherwise they stay encoded,
 * and every step applies the front to its sampled records: with augmentation the copies are made
 * before it. */
static sotto_status prepare_rows(sot_nn_walking *walk, const sot_matrix *matrix,
                                 sotto_error *error)
{
    size_t from = 0;
    sotto_status status = sot_nn_rows_of(walk->net, matrix, &walk->rows, error);
    if (status == SOTTO_OK) status = learn_norms(walk, &from, error);
    if (status != SOTTO_OK) return status;
    walk->fronts = walk->nn->copies > 0 || is_light(walk->net);
    if (!walk->fronts)
        return sot_nn_rows_apply(&walk->rows, walk->net, from, walk->net->front,
                                 walk->state.weights, walk->pool, error);
    if (walk->rows.encoded) return SOTTO_OK;
    sot_nn_rows_free(&walk->rows);
    return sot_nn_rows_of(walk->net, matrix, &walk->rows, error);
}

static sotto_status begin_state(sot_nn_walking *walk, sotto_error *error)
{
    const sot_checkpoint *checkpoint = walk->learner->checkpoint;
    float *first = sot_new_array(walk->net->parameters, sizeof *first);
    if (first == NULL)
        return sot_fail_memory(error, walk->net->parameters, sizeof *first);
    sot_nn_first_parameters(walk->learner, first);
    sotto_status status =
        sot_nn_state_begin(walk->net, &walk->nn->moves, first, &walk->state, error);
    sot_free(first);
    if (status != SOTTO_OK || checkpoint == NULL || checkpoint->state == NULL)
        return status;
    status = sot_nn_restore(walk->net, &walk->state, walk->learner->validation,
                            checkpoint->state, checkpoint->state_bytes, error);
    if (status == SOTTO_OK && (walk->state.step != checkpoint->step ||
                               walk->state.step > walk->nn->moves.steps)) {
        status = sot_fail(error, SOTTO_PARSE,
                          "the checkpoint is of step %llu and states %llu, of %llu; "
                          "delete it to start a new run",
                          (unsigned long long)checkpoint->step,
                          (unsigned long long)walk->state.step,
                          (unsigned long long)walk->nn->moves.steps);
    }
    return status;
}

static sotto_status begin(sot_nn_walking *walk, sot_table *table, sotto_error *error)
{
    const sot_net *net = walk->net;
    const uint64_t copies = walk->nn->copies;
    walk->units = sot_new_array(net->parameters, sizeof *walk->units);
    walk->gradient = sot_new_array(net->trainable, sizeof *walk->gradient);
    if (walk->units == NULL || walk->gradient == NULL)
        return sot_fail_memory(error, net->parameters, sizeof *walk->units);
    sotto_status status = begin_state(walk, error);
    /* The coins' keys before every release: no draw of noise decides where they come from. */
    if (status == SOTTO_OK)
        status = sot_nn_draws_new(&walk->nn->sampler, sot_gate_rng(walk->gate),
                                  walk->pool, &walk->draws, error);
    if (status == SOTTO_OK) status = prepare_rows(walk, sot_table_matrix(table), error);
    if (status == SOTTO_OK)
        status = sot_engine_new(net, &walk->nn->clip, copies == 0 ? 1 : (size_t)copies,
                                walk->pool, &walk->engine, error);
    if (status == SOTTO_OK && !walk->fronts)
        status = sot_nn_rows_square(&walk->rows, walk->engine, error);
    if (status == SOTTO_OK)
        status = sot_nn_validation_new(walk->learner, walk->state.weights, walk->pool,
                                       &walk->validation, error);
    return status;
}

static void end(sot_nn_walking *walk)
{
    const size_t parameters = walk->net->parameters;
    sot_engine_free(walk->engine);
    sot_nn_rows_free(&walk->rows);
    sot_nn_draws_free(walk->draws);
    sot_nn_validation_free(walk->validation);
    sot_nn_state_free(&walk->state);
    sot_wipe_and_free(walk->units, parameters * sizeof *walk->units);
    sot_free(walk->gradient); /* of released sums */
    sot_nn_walk_drop_records(walk);
}

/* ---- a step ---- */

/* Moves the units of layers that learn together, to the beginning. */
static void gather(const sot_net *net, int64_t *units)
{
    for (size_t i = 0, at = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        const size_t count = layer->frozen ? 0 : layer->parameters;
        if (at != layer->first)
            memmove(units + at, units + layer->first, count * sizeof *units);
        at += count;
    }
}

/* The one release of a step, for any number of tiles. */
static sotto_status release(sot_nn_walking *walk, sotto_error *error)
{
    const size_t count = walk->net->trainable;
    gather(walk->net, walk->units);
    return sotto_gaussian_release(walk->gate, &walk->nn->noise, walk->units, count,
                                  walk->units, error);
}

/* Multiplies released sums by `scale`. An int64 below 2^51 in size becomes a double by an
 * addition: 1.5 2^52 plus it, read as a double, has it in its last places. Compilers vectorise
 * this, but not the conversion. */
static void scale_units(const int64_t *restrict units, double scale, size_t count,
                        float *restrict gradient)
{
    enum { LANES = 16 };
    const uint64_t shift = UINT64_C(0x4338000000000000);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        uint64_t bits[LANES], far = 0;
        double values[LANES];
        for (size_t k = 0; k < LANES; k++) {
            bits[k] = (uint64_t)units[i + k] + shift;
            far |= (uint64_t)units[i + k] + (UINT64_C(1) << 51);
        }
        memcpy(values, bits, sizeof values);
        for (size_t k = 0; k < LANES; k++)
            gradient[i + k] = (float)((values[k] - 0x1.8p52) * scale);
        for (size_t k = 0; far >> 52 != 0 && k < LANES; k++)
            gradient[i + k] = (float)((double)units[i + k] * scale);
    }
    for (; i < count; i++)
        gradient[i] = (float)((double)units[i] * scale);
}

static sotto_status take_step(sot_nn_walking *walk, uint64_t step, sotto_error *error)
{
    const sot_nn *nn = walk->nn;
    size_t count = 0;
    sotto_status status = sot_nn_walk_sum(walk, step, &count, error);
    if (status == SOTTO_OK) status = release(walk, error);
    if (status != SOTTO_OK) return status;
    scale_units(walk->units, nn->clip.spacing / nn->sampler.divisor, walk->net->trainable,
                walk->gradient);
    sot_nn_move(walk->net, &nn->moves, walk->gradient, &walk->state);
    return SOTTO_OK;
}

/* Saves only released numbers: a later run has other coins and other noise. */
static sotto_status keep(const sot_nn_walking *walk, sotto_error *error)
{
    const sot_checkpoint *checkpoint = walk->learner->checkpoint;
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (checkpoint == NULL || !checkpoint->is_due(checkpoint->context)) return SOTTO_OK;
    sotto_status status = sot_nn_save(walk->net, &walk->state, walk->learner->validation,
                                      &bytes, &size, error);
    if (status == SOTTO_OK)
        status =
            checkpoint->keep(checkpoint->context, walk->state.step, bytes, size, error);
    sot_free(bytes);
    return status;
}

static sotto_status walk_all(sot_nn_walking *walk, sotto_error *error)
{
    const sotto_train_config *config = walk->learner->setup.config;
    const sot_steps steps = sot_nn_steps(walk->nn);
    const sot_progress progress =
        sot_progress_begin(config->progress, config->progress_context);
    const uint64_t every = steps.count / SOT_STEPS_REPORTS + 1;
    sotto_status status =
        sot_steps_report(&steps, config, &progress, walk->state.step, error);
    while (status == SOTTO_OK && walk->state.step < steps.count) {
        const uint64_t step = walk->state.step + 1;
        status = take_step(walk, step, error);
        if (status == SOTTO_OK)
            status =
                sot_nn_validate(walk->validation, &walk->state, step, steps.count, error);
        if (status == SOTTO_OK && (step % every == 0 || step == steps.count))
            status = sot_steps_report(&steps, config, &progress, step, error);
        if (status == SOTTO_OK) status = keep(walk, error);
    }
    return status;
}

sotto_status sot_nn_walk(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                         sot_pool *pool, double *out_theta, sotto_error *error)
{
    sot_nn_walking walk = {.learner = learner,
                           .nn = learner->state,
                           .net = learner->net,
                           .gate = gate,
                           .pool = pool};
    sotto_status status = begin(&walk, table, error);
    if (status == SOTTO_OK) status = walk_all(&walk, error);
    if (status == SOTTO_OK)
        status =
            sot_nn_write_result(walk.net, &walk.state, learner->grid, out_theta, error);
    end(&walk);
    return status;
}
