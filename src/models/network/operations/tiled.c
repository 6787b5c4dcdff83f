#include "models/network/operations/tiled.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    FEW_UNITS =
        12, /* a dense layer of so few has a dot product a unit: a panel would be half empty */
    PIECE = 384 /* of a row, times a panel: 24 KB of weights, in the first cache */
};

/* ---- products ---- */

/* Computes the whole product, panel by panel, and long rows piece by piece: a piece's weights
 * serve all rows before the next. The ends of pieces depend only on the layer. */
static void multiply(const sot_gemm_kernels *kernels, const sot_gemm_rows *rows,
                     const float *panels, size_t columns, const float *bias, float *out,
                     size_t stride)
{
    const size_t whole = rows->segments * rows->length;
    const size_t together = rows->length < PIECE ? PIECE / rows->length : 1;
    size_t done = 0;
    for (size_t s = 0; s < rows->segments;) {
        const size_t segments = sot_gemm_block(rows->segments - s, together);
        for (size_t k = 0; k < rows->length;) {
            const size_t left = rows->length - k;
            sot_gemm_rows piece = *rows;
            piece.segments = segments;
            piece.length = segments > 1 ? left : sot_gemm_block(left, PIECE);
            piece.offset = rows->offset + s * rows->pitch + k;
            for (size_t j = 0; j < columns; j += SOT_PANEL) {
                const size_t width = columns - j < SOT_PANEL ? columns - j : SOT_PANEL;
                sot_gemm_target target = {.out = out + j, .stride = stride};
                if (done > 0) target.start = out + j, target.start_stride = stride;
                if (done == 0 && bias != NULL) target.start = bias + j;
                kernels->panel(&piece, panels + j * whole + done * SOT_PANEL, width,
                               &target);
            }
            done += segments * piece.length;
            k += piece.length;
        }
        s += segments;
    }
}

/* ---- dense ---- */

static size_t inputs_of(const sot_layer *layer)
{
    return layer->kind == SOT_LAYER_CONV
               ? layer->kernel * layer->kernel * layer->in.channels
               : sot_shape_size(layer->in);
}

void sot_tiled_dense_forward(const sot_gemm_kernels *kernels, const sot_layer *layer,
                             const sot_packed *packed, const float *bias,
                             const float *const *rows, size_t count, float *out)
{
    const size_t units = layer->out.channels;
    const sot_gemm_rows left = {
        .at = rows, .count = count, .segments = 1, .length = inputs_of(layer)};
    if (units > FEW_UNITS) {
        multiply(kernels, &left, packed->forward, units, bias, out, units);
        return;
    }
    const sot_gemm_target target = {.out = out, .stride = units, .start = bias};
    kernels->dots(&left, packed->forward, units, &target);
}

void sot_tiled_dense_delta(const sot_gemm_kernels *kernels, const sot_layer *layer,
                           const sot_packed *packed, const float *delta, size_t count,
                           float *out)
{
    const size_t units = layer->out.channels;
    const size_t inputs = inputs_of(layer);
    for (size_t first = 0; first < count; first += SOT_ROWS_MOST) {
        const float *at[SOT_ROWS_MOST];
        const size_t left = count - first;
        const size_t some = left < SOT_ROWS_MOST ? left : SOT_ROWS_MOST;
        for (size_t i = 0; i < some; i++)
            at[i] = delta + (first + i) * units;
        const sot_gemm_rows rows = {
            .at = at, .count = some, .segments = 1, .length = units};
        multiply(kernels, &rows, packed->backward, inputs, NULL, out + first * inputs,
                 inputs);
    }
}

