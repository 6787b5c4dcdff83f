/* models/network/layers/parts.h: the common part of the files that make networks. */
#ifndef SOT_MODELS_NETWORK_LAYERS_PARTS_H
#define SOT_MODELS_NETWORK_LAYERS_PARTS_H

#include "models/network/layers/net.h"

enum {
    SOT_NET_KERNEL_MAX = 64,
    SOT_NET_CHANNELS_MAX = 4096,
    SOT_NET_FILE_BYTES_MAX = 8 << 20
};
#define SOT_NET_SIZE_MAX ((size_t)1 << 24) /* numbers of a record between two layers */

/* Derives shapes, places of parameters and the front from the layers' kinds and sizes. A dense
 * layer of 0 units gets as many as there are outputs. Refuses a layer that does not fit. */
SOTTO_MUST_CHECK sotto_status sot_net_finish(sot_net *net, sotto_error *error);

/* The end of the front, and the number of trained parameters, after layers were frozen. Refuses a network with
 * nothing to train, and scattering or data norm above a layer that is trained. */
SOTTO_MUST_CHECK sotto_status sot_net_place_front(sot_net *net, sotto_error *error);

/* "softmax" or "squared", as the file spells them. */
const char *sot_net_loss_name(sot_net_loss loss);

/* An empty network for a task; free with sot_net_free(). */
SOTTO_MUST_CHECK sotto_status sot_net_new(const sot_net_task *task, sot_net **out_net,
                                          sotto_error *error);

/* Copies the numbers, one a channel, to layer->mean and layer->deviation. */
SOTTO_MUST_CHECK sotto_status sot_layer_set_norm(sot_layer *layer, const double *mean,
                                                 const double *deviation, size_t channels,
                                                 sotto_error *error);

/* Adds the layers of a preset to an empty network; *out_known is false, and nothing added, if there
 * is none of that name. */
SOTTO_MUST_CHECK sotto_status sot_net_add_preset(sot_net *net, const char *name,
                                                 bool *out_known, sotto_error *error);

#endif
