/* A network as C: its parameters as floats, each kind of layer as one plain function, and the layers one
 * after another. The way is that of models/network/operations/operations.h, the order of its sums is not: scores agree with
 * sotto_model_predict() to rounding. */
#include <string.h>

#include "artifact/export/export.h"
#include "artifact/page/templates.h"
#include "base/error.h"

/* A header is compiled as text, and its arrays stand on the stack. */
enum { PARAMETERS_MOST = 1 << 20, FLOATS_MOST = 1 << 18 };

static size_t widest(const sot_net *net)
{
    size_t most = sot_shape_size(net->input);
    for (size_t i = 0; i < net->layer_count; i++) {
        const size_t out = sot_shape_size(net->layers[i].out);
        if (out > most) most = out;
    }
    return most;
}

sotto_status sot_c_check_network(const sot_net *net, sotto_error *error)
{
    for (size_t i = 0; i < net->layer_count; i++) {
        if (net->layers[i].kind != SOT_LAYER_SCATTERING) continue;
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "layer %zu of the network is scattering, and a header cannot "
                        "hold its filters; predict with sotto, or train a network "
                        "without it",
                        i + 1);
    }
    if (net->parameters > PARAMETERS_MOST || widest(net) > FLOATS_MOST) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the network has %zu parameters and layers of up to %zu numbers; "
                        "a header has at most %d and %d: predict with sotto",
                        net->parameters, widest(net), (int)PARAMETERS_MOST,
                        (int)FLOATS_MOST);
    }
    return SOTTO_OK;
}

/* ---- the numbers ---- */

static void write_floats(sot_c_exporter *self, const char *what, size_t layer,
                         const double *values, size_t count)
{
    enum { A_LINE = 6 };
    sot_c_write(self, "static const float @_");
    sot_c_print(&self->output, "%s_%zu[%zu] = {", what, layer + 1, count);
    for (size_t i = 0; i < count; i++) {
        sot_c_text(self, i % A_LINE == 0 ? "\n    " : " ");
        sot_c_value(self, (double)(float)values[i]);
        sot_c_text(self, "f,");
    }
    sot_c_text(self, "\n};\n\n");
}

void sot_c_parameters(sot_c_exporter *self)
{
    const sot_net *net = self->model->net;
    for (size_t i = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        if (layer->parameters > 0)
            write_floats(self, "layer", i, self->model->coefficients + layer->first,
                         layer->parameters);
        if (layer->mean != NULL) {
            write_floats(self, "mean", i, layer->mean, layer->in.channels);
            write_floats(self, "deviation", i, layer->deviation, layer->in.channels);
        }
    }
}

/* ---- the layers ---- */

/* The text of a kind's function; NULL: it needs none. */
static const char *function_of(sot_layer_kind kind)
{
    switch (kind) {
    case SOT_LAYER_DENSE:
        return sot_template_dense_c;
    case SOT_LAYER_CONV:
        return sot_template_conv_c;
    case SOT_LAYER_MAX_POOL:
    case SOT_LAYER_AVERAGE_POOL:
        return sot_template_pool_c;
    case SOT_LAYER_NORMALISE:
    case SOT_LAYER_DATA_NORM:
        return sot_template_normalise_c;
    case SOT_LAYER_GROUP_NORM:
        return sot_template_group_norm_c;
    case SOT_LAYER_TANH:
        return sot_template_tanh_c;
    case SOT_LAYER_RELU:
        return sot_template_relu_c;
    case SOT_LAYER_FLATTEN:
    case SOT_LAYER_SCATTERING:
        break;
    }
    return NULL;
}

static bool has_planes(const sot_net *net)
{
    return net->input.channels > 1 && net->input.height * net->input.width > 1;
}

static void write_functions(sot_c_exporter *self)
{
    const sot_net *net = self->model->net;
    if (has_planes(net)) sot_c_template(self, sot_template_planes_c);
    for (size_t i = 0; i < net->layer_count; i++) {
        const char *text = function_of(net->layers[i].kind);
        bool seen = text == NULL;
        for (size_t j = 0; j < i; j++)
            seen = seen || function_of(net->layers[j].kind) == text;
        if (!seen) sot_c_template(self, text);
    }
}

/* ---- one after another ---- */

