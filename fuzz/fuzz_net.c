/* Any bytes as a network's file: refused with one clear line, or a network whose shapes fit together,
 * that survives the way to its written form and back, and whose small ones can be run. */
#include <string.h>

#include "base/memory.h"
#include "models/network/engine/engine.h"
#include "require.h"

enum { SIZE_RUN = 4096, PARAMETERS_RUN = 20000 };

static void check_shapes(const sot_net *net)
{
    size_t parameters = 0, trainable = 0;
    require(net->layer_count >= 1 && net->layer_count <= SOT_NET_LAYERS_MAX);
    require(net->front < net->layer_count);
    for (size_t l = 0; l < net->layer_count; l++) {
        const sot_layer *layer = &net->layers[l];
        const sot_shape below = l == 0 ? net->input : net->layers[l - 1].out;
        require(memcmp(&layer->in, &below, sizeof below) == 0);
        require(sot_shape_size(layer->out) >= 1);
        require(layer->first == parameters);
        require(layer->weights <= layer->parameters);
        parameters += layer->parameters;
        if (!layer->frozen) trainable += layer->parameters;
    }
    require(parameters == net->parameters && parameters <= SOT_NET_PARAMETERS_MAX);
    require(trainable == net->trainable && trainable > 0);
    require(sot_shape_size(net->layers[net->layer_count - 1].out) == net->outputs);
}

static char *written(const sot_net *net)
{
    sot_json_writer *writer = NULL;
    const char *text;
    size_t size;
    require(sot_json_writer_new(false, &writer, NULL) == SOTTO_OK);
    sot_net_write(net, writer);
    require(sot_json_writer_finish(writer, &text, &size, NULL) == SOTTO_OK);
    char *copy = sot_copy_string(text);
    require(copy != NULL);
    sot_json_writer_free(writer);
    return copy;
}

static sotto_status parse(const char *text, size_t size, const sot_net_task *task,
                          sot_net **out_net, sotto_error *error)
{
    sot_json *document = NULL;
    sotto_status status = sot_json_parse("net", text, size, 1 << 20, &document, error);
    if (status != SOTTO_OK) return status;
    const sot_json_value root = sot_json_root(document);
    status = sot_net_parse(&root, task, out_net, error);
    sot_json_free(document);
    return status;
}

static void check_round_trip(const sot_net *net, const sot_net_task *task)
{
    sot_net *same = NULL;
    char *text = written(net);
    require(parse(text, strlen(text), task, &same, NULL) == SOTTO_OK);
    char *again = written(same);
    require(strcmp(text, again) == 0);
    sot_net_free(same);
    sot_free(text);
    sot_free(again);
}

static void check_run(const sot_net *net)
{
    const sot_clip clip = {SOTTO_CLIPPING_FLAT, 1.0, sot_clip_spacing(1.0)};
    for (size_t l = 0; l < net->layer_count; l++)
        if (sot_shape_size(net->layers[l].out) > SIZE_RUN) return;
    if (net->parameters > PARAMETERS_RUN) return;
    const size_t size = sot_shape_size(sot_net_front_shape(net));
    float *parameters = sot_new_array(net->parameters, sizeof *parameters);
    float *input = sot_new_array(size, sizeof *input);
    int64_t *units = sot_new_array(net->parameters, sizeof *units);
    require(parameters != NULL && input != NULL && units != NULL);
    sot_net_initialise(net, 1, parameters);
    for (size_t k = 0; k < size; k++)
        input[k] = (float)(k % 5) - 2.0F;
    sot_engine *engine = NULL;
    require(sot_engine_new(net, &clip, 1, NULL, &engine, NULL) == SOTTO_OK);
    const float *inputs[1] = {input};
    const double label = 0.0;
    const size_t starts[2] = {0, 1};
    const sot_tiles tiles = {inputs, &label, starts, 1, 1, NULL};
    require(sot_engine_add(engine, parameters, &tiles, units, NULL) == SOTTO_OK);
    const double most = sot_engine_sensitivity_of(net, &clip).one;
    double squares = 0.0;
    for (size_t k = 0; k < net->parameters; k++)
        squares += (double)units[k] * (double)units[k];
    require(squares <= most * most);
    sot_engine_free(engine);
    sot_free(parameters);
    sot_free(input);
    sot_free(units);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sot_net_task tasks[] = {{{8, 8, 2}, 3, SOT_NET_SOFTMAX},
                                         {{1, 1, 6}, 1, SOT_NET_SQUARED}};
    for (size_t t = 0; t < 2; t++) {
        sotto_error error;
        sot_net *net = NULL;
        const sotto_status status =
            parse((const char *)data, size, &tasks[t], &net, &error);
        if (status != SOTTO_OK) {
            require(net == NULL);
            require(status == SOTTO_PARSE || status == SOTTO_INVALID_ARGUMENT);
            require(error.message[0] != '\0' && strchr(error.message, '\n') == NULL);
            continue;
        }
        check_shapes(net);
        check_round_trip(net, &tasks[t]);
        check_run(net);
        sot_net_free(net);
    }
    return 0;
}
