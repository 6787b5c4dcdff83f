/* tests/models/network/net_support.h: small networks and records for the tests of src/models/network. */
#ifndef SOTTO_TESTS_NET_SUPPORT_H
#define SOTTO_TESTS_NET_SUPPORT_H

#include "support.h"

#include "base/memory.h"
#include "models/network/engine/parts.h"

/* A small network, with its task. */
typedef struct small_net {
    const char *name;
    sot_net_task task;
    const char *json;
} small_net;

#define NETWORK(layers) "{\"kind\":\"network\",\"version\":1,\"layers\":[" layers "]}"

/* Every kind of layer that the engine runs, both losses, frozen layers in the middle, no dense layer
 * at all, norms between dense layers, values kept and written over. */
static const small_net small_nets[] = {
    {"linear",
     {{1, 1, 6}, 4, SOT_NET_SOFTMAX},
     NETWORK("{\"type\":\"dense\",\"units\":\"outputs\"}")},
    {"two dense",
     {{1, 1, 7}, 3, SOT_NET_SOFTMAX},
     NETWORK("{\"type\":\"dense\",\"units\":5},{\"type\":\"tanh\"},"
             "{\"type\":\"dense\",\"units\":\"outputs\"}")},
    {"a number",
     {{1, 1, 5}, 1, SOT_NET_SQUARED},
     NETWORK("{\"type\":\"dense\",\"units\":4},{\"type\":\"relu\"},"
             "{\"type\":\"dense\",\"units\":3},{\"type\":\"tanh\"},{\"type\":\"relu\"},"
             "{\"type\":\"dense\",\"units\":1}")},
    {"images",
     {{9, 8, 2}, 3, SOT_NET_SOFTMAX},
     NETWORK(
         "{\"type\":\"conv2d\",\"channels\":4,\"kernel\":3,\"stride\":2,\"padding\":1},"
         "{\"type\":\"tanh\"},{\"type\":\"max-pool\",\"size\":2,\"stride\":1},"
         "{\"type\":\"conv2d\",\"channels\":6,\"kernel\":2},{\"type\":\"relu\"},"
         "{\"type\":\"flatten\"},{\"type\":\"dense\",\"units\":5},{\"type\":\"tanh\"},"
         "{\"type\":\"dense\",\"units\":\"outputs\"}")},
    {"norms",
     {{6, 6, 2}, 2, SOT_NET_SOFTMAX},
     NETWORK("{\"type\":\"conv2d\",\"channels\":4,\"kernel\":3,\"padding\":2},"
             "{\"type\":\"group-norm\",\"groups\":2,\"affine\":true},{\"type\":\"tanh\"},"
             "{\"type\":\"average-pool\",\"size\":3,\"stride\":2},"
             "{\"type\":\"group-norm\",\"groups\":4},{\"type\":\"normalise\",\"mean\":"
             "[0.1,-0.2,0.3,0],\"deviation\":[0.5,1,2,1.5]},{\"type\":\"flatten\"},"
             "{\"type\":\"tanh\"},{\"type\":\"dense\",\"units\":10},"
             "{\"type\":\"group-norm\",\"groups\":2,\"affine\":true},{\"type\":\"relu\"},"
             "{\"type\":\"dense\",\"units\":\"outputs\"}")},
    {"no dense",
     {{5, 4, 3}, 3, SOT_NET_SOFTMAX},
     NETWORK(
         "{\"type\":\"conv2d\",\"channels\":4,\"kernel\":2},{\"type\":\"tanh\"},"
         "{\"type\":\"conv2d\",\"channels\":3,\"kernel\":3},{\"type\":\"average-pool\","
         "\"size\":1,\"stride\":2},{\"type\":\"flatten\"}")},
    {"frozen in the middle",
     {{6, 5, 1}, 3, SOT_NET_SOFTMAX},
     NETWORK("{\"type\":\"conv2d\",\"channels\":3,\"kernel\":2},{\"type\":\"tanh\"},"
             "{\"type\":\"conv2d\",\"channels\":4,\"kernel\":3,\"frozen\":true},"
             "{\"type\":\"relu\"},{\"type\":\"flatten\"},"
             "{\"type\":\"dense\",\"units\":5,\"frozen\":true},{\"type\":\"tanh\"},"
             "{\"type\":\"dense\",\"units\":4},{\"type\":\"tanh\"},"
             "{\"type\":\"dense\",\"units\":\"outputs\",\"frozen\":true}")},
};
enum { SMALL_NETS = sizeof small_nets / sizeof small_nets[0] };

