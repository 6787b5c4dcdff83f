#include "models/network/layers/net.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/schema/matrix.h"
#include "models/network/layers/parts.h"

/* ---- names ---- */

static const char *const kind_names[] = {
    [SOT_LAYER_NORMALISE] = "normalise", [SOT_LAYER_SCATTERING] = "scattering",
    [SOT_LAYER_DATA_NORM] = "data-norm", [SOT_LAYER_GROUP_NORM] = "group-norm",
    [SOT_LAYER_DENSE] = "dense",         [SOT_LAYER_CONV] = "conv2d",
    [SOT_LAYER_MAX_POOL] = "max-pool",   [SOT_LAYER_AVERAGE_POOL] = "average-pool",
    [SOT_LAYER_TANH] = "tanh",           [SOT_LAYER_RELU] = "relu",
    [SOT_LAYER_FLATTEN] = "flatten",
};

const char *sot_layer_kind_name(sot_layer_kind kind)
{
    return kind_names[kind];
}

/* ---- made and freed ---- */

sotto_status sot_net_task_of(const sot_encoding *encoding, const sotto_schema *schema,
                             sot_net_task *out_task, sotto_error *error)
{
    const size_t constant = sot_encoding_intercept(encoding) != 0.0 ? 1 : 0;
    const size_t columns = sot_encoding_dimension(encoding) - constant;
    if (columns == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema leaves no column to learn from; a network needs at "
                        "least one beside the target");
    }
    sot_net_task task = {.input = {1, 1, columns},
                         .outputs = sot_encoding_classes(encoding),
                         .loss = SOT_NET_SOFTMAX};
    size_t shape[3];
    if (sot_schema_shape(schema, shape) != SOT_SHAPE_NONE &&
        shape[0] * shape[1] * shape[2] == columns)
        task.input = (sot_shape){shape[1], shape[2], shape[0]};
    if (task.outputs == 0) {
        task.outputs = 1;
        task.loss = SOT_NET_SQUARED;
    }
    *out_task = task;
    return SOTTO_OK;
}

sotto_status sot_net_new(const sot_net_task *task, sot_net **out_net, sotto_error *error)
{
    sot_net *net = sot_new_array(1, sizeof *net);
    if (net == NULL) return sot_fail_memory(error, 1, sizeof *net);
    net->input = task->input;
    net->outputs = task->outputs;
    net->loss = task->loss;
    *out_net = net;
    return SOTTO_OK;
}

sotto_status sot_layer_set_norm(sot_layer *layer, const double *mean,
                                const double *deviation, size_t channels,
                                sotto_error *error)
{
    double *means = sot_new_array(channels, sizeof *means);
    double *deviations = sot_new_array(channels, sizeof *deviations);
    if (means == NULL || deviations == NULL) {
        sot_free(means);
        sot_free(deviations);
        return sot_fail_memory(error, channels, sizeof *means);
    }
    memcpy(means, mean, channels * sizeof *means);
    memcpy(deviations, deviation, channels * sizeof *deviations);
    sot_free(layer->mean);
    sot_free(layer->deviation);
    layer->mean = means;
    layer->deviation = deviations;
    return SOTTO_OK;
}

const char *sot_shape_text(sot_shape shape, char out[SOT_SHAPE_BYTES])
{
    if (shape.height * shape.width == 1)
        (void)snprintf(out, SOT_SHAPE_BYTES, "%zu", shape.channels);
    else
        (void)snprintf(out, SOT_SHAPE_BYTES, "%zux%zux%zu", shape.height, shape.width,
                       shape.channels);
    return out;
}

const char *sot_layer_text(const sot_layer *layer, char out[SOT_LAYER_TEXT_BYTES])
{
    const char *name = sot_layer_kind_name(layer->kind);
    switch (layer->kind) {
    case SOT_LAYER_CONV:
        (void)snprintf(out, SOT_LAYER_TEXT_BYTES, "%s %zux%zu, stride %zu, padding %zu",
                       name, layer->kernel, layer->kernel, layer->stride, layer->padding);
        break;
    case SOT_LAYER_MAX_POOL:
    case SOT_LAYER_AVERAGE_POOL:
        (void)snprintf(out, SOT_LAYER_TEXT_BYTES, "%s %zux%zu, stride %zu", name,
                       layer->kernel, layer->kernel, layer->stride);
        break;
    case SOT_LAYER_GROUP_NORM:
        (void)snprintf(out, SOT_LAYER_TEXT_BYTES, "%s of %zu groups%s", name,
                       layer->groups, layer->affine ? ", scaled and shifted" : "");
        break;
    case SOT_LAYER_SCATTERING:
        (void)snprintf(out, SOT_LAYER_TEXT_BYTES, "%s%s", name,
                       layer->mirror ? " of the image and its mirror image" : "");
        break;
    case SOT_LAYER_DATA_NORM:
        (void)snprintf(out, SOT_LAYER_TEXT_BYTES, "%s%s", name,
                       layer->clip_squares > 0.0 ? "" : " of means only");
        break;
    case SOT_LAYER_NORMALISE:
    case SOT_LAYER_DENSE:
    case SOT_LAYER_TANH:
    case SOT_LAYER_RELU:
    case SOT_LAYER_FLATTEN:
        (void)snprintf(out, SOT_LAYER_TEXT_BYTES, "%s", name);
        break;
    }
    return out;
}

