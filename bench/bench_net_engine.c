/* bench/bench_net_engine.c: sums of clipped gradients, and plain ones, of whole networks.
 *
 *     bench_net_engine [SECONDS A LINE [NETWORK [THREADS [BATCH]]]]
 *
 * engine_clipped    One pass of the engine over a batch of tiles, clipped into units: no noise, no step.
 * engine_plain      The same sums without clipping, for public data.
 *
 * Records a second, and the products of dense layers and convolutions (up, down and gradients) as
 * multiply-adds a second. Inputs are random, of the trained part of the network, 2^26 numbers in all, and taken
 * in random order. JSON lines, the best of several rounds: processor time for one thread, which a busy
 * machine changes less; the clock on the wall for several. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "models/network/engine/engine.h"

enum { BATCH_MOST = 8192, TILES_MOST = BATCH_MOST / SOT_TILE_ROWS, BATCHES = 8 };

static double seconds_a_line = 0.5;
static size_t threads = 1, batch_size = 2048; /* a multiple of a tile */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* splitmix64 (Steele, Lea & Flood 2014): a fixed stream of test values. */
static uint64_t next_bits(uint64_t *stream)
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

#define NETWORK(layers) "{\"kind\":\"network\",\"version\":1,\"layers\":[" layers "]}"
#define DENSE(units)    "{\"type\":\"dense\",\"units\":" units "}"
#define CONV(channels, kernel, stride, padding)                                          \
    "{\"type\":\"conv2d\",\"channels\":" channels ",\"kernel\":" kernel                  \
    ",\"stride\":" stride ",\"padding\":" padding "},{\"type\":\"tanh\"},"
#define POOL(stride) "{\"type\":\"max-pool\",\"size\":2,\"stride\":" stride "},"
#define FLATTEN      "{\"type\":\"flatten\"},"
#define TANH         ",{\"type\":\"tanh\"},"
#define OUTPUTS      DENSE("\"outputs\"")

static const struct {
    const char *name;
    sot_shape input;
    const char *json;
} networks[] = {{"logistic 784-10", {1, 1, 784}, NETWORK(OUTPUTS)},
                {"mlp 784-128-10", {1, 1, 784}, NETWORK(DENSE("128") TANH OUTPUTS)},
                {"tanh-cnn",
                 {28, 28, 1},
                 NETWORK(CONV("16", "8", "2", "2") POOL("1") CONV("32", "4", "2", "0")
                             POOL("1") FLATTEN DENSE("32") TANH OUTPUTS)},
                {"linear 3969-10", {7, 7, 81}, NETWORK(FLATTEN OUTPUTS)},
                {"linear 15552-10", {8, 8, 243}, NETWORK(FLATTEN OUTPUTS)},
                {"scattering-cnn mnist",
                 {7, 7, 81},
                 NETWORK(CONV("16", "3", "2", "1") CONV("32", "3", "1", "1")
                             FLATTEN DENSE("32") TANH OUTPUTS)},
                {"scattering-cnn cifar",
                 {8, 8, 243},
                 NETWORK(CONV("64", "3", "1", "1") POOL("2") CONV("64", "3", "1", "1")
                             FLATTEN OUTPUTS)},
                {"cnn cifar",
                 {32, 32, 3},
                 NETWORK(CONV("32", "3", "1", "1") CONV("32", "3", "1", "1") POOL("2")
                             CONV("64", "3", "1", "1") CONV("64", "3", "1", "1") POOL("2")
                                 CONV("128", "3", "1", "1") CONV("128", "3", "1", "1")
                                     POOL("2") FLATTEN DENSE("128") TANH OUTPUTS)}};

static void must(sotto_status status, const sotto_error *error)
{
    if (status == SOTTO_OK) return;
    (void)fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) exit(1);
    return memory;
}

static sot_net *make(const char *json, sot_shape input)
{
    sotto_error error;
    sot_json *document = NULL;
    sot_net *net = NULL;
    const sot_net_task task = {.input = input, .outputs = 10, .loss = SOT_NET_SOFTMAX};
    must(sot_json_parse(NULL, json, strlen(json), 1 << 20, &document, &error), &error);
    const sot_json_value root = sot_json_root(document);
    must(sot_net_parse(&root, &task, &net, &error), &error);
    sot_json_free(document);
    return net;
}

