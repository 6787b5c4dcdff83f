#include "learn/glm/units.h"

#include "base/plant.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* Eight lanes of one row: both halves of its sixteen sums, added. */
AVX2 static inline __m256 half_sums(const float *row, size_t stride, const float *theta)
{
    __m256 low = _mm256_setzero_ps();
    __m256 high = _mm256_setzero_ps();
    for (size_t j = 0; j < stride; j += SOT_MATRIX_LANES) {
        low = _mm256_add_ps(
            low, _mm256_mul_ps(_mm256_loadu_ps(row + j), _mm256_loadu_ps(theta + j)));
        high = _mm256_add_ps(high, _mm256_mul_ps(_mm256_loadu_ps(row + j + 8),
                                                 _mm256_loadu_ps(theta + j + 8)));
    }
    return _mm256_add_ps(low, high);
}

/* The sums of four rows' eight lanes: ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)). */
AVX2 static inline __m128 fold_four(__m256 a, __m256 b, __m256 c, __m256 d)
{
    const __m256 quarters = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
    return _mm_add_ps(_mm256_castps256_ps128(quarters),
                      _mm256_extractf128_ps(quarters, 1));
}

/* Four rows at a time share the loads of theta. */
AVX2 static inline __m128 dot_four(const float *row, size_t stride, const float *theta)
{
    __m256 low[4], high[4];
    for (int k = 0; k < 4; k++)
        low[k] = high[k] = _mm256_setzero_ps();
    for (size_t j = 0; j < stride; j += SOT_MATRIX_LANES) {
        const __m256 t0 = _mm256_loadu_ps(theta + j);
        const __m256 t1 = _mm256_loadu_ps(theta + j + 8);
        for (size_t k = 0; k < 4; k++) {
            const float *x = row + k * stride + j;
            low[k] = _mm256_add_ps(low[k], _mm256_mul_ps(_mm256_loadu_ps(x), t0));
            high[k] = _mm256_add_ps(high[k], _mm256_mul_ps(_mm256_loadu_ps(x + 8), t1));
        }
    }
    return fold_four(_mm256_add_ps(low[0], high[0]), _mm256_add_ps(low[1], high[1]),
                     _mm256_add_ps(low[2], high[2]), _mm256_add_ps(low[3], high[3]));
}

AVX2 static void dots(const sot_matrix *matrix, size_t begin, size_t end,
                      const float *theta, float *out)
{
    const size_t stride = matrix->stride;
    size_t i = begin;
    for (; i + 3 < end; i += 4)
        _mm_storeu_ps(out + (i - begin),
                      dot_four(matrix->dense + i * stride, stride, theta));
    for (; i < end; i++) {
        const __m256 sums = half_sums(matrix->dense + i * stride, stride, theta);
        out[i - begin] = _mm_cvtss_f32(fold_four(sums, sums, sums, sums));
    }
}

AVX2 static inline __m256i contribution(__m256 scale, const float *row)
{
    const __m256 product = _mm256_mul_ps(scale, _mm256_loadu_ps(row));
    return _mm256_cvttps_epi32(product);
}

/* Eight rows at a time: the sums are loaded and stored once for the eight. */
AVX2 static void add(const sot_matrix *matrix, size_t begin, size_t end,
                     const float *scales, int32_t *sum)
{
    const size_t stride = matrix->stride;
    size_t i = begin;
    for (; i + 7 < end; i += 8) {
        const float *rows = matrix->dense + i * stride;
        __m256 scale[8];
        for (size_t k = 0; k < 8; k++)
            scale[k] = _mm256_set1_ps(scales[i - begin + k]);
        for (size_t j = 0; j < stride; j += 8) {
            __m256i *place = (__m256i *)(void *)(sum + j);
            __m256i total = _mm256_loadu_si256(place);
            for (size_t k = 0; k < 8; k++)
                total = _mm256_add_epi32(total,
                                         contribution(scale[k], rows + k * stride + j));
            _mm256_storeu_si256(place, total);
        }
    }
    for (; i < end; i++) {
        const float *row = matrix->dense + i * stride;
        const __m256 scale = _mm256_set1_ps(scales[i - begin]);
        for (size_t j = 0; j < stride; j += 8) {
            __m256i *place = (__m256i *)(void *)(sum + j);
            _mm256_storeu_si256(place, _mm256_add_epi32(_mm256_loadu_si256(place),
                                                        contribution(scale, row + j)));
        }
    }
}

static const sot_units units = {.dots = dots, .add = add};

const sot_units *sot_units_avx2(void)
{
    if (SOT_PLANTED(glm_units_round_to_nearest))
        return NULL; /* it is in the portable one */
    return __builtin_cpu_supports("avx2") ? &units : NULL;
}

#else

const sot_units *sot_units_avx2(void)
{
    return NULL;
}

#endif
