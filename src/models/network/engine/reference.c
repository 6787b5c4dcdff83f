/* The gradient of one record in double, layer by layer, by the definitions: the reference for the
 * engine. It shares only the layers' description with the engine. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/engine/engine.h"

/* One layer: values in and out, deltas at both, its parameters and their gradient. */
typedef struct step {
    const sot_layer *layer;
    const double *parameters, *in;
    double *out;
    const double *out_delta;
    double *in_delta, *gradient;
} step;

/* ---- dense and conv ---- */

static void dense_up(const step *s)
{
    const size_t inputs = s->layer->in.channels;
    for (size_t j = 0; j < s->layer->out.channels; j++) {
        s->out[j] = s->parameters[s->layer->weights + j];
        for (size_t k = 0; k < inputs; k++)
            s->out[j] += s->parameters[j * inputs + k] * s->in[k];
    }
}

static void dense_down(const step *s)
{
    const size_t inputs = s->layer->in.channels;
    for (size_t j = 0; j < s->layer->out.channels; j++) {
        s->gradient[s->layer->weights + j] += s->out_delta[j];
        for (size_t k = 0; k < inputs; k++) {
            s->gradient[j * inputs + k] += s->out_delta[j] * s->in[k];
            s->in_delta[k] += s->out_delta[j] * s->parameters[j * inputs + k];
        }
    }
}

static ptrdiff_t seen(const sot_layer *layer, size_t at, size_t k)
{
    return (ptrdiff_t)(at * layer->stride + k) - (ptrdiff_t)layer->padding;
}

/* Both ways: every product of the convolution, one after another. */
static void conv_products(const step *s, bool down)
{
    const sot_layer *layer = s->layer;
    const size_t kernel = layer->kernel, inputs = layer->in.channels;
    const size_t units = layer->out.channels;
    for (size_t at = 0; at < layer->out.height * layer->out.width; at++) {
        for (size_t cell = 0; cell < kernel * kernel; cell++) {
            const ptrdiff_t y = seen(layer, at / layer->out.width, cell / kernel);
            const ptrdiff_t x = seen(layer, at % layer->out.width, cell % kernel);
            if (y < 0 || y >= (ptrdiff_t)layer->in.height || x < 0 ||
                x >= (ptrdiff_t)layer->in.width)
                continue;
            const size_t pixel = ((size_t)y * layer->in.width + (size_t)x) * inputs;
            for (size_t c = 0; c < units; c++) {
                const size_t weights = (c * kernel * kernel + cell) * inputs;
                for (size_t k = 0; k < inputs; k++) {
                    if (!down) {
                        s->out[at * units + c] +=
                            s->parameters[weights + k] * s->in[pixel + k];
                        continue;
                    }
                    const double delta = s->out_delta[at * units + c];
                    s->gradient[weights + k] += delta * s->in[pixel + k];
                    s->in_delta[pixel + k] += delta * s->parameters[weights + k];
                }
            }
        }
    }
}

static void conv(const step *s, bool down)
{
    const size_t units = s->layer->out.channels;
    for (size_t at = 0; at < s->layer->out.height * s->layer->out.width; at++) {
        for (size_t c = 0; c < units; c++) {
            const size_t bias = s->layer->weights + c;
            if (!down) s->out[at * units + c] = s->parameters[bias];
            if (down) s->gradient[bias] += s->out_delta[at * units + c];
        }
    }
    conv_products(s, down);
}

/* ---- pools ---- */

static size_t pixel_of(const sot_layer *layer, size_t at, size_t cell, size_t c)
{
    const size_t y = at / layer->out.width * layer->stride + cell / layer->kernel;
    const size_t x = at % layer->out.width * layer->stride + cell % layer->kernel;
    return (y * layer->in.width + x) * layer->in.channels + c;
}

