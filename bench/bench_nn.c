/* bench/bench_nn.c: whole steps of training networks, private and plain, beside what the machine can do.
 *
 *     bench_nn [--net logistic|mlp|cnn --batch B] [--path private|plain] [--seconds S] [--threads T]
 *
 * nn_step         One window of S seconds (default 0.5) of the real path, without file and ledger: the plan of
 *                 sotto_training_plan(), an open gate, and its learner on random rows in memory, about
 *                 twenty batches of them. private: Poisson batches of mean B, gradients clipped to 1, noise of about that
 *                 size on their sum, momentum 0.9. plain: the method none, batches of B. Nothing is evaluated.
 *                 Time is that of the steps alone: from the end of the first (plain: of the first twentieth) to
 *                 the end of the last.
 * Without --net   all cases, the best of five windows each, and in the same run:
 * limits          multiply-adds on registers, dense products of our own, bytes read at random places, all threads at
 *                 once; each nn_step line then says which share of them it reaches.
 * scattering      images a second of one core, processor time.
 * memory          the largest resident size of a process that trains the preset cnn on 50000 photographs with
 *                 batches of 8192; no --net, or --net memory.
 *
 * JSON lines. Threads: default 2, as bench/peers_nn.py gives everybody; the clock on the wall. One thread: processor
 * time, which a busy machine changes less. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "commands/train/train.h"
#include "data/schema/matrix.h"
#include "limits.h"
#include "models/network/learn/parts.h"
#include "models/network/operations/operations.h"
#include "models/network/scattering/scattering.h"

enum { WINDOWS = 5, BATCHES = 20, CLASSES = 10, PILOT_STEPS = 12 };

static double seconds_a_window = 0.5;
static size_t threads = 2;
static bool wanted[2] = {true, true}; /* plain, private */

#define NETWORK(layers) "{\"kind\":\"network\",\"version\":1,\"layers\":[" layers "]}"
#define FLATTEN         "{\"type\":\"flatten\"},"
#define OUTPUTS         "{\"type\":\"dense\",\"units\":\"outputs\"}"
#define LABELS          ",\"labels\":[0,1,2,3,4,5,6,7,8,9],"
#define NUMBERS         "\"numbers\":{\"lower\":0,\"upper\":1}}"

typedef struct network_case {
    const char *name, *schema, *json;
    size_t batches[2];
} network_case;

static const network_case networks[] = {
    {"logistic",
     "{\"dataset\":\"random\",\"shape\":[1,28,28]" LABELS NUMBERS,
     NETWORK(FLATTEN OUTPUTS),
     {256, 2048}},
    {"mlp",
     "{\"dataset\":\"random\",\"shape\":[1,28,28]" LABELS NUMBERS,
     NETWORK(FLATTEN "{\"type\":\"dense\",\"units\":128},{\"type\":\"tanh\"}," OUTPUTS),
     {256, 2048}},
    {"cnn",
     "{\"dataset\":\"random\",\"shape\":[1,28,28]" LABELS NUMBERS,
     "cnn", /* of images of this size: 26 010 parameters */
     {512, 2048}},
};
static const network_case photographs = {
    "memory",
    "{\"dataset\":\"random\",\"shape\":[3,32,32]" LABELS NUMBERS,
    "cnn",
    {8192, 0}};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void must(sotto_status status, const sotto_error *error)
{
    if (status == SOTTO_OK) return;
    (void)fprintf(stderr, "bench_nn: %s\n", error->message);
    exit(EXIT_FAILURE);
}

static void *room(size_t count, size_t size)
{
    void *memory = sot_new_aligned(count, size);
    if (memory == NULL) exit(EXIT_FAILURE);
    return memory;
}

/* ---- one training ---- */

typedef struct stopwatch {
    double window; /* seconds after which it stops */
    uint64_t first, last;
    double began, ended;
} stopwatch;

static bool tick(stopwatch *watch, uint64_t step)
{
    const double now = seconds();
    if (watch->first == 0) {
        watch->first = step;
        watch->began = now;
    }
    watch->last = step;
    watch->ended = now;
    return now - watch->began >= watch->window;
}

static double pace(const stopwatch *watch) /* seconds a step */
{
    if (watch->last == watch->first) return watch->window;
    return (watch->ended - watch->began) / (double)(watch->last - watch->first);
}

