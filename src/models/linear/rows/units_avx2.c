#include "models/linear/rows/units.h"

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

AVX2 static inline __m256 plus_product(__m256 sum, const float *row, __m256 theta)
{
    return _mm256_add_ps(sum, _mm256_mul_ps(_mm256_loadu_ps(row), theta));
}

/* Four rows at a time share the loads of theta. */
AVX2 static inline __m128 dot_four(const float *row, size_t stride, const float *theta)
{
    const float *second = row + stride;
    const float *third = second + stride;
    const float *fourth = third + stride;
    __m256 a0 = _mm256_setzero_ps(), a1 = a0, b0 = a0, b1 = a0;
    __m256 c0 = a0, c1 = a0, d0 = a0, d1 = a0;
    for (size_t j = 0; j < stride; j += SOT_MATRIX_LANES) {
        const __m256 t0 = _mm256_loadu_ps(theta + j);
        const __m256 t1 = _mm256_loadu_ps(theta + j + 8);
        a0 = plus_product(a0, row + j, t0);
        a1 = plus_product(a1, row + j + 8, t1);
        b0 = plus_product(b0, second + j, t0);
        b1 = plus_product(b1, second + j + 8, t1);
        c0 = plus_product(c0, third + j, t0);
        c1 = plus_product(c1, third + j + 8, t1);
        d0 = plus_product(d0, fourth + j, t0);
        d1 = plus_product(d1, fourth + j + 8, t1);
    }
    return fold_four(_mm256_add_ps(a0, a1), _mm256_add_ps(b0, b1), _mm256_add_ps(c0, c1),
                     _mm256_add_ps(d0, d1));
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

AVX2 static inline __m256i total_of(const int32_t *sum)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)sum);
}

/* Four rows at a time: the sums are loaded and stored once for the four. The rows are in the cache,
 * as they were read for their products; meanwhile the memory is asked for those that come next. */
AVX2 static void add(const sot_matrix *matrix, size_t begin, size_t end,
                     const float *slopes, float per_unit, int32_t *sum)
{
    const size_t stride = matrix->stride;
    size_t i = begin;
    for (; i + 3 < end; i += 4) {
        const float *row = matrix->dense + i * stride;
        const float *slope = slopes + (i - begin);
        const __m256 s0 = _mm256_set1_ps(slope[0] * per_unit);
        const __m256 s1 = _mm256_set1_ps(slope[1] * per_unit);
        const __m256 s2 = _mm256_set1_ps(slope[2] * per_unit);
        const __m256 s3 = _mm256_set1_ps(slope[3] * per_unit);
        const bool more = matrix->rows - i > end - begin + 3;
        const float *ahead = more ? row + (end - begin) * stride : row;
        for (size_t j = 0; j < stride; j += 8) {
            /* Half a line of each of four rows is done: two lines are asked for. */
            _mm_prefetch((const char *)(ahead + 4 * j), _MM_HINT_T1);
            _mm_prefetch((const char *)(ahead + 4 * j + 16), _MM_HINT_T1);
            const __m256i first = _mm256_add_epi32(contribution(s0, row + j),
                                                   contribution(s1, row + stride + j));
            const __m256i second =
                _mm256_add_epi32(contribution(s2, row + 2 * stride + j),
                                 contribution(s3, row + 3 * stride + j));
            const __m256i total =
                _mm256_add_epi32(total_of(sum + j), _mm256_add_epi32(first, second));
            _mm256_storeu_si256((__m256i *)(void *)(sum + j), total);
        }
    }
    for (; i < end; i++) {
        const float *row = matrix->dense + i * stride;
        const __m256 scale = _mm256_set1_ps(slopes[i - begin] * per_unit);
        for (size_t j = 0; j < stride; j += 8)
            _mm256_storeu_si256(
                (__m256i *)(void *)(sum + j),
                _mm256_add_epi32(total_of(sum + j), contribution(scale, row + j)));
    }
}

static const sot_units units = {.dots = dots, .add = add};

const sot_units *sot_units_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? &units : NULL;
}

#else

const sot_units *sot_units_avx2(void)
{
    return NULL;
}

#endif