static void pool(const step *s, bool down)
{
    const sot_layer *layer = s->layer;
    const size_t cells = layer->kernel * layer->kernel;
    const bool largest = layer->kind == SOT_LAYER_MAX_POOL;
    for (size_t k = 0; k < sot_shape_size(layer->out); k++) {
        const size_t at = k / layer->in.channels, c = k % layer->in.channels;
        size_t best = pixel_of(layer, at, 0, c);
        double sum = 0.0;
        for (size_t cell = 0; cell < cells; cell++) {
            const size_t pixel = pixel_of(layer, at, cell, c);
            if (s->in[pixel] > s->in[best]) best = pixel;
            sum += s->in[pixel] / (double)cells;
            if (down && !largest) s->in_delta[pixel] += s->out_delta[k] / (double)cells;
        }
        if (!down) s->out[k] = largest ? s->in[best] : sum;
        if (down && largest) s->in_delta[best] += s->out_delta[k];
    }
}

/* ---- norms ---- */

static bool in_group(const sot_layer *layer, size_t k, size_t group)
{
    const size_t c = k % layer->in.channels;
    return c / (layer->in.channels / layer->groups) == group;
}

static void group_moments(const step *s, size_t group, double *out_mean,
                          double *out_deviation)
{
    const size_t size = sot_shape_size(s->layer->in);
    const double count = (double)(size / s->layer->groups);
    double mean = 0.0, variance = 0.0;
    for (size_t k = 0; k < size; k++)
        if (in_group(s->layer, k, group)) mean += s->in[k] / count;
    for (size_t k = 0; k < size; k++)
        if (in_group(s->layer, k, group))
            variance += (s->in[k] - mean) * (s->in[k] - mean) / count;
    *out_mean = mean;
    *out_deviation = sqrt(variance + 1e-5);
}

static void group_norm(const step *s, bool down)
{
    const sot_layer *layer = s->layer;
    const size_t size = sot_shape_size(layer->in), channels = layer->in.channels;
    const double count = (double)(size / layer->groups);
    for (size_t group = 0; group < layer->groups; group++) {
        double mean, deviation, sum = 0.0, along = 0.0;
        group_moments(s, group, &mean, &deviation);
        for (size_t k = 0; k < size; k++) {
            if (!in_group(layer, k, group)) continue;
            const size_t c = k % channels;
            const double scale = layer->affine ? s->parameters[c] : 1.0;
            const double y = (s->in[k] - mean) / deviation;
            if (!down) {
                s->out[k] =
                    scale * y + (layer->affine ? s->parameters[channels + c] : 0.0);
                continue;
            }
            sum += scale * s->out_delta[k] / count;
            along += scale * s->out_delta[k] * y / count;
            if (!layer->affine) continue;
            s->gradient[c] += s->out_delta[k] * y;
            s->gradient[channels + c] += s->out_delta[k];
        }
        for (size_t k = 0; down && k < size; k++) {
            if (!in_group(layer, k, group)) continue;
            const double scale = layer->affine ? s->parameters[k % channels] : 1.0;
            const double y = (s->in[k] - mean) / deviation;
            s->in_delta[k] = (scale * s->out_delta[k] - sum - y * along) / deviation;
        }
    }
}

static void pointwise(const step *s, bool down)
{
    const sot_layer *layer = s->layer;
    for (size_t k = 0; k < sot_shape_size(layer->in); k++) {
        const size_t c = k % layer->in.channels;
        double value = s->in[k], slope = 1.0;
        if (layer->kind == SOT_LAYER_TANH) {
            value = tanh(s->in[k]);
            slope = 1.0 - value * value;
        } else if (layer->kind == SOT_LAYER_RELU) {
            slope = s->in[k] > 0.0 ? 1.0 : 0.0;
            value = slope * s->in[k];
        } else if (layer->kind == SOT_LAYER_NORMALISE) {
            slope = 1.0 / layer->deviation[c];
            value = (s->in[k] - layer->mean[c]) * slope;
        }
        if (down) {
            s->in_delta[k] = slope * s->out_delta[k];
        } else {
            s->out[k] = value;
        }
    }
}

