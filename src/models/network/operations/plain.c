/* The operations, written to be read: the reference for the fast ones. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/operations/operations.h"

/* ---- packing: the weights as they are ---- */

void sot_packed_free(sot_packed *packed)
{
    sot_free(packed->forward);
    sot_free(packed->backward);
    *packed = (sot_packed){0};
}

static sotto_status copy_weights(const sot_layer *layer, const float *parameters,
                                 float **copy, size_t *floats, sotto_error *error)
{
    if (*copy == NULL) {
        *copy = sot_new_aligned(layer->weights, sizeof **copy);
        if (*copy == NULL) return sot_fail_memory(error, layer->weights, sizeof **copy);
        *floats = layer->weights;
    }
    memcpy(*copy, parameters, layer->weights * sizeof **copy);
    return SOTTO_OK;
}

static sotto_status pack(const sot_layer *layer, const float *parameters, bool backward,
                         sot_packed *packed, sotto_error *error)
{
    sotto_status status =
        copy_weights(layer, parameters, &packed->forward, &packed->forward_floats, error);
    if (status == SOTTO_OK && backward)
        status = copy_weights(layer, parameters, &packed->backward,
                              &packed->backward_floats, error);
    return status;
}

/* ---- dense ---- */

static void dense_forward(const sot_layer *layer, const sot_packed *packed,
                          const float *bias, const float *const *rows, size_t count,
                          float *out)
{
    const size_t inputs = layer->in.channels, units = layer->out.channels;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < units; j++) {
            const float *weights = packed->forward + j * inputs;
            double sum = (double)bias[j];
            for (size_t k = 0; k < inputs; k++)
                sum += (double)rows[i][k] * (double)weights[k];
            out[i * units + j] = (float)sum;
        }
    }
}

static void dense_delta(const sot_layer *layer, const sot_packed *packed,
                        const float *delta, size_t count, float *out)
{
    const size_t inputs = layer->in.channels, units = layer->out.channels;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < inputs; k++) {
            double sum = 0.0;
            for (size_t j = 0; j < units; j++)
                sum += (double)delta[i * units + j] *
                       (double)packed->backward[j * inputs + k];
            out[i * inputs + k] = (float)sum;
        }
    }
}

static void dense_gradient(const sot_layer *layer, const float *delta,
                           const float *const *rows, size_t count, bool add, float *out)
{
    const size_t inputs = layer->in.channels, units = layer->out.channels;
    float *bias = out + layer->weights;
    if (!add) memset(out, 0, layer->parameters * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < units; j++) {
            const float slope = delta[i * units + j];
            float *line = out + j * inputs;
            for (size_t k = 0; k < inputs; k++)
                line[k] = fmaf(slope, rows[i][k], line[k]);
            bias[j] += slope;
        }
    }
}

/* ---- conv ---- */

/* The pixel of the input that row or column `k` of the kernel sees from place `at`; false: padding. */
static bool sees(const sot_layer *layer, size_t at, size_t k, size_t size, size_t *out)
{
    const size_t padded = at * layer->stride + k;
    if (padded < layer->padding || padded - layer->padding >= size) return false;
    *out = padded - layer->padding;
    return true;
}

/* Goes over all pairs of a place of the output and a pixel of the input that meet under the kernel.
 * `visit` gets the numbers of the place, of the pixel, and of the kernel's cell. */
typedef struct conv_pass {
    const sot_layer *layer;
    const float *weights, *in, *delta;
    float *out;
} conv_pass;

static void visit_all(const conv_pass *pass,
                      void (*visit)(const conv_pass *pass, size_t place, size_t pixel,
                                    size_t cell))
{
    const sot_layer *layer = pass->layer;
    size_t y, x;
    for (size_t row = 0; row < layer->out.height; row++) {
        for (size_t column = 0; column < layer->out.width; column++) {
            for (size_t cell = 0; cell < layer->kernel * layer->kernel; cell++) {
                if (sees(layer, row, cell / layer->kernel, layer->in.height, &y) &&
                    sees(layer, column, cell % layer->kernel, layer->in.width, &x))
                    visit(pass, row * layer->out.width + column, y * layer->in.width + x,
                          cell);
            }
        }
    }
}

/* The weights of channel c at a cell: one a channel of the input. */
static size_t weights_of(const sot_layer *layer, size_t c, size_t cell)
{
    return (c * layer->kernel * layer->kernel + cell) * layer->in.channels;
}

static void visit_forward(const conv_pass *pass, size_t place, size_t pixel, size_t cell)
{
    const size_t inputs = pass->layer->in.channels, units = pass->layer->out.channels;
    const float *in = pass->in + pixel * inputs;
    for (size_t c = 0; c < units; c++) {
        const float *weights = pass->weights + weights_of(pass->layer, c, cell);
        float sum = pass->out[place * units + c];
        for (size_t k = 0; k < inputs; k++)
            sum = fmaf(in[k], weights[k], sum);
        pass->out[place * units + c] = sum;
    }
}

