/* bench/limits.h: what the processor and the memory can do, as loops to be timed by those who compare themselves with
 * it.
 *
 * limits_multiply()   Multiply-adds on registers alone.
 * limits_read()       Rows of 784 floats at random places of a large array, asked for early, and
 *                     nothing done with them.
 */
#ifndef SOTTO_BENCH_LIMITS_H
#define SOTTO_BENCH_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* splitmix64 (Steele, Lea & Flood 2014): a fixed stream of test values. */
static inline uint64_t next_bits(uint64_t *stream)
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* ---- multiply-adds ---- */

enum { LIMITS_STEPS = 100000, LIMITS_PRODUCTS = 12 * 8 * LIMITS_STEPS }; /* of one call */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
static inline bool limits_can_multiply(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

__attribute__((target("avx2,fma"))) static inline void limits_multiply(void *state)
{
    const float *from = state; /* 12 numbers */
    __m256 a0 = _mm256_set1_ps(from[0]), a1 = _mm256_set1_ps(from[1]);
    __m256 a2 = _mm256_set1_ps(from[2]), a3 = _mm256_set1_ps(from[3]);
    __m256 a4 = _mm256_set1_ps(from[4]), a5 = _mm256_set1_ps(from[5]);
    __m256 a6 = _mm256_set1_ps(from[6]), a7 = _mm256_set1_ps(from[7]);
    __m256 a8 = _mm256_set1_ps(from[8]), a9 = _mm256_set1_ps(from[9]);
    __m256 a10 = _mm256_set1_ps(from[10]), a11 = _mm256_set1_ps(from[11]);
    __m256 x = _mm256_set1_ps(0.999F), y = _mm256_set1_ps(0.001F);
    for (size_t i = 0; i < LIMITS_STEPS; i++) {
        a0 = _mm256_fmadd_ps(a0, x, y), a1 = _mm256_fmadd_ps(a1, x, y);
        a2 = _mm256_fmadd_ps(a2, x, y), a3 = _mm256_fmadd_ps(a3, x, y);
        a4 = _mm256_fmadd_ps(a4, x, y), a5 = _mm256_fmadd_ps(a5, x, y);
        a6 = _mm256_fmadd_ps(a6, x, y), a7 = _mm256_fmadd_ps(a7, x, y);
        a8 = _mm256_fmadd_ps(a8, x, y), a9 = _mm256_fmadd_ps(a9, x, y);
        a10 = _mm256_fmadd_ps(a10, x, y), a11 = _mm256_fmadd_ps(a11, x, y);
        __asm__ volatile("" : "+x"(x), "+x"(y)); /* a step is a step */
    }
    a0 = _mm256_add_ps(_mm256_add_ps(a0, a1), _mm256_add_ps(a2, a3));
    a4 = _mm256_add_ps(_mm256_add_ps(a4, a5), _mm256_add_ps(a6, a7));
    a8 = _mm256_add_ps(_mm256_add_ps(a8, a9), _mm256_add_ps(a10, a11));
    *(float *)state = _mm256_cvtss_f32(_mm256_add_ps(a0, _mm256_add_ps(a4, a8)));
}
#else
static inline bool limits_can_multiply(void)
{
    return false;
}

static inline void limits_multiply(void *state)
{
    (void)state;
}
#endif

/* ---- memory ---- */

enum { LIMITS_ROW = 784, LIMITS_ROWS = 4096 };

typedef struct limits_rows {
    const float *at[LIMITS_ROWS];
    uint64_t sum;
} limits_rows;

static inline double limits_bytes(void) /* of one call */
{
    return 4.0 * LIMITS_ROW * LIMITS_ROWS;
}

static inline void limits_choose(const float *values, size_t count, uint64_t seed,
                                 limits_rows *out_rows)
{
    out_rows->sum = 0;
    for (size_t i = 0; i < LIMITS_ROWS; i++)
        out_rows->at[i] = values + next_bits(&seed) % (count / LIMITS_ROW) * LIMITS_ROW;
}

static inline void limits_read(void *state)
{
    limits_rows *rows = state;
    for (size_t i = 0; i < LIMITS_ROWS; i++) {
        const float *next = rows->at[(i + 4) % LIMITS_ROWS];
        for (size_t j = 0; j < LIMITS_ROW; j += 16) {
            __builtin_prefetch(next + j, 0, 2);
            uint64_t line[8];
            memcpy(line, rows->at[i] + j, sizeof line);
            for (size_t k = 0; k < 8; k++)
                rows->sum += line[k];
        }
    }
}

#endif
