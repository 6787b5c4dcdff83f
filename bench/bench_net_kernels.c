/* bench/bench_net_kernels.c: the operations of networks, one core.
 *
 *     bench_net_kernels [SECONDS A LINE [SHAPE]]
 *
 * with only the shapes that begin with SHAPE.
 *
 * fma_peak           Multiply-adds on registers alone, and bytes a second of rows at random places in
 *                    memory: what the processor has, measured in the same run.
 * dense_*, conv_*    Products a second, and as a share of that peak. Shapes of few units also with the bytes of
 *                    rows a second, as a share of the memory's; their rows come from 512 MB, in random
 *                    order, so that no cache holds them.
 * tanh, ...          Numbers a second.
 *
 * Every shape is compared with the plain operations first. JSON lines, the best of several
 * rounds, in processor time, which a busy machine changes less. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "limits.h"
#include "models/network/operations/operations.h"

enum { TILE = 128 };

static double seconds_a_line = 0.2;
static const char *wanted = "";

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *room(size_t count, size_t size)
{
    void *memory = aligned_alloc(64, (count * size + 63) / 64 * 64);
    if (memory == NULL) exit(1);
    return memory;
}

static float *floats(size_t count)
{
    float *values = room(count, sizeof *values);
    uint64_t stream = count;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(next_bits(&stream) >> 40) * 0x1p-23F - 1.0F;
    return values;
}

/* The best time of one call, of rounds of about 10 ms. */
static double best_time(void (*call)(void *), void *state)
{
    const double start = seconds();
    call(state);
    const double once = seconds() - start;
    const size_t calls = once > 5e-3 ? 1 : (size_t)(5e-3 / (once + 1e-8)) + 1;
    double best = INFINITY;
    for (double end = seconds() + seconds_a_line; seconds() < end;) {
        const double begin = seconds();
        for (size_t i = 0; i < calls; i++)
            call(state);
        const double time = (seconds() - begin) / (double)calls;
        best = time < best ? time : best;
    }
    return best;
}

/* ---- what the processor has ---- */

static double peak_products = 0.0, memory_bytes = 0.0;

static void measure_peak(void)
{
    float values[12] = {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
    if (!limits_can_multiply()) return;
    peak_products = LIMITS_PRODUCTS / best_time(limits_multiply, values);
}

static void measure_memory(void)
{
    static limits_rows rows;
    const size_t count = (size_t)1 << 27;
    float *values = room(count, sizeof *values);
    memset(values, 0, count * sizeof *values);
    limits_choose(values, count, 7, &rows);
    memory_bytes = limits_bytes() / best_time(limits_read, &rows);
    free(values);
}

/* ---- one shape ---- */

typedef struct scene {
    const sot_operations *operations;
    sot_layer layer;
    sot_packed packed;
    size_t count;       /* records a call */
    const float **rows; /* many times as many, taken in turn */
    size_t row_count, at;
    float *parameters, *in, *delta; /* in: where rows point to */
    float *out, *down, *gradient, *scratch;
} scene;

static void dense_forward(void *state)
{
    scene *s = state;
    s->at = s->at + 2 * s->count > s->row_count ? 0 : s->at + s->count;
    s->operations->dense_forward(&s->layer, &s->packed, s->parameters + s->layer.weights,
                                 s->rows + s->at, s->count, s->out);
}

static void dense_delta(void *state)
{
    scene *s = state;
    s->operations->dense_delta(&s->layer, &s->packed, s->delta, s->count, s->down);
}

static void dense_gradient(void *state)
{
    scene *s = state;
    s->operations->dense_gradient(&s->layer, s->delta, s->rows + s->at, s->count, false,
                                  s->gradient);
}

/* As in training: the gradient meets the rows that the way up has just read. */
static void dense_both(void *state)
{
    dense_forward(state);
    dense_gradient(state);
}

static void conv_forward(void *state)
{
    scene *s = state;
    s->operations->conv_forward(&s->layer, &s->packed, s->parameters + s->layer.weights,
                                s->in, s->out, s->scratch);
}

static void conv_delta(void *state)
{
    scene *s = state;
    s->operations->conv_delta(&s->layer, &s->packed, s->delta, s->down, s->scratch);
}

static void conv_gradient(void *state)
{
    scene *s = state;
    s->operations->conv_gradient(&s->layer, s->delta, s->in, s->gradient, s->scratch);
}

static void pack_again(void *state)
{
    scene *s = state;
    if (s->operations->pack(&s->layer, s->parameters, true, &s->packed, NULL) != SOTTO_OK)
        exit(1);
}

static double difference(const float *one, const float *two, size_t count)
{
    double most = 0.0, size = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs((double)one[i] - (double)two[i]));
        size = fmax(size, fabs((double)two[i]));
    }
    return most / size;
}