static void apply(const step *s, bool down)
{
    switch (s->layer->kind) {
    case SOT_LAYER_DENSE:
        if (down) {
            dense_down(s);
        } else {
            dense_up(s);
        }
        break;
    case SOT_LAYER_CONV:
        conv(s, down);
        break;
    case SOT_LAYER_MAX_POOL:
    case SOT_LAYER_AVERAGE_POOL:
        pool(s, down);
        break;
    case SOT_LAYER_GROUP_NORM:
        group_norm(s, down);
        break;
    case SOT_LAYER_NORMALISE:
    case SOT_LAYER_TANH:
    case SOT_LAYER_RELU:
    case SOT_LAYER_FLATTEN:
        pointwise(s, down);
        break;
    case SOT_LAYER_SCATTERING:
    case SOT_LAYER_DATA_NORM:
        assert(false && "layers of the front");
        break;
    }
}

/* ---- the loss and the network ---- */

static double slope_of(const sot_net *net, const double *scores, double label,
                       double *out_delta)
{
    if (net->loss == SOT_NET_SQUARED) {
        out_delta[0] = scores[0] - label;
        return 0.5 * out_delta[0] * out_delta[0];
    }
    const size_t own = net->outputs == 2 ? label > 0.0 : (size_t)label;
    double most = scores[0], total = 0.0;
    for (size_t c = 0; c < net->outputs; c++)
        most = fmax(most, scores[c]);
    for (size_t c = 0; c < net->outputs; c++)
        total += exp(scores[c] - most);
    for (size_t c = 0; c < net->outputs; c++)
        out_delta[c] = exp(scores[c] - most) / total - (c == own ? 1.0 : 0.0);
    return log(total) + most - scores[own];
}

/* values[l] and deltas[l] are the input of layer l. */
static double gradient_of(const sot_net *net, const double *parameters, double label,
                          double *const *values, double *const *deltas, double *gradient)
{
    const size_t count = net->layer_count;
    for (size_t l = net->front; l < count; l++) {
        const sot_layer *layer = &net->layers[l];
        apply(&(step){.layer = layer,
                      .parameters = parameters + layer->first,
                      .in = values[l],
                      .out = values[l + 1]},
              false);
    }
    const double loss = slope_of(net, values[count], label, deltas[count]);
    for (size_t l = count; l-- > net->front;) {
        const sot_layer *layer = &net->layers[l];
        apply(&(step){.layer = layer,
                      .parameters = parameters + layer->first,
                      .in = values[l],
                      .out_delta = deltas[l + 1],
                      .in_delta = deltas[l],
                      .gradient = gradient + layer->first},
              true);
    }
    for (size_t l = 0; l < count; l++)
        if (net->layers[l].frozen)
            memset(gradient + net->layers[l].first, 0,
                   net->layers[l].parameters * sizeof *gradient);
    return loss;
}

/* Numbers below layer l, or above the last one. */
static size_t size_at(const sot_net *net, size_t l)
{
    return sot_shape_size(l < net->layer_count ? net->layers[l].in
                                               : net->layers[l - 1].out);
}

sotto_status sot_reference_gradient(const sot_net *net, const double *parameters,
                                    const float *input, double label,
                                    double *out_gradient, double *out_loss,
                                    sotto_error *error)
{
    double *values[SOT_NET_LAYERS_MAX + 1] = {NULL};
    double *deltas[SOT_NET_LAYERS_MAX + 1] = {NULL};
    sotto_status status = SOTTO_OK;
    for (size_t l = net->front; l <= net->layer_count; l++) {
        const size_t size = size_at(net, l);
        values[l] = sot_new_array(size, sizeof **values);
        deltas[l] = sot_new_array(size, sizeof **deltas);
        if (values[l] == NULL || deltas[l] == NULL) {
            status = sot_fail_memory(error, size, sizeof **values);
            goto done;
        }
    }
    const size_t inputs = sot_shape_size(sot_net_front_shape(net));
    for (size_t k = 0; k < inputs; k++)
        values[net->front][k] = (double)input[k];
    memset(out_gradient, 0, net->parameters * sizeof *out_gradient);
    *out_loss = gradient_of(net, parameters, label, values, deltas, out_gradient);
done:
    for (size_t l = net->front; l <= net->layer_count; l++) {
        const size_t bytes = size_at(net, l) * sizeof(double);
        sot_wipe_and_free(values[l], bytes);
        sot_wipe_and_free(deltas[l], bytes);
    }
    return status;
}