void sot_tiled_dense_gradient(const sot_gemm_kernels *kernels, const sot_layer *layer,
                              const float *delta, const float *const *rows, size_t count,
                              bool add, float *out)
{
    const size_t units = layer->out.channels;
    const size_t inputs = inputs_of(layer);
    if (count == 0 && !add) memset(out, 0, units * inputs * sizeof *out);
    for (size_t first = 0; first < count; first += SOT_ROWS_MOST) {
        const size_t left = count - first;
        const sot_gemm_rows right = {.at = rows + first,
                                     .count = left < SOT_ROWS_MOST ? left : SOT_ROWS_MOST,
                                     .segments = 1,
                                     .length = inputs};
        kernels->outer(delta + first * units, units, units, &right, add || first > 0, out,
                       inputs);
    }
    kernels->sums(delta, units, count, add, out + units * inputs);
}

/* ---- conv ---- */

/* An image with `margin` zeros around it, or itself if there is none. */
static const float *with_margin(const float *image, sot_shape shape, size_t margin,
                                float *scratch)
{
    if (margin == 0) return image;
    const size_t line = shape.width * shape.channels;
    const size_t wide = line + 2 * margin * shape.channels;
    const size_t before = margin * wide + margin * shape.channels;
    memset(scratch, 0, before * sizeof *scratch);
    float *to = scratch + before;
    for (size_t y = 0; y < shape.height; y++, to += wide) {
        memcpy(to, image + y * line, line * sizeof *to);
        memset(to + line, 0, 2 * margin * shape.channels * sizeof *to);
    }
    memset(to, 0, (before - 2 * margin * shape.channels) * sizeof *to);
    return scratch;
}

static size_t margin_size(sot_shape shape, size_t margin)
{
    if (margin == 0) return 0;
    return (shape.height + 2 * margin) * (shape.width + 2 * margin) * shape.channels;
}

/* Positions of a kernel over an image that has its margin. */
typedef struct windows {
    const float *image;
    sot_shape shape;      /* of the image, without margin */
    size_t margin;        /* zeros around it */
    size_t kernel;        /* rows and columns */
    size_t stride;        /* from window to window */
    size_t height, width; /* windows */
} windows;

/* The windows from number `first` on, as many as fit in `at`, or as are left. */
static sot_gemm_rows some_windows(const windows *all, size_t first, const float **at)
{
    const size_t channels = all->shape.channels;
    const size_t pitch = (all->shape.width + 2 * all->margin) * channels;
    const size_t left = all->height * all->width - first;
    sot_gemm_rows rows = {.at = at,
                          .count = left < SOT_ROWS_MOST ? left : SOT_ROWS_MOST,
                          .segments = all->kernel,
                          .length = all->kernel * channels,
                          .pitch = pitch};
    size_t y = first / all->width, x = first % all->width;
    for (size_t i = 0; i < rows.count; i++) {
        at[i] = all->image + y * all->stride * pitch + x * all->stride * channels;
        if (++x == all->width) x = 0, y++;
    }
    return rows;
}

static void slide(const sot_gemm_kernels *kernels, const windows *all,
                  const float *panels, size_t columns, const float *bias, float *out)
{
    const float *at[SOT_ROWS_MOST];
    for (size_t t = 0; t < all->height * all->width; t += SOT_ROWS_MOST) {
        const sot_gemm_rows rows = some_windows(all, t, at);
        multiply(kernels, &rows, panels, columns, bias, out + t * columns, columns);
    }
}

static windows windows_of(const sot_layer *layer, const float *in, float *scratch)
{
    return (windows){.image = with_margin(in, layer->in, layer->padding, scratch),
                     .shape = layer->in,
                     .margin = layer->padding,
                     .kernel = layer->kernel,
                     .stride = layer->stride,
                     .height = layer->out.height,
                     .width = layer->out.width};
}

void sot_tiled_conv_forward(const sot_gemm_kernels *kernels, const sot_layer *layer,
                            const sot_packed *packed, const float *bias, const float *in,
                            float *out, float *scratch)
{
    const windows all = windows_of(layer, in, scratch);
    slide(kernels, &all, packed->forward, layer->out.channels, bias, out);
}

