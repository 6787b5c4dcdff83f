#include "privacy/mechanisms/additive/additive.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

enum { BLOCK = 64 };

AVX2 static inline __m256i four(const int64_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

/* Numbers x with x + 2^60 in [0, 2^61) need no clipping, and a block of them only one comparison.
 * False, and nothing written, if another is among them. */
AVX2 static bool add_block(const int64_t *exact, const int64_t *noise, int64_t *out)
{
    const __m256i half_range = _mm256_set1_epi64x(1LL << 60);
    __m256i beyond = _mm256_setzero_si256(), also = beyond;
    for (size_t i = 0; i < BLOCK; i += 8) {
        beyond = _mm256_or_si256(beyond, _mm256_add_epi64(four(exact + i), half_range));
        also = _mm256_or_si256(also, _mm256_add_epi64(four(noise + i), half_range));
        beyond =
            _mm256_or_si256(beyond, _mm256_add_epi64(four(exact + i + 4), half_range));
        also = _mm256_or_si256(also, _mm256_add_epi64(four(noise + i + 4), half_range));
    }
    const __m256i outside =
        _mm256_set1_epi64x(-(1LL << 61)); /* the bits of 2^61 and more */
    if (!_mm256_testz_si256(_mm256_or_si256(beyond, also), outside)) return false;
    for (size_t i = 0; i < BLOCK; i += 8) {
        const __m256i low = _mm256_add_epi64(four(exact + i), four(noise + i));
        const __m256i high = _mm256_add_epi64(four(exact + i + 4), four(noise + i + 4));
        _mm256_storeu_si256((__m256i *)(void *)(out + i), low);
        _mm256_storeu_si256((__m256i *)(void *)(out + i + 4), high);
    }
    return true;
}

AVX2 static void add_noise(const int64_t *exact_sums, const int64_t *noise, size_t count,
                           int64_t *out_noisy_sums)
{
    size_t done = 0;
    for (; count - done >= BLOCK; done += BLOCK) {
        if (!add_block(exact_sums + done, noise + done, out_noisy_sums + done))
            sot_add_noise_plain(exact_sums + done, noise + done, BLOCK,
                                out_noisy_sums + done);
    }
    sot_add_noise_plain(exact_sums + done, noise + done, count - done,
                        out_noisy_sums + done);
}

sot_add_noise_function sot_add_noise_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? add_noise : NULL;
}

#else

sot_add_noise_function sot_add_noise_avx2(void)
{
    return NULL;
}

#endif
