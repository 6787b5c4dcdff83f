/* Reading the JSON form of a network: docs/reference/networks.md describes it, fuzz/fuzz_net.c attacks it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "models/network/layers/parts.h"

/* A whole number from `least` to `most`. Absent: `fallback`, or refused if that is below `least`. */
static sotto_status read_size(const sot_json_value *layer, const char *key, size_t least,
                              size_t most, size_t fallback, size_t *out_size,
                              sotto_error *error)
{
    sot_json_value member;
    int64_t number;
    *out_size = fallback;
    if (!sot_json_member(layer, key, &member)) {
        if (fallback >= least) return SOTTO_OK;
        return sot_json_get_int64(layer, key, &number, error);
    }
    const sotto_status status = sot_json_as_int64(&member, &number, error);
    if (status != SOTTO_OK) return status;
    if (number < (int64_t)least || number > (int64_t)most) {
        char remedy[80];
        snprintf(remedy, sizeof remedy, "give a whole number from %zu to %zu", least,
                 most);
        return sot_json_refuse(&member, remedy, error);
    }
    *out_size = (size_t)number;
    return SOTTO_OK;
}

static sotto_status read_bool(const sot_json_value *layer, const char *key, bool *out,
                              sotto_error *error)
{
    sot_json_value member;
    *out = false;
    return sot_json_member(layer, key, &member) ? sot_json_as_bool(&member, out, error)
                                                : SOTTO_OK;
}

/* A number within [2^-40, 2^40]: bounds and noise multipliers. */
static sotto_status read_positive(const sot_json_value *layer, const char *key,
                                  double *out, sotto_error *error)
{
    sot_json_value member;
    const sotto_status status = sot_json_get_double(layer, key, out, error);
    if (status != SOTTO_OK) return status;
    if (*out >= 0x1p-40 && *out <= 0x1p40) return SOTTO_OK;
    if (!sot_json_member(layer, key, &member)) return SOTTO_PARSE;
    return sot_json_refuse(&member, "give a number between 1e-12 and 1e12", error);
}

static sotto_status read_units(const sot_json_value *layer, size_t *out_units,
                               sotto_error *error)
{
    sot_json_value member;
    const char *text;
    if (sot_json_member(layer, "units", &member) &&
        sot_json_kind_of(&member) == SOT_JSON_STRING) {
        const sotto_status status = sot_json_as_string(&member, &text, error);
        if (status != SOTTO_OK) return status;
        if (strcmp(text, "outputs") != 0)
            return sot_json_refuse(&member, "give a number or \"outputs\"", error);
        *out_units = 0;
        return SOTTO_OK;
    }
    return read_size(layer, "units", 1, SOT_NET_PARAMETERS_MAX, 0, out_units, error);
}

/* One number a channel. A file may have any number of them up to the limit; sot_net_finish() knows the
 * number of channels, and check_norms() compares. */
static sotto_status read_numbers(const sot_json_value *layer, const char *key,
                                 bool positive, double *out, size_t *out_count,
                                 sotto_error *error)
{
    sot_json_value list;
    sotto_status status = sot_json_get_array(layer, key, &list, error);
    if (status != SOTTO_OK) return status;
    *out_count = sot_json_size(&list);
    if (*out_count < 1 || *out_count > SOT_NET_CHANNELS_MAX)
        return sot_json_refuse(&list, "give one number a channel, at most 4096", error);
    for (size_t c = 0; c < *out_count; c++) {
        const sot_json_value item = sot_json_item(&list, c);
        status = sot_json_as_double(&item, &out[c], error);
        if (status != SOTTO_OK) return status;
        if (!(fabs(out[c]) <= SOT_NET_NORM_MOST) ||
            (positive && !(out[c] >= 1.0 / SOT_NET_NORM_MOST)))
            return sot_json_refuse(&item,
                                   positive ? "give a number between 1e-12 and 1e12"
                                            : "give a number between -1e12 and 1e12",
                                   error);
    }
    return SOTTO_OK;
}

static sotto_status read_norm(const sot_json_value *json, sot_layer *layer,
                              sotto_error *error)
{
    double mean[SOT_NET_CHANNELS_MAX], deviation[SOT_NET_CHANNELS_MAX];
    size_t means, deviations;
    sotto_status status = read_numbers(json, "mean", false, mean, &means, error);
    if (status == SOTTO_OK)
        status = read_numbers(json, "deviation", true, deviation, &deviations, error);
    if (status != SOTTO_OK) return status;
    if (means != deviations)
        return sot_json_refuse(json, "give as many means as deviations", error);
    layer->groups = means; /* until the channels are known */
    return sot_layer_set_norm(layer, mean, deviation, means, error);
}

