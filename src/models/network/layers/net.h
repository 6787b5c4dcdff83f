/* models/network/layers/net.h: a network: its layers, their shapes, and the places of their
 * parameters.
 *
 * Idea: a network is a list of layers, read from a small JSON file or made from a preset. Shapes
 * follow from the input's; parameters are one flat array of floats. It is public: a function of
 * settings and schema, like everything here.
 *
 * Layout: images are channels last, [height][width][channels]; a vector is [1][1][n]; flatten
 * only changes the shape. The parameters of a layer are contiguous, weights first:
 *
 * - dense: [units][inputs], then one bias per unit.
 * - conv: [channels out][kernel row][kernel column][channels in], then one bias per channel.
 * - norm (affine only): one scale per channel, then one shift per channel.
 *
 * Front: the first layers without trainable parameters (normalise, scattering, norms without
 * affine, and frozen layers). It is a public function of one record, which learners compute once
 * per record.
 *
 * File: docs/reference/networks.md
 */
#ifndef SOT_MODELS_NETWORK_LAYERS_NET_H
#define SOT_MODELS_NETWORK_LAYERS_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

#include "base/json/json.h"
#include "base/json/writer.h"
#include "data/encode/encode.h"

typedef enum sot_layer_kind {
    SOT_LAYER_NORMALISE,  /* (x - mean_c) / deviation_c: public constants of the file */
    SOT_LAYER_SCATTERING, /* models/network/scattering/scattering.h: J = 2, L = 8 */
    SOT_LAYER_DATA_NORM,  /* the same as normalise, with a private mean and variance per
                          * channel (models/network/learn), which are in the model file */
    SOT_LAYER_GROUP_NORM, /* a record's own mean and variance, over a group of channels */
    SOT_LAYER_DENSE,
    SOT_LAYER_CONV,
    SOT_LAYER_MAX_POOL,
    SOT_LAYER_AVERAGE_POOL,
    SOT_LAYER_TANH,
    SOT_LAYER_RELU,
    SOT_LAYER_FLATTEN
} sot_layer_kind;

typedef enum sot_net_loss {
    SOT_NET_SOFTMAX, /* cross-entropy; the label is a place in the label set */
    SOT_NET_SQUARED  /* (1/2)(z - y)^2, one output; the label is sot_encode_target() */
} sot_net_loss;

typedef struct sot_shape {
    size_t height, width, channels;
} sot_shape;

static inline size_t sot_shape_size(sot_shape shape)
{
    return shape.height * shape.width * shape.channels;
}

/* "28x28x1" (height, width, channels), or "784" for a vector. */
enum { SOT_SHAPE_BYTES = 72 };
const char *sot_shape_text(sot_shape shape, char out[SOT_SHAPE_BYTES]);

enum { SOT_NET_LAYERS_MAX = 64 };
#define SOT_NET_PARAMETERS_MAX ((size_t)1 << 22)
/* Means are at most so large, deviations at most that and at least its inverse: a model file holds no others. */
#define SOT_NET_NORM_MOST 0x1p40

typedef struct sot_layer {
    sot_layer_kind kind;
    sot_shape in, out;
    size_t kernel, stride,
        padding;   /* conv, pools: squares, zeros around (pools: no padding) */
    size_t groups; /* group norm */
    bool mirror;   /* scattering: the mean of the image's and of its mirror image's */
    bool affine;   /* group norm: has scale and shift */
    bool frozen;   /* parameters are public and stay as they are */
    double clip;   /* data norm: public bound on a record's vector of channel means */
    double
        clip_squares; /* data norm: the same for its vector of channel means of squares; 0: it moves channels and does not
                         scale them, and makes one release */
    double noise;     /* data norm: noise multiplier of each of its two releases */
    double *mean,
        *deviation; /* normalise, data norm: one a channel; owned; of a data norm that is not
                                 yet learned NULL */
    size_t first;      /* place of its parameters */
    size_t weights;    /* of them, without biases */
    size_t parameters; /* all of them; 0: it has none */
} sot_layer;

typedef struct sot_net {
    sot_shape input;
    sot_layer layers[SOT_NET_LAYERS_MAX];
    size_t layer_count;
    size_t front;      /* layers 0 .. front - 1 are the front */
    size_t parameters; /* of all layers, frozen ones included */
    size_t
        trainable;  /* of those that are not frozen: they stand at the end or anywhere */
    size_t outputs; /* scores a record: classes, or 1 */
    sot_net_loss loss;
} sot_net;

/* The task of a network; public. */
typedef struct sot_net_task {
    sot_shape input; /* of a record; a vector of features has height = width = 1 */
    size_t outputs;  /* classes, or 1 */
    sot_net_loss loss;
} sot_net_task;

/* Makes the task of an encoded table. The record's shape comes from the schema: its columns
 * without the constant one. It is an image if the schema states or the default rule infers it,
 * else a vector. The outputs come from the target: classes, or one number. */
SOTTO_MUST_CHECK sotto_status sot_net_task_of(const sot_encoding *encoding,
                                              const sotto_schema *schema,
                                              sot_net_task *out_task, sotto_error *error);

/* Makes a network from a preset's name, from the path of a JSON file, or from JSON text, which
 * begins with a brace. Presets: "mlp", "tanh-cnn" or "cnn", "scattering-linear",
 * "scattering-cnn". The last two also with ":group-norm", which is free and the default, or
 * ":data-norm", which is paid for. A dense layer may leave its units to the task ("units":
 * "outputs"). Refuses, by layer and value, a layer that does not fit. Free with
 * sot_net_free(). */
SOTTO_MUST_CHECK sotto_status sot_net_make(const char *name, const sot_net_task *task,
                                           sot_net **out_net, sotto_error *error);
/* From JSON that was read, for model files: shapes of `task`, and data norms that have their numbers. */
SOTTO_MUST_CHECK sotto_status sot_net_parse(const sot_json_value *json,
                                            const sot_net_task *task, sot_net **out_net,
                                            sotto_error *error);
/* Writes the object that sot_net_parse() reads back: the same network. */
void sot_net_write(const sot_net *net, sot_json_writer *writer);
void sot_net_free(sot_net *net); /* NULL is fine */

/* Gives data norms without numbers those of the same layers of `from`, which has them: paid for before, or of public
 * rows. Layers that differ stay as they are. */
SOTTO_MUST_CHECK sotto_status sot_net_take_norms(sot_net *net, const sot_net *from,
                                                 sotto_error *error);

/* Freezes layers by name: "1-3", "conv", "all-but-last", "1,2" (layers count from 1, as
 * plan shows them). Moves the front. */
SOTTO_MUST_CHECK sotto_status sot_net_freeze(sot_net *net, const char *layers,
                                             sotto_error *error);

/* Sets initial parameters from a fixed public seed. They are uniform in +-1/sqrt(inputs of a
 * unit) for dense and conv, scale 1 and shift 0 for norms. */
void sot_net_initialise(const sot_net *net, uint64_t seed, float *out_parameters);

/* "dense", "conv2d", ... as the file spells them. */
const char *sot_layer_kind_name(sot_layer_kind kind);
/* The kind with its settings: "conv2d 8x8, stride 2, padding 2". Returns `out`. */
enum { SOT_LAYER_TEXT_BYTES = 120 };
const char *sot_layer_text(const sot_layer *layer, char out[SOT_LAYER_TEXT_BYTES]);
/* True if an encoded row is already the input of the first trainable layer: no front, one
 * plane. */
bool sot_net_front_is_identity(const sot_net *net);
/* The input of layer `front`, that is the output of the front. */
sot_shape sot_net_front_shape(const sot_net *net);

#endif
