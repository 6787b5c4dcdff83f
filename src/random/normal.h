/* random/normal.h: exact standard normal numbers, digit by digit.
 *
 * Idea: a sot_normal is a real number with the standard normal distribution. Finitely many binary
 * digits are known, and the others can be sampled. Rounding it, at any scale and to any grid, is
 * rounding the real number.
 *
 * Exactness: total variation at most 2^-900 a sample, all of it from the last digit of digits.h
 * and from the rejection of |Z| >= 44. Proof note: normal.md.
 *
 * Timing: both samplers reject: their time depends on the used bits. Not constant-time.
 */
#ifndef SOT_RANDOM_NORMAL_H
#define SOT_RANDOM_NORMAL_H

#include "random/digits.h"
#include "random/tiles.h"

typedef struct sot_normal {
    bool negative;
    sot_digits magnitude; /* |Z| = 512 * magnitude: word[0] is floor(2^55 |Z|) */
} sot_normal;

/* The reference: Karney, "Sampling exactly from the normal distribution", ACM TOMS 2016,
 * Algorithm N. Comparisons of uniform digits only; no table, no exp(). */
void sot_normal_karney(sotto_rng *rng, sot_normal *out_normal);

/* The fast one, by tiles of width 1/64. */
void sot_normal_draw(sotto_rng *rng, sot_normal *out_normal);

/* The same from a given first word. Its high 14 bits choose the tile, the next one the sign, the
 * other 49 the place in the strip. `tiles` is sot_normal_tiles(). */
void sot_normal_from_word(sotto_rng *rng, const sot_tiles *tiles, uint64_t word,
                          sot_normal *out_normal);

/* The integer nearest to sigma Z; 2^-20 <= sigma <= 2^56. */
static inline int64_t sot_normal_round(sotto_rng *rng, sot_normal *normal,
                                       sot_dyadic sigma)
{
    const int64_t rounded = sot_digits_round(rng, &normal->magnitude, sigma);
    const int64_t minus = -(int64_t)normal->negative;
    return (rounded ^ minus) -
           minus; /* without a branch: no processor foresees the sign */
}

enum { SOT_NORMAL_STRIP_BITS = 6, SOT_NORMAL_PLACE_BITS = 49 };

/* The table behind it: 256 strips of width 2^-6. Built on first use, then never written. */
const sot_tiles *sot_normal_tiles(void);

/* A chord of the curve h(x) = C exp(-x^2 / 2) over each strip, which decides 99 of 100 crossed
 * tiles without exp(). h misses its chord over a width w by at most w^2 / 8 times its largest
 * second derivative. That is C |x^2 - 1| exp(-x^2 / 2) <= C, and w = 2^-6: C 2^-15. A 256th of
 * this is added for the rest. Unknown digits of the place and of V move the difference by less
 * than C 2^-49 + 2^-63, and six roundings of numbers below 2^15 by less than 2^-36 (C >= 128). */
typedef struct sot_normal_chord {
    double base; /* floor of the tile - entry - h at the near edge */
    double fall; /* of h over the strip */
} sot_normal_chord;

const sot_normal_chord *sot_normal_chords(void); /* one a strip */

/* floor + V minus the chord at `place`, V from its first word. The true floor + V - h(x) is within
 * the error below. */
static inline double sot_normal_above(const sot_normal_chord *chord, uint32_t entry,
                                      uint64_t place, uint64_t word)
{
    const double part = (double)(int64_t)place * 0x1p-49;
    const double v = (double)(int64_t)(word >> 1) * 0x1p-63;
    return (double)entry + chord->base + chord->fall * part + v;
}

/* Compares a point of a crossed tile with the curve, exactly; `v_word` is the first word of V. */
bool sot_normal_decide(sotto_rng *rng, const sot_tiles *tiles, uint32_t entry,
                       uint64_t v_word, sot_digits *magnitude);

static inline double sot_normal_chord_error(const sot_tiles *tiles)
{
    return (double)tiles->height * 0x1.01p-15;
}

/* Bounds of |Z|^2 / 2 for tiles.h; `magnitude` is a sot_digits, whose digits it draws. */
void sot_normal_exponent(sotto_rng *rng, void *magnitude, unsigned fraction,
                         sot_wide *out_lower, sot_wide *out_upper);

/* Standard normal numbers as doubles: each is a real normal number, rounded with relative error at
 * most 2^-53 (1 + 2^-9). */
SOTTO_MUST_CHECK sotto_status sot_normal_fill(sotto_rng *rng, double *out, size_t count,
                                              sotto_error *error);

#endif
