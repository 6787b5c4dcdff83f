#include "random/tiles.h"

#include <float.h>
#include <math.h>

/* The error bounds below count one rounding an operation. */
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 1,
               "doubles are evaluated as doubles");

double sot_exp_negative(double t)
{
    /* 1/i!, each the nearest double. */
    static const double coefficient[] = {
        1.0,
        1.0,
        1.0 / 2,
        1.0 / 6,
        1.0 / 24,
        1.0 / 120,
        1.0 / 720,
        1.0 / 5040,
        1.0 / 40320,
        1.0 / 362880,
        1.0 / 3628800,
        1.0 / 39916800,
        1.0 / 479001600,
        1.0 / 6227020800.0,
    };
    const double log2_e = 0x1.71547652b82fep0;
    const double ln2_high = 0x1.62e42feep-1; /* 33 bits */
    const double ln2_low = 0x1.a39ef35793c76p-33;
    assert(t >= 0.0 && t <= 700.0);

    const int k = (int)(t * log2_e + 0.5);
    const double minus_r = (k * ln2_high - t) + k * ln2_low;
    double sum = coefficient[13];
    for (int i = 12; i >= 0; i--)
        sum = sum * minus_r + coefficient[i];
    return sum * sot_power_of_half((unsigned)k); /* exact: at least 2^-1012 */
}

/* |exp(-t) - sot_exp_negative(t~)| <= relative_error(t) * either, if t~ is t with relative or
 * absolute error 2^-49. It adds exp's own 2^-49, (1 + t) 2^-49 from t, and rounding of the
 * products. */
static double relative_error(double t)
{
    return (1.0 + t) * 0x1p-47;
}

/* Bounds of height * exp(-t). */
static double curve_lower(double height, double t)
{
    if (t > 700.0) return 0.0;
    return height * sot_exp_negative(t) * (1.0 - relative_error(t));
}

static double curve_upper(double height, double t)
{
    if (t > 700.0) return height * 0x1p-1000;
    return height * sot_exp_negative(t) * (1.0 + relative_error(t));
}

/* The curve of height 1 over each strip: no less than its lowest, no more than its highest. */
typedef struct unit_curve {
    uint32_t strips;
    double lower[SOT_TILES_STRIPS_MAX];
    double upper[SOT_TILES_STRIPS_MAX];
} unit_curve;

static void bound_curve(const sot_tiles_shape *shape, unit_curve *curve)
{
    curve->strips = shape->strips;
    for (uint32_t j = 0; j < shape->strips; j++) {
        curve->lower[j] = curve_lower(1.0, shape->far_edge[j]);
        curve->upper[j] = curve_upper(1.0, shape->near_edge[j]);
    }
    if (shape->halve_first) curve->lower[0] = curve->upper[0] = 0.5;
}

/* Tiles of strip j under the curve of that height, and tiles that reach its highest point. The
 * product is rounded once, which relative_error() has room for; half of an even height is exact. */
static uint32_t tiles_under(const unit_curve *curve, uint32_t j, uint32_t height)
{
    return (uint32_t)floor(curve->lower[j] * (double)height);
}

static uint32_t tiles_reaching(const unit_curve *curve, uint32_t j, uint32_t height)
{
    return (uint32_t)ceil(curve->upper[j] * (double)height);
}

/* Returns the largest even C for which the tiles of all strips fit beside the tail. Their number
 * grows with C, and C = 2 needs at most three of them per strip. */
static uint32_t choose_height(const unit_curve *curve)
{
    uint32_t fits = 1; /* halves of heights */
    uint32_t too_high = SOT_TILES_ENTRIES;
    while (too_high - fits > 1) {
        const uint32_t middle = (fits + too_high) / 2;
        uint32_t tiles = 0;
        for (uint32_t j = 0; j < curve->strips; j++)
            tiles += tiles_reaching(curve, j, 2 * middle);
        if (tiles <= SOT_TILES_ENTRIES - SOT_TILES_TAIL) {
            fits = middle;
        } else {
            too_high = middle;
        }
    }
    return 2 * fits;
}

void sot_tiles_build(const sot_tiles_shape *shape, sot_tiles *out_tiles)
{
    assert(shape->strips <= SOT_TILES_STRIPS_MAX);
    assert(shape->strips % SOT_TILES_CELL_SHARE == 0 && shape->end >= 7.5);
    unit_curve curve;
    bound_curve(shape, &curve);
    sot_tiles *tiles = out_tiles;
    memset(tiles, 0, sizeof *tiles);
    tiles->strips = shape->strips;
    tiles->height = choose_height(&curve);

    uint32_t entry = 0;
    for (uint32_t j = 0; j < shape->strips; j++) {
        tiles->quick_count[j] = tiles_under(&curve, j, tiles->height);
        memset(tiles->strip_of + entry, (int)j, tiles->quick_count[j]);
        entry += tiles->quick_count[j];
    }
    tiles->quick = entry;
    for (uint32_t j = 0; j < shape->strips; j++) {
        const uint32_t crossed =
            tiles_reaching(&curve, j, tiles->height) - tiles->quick_count[j];
        tiles->crossed_begin[j] = entry;
        memset(tiles->strip_of + entry, (int)j, crossed);
        entry += crossed;
    }
    tiles->tail = entry;
    tiles->used = entry + SOT_TILES_TAIL;
    assert(tiles->used <= SOT_TILES_ENTRIES);
    /* The tail's proposals lie above the curve: tiles.md, "Tail". */
    assert(curve_upper((double)(tiles->height * shape->strips), shape->end) <=
           SOT_TILES_CELL_SHARE * SOT_TILES_TAIL / 2.0);
}

