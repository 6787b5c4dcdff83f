#include "models/linear/losses/slopes_logistic.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

/* Operation for operation the function slope_of() of slopes_logistic.c, eight at a time. */
__attribute__((target("avx2"))) static void
slopes(const float *margins, const float *labels, size_t count, float *out)
{
    static const float series[] = SOT_SLOPES_SERIES;
    const size_t whole_count = count - count % 8;
    const __m256 sign_bit = _mm256_set1_ps(-0.0f);
    const __m256 most = _mm256_set1_ps(SOT_SLOPES_MOST);
    const __m256 least = _mm256_set1_ps(-SOT_SLOPES_MOST);
    const __m256 round_by = _mm256_set1_ps(SOT_SLOPES_ROUND);
    const __m256 one = _mm256_set1_ps(1.0f);

    for (size_t i = 0; i < whole_count; i += 8) {
        const __m256 negative =
            _mm256_and_ps(sign_bit, _mm256_cmp_ps(_mm256_loadu_ps(labels + i),
                                                  _mm256_setzero_ps(), _CMP_LT_OQ));
        __m256 x = _mm256_xor_ps(_mm256_loadu_ps(margins + i), negative);
        x = _mm256_min_ps(_mm256_max_ps(x, least), most); /* NaN: the second operand */
        const __m256 whole = _mm256_sub_ps(
            _mm256_add_ps(_mm256_mul_ps(x, _mm256_set1_ps(SOT_SLOPES_LOG2E)), round_by),
            round_by);
        const __m256 r = _mm256_sub_ps(
            _mm256_sub_ps(x, _mm256_mul_ps(whole, _mm256_set1_ps(SOT_SLOPES_LOG2_HIGH))),
            _mm256_mul_ps(whole, _mm256_set1_ps(SOT_SLOPES_LOG2_LOW)));
        __m256 sum = _mm256_set1_ps(series[0]);
        for (int j = 1; j < 7; j++)
            sum = _mm256_add_ps(_mm256_mul_ps(sum, r), _mm256_set1_ps(series[j]));
        const __m256 power = _mm256_castsi256_ps(_mm256_slli_epi32(
            _mm256_add_epi32(_mm256_cvttps_epi32(whole), _mm256_set1_epi32(127)), 23));
        const __m256 slope =
            _mm256_div_ps(one, _mm256_add_ps(one, _mm256_mul_ps(sum, power)));
        /* Positive label: minus. */
        const __m256 turn = _mm256_xor_ps(negative, sign_bit);
        _mm256_storeu_ps(out + i, _mm256_xor_ps(slope, turn));
    }
    sot_slopes_logistic_portable(margins + whole_count, labels + whole_count,
                                 count - whole_count, out + whole_count);
}

sot_slopes_function sot_slopes_logistic_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? slopes : NULL;
}

#else

sot_slopes_function sot_slopes_logistic_avx2(void)
{
    return NULL;
}

#endif
