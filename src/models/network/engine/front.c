/* The front: a public function of one record, computed record by record. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/engine/engine.h"
#include "models/network/operations/operations.h"
#include "models/network/scattering/scattering.h"

enum { FRONT_ROWS = 32 }; /* that a thread takes at a time */

typedef struct front {
    const sot_net *net;
    const float *parameters;
    const sot_operations *operations;
    sot_scattering *scattering[SOT_NET_LAYERS_MAX];
    sot_packed packed[SOT_NET_LAYERS_MAX];
    size_t most;    /* numbers of a record before, between or after the layers */
    size_t scratch; /* floats */
    size_t size;    /* of the result */
    const float *const *rows;
    float *out;
    size_t stride;
} front;

/* ---- made ready ---- */

static void grow(size_t *most, size_t size)
{
    if (size > *most) *most = size;
}

static sotto_status prepare_layer(front *own, size_t l, sotto_error *error)
{
    const sot_layer *layer = &own->net->layers[l];
    grow(&own->most, sot_shape_size(layer->out));
    sotto_status status = SOTTO_OK;
    if (layer->kind == SOT_LAYER_SCATTERING) {
        status = sot_scattering_new(layer->in.height, layer->in.channels,
                                    &own->scattering[l], error);
        if (status == SOTTO_OK)
            grow(&own->scratch, sot_scattering_scratch_floats(own->scattering[l]) +
                                    sot_shape_size(layer->in) +
                                    sot_shape_size(layer->out));
    } else if (layer->kind == SOT_LAYER_DENSE || layer->kind == SOT_LAYER_CONV) {
        status = own->operations->pack(layer, own->parameters + layer->first, false,
                                       &own->packed[l], error);
        if (layer->kind == SOT_LAYER_CONV)
            grow(&own->scratch, own->operations->conv_scratch(layer));
    } else if (layer->kind == SOT_LAYER_DATA_NORM && layer->mean == NULL) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "layer %zu (data-norm) has no mean and deviation; train the "
                          "network first, or give them in its file",
                          l + 1);
    }
    return status;
}

static sotto_status prepare(front *own, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    own->most = own->size = sot_shape_size(own->net->input);
    for (size_t l = 0; l < own->net->front && status == SOTTO_OK; l++) {
        status = prepare_layer(own, l, error);
        own->size = sot_shape_size(own->net->layers[l].out);
    }
    return status;
}

static void release(front *own)
{
    for (size_t l = 0; l < own->net->front; l++) {
        sot_scattering_free(own->scattering[l]);
        sot_packed_free(&own->packed[l]);
    }
}

/* ---- one record ---- */

/* [plane][pixel] becomes [pixel][plane]. */
static void turn(sot_shape shape, const float *planes, float *out)
{
    const size_t pixels = shape.height * shape.width;
    for (size_t c = 0; c < shape.channels; c++)
        for (size_t k = 0; k < pixels; k++)
            out[k * shape.channels + c] = planes[c * pixels + k];
}

/* `out` becomes its mean with the output for the mirror image: the same for an image and
 * its mirror image. */
static void add_mirrored(const front *own, size_t l, const float *in, float *out,
                         float *scratch)
{
    const sot_layer *layer = &own->net->layers[l];
    const size_t width = layer->in.width, channels = layer->in.channels;
    float *image = scratch + sot_scattering_scratch_floats(own->scattering[l]);
    float *other = image + sot_shape_size(layer->in);
    for (size_t y = 0; y < layer->in.height; y++)
        for (size_t x = 0; x < width; x++)
            memcpy(image + (y * width + x) * channels,
                   in + (y * width + width - 1 - x) * channels, channels * sizeof *image);
    sot_scattering_apply(own->scattering[l], image, other, scratch);
    for (size_t i = 0; i < sot_shape_size(layer->out); i++)
        out[i] = 0.5F * (out[i] + other[i]);
}

