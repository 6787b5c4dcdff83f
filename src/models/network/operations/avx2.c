/* Element by element with AVX2, and the table of the AVX2 kernels. */
#include "models/network/gemm/avx2.h"
#include "models/network/operations/tiled.h"

#if SOT_HAVE_AVX2

/* sot_tiled_tanh() in eight lanes: the same operations in the same order. */
INLINE __m256 tanh_eight(__m256 x)
{
    const __m256 sign_bit = _mm256_set1_ps(-0.0F);
    const __m256 one = _mm256_set1_ps(1.0F);
    const __m256 size = _mm256_andnot_ps(sign_bit, x);
    const __m256 doubled = _mm256_add_ps(size, size);
    /* the second operand if one is NaN: NaN stays */
    const __m256 t = _mm256_min_ps(_mm256_set1_ps(SOT_TANH_LIMIT), doubled);
    const __m256 n = _mm256_round_ps(_mm256_mul_ps(t, _mm256_set1_ps(SOT_TANH_LOG2_E)),
                                     _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(SOT_TANH_LN2_HIGH), t);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(SOT_TANH_LN2_LOW), r);
    __m256 q = _mm256_set1_ps(SOT_TANH_C7);
    q = _mm256_fmadd_ps(q, r, _mm256_set1_ps(SOT_TANH_C6));
    q = _mm256_fmadd_ps(q, r, _mm256_set1_ps(SOT_TANH_C5));
    q = _mm256_fmadd_ps(q, r, _mm256_set1_ps(SOT_TANH_C4));
    q = _mm256_fmadd_ps(q, r, _mm256_set1_ps(SOT_TANH_C3));
    q = _mm256_fmadd_ps(q, r, _mm256_set1_ps(SOT_TANH_C2));
    const __m256 p = _mm256_fmadd_ps(_mm256_mul_ps(r, r), q, r);
    const __m256 power = _mm256_castsi256_ps(_mm256_add_epi32(
        _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23), _mm256_castps_si256(one)));
    const __m256 e = _mm256_fmadd_ps(power, p, _mm256_sub_ps(power, one));
    const __m256 y = _mm256_div_ps(e, _mm256_add_ps(e, _mm256_set1_ps(2.0F)));
    return _mm256_or_ps(y, _mm256_and_ps(sign_bit, x));
}

AVX2 void sot_avx2_tanh_forward(const float *in, size_t count, float *out)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(out + i, tanh_eight(_mm256_loadu_ps(in + i)));
    if (i == count) return;
    const __m256i mask = first_lanes(count - i);
    _mm256_maskstore_ps(out + i, mask, tanh_eight(_mm256_maskload_ps(in + i, mask)));
}

INLINE __m256 slope(__m256 y, __m256 delta)
{
    return _mm256_mul_ps(delta, _mm256_fnmadd_ps(y, y, _mm256_set1_ps(1.0F)));
}

AVX2 void sot_avx2_tanh_delta(const float *out_of_forward, const float *delta,
                              size_t count, float *out)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(out + i, slope(_mm256_loadu_ps(out_of_forward + i),
                                        _mm256_loadu_ps(delta + i)));
    if (i == count) return;
    const __m256i mask = first_lanes(count - i);
    const __m256 last = slope(_mm256_maskload_ps(out_of_forward + i, mask),
                              _mm256_maskload_ps(delta + i, mask));
    _mm256_maskstore_ps(out + i, mask, last);
}

INLINE __m256d square(__m128 four, __m256d sum)
{
    const __m256d wide = _mm256_cvtps_pd(four);
    return _mm256_fmadd_pd(wide, wide, sum);
}

/* At most SOT_SQUARES_BLOCK of them, in sixteen lanes. */
INLINE double block_squares(const float *values, size_t count)
{
    __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        s0 = square(_mm_loadu_ps(values + i), s0);
        s1 = square(_mm_loadu_ps(values + i + 4), s1);
        s2 = square(_mm_loadu_ps(values + i + 8), s2);
        s3 = square(_mm_loadu_ps(values + i + 12), s3);
    }
    const size_t left = count - i;
    const __m256 low = _mm256_maskload_ps(values + i, first_lanes(left));
    s0 = square(_mm256_castps256_ps128(low), s0);
    s1 = square(_mm256_extractf128_ps(low, 1), s1);
    if (left > 8) {
        const __m256 high = _mm256_maskload_ps(values + i + 8, first_lanes(left - 8));
        s2 = square(_mm256_castps256_ps128(high), s2);
        s3 = square(_mm256_extractf128_ps(high, 1), s3);
    }
    const __m256d four = _mm256_add_pd(_mm256_add_pd(s0, s1), _mm256_add_pd(s2, s3));
    const __m128d two =
        _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

AVX2 double sot_avx2_squares(const float *values, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i += SOT_SQUARES_BLOCK) {
        const size_t left = count - i;
        sum += block_squares(values + i,
                             left < SOT_SQUARES_BLOCK ? left : SOT_SQUARES_BLOCK);
    }
    return sum;
}

AVX2 void sot_avx2_add_truncated(const float *values, size_t count, float scale,
                                 int32_t *units)
{
    const __m256 by = _mm256_set1_ps(scale);
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m256i *to = (__m256i *)(void *)(units + i);
        const __m256 product = _mm256_mul_ps(_mm256_loadu_ps(values + i), by);
        _mm256_storeu_si256(
            to, _mm256_add_epi32(_mm256_loadu_si256(to), _mm256_cvttps_epi32(product)));
    }
    if (i == count) return;
    const __m256i mask = first_lanes(count - i);
    const __m256 last = _mm256_mul_ps(_mm256_maskload_ps(values + i, mask), by);
    const __m256i sum = _mm256_add_epi32(_mm256_maskload_epi32(units + i, mask),
                                         _mm256_cvttps_epi32(last));
    _mm256_maskstore_epi32(units + i, mask, sum);
}

INLINE void add_wide(__m128i four, int64_t *units)
{
    __m256i *to = (__m256i *)(void *)units;
    _mm256_storeu_si256(
        to, _mm256_add_epi64(_mm256_loadu_si256(to), _mm256_cvtepi32_epi64(four)));
}

AVX2 void sot_avx2_add_rounded(const float *sums, size_t count, float scale,
                               int64_t *units)
{
    const __m256 by = _mm256_set1_ps(scale);
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256i eight =
            _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(sums + i), by));
        add_wide(_mm256_castsi256_si128(eight), units + i);
        add_wide(_mm256_extracti128_si256(eight, 1), units + i + 4);
    }
    for (; i < count; i++)
        units[i] += _mm_cvtss_si32(_mm_mul_ss(_mm_load_ss(sums + i), _mm_set_ss(scale)));
}

const sot_gemm_kernels sot_gemm_avx2_kernels = {.name = "avx2",
                                                .panel = sot_avx2_panel,
                                                .dots = sot_avx2_dots,
                                                .outer = sot_avx2_outer,
                                                .sums = sot_avx2_sums,
                                                .pack = sot_avx2_pack};

bool sot_gemm_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#else

bool sot_gemm_has_avx2(void)
{
    return false;
}

#endif