static void visit_delta(const conv_pass *pass, size_t place, size_t pixel, size_t cell)
{
    const size_t inputs = pass->layer->in.channels, units = pass->layer->out.channels;
    float *out = pass->out + pixel * inputs;
    for (size_t c = 0; c < units; c++) {
        const float *weights = pass->weights + weights_of(pass->layer, c, cell);
        const float slope = pass->delta[place * units + c];
        for (size_t k = 0; k < inputs; k++)
            out[k] = fmaf(slope, weights[k], out[k]);
    }
}

static void visit_gradient(const conv_pass *pass, size_t place, size_t pixel, size_t cell)
{
    const size_t inputs = pass->layer->in.channels, units = pass->layer->out.channels;
    const float *in = pass->in + pixel * inputs;
    for (size_t c = 0; c < units; c++) {
        float *out = pass->out + weights_of(pass->layer, c, cell);
        const float slope = pass->delta[place * units + c];
        for (size_t k = 0; k < inputs; k++)
            out[k] = fmaf(slope, in[k], out[k]);
    }
}

static size_t places_of(const sot_layer *layer)
{
    return layer->out.height * layer->out.width;
}

static void conv_forward(const sot_layer *layer, const sot_packed *packed,
                         const float *bias, const float *in, float *out, float *scratch)
{
    (void)scratch;
    const size_t units = layer->out.channels;
    for (size_t place = 0; place < places_of(layer); place++)
        memcpy(out + place * units, bias, units * sizeof *out);
    const conv_pass pass = {
        .layer = layer, .weights = packed->forward, .in = in, .out = out};
    visit_all(&pass, visit_forward);
}

static void conv_delta(const sot_layer *layer, const sot_packed *packed,
                       const float *delta, float *out, float *scratch)
{
    (void)scratch;
    memset(out, 0, sot_shape_size(layer->in) * sizeof *out);
    const conv_pass pass = {
        .layer = layer, .weights = packed->backward, .delta = delta, .out = out};
    visit_all(&pass, visit_delta);
}

static void conv_gradient(const sot_layer *layer, const float *delta, const float *in,
                          float *out, float *scratch)
{
    (void)scratch;
    memset(out, 0, layer->parameters * sizeof *out);
    const conv_pass pass = {.layer = layer, .in = in, .delta = delta, .out = out};
    visit_all(&pass, visit_gradient);
    float *bias = out + layer->weights;
    for (size_t place = 0; place < places_of(layer); place++)
        for (size_t c = 0; c < layer->out.channels; c++)
            bias[c] += delta[place * layer->out.channels + c];
}

static size_t conv_scratch(const sot_layer *layer)
{
    (void)layer;
    return 0;
}

/* ---- element by element ---- */

static void tanh_forward(const float *in, size_t count, float *out)
{
    for (size_t k = 0; k < count; k++)
        out[k] = (float)tanh((double)in[k]);
}

static void tanh_delta(const float *out_of_forward, const float *delta, size_t count,
                       float *out)
{
    for (size_t k = 0; k < count; k++) {
        const float y = out_of_forward[k];
        out[k] = delta[k] * (1.0F - y * y);
    }
}

/* ---- into units ---- */

/* Squares of floats are exact in double. There are sums of at most 2^11 of them, then a sum of at
 * most 2^11 sums (a layer has at most 2^22 parameters). So every term has at most 2^12 roundings
 * of 2^-53. */
static double squares(const float *values, size_t count)
{
    enum { BLOCK = 1 << 11 };
    double total = 0.0;
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        const size_t end = count - begin < BLOCK ? count : begin + BLOCK;
        double sum = 0.0;
        for (size_t k = begin; k < end; k++)
            sum += (double)values[k] * (double)values[k];
        total += sum;
    }
    return total;
}

static void add_truncated(const float *values, size_t count, float scale, int32_t *units)
{
    for (size_t k = 0; k < count; k++)
        units[k] += (int32_t)(scale * values[k]);
}

static void add_rounded(const float *sums, size_t count, float scale, int64_t *units)
{
    for (size_t k = 0; k < count; k++)
        units[k] += lrintf(scale * sums[k]);
}

const sot_operations *sot_operations_plain(void)
{
    static const sot_operations operations = {
        .name = "plain",
        .dense_forward = dense_forward,
        .dense_delta = dense_delta,
        .dense_gradient = dense_gradient,
        .conv_forward = conv_forward,
        .conv_delta = conv_delta,
        .conv_gradient = conv_gradient,
        .conv_scratch = conv_scratch,
        .pack = pack,
        .tanh_forward = tanh_forward,
        .tanh_delta = tanh_delta,
        .squares = squares,
        .add_truncated = add_truncated,
        .add_rounded = add_rounded,
    };
    return &operations;
}
