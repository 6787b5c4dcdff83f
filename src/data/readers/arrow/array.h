/* data/readers/arrow/array.h: one column of an Arrow batch: its type, its cells, checked before they are read.
 *
 * Theorem     sot_arrow_value() returns for every array and every place. It gives a missing value
 *             for a place outside the array, an array that lacks a buffer, and a cell with
 *             invalid offsets or code. It reads only within the array's own lengths and offsets.
 * Assumes     Buffers are as long as lengths, offsets and sizes say: the C data interface does not state their length.
 */
#ifndef SOT_DATA_READERS_ARROW_ARRAY_H
#define SOT_DATA_READERS_ARROW_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/arrow.h>

typedef enum sot_arrow_kind {
    SOT_ARROW_UNKNOWN = 0, /* not read */
    SOT_ARROW_NULL = 1,
    SOT_ARROW_BOOL,
    SOT_ARROW_INT8,
    SOT_ARROW_UINT8,
    SOT_ARROW_INT16,
    SOT_ARROW_UINT16,
    SOT_ARROW_INT32,
    SOT_ARROW_UINT32,
    SOT_ARROW_INT64,
    SOT_ARROW_UINT64,
    SOT_ARROW_FLOAT16,
    SOT_ARROW_FLOAT32,
    SOT_ARROW_FLOAT64,
    SOT_ARROW_DECIMAL128,
    SOT_ARROW_UTF8,
    SOT_ARROW_LARGE_UTF8,
    SOT_ARROW_UTF8_VIEW,
    SOT_ARROW_DATE32,
    SOT_ARROW_TIME64 /* date64, timestamp */
} sot_arrow_kind;

typedef struct sot_arrow_type {
    sot_arrow_kind kind;
    bool is_dictionary; /* `kind` is that of its values; `codes` is that of its indices */
    sot_arrow_kind codes;
    int scale;       /* of a decimal: the number is the integer times 10^-scale */
    int64_t tick_ns; /* of dates and timestamps; 0 for all others */
} sot_arrow_type;

/* The type of a column; the kind of one that is not read is SOT_ARROW_UNKNOWN. Public. */
sot_arrow_type sot_arrow_type_of(const struct ArrowSchema *column);

/* "a list", "binary", ...: the types that are not read, for people. */
const char *sot_arrow_type_name(const struct ArrowSchema *column);

/* A column of the current batch. Zeroed: every cell is missing. */
typedef struct sot_arrow_cells {
    sot_arrow_kind kind;
    uint64_t first; /* offset in the buffers, of the array and of the struct around it */
    uint64_t count; /* cells from there on */
    const uint8_t *validity;  /* NULL: none is missing */
    const void *values;       /* numbers, bits, offsets or views */
    const char *text;         /* of utf8 */
    uint64_t text_bytes;      /* of utf8: the last offset */
    const void *const *parts; /* of views: the buffers of long texts */
    const int64_t *part_bytes;
    uint64_t part_count;
    int scale;
} sot_arrow_cells;

typedef struct sot_arrow_column {
    sot_arrow_cells cells;      /* of a dictionary: its codes */
    sot_arrow_cells dictionary; /* of a dictionary: its values */
    bool is_dictionary;
} sot_arrow_column;

/* Cell 0 is the cell `skip` of the array: the offset of the struct around it. `array` NULL: nothing is there. */
sot_arrow_column sot_arrow_column_of(const sot_arrow_type *type,
                                     const struct ArrowArray *array, uint64_t skip);

typedef enum sot_arrow_value_kind {
    SOT_ARROW_MISSING = 0,
    SOT_ARROW_TRUTH = 1,
    SOT_ARROW_SIGNED = 2,
    SOT_ARROW_UNSIGNED = 3,
    SOT_ARROW_REAL = 4,
    SOT_ARROW_DECIMAL = 5,
    SOT_ARROW_TEXT = 6
} sot_arrow_value_kind;

__extension__ typedef unsigned __int128 sot_arrow_wide;

typedef struct sot_arrow_value {
    sot_arrow_value_kind kind;
    int scale;
    union {
        bool truth;
        int64_t number;
        uint64_t magnitude;
        double real;
        sot_arrow_wide decimal; /* two's complement */
    };
    const char *text; /* borrowed from the batch */
    size_t text_bytes;
} sot_arrow_value;

/* True if the bit `place` is 1. */
static inline bool sot_arrow_bit(const uint8_t *bits, uint64_t place)
{
    return (bits[place / 8] >> (place % 8) & 1) != 0;
}

sot_arrow_value sot_arrow_value_at(const sot_arrow_column *column, uint64_t place);

#endif
