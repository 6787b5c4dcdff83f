#include "random/rounded_gaussian_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#include "random/normal.h"

/* |Z| = X 2^-55 with an X of 57 bits and more digits unknown. d = floor(X / 32) is a whole number
 * below 2^52, so exact as a double, and sigma |Z| lies in [d, d + 1) sigma 2^-50. The product
 * y = d * (sigma 2^-50) is below 4 sigma and rounded once: |y - sigma |Z|| < sigma (2^-50 + 2^-51)
 * < sigma 2^-49, the guard. Adding 1.5 * 2^52 rounds y to the nearest integer n (|y| < 2^51), and
 * y - n is exact. If |y - n| <= 1/2 - guard, then |sigma |Z| - n| < 1/2: n is the rounding. */
__attribute__((target("avx2"))) static size_t
kernel(const sot_rounded_gaussian_task *task, const uint64_t *words, size_t count,
       int64_t *out, uint16_t *out_deferred)
{
    const sot_tiles *tiles = task->tiles;
    const size_t whole = count - count % 4;
    const __m256i last_quick = _mm256_set1_epi64x((long long)tiles->quick - 1);
    const __m256i place_mask = _mm256_set1_epi64x((1LL << SOT_NORMAL_PLACE_BITS) - 1);
    const __m256i one = _mm256_set1_epi64x(1);
    const __m256i byte = _mm256_set1_epi64x(0xff);
    const __m256d two_52 = _mm256_set1_pd(0x1p52);
    const __m256d round_by = _mm256_set1_pd(0x1.8p52);
    const __m256d scale = _mm256_set1_pd(task->sigma * 0x1p-50);
    const __m256d settled = _mm256_set1_pd(0.5 - task->sigma * 0x1p-49);
    const __m256d sign_bit = _mm256_set1_pd(-0.0);
    size_t deferred = 0;

    for (size_t i = 0; i < whole; i += 4) {
        const __m256i word =
            _mm256_loadu_si256((const __m256i *)(const void *)(words + i));
        const __m256i entry = _mm256_srli_epi64(word, 64 - SOT_TILES_ENTRY_BITS);
        const __m256i crossed = _mm256_cmpgt_epi64(entry, last_quick);
        const __m128i gathered =
            _mm256_i64gather_epi32((const int *)(const void *)tiles->strip_of, entry, 1);
        const __m256i strip = _mm256_and_si256(_mm256_cvtepu32_epi64(gathered), byte);
        const __m256i digits =
            _mm256_or_si256(_mm256_slli_epi64(strip, SOT_NORMAL_PLACE_BITS),
                            _mm256_and_si256(word, place_mask));
        const __m256d d = _mm256_sub_pd(
            _mm256_or_pd(_mm256_castsi256_pd(_mm256_srli_epi64(digits, 5)), two_52),
            two_52);
        const __m256d y = _mm256_mul_pd(d, scale);
        const __m256d shifted = _mm256_add_pd(y, round_by);
        const __m256d distance = _mm256_andnot_pd(
            sign_bit, _mm256_sub_pd(y, _mm256_sub_pd(shifted, round_by)));
        const __m256d open = _mm256_cmp_pd(distance, settled, _CMP_NLE_UQ);
        const __m256i rounded =
            _mm256_sub_epi64(_mm256_castpd_si256(shifted), _mm256_castpd_si256(round_by));
        const __m256i minus = _mm256_sub_epi64(
            _mm256_setzero_si256(),
            _mm256_and_si256(_mm256_srli_epi64(word, SOT_NORMAL_PLACE_BITS), one));
        const __m256i result = _mm256_sub_epi64(_mm256_xor_si256(rounded, minus), minus);
        _mm256_storeu_si256((__m256i *)(void *)(out + i), result);

        unsigned later = (unsigned)_mm256_movemask_pd(
            _mm256_or_pd(open, _mm256_castsi256_pd(crossed)));
        for (; later != 0; later &= later - 1)
            out_deferred[deferred++] = (uint16_t)(i + (unsigned)__builtin_ctz(later));
    }
    for (size_t i = whole; i < count; i++)
        out_deferred[deferred++] = (uint16_t)i;
    return deferred;
}

sot_rounded_gaussian_kernel sot_rounded_gaussian_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? kernel : NULL;
}

#else

sot_rounded_gaussian_kernel sot_rounded_gaussian_avx2(void)
{
    return NULL;
}

#endif