/* Layers that change the array in place say so; others write the other one of two. */
static bool write_layer(sot_c_exporter *self, size_t index, const char *from,
                        const char *to)
{
    const sot_layer *layer = &self->model->net->layers[index];
    const size_t number = index + 1, positions = layer->in.height * layer->in.width;
    const size_t in = sot_shape_size(layer->in), channels = layer->in.channels;
    const char *name = self->name;
    sot_output *output = &self->output;
    switch (layer->kind) {
    case SOT_LAYER_DENSE:
        sot_c_print(output, "    %s_dense(%s_layer_%zu, %zu, %zu, %s, %s);\n", name, name,
                    number, in, layer->out.channels, from, to);
        return true;
    case SOT_LAYER_CONV:
        sot_c_print(output, "    %s_conv(%s_layer_%zu, %s_shape_%zu, %s, %s);\n", name,
                    name, number, name, number, from, to);
        return true;
    case SOT_LAYER_MAX_POOL:
    case SOT_LAYER_AVERAGE_POOL:
        sot_c_print(output, "    %s_pool(%d, %s_shape_%zu, %s, %s);\n", name,
                    layer->kind == SOT_LAYER_MAX_POOL, name, number, from, to);
        return true;
    case SOT_LAYER_NORMALISE:
    case SOT_LAYER_DATA_NORM:
        sot_c_print(output,
                    "    %s_normalise(%s_mean_%zu, %s_deviation_%zu, %zu, %zu, %s);\n",
                    name, name, number, name, number, positions, channels, from);
        return false;
    case SOT_LAYER_GROUP_NORM:
        sot_c_print(output, "    %s_group_norm(", name);
        if (layer->parameters > 0)
            sot_c_print(output, "%s_layer_%zu", name, number);
        else
            sot_c_text(self, "NULL");
        sot_c_print(output, ", %zu, %zu, %zu, %s);\n", positions, channels, layer->groups,
                    from);
        return false;
    case SOT_LAYER_TANH:
    case SOT_LAYER_RELU:
        sot_c_print(output, "    %s_%s(%zu, %s);\n", name,
                    layer->kind == SOT_LAYER_TANH ? "tanh" : "relu", in, from);
        return false;
    case SOT_LAYER_FLATTEN:
    case SOT_LAYER_SCATTERING:
        break;
    }
    return false;
}

static void write_shapes(sot_c_exporter *self)
{
    const sot_net *net = self->model->net;
    for (size_t i = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        if (layer->kind != SOT_LAYER_CONV && layer->kind != SOT_LAYER_MAX_POOL &&
            layer->kind != SOT_LAYER_AVERAGE_POOL)
            continue;
        sot_c_write(self, "static const size_t @_shape_");
        sot_c_print(
            &self->output, "%zu[9] = {%zu, %zu, %zu, %zu, %zu, %zu, %zu, %zu, %zu};\n",
            i + 1, layer->in.height, layer->in.width, layer->in.channels,
            layer->out.height, layer->out.width, layer->out.channels, layer->kernel,
            layer->stride, layer->kind == SOT_LAYER_CONV ? layer->padding : 0);
    }
    sot_c_text(self, "\n");
}

void sot_c_network(sot_c_exporter *self, const char *argument, const char *passed)
{
    const sot_net *net = self->model->net;
    const bool many = self->model->margins > 1;
    const size_t most = widest(net);
    const char *from = "a", *to = "b";
    write_functions(self);
    write_shapes(self);
    sot_c_begin_score(self, "", argument);
    sot_c_print(&self->output, "    float a[%zu], b[%zu];\n", most, most);
    if (many) sot_c_text(self, "    size_t k;\n");
    sot_c_write(self, "    @_encode(");
    sot_c_text(self, passed);
    sot_c_text(self, has_planes(net) ? ", b);\n" : ", a);\n");
    if (has_planes(net)) {
        sot_c_write(self, "    @_planes(");
        sot_c_print(&self->output, "%zu, %zu, b, a);\n",
                    net->input.height * net->input.width, net->input.channels);
    }
    for (size_t i = 0; i < net->layer_count; i++) {
        if (!write_layer(self, i, from, to)) continue;
        const char *other = from;
        from = to;
        to = other;
    }
    if (many) {
        sot_c_print(&self->output,
                    "    for (k = 0; k < %zu; k++) scores[k] = (double)%s[k];\n}\n\n",
                    net->outputs, from);
    } else {
        sot_c_print(&self->output, "    return (double)%s[0];\n}\n\n", from);
    }
}