/* The private walk asks after every step, whether to keep its state. */
typedef struct watched_steps {
    stopwatch watch;
    uint64_t step;
} watched_steps;

static bool is_due(void *context)
{
    watched_steps *own = context;
    return tick(&own->watch, ++own->step);
}

static sotto_status stop(void *context, uint64_t step, const unsigned char *state,
                         size_t state_bytes, sotto_error *error)
{
    (void)context, (void)step, (void)state, (void)state_bytes, (void)error;
    return SOTTO_INTERRUPTED;
}

static int on_progress(const sotto_progress *progress, void *context)
{
    return progress->step > 0 && tick(context, progress->step);
}

typedef struct rows_scene {
    const network_case *network;
    sotto_schema *schema;
    sot_matrix matrix;
    size_t batch;
} rows_scene;

static void open_scene(const network_case *network, size_t batch, size_t rows,
                       rows_scene *out)
{
    sotto_error error;
    size_t shape[3];
    *out = (rows_scene){.network = network, .batch = batch};
    must(sotto_schema_parse("random", network->schema, strlen(network->schema),
                            &out->schema, &error),
         &error);
    (void)sot_schema_shape(out->schema, shape);
    const size_t size = shape[0] * shape[1] * shape[2];
    const size_t columns = size + 1; /* the constant */
    const size_t stride =
        (columns + SOT_MATRIX_LANES - 1) / SOT_MATRIX_LANES * SOT_MATRIX_LANES;
    out->matrix = (sot_matrix){.rows = rows, .columns = columns, .stride = stride};
    out->matrix.dense = room(rows * stride, sizeof(float));
    out->matrix.labels = room(rows, sizeof(double));
    uint64_t stream = batch;
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < columns; k++)
            out->matrix.dense[i * stride + k] =
                k < size ? (float)(next_bits(&stream) >> 40) * 0x1p-24F : 1.0F;
        out->matrix.labels[i] = (double)(next_bits(&stream) % CLASSES);
    }
}

static void close_scene(rows_scene *scene)
{
    sot_free(scene->matrix.dense);
    sot_free(scene->matrix.labels);
    sotto_schema_free(scene->schema);
}

static sotto_train_config config_of(const rows_scene *scene, bool private, uint64_t steps)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_NETWORK;
    config.network = scene->network->json;
    config.method = private ? SOTTO_METHOD_SGD : SOTTO_METHOD_NONE;
    config.batch = scene->batch;
    config.steps = steps;
    config.momentum = 0.9;
    config.learning_rate = 0.01;
    config.schedule = SOTTO_SCHEDULE_CONSTANT;
    config.weight_average = 0.0;
    config.threads = threads;
    config.insecure_test = true;
    config.test_seed = 1;
    if (private) {
        config.clip = 1.0;
        config.expected_rows = scene->matrix.rows;
        /* Noise of about 1: the central limit of Bu et al. (2020), mu = rate sqrt(steps (e - 1)), of which
         * epsilon is about mu^2/2 + 4.2 mu. */
        const double mu = sqrt((double)steps * (exp(1.0) - 1.0)) / BATCHES;
        config.epsilon = 0.5 * mu * mu + 4.2 * mu;
        config.delta = 1e-5;
    } else {
        config.data_is_public = true;
    }
    return config;
}

typedef struct measured {
    double pace;       /* seconds a step */
    double multiplier; /* of the noise; plain: 0 */
    double products;   /* a record */
    size_t parameters;
} measured;

/* Products a record: once up, once for the gradient, and once down but for the first layer with weights. */
static double products_of(const sot_net *net)
{
    double sum = 0.0;
    for (size_t l = net->front; l < net->layer_count; l++) {
        const sot_layer *layer = &net->layers[l];
        const double places = (double)(layer->out.height * layer->out.width);
        sum += (sum == 0.0 ? 2.0 : 3.0) * places * (double)layer->weights;
    }
    return sum;
}

