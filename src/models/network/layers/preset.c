/* The presets: networks that others have trained privately, made for an input.
 *
 * Tramer & Boneh, "Differentially private learning needs better features (or much more data)",
 * ICLR 2021. The tanh-cnn: Papernot et al., "Tempered sigmoid activations for deep learning with
 * differential privacy", AAAI 2021.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "models/network/layers/parts.h"
#include "models/network/scattering/scattering.h"

static sot_layer *add(sot_net *net, sot_layer_kind kind)
{
    assert(net->layer_count < SOT_NET_LAYERS_MAX);
    sot_layer *layer = &net->layers[net->layer_count++];
    layer->kind = kind;
    return layer;
}

static void add_dense(sot_net *net, size_t units)
{
    add(net, SOT_LAYER_DENSE)->out.channels = units;
}

static void add_outputs(sot_net *net)
{
    add_dense(net, net->outputs);
}

static void add_conv_tanh(sot_net *net, size_t channels, size_t kernel, size_t stride,
                          size_t padding)
{
    sot_layer *layer = add(net, SOT_LAYER_CONV);
    layer->out.channels = channels;
    layer->kernel = kernel;
    layer->stride = stride;
    layer->padding = padding;
    add(net, SOT_LAYER_TANH);
}

static void add_max_pool(sot_net *net, size_t size, size_t stride)
{
    sot_layer *layer = add(net, SOT_LAYER_MAX_POOL);
    layer->kernel = size;
    layer->stride = stride;
}

/* Photographs, three planes in [0, 1]: the usual public constants, those of ImageNet's training set. */
static sotto_status add_photograph(sot_net *net, sotto_error *error)
{
    static const double mean[3] = {0.485, 0.456, 0.406};
    static const double deviation[3] = {0.229, 0.224, 0.225};
    if (net->input.channels != 3) return SOTTO_OK;
    return sot_layer_set_norm(add(net, SOT_LAYER_NORMALISE), mean, deviation, 3, error);
}

static void add_mlp(sot_net *net)
{
    add(net, SOT_LAYER_FLATTEN);
    add_dense(net, 128);
    add(net, SOT_LAYER_TANH);
    add_outputs(net);
}

static void add_small_cnn(sot_net *net)
{
    add_conv_tanh(net, 16, 8, 2, 2);
    add_max_pool(net, 2, 1);
    add_conv_tanh(net, 32, 4, 2, 0);
    add_max_pool(net, 2, 1);
    add(net, SOT_LAYER_FLATTEN);
    add_dense(net, 32);
    add(net, SOT_LAYER_TANH);
    add_outputs(net);
}

static void add_large_cnn(sot_net *net)
{
    for (size_t channels = 32; channels <= 128; channels *= 2) {
        add_conv_tanh(net, channels, 3, 1, 1);
        add_conv_tanh(net, channels, 3, 1, 1);
        add_max_pool(net, 2, 2);
    }
    add(net, SOT_LAYER_FLATTEN);
    add_dense(net, 128);
    add(net, SOT_LAYER_TANH);
    add_outputs(net);
}

static sotto_status add_cnn(sot_net *net, sotto_error *error)
{
    const sot_shape input = net->input;
    if (input.height < 16 || input.width < 16) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "cnn needs images of 16 x 16 or more; the schema gives %zu x %zu "
                        "x %zu; add \"shape\" to it, or give `network=mlp`",
                        input.channels, input.height, input.width);
    }
    const sotto_status status = add_photograph(net, error);
    if (status != SOTTO_OK) return status;
    if (input.channels == 3 && input.height >= 32 && input.width >= 32) {
        add_large_cnn(net);
    } else {
        add_small_cnn(net);
    }
    return SOTTO_OK;
}

enum { SCATTERING_GROUPS = 27 };

/* Bounds on the vectors of means of a record, near the median of their norms on other, public
 * images with pixels in [0, 1]. One plane: the digits of USPS' test set, 20 x 20 pixels in the
 * middle of 28 x 28 (medians 0.173 and 0.0545). Three planes, normalised: fields of Gaussian
 * noise with amplitudes 1/frequency, as in photographs. They have 32 x 32 pixels and correlation
 * 0.9 between planes (1.07 and 0.94). */
