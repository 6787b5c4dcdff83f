/* Max pools, eight channels at a time: the same choices and sums as in layers.c. */
#include "models/network/operations/pool.h"

#include "models/network/gemm/avx2.h"

#if SOT_HAVE_AVX2

#include <string.h>

/* A pool's window at some channels: where its first pixel and the others stand. `all` (eight channels, which
 * need no mask: it is slow to store with) and `kernel` are constants wherever these are inlined. */
typedef struct window {
    size_t place, pixel, line; /* of the first; from pixel to pixel; from row to row */
    __m256i mask;
} window;

INLINE __m256 load(bool all, const void *from, __m256i mask)
{
    return all ? _mm256_loadu_ps(from) : _mm256_maskload_ps(from, mask);
}

INLINE void store(bool all, void *to, __m256i mask, __m256 values)
{
    if (all)
        _mm256_storeu_ps(to, values);
    else
        _mm256_maskstore_ps(to, mask, values);
}

INLINE __m256i lanes_from(size_t place)
{
    return _mm256_add_epi32(_mm256_set1_epi32((int)place),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* The first of the largest, as `>` finds it. */
INLINE void largest(bool all, size_t kernel, const window *own, const float *in,
                    float *out, uint32_t *places)
{
    __m256 best = load(all, in + own->place, own->mask);
    __m256i best_at = lanes_from(own->place);
    for (size_t y = 0; y < kernel; y++) {
        for (size_t x = y == 0 ? 1 : 0; x < kernel; x++) {
            const size_t place = own->place + y * own->line + x * own->pixel;
            const __m256 value = load(all, in + place, own->mask);
            const __m256 more = _mm256_cmp_ps(value, best, _CMP_GT_OQ);
            best = _mm256_blendv_ps(best, value, more);
            best_at =
                _mm256_blendv_epi8(best_at, lanes_from(place), _mm256_castps_si256(more));
        }
    }
    store(all, out, own->mask, best);
    store(all, places, own->mask, _mm256_castsi256_ps(best_at));
}

/* A delta goes to the pixel that was the largest; to the others goes 0. */
INLINE void spread(bool all, size_t kernel, const window *own, const uint32_t *places,
                   const float *delta, float *out)
{
    const __m256 slope = load(all, delta, own->mask);
    const __m256i at = _mm256_castps_si256(load(all, places, own->mask));
    for (size_t y = 0; y < kernel; y++) {
        for (size_t x = 0; x < kernel; x++) {
            const size_t place = own->place + y * own->line + x * own->pixel;
            const __m256 here =
                _mm256_castsi256_ps(_mm256_cmpeq_epi32(at, lanes_from(place)));
            store(all, out + place, own->mask,
                  _mm256_add_ps(load(all, out + place, own->mask),
                                _mm256_and_ps(here, slope)));
        }
    }
}

/* All windows, at channels `c` and following. `down`: from `values`, the deltas, and `from`, the places; else up, from
 * `values`, the pixels, to `out` and `places`. */
INLINE void pool(bool down, bool all, size_t kernel, const sot_layer *layer, size_t c,
                 const float *values, const uint32_t *from, float *out, uint32_t *places)
{
    const size_t channels = layer->in.channels, line = layer->in.width * channels;
    window own = {.pixel = channels, .line = line, .mask = first_lanes(channels - c)};
    size_t at = c;
    for (size_t y = 0; y < layer->out.height; y++) {
        own.place = y * layer->stride * line + c;
        for (size_t x = 0; x < layer->out.width; x++, at += channels) {
            if (down)
                spread(all, kernel, &own, from + at, values + at, out);
            else
                largest(all, kernel, &own, values, out + at, places + at);
            own.place += layer->stride * channels;
        }
    }
}

INLINE void pool_channels(bool down, size_t kernel, const sot_layer *layer,
                          const float *values, const uint32_t *from, float *out,
                          uint32_t *places)
{
    size_t c = 0;
    for (; c + 8 <= layer->in.channels; c += 8)
        pool(down, true, kernel, layer, c, values, from, out, places);
    if (c < layer->in.channels)
        pool(down, false, kernel, layer, c, values, from, out, places);
}

AVX2 void sot_avx2_max_pool(const sot_layer *layer, const float *in, float *out,
                            uint32_t *places)
{
    if (layer->kernel == 2)
        pool_channels(false, 2, layer, in, NULL, out, places);
    else
        pool_channels(false, layer->kernel, layer, in, NULL, out, places);
}

AVX2 void sot_avx2_max_pool_delta(const sot_layer *layer, const uint32_t *places,
                                  const float *delta, float *out)
{
    memset(out, 0, sot_shape_size(layer->in) * sizeof *out);
    if (layer->kernel == 2)
        pool_channels(true, 2, layer, delta, places, out, NULL);
    else
        pool_channels(true, layer->kernel, layer, delta, places, out, NULL);
}

#else /* never called */

void sot_avx2_max_pool(const sot_layer *layer, const float *in, float *out,
                       uint32_t *places)
{
    (void)layer, (void)in, (void)out, (void)places;
}

void sot_avx2_max_pool_delta(const sot_layer *layer, const uint32_t *places,
                             const float *delta, float *out)
{
    (void)layer, (void)places, (void)delta, (void)out;
}

#endif
