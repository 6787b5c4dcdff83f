/* The forward and backward pass for the rows of one chunk. No record's numbers meet another's
 * here: the result of a row depends only on that row and the parameters. */
#include <assert.h>
#include <string.h>

#include "models/network/engine/parts.h"

/* ---- places ---- */

static float *out_of(const sot_pass *pass, size_t l, size_t i)
{
    const sot_engine_layer *own = &pass->engine->layers[l];
    return pass->worker->outs + pass->engine->chunk * own->out_at + i * own->size;
}

static const float *in_of(const sot_pass *pass, size_t l, size_t i)
{
    return l == pass->engine->net->front ? pass->inputs[i] : out_of(pass, l - 1, i);
}

static float *saved_of(const sot_pass *pass, size_t l, size_t i)
{
    const size_t size = 2 * pass->engine->net->layers[l].groups;
    return pass->worker->saved + pass->engine->chunk * pass->engine->layers[l].saved_at +
           i * size;
}

static uint32_t *places_of(const sot_pass *pass, size_t l, size_t i)
{
    const sot_engine_layer *own = &pass->engine->layers[l];
    return pass->worker->places + pass->engine->chunk * own->places_at + i * own->size;
}

static float *late_of(const sot_pass *pass, size_t l, size_t i)
{
    const size_t size = pass->engine->net->layers[l].parameters;
    return pass->worker->late + pass->engine->chunk * pass->engine->layers[l].late_at +
           i * size;
}

static float *dense_deltas(const sot_pass *pass, size_t l)
{
    return pass->worker->deltas + pass->engine->chunk * pass->engine->layers[l].delta_at;
}

/* Returns the place of the deltas at the output of layer l, in the upper part or just below it.
 * They are stored with the dense layer at or below it, whose output has the same size, or at the
 * top of the lower part. */
static float *upper_deltas(const sot_pass *pass, size_t l)
{
    const size_t bottom = pass->engine->lower_end;
    while (l > bottom && pass->engine->net->layers[l].kind != SOT_LAYER_DENSE)
        l--;
    const bool dense = l >= bottom && l < pass->engine->net->layer_count &&
                       pass->engine->net->layers[l].kind == SOT_LAYER_DENSE;
    return dense ? dense_deltas(pass, l) : pass->worker->lower_delta;
}

void sot_pass_rows(const sot_pass *pass, size_t l)
{
    for (size_t i = 0; i < pass->rows; i++)
        pass->worker->rows[i] = in_of(pass, l, i);
}

/* ---- up ---- */

static void forward_row(const sot_pass *pass, size_t l, size_t i)
{
    const sot_layer *layer = &pass->engine->net->layers[l];
    const float *own = pass->parameters + layer->first;
    const float *in = in_of(pass, l, i);
    float *out = out_of(pass, l, i);
    switch (layer->kind) {
    case SOT_LAYER_CONV:
        pass->engine->operations->conv_forward(layer, &pass->engine->packed[l],
                                               own + layer->weights, in, out,
                                               pass->worker->scratch);
        break;
    case SOT_LAYER_MAX_POOL:
    case SOT_LAYER_AVERAGE_POOL:
        sot_pool_forward(layer, in, out,
                         layer->kind == SOT_LAYER_MAX_POOL ? places_of(pass, l, i)
                                                           : NULL);
        break;
    case SOT_LAYER_GROUP_NORM:
        sot_group_norm_forward(layer, own, in, out, saved_of(pass, l, i));
        break;
    case SOT_LAYER_TANH:
        pass->engine->operations->tanh_forward(in, sot_shape_size(layer->in), out);
        break;
    case SOT_LAYER_RELU:
        sot_relu_forward(in, sot_shape_size(layer->in), out);
        break;
    case SOT_LAYER_NORMALISE:
        sot_normalise_forward(layer, in, out);
        break;
    case SOT_LAYER_FLATTEN: /* in place */
        break;
    case SOT_LAYER_DENSE:
    case SOT_LAYER_SCATTERING:
    case SOT_LAYER_DATA_NORM:
        assert(false && "a layer of the upper part, or of the front");
        break;
    }
}

static void forward_dense(const sot_pass *pass, size_t l)
{
    const sot_layer *layer = &pass->engine->net->layers[l];
    sot_pass_rows(pass, l);
    pass->engine->operations->dense_forward(
        layer, &pass->engine->packed[l], pass->parameters + layer->first + layer->weights,
        pass->worker->rows, pass->rows, out_of(pass, l, 0));
}

void sot_pass_forward(const sot_pass *pass)
{
    const sot_engine *engine = pass->engine;
    for (size_t i = 0; i < pass->rows; i++)
        for (size_t l = engine->net->front; l < engine->lower_end; l++)
            forward_row(pass, l, i);
    for (size_t l = engine->lower_end; l < engine->net->layer_count; l++) {
        if (engine->net->layers[l].kind == SOT_LAYER_DENSE) {
            forward_dense(pass, l);
        } else {
            for (size_t i = 0; i < pass->rows; i++)
                forward_row(pass, l, i);
        }
    }
}

