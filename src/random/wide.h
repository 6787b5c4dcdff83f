/* random/wide.h: integers of 128 bits, and unsigned fixed-point numbers of many words.
 *
 * A sot_wide holds one integer word and `fraction` words after the binary point:
 *     value = sum over i of word[i] 2^(64 (i - fraction)),  i = 0 .. fraction.
 * All operations truncate toward zero; one unit in the last place is 2^(-64 fraction).
 * They serve decisions that double precision leaves open, once in some 2^30 samples. So
 * plain schoolbook methods are enough. Operands of one call have equal `fraction`.
 */
#ifndef SOT_RANDOM_WIDE_H
#define SOT_RANDOM_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 sot_u128;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SOT_LE64(word) __builtin_bswap64(word)
#else
#define SOT_LE64(word) (word)
#endif

/* The word that these bytes are, the least significant first: the same on every machine. */
static inline uint64_t sot_load_le64(const uint8_t bytes[8])
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return SOT_LE64(word);
}

static inline void sot_store_le64(uint8_t bytes[8], uint64_t word)
{
    const uint64_t little = SOT_LE64(word);
    memcpy(bytes, &little, sizeof little);
}

/* `word` is not zero. */
static inline unsigned sot_leading_zeros(uint64_t word)
{
    return (unsigned)__builtin_clzll(word);
}

/* 2^-k as a double, exactly; k <= 1022. */
static inline double sot_power_of_half(unsigned k)
{
    const uint64_t bits = (uint64_t)(1023 - k) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

enum {
    SOT_WIDE_FRACTION_MAX = 17, /* sixteen words of random digits and one guard word */
    SOT_WIDE_EXP_ERROR_BITS = 30
};

typedef struct sot_wide {
    unsigned fraction;
    uint64_t word[SOT_WIDE_FRACTION_MAX + 1];
} sot_wide;

/* The integer n with `fraction` words after the point. */
sot_wide sot_wide_from_integer(uint64_t n, unsigned fraction);

/* floor(high 2^64 + low) / divisor to `fraction` words; the quotient must be below 2^64. */
sot_wide sot_wide_ratio(uint64_t high, sot_u128 low, uint64_t divisor, unsigned fraction);

/* -1, 0 or 1 as a is less than, equal to or greater than b. */
int sot_wide_compare(const sot_wide *a, const sot_wide *b);

/* The sum must be below 2^64. */
sot_wide sot_wide_add(const sot_wide *a, const sot_wide *b);
/* a - b, or 0 where b is larger. */
sot_wide sot_wide_subtract(const sot_wide *a, const sot_wide *b);
/* The product must be below 2^64; at most one unit below the exact product. */
sot_wide sot_wide_multiply(const sot_wide *a, const sot_wide *b);
sot_wide sot_wide_multiply_small(const sot_wide *a, uint64_t factor);
/* a / divisor and a / 2^bits, each at most one unit below. */
sot_wide sot_wide_divide_small(const sot_wide *a, uint64_t divisor);
sot_wide sot_wide_shift_right(const sot_wide *a, unsigned bits);

/* a + units in the last place, and a - units (0 where that is negative). */
sot_wide sot_wide_plus_units(const sot_wide *a, uint64_t units);
sot_wide sot_wide_minus_units(const sot_wide *a, uint64_t units);

/* Returns a number within 2^SOT_WIDE_EXP_ERROR_BITS units in the last place of exp(-t), t >= 0.
 *
 * With r = t / 2^18 the alternating series of exp(-r) is summed and squared 18 times. t >= 1024
 * gives 0: exp(-1024) < 2^-1477 is less than the stated error at every allowed precision. Error
 * in units: r < 2^-8 is truncated by at most 1. Each term is the truncated product of the one
 * before with r, then a truncated quotient: its error is at most e/256 + 2, so below 2.01. At
 * most 136 terms come before one truncates to zero (17 words have 1088 bits, term k is below
 * 2^-8k). The rest is below 3: in all less than 2^9. A square turns an error e into at most 2.001
 * e + 1. After 18 of them: less than 2^28. */
sot_wide sot_wide_exp_negative(const sot_wide *t);

#endif
