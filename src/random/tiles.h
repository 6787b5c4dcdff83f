/* random/tiles.h: exact rejection from a bell curve divided into tiles.
 *
 * Idea: plot the curve h(x) = C exp(-x^2 / (2 sigma^2)), x >= 0, on squared paper: strips of
 * equal width side by side, and in each strip tiles of height 1. A point that is uniform on the
 * tiles and lies under h has an abscissa with density proportional to h, for any C. Most tiles
 * lie completely under h and need no comparison. Only tiles that h crosses need a comparison of
 * exp() with a uniform number, and that is made exactly (sot_tile_under_curve).
 *
 * Table: 2^14 entries, each chosen with probability 2^-14:
 *
 * - [0, quick): tiles under the curve.
 * - [quick, tail): tiles crossed by it, strip by strip, from below.
 * - [tail, used): SOT_TILES_TAIL tiles' worth of proposals beyond the strips.
 * - [used, 2^14): rejected.
 *
 * strip_of[] names the strip of the first two kinds.
 *
 * Theorem: the distribution is exactly proportional to h if two conditions hold. (1) The quick
 * tiles of strip j, quick_count[j] of them, have quick_count[j] <= min h on it. (2) Quick and
 * crossed tiles together reach max h. Nothing else about the table matters: a table from loose
 * bounds is slower, not wrong. Both follow here from bounds on exp() with a proved error.
 * Proof note: tiles.md.
 */
#ifndef SOT_RANDOM_TILES_H
#define SOT_RANDOM_TILES_H

#include "random/digits.h"

enum {
    SOT_TILES_ENTRY_BITS = 14,
    SOT_TILES_ENTRIES = 1 << SOT_TILES_ENTRY_BITS,
    SOT_TILES_STRIPS_MAX = 256,
    SOT_TILES_TAIL = 4,         /* entries of the tail */
    SOT_TILES_TAIL_CELLS = 160, /* cells that can be proposed there */
    SOT_TILES_CELL_SHARE = 16   /* a cell is 1/16 as wide as all strips together */
};

typedef struct sot_tiles {
    uint32_t quick, tail, used;
    uint32_t strips; /* a multiple of SOT_TILES_CELL_SHARE */
    uint32_t height; /* C, an even integer */
    uint32_t quick_count[SOT_TILES_STRIPS_MAX];
    uint32_t
        crossed_begin[SOT_TILES_STRIPS_MAX]; /* the entry of the lowest crossed tile */
    uint8_t strip_of[SOT_TILES_ENTRIES + 7]; /* seven spare bytes for gathers */
} sot_tiles;

/* The points at which the curve is evaluated. Strip j lies between near_edge[j] (its highest
 * point) and far_edge[j] (its lowest), both given as t = x^2 / (2 sigma^2) with a relative
 * error of at most 2^-49. `end` is t at the end of the last strip, at least 7.5 (near four
 * sigma). If `halve_first`, the curve counts half on strip 0, whose only point is x = 0: both
 * signs name it. */
typedef struct sot_tiles_shape {
    uint32_t strips;
    bool halve_first;
    double near_edge[SOT_TILES_STRIPS_MAX];
    double far_edge[SOT_TILES_STRIPS_MAX];
    double end;
} sot_tiles_shape;

void sot_tiles_build(const sot_tiles_shape *shape, sot_tiles *out_tiles);

/* The height of the lower edge of the tile of an entry in [quick, tail). */
static inline uint32_t sot_tiles_floor(const sot_tiles *tiles, uint32_t entry)
{
    const uint32_t strip = tiles->strip_of[entry];
    return tiles->quick_count[strip] + (entry - tiles->crossed_begin[strip]);
}

/* The cell of the tail: k with probability 2^-(k+1), or SOT_TILES_TAIL_CELLS for the rest. */
uint32_t sot_tiles_tail_cell(sotto_rng *rng);

/* A comparison with the curve: is (floor + V) * left / 2^shift < right * exp(-t), for a fresh
 * uniform V in [0, 1)? */
typedef struct sot_tile_test {
    uint32_t floor, left, right, shift;
} sot_tile_test;

/* The test for a crossed tile, and for cell k of the tail. */
sot_tile_test sot_tile_test_crossed(const sot_tiles *tiles, uint32_t floor);
sot_tile_test sot_tile_test_tail(const sot_tiles *tiles, uint32_t cell);

/* Bounds the exponent t with `fraction` words, of which the last is a guard. They may use
 * fraction - 1 words of any lazily sampled number. */
typedef void (*sot_exponent)(sotto_rng *rng, void *point, unsigned fraction,
                             sot_wide *out_lower, sot_wide *out_upper);

/* Decides the test, first in double precision from `t` (relative error at most 2^-49, or absolute
 * at most 2^-49). That leaves it open in one case in some 2^30. Then it is decided in fixed point
 * with 2, 4, 8 and 16 words of V and of the point. Undecided after those (probability below
 * 2^-900): false. */
bool sot_tile_under_curve(sotto_rng *rng, const sot_tile_test *test, double t,
                          sot_exponent exponent, void *point);

/* The same for a V of which the first word is known. */
bool sot_tile_decide(sotto_rng *rng, const sot_tile_test *test, sot_digits *v, double t,
                     sot_exponent exponent, void *point);

/* Bounds of right * exp(-t) for t in [t_lower, t_upper]. */
void sot_tile_curve(const sot_tile_test *test, const sot_wide *t_lower,
                    const sot_wide *t_upper, sot_wide *out_lower, sot_wide *out_upper);

/* The part of sot_tile_decide() that is not double precision, for given digits of V. */
bool sot_tile_decide_wide(sotto_rng *rng, const sot_tile_test *test, sot_digits *v,
                          sot_exponent exponent, void *point);

/* Returns exp(-t) for 0 <= t <= 700 with relative error at most 2^-49, the same on every machine
 * with IEEE 754 arithmetic (no library function is called).
 *
 * t = k ln 2 + r with |r| < 0.3467, k <= 1010; ln 2 in two parts, the first of 33 bits, so that k
 * times it is exact. Error of r: at most 2^-53. Series of exp(-r) up to r^13: the rest is below
 * 2^-57. Rounding in Horner's rule: below 3 * 2^-53. In all (1.42 + 0.07 + 3) * 2^-53 over the least
 * value 0.707: below 2^-50. */
double sot_exp_negative(double t);

#endif