sotto_status sot_net_take_norms(sot_net *net, const sot_net *from, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < net->layer_count && i < from->layer_count; i++) {
        sot_layer *layer = &net->layers[i];
        const sot_layer *other = &from->layers[i];
        if (layer->kind != SOT_LAYER_DATA_NORM || layer->mean != NULL ||
            other->kind != SOT_LAYER_DATA_NORM || other->mean == NULL ||
            layer->in.channels != other->in.channels)
            continue;
        if (status == SOTTO_OK)
            status = sot_layer_set_norm(layer, other->mean, other->deviation,
                                        layer->in.channels, error);
    }
    return status;
}

static sotto_status make_preset(const char *name, const sot_net_task *task,
                                sot_net **out_net, sotto_error *error)
{
    sot_net *net = NULL;
    bool known;
    sotto_status status = sot_net_new(task, &net, error);
    if (status != SOTTO_OK) return status;
    status = sot_net_add_preset(net, name, &known, error);
    if (status == SOTTO_OK && known) status = sot_net_finish(net, error);
    if (status == SOTTO_OK && known) {
        *out_net = net;
    } else {
        sot_net_free(net);
    }
    return status;
}

static sotto_status make_from_text(const char *name, const char *text, size_t size_bytes,
                                   const sot_net_task *task, sot_net **out_net,
                                   sotto_error *error)
{
    sot_json *document = NULL;
    sotto_status status =
        sot_json_parse(name, text, size_bytes, SOT_NET_FILE_BYTES_MAX, &document, error);
    if (status == SOTTO_OK) {
        const sot_json_value root = sot_json_root(document);
        status = sot_net_parse(&root, task, out_net, error);
    }
    sot_json_free(document);
    return status;
}

static sotto_status make_from_file(const char *path, const sot_net_task *task,
                                   sot_net **out_net, sotto_error *error)
{
    char *bytes = NULL;
    size_t size_bytes;
    sotto_status status =
        sot_file_read(path, SOT_NET_FILE_BYTES_MAX, &bytes, &size_bytes, error);
    if (status == SOTTO_OK)
        status = make_from_text(path, bytes, size_bytes, task, out_net, error);
    sot_free(bytes);
    return status;
}

sotto_status sot_net_make(const char *name, const sot_net_task *task, sot_net **out_net,
                          sotto_error *error)
{
    sot_net *net = NULL;
    if (name[0] == '{')
        return make_from_text("network", name, strlen(name), task, out_net, error);
    sotto_status status = make_preset(name, task, &net, error);
    const bool is_path = strchr(name, '/') != NULL || strchr(name, '.') != NULL;
    if (status == SOTTO_OK && net == NULL && is_path)
        status = make_from_file(name, task, &net, error);
    if (status == SOTTO_OK && net == NULL) {
        static const char *const presets[] = {
            "mlp", "cnn", "tanh-cnn", "scattering-linear", "scattering-cnn", NULL};
        char shown[64];
        const char *nearest = sot_nearest_word(name, presets);
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`network` is '%s'%s%s%s; give mlp, cnn, tanh-cnn, scattering-linear, "
            "scattering-cnn, or the path of a network's file, such as ./net.json",
            sot_printable(name, shown, sizeof shown), nearest != NULL ? " (is " : "",
            nearest != NULL ? nearest : "", nearest != NULL ? " meant?)" : "");
    }
    if (status == SOTTO_OK) *out_net = net;
    return status;
}

void sot_net_free(sot_net *net)
{
    if (net == NULL) return;
    for (size_t i = 0; i < net->layer_count; i++) {
        sot_free(net->layers[i].mean);
        sot_free(net->layers[i].deviation);
    }
    sot_free(net);
}

/* ---- parameters to begin with ---- */

/* splitmix64 (Steele, Lea & Flood, OOPSLA 2014): public numbers, no secret comes of them. */
static double next_uniform(uint64_t *stream)
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