static void apply_layer(const front *own, size_t l, const float *in, float *out,
                        float *scratch, uint32_t *places)
{
    const sot_layer *layer = &own->net->layers[l];
    const float *parameters = own->parameters + layer->first;
    const size_t size = sot_shape_size(layer->in);
    switch (layer->kind) {
    case SOT_LAYER_NORMALISE:
    case SOT_LAYER_DATA_NORM:
        sot_normalise_forward(layer, in, out);
        break;
    case SOT_LAYER_SCATTERING:
        sot_scattering_apply(own->scattering[l], in, out, scratch);
        if (layer->mirror) add_mirrored(own, l, in, out, scratch);
        break;
    case SOT_LAYER_GROUP_NORM:
        sot_group_norm_forward(layer, parameters, in, out, NULL);
        break;
    case SOT_LAYER_DENSE:
        own->operations->dense_forward(layer, &own->packed[l],
                                       parameters + layer->weights, &in, 1, out);
        break;
    case SOT_LAYER_CONV:
        own->operations->conv_forward(layer, &own->packed[l], parameters + layer->weights,
                                      in, out, scratch);
        break;
    case SOT_LAYER_MAX_POOL:
    case SOT_LAYER_AVERAGE_POOL:
        sot_pool_forward(layer, in, out, places);
        break;
    case SOT_LAYER_TANH:
        own->operations->tanh_forward(in, size, out);
        break;
    case SOT_LAYER_RELU:
        sot_relu_forward(in, size, out);
        break;
    case SOT_LAYER_FLATTEN:
        memcpy(out, in, size * sizeof *out);
        break;
    }
}

static void apply_row(const front *own, const float *row, float *scratch,
                      uint32_t *places, float *out)
{
    const sot_shape input = own->net->input;
    float *ping = scratch + own->scratch, *pong = ping + own->most;
    const float *at = row;
    if (input.channels > 1 && input.height * input.width > 1) {
        turn(input, row, ping);
        at = ping;
    }
    for (size_t l = 0; l < own->net->front; l++) {
        float *next = at == ping ? pong : ping;
        apply_layer(own, l, at, next, scratch, places);
        at = next;
    }
    memcpy(out, at, own->size * sizeof *out);
}

static sotto_status apply_some(size_t chunk, size_t begin, size_t end, void *context,
                               sotto_error *error)
{
    const front *own = context;
    (void)chunk;
    sotto_status status = SOTTO_OK;
    const size_t floats = own->scratch + 2 * own->most;
    float *room = sot_new_aligned(floats, sizeof *room);
    uint32_t *places = sot_new_array(own->most, sizeof *places);
    if (room == NULL || places == NULL) {
        status = sot_fail_memory(error, floats, sizeof *room);
        goto done;
    }
    for (size_t i = begin; i < end; i++)
        apply_row(own, own->rows[i], room, places, own->out + i * own->stride);
done:
    sot_wipe_and_free(room, room == NULL ? 0 : floats * sizeof *room);
    sot_wipe_and_free(places, places == NULL ? 0 : own->most * sizeof *places);
    return status;
}

size_t sot_front_stride(const sot_net *net)
{
    enum { LINE = SOT_ALIGNMENT_BYTES / sizeof(float) };
    return (sot_shape_size(sot_net_front_shape(net)) + LINE - 1) / LINE * LINE;
}

sotto_status sot_front_apply(const sot_net *net, const float *parameters,
                             const float *const *rows, size_t count, sot_pool *pool,
                             float *out, size_t stride, sotto_error *error)
{
    front own = {.net = net,
                 .parameters = parameters,
                 .operations = sot_operations_fast(),
                 .rows = rows,
                 .out = out,
                 .stride = stride};
    sotto_status status = prepare(&own, error);
    if (status == SOTTO_OK)
        status = sot_parallel_for(pool, count, FRONT_ROWS, apply_some, &own, error);
    release(&own);
    return status;
}
