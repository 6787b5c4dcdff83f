#include "numeric/bit_reversal.h"

/* A tile is TILE x TILE numbers: rows of 256 bytes, 4 KiB in all; two are in use. */
enum { TILE_BITS = 4, TILE = 1 << TILE_BITS };

static size_t reverse(size_t index, unsigned bits)
{
    size_t reversed = 0;
    for (unsigned i = 0; i < bits; i++) {
        reversed = reversed << 1 | (index & 1);
        index >>= 1;
    }
    return reversed;
}

static void swap(sot_complex *a, sot_complex *b)
{
    const sot_complex held = *a;
    *a = *b;
    *b = held;
}

static void reverse_small(sot_complex *values, unsigned bits)
{
    const size_t count = (size_t)1 << bits;
    size_t reversed = 0;
    for (size_t i = 0; i < count; i++) {
        if (i < reversed) swap(&values[i], &values[reversed]);
        /* Adds 1 to the reversed counter: the carry runs down from the top bit. */
        size_t bit = count >> 1;
        for (; (reversed & bit) != 0; bit >>= 1)
            reversed ^= bit;
        reversed |= bit;
    }
}

/* Reads the tile of the indices (row, middle, column), so that tile[r][c] belongs at (r,
 * reversed middle, c). */
static void load_tile(const sot_complex *values, size_t row_stride,
                      const size_t *reversed, sot_complex tile[TILE][TILE])
{
    for (size_t row = 0; row < TILE; row++) {
        for (size_t column = 0; column < TILE; column++)
            tile[reversed[column]][reversed[row]] = values[row * row_stride + column];
    }
}

static void store_tile(sot_complex *values, size_t row_stride,
                       sot_complex tile[TILE][TILE])
{
    for (size_t row = 0; row < TILE; row++) {
        for (size_t column = 0; column < TILE; column++)
            values[row * row_stride + column] = tile[row][column];
    }
}

static void reverse_large(sot_complex *values, unsigned bits)
{
    const unsigned middle_bits = bits - 2 * TILE_BITS;
    const size_t row_stride = (size_t)1 << (bits - TILE_BITS);
    size_t reversed[TILE];
    for (size_t i = 0; i < TILE; i++)
        reversed[i] = reverse(i, TILE_BITS);

    sot_complex tile[TILE][TILE];
    sot_complex other_tile[TILE][TILE];
    for (size_t middle = 0; middle < (size_t)1 << middle_bits; middle++) {
        const size_t other = reverse(middle, middle_bits);
        if (middle > other) continue; /* done when the two were met in the other order */
        load_tile(values + middle * TILE, row_stride, reversed, tile);
        if (middle < other) {
            load_tile(values + other * TILE, row_stride, reversed, other_tile);
            store_tile(values + middle * TILE, row_stride, other_tile);
        }
        store_tile(values + other * TILE, row_stride, tile);
    }
}

void sot_reverse_order(sot_complex *values, unsigned bits)
{
    if (bits < 2 * TILE_BITS + 2)
        reverse_small(values, bits);
    else
        reverse_large(values, bits);
}
