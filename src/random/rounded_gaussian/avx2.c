#include "random/rounded_gaussian/kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#include "random/normal.h"

/* |Z| = X 2^-55 with an X of 57 bits and more digits unknown. Here d = floor(X / 32) is a whole
 * number below 2^52, exact as a double. So sigma |Z| lies in [d, d + 1) sigma 2^-50. The product
 * y = d * (sigma 2^-50) is below 4 sigma and rounded once: |y - sigma |Z|| < sigma
 * (2^-50 + 2^-51) < sigma 2^-49, the guard. Adding 1.5 * 2^52 rounds y to the nearest integer n
 * (|y| < 2^51), and y - n is exact. If |y - n| <= 1/2 - guard, then |sigma |Z| - n| < 1/2: n is
 * the rounding. */
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

/* ---- lean ---- */

typedef struct lean_constants {
    __m256d scale, settled;
} lean_constants;

/* Rounds four numbers of magnitude (d + 1/2) 2^-30 sigma, negative where the sign bit of `sign`
 * is set. Returns a bit for each that stays open. */
__attribute__((target("avx2"))) static inline unsigned
round_lean(__m128i d, __m128i sign, const lean_constants *with, int64_t *out)
{
    const __m256d two_52 = _mm256_set1_pd(0x1p52);
    const __m256d round_by = _mm256_set1_pd(0x1.8p52);
    const __m256d whole = _mm256_sub_pd(
        _mm256_or_pd(_mm256_castsi256_pd(_mm256_cvtepu32_epi64(d)), two_52), two_52);
    const __m256d y =
        _mm256_mul_pd(_mm256_add_pd(whole, _mm256_set1_pd(0.5)), with->scale);
    const __m256d shifted = _mm256_add_pd(y, round_by);
    const __m256d distance = _mm256_andnot_pd(
        _mm256_set1_pd(-0.0), _mm256_sub_pd(y, _mm256_sub_pd(shifted, round_by)));
    const __m256i rounded =
        _mm256_sub_epi64(_mm256_castpd_si256(shifted), _mm256_castpd_si256(round_by));
    const __m256i minus = _mm256_cvtepi32_epi64(_mm_srai_epi32(sign, 31));
    _mm256_storeu_si256((__m256i *)(void *)out,
                        _mm256_sub_epi64(_mm256_xor_si256(rounded, minus), minus));
    return (unsigned)_mm256_movemask_pd(
        _mm256_cmp_pd(distance, with->settled, _CMP_NLE_UQ));
}

__attribute__((target("avx2"))) static void
lean_kernel(const sot_rounded_gaussian_task *task, const sot_lean_block *block,
            int64_t *out, sot_lean_masks *out_masks)
{
    const uint32_t *heads = block->heads;
    const uint8_t *tails = block->tails;
    const lean_constants with = {
        .scale = _mm256_set1_pd(task->sigma * SOT_LEAN_SCALE),
        .settled = _mm256_set1_pd(0.5 - task->sigma * SOT_LEAN_GUARD),
    };
    const __m256i last_quick = _mm256_set1_epi32((int)task->tiles->quick - 1);
    const __m256i place_mask = _mm256_set1_epi32(0x1ffff << 7);
    uint8_t strips[SOT_ROUNDED_GAUSSIAN_BLOCK];
    sot_lean_look_up(task->tiles, heads, strips);
    for (size_t m = 0; m < SOT_LEAN_MASKS; m++) {
        uint64_t crossed = 0, open = 0;
        for (unsigned j = 0; j < 64; j += 8) {
            const size_t i = 64 * m + j;
            const __m256i head =
                _mm256_loadu_si256((const __m256i *)(const void *)(heads + i));
            const __m256i strip = _mm256_cvtepu8_epi32(
                _mm_loadl_epi64((const __m128i *)(const void *)(strips + i)));
            const __m256i tail = _mm256_cvtepu8_epi32(
                _mm_loadl_epi64((const __m128i *)(const void *)(tails + i)));
            /* strip << 24 | place << 7 | tail >> 1 */
            const __m256i d = _mm256_or_si256(
                _mm256_or_si256(_mm256_slli_epi32(strip, 24), _mm256_srli_epi32(tail, 1)),
                _mm256_and_si256(_mm256_slli_epi32(head, 7), place_mask));
            const __m256i sign = _mm256_slli_epi32(head, 31 - 17);
            const __m256i beyond = _mm256_cmpgt_epi32(
                _mm256_srli_epi32(head, 32 - SOT_TILES_ENTRY_BITS), last_quick);
            crossed |= (uint64_t)(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(beyond))
                       << j;
            const unsigned low = round_lean(_mm256_castsi256_si128(d),
                                            _mm256_castsi256_si128(sign), &with, out + i);
            const unsigned high =
                round_lean(_mm256_extracti128_si256(d, 1),
                           _mm256_extracti128_si256(sign, 1), &with, out + i + 4);
            open |= (uint64_t)(low | high << 4) << j;
        }
        out_masks->crossed[m] = crossed;
        out_masks->open[m] = open;
    }
}

sot_lean_kernel sot_lean_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? lean_kernel : NULL;
}

#else

sot_rounded_gaussian_kernel sot_rounded_gaussian_avx2(void)
{
    return NULL;
}

sot_lean_kernel sot_lean_avx2(void)
{
    return NULL;
}

#endif
