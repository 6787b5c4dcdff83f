/* Layers that are cheap beside dense and conv, one record at a time; and the losses. */
#include <math.h>
#include <string.h>

#include "models/network/gemm/gemm.h"
#include "models/network/operations/operations.h"
#include "models/network/operations/pool.h"

/* ---- pools ---- */

enum { LANES = 8 }; /* numbers side by side: loops of a fixed length become vectors */

/* out and places, where in is not greater than out; else in and its places, from `place` on. So the first of
 * equals stays, and a NaN that came first. Written with masks, since a branch here is a coin. */
static inline void keep_larger_lanes(const float *restrict in, uint32_t place,
                                     float *restrict out, uint32_t *restrict places)
{
    uint32_t larger[LANES], old[LANES], fresh[LANES];
    for (size_t c = 0; c < LANES; c++)
        larger[c] = in[c] > out[c] ? UINT32_MAX : 0;
    memcpy(old, out, sizeof old);
    memcpy(fresh, in, sizeof fresh);
    for (size_t c = 0; c < LANES; c++)
        old[c] = (fresh[c] & larger[c]) | (old[c] & ~larger[c]);
    for (size_t c = 0; c < LANES; c++)
        places[c] = ((place + (uint32_t)c) & larger[c]) | (places[c] & ~larger[c]);
    memcpy(out, old, sizeof old);
}

static void keep_larger(const float *in, size_t place, size_t count, float *out,
                        uint32_t *places)
{
    size_t c = 0;
    for (; c + LANES <= count; c += LANES)
        keep_larger_lanes(in + place + c, (uint32_t)(place + c), out + c, places + c);
    for (; c < count; c++) {
        if (!(in[place + c] > out[c])) continue;
        out[c] = in[place + c];
        places[c] = (uint32_t)(place + c);
    }
}

/* Cell by cell of the window, over as many numbers as stand together: the channels, or with stride 1 a
 * whole row of the output. */
void sot_portable_max_pool(const sot_layer *layer, const float *in, float *out,
                           uint32_t *places)
{
    const size_t channels = layer->in.channels, width = layer->in.width * channels;
    const size_t row = layer->out.width * channels;
    const size_t run = layer->stride == 1 ? row : channels;
    for (size_t at = 0; at < layer->out.height * row; at += run) {
        const size_t corner = at / row * layer->stride * width + at % row * layer->stride;
        memcpy(out + at, in + corner, run * sizeof *out);
        for (size_t k = 0; k < run; k++)
            places[at + k] = (uint32_t)(corner + k);
        for (size_t cell = 1; cell < layer->kernel * layer->kernel; cell++)
            keep_larger(in,
                        corner + cell / layer->kernel * width +
                            cell % layer->kernel * channels,
                        run, out + at, places + at);
    }
}

static void average_pool(const sot_layer *layer, const float *in, size_t row,
                         size_t column, float *out)
{
    const size_t channels = layer->in.channels;
    const float share = 1.0F / (float)(layer->kernel * layer->kernel);
    memset(out, 0, channels * sizeof *out);
    for (size_t y = row; y < row + layer->kernel; y++)
        for (size_t x = column; x < column + layer->kernel; x++)
            for (size_t c = 0; c < channels; c++)
                out[c] += share * in[(y * layer->in.width + x) * channels + c];
}

void sot_pool_forward(const sot_layer *layer, const float *in, float *out,
                      uint32_t *places)
{
    const size_t channels = layer->out.channels;
    if (layer->kind == SOT_LAYER_MAX_POOL) {
        if (sot_gemm_has_avx2())
            sot_avx2_max_pool(layer, in, out, places);
        else
            sot_portable_max_pool(layer, in, out, places);
        return;
    }
    for (size_t at = 0; at < layer->out.height * layer->out.width; at++)
        average_pool(layer, in, at / layer->out.width * layer->stride,
                     at % layer->out.width * layer->stride, out + at * channels);
}

static void average_pool_delta(const sot_layer *layer, const float *delta, float *out)
{
    const size_t channels = layer->in.channels;
    const float share = 1.0F / (float)(layer->kernel * layer->kernel);
    memset(out, 0, sot_shape_size(layer->in) * sizeof *out);
    for (size_t place = 0; place < layer->out.height * layer->out.width; place++) {
        const size_t row = place / layer->out.width * layer->stride;
        const size_t column = place % layer->out.width * layer->stride;
        const float *from = delta + place * channels;
        for (size_t y = row; y < row + layer->kernel; y++)
            for (size_t x = column; x < column + layer->kernel; x++)
                for (size_t c = 0; c < channels; c++)
                    out[(y * layer->in.width + x) * channels + c] += share * from[c];
    }
}

