/* Norms, factors, units: where a record's part is bounded. engine.md proves that it is. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "models/network/engine/parts.h"

static double *share_of(const sot_pass *pass, size_t l, size_t i)
{
    return &pass->worker->shares[l * pass->engine->chunk + i];
}

static double *factor_of(const sot_pass *pass, size_t l, size_t i)
{
    return &pass->worker->factors[l * pass->engine->chunk + i];
}

static float *deltas_of(const sot_pass *pass, size_t l)
{
    return pass->worker->deltas + pass->engine->chunk * pass->engine->layers[l].delta_at;
}

static const float *late_of(const sot_pass *pass, size_t l, size_t i)
{
    return pass->worker->late + pass->engine->chunk * pass->engine->layers[l].late_at +
           i * pass->engine->net->layers[l].parameters;
}

static bool is_late(const sot_engine *engine, size_t l)
{
    return engine->layers[l].trained && l >= engine->lower_end &&
           engine->net->layers[l].kind != SOT_LAYER_DENSE;
}

/* ---- factors ---- */

static double factor_for(const sot_clip *clip, double bound, double squared_norm)
{
    const double norm = sqrt(squared_norm);
    if (clip->rule == SOTTO_CLIPPING_AUTOMATIC)
        return SOT_CLIP_SHRINK * (bound / (norm + 0.01));
    return norm > bound ? SOT_CLIP_SHRINK * (bound / norm) : SOT_CLIP_SHRINK;
}

/* Row i's factor of every layer, from its shares of the squared norm. If one of them is not finite, all factors
 * are 0: the record adds nothing. */
static void decide(const sot_pass *pass, size_t i)
{
    const sot_engine *engine = pass->engine;
    const sot_clip *clip = &engine->clip;
    const bool per_layer = clip->rule == SOTTO_CLIPPING_PER_LAYER;
    const double bound =
        per_layer ? clip->bound / sqrt((double)engine->trained) : clip->bound;
    double total = 0.0;
    for (size_t l = engine->net->front; l < engine->net->layer_count; l++)
        if (engine->layers[l].trained) total += *share_of(pass, l, i);
    const bool fine = isfinite(total);
    const double flat = fine && !per_layer ? factor_for(clip, bound, total) : 0.0;
    for (size_t l = engine->net->front; l < engine->net->layer_count; l++) {
        if (!engine->layers[l].trained) continue;
        *factor_of(pass, l, i) =
            fine && per_layer ? factor_for(clip, bound, *share_of(pass, l, i)) : flat;
    }
}

/* ---- a chunk of records ---- */

bool sot_engine_wants_squares(const sot_engine *engine)
{
    return engine->mode == SOT_ENGINE_CLIPPED &&
           engine->layers[engine->net->front].summed;
}

typedef struct squares_job {
    const sot_engine *engine;
    const float *const *inputs;
    double *squares;
} squares_job;

static sotto_status square_some(size_t chunk, size_t begin, size_t end, void *context,
                                sotto_error *error)
{
    const squares_job *own = context;
    const sot_engine *engine = own->engine;
    const size_t size = sot_shape_size(engine->net->layers[engine->net->front].in);
    (void)chunk;
    (void)error;
    for (size_t i = begin; i < end; i++)
        own->squares[i] = engine->operations->squares(own->inputs[i], size);
    return SOTTO_OK;
}

sotto_status sot_engine_squares(const sot_engine *engine, const float *const *inputs,
                                size_t count, double *squares, sotto_error *error)
{
    squares_job own = {.engine = engine, .inputs = inputs, .squares = squares};
    return sot_parallel_for(engine->pool, count, SOT_TILE_ROWS, square_some, &own, error);
}

/* |a|^2 of row i at dense layer l: at hand for the first one, perhaps. */
static double input_squares(const sot_pass *pass, size_t l, size_t i)
{
    const sot_engine *engine = pass->engine;
    if (l == engine->net->front && pass->squares != NULL) return pass->squares[i];
    return engine->operations->squares(pass->worker->rows[i],
                                       engine->net->layers[l].in.channels);
}

