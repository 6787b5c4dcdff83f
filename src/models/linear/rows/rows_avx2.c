#include "models/linear/rows/rows.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256d four_of(const float *row)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(row));
}

AVX2 static inline __m256d plus_product(__m256d sum, __m256d a, __m256d b)
{
    return _mm256_add_pd(sum, _mm256_mul_pd(a, b));
}

/* ((lane 0 + lane 2) + (lane 1 + lane 3)) of the four registers' folded sum. */
AVX2 static inline double fold(__m256d s0, __m256d s1, __m256d s2, __m256d s3)
{
    const __m256d four = _mm256_add_pd(_mm256_add_pd(s0, s1), _mm256_add_pd(s2, s3));
    const __m128d two =
        _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

AVX2 static void dots(const sot_matrix *matrix, size_t begin, size_t end,
                      const double *theta, double *out)
{
    const size_t stride = matrix->stride;
    size_t i = begin;
    for (; i + 1 < end; i += 2) { /* two rows: theta is loaded once */
        const float *a = matrix->dense + i * stride;
        const float *b = a + stride;
        __m256d a0 = _mm256_setzero_pd(), a1 = a0, a2 = a0, a3 = a0;
        __m256d b0 = a0, b1 = a0, b2 = a0, b3 = a0;
        for (size_t j = 0; j < stride; j += SOT_MATRIX_LANES) {
            const __m256d t0 = _mm256_loadu_pd(theta + j);
            const __m256d t1 = _mm256_loadu_pd(theta + j + 4);
            const __m256d t2 = _mm256_loadu_pd(theta + j + 8);
            const __m256d t3 = _mm256_loadu_pd(theta + j + 12);
            a0 = plus_product(a0, four_of(a + j), t0);
            a1 = plus_product(a1, four_of(a + j + 4), t1);
            a2 = plus_product(a2, four_of(a + j + 8), t2);
            a3 = plus_product(a3, four_of(a + j + 12), t3);
            b0 = plus_product(b0, four_of(b + j), t0);
            b1 = plus_product(b1, four_of(b + j + 4), t1);
            b2 = plus_product(b2, four_of(b + j + 8), t2);
            b3 = plus_product(b3, four_of(b + j + 12), t3);
        }
        out[i - begin] = fold(a0, a1, a2, a3);
        out[i - begin + 1] = fold(b0, b1, b2, b3);
    }
    if (i < end) {
        const float *a = matrix->dense + i * stride;
        __m256d a0 = _mm256_setzero_pd(), a1 = a0, a2 = a0, a3 = a0;
        for (size_t j = 0; j < stride; j += SOT_MATRIX_LANES) {
            a0 = plus_product(a0, four_of(a + j), _mm256_loadu_pd(theta + j));
            a1 = plus_product(a1, four_of(a + j + 4), _mm256_loadu_pd(theta + j + 4));
            a2 = plus_product(a2, four_of(a + j + 8), _mm256_loadu_pd(theta + j + 8));
            a3 = plus_product(a3, four_of(a + j + 12), _mm256_loadu_pd(theta + j + 12));
        }
        out[i - begin] = fold(a0, a1, a2, a3);
    }
}

/* One row, two points: it is loaded and converted once. */
AVX2 static void dots_of_two(const sot_matrix *matrix, size_t begin, size_t end,
                             const double *const thetas[2], double *out_first,
                             double *out_second)
{
    const size_t stride = matrix->stride;
    const double *first = thetas[0];
    const double *second = thetas[1];
    for (size_t i = begin; i < end; i++) {
        const float *row = matrix->dense + i * stride;
        __m256d a0 = _mm256_setzero_pd(), a1 = a0, a2 = a0, a3 = a0;
        __m256d b0 = a0, b1 = a0, b2 = a0, b3 = a0;
        for (size_t j = 0; j < stride; j += SOT_MATRIX_LANES) {
            const __m256d x0 = four_of(row + j);
            const __m256d x1 = four_of(row + j + 4);
            const __m256d x2 = four_of(row + j + 8);
            const __m256d x3 = four_of(row + j + 12);
            a0 = plus_product(a0, x0, _mm256_loadu_pd(first + j));
            a1 = plus_product(a1, x1, _mm256_loadu_pd(first + j + 4));
            a2 = plus_product(a2, x2, _mm256_loadu_pd(first + j + 8));
            a3 = plus_product(a3, x3, _mm256_loadu_pd(first + j + 12));
            b0 = plus_product(b0, x0, _mm256_loadu_pd(second + j));
            b1 = plus_product(b1, x1, _mm256_loadu_pd(second + j + 4));
            b2 = plus_product(b2, x2, _mm256_loadu_pd(second + j + 8));
            b3 = plus_product(b3, x3, _mm256_loadu_pd(second + j + 12));
        }
        out_first[i - begin] = fold(a0, a1, a2, a3);
        out_second[i - begin] = fold(b0, b1, b2, b3);
    }
}

/* Four rows at a time, added in their order: the sums are loaded and stored once for the four. */
AVX2 static void add(const sot_matrix *matrix, size_t begin, size_t end,
                     const double *scales, double *sum)
{
    const size_t stride = matrix->stride;
    size_t i = begin;
    for (; i + 3 < end; i += 4) {
        const float *row = matrix->dense + i * stride;
        const __m256d s0 = _mm256_set1_pd(scales[i - begin]);
        const __m256d s1 = _mm256_set1_pd(scales[i - begin + 1]);
        const __m256d s2 = _mm256_set1_pd(scales[i - begin + 2]);
        const __m256d s3 = _mm256_set1_pd(scales[i - begin + 3]);
        for (size_t j = 0; j < stride; j += 4) {
            __m256d total = _mm256_loadu_pd(sum + j);
            total = plus_product(total, s0, four_of(row + j));
            total = plus_product(total, s1, four_of(row + stride + j));
            total = plus_product(total, s2, four_of(row + 2 * stride + j));
            total = plus_product(total, s3, four_of(row + 3 * stride + j));
            _mm256_storeu_pd(sum + j, total);
        }
    }
    for (; i < end; i++) {
        const float *row = matrix->dense + i * stride;
        const __m256d scale = _mm256_set1_pd(scales[i - begin]);
        for (size_t j = 0; j < stride; j += 4)
            _mm256_storeu_pd(
                sum + j, plus_product(_mm256_loadu_pd(sum + j), scale, four_of(row + j)));
    }
}

/* Written out: a loop over the four lines would keep the sums in memory. */
AVX2 static void tile(const double *left, const double *right, size_t rows, double *sum,
                      size_t stride)
{
    double *line1 = sum + stride;
    double *line2 = line1 + stride;
    double *line3 = line2 + stride;
    __m256d a0 = _mm256_loadu_pd(sum), a1 = _mm256_loadu_pd(sum + 4);
    __m256d b0 = _mm256_loadu_pd(line1), b1 = _mm256_loadu_pd(line1 + 4);
    __m256d c0 = _mm256_loadu_pd(line2), c1 = _mm256_loadu_pd(line2 + 4);
    __m256d d0 = _mm256_loadu_pd(line3), d1 = _mm256_loadu_pd(line3 + 4);
    for (size_t i = 0; i < rows; i++, left += SOT_PANEL, right += SOT_PANEL) {
        const __m256d r0 = _mm256_loadu_pd(right);
        const __m256d r1 = _mm256_loadu_pd(right + 4);
        const __m256d a = _mm256_broadcast_sd(left);
        const __m256d b = _mm256_broadcast_sd(left + 1);
        const __m256d c = _mm256_broadcast_sd(left + 2);
        const __m256d d = _mm256_broadcast_sd(left + 3);
        a0 = plus_product(a0, a, r0);
        a1 = plus_product(a1, a, r1);
        b0 = plus_product(b0, b, r0);
        b1 = plus_product(b1, b, r1);
        c0 = plus_product(c0, c, r0);
        c1 = plus_product(c1, c, r1);
        d0 = plus_product(d0, d, r0);
        d1 = plus_product(d1, d, r1);
    }
    _mm256_storeu_pd(sum, a0);
    _mm256_storeu_pd(sum + 4, a1);
    _mm256_storeu_pd(line1, b0);
    _mm256_storeu_pd(line1 + 4, b1);
    _mm256_storeu_pd(line2, c0);
    _mm256_storeu_pd(line2 + 4, c1);
    _mm256_storeu_pd(line3, d0);
    _mm256_storeu_pd(line3 + 4, d1);
}

static const sot_rows rows = {.dots = dots, .dots_of_two = dots_of_two, .add = add};

const sot_rows *sot_rows_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? &rows : NULL;
}

sot_tile_function sot_tile_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? tile : NULL;
}

#else

const sot_rows *sot_rows_avx2(void)
{
    return NULL;
}

sot_tile_function sot_tile_avx2(void)
{
    return NULL;
}

#endif