static measured train(const rows_scene *scene, bool private, uint64_t steps,
                      double window)
{
    sotto_error error;
    sotto_training *training = NULL;
    sotto_rng *rng = NULL;
    sotto_gate *gate = NULL;
    watched_steps own = {.watch = {.window = window}};
    sot_checkpoint checkpoint = {.is_due = is_due, .keep = stop, .context = &own};
    sotto_train_config config = config_of(scene, private, steps);
    if (!private) {
        config.progress = on_progress;
        config.progress_context = &own.watch;
    }
    must(sotto_training_plan(&config, scene->schema, &training, &error), &error);
    must(sotto_rng_new_for_test(1, &rng, &error), &error);
    if (private) {
        must(sotto_gate_new(sotto_training_events(training), rng, &gate, &error), &error);
        must(sotto_gate_open(gate, &error), &error);
        training->learner->checkpoint = &checkpoint;
    }
    double *theta = room(sot_learner_coefficients(training->learner), sizeof *theta);
    const sotto_status status =
        sot_training_learn(training, gate, &scene->matrix, theta, &error);
    if (status != SOTTO_INTERRUPTED) must(status, &error);
    const sot_nn *nn = training->learner->state;
    const measured result = {.pace = pace(&own.watch),
                             .multiplier = private ? nn->multiplier : 0.0,
                             .products = products_of(training->learner->net),
                             .parameters = training->learner->net->parameters};
    sot_free(theta);
    sotto_gate_free(gate);
    sotto_rng_free(rng);
    sotto_training_free(training);
    return result;
}

/* ---- the machine's limits ---- */

typedef struct machine_limits {
    double products, gemm, bytes; /* a second, all threads; 0: not measured */
} machine_limits;

typedef struct gemm_scene {
    sot_layer layer;
    sot_packed packed;
    float *parameters, *in, *delta, *out, *gradient;
    const float *rows[SOT_TILE_ROWS];
} gemm_scene;

static void gemm(void *state)
{
    gemm_scene *own = state;
    const sot_operations *operations = sot_operations_fast();
    operations->dense_forward(&own->layer, &own->packed, own->parameters, own->rows,
                              SOT_TILE_ROWS, own->out);
    operations->dense_gradient(&own->layer, own->delta, own->rows, SOT_TILE_ROWS, false,
                               own->gradient);
}

static gemm_scene *open_gemm(void)
{
    enum { INPUTS = 784, UNITS = 128 };
    sotto_error error;
    gemm_scene *own = room(1, sizeof *own);
    own->layer = (sot_layer){.kind = SOT_LAYER_DENSE,
                             .in = {1, 1, INPUTS},
                             .out = {1, 1, UNITS},
                             .weights = INPUTS * UNITS,
                             .parameters = (INPUTS + 1) * UNITS};
    own->parameters = room(own->layer.parameters, sizeof(float));
    own->gradient = room(own->layer.parameters, sizeof(float));
    own->in = room(SOT_TILE_ROWS * INPUTS, sizeof(float));
    own->delta = room(SOT_TILE_ROWS * UNITS, sizeof(float));
    own->out = room(SOT_TILE_ROWS * UNITS, sizeof(float));
    for (size_t i = 0; i < SOT_TILE_ROWS; i++)
        own->rows[i] = own->in + i * INPUTS;
    must(sot_operations_fast()->pack(&own->layer, own->parameters, false, &own->packed,
                                     &error),
         &error);
    return own;
}

static void close_gemm(gemm_scene *own)
{
    sot_free(own->parameters), sot_free(own->gradient), sot_free(own->in);
    sot_free(own->delta), sot_free(own->out), sot_packed_free(&own->packed);
    sot_free(own);
}

typedef struct race {
    void (*call)(void *);
    void **states; /* one a thread */
    size_t calls;
} race;

static sotto_status run_some(size_t chunk, size_t begin, size_t end, void *context,
                             sotto_error *error)
{
    race *own = context;
    (void)begin, (void)end, (void)error;
    for (size_t i = 0; i < own->calls; i++)
        own->call(own->states[chunk]);
    return SOTTO_OK;
}

/* Calls a second of all threads at once, the best of several rounds of about 20 ms. */
static double calls_a_second(sot_pool *pool, void (*call)(void *), void **states)
{
    sotto_error error;
    race own = {.call = call, .states = states, .calls = 1};
    double begin = seconds(), best = 0.0;
    call(states[0]);
    own.calls = 1 + (size_t)(0.02 / (seconds() - begin + 1e-9));
    for (int round = 0; round < 4 * WINDOWS; round++) {
        begin = seconds();
        must(sot_parallel_for(pool, threads, 1, run_some, &own, &error), &error);
        best = fmax(best, (double)(threads * own.calls) / (seconds() - begin));
    }
    return best;
}

