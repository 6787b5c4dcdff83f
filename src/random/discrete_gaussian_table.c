/* The fast discrete Gaussian: tiles (tiles.h) whose strips are runs of 2^width_bits integers. */
#include "random/discrete_gaussian.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"

struct sot_discrete_gaussian {
    sot_ratio variance;
    double half_precision; /* 1 / (2 sigma^2), relative error at most 3 * 2^-53 */
    unsigned width_bits;   /* integers a strip: 2^width_bits */
    unsigned
        discarded_bits; /* of the word's low 49, which choose the integer in the strip */
    uint64_t tail_cell_width; /* integers a cell of the tail */
    sot_tiles tiles;
};

/* x^2 / (2 sigma^2), relative error at most 6 * 2^-53; |x| < 2^53. */
static double exponent_of(const sot_discrete_gaussian *table, uint64_t x)
{
    const double value = (double)x;
    return value * value * table->half_precision;
}

/* Strips as narrow as 64 strips a sigma allow, and one integer if sigma <= 64; as many as reach
 * 4 sigma. Then 32 < sigma / width <= 64, or width = 1: at most 256 strips. */
static void shape_strips(sot_discrete_gaussian *table, sot_tiles_shape *shape)
{
    const double sigma = sqrt(0.5 / table->half_precision);
    table->width_bits = 0;
    while (sigma > ldexp(64.0, (int)table->width_bits))
        table->width_bits++;
    table->discarded_bits = 49 - table->width_bits;
    const uint64_t width = UINT64_C(1) << table->width_bits;
    shape->strips = SOT_TILES_CELL_SHARE;
    while (shape->strips < SOT_TILES_STRIPS_MAX &&
           exponent_of(table, shape->strips * width) < 8.0)
        shape->strips += SOT_TILES_CELL_SHARE;
    table->tail_cell_width = width * shape->strips / SOT_TILES_CELL_SHARE;

    for (uint32_t j = 0; j < shape->strips; j++) {
        shape->near_edge[j] = exponent_of(table, j * width);
        shape->far_edge[j] = exponent_of(table, (j + 1) * width - 1);
    }
    shape->end = exponent_of(table, shape->strips * width);
    shape->halve_first = width == 1;
}

sotto_status sot_discrete_gaussian_new(sot_ratio variance,
                                       sot_discrete_gaussian **out_table,
                                       sotto_error *error)
{
    *out_table = NULL;
    if (variance.numerator == 0 || variance.denominator == 0 ||
        variance.numerator > SOT_DISCRETE_GAUSSIAN_MAX ||
        variance.denominator > SOT_DISCRETE_GAUSSIAN_MAX ||
        variance.numerator < variance.denominator >> 20) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sigma^2 is %" PRIu64 "/%" PRIu64
                        "; give a ratio of at least 2^-20 with parts of at most 2^62",
                        variance.numerator, variance.denominator);
    }
    sot_discrete_gaussian *table = sot_new_array(1, sizeof *table);
    if (table == NULL) return sot_fail_memory(error, 1, sizeof *table);
    table->variance = variance;
    table->half_precision =
        (double)variance.denominator / (2.0 * (double)variance.numerator);
    sot_tiles_shape shape = {0};
    shape_strips(table, &shape);
    sot_tiles_build(&shape, &table->tiles);
    *out_table = table;
    return SOTTO_OK;
}

void sot_discrete_gaussian_free(sot_discrete_gaussian *table)
{
    sot_free(table); /* public parameters only */
}

const sot_tiles *sot_discrete_gaussian_tiles(const sot_discrete_gaussian *table,
                                             uint64_t *out_strip_width)
{
    *out_strip_width = UINT64_C(1) << table->width_bits;
    return &table->tiles;
}

/* x^2 d / (2n): x < 2^38, so x^2 d < 2^76 2^62 has at most 138 bits. */
void sot_discrete_gaussian_exponent(sotto_rng *rng, void *point, unsigned fraction,
                                    sot_wide *out_lower, sot_wide *out_upper)
{
    (void)rng;
    const sot_discrete_gaussian_point *at = point;
    const sot_ratio variance = at->variance;
    const sot_u128 square = (sot_u128)at->x * at->x;
    const sot_u128 low = (sot_u128)(uint64_t)square * variance.denominator;
    const sot_u128 high = (square >> 64) * variance.denominator; /* times 2^64 */
    const sot_u128 middle = (low >> 64) + (uint64_t)high;
    const uint64_t top = (uint64_t)(high >> 64) + (uint64_t)(middle >> 64);
    *out_lower = sot_wide_ratio(top, (middle << 64) | (uint64_t)low,
                                2 * variance.numerator, fraction);
    *out_upper = sot_wide_plus_units(out_lower, 1);
}

/* An entry that is not quick: true if it gives |result|. */
static bool slow_point(const sot_discrete_gaussian *table, sotto_rng *rng, uint32_t entry,
                       uint64_t place, uint64_t *out_x)
{
    const sot_tiles *tiles = &table->tiles;
    sot_discrete_gaussian_point point = {.variance = table->variance};
    sot_tile_test test;
    if (entry < tiles->tail) {
        point.x = ((uint64_t)tiles->strip_of[entry] << table->width_bits) + place;
        test = sot_tile_test_crossed(tiles, sot_tiles_floor(tiles, entry));
    } else if (entry < tiles->used) {
        const uint64_t cell = sot_tiles_tail_cell(rng);
        if (cell == SOT_TILES_TAIL_CELLS) return false;
        point.x = (SOT_TILES_CELL_SHARE + cell) * table->tail_cell_width +
                  sot_rng_below(rng, table->tail_cell_width);
        test = sot_tile_test_tail(tiles, (uint32_t)cell);
    } else {
        return false;
    }
    *out_x = point.x;
    return sot_tile_under_curve(rng, &test, exponent_of(table, point.x),
                                sot_discrete_gaussian_exponent, &point);
}

static int64_t draw(const sot_discrete_gaussian *table, sotto_rng *rng)
{
    const sot_tiles *tiles = &table->tiles;
    for (;;) {
        const uint64_t word = sot_rng_u64(rng);
        const uint32_t entry = (uint32_t)(word >> (64 - SOT_TILES_ENTRY_BITS));
        const uint64_t place =
            (word & ((UINT64_C(1) << 49) - 1)) >> table->discarded_bits;
        const uint64_t minus = 0 - (word >> 49 & 1);
        uint64_t x = 0;
        if (entry < tiles->quick) {
            x = ((uint64_t)tiles->strip_of[entry] << table->width_bits) + place;
        } else if (!slow_point(table, rng, entry, place, &x)) {
            continue;
        }
        /* 0 has one name: where strips hold single integers its tiles were halved instead. */
        if (x == 0 && minus != 0 && table->width_bits > 0) continue;
        return (int64_t)((x ^ minus) - minus);
    }
}

sotto_status sot_discrete_gaussian_fill(const sot_discrete_gaussian *table,
                                        sotto_rng *rng, int64_t *out, size_t count,
                                        sotto_error *error)
{
    for (size_t i = 0; i < count; i++)
        out[i] = draw(table, rng);
    const sotto_status status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out, count * sizeof *out);
    return status;
}