/* |delta a'|^2 + |delta|^2 = |delta|^2 (|a|^2 + 1): the weights' and the biases' share. */
static void dense_shares(const sot_pass *pass, size_t l)
{
    const sot_operations *operations = pass->engine->operations;
    const sot_layer *layer = &pass->engine->net->layers[l];
    const size_t units = layer->out.channels;
    const float *delta = deltas_of(pass, l);
    sot_pass_rows(pass, l);
    for (size_t i = 0; i < pass->rows; i++)
        *share_of(pass, l, i) = operations->squares(delta + i * units, units) *
                                (input_squares(pass, l, i) + 1.0);
}

static void upper_shares(const sot_pass *pass)
{
    const sot_engine *engine = pass->engine;
    for (size_t l = engine->lower_end; l < engine->net->layer_count; l++) {
        if (engine->layers[l].summed) {
            dense_shares(pass, l);
        } else if (is_late(engine, l)) {
            for (size_t i = 0; i < pass->rows; i++)
                *share_of(pass, l, i) = engine->operations->squares(
                    late_of(pass, l, i), engine->net->layers[l].parameters);
        }
    }
}

static void add_formed(const sot_pass *pass, size_t l, size_t i, const float *gradient)
{
    const sot_layer *layer = &pass->engine->net->layers[l];
    const double factor = *factor_of(pass, l, i);
    if (factor == 0.0) return; /* it may hold anything */
    const double copies = (double)pass->engine->copies;
    pass->engine->operations->add_truncated(
        gradient, layer->parameters,
        (float)(factor / (copies * pass->engine->clip.spacing)),
        pass->worker->few + layer->first);
}

/* The lower part, record by record: its shares complete the record's norm. */
static void lower_row(const sot_pass *pass, size_t i)
{
    const sot_engine *engine = pass->engine;
    const float *formed = pass->worker->formed;
    sot_pass_down_row(pass, i, false);
    for (size_t l = engine->net->front; l < engine->lower_end; l++)
        if (engine->layers[l].trained)
            *share_of(pass, l, i) = engine->operations->squares(
                formed + engine->net->layers[l].first, engine->net->layers[l].parameters);
    decide(pass, i);
    for (size_t l = engine->net->front; l < engine->lower_end; l++)
        if (engine->layers[l].trained)
            add_formed(pass, l, i, formed + engine->net->layers[l].first);
}

static inline float scaled(float delta, double factor)
{
    const float product = (float)(factor * (double)delta);
    return fabsf(product) < FLT_MIN ? 0.0F : product;
}

