/* The kernel of the scattering transform for x86 processors with AVX2 and FMA. */
#include "models/network/scattering/parts.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2   __attribute__((target("avx2,fma")))
#define INLINE AVX2 static inline __attribute__((always_inline))
#define KERNEL AVX2 static
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

typedef __m256 lanes;

INLINE lanes lanes_load(const float *from)
{
    return _mm256_loadu_ps(from);
}

INLINE void lanes_store(float *to, lanes a)
{
    _mm256_storeu_ps(to, a);
}

INLINE lanes lanes_of(float x)
{
    return _mm256_set1_ps(x);
}

INLINE lanes lanes_add(lanes a, lanes b)
{
    return _mm256_add_ps(a, b);
}

INLINE lanes lanes_sub(lanes a, lanes b)
{
    return _mm256_sub_ps(a, b);
}

INLINE lanes lanes_mul(lanes a, lanes b)
{
    return _mm256_mul_ps(a, b);
}

INLINE lanes lanes_fma(lanes a, lanes b, lanes c)
{
    return _mm256_fmadd_ps(a, b, c);
}

INLINE lanes lanes_fnma(lanes a, lanes b, lanes c)
{
    return _mm256_fnmadd_ps(a, b, c);
}

INLINE lanes lanes_root(lanes a)
{
    return _mm256_sqrt_ps(a);
}

#include "models/network/scattering/kernel.h"

sot_scattering_kernel sot_scattering_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? apply : NULL;
}

#else

sot_scattering_kernel sot_scattering_avx2(void)
{
    return NULL;
}

#endif