static inline sot_net *parse_net(const char *json, const sot_net_task *task)
{
    sotto_error error;
    sot_json *document = NULL;
    sot_net *net = NULL;
    assert_ok(sot_json_parse(NULL, json, strlen(json), 1 << 20, &document, &error),
              &error);
    const sot_json_value root = sot_json_root(document);
    assert_ok(sot_net_parse(&root, task, &net, &error), &error);
    sot_json_free(document);
    return net;
}

static inline sot_net *make_small(size_t which)
{
    return parse_net(small_nets[which].json, &small_nets[which].task);
}

/* A fixed stream of numbers in [-1, 1] (Knuth's MMIX generator). */
static inline float next_value(uint64_t *stream)
{
    *stream = *stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)((double)(*stream >> 40) * 0x1p-23 - 1.0);
}

/* Records, their labels, and pointers to them. */
typedef struct records {
    size_t count, size;
    float *values;
    const float **inputs;
    double *labels;
} records;

static inline records make_records(const sot_net *net, size_t count, size_t copies,
                                   uint64_t seed)
{
    records made = {.count = count, .size = sot_shape_size(sot_net_front_shape(net))};
    uint64_t stream = seed;
    made.values = sot_new_array(count * copies * made.size, sizeof *made.values);
    made.inputs = sot_new_array(count * copies, sizeof *made.inputs);
    made.labels = sot_new_array(count, sizeof *made.labels);
    for (size_t k = 0; k < count * copies * made.size; k++)
        made.values[k] = next_value(&stream);
    for (size_t i = 0; i < count * copies; i++)
        made.inputs[i] = made.values + i * made.size;
    for (size_t i = 0; i < count; i++)
        made.labels[i] = net->loss == SOT_NET_SQUARED ? (double)next_value(&stream)
                                                      : (double)(i * 7 % net->outputs);
    return made;
}

static inline void free_records(records *made)
{
    sot_free(made->values);
    sot_free(made->inputs);
    sot_free(made->labels);
}

static inline float *make_parameters(const sot_net *net)
{
    float *parameters = sot_new_array(net->parameters, sizeof *parameters);
    sot_net_initialise(net, 17, parameters);
    uint64_t stream = 5;
    for (size_t l = 0; l < net->layer_count; l++) /* norms, too, off their beginning */
        if (net->layers[l].kind == SOT_LAYER_GROUP_NORM)
            for (size_t k = 0; k < net->layers[l].parameters; k++)
                parameters[net->layers[l].first + k] += 0.25F * next_value(&stream);
    return parameters;
}

static inline sot_engine *make_engine(const sot_net *net, const sot_clip *clip,
                                      size_t copies, sot_pool *pool)
{
    sotto_error error;
    sot_engine *engine = NULL;
    assert_ok(sot_engine_new(net, clip, copies, pool, &engine, &error), &error);
    return engine;
}

static const sot_clip unclipped = {SOTTO_CLIPPING_FLAT, (double)INFINITY, 0.0};

static inline sot_clip clip_to(sotto_clipping rule, double bound)
{
    return (sot_clip){rule, bound, sot_clip_spacing(bound)};
}

