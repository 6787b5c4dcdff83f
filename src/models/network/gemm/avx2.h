/* models/network/gemm/avx2.h: the common part of the AVX2 kernels; for processors with
 * AVX2 and FMA. */
#ifndef SOT_MODELS_NETWORK_GEMM_AVX2_H
#define SOT_MODELS_NETWORK_GEMM_AVX2_H

#include "models/network/gemm/gemm.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define SOT_HAVE_AVX2 1

#include <immintrin.h>

#define AVX2   __attribute__((target("avx2,fma")))
#define INLINE AVX2 static inline __attribute__((always_inline))

/* The first `count` of eight lanes; all of them, or none, beyond 0 .. 8. */
INLINE __m256i first_lanes(size_t count)
{
    const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count < 8 ? (int)count : 8), places);
}

void sot_avx2_panel(const sot_gemm_rows *rows, const float *panel, size_t columns,
                    const sot_gemm_target *target);
void sot_avx2_pack(const float *from, size_t columns, size_t length, float *panels);
void sot_avx2_dots(const sot_gemm_rows *rows, const float *weights, size_t units,
                   const sot_gemm_target *target);
void sot_avx2_outer(const float *delta, size_t delta_stride, size_t units,
                    const sot_gemm_rows *rows, bool add, float *out, size_t out_stride);
void sot_avx2_sums(const float *delta, size_t units, size_t count, bool add, float *out);

#else
#define SOT_HAVE_AVX2 0
#endif

#endif
