/* A network as C: its parameters as floats, each kind of layer as one plain function, and the layers one
 * after another. The way is that of net/operations.h, the order of its sums is not: scores agree with
 * sotto_model_predict() to rounding. */
#include <string.h>

#include "base/error.h"
#include "release/export_c.h"

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
                        "layer %zu of the network is scattering, whose filters are "
                        "transforms of whole images and no header holds; predict with "
                        "sotto, or train a network without it",
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

static const char dense[] =
    "/* Weights unit by unit, then a bias a unit. */\n"
    "static inline void @_dense(const float *p, size_t inputs, size_t units,\n"
    "    const float *in, float *out)\n"
    "{\n"
    "    size_t j, k;\n"
    "    for (j = 0; j < units; j++) {\n"
    "        float sum = p[units * inputs + j];\n"
    "        for (k = 0; k < inputs; k++) sum += p[j * inputs + k] * in[k];\n"
    "        out[j] = sum;\n"
    "    }\n"
    "}\n\n";

static const char conv[] =
    "/* Images have their channels last. d: height, width and channels of the input, "
    "those\n"
    " * of the output, kernel, stride, padding. */\n"
    "static inline void @_conv(const float *p, const size_t *d, const float *in, float "
    "*out)\n"
    "{\n"
    "    const size_t h = d[0], w = d[1], c = d[2], n = d[5], kernel = d[6];\n"
    "    size_t y, x, o, i, j, k;\n"
    "    for (y = 0; y < d[3]; y++)\n"
    "        for (x = 0; x < d[4]; x++)\n"
    "            for (o = 0; o < n; o++) {\n"
    "                float sum = p[n * kernel * kernel * c + o];\n"
    "                for (i = 0; i < kernel; i++)\n"
    "                    for (j = 0; j < kernel; j++) {\n"
    "                        const size_t row = y * d[7] + i, column = x * d[7] + j;\n"
    "                        const float *a, *b;\n"
    "                        if (row < d[8] || row >= h + d[8] || column < d[8] ||\n"
    "                            column >= w + d[8])\n"
    "                            continue;\n"
    "                        a = in + ((row - d[8]) * w + column - d[8]) * c;\n"
    "                        b = p + ((o * kernel + i) * kernel + j) * c;\n"
    "                        for (k = 0; k < c; k++) sum += a[k] * b[k];\n"
    "                    }\n"
    "                out[(y * d[4] + x) * n + o] = sum;\n"
    "            }\n"
    "}\n\n";

static const char pool[] =
    "/* The largest of a window, or its mean; d as above. */\n"
    "static inline void @_pool(int largest, const size_t *d, const float *in, float "
    "*out)\n"
    "{\n"
    "    const size_t w = d[1], c = d[2];\n"
    "    size_t y, x, k, i, j;\n"
    "    for (y = 0; y < d[3]; y++)\n"
    "        for (x = 0; x < d[4]; x++)\n"
    "            for (k = 0; k < c; k++) {\n"
    "                float found = largest ? -HUGE_VALF : 0.0f;\n"
    "                for (i = 0; i < d[6]; i++)\n"
    "                    for (j = 0; j < d[6]; j++) {\n"
    "                        const float a = in[((y * d[7] + i) * w + x * d[7] + j) * c "
    "+ k];\n"
    "                        if (!largest) found += a;\n"
    "                        else if (a > found) found = a;\n"
    "                    }\n"
    "                out[(y * d[4] + x) * c + k] = largest ? found\n"
    "                                                      : found / (float)(d[6] * "
    "d[6]);\n"
    "            }\n"
    "}\n\n";

static const char normalise[] =
    "/* One mean and one deviation a channel. */\n"
    "static inline void @_normalise(const float *mean, const float *deviation,\n"
    "    size_t positions, size_t c, float *a)\n"
    "{\n"
    "    size_t i, k;\n"
    "    for (i = 0; i < positions; i++)\n"
    "        for (k = 0; k < c; k++)\n"
    "            a[i * c + k] = (a[i * c + k] - mean[k]) / deviation[k];\n"
    "}\n\n";

static const char group_norm[] =
    "/* A row's own mean and variance, over groups of channels; p: scales, then shifts. "
    "*/\n"
    "static inline void @_group_norm(const float *p, size_t positions, size_t c,\n"
    "    size_t groups, float *a)\n"
    "{\n"
    "    const size_t width = c / groups;\n"
    "    size_t g, i, k;\n"
    "    for (g = 0; g < groups; g++) {\n"
    "        double sum = 0.0, squares = 0.0, scale;\n"
    "        for (i = 0; i < positions; i++)\n"
    "            for (k = g * width; k < (g + 1) * width; k++) sum += (double)a[i * c + "
    "k];\n"
    "        sum /= (double)(positions * width);\n"
    "        for (i = 0; i < positions; i++)\n"
    "            for (k = g * width; k < (g + 1) * width; k++) {\n"
    "                const double off = (double)a[i * c + k] - sum;\n"
    "                squares += off * off;\n"
    "            }\n"
    "        scale = 1.0 / sqrt(squares / (double)(positions * width) + 1e-5);\n"
    "        for (i = 0; i < positions; i++)\n"
    "            for (k = g * width; k < (g + 1) * width; k++) {\n"
    "                const float y = (float)(((double)a[i * c + k] - sum) * scale);\n"
    "                a[i * c + k] = p == NULL ? y : y * p[k] + p[c + k];\n"
    "            }\n"
    "    }\n"
    "}\n\n";

static const char tanh_text[] = "static inline void @_tanh(size_t n, float *a)\n"
                                "{\n"
                                "    size_t i;\n"
                                "    for (i = 0; i < n; i++) a[i] = tanhf(a[i]);\n"
                                "}\n\n";

static const char relu[] =
    "static inline void @_relu(size_t n, float *a)\n"
    "{\n"
    "    size_t i;\n"
    "    for (i = 0; i < n; i++) a[i] = a[i] > 0.0f ? a[i] : 0.0f;\n"
    "}\n\n";

static const char planes[] =
    "/* From plane by plane to channels last. */\n"
    "static inline void @_planes(size_t positions, size_t c, const float *in, float "
    "*out)\n"
    "{\n"
    "    size_t i, k;\n"
    "    for (i = 0; i < positions; i++)\n"
    "        for (k = 0; k < c; k++) out[i * c + k] = in[k * positions + i];\n"
    "}\n\n";

/* The text of a kind's function; NULL: it needs none. */
static const char *function_of(sot_layer_kind kind)
{
    switch (kind) {
    case SOT_LAYER_DENSE:
        return dense;
    case SOT_LAYER_CONV:
        return conv;
    case SOT_LAYER_MAX_POOL:
    case SOT_LAYER_AVERAGE_POOL:
        return pool;
    case SOT_LAYER_NORMALISE:
    case SOT_LAYER_DATA_NORM:
        return normalise;
    case SOT_LAYER_GROUP_NORM:
        return group_norm;
    case SOT_LAYER_TANH:
        return tanh_text;
    case SOT_LAYER_RELU:
        return relu;
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
    if (has_planes(net)) sot_c_write(self, planes);
    for (size_t i = 0; i < net->layer_count; i++) {
        const char *text = function_of(net->layers[i].kind);
        bool seen = text == NULL;
        for (size_t j = 0; j < i; j++)
            seen = seen || function_of(net->layers[j].kind) == text;
        if (!seen) sot_c_write(self, text);
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
