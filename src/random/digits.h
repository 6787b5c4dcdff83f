/* random/digits.h: a uniform real number whose binary digits are sampled when they are needed.
 *
 * A sot_digits is a number in [0, 1) of which the first 64 count binary digits are known:
 *
 *     sum of word[i] 2^(-64 (i + 1)) <= value < the same + 2^(-64 count).
 *
 * Extending it samples the next 64 digits. A decision from such numbers is about the real number:
 * it extends them until every value in the interval gives the same answer.
 *
 * Limit: memory is finite, so a number has at most SOT_DIGITS_MAX words. A decision that is still
 * open then has an interval of width 2^-1024 around one point. The functions document their
 * answer, and the proof notes count that event (less than 2^-900 a sample) as total variation.
 */
#ifndef SOT_RANDOM_DIGITS_H
#define SOT_RANDOM_DIGITS_H

#include "random/rng.h"
#include "random/wide.h"

enum { SOT_DIGITS_MAX = 16 };

typedef struct sot_digits {
    unsigned count; /* words known */
    uint64_t word[SOT_DIGITS_MAX];
} sot_digits;

/* Makes at least `count` words known. */
static inline void sot_digits_extend(sotto_rng *rng, sot_digits *digits, unsigned count)
{
    assert(count <= SOT_DIGITS_MAX);
    while (digits->count < count)
        digits->word[digits->count++] = sot_rng_u64(rng);
}

/* a < b; two numbers that agree in all digits count as "not less". */
bool sot_digits_less(sotto_rng *rng, sot_digits *a, sot_digits *b);

/* The first `count` words (known, count <= fraction) as a fixed-point number. */
sot_wide sot_digits_wide(const sot_digits *digits, unsigned count, unsigned fraction);

/* A positive double as mantissa * 2^exponent, 2^52 <= mantissa < 2^53: exactly. */
typedef struct sot_dyadic {
    uint64_t mantissa;
    int exponent;
} sot_dyadic;

sot_dyadic sot_dyadic_from(double positive);

/* The scale of the magnitudes handed about by the normal samplers: |Z| = 512 digits. */
enum { SOT_NORMAL_INTEGER_BITS = 9 };

/* Returns the integer nearest to sigma * 512 * digits, with digits extended until it is decided.
 * A real number is a half-integer with probability zero; numbers undecided at the last digit go
 * up. 2^-20 <= sigma <= 2^56. Results beyond INT64_MAX become INT64_MAX. */
int64_t sot_digits_round(sotto_rng *rng, sot_digits *digits, sot_dyadic sigma);

/* (whole + x) / 512, whole < 512: the known digits of x nine places to the right, and one word
 * more. All sixteen words known: the last is given up. */
void sot_digits_behind(sotto_rng *rng, uint64_t whole, const sot_digits *x,
                       sot_digits *out_digits);

/* 512 * digits to the nearest double of its first 64 significant digits: the relative error is
 * at most 2^-53 (1 + 2^-9). Zero only if all digits are. */
double sot_digits_magnitude(sotto_rng *rng, sot_digits *digits);

#endif