/* Products a record: once up, once for the gradient, and once down but for the first layer. */
static double products_of(const sot_net *net)
{
    double sum = 0.0;
    for (size_t l = net->front; l < net->layer_count; l++) {
        const sot_layer *layer = &net->layers[l];
        const double places = (double)(layer->out.height * layer->out.width);
        sum += (l == net->front || (l == net->front + 1 && sum == 0.0) ? 2.0 : 3.0) *
               places * (double)layer->weights;
    }
    return sum;
}

typedef struct batch {
    float *values;
    const float **inputs;
    double *labels;
    size_t starts[TILES_MOST + 1];
    sot_tiles tiles;
} batch;

static void fill_batch(const sot_net *net, batch *out)
{
    const size_t size = sot_shape_size(net->input), records = ((size_t)1 << 26) / size;
    uint64_t stream = 5;
    out->values = sot_new_aligned(records * size, sizeof *out->values);
    if (out->values == NULL) exit(1);
    out->inputs = room(batch_size * BATCHES, sizeof *out->inputs);
    out->labels = room(batch_size * BATCHES, sizeof *out->labels);
    for (size_t i = 0; i < records * size; i++)
        out->values[i] = (float)(next_bits(&stream) >> 40) * 0x1p-24F;
    for (size_t i = 0; i < batch_size * BATCHES; i++) {
        out->inputs[i] = out->values + next_bits(&stream) % records * size;
        out->labels[i] = (double)(next_bits(&stream) % 10);
    }
    for (size_t t = 0; t <= batch_size / SOT_TILE_ROWS; t++)
        out->starts[t] = t * SOT_TILE_ROWS;
    out->tiles = (sot_tiles){.inputs = out->inputs,
                             .labels = out->labels,
                             .starts = out->starts,
                             .tiles = batch_size / SOT_TILE_ROWS,
                             .copies = 1};
}

static void bench(const char *name, const sot_net *net, batch *data, bool clipped)
{
    sotto_error error;
    sot_pool *pool = NULL;
    sot_engine *engine = NULL;
    must(sot_pool_new(threads, &pool, &error), &error);
    const sot_clip clip = {.rule = SOTTO_CLIPPING_FLAT,
                           .bound = clipped ? 0.1 : HUGE_VAL,
                           .spacing = clipped ? sot_clip_spacing(0.1) : 0.0};
    must(sot_engine_new(net, &clip, 1, pool, &engine, &error), &error);
    float *parameters = room(net->parameters, sizeof *parameters);
    float *sum = room(net->parameters, sizeof *sum);
    int64_t *units = room(net->parameters, sizeof *units);
    sot_net_initialise(net, 1, parameters);
    double best = INFINITY, loss;
    size_t turn = 0;
    for (double end = seconds() + seconds_a_line; seconds() < end;) {
        turn = (turn + 1) % BATCHES;
        data->tiles.inputs = data->inputs + turn * batch_size;
        data->tiles.labels = data->labels + turn * batch_size;
        const double begin = seconds();
        if (clipped) {
            must(sot_engine_add(engine, parameters, &data->tiles, units, &error), &error);
        } else {
            must(sot_engine_add_plain(engine, parameters, &data->tiles, sum, &loss,
                                      &error),
                 &error);
        }
        const double time = seconds() - begin;
        best = time < best ? time : best;
    }
    (void)printf("{\"bench\": \"engine_%s\", \"network\": \"%s\", \"threads\": %zu, "
                 "\"batch\": %zu, \"records_a_second\": %.0f, \"gflops\": %.1f}\n",
                 clipped ? "clipped" : "plain", name, threads, batch_size,
                 (double)batch_size / best,
                 2e-9 * (double)batch_size * products_of(net) / best);
    (void)fflush(stdout);
    free(parameters), free(sum), free(units);
    sot_engine_free(engine);
    sot_pool_free(pool);
}

int main(int argc, char **argv)
{
    if (argc > 1) seconds_a_line = strtod(argv[1], NULL);
    if (argc > 3) threads = strtoul(argv[3], NULL, 10);
    if (argc > 4) batch_size = strtoul(argv[4], NULL, 10) / SOT_TILE_ROWS * SOT_TILE_ROWS;
    if (batch_size == 0 || batch_size > BATCH_MOST) return 2;
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        if (argc > 2 && strncmp(networks[n].name, argv[2], strlen(argv[2])) != 0)
            continue;
        sot_net *net = make(networks[n].json, networks[n].input);
        batch data;
        fill_batch(net, &data);
        bench(networks[n].name, net, &data, true);
        bench(networks[n].name, net, &data, false);
        sot_free(data.values), free((void *)data.inputs), free(data.labels);
        sot_net_free(net);
    }
    return 0;
}