const float *sot_pass_scores(const sot_pass *pass, size_t i)
{
    return out_of(pass, pass->engine->net->layer_count - 1, i);
}

float *sot_pass_top(const sot_pass *pass)
{
    return upper_deltas(pass, pass->engine->net->layer_count - 1);
}

/* ---- down ---- */

/* From the deltas at the output of layer l to those at its input. */
static void delta_row(const sot_pass *pass, size_t l, size_t i, const float *delta,
                      float *out)
{
    const sot_layer *layer = &pass->engine->net->layers[l];
    const size_t size = sot_shape_size(layer->out);
    switch (layer->kind) {
    case SOT_LAYER_CONV:
        pass->engine->operations->conv_delta(layer, &pass->engine->packed[l], delta, out,
                                             pass->worker->scratch);
        break;
    case SOT_LAYER_MAX_POOL:
    case SOT_LAYER_AVERAGE_POOL:
        sot_pool_delta(layer,
                       layer->kind == SOT_LAYER_MAX_POOL ? places_of(pass, l, i) : NULL,
                       delta, out);
        break;
    case SOT_LAYER_GROUP_NORM:
        sot_group_norm_delta(layer, pass->parameters + layer->first, in_of(pass, l, i),
                             saved_of(pass, l, i), delta, out);
        break;
    case SOT_LAYER_TANH:
        pass->engine->operations->tanh_delta(out_of(pass, l, i), delta, size, out);
        break;
    case SOT_LAYER_RELU:
        sot_relu_delta(out_of(pass, l, i), delta, size, out);
        break;
    case SOT_LAYER_NORMALISE:
        sot_normalise_delta(layer, delta, out);
        break;
    case SOT_LAYER_FLATTEN:
        if (out != delta) memcpy(out, delta, size * sizeof *out);
        break;
    case SOT_LAYER_DENSE:
    case SOT_LAYER_SCATTERING:
    case SOT_LAYER_DATA_NORM:
        assert(false && "a layer of the upper part, or of the front");
        break;
    }
}

/* The gradient of a layer that is not dense, of one row. */
static void gradient_row(const sot_pass *pass, size_t l, size_t i, const float *delta,
                         float *out)
{
    const sot_layer *layer = &pass->engine->net->layers[l];
    if (layer->kind == SOT_LAYER_CONV) {
        pass->engine->operations->conv_gradient(layer, delta, in_of(pass, l, i), out,
                                                pass->worker->scratch);
    } else {
        assert(layer->kind == SOT_LAYER_GROUP_NORM);
        sot_group_norm_gradient(layer, in_of(pass, l, i), saved_of(pass, l, i), delta,
                                out);
    }
}

void sot_pass_down(const sot_pass *pass)
{
    const sot_engine *engine = pass->engine;
    const size_t front = engine->net->front;
    for (size_t l = engine->net->layer_count; l-- > engine->lower_end;) {
        const sot_engine_layer *own = &engine->layers[l];
        float *delta = upper_deltas(pass, l);
        if (engine->net->layers[l].kind == SOT_LAYER_DENSE) {
            if (l > front)
                engine->operations->dense_delta(&engine->net->layers[l],
                                                &engine->packed[l], delta, pass->rows,
                                                upper_deltas(pass, l - 1));
            continue;
        }
        for (size_t i = 0; i < pass->rows; i++) { /* all of one size: in place */
            float *row = delta + i * own->size;
            if (own->trained) gradient_row(pass, l, i, row, late_of(pass, l, i));
            delta_row(pass, l, i, row, row);
        }
    }
}

void sot_pass_down_row(const sot_pass *pass, size_t i, bool add)
{
    const sot_engine *engine = pass->engine;
    sot_worker *worker = pass->worker;
    const size_t front = engine->net->front;
    if (engine->lower_end == front) return;
    const float *delta =
        worker->lower_delta + i * engine->layers[engine->lower_end - 1].size;
    for (size_t l = engine->lower_end; l-- > front;) {
        const sot_layer *layer = &engine->net->layers[l];
        float *out = delta == worker->ping ? worker->pong : worker->ping;
        float *sum = worker->formed + layer->first;
        if (engine->layers[l].trained && !add) gradient_row(pass, l, i, delta, sum);
        if (engine->layers[l].trained && add) {
            float *one = worker->formed + engine->net->parameters;
            gradient_row(pass, l, i, delta, one);
            for (size_t k = 0; k < layer->parameters; k++)
                sum[k] += one[k];
        }
        if (l > front) delta_row(pass, l, i, delta, out);
        delta = out;
    }
}
