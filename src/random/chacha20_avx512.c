#include "random/chacha20.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <assert.h>
#include <immintrin.h>
#include <string.h>

#include "base/memory.h"
#include "random/wide.h"

#define AVX512 __attribute__((target("avx512f")))
#define INLINE AVX512 static inline __attribute__((always_inline))

/* Register i holds word i of sixteen blocks, one block a lane: RFC 8439, 2.1. */
#define QUARTER_ROUND(a, b, c, d)                                                        \
    do {                                                                                 \
        a = _mm512_add_epi32(a, b);                                                      \
        d = _mm512_rol_epi32(_mm512_xor_si512(d, a), 16);                                \
        c = _mm512_add_epi32(c, d);                                                      \
        b = _mm512_rol_epi32(_mm512_xor_si512(b, c), 12);                                \
        a = _mm512_add_epi32(a, b);                                                      \
        d = _mm512_rol_epi32(_mm512_xor_si512(d, a), 8);                                 \
        c = _mm512_add_epi32(c, d);                                                      \
        b = _mm512_rol_epi32(_mm512_xor_si512(b, c), 7);                                 \
    } while (0)

INLINE void double_round(__m512i x[16])
{
    QUARTER_ROUND(x[0], x[4], x[8], x[12]);
    QUARTER_ROUND(x[1], x[5], x[9], x[13]);
    QUARTER_ROUND(x[2], x[6], x[10], x[14]);
    QUARTER_ROUND(x[3], x[7], x[11], x[15]);
    QUARTER_ROUND(x[0], x[5], x[10], x[15]);
    QUARTER_ROUND(x[1], x[6], x[11], x[12]);
    QUARTER_ROUND(x[2], x[7], x[8], x[13]);
    QUARTER_ROUND(x[3], x[4], x[9], x[14]);
}

/* Words a, b, c, d of sixteen blocks, in registers, become quarters of blocks. q[k] holds words
 * a..d of the blocks k, 4 + k, 8 + k and 12 + k. */
INLINE void transpose_words(__m512i a, __m512i b, __m512i c, __m512i d, __m512i q[4])
{
    const __m512i ab_low = _mm512_unpacklo_epi32(a, b);
    const __m512i ab_high = _mm512_unpackhi_epi32(a, b);
    const __m512i cd_low = _mm512_unpacklo_epi32(c, d);
    const __m512i cd_high = _mm512_unpackhi_epi32(c, d);
    q[0] = _mm512_unpacklo_epi64(ab_low, cd_low);
    q[1] = _mm512_unpackhi_epi64(ab_low, cd_low);
    q[2] = _mm512_unpacklo_epi64(ab_high, cd_high);
    q[3] = _mm512_unpackhi_epi64(ab_high, cd_high);
}

/* Four quarters of the blocks k, 4 + k, 8 + k, 12 + k become these blocks. */
INLINE void store_blocks(uint8_t *out, unsigned k, __m512i p, __m512i q, __m512i r,
                         __m512i s)
{
    const __m512i pq_low = _mm512_shuffle_i32x4(p, q, 0x44);
    const __m512i pq_high = _mm512_shuffle_i32x4(p, q, 0xee);
    const __m512i rs_low = _mm512_shuffle_i32x4(r, s, 0x44);
    const __m512i rs_high = _mm512_shuffle_i32x4(r, s, 0xee);
    _mm512_storeu_si512(out + 64 * k, _mm512_shuffle_i32x4(pq_low, rs_low, 0x88));
    _mm512_storeu_si512(out + 64 * (4 + k), _mm512_shuffle_i32x4(pq_low, rs_low, 0xdd));
    _mm512_storeu_si512(out + 64 * (8 + k), _mm512_shuffle_i32x4(pq_high, rs_high, 0x88));
    _mm512_storeu_si512(out + 64 * (12 + k),
                        _mm512_shuffle_i32x4(pq_high, rs_high, 0xdd));
}

INLINE __m512i everywhere(uint64_t word)
{
    return _mm512_set1_epi32((int)(uint32_t)word);
}

