/* Writing the JSON form of a network: what json.c reads. */
#include "models/network/layers/parts.h"

const char *sot_net_loss_name(sot_net_loss loss)
{
    return loss == SOT_NET_SOFTMAX ? "softmax" : "squared";
}

static void write_size(sot_json_writer *writer, const char *key, size_t size)
{
    sot_json_key(writer, key);
    sot_json_write_int64(writer, (int64_t)size);
}

static void write_number(sot_json_writer *writer, const char *key, double number)
{
    sot_json_key(writer, key);
    sot_json_write_double(writer, number);
}

static void write_numbers(sot_json_writer *writer, const char *key, const double *numbers,
                          size_t count)
{
    sot_json_key(writer, key);
    sot_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        sot_json_write_double(writer, numbers[i]);
    sot_json_end_array(writer);
}

static void write_true(sot_json_writer *writer, const char *key, bool truth)
{
    if (!truth) return;
    sot_json_key(writer, key);
    sot_json_write_bool(writer, true);
}

static void write_sizes(const sot_layer *layer, sot_json_writer *writer)
{
    switch (layer->kind) {
    case SOT_LAYER_DATA_NORM:
        write_number(writer, "clip", layer->clip);
        if (layer->clip_squares > 0.0)
            write_number(writer, "clip_squares", layer->clip_squares);
        write_number(writer, "noise", layer->noise);
        break;
    case SOT_LAYER_GROUP_NORM:
        write_size(writer, "groups", layer->groups);
        write_true(writer, "affine", layer->affine);
        break;
    case SOT_LAYER_DENSE:
        write_size(writer, "units", layer->out.channels);
        break;
    case SOT_LAYER_CONV:
        write_size(writer, "channels", layer->out.channels);
        write_size(writer, "kernel", layer->kernel);
        write_size(writer, "stride", layer->stride);
        write_size(writer, "padding", layer->padding);
        break;
    case SOT_LAYER_MAX_POOL:
    case SOT_LAYER_AVERAGE_POOL:
        write_size(writer, "size", layer->kernel);
        write_size(writer, "stride", layer->stride);
        break;
    case SOT_LAYER_SCATTERING:
        write_true(writer, "mirror", layer->mirror);
        break;
    case SOT_LAYER_NORMALISE:
    case SOT_LAYER_TANH:
    case SOT_LAYER_RELU:
    case SOT_LAYER_FLATTEN:
        break;
    }
}

static void write_layer(const sot_layer *layer, sot_json_writer *writer)
{
    sot_json_begin_object(writer);
    sot_json_key(writer, "type");
    sot_json_write_string(writer, sot_layer_kind_name(layer->kind));
    write_sizes(layer, writer);
    if (layer->mean != NULL) {
        write_numbers(writer, "mean", layer->mean, layer->in.channels);
        write_numbers(writer, "deviation", layer->deviation, layer->in.channels);
    }
    write_true(writer, "frozen", layer->frozen);
    sot_json_end_object(writer);
}

void sot_net_write(const sot_net *net, sot_json_writer *writer)
{
    const size_t shape[3] = {net->input.channels, net->input.height, net->input.width};
    sot_json_begin_object(writer);
    sot_json_key(writer, "kind");
    sot_json_write_string(writer, "network");
    write_size(writer, "version", 1);
    sot_json_key(writer, "input");
    sot_json_begin_array(writer);
    for (size_t i = 0; i < 3; i++)
        sot_json_write_int64(writer, (int64_t)shape[i]);
    sot_json_end_array(writer);
    sot_json_key(writer, "layers");
    sot_json_begin_array(writer);
    for (size_t l = 0; l < net->layer_count; l++)
        write_layer(&net->layers[l], writer);
    sot_json_end_array(writer);
    sot_json_key(writer, "loss");
    sot_json_write_string(writer, sot_net_loss_name(net->loss));
    sot_json_end_object(writer);
}