void sot_net_initialise(const sot_net *net, uint64_t seed, float *out_parameters)
{
    uint64_t stream = seed;
    for (size_t l = 0; l < net->layer_count; l++) {
        const sot_layer *layer = &net->layers[l];
        float *own = out_parameters + layer->first;
        if (layer->parameters == 0) continue;
        if (layer->kind == SOT_LAYER_GROUP_NORM) {
            for (size_t k = 0; k < layer->parameters; k++)
                own[k] = k < layer->weights ? 1.0F : 0.0F;
            continue;
        }
        const size_t units = layer->parameters - layer->weights;
        const double most = 1.0 / sqrt((double)(layer->weights / units));
        for (size_t k = 0; k < layer->parameters; k++)
            own[k] = (float)(most * (2.0 * next_uniform(&stream) - 1.0));
    }
}

/* ---- the front ---- */

sot_shape sot_net_front_shape(const sot_net *net)
{
    return net->layers[net->front].in;
}

bool sot_net_front_is_identity(const sot_net *net)
{
    for (size_t l = 0; l < net->front; l++)
        if (net->layers[l].kind != SOT_LAYER_FLATTEN) return false;
    return net->input.channels == 1 || net->input.height * net->input.width == 1;
}

sotto_status sot_net_place_front(sot_net *net, sotto_error *error)
{
    size_t first = net->layer_count, trainable = 0;
    for (size_t l = 0; l < net->layer_count; l++) {
        const sot_layer *layer = &net->layers[l];
        if (layer->parameters > 0 && !layer->frozen) {
            if (first == net->layer_count) first = l;
            trainable += layer->parameters;
        }
        if (first < l &&
            (layer->kind == SOT_LAYER_SCATTERING || layer->kind == SOT_LAYER_DATA_NORM)) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "layer %zu (%s) stands above layer %zu, which is trained; "
                            "put it below every layer that is trained, or freeze those",
                            l + 1, sot_layer_kind_name(layer->kind), first + 1);
        }
    }
    if (trainable == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "no layer of the network has anything to train; leave at least "
                        "one dense or conv2d layer unfrozen");
    }
    net->front = first;
    net->trainable = trainable;
    return SOTTO_OK;
}

/* ---- freezing ---- */

/* One word of a list: "3", "1-3", "conv", "dense", "norm", "all-but-last". */
static sotto_status freeze_word(sot_net *net, const char *word, sotto_error *error)
{
    size_t from = 0, to = 0; /* from 1 */
    sot_layer_kind kind = SOT_LAYER_FLATTEN;
    char after;
    size_t last = net->layer_count;
    while (last > 0 && net->layers[last - 1].parameters == 0)
        last--;
    if (strcmp(word, "all-but-last") == 0) {
        from = 1;
        to = last - 1;
    } else if (strcmp(word, "conv") == 0 || strcmp(word, "conv2d") == 0) {
        kind = SOT_LAYER_CONV;
    } else if (strcmp(word, "dense") == 0) {
        kind = SOT_LAYER_DENSE;
    } else if (strcmp(word, "norm") == 0 || strcmp(word, "group-norm") == 0) {
        kind = SOT_LAYER_GROUP_NORM;
    } else {
        const bool digit = word[0] >= '0' && word[0] <= '9' && strlen(word) < 8;
        const int read = digit ? sscanf(word, "%zu-%zu%c", &from, &to, &after) : 0;
        if (read == 1 && strchr(word, '-') == NULL &&
            sscanf(word, "%zu%c", &from, &after) == 1) {
            to = from;
        } else if (read != 2) {
            from = 0;
        }
        if (from < 1 || to < from || to > net->layer_count) {
            char shown[64];
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "`freeze` names '%s'; give numbers from 1 to %zu such as 1-3 "
                            "or 1,4, or conv2d, dense, group-norm, all-but-last",
                            sot_printable(word, shown, sizeof shown), net->layer_count);
        }
    }
    bool found = from > 0;
    for (size_t l = 0; l < net->layer_count; l++) {
        sot_layer *layer = &net->layers[l];
        const bool named = from == 0 ? layer->kind == kind : l + 1 >= from && l + 1 <= to;
        if (named && layer->parameters > 0) layer->frozen = true;
        found |= named;
    }
    if (found) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`freeze` names '%s', and the network has none; name layers that "
                    "sotto plan shows",
                    word);
}

sotto_status sot_net_freeze(sot_net *net, const char *layers, sotto_error *error)
{
    char word[64];
    for (const char *at = layers;; at++) {
        const size_t length = strcspn(at, ",");
        const size_t kept = length < sizeof word ? length : sizeof word - 1;
        memcpy(word, at, kept);
        word[kept] = '\0';
        const sotto_status status = freeze_word(net, word, error);
        if (status != SOTTO_OK) return status;
        at += length;
        if (*at == '\0') break;
    }
    return sot_net_place_front(net, error);
}
