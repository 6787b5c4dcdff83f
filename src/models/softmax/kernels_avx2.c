#include "models/softmax/kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#include "base/unroll.h"

#define AVX2   __attribute__((target("avx2,fma")))
#define INLINE AVX2 static inline __attribute__((always_inline))

/* Classes whose sums are held in registers together. */
enum { GROUP = 5 };

INLINE __m256d four_of(const float *x)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(x));
}

INLINE double fold(__m256d four)
{
    const __m128d two =
        _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

/* Two rows by up to five classes over a block of columns; `group` is a constant wherever this is
 * inlined. Written out: arrays of registers would be kept in memory. */
INLINE void dot_tile(const float *x, const float *y, const double *theta, size_t stride,
                     size_t columns, int group, double *out_x, double *out_y)
{
    const double *t0 = theta;
    const double *t1 = theta + (group > 1 ? stride : 0);
    const double *t2 = theta + (group > 2 ? 2 * stride : 0);
    const double *t3 = theta + (group > 3 ? 3 * stride : 0);
    const double *t4 = theta + (group > 4 ? 4 * stride : 0);
    __m256d x0 = _mm256_setzero_pd(), x1 = x0, x2 = x0, x3 = x0, x4 = x0;
    __m256d y0 = x0, y1 = x0, y2 = x0, y3 = x0, y4 = x0;
    for (size_t j = 0; j < columns; j += 4) {
        const __m256d a = four_of(x + j);
        const __m256d b = four_of(y + j);
#define DOT(n)                                                                           \
    {                                                                                    \
        const __m256d t = _mm256_loadu_pd(t##n + j);                                     \
        x##n = _mm256_fmadd_pd(a, t, x##n);                                              \
        y##n = _mm256_fmadd_pd(b, t, y##n);                                              \
    }
        SOT_UP_TO_5(group, DOT)
    }
#define FOLD(n) out_x[n] += fold(x##n), out_y[n] += fold(y##n);
    SOT_UP_TO_5(group, FOLD)
}

INLINE void dot_group(const sot_softmax_rows *rows, const double *theta, size_t begin,
                      size_t columns, size_t first, int group, double *out)
{
    const size_t stride = rows->matrix->stride;
    const float *dense = rows->matrix->dense + begin;
    const double *from = theta + first * stride + begin;
    double unused[GROUP] = {0.0};
    for (size_t i = 0; i < rows->count; i += 2) {
        const bool pair = i + 1 < rows->count;
        const float *x = dense + rows->at[i] * stride;
        const float *y = pair ? dense + rows->at[i + 1] * stride : x;
        double *out_x = out + i * rows->classes + first;
        double *out_y = pair ? out_x + rows->classes : unused;
        dot_tile(x, y, from, stride, columns, group, out_x, out_y);
    }
}

AVX2 static void dots(const sot_softmax_rows *rows, const double *theta, double *out)
{
    const size_t stride = rows->matrix->stride;
    const size_t classes = rows->classes;
    for (size_t i = 0; i < rows->count * classes; i++)
        out[i] = 0.0;
    for (size_t j = 0; j < stride; j += SOT_SOFTMAX_COLUMNS) {
        const size_t left = stride - j;
        const size_t columns = left < SOT_SOFTMAX_COLUMNS ? left : SOT_SOFTMAX_COLUMNS;
        size_t c = 0;
        for (; c + GROUP <= classes; c += GROUP)
            dot_group(rows, theta, j, columns, c, GROUP, out);
#define REST(n) dot_group(rows, theta, j, columns, c, n, out);
        SOT_ONE_OF_4(classes - c, REST)
#undef REST
    }
}

/* Eight columns by up to five classes; the rows go by. */
INLINE void add_tile(const sot_softmax_rows *rows, const double *scales, size_t j,
                     int group, double *sum)
{
    const size_t stride = rows->matrix->stride;
    const float *dense = rows->matrix->dense + j;
    double *s0 = sum + j;
    double *s1 = s0 + (group > 1 ? stride : 0);
    double *s2 = s0 + (group > 2 ? 2 * stride : 0);
    double *s3 = s0 + (group > 3 ? 3 * stride : 0);
    double *s4 = s0 + (group > 4 ? 4 * stride : 0);
    __m256d a0 = _mm256_loadu_pd(s0), b0 = _mm256_loadu_pd(s0 + 4);
    __m256d a1 = _mm256_loadu_pd(s1), b1 = _mm256_loadu_pd(s1 + 4);
    __m256d a2 = _mm256_loadu_pd(s2), b2 = _mm256_loadu_pd(s2 + 4);
    __m256d a3 = _mm256_loadu_pd(s3), b3 = _mm256_loadu_pd(s3 + 4);
    __m256d a4 = _mm256_loadu_pd(s4), b4 = _mm256_loadu_pd(s4 + 4);
    for (size_t i = 0; i < rows->count; i++, scales += rows->classes) {
        const float *x = dense + rows->at[i] * stride;
        const __m256d a = four_of(x);
        const __m256d b = four_of(x + 4);
#define ADD(n)                                                                           \
    {                                                                                    \
        const __m256d scale = _mm256_broadcast_sd(scales + n);                           \
        a##n = _mm256_fmadd_pd(scale, a, a##n);                                          \
        b##n = _mm256_fmadd_pd(scale, b, b##n);                                          \
    }
        SOT_UP_TO_5(group, ADD)
    }
#define STORE(n) _mm256_storeu_pd(s##n, a##n), _mm256_storeu_pd(s##n + 4, b##n);
    SOT_UP_TO_5(group, STORE)
#undef STORE
}

AVX2 static void add(const sot_softmax_rows *rows, const double *scales, double *sum)
{
    const size_t stride = rows->matrix->stride;
    const size_t classes = rows->classes;
    for (size_t j = 0; j < stride; j += 8) {
        size_t c = 0;
        for (; c + GROUP <= classes; c += GROUP)
            add_tile(rows, scales + c, j, GROUP, sum + c * stride);
#define REST(n) add_tile(rows, scales + c, j, n, sum + c * stride);
        SOT_ONE_OF_4(classes - c, REST)
#undef REST
    }
}

INLINE __m256i contribution(const float *scale, __m256 x)
{
    return _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_broadcast_ss(scale), x));
}