void sot_portable_max_pool_delta(const sot_layer *layer, const uint32_t *places,
                                 const float *delta, float *out)
{
    const size_t count = sot_shape_size(layer->out);
    memset(out, 0, sot_shape_size(layer->in) * sizeof *out);
    for (size_t k = 0; k < count; k++)
        out[places[k]] += delta[k];
}

void sot_pool_delta(const sot_layer *layer, const uint32_t *places, const float *delta,
                    float *out)
{
    if (layer->kind != SOT_LAYER_MAX_POOL)
        average_pool_delta(layer, delta, out);
    else if (sot_gemm_has_avx2())
        sot_avx2_max_pool_delta(layer, places, delta, out);
    else
        sot_portable_max_pool_delta(layer, places, delta, out);
}

/* ---- group norm ---- */

/* A group is `width` channels that stand together, at every position. */
typedef struct channel_group {
    size_t positions, channels, width, first;
} channel_group;

static channel_group group_of(const sot_layer *layer, size_t number)
{
    const size_t width = layer->in.channels / layer->groups;
    return (channel_group){.positions = layer->in.height * layer->in.width,
                           .channels = layer->in.channels,
                           .width = width,
                           .first = number * width};
}

/* Mean and 1/deviation, in double: in two passes, so that nothing cancels. */
static void measure(const channel_group *group, const float *in, double *out_mean,
                    double *out_inverse)
{
    const double count = (double)(group->positions * group->width);
    double sum = 0.0, squares = 0.0;
    for (size_t t = 0; t < group->positions; t++)
        for (size_t c = 0; c < group->width; c++)
            sum += (double)in[t * group->channels + group->first + c];
    const double mean = sum / count;
    for (size_t t = 0; t < group->positions; t++) {
        for (size_t c = 0; c < group->width; c++) {
            const double away = (double)in[t * group->channels + group->first + c] - mean;
            squares += away * away;
        }
    }
    *out_mean = mean;
    *out_inverse = 1.0 / sqrt(squares / count + 1e-5);
}

void sot_group_norm_forward(const sot_layer *layer, const float *parameters,
                            const float *in, float *out, float *saved)
{
    for (size_t g = 0; g < layer->groups; g++) {
        const channel_group group = group_of(layer, g);
        double mean, inverse;
        measure(&group, in, &mean, &inverse);
        for (size_t t = 0; t < group.positions; t++) {
            for (size_t c = group.first; c < group.first + group.width; c++) {
                const size_t at = t * group.channels + c;
                double y = ((double)in[at] - mean) * inverse;
                if (layer->affine)
                    y = y * (double)parameters[c] +
                        (double)parameters[layer->weights + c];
                out[at] = (float)y;
            }
        }
        if (saved != NULL) {
            saved[2 * g] = (float)mean;
            saved[2 * g + 1] = (float)inverse;
        }
    }
}

void sot_group_norm_delta(const sot_layer *layer, const float *parameters,
                          const float *in, const float *saved, const float *delta,
                          float *out)
{
    for (size_t g = 0; g < layer->groups; g++) {
        const channel_group group = group_of(layer, g);
        const double mean = (double)saved[2 * g], inverse = (double)saved[2 * g + 1];
        const double count = (double)(group.positions * group.width);
        double sum = 0.0, along = 0.0; /* of the deltas; and of them times the output */
        for (size_t t = 0; t < group.positions; t++) {
            for (size_t c = group.first; c < group.first + group.width; c++) {
                const size_t at = t * group.channels + c;
                const double scale = layer->affine ? (double)parameters[c] : 1.0;
                sum += scale * (double)delta[at];
                along += scale * (double)delta[at] * ((double)in[at] - mean) * inverse;
            }
        }
        for (size_t t = 0; t < group.positions; t++) {
            for (size_t c = group.first; c < group.first + group.width; c++) {
                const size_t at = t * group.channels + c;
                const double scale = layer->affine ? (double)parameters[c] : 1.0;
                const double y = ((double)in[at] - mean) * inverse;
                out[at] = (float)(inverse * (scale * (double)delta[at] - sum / count -
                                             y * along / count));
            }
        }
    }
}