static scene open_scene(sot_layer layer, size_t count, size_t row_count)
{
    const size_t in = sot_shape_size(layer.in), out = sot_shape_size(layer.out);
    scene s = {.layer = layer, .count = count, .row_count = row_count};
    s.operations = sot_operations_fast();
    s.parameters = floats(layer.parameters);
    s.in = floats(row_count * in);
    s.delta = floats(count * out);
    s.out = room(count * out, sizeof *s.out);
    s.down = room(count * in, sizeof *s.down);
    s.gradient = room(layer.parameters, sizeof *s.gradient);
    s.scratch =
        room(layer.kind == SOT_LAYER_CONV ? s.operations->conv_scratch(&layer) : 0,
             sizeof *s.scratch);
    s.rows = room(row_count, sizeof *s.rows);
    uint64_t stream = 3;
    for (size_t i = 0; i < row_count; i++)
        s.rows[i] = s.in + (row_count > count ? next_bits(&stream) % row_count : i) * in;
    pack_again(&s);
    return s;
}

static void close_scene(scene *s)
{
    free(s->parameters), free(s->in), free(s->delta), free(s->out), free(s->down);
    free(s->gradient), free(s->scratch), free((void *)s->rows);
    sot_packed_free(&s->packed);
}

static void check(scene *s)
{
    scene plain = *s;
    const size_t in = s->count * sot_shape_size(s->layer.in);
    const size_t out = s->count * sot_shape_size(s->layer.out);
    const bool conv = s->layer.kind == SOT_LAYER_CONV;
    plain.operations = sot_operations_plain();
    plain.packed = (sot_packed){0};
    plain.out = room(out, sizeof(float)), plain.down = room(in, sizeof(float));
    plain.gradient = room(s->layer.parameters, sizeof(float));
    pack_again(&plain);
    scene *both[] = {s, &plain};
    for (size_t i = 0; i < 2; i++) {
        (conv ? conv_forward : dense_forward)(both[i]);
        (conv ? conv_delta : dense_delta)(both[i]);
        (conv ? conv_gradient : dense_gradient)(both[i]);
    }
    if (difference(s->out, plain.out, out) > 1e-4 ||
        difference(s->down, plain.down, in) > 1e-4 ||
        difference(s->gradient, plain.gradient, s->layer.parameters) > 1e-4) {
        (void)fprintf(stderr, "fast and plain operations differ\n");
        exit(1);
    }
    free(plain.out), free(plain.down), free(plain.gradient);
    sot_packed_free(&plain.packed);
}

static void print_line(const char *name, const char *shape, double products, double bytes,
                       double time)
{
    (void)printf("{\"bench\": \"%s\", \"shape\": \"%s\", \"microseconds\": %.3f, "
                 "\"gflops\": %.1f, \"of_peak\": %.3f",
                 name, shape, time * 1e6, 2e-9 * products / time,
                 products / time / peak_products);
    if (bytes > 0.0)
        (void)printf(", \"gigabytes_a_second\": %.1f, \"of_memory\": %.3f",
                     1e-9 * bytes / time, bytes / time / memory_bytes);
    (void)printf("}\n");
    (void)fflush(stdout);
}

static void bench_dense(size_t inputs, size_t units, size_t row_count)
{
    const sot_layer layer = {.kind = SOT_LAYER_DENSE,
                             .in = {1, 1, inputs},
                             .out = {1, 1, units},
                             .weights = inputs * units,
                             .parameters = (inputs + 1) * units};
    char shape[64];
    (void)snprintf(shape, sizeof shape, "%zu->%zu x %d%s", inputs, units, TILE,
                   row_count > TILE ? ", out of memory" : "");
    if (strncmp(shape, wanted, strlen(wanted)) != 0) return;
    scene s = open_scene(layer, TILE, row_count);
    check(&s);
    const double products = (double)(inputs * units * TILE);
    const double bytes = row_count > TILE ? 4.0 * (double)(inputs * TILE) : 0.0;
    print_line("dense_forward", shape, products, bytes, best_time(dense_forward, &s));
    print_line("dense_both", shape, 2.0 * products, bytes, best_time(dense_both, &s));
    if (row_count == TILE) {
        print_line("dense_delta", shape, products, 0.0, best_time(dense_delta, &s));
        print_line("dense_gradient", shape, products, 0.0, best_time(dense_gradient, &s));
        print_line("pack", shape, (double)layer.weights, 0.0, best_time(pack_again, &s));
    }
    close_scene(&s);
}