static sotto_status read_data_norm(const sot_json_value *json, sot_layer *layer,
                                   sotto_error *error)
{
    sot_json_value member;
    sotto_status status = read_positive(json, "clip", &layer->clip, error);
    if (status == SOTTO_OK && sot_json_member(json, "clip_squares", &member))
        status = read_positive(json, "clip_squares", &layer->clip_squares, error);
    if (status == SOTTO_OK) status = read_positive(json, "noise", &layer->noise, error);
    const bool learned = sot_json_member(json, "mean", &member) ||
                         sot_json_member(json, "deviation", &member);
    if (status == SOTTO_OK && learned) status = read_norm(json, layer, error);
    return status;
}

static sotto_status read_conv(const sot_json_value *json, sot_layer *layer,
                              sotto_error *error)
{
    sotto_status status = read_size(json, "channels", 1, SOT_NET_CHANNELS_MAX, 0,
                                    &layer->out.channels, error);
    if (status == SOTTO_OK)
        status =
            read_size(json, "kernel", 1, SOT_NET_KERNEL_MAX, 0, &layer->kernel, error);
    if (status == SOTTO_OK)
        status =
            read_size(json, "stride", 1, SOT_NET_KERNEL_MAX, 1, &layer->stride, error);
    if (status == SOTTO_OK)
        status =
            read_size(json, "padding", 0, layer->kernel - 1, 0, &layer->padding, error);
    return status;
}

static sotto_status read_pool(const sot_json_value *json, sot_layer *layer,
                              sotto_error *error)
{
    sotto_status status =
        read_size(json, "size", 1, SOT_NET_KERNEL_MAX, 0, &layer->kernel, error);
    if (status == SOTTO_OK)
        status = read_size(json, "stride", 1, SOT_NET_KERNEL_MAX, layer->kernel,
                           &layer->stride, error);
    return status;
}

static sotto_status read_group_norm(const sot_json_value *json, sot_layer *layer,
                                    sotto_error *error)
{
    const sotto_status status =
        read_size(json, "groups", 1, SOT_NET_CHANNELS_MAX, 0, &layer->groups, error);
    return status == SOTTO_OK ? read_bool(json, "affine", &layer->affine, error) : status;
}

static sotto_status read_scattering(const sot_json_value *json, sot_layer *layer,
                                    sotto_error *error)
{
    return read_bool(json, "mirror", &layer->mirror, error);
}

static sotto_status read_dense(const sot_json_value *json, sot_layer *layer,
                               sotto_error *error)
{
    return read_units(json, &layer->out.channels, error);
}

typedef struct layer_form {
    sot_layer_kind kind;
    sotto_status (*read)(const sot_json_value *json, sot_layer *layer,
                         sotto_error *error); /* NULL: there is nothing to say */
    const char *keys[9];
} layer_form;

static const layer_form forms[] = {
    {SOT_LAYER_NORMALISE, read_norm, {"type", "mean", "deviation"}},
    {SOT_LAYER_SCATTERING, read_scattering, {"type", "mirror"}},
    {SOT_LAYER_DATA_NORM,
     read_data_norm,
     {"type", "clip", "clip_squares", "noise", "mean", "deviation"}},
    {SOT_LAYER_GROUP_NORM, read_group_norm, {"type", "groups", "affine", "frozen"}},
    {SOT_LAYER_DENSE, read_dense, {"type", "units", "frozen"}},
    {SOT_LAYER_CONV,
     read_conv,
     {"type", "channels", "kernel", "stride", "padding", "frozen"}},
    {SOT_LAYER_MAX_POOL, read_pool, {"type", "size", "stride"}},
    {SOT_LAYER_AVERAGE_POOL, read_pool, {"type", "size", "stride"}},
    {SOT_LAYER_TANH, NULL, {"type"}},
    {SOT_LAYER_RELU, NULL, {"type"}},
    {SOT_LAYER_FLATTEN, NULL, {"type"}},
};

static sotto_status read_layer(const sot_json_value *json, sot_layer *layer,
                               sotto_error *error)
{
    sot_json_value type;
    const char *name;
    sotto_status status = sot_json_as_object(json, error);
    if (status == SOTTO_OK) status = sot_json_get_string(json, "type", &name, error);
    if (status != SOTTO_OK) return status;
    const layer_form *form = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(name, sot_layer_kind_name(forms[i].kind)) == 0) form = &forms[i];
    if (form == NULL) {
        if (!sot_json_member(json, "type", &type)) return SOTTO_PARSE;
        if (strcmp(name, "batch-norm") == 0) {
            return sot_json_refuse(
                &type,
                "it mixes records, so that no bound on the gradient of "
                "one would hold; give group-norm or data-norm",
                error);
        }
        return sot_json_refuse(&type,
                               "give dense, conv2d, max-pool, average-pool, tanh, relu, "
                               "flatten, group-norm, normalise, scattering or data-norm",
                               error);
    }
    status = sot_json_only_keys(json, form->keys, error);
    layer->kind = form->kind;
    if (status == SOTTO_OK) status = read_bool(json, "frozen", &layer->frozen, error);
    if (status == SOTTO_OK && form->read != NULL) status = form->read(json, layer, error);
    return status;
}