void sot_group_norm_gradient(const sot_layer *layer, const float *in, const float *saved,
                             const float *delta, float *out)
{
    const size_t channels = layer->in.channels, width = channels / layer->groups;
    const size_t positions = layer->in.height * layer->in.width;
    for (size_t c = 0; c < channels; c++) {
        const float *of_group = saved + 2 * (c / width);
        double scale = 0.0, shift = 0.0;
        for (size_t t = 0; t < positions; t++) {
            const size_t at = t * channels + c;
            scale += (double)delta[at] * ((double)in[at] - (double)of_group[0]) *
                     (double)of_group[1];
            shift += (double)delta[at];
        }
        out[c] = (float)scale;
        out[layer->weights + c] = (float)shift;
    }
}

/* ---- public or paid numbers ---- */

void sot_normalise_forward(const sot_layer *layer, const float *in, float *out)
{
    const size_t channels = layer->in.channels, size = sot_shape_size(layer->in);
    for (size_t at = 0; at < size; at += channels)
        for (size_t c = 0; c < channels; c++)
            out[at + c] =
                (float)(((double)in[at + c] - layer->mean[c]) / layer->deviation[c]);
}

void sot_normalise_delta(const sot_layer *layer, const float *delta, float *out)
{
    const size_t channels = layer->in.channels, size = sot_shape_size(layer->in);
    for (size_t at = 0; at < size; at += channels)
        for (size_t c = 0; c < channels; c++)
            out[at + c] = (float)((double)delta[at + c] / layer->deviation[c]);
}

/* ---- relu ---- */

void sot_relu_forward(const float *in, size_t count, float *out)
{
    for (size_t k = 0; k < count; k++)
        out[k] = in[k] <= 0.0F ? 0.0F : in[k]; /* NaN stays */
}

void sot_relu_delta(const float *out_of_forward, const float *delta, size_t count,
                    float *out)
{
    for (size_t k = 0; k < count; k++)
        out[k] = out_of_forward[k] > 0.0F ? delta[k] : 0.0F;
}

/* ---- losses ---- */

/* Returns exp(x) for x <= 0, within 2^-22 relative, in arithmetic that compilers vectorise. It is
 * 2^n times a polynomial (Taylor's, to r^6 / 720) in r = x - n ln 2, |r| < 0.347; the remainder
 * is below 2e-7 of it. Below -87 it is exp(-87), about 1e-38. Non-finite values become NaN. */
static inline float exp_negative(float x)
{
    const float bounded = x >= -87.0F ? x : -87.0F;
    /* Adding 1.5 * 2^23 rounds to a whole number in the last places. */
    const float shifted = bounded * 0x1.715476p+0F + 0x1.8p23F;
    const float n = shifted - 0x1.8p23F;
    const float r = (bounded - n * 0x1.62e4p-1F) - n * 0x1.7f7d1cp-20F;
    float sum = 1.0F / 720.0F;
    sum = sum * r + 1.0F / 120.0F;
    sum = sum * r + 1.0F / 24.0F;
    sum = sum * r + 1.0F / 6.0F;
    sum = sum * r + 0.5F;
    sum = sum * r + 1.0F;
    sum = sum * r + 1.0F;
    uint32_t bits;
    float power;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 127U) << 23; /* n stands in the last bits of `shifted` */
    memcpy(&power, &bits, sizeof power);
    return sum * power + (x - x);
}

static size_t class_of(double label, size_t outputs)
{
    if (outputs == 2) return label > 0.0 ? 1 : 0; /* -1 and 1, or 0 and 1 */
    return label >= 0.0 && label < (double)outputs ? (size_t)label : 0;
}

static double softmax_slope(const float *scores, size_t outputs, size_t label,
                            float *out_delta)
{
    float most = scores[0];
    for (size_t c = 1; c < outputs; c++)
        if (scores[c] > most) most = scores[c];
    const float own = scores[label] - most; /* before out_delta, which may be scores */
    double total = 0.0;
    for (size_t c = 0; c < outputs; c++)
        out_delta[c] = exp_negative(scores[c] - most);
    for (size_t c = 0; c < outputs; c++)
        total += (double)out_delta[c];
    const float inverse = (float)(1.0 / total);
    for (size_t c = 0; c < outputs; c++)
        out_delta[c] *= inverse;
    out_delta[label] -= 1.0F;
    return log(total) - (double)own;
}

double sot_net_loss_slope(sot_net_loss loss, const float *scores, size_t outputs,
                          double label, float *out_delta)
{
    if (loss == SOT_NET_SOFTMAX)
        return softmax_slope(scores, outputs, class_of(label, outputs), out_delta);
    const double away = (double)scores[0] - label;
    out_delta[0] = (float)away;
    return 0.5 * away * away;
}