INLINE __m256i load(const int32_t *sum)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)sum);
}

INLINE void store(int32_t *sum, __m256i total)
{
    _mm256_storeu_si256((__m256i *)(void *)sum, total);
}

/* Eight columns by up to five classes. */
INLINE void units_tile(const sot_softmax_rows *rows, const float *scales, size_t j,
                       int group, int32_t *sum)
{
    const size_t stride = rows->matrix->stride;
    const float *dense = rows->matrix->dense + j;
    int32_t *s0 = sum + j;
    int32_t *s1 = s0 + (group > 1 ? stride : 0);
    int32_t *s2 = s0 + (group > 2 ? 2 * stride : 0);
    int32_t *s3 = s0 + (group > 3 ? 3 * stride : 0);
    int32_t *s4 = s0 + (group > 4 ? 4 * stride : 0);
    __m256i a0 = load(s0), a1 = load(s1), a2 = load(s2), a3 = load(s3), a4 = load(s4);
    for (size_t i = 0; i < rows->count; i++, scales += rows->classes) {
        const __m256 x = _mm256_loadu_ps(dense + rows->at[i] * stride);
#define ADD_UNITS(n) a##n = _mm256_add_epi32(a##n, contribution(scales + n, x));
        SOT_UP_TO_5(group, ADD_UNITS)
    }
#define STORE(n) store(s##n, a##n);
    SOT_UP_TO_5(group, STORE)
}

AVX2 static void add_units(const sot_softmax_rows *rows, const float *scales,
                           int32_t *sum)
{
    const size_t stride = rows->matrix->stride;
    const size_t classes = rows->classes;
    for (size_t j = 0; j < stride; j += 8) {
        size_t c = 0;
        for (; c + GROUP <= classes; c += GROUP)
            units_tile(rows, scales + c, j, GROUP, sum + c * stride);
#define REST(n) units_tile(rows, scales + c, j, n, sum + c * stride);
        SOT_ONE_OF_4(classes - c, REST)
    }
}

static const sot_softmax_kernels kernels = {
    .dots = dots, .add = add, .add_units = add_units};

const sot_softmax_kernels *sot_softmax_kernels_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kernels
                                                                           : NULL;
}

#else

const sot_softmax_kernels *sot_softmax_kernels_avx2(void)
{
    return NULL;
}

#endif
