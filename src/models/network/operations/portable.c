#include <math.h>

#include "models/network/operations/tiled.h"

static void panel(const sot_gemm_rows *rows, const float *panel_at, size_t columns,
                  const sot_gemm_target *target)
{
    for (size_t i = 0; i < rows->count; i++) {
        float sums[SOT_PANEL] = {0.0F};
        for (size_t j = 0; target->start != NULL && j < columns; j++)
            sums[j] = target->start[i * target->start_stride + j];
        const float *w = panel_at;
        for (size_t s = 0; s < rows->segments; s++) {
            const float *x = rows->at[i] + rows->offset + s * rows->pitch;
            for (size_t k = 0; k < rows->length; k++, w += SOT_PANEL) {
                for (size_t j = 0; j < SOT_PANEL; j++)
                    sums[j] = fmaf(x[k], w[j], sums[j]);
            }
        }
        for (size_t j = 0; j < columns; j++)
            target->out[i * target->stride + j] = sums[j];
    }
}

/* `stride` is from eight weights to the next. */
static float dot(const float *x, const float *weights, size_t stride, size_t columns)
{
    float lanes[SOT_LANES] = {0.0F};
    for (size_t k = 0; k < columns; k++) {
        const size_t lane = k % SOT_LANES;
        lanes[lane] = fmaf(x[k], weights[k / SOT_LANES * stride + lane], lanes[lane]);
    }
    for (size_t half = SOT_LANES / 2; half > 0; half /= 2) {
        for (size_t k = 0; k < half; k++)
            lanes[k] += lanes[k + half];
    }
    return lanes[0];
}

static void dots(const sot_gemm_rows *rows, const float *weights, size_t units,
                 const sot_gemm_target *target)
{
    const size_t stride = units * SOT_LANES;
    for (size_t i = 0; i < rows->count; i++) {
        const float *x = rows->at[i] + rows->offset;
        for (size_t u = 0; u < units; u++) {
            float sum = target->start != NULL
                            ? target->start[i * target->start_stride + u]
                            : 0.0F;
            for (size_t k = 0; k < rows->length; k += SOT_DOT_COLUMNS) {
                const size_t left = rows->length - k;
                sum += dot(x + k, weights + k * units + u * SOT_LANES, stride,
                           left < SOT_DOT_COLUMNS ? left : SOT_DOT_COLUMNS);
            }
            target->out[i * target->stride + u] = sum;
        }
    }
}

static void outer(const float *delta, size_t delta_stride, size_t units,
                  const sot_gemm_rows *rows, bool add, float *out, size_t out_stride)
{
    for (size_t u = 0; u < units; u++) {
        float *to = out + u * out_stride;
        for (size_t s = 0; s < rows->segments; s++) {
            for (size_t k = 0; k < rows->length; k++, to++) {
                float sum = add ? *to : 0.0F;
                for (size_t i = 0; i < rows->count; i++)
                    sum = fmaf(delta[i * delta_stride + u],
                               rows->at[i][rows->offset + s * rows->pitch + k], sum);
                *to = sum;
            }
        }
    }
}

static void sums(const float *delta, size_t units, size_t count, bool add, float *out)
{
    for (size_t u = 0; u < units; u++) {
        float sum = add ? out[u] : 0.0F;
        for (size_t i = 0; i < count; i++)
            sum += delta[i * units + u];
        out[u] = sum;
    }
}

static void pack(const float *from, size_t columns, size_t length, float *panels)
{
    for (size_t j = 0; j < columns; j += SOT_PANEL) {
        for (size_t k = 0; k < length; k++) {
            for (size_t c = 0; c < SOT_PANEL; c++)
                *panels++ = j + c < columns ? from[(j + c) * length + k] : 0.0F;
        }
    }
}

float sot_tiled_tanh(float x)
{
    const float size = fabsf(x);
    const float t = size + size > SOT_TANH_LIMIT ? SOT_TANH_LIMIT : size + size;
    if (isnan(t)) return t;
    const float n = rintf(t * SOT_TANH_LOG2_E);
    float r = fmaf(-n, SOT_TANH_LN2_HIGH, t);
    r = fmaf(-n, SOT_TANH_LN2_LOW, r);
    float q = SOT_TANH_C7;
    q = fmaf(q, r, SOT_TANH_C6);
    q = fmaf(q, r, SOT_TANH_C5);
    q = fmaf(q, r, SOT_TANH_C4);
    q = fmaf(q, r, SOT_TANH_C3);
    q = fmaf(q, r, SOT_TANH_C2);
    const float p = fmaf(r * r, q, r);
    const float power = ldexpf(1.0F, (int)n);
    const float e = fmaf(power, p, power - 1.0F);
    return copysignf(e / (e + 2.0F), x);
}

void sot_portable_tanh_forward(const float *in, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = sot_tiled_tanh(in[i]);
}

void sot_portable_tanh_delta(const float *out_of_forward, const float *delta,
                             size_t count, float *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = delta[i] * fmaf(-out_of_forward[i], out_of_forward[i], 1.0F);
}

static double block_squares(const float *values, size_t count)
{
    double lanes[16] = {0.0};
    for (size_t i = 0; i < count; i++) /* the square is exact */
        lanes[i % 16] += (double)values[i] * (double)values[i];
    double four[4];
    for (size_t k = 0; k < 4; k++)
        four[k] = (lanes[k] + lanes[k + 4]) + (lanes[k + 8] + lanes[k + 12]);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

double sot_portable_squares(const float *values, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i += SOT_SQUARES_BLOCK) {
        const size_t left = count - i;
        sum += block_squares(values + i,
                             left < SOT_SQUARES_BLOCK ? left : SOT_SQUARES_BLOCK);
    }
    return sum;
}

void sot_portable_add_truncated(const float *values, size_t count, float scale,
                                int32_t *units)
{
    for (size_t i = 0; i < count; i++)
        units[i] += (int32_t)(scale * values[i]);
}

void sot_portable_add_rounded(const float *sums_at, size_t count, float scale,
                              int64_t *units)
{
    for (size_t i = 0; i < count; i++)
        units[i] += llrintf(scale * sums_at[i]);
}

const sot_gemm_kernels sot_gemm_portable_kernels = {.name = "portable",
                                                    .panel = panel,
                                                    .dots = dots,
                                                    .outer = outer,
                                                    .sums = sums,
                                                    .pack = pack};
