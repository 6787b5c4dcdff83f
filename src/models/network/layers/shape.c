/* Shapes and places, from the layers' kinds and sizes. */
#include "base/error.h"
#include "models/network/layers/parts.h"
#include "models/network/scattering/scattering.h"

static sotto_status refuse(const sot_layer *layer, size_t number, const char *what,
                           sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "layer %zu (%s) gets %zu x %zu x %zu numbers (height, width, "
                    "channels); %s",
                    number, sot_layer_kind_name(layer->kind), layer->in.height,
                    layer->in.width, layer->in.channels, what);
}

/* (size + 2 padding - kernel) / stride + 1 places of a window along one side; 0: none. */
static size_t windows(size_t size, const sot_layer *layer)
{
    const size_t padded = size + 2 * layer->padding;
    return padded < layer->kernel ? 0 : (padded - layer->kernel) / layer->stride + 1;
}

static sotto_status finish_windows(sot_layer *layer, size_t number, sotto_error *error)
{
    if (layer->in.height * layer->in.width == 1)
        return refuse(layer, number, "it needs an image: vectors have dense layers",
                      error);
    layer->out.height = windows(layer->in.height, layer);
    layer->out.width = windows(layer->in.width, layer);
    if (layer->kind != SOT_LAYER_CONV) layer->out.channels = layer->in.channels;
    if (layer->out.height == 0 || layer->out.width == 0)
        return refuse(
            layer, number,
            layer->kind == SOT_LAYER_CONV
                ? "its window is larger: choose a smaller kernel or more padding"
                : "its window is larger: choose a smaller size",
            error);
    if (layer->kind != SOT_LAYER_CONV) return SOTTO_OK;
    layer->weights =
        layer->out.channels * layer->kernel * layer->kernel * layer->in.channels;
    layer->parameters = layer->weights + layer->out.channels;
    return SOTTO_OK;
}

static sotto_status finish_scattering(sot_layer *layer, size_t number, sotto_error *error)
{
    const size_t side = layer->in.height;
    if (layer->in.width != side ||
        sot_scattering_check(side, layer->in.channels, NULL) != SOTTO_OK)
        return refuse(layer, number,
                      "it needs a square image whose side is a multiple of 4 from 8 to "
                      "256",
                      error);
    layer->out =
        (sot_shape){side / 4, side / 4, SOT_SCATTERING_CHANNELS * layer->in.channels};
    return SOTTO_OK;
}

static sotto_status finish_layer(sot_net *net, size_t number, sotto_error *error)
{
    sot_layer *layer = &net->layers[number - 1];
    switch (layer->kind) {
    case SOT_LAYER_SCATTERING:
        return finish_scattering(layer, number, error);
    case SOT_LAYER_CONV:
    case SOT_LAYER_MAX_POOL:
    case SOT_LAYER_AVERAGE_POOL:
        return finish_windows(layer, number, error);
    case SOT_LAYER_DENSE:
        if (layer->in.height * layer->in.width != 1)
            return refuse(layer, number, "it needs a vector: put flatten before it",
                          error);
        if (layer->out.channels == 0) layer->out.channels = net->outputs;
        layer->out.height = layer->out.width = 1;
        layer->weights = layer->out.channels * layer->in.channels;
        layer->parameters = layer->weights + layer->out.channels;
        return SOTTO_OK;
    case SOT_LAYER_GROUP_NORM:
        if (layer->in.channels % layer->groups != 0)
            return refuse(layer, number, "its groups must divide the channels", error);
        layer->out = layer->in;
        layer->weights = layer->affine ? layer->in.channels : 0;
        layer->parameters = 2 * layer->weights;
        return SOTTO_OK;
    case SOT_LAYER_FLATTEN:
        layer->out = (sot_shape){1, 1, sot_shape_size(layer->in)};
        return SOTTO_OK;
    case SOT_LAYER_NORMALISE:
    case SOT_LAYER_DATA_NORM:
        if (layer->in.channels > SOT_NET_CHANNELS_MAX)
            return refuse(layer, number, "it takes at most 4096 channels", error);
        break;
    case SOT_LAYER_TANH:
    case SOT_LAYER_RELU:
        break;
    }
    layer->out = layer->in;
    return SOTTO_OK;
}

sotto_status sot_net_finish(sot_net *net, sotto_error *error)
{
    sot_shape shape = net->input;
    net->parameters = 0;
    for (size_t l = 0; l < net->layer_count; l++) {
        sot_layer *layer = &net->layers[l];
        layer->in = shape;
        const sotto_status status = finish_layer(net, l + 1, error);
        if (status != SOTTO_OK) return status;
        shape = layer->out;
        if (sot_shape_size(shape) > SOT_NET_SIZE_MAX)
            return refuse(layer, l + 1,
                          "its output is more than 2^24 numbers per record: choose fewer "
                          "channels or a longer stride",
                          error);
        layer->first = net->parameters;
        net->parameters += layer->parameters;
        if (net->parameters > SOT_NET_PARAMETERS_MAX) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "the network has more than %zu parameters up to layer %zu "
                            "(%s); choose fewer units or channels",
                            SOT_NET_PARAMETERS_MAX, l + 1,
                            sot_layer_kind_name(layer->kind));
        }
    }
    if (shape.height * shape.width != 1 || shape.channels != net->outputs) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the last layer gives %zu x %zu x %zu numbers (height, width, "
                        "channels), and the target asks for %zu; end with {\"type\": "
                        "\"dense\", \"units\": \"outputs\"}",
                        shape.height, shape.width, shape.channels, net->outputs);
    }
    return sot_net_place_front(net, error);
}
