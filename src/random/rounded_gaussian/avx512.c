#include "random/rounded_gaussian/kernel.h"

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
    for (size_t i = 0; i < GROUP / 4;
         i++) { /* not neighbours: each is stored by itself */
        strips[i] = strip_of[words[i] >> SHIFT];
        strips[i + GROUP / 4] = strip_of[words[i + GROUP / 4] >> SHIFT];
        strips[i + GROUP / 2] = strip_of[words[i + GROUP / 2] >> SHIFT];
        strips[i + 3 * GROUP / 4] = strip_of[words[i + 3 * GROUP / 4] >> SHIFT];
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

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

sot_rounded_gaussian_kernel sot_rounded_gaussian_avx512(void)
{
    return has_avx512() ? kernel : NULL;
}

/* ---- lean ---- */

/* Rounds eight numbers of magnitude (d + 1/2) 2^-30 sigma; a bit for each that stays open. */
AVX512 static inline __attribute__((always_inline)) unsigned
round_lean(__m256i d, __mmask8 minus, const constants *with, int64_t *out)
{
    const __m512d middle = _mm512_add_pd(_mm512_cvtepu32_pd(d), _mm512_set1_pd(0.5));
    const __m512d y = _mm512_mul_pd(middle, with->scale);
    const __m512d distance =
        _mm512_abs_pd(_mm512_reduce_pd(y, _MM_FROUND_TO_NEAREST_INT));
    const __m512i rounded =
        _mm512_cvt_roundpd_epi64(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm512_storeu_si512(
        out, _mm512_mask_sub_epi64(rounded, minus, _mm512_setzero_si512(), rounded));
    return (unsigned)_mm512_cmp_pd_mask(distance, with->settled, _CMP_NLE_UQ);
}

AVX512 static void lean_kernel(const sot_rounded_gaussian_task *task,
                               const sot_lean_block *block, int64_t *out,
                               sot_lean_masks *out_masks)
{
    const uint32_t *heads = block->heads;
    const uint8_t *tails = block->tails;
    const constants with = {
        .first_crossed =
            _mm512_set1_epi32((int)(task->tiles->quick << (32 - SOT_TILES_ENTRY_BITS))),
        .scale = _mm512_set1_pd(task->sigma * SOT_LEAN_SCALE),
        .settled = _mm512_set1_pd(0.5 - task->sigma * SOT_LEAN_GUARD),
    };
    const __m512i sign = _mm512_set1_epi32(1 << 17);
    const __m512i place_mask = _mm512_set1_epi32(0x1ffff << 7);
    uint8_t strips[SOT_ROUNDED_GAUSSIAN_BLOCK];
    sot_lean_look_up(task->tiles, heads, strips);
    for (size_t m = 0; m < SOT_LEAN_MASKS; m++) {
        uint64_t crossed = 0, open = 0;
        for (unsigned j = 0; j < GROUP; j += 16) {
            const size_t i = GROUP * m + j;
            const __m512i head = _mm512_loadu_si512(heads + i);
            const __m512i strip = _mm512_cvtepu8_epi32(
                _mm_loadu_si128((const __m128i *)(const void *)(strips + i)));
            const __m512i tail = _mm512_cvtepu8_epi32(
                _mm_loadu_si128((const __m128i *)(const void *)(tails + i)));
            /* strip << 24 | place << 7 | tail >> 1 */
            const __m512i ends =
                _mm512_or_si512(_mm512_slli_epi32(strip, 24), _mm512_srli_epi32(tail, 1));
            const __m512i d = _mm512_ternarylogic_epi32(ends, _mm512_slli_epi32(head, 7),
                                                        place_mask, 0xf8);
            const unsigned minus = _mm512_test_epi32_mask(head, sign);
            crossed |= (uint64_t)_mm512_cmpge_epu32_mask(head, with.first_crossed) << j;
            const unsigned low = round_lean(_mm512_castsi512_si256(d),
                                            (__mmask8)(minus & 0xff), &with, out + i);
            const unsigned high = round_lean(_mm512_extracti64x4_epi64(d, 1),
                                             (__mmask8)(minus >> 8), &with, out + i + 8);
            open |= (uint64_t)(low | high << 8) << j;
        }
        out_masks->crossed[m] = crossed;
        out_masks->open[m] = open;
    }
}

sot_lean_kernel sot_lean_avx512(void)
{
    return has_avx512() ? lean_kernel : NULL;
}

#else

sot_rounded_gaussian_kernel sot_rounded_gaussian_avx512(void)
{
    return NULL;
}

sot_lean_kernel sot_lean_avx512(void)
{
    return NULL;
}

#endif
