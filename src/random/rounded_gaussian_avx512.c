#include "random/rounded_gaussian_kernel.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#include "random/normal.h"

#define AVX512 __attribute__((target("avx512f,avx512dq")))

enum { GROUP = 64 };

typedef struct constants {
    __m512i first_crossed; /* the least word whose entry is not quick */
    __m512d scale, settled;
} constants;

/* One byte load a word: gathers are slower on every processor measured. */
static inline __attribute__((always_inline)) void
look_up(const sot_tiles *tiles, const uint64_t *words, uint8_t strips[GROUP])
{
    enum { SHIFT = 64 - SOT_TILES_ENTRY_BITS };
    const uint8_t *strip_of = tiles->strip_of;
    for (size_t i = 0; i < GROUP; i += 8) { /* written out: -O2 does not unroll */
        strips[i] = strip_of[words[i] >> SHIFT];
        strips[i + 1] = strip_of[words[i + 1] >> SHIFT];
        strips[i + 2] = strip_of[words[i + 2] >> SHIFT];
        strips[i + 3] = strip_of[words[i + 3] >> SHIFT];
        strips[i + 4] = strip_of[words[i + 4] >> SHIFT];
        strips[i + 5] = strip_of[words[i + 5] >> SHIFT];
        strips[i + 6] = strip_of[words[i + 6] >> SHIFT];
        strips[i + 7] = strip_of[words[i + 7] >> SHIFT];
    }
}

/* Eight numbers. Returns a bit for each that must be deferred. */
AVX512 static inline __attribute__((always_inline)) unsigned
eight(const constants *with, const uint64_t *words, const uint8_t *strips, int64_t *out)
{
    enum { DROPPED = 5, PLACE = SOT_NORMAL_PLACE_BITS - DROPPED };
    const __m512i place_mask = _mm512_set1_epi64((1LL << PLACE) - 1);
    const __m512i sign = _mm512_set1_epi64(1LL << SOT_NORMAL_PLACE_BITS);
    const __m512i word = _mm512_loadu_si512(words);
    const __mmask8 crossed = _mm512_cmpge_epu64_mask(word, with->first_crossed);
    const __mmask8 minus = _mm512_test_epi64_mask(word, sign);
    const __m512i strip = _mm512_slli_epi64(
        _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)strips)),
        PLACE);
    /* strip | (word >> DROPPED & place_mask) */
    const __m512i digits = _mm512_ternarylogic_epi64(
        strip, _mm512_srli_epi64(word, DROPPED), place_mask, 0xf8);
    const __m512d y = _mm512_mul_pd(_mm512_cvtepu64_pd(digits), with->scale);
    const __m512d distance =
        _mm512_abs_pd(_mm512_reduce_pd(y, _MM_FROUND_TO_NEAREST_INT));
    const __mmask8 open = _mm512_cmp_pd_mask(distance, with->settled, _CMP_NLE_UQ);
    const __m512i rounded =
        _mm512_cvt_roundpd_epi64(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm512_storeu_si512(
        out, _mm512_mask_sub_epi64(rounded, minus, _mm512_setzero_si512(), rounded));
    return (unsigned)(open | crossed);
}

AVX512 static size_t kernel(const sot_rounded_gaussian_task *task, const uint64_t *words,
                            size_t count, int64_t *out, uint16_t *out_deferred)
{
    const constants with = {
        .first_crossed = _mm512_set1_epi64(
            (long long)((uint64_t)task->tiles->quick << (64 - SOT_TILES_ENTRY_BITS))),
        .scale = _mm512_set1_pd(task->sigma * 0x1p-50),
        .settled = _mm512_set1_pd(0.5 - task->sigma * 0x1p-49),
    };
    const size_t whole = count - count % GROUP;
    uint8_t strips[SOT_ROUNDED_GAUSSIAN_BLOCK];
    size_t deferred = 0;
    for (size_t i = 0; i < whole; i += GROUP)
        look_up(task->tiles, words + i, strips + i);
    for (size_t i = 0; i < whole; i += GROUP) {
        uint64_t later = 0;
        for (unsigned j = 0; j < GROUP; j += 8)
            later |= (uint64_t)eight(&with, words + i + j, strips + i + j, out + i + j)
                     << j;
        for (; later != 0; later &= later - 1)
            out_deferred[deferred++] = (uint16_t)(i + (unsigned)__builtin_ctzll(later));
    }
    for (size_t i = whole; i < count; i++)
        out_deferred[deferred++] = (uint16_t)i;
    return deferred;
}

sot_rounded_gaussian_kernel sot_rounded_gaussian_avx512(void)
{
    const bool has =
        __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
    return has ? kernel : NULL;
}

#else

sot_rounded_gaussian_kernel sot_rounded_gaussian_avx512(void)
{
    return NULL;
}

#endif
