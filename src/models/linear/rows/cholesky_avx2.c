#include "models/linear/rows/cholesky.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

/* Not fused: the portable code rounds the product too. */
AVX2 static inline __m256d plus_product(__m256d sum, __m256d a, __m256d b)
{
    return _mm256_add_pd(sum, _mm256_mul_pd(a, b));
}

/* Four rows with two others: eight sums, as many as the latency of an addition hides. */
AVX2 static void half_corner(const double *rows, const double *above, size_t stride,
                             size_t count, double out_lanes[4][4][4], size_t column)
{
    const double *r0 = rows, *r1 = rows + stride, *r2 = r1 + stride, *r3 = r2 + stride;
    const double *a0 = above + column * stride, *a1 = a0 + stride;
    __m256d s00 = _mm256_setzero_pd(), s01 = s00, s10 = s00, s11 = s00;
    __m256d s20 = s00, s21 = s00, s30 = s00, s31 = s00;
    for (size_t k = 0; k < count; k += 4) {
        const __m256d b0 = _mm256_loadu_pd(a0 + k), b1 = _mm256_loadu_pd(a1 + k);
        const __m256d x0 = _mm256_loadu_pd(r0 + k), x1 = _mm256_loadu_pd(r1 + k);
        const __m256d x2 = _mm256_loadu_pd(r2 + k), x3 = _mm256_loadu_pd(r3 + k);
        s00 = plus_product(s00, x0, b0);
        s01 = plus_product(s01, x0, b1);
        s10 = plus_product(s10, x1, b0);
        s11 = plus_product(s11, x1, b1);
        s20 = plus_product(s20, x2, b0);
        s21 = plus_product(s21, x2, b1);
        s30 = plus_product(s30, x3, b0);
        s31 = plus_product(s31, x3, b1);
    }
    _mm256_storeu_pd(out_lanes[0][column], s00);
    _mm256_storeu_pd(out_lanes[0][column + 1], s01);
    _mm256_storeu_pd(out_lanes[1][column], s10);
    _mm256_storeu_pd(out_lanes[1][column + 1], s11);
    _mm256_storeu_pd(out_lanes[2][column], s20);
    _mm256_storeu_pd(out_lanes[2][column + 1], s21);
    _mm256_storeu_pd(out_lanes[3][column], s30);
    _mm256_storeu_pd(out_lanes[3][column + 1], s31);
}

AVX2 static void corner(const double *rows, const double *above, size_t stride,
                        size_t count, double out_lanes[4][4][4])
{
    half_corner(rows, above, stride, count, out_lanes, 0);
    half_corner(rows, above, stride, count, out_lanes, 2);
}

sot_cholesky_corner sot_cholesky_corner_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? corner : NULL;
}

#else

sot_cholesky_corner sot_cholesky_corner_avx2(void)
{
    return NULL;
}

#endif