/* Eight at a time: loops of a fixed length become vectors. */
static void scale_row(float *delta, size_t units, double factor)
{
    enum { LANES = 8 };
    size_t j = 0;
    for (; j + LANES <= units; j += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            delta[j + lane] = scaled(delta[j + lane], factor);
    for (; j < units; j++)
        delta[j] = scaled(delta[j], factor);
}

/* Removes rows that add nothing, including their inputs: 0 times infinity would be NaN. Below
 * FLT_MIN a float rounds by more than 2^-24 of it, and the input beside it may be huge. Such a
 * delta counts as 0. */
static void scale_deltas(const sot_pass *pass, size_t l)
{
    const size_t units = pass->engine->net->layers[l].out.channels;
    sot_pass_rows(pass, l);
    for (size_t i = 0; i < pass->rows; i++) {
        float *delta = deltas_of(pass, l) + i * units;
        const double factor = *factor_of(pass, l, i);
        if (factor == 0.0) {
            pass->worker->rows[i] = pass->worker->zeros;
            memset(delta, 0, units * sizeof *delta);
            continue;
        }
        scale_row(delta, units, factor);
    }
}

void sot_clip_chunk(const sot_pass *pass, bool first_of_tile)
{
    const sot_engine *engine = pass->engine;
    sot_worker *worker = pass->worker;
    if (worker->waiting + pass->rows > SOT_FLUSH_RECORDS) sot_clip_flush(engine, worker);
    worker->waiting += pass->rows;
    upper_shares(pass);
    for (size_t i = 0; i < pass->rows; i++)
        lower_row(pass, i);
    for (size_t l = engine->lower_end; l < engine->net->layer_count; l++) {
        const sot_layer *layer = &engine->net->layers[l];
        if (engine->layers[l].summed) {
            scale_deltas(pass, l);
            engine->operations->dense_gradient(layer, deltas_of(pass, l), worker->rows,
                                               pass->rows, !first_of_tile,
                                               worker->sum + layer->first);
        } else if (is_late(engine, l)) {
            for (size_t i = 0; i < pass->rows; i++)
                add_formed(pass, l, i, late_of(pass, l, i));
        }
    }
}

/* ---- the copies of one record ---- */

static void form_upper(const sot_pass *pass, size_t l, float *sum)
{
    const sot_layer *layer = &pass->engine->net->layers[l];
    if (layer->kind == SOT_LAYER_DENSE) {
        sot_pass_rows(pass, l);
        pass->engine->operations->dense_gradient(
            layer, deltas_of(pass, l), pass->worker->rows, pass->rows, false, sum);
        return;
    }
    memset(sum, 0, layer->parameters * sizeof *sum);
    for (size_t i = 0; i < pass->rows; i++)
        for (size_t k = 0; k < layer->parameters; k++)
            sum[k] += late_of(pass, l, i)[k];
}

void sot_clip_copies(const sot_pass *pass)
{
    const sot_engine *engine = pass->engine;
    sot_worker *worker = pass->worker;
    const double copies = (double)pass->rows;
    if (worker->waiting + 1 > SOT_FLUSH_RECORDS) sot_clip_flush(engine, worker);
    worker->waiting++;
    for (size_t i = 0; i < pass->rows; i++)
        sot_pass_down_row(pass, i, i > 0);
    for (size_t l = engine->net->front; l < engine->net->layer_count; l++) {
        const sot_layer *layer = &engine->net->layers[l];
        float *sum = worker->formed + layer->first;
        if (!engine->layers[l].trained) continue;
        if (l >= engine->lower_end) form_upper(pass, l, sum);
        *share_of(pass, l, 0) =
            engine->operations->squares(sum, layer->parameters) / (copies * copies);
    }
    decide(pass, 0);
    for (size_t l = engine->net->front; l < engine->net->layer_count; l++)
        if (engine->layers[l].trained)
            add_formed(pass, l, 0, worker->formed + engine->net->layers[l].first);
}

/* ---- into int64 ---- */

void sot_clip_end_tile(const sot_engine *engine, sot_worker *worker)
{
    const float scale = (float)(1.0 / engine->clip.spacing);
    for (size_t l = engine->lower_end; l < engine->net->layer_count; l++) {
        const sot_layer *layer = &engine->net->layers[l];
        if (engine->layers[l].summed)
            engine->operations->add_rounded(worker->sum + layer->first, layer->parameters,
                                            scale, worker->units + layer->first);
    }
}

void sot_clip_flush(const sot_engine *engine, sot_worker *worker)
{
    if (worker->waiting == 0) return;
    worker->waiting = 0;
    for (size_t l = engine->net->front; l < engine->net->layer_count; l++) {
        const sot_layer *layer = &engine->net->layers[l];
        if (!engine->layers[l].trained || engine->layers[l].summed) continue;
        int32_t *few = worker->few + layer->first;
        int64_t *units = worker->units + layer->first;
        for (size_t k = 0; k < layer->parameters; k++) {
            units[k] += few[k];
            few[k] = 0;
        }
    }
}
