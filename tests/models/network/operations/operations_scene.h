/* tests/models/network/operations/operations_scene.h: layers of odd shapes, numbers for them, and what they should give, in
 * plain loops of doubles. */
#ifndef SOTTO_TESTS_NET_OPERATIONS_SCENE_H
#define SOTTO_TESTS_NET_OPERATIONS_SCENE_H

#include "support.h"

#include "models/network/operations/tiled.h"

/* splitmix64 (Steele, Lea & Flood 2014): a fixed stream of test values. */
static inline uint64_t scene_bits(uint64_t *stream)
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* `count` floats in [-1, 1), exactly as much memory: a sanitizer sees what goes beyond. */
static inline float *scene_floats(uint64_t *stream, size_t count)
{
    float *values = malloc((count > 0 ? count : 1) * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(scene_bits(stream) >> 40) * 0x1p-23F - 1.0F;
    return values;
}

static inline sot_layer scene_dense(size_t inputs, size_t units)
{
    return (sot_layer){.kind = SOT_LAYER_DENSE,
                       .in = {1, 1, inputs},
                       .out = {1, 1, units},
                       .weights = inputs * units,
                       .parameters = (inputs + 1) * units};
}

static inline sot_layer scene_conv(size_t size, size_t in, size_t out, size_t kernel,
                                   size_t stride, size_t padding)
{
    const size_t height = (size + 2 * padding - kernel) / stride + 1;
    const size_t width = (size + 1 + 2 * padding - kernel) / stride + 1;
    const size_t weights = out * kernel * kernel * in;
    return (sot_layer){.kind = SOT_LAYER_CONV,
                       .in = {size, size + 1, in},
                       .out = {height, width, out},
                       .kernel = kernel,
                       .stride = stride,
                       .padding = padding,
                       .weights = weights,
                       .parameters = weights + out};
}

/* A sum as it should be, and the sum of the sizes of its terms: a float sum of n of them, in any order,
 * is within n 2^-24 times that of it, and a little (Higham, Accuracy and Stability, 4.2). */
typedef struct scene_sum {
    double sum, size;
    size_t terms;
} scene_sum;

static inline void scene_add(scene_sum *to, double x, double y)
{
    to->sum += x * y;
    to->size += fabs(x * y);
    to->terms++;
}

static inline void scene_close(float value, const scene_sum *expected)
{
    const double room =
        1.01 * 0x1p-24 * (double)(expected->terms + 1) * expected->size + 1e-40;
    assert_within((double)value, expected->sum - room, expected->sum + room);
}

/* ---- convolution, pixel by pixel ---- */

/* Calls visit for each product of a convolution: numbers of output, input and weight. */
static inline void scene_conv_products(const sot_layer *layer,
                                       void (*visit)(void *state, size_t out, size_t in,
                                                     size_t weight),
                                       void *state)
{
    const sot_shape in = layer->in, out = layer->out;
    const size_t kernel = layer->kernel;
    for (size_t y = 0; y < out.height; y++) {
        for (size_t x = 0; x < out.width; x++) {
            for (size_t a = 0; a < kernel; a++) {
                for (size_t b = 0; b < kernel; b++) {
                    const size_t row = y * layer->stride + a - layer->padding;
                    const size_t column = x * layer->stride + b - layer->padding;
                    if (row >= in.height || column >= in.width) continue; /* or wrapped */
                    for (size_t j = 0; j < out.channels; j++) {
                        for (size_t c = 0; c < in.channels; c++)
                            visit(state, (y * out.width + x) * out.channels + j,
                                  (row * in.width + column) * in.channels + c,
                                  ((j * kernel + a) * kernel + b) * in.channels + c);
                    }
                }
            }
        }
    }
}

#endif