typedef enum scattering_norm {
    BY_PLANES,
    GROUP_NORM,
    DATA_NORM,
    CENTRED
} scattering_norm;

static size_t scattering_features(const sot_net *net)
{
    const sot_shape input = net->input;
    return input.height / 4 * (input.width / 4) * SOT_SCATTERING_CHANNELS *
           input.channels;
}

/* Default: for photographs the paid one, which the published results on CIFAR-10 use. For one
 * plane the free one; for a linear model also features without the common mean of all images. */
static scattering_norm norm_by_planes(const sot_net *net, bool deep)
{
    if (net->input.channels == 3) return DATA_NORM;
    return !deep && scattering_features(net) <= SOT_NET_CHANNELS_MAX ? CENTRED
                                                                     : GROUP_NORM;
}

static void add_scattering_norm(sot_net *net, scattering_norm norm)
{
    if (norm != DATA_NORM) {
        add(net, SOT_LAYER_GROUP_NORM)->groups = SCATTERING_GROUPS;
        return;
    }
    const bool photograph = net->input.channels == 3;
    sot_layer *layer = add(net, SOT_LAYER_DATA_NORM);
    layer->clip = photograph ? 1.1 : 0.2;
    layer->clip_squares = photograph ? 1.0 : 0.06;
    layer->noise = 8.0;
}

/* After a group norm no record is longer than the root of its features, so this bound clips
 * nothing. The common mean of all records is then no longer in every record's gradient, where it
 * would use up the clip norm. */
static void add_center(sot_net *net)
{
    sot_layer *layer = add(net, SOT_LAYER_DATA_NORM);
    layer->clip = sqrt((double)scattering_features(net));
    layer->noise = 8.0;
}

/* Photographs are as often one way round as the other: their features are the mean of both. */
static sotto_status add_scattering(sot_net *net, bool deep, scattering_norm norm,
                                   sotto_error *error)
{
    const sotto_status status = add_photograph(net, error);
    if (status != SOTTO_OK) return status;
    if (norm == BY_PLANES) norm = norm_by_planes(net, deep);
    add(net, SOT_LAYER_SCATTERING)->mirror = net->input.channels == 3;
    add_scattering_norm(net, norm);
    if (deep && net->input.channels == 3) {
        add_conv_tanh(net, 64, 3, 1, 1);
        add_max_pool(net, 2, 2);
        add_conv_tanh(net, 64, 3, 1, 1);
    } else if (deep) {
        add_conv_tanh(net, 16, 3, 2, 1);
        add_conv_tanh(net, 32, 3, 1, 1);
    }
    add(net, SOT_LAYER_FLATTEN);
    if (norm == CENTRED) add_center(net);
    if (deep && net->input.channels != 3) {
        add_dense(net, 32);
        add(net, SOT_LAYER_TANH);
    }
    add_outputs(net);
    return SOTTO_OK;
}

sotto_status sot_net_add_preset(sot_net *net, const char *name, bool *out_known,
                                sotto_error *error)
{
    static const struct {
        const char *name;
        bool deep;
        scattering_norm norm;
    } scattering[] = {
        {"scattering-linear", false, BY_PLANES},
        {"scattering-linear:group-norm", false, GROUP_NORM},
        {"scattering-linear:data-norm", false, DATA_NORM},
        {"scattering-linear:centred", false, CENTRED},
        {"scattering-cnn", true, BY_PLANES},
        {"scattering-cnn:group-norm", true, GROUP_NORM},
        {"scattering-cnn:data-norm", true, DATA_NORM},
    };
    *out_known = true;
    if (strcmp(name, "mlp") == 0) {
        add_mlp(net);
        return SOTTO_OK;
    }
    if (strcmp(name, "cnn") == 0 || strcmp(name, "tanh-cnn") == 0)
        return add_cnn(net, error);
    for (size_t i = 0; i < sizeof scattering / sizeof scattering[0]; i++)
        if (strcmp(name, scattering[i].name) == 0)
            return add_scattering(net, scattering[i].deep, scattering[i].norm, error);
    *out_known = false;
    return SOTTO_OK;
}