static machine_limits measure_limits(void)
{
    sotto_error error;
    sot_pool *pool = NULL;
    machine_limits found = {0};
    const size_t count = (size_t)1 << 26;
    float numbers[SOT_THREADS_MAX][16];
    void *states[SOT_THREADS_MAX];
    must(sot_pool_new(threads, &pool, &error), &error);
    for (size_t t = 0; t < threads; t++) {
        for (size_t k = 0; k < 16; k++)
            numbers[t][k] = (float)k;
        states[t] = numbers[t];
    }
    if (limits_can_multiply())
        found.products = LIMITS_PRODUCTS * calls_a_second(pool, limits_multiply, states);
    for (size_t t = 0; t < threads; t++)
        states[t] = open_gemm();
    const gemm_scene *first = states[0];
    found.gemm = 2.0 * (double)(SOT_TILE_ROWS * first->layer.weights) *
                 calls_a_second(pool, gemm, states);
    for (size_t t = 0; t < threads; t++)
        close_gemm(states[t]);
    float *values = room(count, sizeof *values);
    memset(values, 0, count * sizeof *values);
    for (size_t t = 0; t < threads; t++) {
        states[t] = room(1, sizeof(limits_rows));
        limits_choose(values, count, t, states[t]);
    }
    found.bytes = limits_bytes() * calls_a_second(pool, limits_read, states);
    for (size_t t = 0; t < threads; t++)
        sot_free(states[t]);
    sot_free(values);
    sot_pool_free(pool);
    (void)printf("{\"bench\": \"limits\", \"threads\": %zu, \"fma_gflops\": %.1f, "
                 "\"dense_gflops\": %.1f, \"gigabytes_a_second\": %.1f}\n",
                 threads, 2e-9 * found.products, 2e-9 * found.gemm, 1e-9 * found.bytes);
    return found;
}

/* ---- lines ---- */

static void print_step(const rows_scene *scene, const measured *found, bool private,
                       const machine_limits *limits)
{
    const double rate = (double)scene->batch / found->pace;
    (void)printf("{\"bench\": \"nn_step\", \"path\": \"%s\", \"net\": \"%s\", "
                 "\"parameters\": %zu, \"batch\": %zu, \"rows\": %zu, \"threads\": %zu, "
                 "\"samples_per_second\": %.0f, \"microseconds_a_step\": %.1f",
                 private ? "private" : "plain", scene->network->name, found->parameters,
                 scene->batch, scene->matrix.rows, threads, rate, 1e6 * found->pace);
    if (private) (void)printf(", \"noise_multiplier\": %.2f", found->multiplier);
    if (limits != NULL) {
        const double products = rate * found->products;
        const double bytes = rate * 4.0 * (double)(scene->matrix.columns - 1);
        (void)printf(", \"gflops\": %.1f, \"of_fma\": %.3f, \"of_dense\": %.3f, "
                     "\"of_memory\": %.3f",
                     2e-9 * products,
                     limits->products > 0.0 ? products / limits->products : 0.0,
                     products / limits->gemm, bytes / limits->bytes);
    }
    (void)printf("}\n");
    (void)fflush(stdout);
}

/* As many steps as a window has, and some: it is stopped when it is over. */
static uint64_t steps_of(const rows_scene *scene, bool private)
{
    const measured pilot = train(scene, private, PILOT_STEPS, seconds_a_window);
    return PILOT_STEPS + (uint64_t)(1.1 * seconds_a_window / pilot.pace);
}

static void bench_case(const network_case *network, size_t batch, int windows,
                       const machine_limits *limits)
{
    rows_scene scene;
    measured best[2] = {{.pace = HUGE_VAL}, {.pace = HUGE_VAL}};
    open_scene(network, batch, BATCHES * batch, &scene);
    uint64_t steps[2] = {0};
    for (int private = 0; private < 2; private ++)
        if (wanted[private]) steps[private] = steps_of(&scene, private);
    for (int window = 0; window < windows; window++) {
        for (int private = 0; private < 2; private ++) {
            if (!wanted[private]) continue;
            const measured found =
                train(&scene, private, steps[private], seconds_a_window);
            if (found.pace < best[private].pace) best[private] = found;
        }
    }
    for (int private = 1; private >= 0; private --)
        if (wanted[private]) print_step(&scene, &best[private], private, limits);
    close_scene(&scene);
}

