/* The engine's room: which layer's numbers stand where. Public: a function of the network and settings. */
#include <assert.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/engine/parts.h"

/* ---- places ---- */

static bool is_pointwise(sot_layer_kind kind)
{
    return kind == SOT_LAYER_TANH || kind == SOT_LAYER_RELU;
}

/* True if the layer may overwrite its input, which is not used again. Dense, conv, pools and
 * norms need their inputs or neither in the backward pass; tanh and relu need their own
 * outputs. */
static bool may_overwrite(const sot_engine *engine, size_t l)
{
    const sot_layer *layers = engine->net->layers;
    if (l == engine->net->front) return false;
    if (layers[l].kind == SOT_LAYER_FLATTEN) return true;
    if (!is_pointwise(layers[l].kind)) return false;
    size_t below = l - 1;
    while (below > engine->net->front && layers[below].kind == SOT_LAYER_FLATTEN)
        below--;
    return !is_pointwise(layers[below].kind);
}

static size_t take(size_t *total, size_t size)
{
    const size_t at = *total;
    *total += size;
    return at;
}

static void lay_out_layer(sot_engine *engine, size_t l)
{
    const sot_layer *layer = &engine->net->layers[l];
    sot_engine_layer *own = &engine->layers[l];
    const bool dense = layer->kind == SOT_LAYER_DENSE;
    own->size = sot_shape_size(layer->out);
    own->trained = layer->parameters > 0 && !layer->frozen;
    own->summed = dense && own->trained && engine->copies == 1;
    own->in_place = may_overwrite(engine, l);
    own->out_at =
        own->in_place ? engine->layers[l - 1].out_at : take(&engine->outs, own->size);
    if (layer->kind == SOT_LAYER_MAX_POOL)
        own->places_at = take(&engine->places, own->size);
    if (layer->kind == SOT_LAYER_GROUP_NORM)
        own->saved_at = take(&engine->saved, 2 * layer->groups);
    if (dense) own->delta_at = take(&engine->deltas, own->size);
    if (own->trained && !dense && l >= engine->lower_end)
        own->late_at = take(&engine->late, layer->parameters);
    if (own->trained) engine->trained++;

    const size_t in = sot_shape_size(layer->in);
    const size_t most = in > own->size ? in : own->size;
    if (l < engine->lower_end && most > engine->lower_most) engine->lower_most = most;
    if (dense && in > engine->inputs_most) engine->inputs_most = in;
    if (layer->kind == SOT_LAYER_CONV) {
        const size_t scratch = engine->operations->conv_scratch(layer);
        if (scratch > engine->scratch) engine->scratch = scratch;
    }
}

void sot_engine_lay_out(sot_engine *engine)
{
    enum { CHUNK_FLOATS = 1 << 18 }; /* 1 MiB: a core's second cache */
    const sot_net *net = engine->net;
    engine->lower_end = net->front;
    while (engine->lower_end < net->layer_count &&
           net->layers[engine->lower_end].kind != SOT_LAYER_DENSE)
        engine->lower_end++;
    for (size_t l = net->front; l < net->layer_count; l++)
        lay_out_layer(engine, l);

    const size_t fit = CHUNK_FLOATS / (engine->outs + engine->deltas + 1);
    engine->chunk = fit > SOT_TILE_ROWS ? SOT_TILE_ROWS : fit;
    if (engine->chunk < SOT_CHUNK_ROWS_MIN) engine->chunk = SOT_CHUNK_ROWS_MIN;
    /* Without a lower part the records only meet in products of matrices: the larger the better. */
    if (engine->lower_end == net->front) engine->chunk = SOT_TILE_ROWS;
    if (engine->mode != SOT_ENGINE_SCORES && engine->copies > 1)
        engine->chunk = engine->copies;
}

/* ---- arrays ---- */

static void *room(sot_worker *worker, size_t count, size_t size, sotto_status *status,
                  sotto_error *error)
{
    if (*status != SOTTO_OK) return NULL;
    void *memory = sot_new_aligned(count, size);
    if (memory == NULL) {
        *status = sot_fail_memory(error, count, size);
        return NULL;
    }
    assert(worker->block_count < SOT_WORKER_BLOCKS);
    worker->blocks[worker->block_count].memory = memory;
    worker->blocks[worker->block_count++].size_bytes = count * size;
    return memory;
}

static void make_gradient_room(const sot_engine *engine, sot_worker *worker,
                               sotto_status *status, sotto_error *error)
{
    const size_t rows = engine->chunk, parameters = engine->net->parameters;
    const size_t lower = engine->lower_end > engine->net->front
                             ? engine->layers[engine->lower_end - 1].size
                             : 0;
    worker->deltas = room(worker, rows * engine->deltas, sizeof(float), status, error);
    worker->lower_delta = room(worker, rows * lower, sizeof(float), status, error);
    worker->ping = room(worker, engine->lower_most, sizeof(float), status, error);
    worker->pong = room(worker, engine->lower_most, sizeof(float), status, error);
    worker->late = room(worker, rows * engine->late, sizeof(float), status, error);
    /* One more gradient: that of one copy, before it joins the others. */
    const size_t gradients = engine->copies > 1 ? 2 : 1;
    worker->formed = room(worker, gradients * parameters, sizeof(float), status, error);
}

static void make_clip_room(const sot_engine *engine, bool first, sot_worker *worker,
                           sotto_status *status, sotto_error *error)
{
    const size_t parameters = engine->net->parameters;
    const size_t numbers = engine->net->layer_count * engine->chunk;
    worker->shares = room(worker, numbers, sizeof(double), status, error);
    worker->factors = room(worker, numbers, sizeof(double), status, error);
    worker->sum = room(worker, parameters, sizeof(float), status, error);
    worker->few = room(worker, parameters, sizeof(int32_t), status, error);
    worker->zeros = room(worker, engine->inputs_most, sizeof(float), status, error);
    if (!first) worker->units = room(worker, parameters, sizeof(int64_t), status, error);
}

sotto_status sot_worker_make(const sot_engine *engine, bool first, sot_worker *worker,
                             sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    const size_t rows = engine->chunk;
    worker->outs = room(worker, rows * engine->outs, sizeof(float), &status, error);
    worker->saved = room(worker, rows * engine->saved, sizeof(float), &status, error);
    worker->places =
        room(worker, rows * engine->places, sizeof(uint32_t), &status, error);
    worker->rows = room(worker, rows, sizeof *worker->rows, &status, error);
    worker->scratch = room(worker, engine->scratch, sizeof(float), &status, error);
    if (engine->mode != SOT_ENGINE_SCORES)
        make_gradient_room(engine, worker, &status, error);
    if (engine->mode == SOT_ENGINE_CLIPPED)
        make_clip_room(engine, first, worker, &status, error);
    return status;
}

void sot_worker_end(sot_worker *worker)
{
    for (size_t b = 0; b < worker->block_count; b++)
        sot_wipe_and_free(worker->blocks[b].memory, worker->blocks[b].size_bytes);
    *worker = (sot_worker){0};
}
