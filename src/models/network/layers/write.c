/* Writes the JSON form of a network, which json.c reads. */
#include "models/network/layers/parts.h"

const char *sot_net_loss_name(sot_net_loss loss)
{
    return loss == SOT_NET_SOFTMAX ? "softmax" : "squared";
}

static void write_numbers(sot_json_writer *writer, const char *key, const double *numbers,
                          size_t count)
{
    sot_json_open_array(writer, key);
    for (size_t i = 0; i < count; i++)
        sot_json_write_double(writer, numbers[i]);
    sot_json_end_array(writer);
}

static void write_true(sot_json_writer *writer, const char *key, bool truth)
{
    if (!truth) return;
    sot_json_put_bool(writer, key, true);
}

static void write_sizes(const sot_layer *layer, sot_json_writer *writer)
{
    switch (layer->kind) {
    case SOT_LAYER_DATA_NORM:
        sot_json_put_double(writer, "clip", layer->clip);
        if (layer->clip_squares > 0.0)
            sot_json_put_double(writer, "clip_squares", layer->clip_squares);
        sot_json_put_double(writer, "noise", layer->noise);
        break;
    case SOT_LAYER_GROUP_NORM:
        sot_json_put_whole(writer, "groups", layer->groups);
        write_true(writer, "affine", layer->affine);
        break;
    case SOT_LAYER_DENSE:
        sot_json_put_whole(writer, "units", layer->out.channels);
        break;
    case SOT_LAYER_CONV:
        sot_json_put_whole(writer, "channels", layer->out.channels);
        sot_json_put_whole(writer, "kernel", layer->kernel);
        sot_json_put_whole(writer, "stride", layer->stride);
        sot_json_put_whole(writer, "padding", layer->padding);
        break;
    case SOT_LAYER_MAX_POOL:
    case SOT_LAYER_AVERAGE_POOL:
        sot_json_put_whole(writer, "size", layer->kernel);
        sot_json_put_whole(writer, "stride", layer->stride);
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
    sot_json_put_text(writer, "type", sot_layer_kind_name(layer->kind));
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
    sot_json_put_text(writer, "kind", "network");
    sot_json_put_whole(writer, "version", 1);
    sot_json_open_array(writer, "input");
    for (size_t i = 0; i < 3; i++)
        sot_json_write_int64(writer, (int64_t)shape[i]);
    sot_json_end_array(writer);
    sot_json_open_array(writer, "layers");
    for (size_t l = 0; l < net->layer_count; l++)
        write_layer(&net->layers[l], writer);
    sot_json_end_array(writer);
    sot_json_put_text(writer, "loss", sot_net_loss_name(net->loss));
    sot_json_end_object(writer);
}
