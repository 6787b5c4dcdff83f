#include "net/net.h"

#include "base/memory.h"

void sot_net_free(sot_net *net)
{
    if (net == NULL) return;
    for (size_t i = 0; i < net->layer_count; i++) {
        sot_free(net->layers[i].mean);
        sot_free(net->layers[i].deviation);
    }
    sot_free(net);
}