/* Units of the records first .. first + count - 1 in tiles of `rows`. Free with sot_free(). */
static inline int64_t *units_of(sot_engine *engine, const float *parameters,
                                const records *of, size_t first, size_t count,
                                size_t rows)
{
    sotto_error error;
    const size_t copies = engine->copies;
    const size_t tiles = (count + rows - 1) / rows;
    size_t *starts = sot_new_array(tiles + 1, sizeof *starts);
    for (size_t t = 0; t <= tiles; t++)
        starts[t] = t * rows < count ? t * rows : count;
    int64_t *units = sot_new_array(engine->net->parameters, sizeof *units);
    const sot_tiles cut = {.inputs = of->inputs + first * copies,
                           .labels = of->labels + first,
                           .starts = starts,
                           .tiles = tiles,
                           .copies = copies};
    assert_ok(sot_engine_add(engine, parameters, &cut, units, &error), &error);
    sot_free(starts);
    return units;
}

/* The plain sum, likewise. */
static inline float *plain_of(sot_engine *engine, const float *parameters,
                              const records *of, size_t first, size_t count, size_t rows,
                              double *out_loss)
{
    sotto_error error;
    const size_t copies = engine->copies;
    const size_t tiles = (count + rows - 1) / rows;
    size_t *starts = sot_new_array(tiles + 1, sizeof *starts);
    for (size_t t = 0; t <= tiles; t++)
        starts[t] = t * rows < count ? t * rows : count;
    float *sum = sot_new_array(engine->net->parameters, sizeof *sum);
    const sot_tiles cut = {.inputs = of->inputs + first * copies,
                           .labels = of->labels + first,
                           .starts = starts,
                           .tiles = tiles,
                           .copies = copies};
    assert_ok(sot_engine_add_plain(engine, parameters, &cut, sum, out_loss, &error),
              &error);
    sot_free(starts);
    return sum;
}

/* The reference gradient of record i. Free with sot_free(). */
static inline double *reference_of(const sot_net *net, const float *parameters,
                                   const float *input, double label, double *out_loss)
{
    sotto_error error;
    double *exact = sot_new_array(net->parameters, sizeof *exact);
    double *gradient = sot_new_array(net->parameters, sizeof *gradient);
    for (size_t k = 0; k < net->parameters; k++)
        exact[k] = (double)parameters[k];
    assert_ok(
        sot_reference_gradient(net, exact, input, label, gradient, out_loss, &error),
        &error);
    sot_free(exact);
    return gradient;
}

/* ---- an engine, its network and its records ---- */

static const sotto_clipping rules[] = {SOTTO_CLIPPING_FLAT, SOTTO_CLIPPING_PER_LAYER,
                                       SOTTO_CLIPPING_AUTOMATIC};
enum { RULES = 3 };

typedef struct setting {
    sot_net *net;
    float *parameters;
    records some;
    sot_engine *engine;
} setting;

static inline setting set_up(size_t which, const sot_clip *clip, size_t count,
                             size_t copies, sot_pool *pool)
{
    setting made = {.net = make_small(which)};
    made.parameters = make_parameters(made.net);
    made.some = make_records(made.net, count, copies, 31 + which);
    made.engine = make_engine(made.net, clip, copies, pool);
    return made;
}

static inline void tear_down(setting *made)
{
    sot_engine_free(made->engine);
    free_records(&made->some);
    sot_free(made->parameters);
    sot_net_free(made->net);
}

static inline double distance(const sot_net *net, const int64_t *a, const int64_t *b)
{
    double squares = 0.0;
    for (size_t k = 0; k < net->parameters; k++) {
        const double away = (double)(a[k] - (b == NULL ? 0 : b[k]));
        squares += away * away;
    }
    return sqrt(squares);
}

static inline double dense_parameters(const sot_net *net)
{
    double count = 0.0;
    for (size_t l = 0; l < net->layer_count; l++)
        if (net->layers[l].kind == SOT_LAYER_DENSE && !net->layers[l].frozen)
            count += (double)net->layers[l].parameters;
    return count;
}

#endif