static void bench_scattering(void)
{
    enum { IMAGES = 64, ROUNDS = 15, SIDE = 28 };
    sotto_error error;
    sot_scattering *scattering = NULL;
    must(sot_scattering_new(SIDE, 1, &scattering, &error), &error);
    const size_t out_side = sot_scattering_out_side(scattering);
    float *images = room(IMAGES * SIDE * SIDE, sizeof *images);
    float *out =
        room(out_side * out_side * sot_scattering_channels(scattering), sizeof *out);
    float *scratch = room(sot_scattering_scratch_floats(scattering), sizeof *scratch);
    uint64_t stream = 1;
    for (size_t i = 0; i < IMAGES * SIDE * SIDE; i++)
        images[i] = (float)(next_bits(&stream) >> 40) * 0x1p-24F;
    double best = HUGE_VAL;
    for (int round = 0; round < ROUNDS; round++) {
        const clock_t begin = clock();
        for (size_t i = 0; i < IMAGES; i++)
            sot_scattering_apply(scattering, images + i * SIDE * SIDE, out, scratch);
        best = fmin(best, (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    (void)printf("{\"bench\": \"scattering\", \"side\": %d, "
                 "\"images_per_second_a_core\": %.0f}\n",
                 (int)SIDE, IMAGES / best);
    sot_free(images), sot_free(out), sot_free(scratch);
    sot_scattering_free(scattering);
}

/* In a process of its own, whose size is nobody else's. */
static void bench_memory(void)
{
    enum { ROWS = 50000, STEPS = 2 };
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        rows_scene scene;
        struct rusage usage;
        open_scene(&photographs, photographs.batches[0], ROWS, &scene);
        const measured found = train(&scene, true, STEPS, 1e9);
        (void)getrusage(RUSAGE_SELF, &usage);
        (void)printf("{\"bench\": \"memory\", \"net\": \"cnn 32x32x3\", "
                     "\"parameters\": %zu, \"batch\": %zu, \"rows\": %d, "
                     "\"threads\": %zu, \"peak_megabytes\": %.0f, "
                     "\"records_megabytes\": %.0f, \"samples_per_second\": %.0f}\n",
                     found.parameters, scene.batch, (int)ROWS, threads,
                     1.024e-3 * (double)usage.ru_maxrss,
                     4e-6 * (double)(scene.matrix.rows * scene.matrix.stride),
                     (double)scene.batch / found.pace);
        close_scene(&scene);
        exit(fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        exit(EXIT_FAILURE);
}

static void bench_all(void)
{
    const machine_limits limits = measure_limits();
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
        for (size_t b = 0; b < 2; b++)
            bench_case(&networks[n], networks[n].batches[b], WINDOWS, &limits);
    bench_scattering();
    bench_memory();
}

int main(int argc, char **argv)
{
    const char *net = NULL;
    size_t batch = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--net") == 0) net = argv[i + 1];
        if (strcmp(argv[i], "--batch") == 0) batch = strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seconds") == 0)
            seconds_a_window = strtod(argv[i + 1], NULL);
        if (strcmp(argv[i], "--path") == 0)
            wanted[strcmp(argv[i + 1], "plain") == 0] = false;
        if (strcmp(argv[i], "--threads") == 0) threads = strtoul(argv[i + 1], NULL, 10);
    }
    if (threads < 1 || threads > 256 || !(seconds_a_window > 0.0)) return 2;
    if (net == NULL) {
        bench_all();
        return EXIT_SUCCESS;
    }
    if (strcmp(net, "memory") == 0) {
        bench_memory();
        return EXIT_SUCCESS;
    }
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        if (strcmp(net, networks[n].name) != 0 || batch == 0) continue;
        bench_case(&networks[n], batch, 1, NULL);
        return EXIT_SUCCESS;
    }
    (void)fprintf(stderr, "usage: bench_nn [--net logistic|mlp|cnn|memory --batch B] "
                          "[--path private|plain] [--seconds S] [--threads T]\n");
    return 2;
}