void sot_tiled_conv_gradient(const sot_gemm_kernels *kernels, const sot_layer *layer,
                             const float *delta, const float *in, float *out,
                             float *scratch)
{
    const windows all = windows_of(layer, in, scratch);
    const size_t units = layer->out.channels;
    const size_t positions = layer->out.height * layer->out.width;
    const float *at[SOT_ROWS_MOST];
    for (size_t t = 0; t < positions; t += SOT_ROWS_MOST) {
        const sot_gemm_rows rows = some_windows(&all, t, at);
        kernels->outer(delta + t * units, units, units, &rows, t > 0, out,
                       inputs_of(layer));
    }
    kernels->sums(delta, units, positions, false, out + units * inputs_of(layer));
}

/* True if the deltas of the backward pass are a convolution with the rotated kernel. Each pixel
 * of the input is then one product, without a place that is added to several times. */
static bool turns(const sot_layer *layer)
{
    return layer->stride == 1 && layer->padding < layer->kernel;
}

/* For other strides: tap by tap of the kernel, a line of outputs at a time, added to the pixels that the
 * tap saw. */
static void add_taps(const sot_gemm_kernels *kernels, const sot_layer *layer,
                     const float *panels, const float *delta, float *image)
{
    const size_t units = layer->out.channels, channels = layer->in.channels;
    const size_t pitch = (layer->in.width + 2 * layer->padding) * channels;
    const size_t panels_of_tap = sot_gemm_round_up(channels, SOT_PANEL) * units;
    const float *at[SOT_ROWS_MOST];
    for (size_t y = 0; y < layer->out.height; y++) {
        for (size_t first = 0; first < layer->out.width; first += SOT_ROWS_MOST) {
            const size_t left = layer->out.width - first;
            const sot_gemm_rows rows = {.at = at,
                                        .count =
                                            left < SOT_ROWS_MOST ? left : SOT_ROWS_MOST,
                                        .segments = 1,
                                        .length = units};
            for (size_t i = 0; i < rows.count; i++)
                at[i] = delta + (y * layer->out.width + first + i) * units;
            for (size_t tap = 0; tap < layer->kernel * layer->kernel; tap++) {
                const size_t row = y * layer->stride + tap / layer->kernel;
                const size_t column = first * layer->stride + tap % layer->kernel;
                float *to = image + row * pitch + column * channels;
                for (size_t j = 0; j < channels; j += SOT_PANEL) {
                    const sot_gemm_target target = {.out = to + j,
                                                    .stride = layer->stride * channels,
                                                    .start = to + j,
                                                    .start_stride =
                                                        layer->stride * channels};
                    kernels->panel(&rows, panels + tap * panels_of_tap + j * units,
                                   channels - j < SOT_PANEL ? channels - j : SOT_PANEL,
                                   &target);
                }
            }
        }
    }
}

void sot_tiled_conv_delta(const sot_gemm_kernels *kernels, const sot_layer *layer,
                          const sot_packed *packed, const float *delta, float *out,
                          float *scratch)
{
    if (turns(layer)) {
        const size_t margin = layer->kernel - 1 - layer->padding;
        const windows all = {.image = with_margin(delta, layer->out, margin, scratch),
                             .shape = layer->out,
                             .margin = margin,
                             .kernel = layer->kernel,
                             .stride = 1,
                             .height = layer->in.height,
                             .width = layer->in.width};
        slide(kernels, &all, packed->backward, layer->in.channels, NULL, out);
        return;
    }
    const size_t padding = layer->padding;
    const size_t line = layer->in.width * layer->in.channels;
    const size_t pitch = line + 2 * padding * layer->in.channels;
    float *image = padding == 0 ? out : scratch;
    const size_t size =
        padding == 0 ? sot_shape_size(layer->in) : margin_size(layer->in, padding);
    memset(image, 0, size * sizeof *image);
    add_taps(kernels, layer, packed->backward, delta, image);
    for (size_t y = 0; padding > 0 && y < layer->in.height; y++)
        memcpy(out + y * line,
               image + (y + padding) * pitch + padding * layer->in.channels,
               line * sizeof *out);
}