static void bench_conv(size_t size, size_t in, size_t out, size_t kernel, size_t stride,
                       size_t padding)
{
    const size_t places = (size + 2 * padding - kernel) / stride + 1;
    const size_t weights = out * kernel * kernel * in;
    const sot_layer layer = {.kind = SOT_LAYER_CONV,
                             .in = {size, size, in},
                             .out = {places, places, out},
                             .kernel = kernel,
                             .stride = stride,
                             .padding = padding,
                             .weights = weights,
                             .parameters = weights + out};
    char shape[64];
    (void)snprintf(shape, sizeof shape, "%zu->%zu k%zu s%zu p%zu on %zux%zu", in, out,
                   kernel, stride, padding, size, size);
    if (strncmp(shape, wanted, strlen(wanted)) != 0) return;
    scene s = open_scene(layer, 1, 1);
    check(&s);
    const double products = (double)(places * places * weights);
    print_line("conv_forward", shape, products, 0.0, best_time(conv_forward, &s));
    print_line("conv_delta", shape, products, 0.0, best_time(conv_delta, &s));
    print_line("conv_gradient", shape, products, 0.0, best_time(conv_gradient, &s));
    close_scene(&s);
}

/* ---- element by element ---- */

enum { ELEMENTS = 4096 };
typedef struct elements {
    const sot_operations *operations;
    float *in, *out;
    int32_t *units;
    int64_t *wide;
    double sum;
} elements;

static void do_tanh(void *state)
{
    elements *e = state;
    e->operations->tanh_forward(e->in, ELEMENTS, e->out);
}
static void do_tanh_delta(void *state)
{
    elements *e = state;
    e->operations->tanh_delta(e->out, e->in, ELEMENTS, e->out);
}
static void do_squares(void *state)
{
    elements *e = state;
    e->sum += e->operations->squares(e->in, ELEMENTS);
}
static void do_truncated(void *state)
{
    elements *e = state;
    e->operations->add_truncated(e->in, ELEMENTS, 8.5F, e->units);
}
static void do_rounded(void *state)
{
    elements *e = state;
    e->operations->add_rounded(e->in, ELEMENTS, 8.0F, e->wide);
}

static void bench_elements(void)
{
    elements e = {.operations = sot_operations_fast(),
                  .in = floats(ELEMENTS),
                  .out = floats(ELEMENTS),
                  .units = room(ELEMENTS, sizeof *e.units),
                  .wide = room(ELEMENTS, sizeof *e.wide)};
    memset(e.units, 0, ELEMENTS * sizeof *e.units);
    memset(e.wide, 0, ELEMENTS * sizeof *e.wide);
    static const struct {
        const char *name;
        void (*call)(void *);
    } calls[] = {{"tanh_forward", do_tanh},
                 {"tanh_delta", do_tanh_delta},
                 {"squares", do_squares},
                 {"add_truncated", do_truncated},
                 {"add_rounded", do_rounded}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const double time = best_time(calls[i].call, &e);
        (void)printf("{\"bench\": \"%s\", \"numbers_a_second\": %.4g}\n", calls[i].name,
                     ELEMENTS / time);
    }
    free(e.in), free(e.out), free(e.units), free(e.wide);
}

int main(int argc, char **argv)
{
    if (argc > 1) seconds_a_line = strtod(argv[1], NULL);
    if (argc > 2) wanted = argv[2];
    measure_peak();
    measure_memory();
    (void)printf("{\"bench\": \"fma_peak\", \"operations\": \"%s\", \"gflops\": %.1f, "
                 "\"gigabytes_a_second\": %.1f}\n",
                 sot_operations_fast()->name, 2e-9 * peak_products, 1e-9 * memory_bytes);
    const size_t many = (size_t)1 << 27;
    bench_dense(784, 128, TILE);
    bench_dense(2048, 128, TILE);
    bench_dense(512, 32, TILE);
    bench_dense(128, 10, TILE);
    bench_dense(784, 10, TILE);
    bench_dense(784, 10, many / 784);
    bench_dense(1024, 10, TILE);
    bench_dense(3969, 10, many / 3969);
    bench_dense(15552, 10, many / 15552);
    bench_conv(28, 1, 16, 8, 2, 2);
    bench_conv(12, 16, 32, 4, 2, 0);
    bench_conv(8, 243, 64, 3, 1, 1);
    bench_conv(4, 64, 64, 3, 1, 1);
    bench_conv(7, 81, 16, 3, 2, 1);
    bench_conv(4, 16, 32, 3, 1, 1);
    bench_conv(32, 3, 32, 3, 1, 1);
    bench_conv(32, 32, 32, 3, 1, 1);
    bench_conv(16, 32, 64, 3, 1, 1);
    bench_conv(16, 64, 64, 3, 1, 1);
    bench_conv(8, 64, 128, 3, 1, 1);
    bench_conv(8, 128, 128, 3, 1, 1);
    bench_elements();
    return 0;
}