uint32_t sot_tiles_tail_cell(sotto_rng *rng)
{
    for (uint32_t zeros = 0; zeros < SOT_TILES_TAIL_CELLS; zeros += 64) {
        const uint64_t coins = sot_rng_u64(rng);
        if (coins == 0) continue;
        const uint32_t cell = zeros + (uint32_t)__builtin_ctzll(coins);
        return cell < SOT_TILES_TAIL_CELLS ? cell : SOT_TILES_TAIL_CELLS;
    }
    return SOT_TILES_TAIL_CELLS;
}

sot_tile_test sot_tile_test_crossed(const sot_tiles *tiles, uint32_t floor)
{
    const sot_tile_test test = {.floor = floor, .left = 1, .right = tiles->height};
    return test;
}

/* Cell k is proposed with TAIL 2^-(k+1) entries, spread over strips/SHARE strips. That is a
 * height of SHARE TAIL 2^-(k+1) / strips, of which the part under C exp(-t) is kept. */
sot_tile_test sot_tile_test_tail(const sot_tiles *tiles, uint32_t cell)
{
    const sot_tile_test test = {
        .left = SOT_TILES_CELL_SHARE * SOT_TILES_TAIL,
        .right = tiles->height * tiles->strips,
        .shift = cell + 1,
    };
    return test;
}

void sot_tile_curve(const sot_tile_test *test, const sot_wide *t_lower,
                    const sot_wide *t_upper, sot_wide *out_lower, sot_wide *out_upper)
{
    const uint64_t error = UINT64_C(1) << SOT_WIDE_EXP_ERROR_BITS;
    const sot_wide least = sot_wide_exp_negative(t_upper);
    const sot_wide below = sot_wide_minus_units(&least, error);
    *out_lower = sot_wide_multiply_small(&below, test->right);
    const sot_wide most = sot_wide_exp_negative(t_lower);
    const sot_wide above = sot_wide_plus_units(&most, error);
    *out_upper = sot_wide_multiply_small(&above, test->right);
}

bool sot_tile_decide_wide(sotto_rng *rng, const sot_tile_test *test, sot_digits *v,
                          sot_exponent exponent, void *point)
{
    for (unsigned count = 2; count <= SOT_DIGITS_MAX; count *= 2) {
        const unsigned fraction = count + 1;
        sot_wide t_lower, t_upper, right_lower, right_upper;
        exponent(rng, point, fraction, &t_lower, &t_upper);
        sot_tile_curve(test, &t_lower, &t_upper, &right_lower, &right_upper);

        sot_digits_extend(rng, v, count);
        const sot_wide floor = sot_wide_from_integer(test->floor, fraction);
        const sot_wide digits = sot_digits_wide(v, count, fraction);
        sot_wide left = sot_wide_add(&floor, &digits);
        left = sot_wide_multiply_small(&left, test->left);
        const sot_wide left_lower = sot_wide_shift_right(&left, test->shift);
        if (sot_wide_compare(&left_lower, &right_upper) >= 0) return false;

        sot_wide unknown =
            sot_wide_from_integer(0, fraction); /* V's digits yet to come */
        unknown.word[1] = test->left;
        left = sot_wide_add(&left, &unknown);
        left = sot_wide_shift_right(&left, test->shift);
        const sot_wide left_upper = sot_wide_plus_units(&left, 1);
        if (sot_wide_compare(&left_upper, &right_lower) <= 0) return true;
    }
    return false;
}

bool sot_tile_decide(sotto_rng *rng, const sot_tile_test *test, sot_digits *v, double t,
                     sot_exponent exponent, void *point)
{
    assert(v->count == 1);
    const double scale = (double)test->left * sot_power_of_half(test->shift);
    /* 63 digits of V: a signed number becomes a double without a branch. */
    const double digits = (double)(int64_t)(v->word[0] >> 1) * 0x1p-63;
    const double left = ((double)test->floor + digits) * scale;
    /* Two roundings of the sum, and the digits of V that are left out or not drawn yet. */
    const double left_error = left * 0x1p-50 + scale * 0x1p-63;
    if (left - left_error > curve_upper((double)test->right, t)) return false;
    if (left + left_error < curve_lower((double)test->right, t)) return true;
    return sot_tile_decide_wide(rng, test, v, exponent, point);
}

bool sot_tile_under_curve(sotto_rng *rng, const sot_tile_test *test, double t,
                          sot_exponent exponent, void *point)
{
    sot_digits v;
    v.count = 0;
    sot_digits_extend(rng, &v, 1);
    return sot_tile_decide(rng, test, &v, t, exponent, point);
}