size_t sot_tiled_conv_scratch(const sot_layer *layer)
{
    const size_t up = margin_size(layer->in, layer->padding);
    const size_t down =
        turns(layer) ? margin_size(layer->out, layer->kernel - 1 - layer->padding) : 0;
    return up > down ? up : down;
}

/* ---- packing ---- */

static sotto_status make_room(float **array, size_t *floats, size_t needed,
                              sotto_error *error)
{
    if (*array != NULL && *floats >= needed) return SOTTO_OK;
    float *room = sot_new_aligned(needed, sizeof *room);
    if (room == NULL) return sot_fail_memory(error, needed, sizeof *room);
    sot_free(*array);
    *array = room;
    *floats = needed;
    return SOTTO_OK;
}

/* Panels of input channels: sixteen channels of one tap and unit stand together in `weights`, and in a
 * panel. `turned`: all taps of a panel one after another, the last tap first; else all panels of a tap. */
static void pack_backward(const float *weights, size_t units, size_t taps,
                          size_t channels, bool turned, float *panels)
{
    const size_t inputs = taps * channels;
    for (size_t j = 0; j < channels; j += SOT_PANEL) {
        const size_t width = channels - j < SOT_PANEL ? channels - j : SOT_PANEL;
        for (size_t tap = 0; tap < taps; tap++) {
            const float *from = weights + tap * channels + j;
            float *to =
                turned
                    ? panels + (j * taps + (taps - 1 - tap) * SOT_PANEL) * units
                    : panels + (tap * sot_gemm_round_up(channels, SOT_PANEL) + j) * units;
            for (size_t u = 0; u < units; u++, from += inputs, to += SOT_PANEL) {
                memcpy(to, from, width * sizeof *to);
                memset(to + width, 0, (SOT_PANEL - width) * sizeof *to);
            }
        }
    }
}

sotto_status sot_tiled_pack(const sot_gemm_kernels *kernels, const sot_layer *layer,
                            const float *parameters, bool backward, sot_packed *packed,
                            sotto_error *error)
{
    assert(layer->kind == SOT_LAYER_DENSE || layer->kind == SOT_LAYER_CONV);
    const bool conv = layer->kind == SOT_LAYER_CONV;
    const size_t units = layer->out.channels, inputs = inputs_of(layer);
    const size_t taps = conv ? layer->kernel * layer->kernel : 1;
    const size_t channels = inputs / taps;
    const bool few = !conv && units <= FEW_UNITS;
    const size_t stride = sot_gemm_round_up(inputs, SOT_LANES);
    const size_t up = few ? units * stride : sot_gemm_round_up(units, SOT_PANEL) * inputs;
    const size_t down =
        backward ? sot_gemm_round_up(channels, SOT_PANEL) * taps * units : 0;
    sotto_status status = make_room(&packed->forward, &packed->forward_floats, up, error);
    if (status == SOTTO_OK && backward)
        status = make_room(&packed->backward, &packed->backward_floats, down, error);
    if (status != SOTTO_OK) return status;

    if (!few) kernels->pack(parameters, units, inputs, packed->forward);
    for (size_t k = 0; few && k < inputs; k += SOT_LANES) {
        const size_t width = inputs - k < SOT_LANES ? inputs - k : SOT_LANES;
        for (size_t u = 0; u < units; u++) {
            float *to = packed->forward + (k * units + u * SOT_LANES);
            memcpy(to, parameters + u * inputs + k, width * sizeof *to);
            memset(to + width, 0, (SOT_LANES - width) * sizeof *to);
        }
    }
    if (backward)
        pack_backward(parameters, units, taps, channels, conv && turns(layer),
                      packed->backward);
    return SOTTO_OK;
}