/* Blocks `counter` .. `counter` + 15, in arithmetic modulo 2^64: the low words carry into the high ones. */
AVX512 static void sixteen_blocks(uint8_t *out, uint64_t counter, uint64_t nonce,
                                  const uint32_t key[8])
{
    const __m512i lanes =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i low = _mm512_add_epi32(everywhere(counter), lanes);
    const __mmask16 carry = _mm512_cmplt_epu32_mask(low, lanes);
    const __m512i high = everywhere(counter >> 32);
    const __m512i counters[2] = {
        low, _mm512_mask_add_epi32(high, carry, high, _mm512_set1_epi32(1))};
    __m512i x[16];
    x[0] = _mm512_set1_epi32(0x61707865); /* "expand 32-byte k" */
    x[1] = _mm512_set1_epi32(0x3320646e);
    x[2] = _mm512_set1_epi32(0x79622d32);
    x[3] = _mm512_set1_epi32(0x6b206574);
    for (int i = 0; i < 8; i++)
        x[4 + i] = _mm512_set1_epi32((int)key[i]);
    x[12] = counters[0];
    x[13] = counters[1];
    x[14] = everywhere(nonce);
    x[15] = everywhere(nonce >> 32);
    for (int i = 0; i < 10; i++)
        double_round(x);

    x[0] = _mm512_add_epi32(x[0], _mm512_set1_epi32(0x61707865));
    x[1] = _mm512_add_epi32(x[1], _mm512_set1_epi32(0x3320646e));
    x[2] = _mm512_add_epi32(x[2], _mm512_set1_epi32(0x79622d32));
    x[3] = _mm512_add_epi32(x[3], _mm512_set1_epi32(0x6b206574));
    for (int i = 0; i < 8; i++)
        x[4 + i] = _mm512_add_epi32(x[4 + i], _mm512_set1_epi32((int)key[i]));
    x[12] = _mm512_add_epi32(x[12], counters[0]);
    x[13] = _mm512_add_epi32(x[13], counters[1]);
    x[14] = _mm512_add_epi32(x[14], everywhere(nonce));
    x[15] = _mm512_add_epi32(x[15], everywhere(nonce >> 32));

    __m512i p[4], q[4], r[4], s[4];
    transpose_words(x[0], x[1], x[2], x[3], p);
    transpose_words(x[4], x[5], x[6], x[7], q);
    transpose_words(x[8], x[9], x[10], x[11], r);
    transpose_words(x[12], x[13], x[14], x[15], s);
    for (unsigned k = 0; k < 4; k++)
        store_blocks(out, k, p[k], q[k], r[k], s[k]);
}

static void load_key(const uint8_t key[SOT_CHACHA20_KEY_BYTES], uint32_t out_words[8])
{
    for (int i = 0; i < 4; i++) {
        const uint64_t two = sot_load_le64(key + 8 * i);
        out_words[2 * i] = (uint32_t)two;
        out_words[2 * i + 1] = (uint32_t)(two >> 32);
    }
}

AVX512 static void stream(uint8_t *out, size_t count_bytes,
                          const uint8_t key[SOT_CHACHA20_KEY_BYTES])
{
    assert(count_bytes % SOT_CHACHA20_STEP_BYTES == 0);
    uint32_t words[8];
    load_key(key, words);
    for (size_t done = 0; done < count_bytes; done += SOT_CHACHA20_STEP_BYTES)
        sixteen_blocks(out + done, done / SOT_CHACHA20_BLOCK_BYTES, 0, words);
}

AVX512 static void blocks(uint8_t *out, size_t count, uint64_t first, uint64_t nonce,
                          const uint8_t key[SOT_CHACHA20_KEY_BYTES])
{
    enum { TOGETHER = SOT_CHACHA20_STEP_BYTES / SOT_CHACHA20_BLOCK_BYTES };
    uint32_t words[8];
    uint8_t last[SOT_CHACHA20_STEP_BYTES];
    size_t done = 0;
    load_key(key, words);
    for (; done + TOGETHER <= count; done += TOGETHER)
        sixteen_blocks(out + done * SOT_CHACHA20_BLOCK_BYTES, first + done, nonce, words);
    if (done < count) {
        sixteen_blocks(last, first + done, nonce, words);
        memcpy(out + done * SOT_CHACHA20_BLOCK_BYTES, last,
               (count - done) * SOT_CHACHA20_BLOCK_BYTES);
        sot_wipe(last, sizeof last);
    }
}

sot_chacha20_stream sot_chacha20_avx512(void)
{
    return __builtin_cpu_supports("avx512f") ? stream : NULL;
}

sot_chacha20_blocks_at sot_chacha20_blocks_avx512(void)
{
    return __builtin_cpu_supports("avx512f") ? blocks : NULL;
}

#else

sot_chacha20_stream sot_chacha20_avx512(void)
{
    return NULL;
}

sot_chacha20_blocks_at sot_chacha20_blocks_avx512(void)
{
    return NULL;
}

#endif