static sotto_status read_layers(const sot_json_value *root, sot_net *net,
                                sotto_error *error)
{
    sot_json_value layers;
    sotto_status status = sot_json_get_array(root, "layers", &layers, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(&layers);
    if (count < 1 || count > SOT_NET_LAYERS_MAX)
        return sot_json_refuse(&layers, "give 1 to 64 layers", error);
    for (size_t l = 0; l < count && status == SOTTO_OK; l++) {
        const sot_json_value item = sot_json_item(&layers, l);
        net->layer_count = l + 1; /* a begun layer is freed too */
        status = read_layer(&item, &net->layers[l], error);
    }
    return status;
}

static sotto_status check_input(const sot_json_value *root, const sot_net *net,
                                sotto_error *error)
{
    sot_json_value input;
    if (!sot_json_member(root, "input", &input)) return SOTTO_OK;
    sotto_status status = sot_json_as_array(&input, error);
    if (status != SOTTO_OK) return status;
    const size_t shape[3] = {net->input.channels, net->input.height, net->input.width};
    bool same = sot_json_size(&input) == 3;
    for (size_t i = 0; same && i < 3; i++) {
        int64_t size;
        const sot_json_value item = sot_json_item(&input, i);
        status = sot_json_as_int64(&item, &size, error);
        if (status != SOTTO_OK) return status;
        same = size == (int64_t)shape[i];
    }
    if (same) return SOTTO_OK;
    char remedy[160];
    snprintf(remedy, sizeof remedy,
             "the rows of the schema are [%zu, %zu, %zu] (planes, height, width): use "
             "the network for rows of its own shape",
             shape[0], shape[1], shape[2]);
    return sot_json_refuse(&input, remedy, error);
}

static sotto_status check_head(const sot_json_value *root, const sot_net *net,
                               sotto_error *error)
{
    static const char *const keys[] = {"kind",   "version", "input",
                                       "layers", "loss",    NULL};
    const char *kind;
    int64_t version;
    sot_json_value member;
    sotto_status status = sot_json_as_object(root, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(root, keys, error);
    if (status == SOTTO_OK) status = sot_json_get_string(root, "kind", &kind, error);
    if (status == SOTTO_OK) status = sot_json_get_int64(root, "version", &version, error);
    if (status != SOTTO_OK) return status;
    if (strcmp(kind, "network") != 0 && sot_json_member(root, "kind", &member))
        return sot_json_refuse(&member, "a network's file says \"network\"", error);
    if (version != 1 && sot_json_member(root, "version", &member))
        return sot_json_refuse(&member, "this version of sotto reads 1", error);
    if (sot_json_member(root, "loss", &member)) {
        const char *loss;
        status = sot_json_as_string(&member, &loss, error);
        if (status != SOTTO_OK) return status;
        if (strcmp(loss, sot_net_loss_name(net->loss)) != 0)
            return sot_json_refuse(&member,
                                   net->loss == SOT_NET_SOFTMAX
                                       ? "the target is a set of classes: say \"softmax\""
                                       : "the target is a number: say \"squared\"",
                                   error);
    }
    return check_input(root, net, error);
}

/* As many means as channels; then the count that read_norm() left is forgotten. */
static sotto_status check_norms(sot_net *net, sotto_error *error)
{
    for (size_t l = 0; l < net->layer_count; l++) {
        sot_layer *layer = &net->layers[l];
        if (layer->mean == NULL) continue;
        if (layer->groups != layer->in.channels) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "layer %zu (%s) has %zu means and gets %zu channels; give "
                            "one mean and one deviation a channel",
                            l + 1, sot_layer_kind_name(layer->kind), layer->groups,
                            layer->in.channels);
        }
        layer->groups = 0;
    }
    return SOTTO_OK;
}

sotto_status sot_net_parse(const sot_json_value *json, const sot_net_task *task,
                           sot_net **out_net, sotto_error *error)
{
    sot_net *net = NULL;
    sotto_status status = sot_net_new(task, &net, error);
    if (status != SOTTO_OK) return status;
    status = check_head(json, net, error);
    if (status == SOTTO_OK) status = read_layers(json, net, error);
    if (status == SOTTO_OK) status = sot_net_finish(net, error);
    if (status == SOTTO_OK) status = check_norms(net, error);
    if (status == SOTTO_OK) {
        *out_net = net;
    } else {
        sot_net_free(net);
    }
    return status;
}
