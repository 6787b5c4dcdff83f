/* data/readers/array/layout.h: the layout of an array's numbers in a file. Private to the array reader. */
#ifndef SOT_DATA_READERS_ARRAY_LAYOUT_H
#define SOT_DATA_READERS_ARRAY_LAYOUT_H

#include "data/readers/array/file.h"
#include "data/readers/bytes.h"

typedef enum sot_array_kind {
    SOT_ARRAY_SIGNED = 1,
    SOT_ARRAY_UNSIGNED = 2,
    SOT_ARRAY_FLOAT = 3
} sot_array_kind;

#define SOT_ARRAY_ROWS_MAX     (UINT64_C(1) << 32)
#define SOT_ARRAY_ROWS_UNKNOWN UINT64_MAX /* CIFAR-10, compressed: the end decides */

enum { SOT_ARRAY_DIMENSIONS_MAX = 64 }; /* NumPy's own limit; IDX has 255 at most */

/* A row is the first dimension; the others are its numbers. */
typedef struct sot_array_layout {
    uint64_t rows;    /* at most 2^32, or SOT_ARRAY_ROWS_UNKNOWN */
    uint64_t columns; /* numbers a row; at most 2^32 */
    sot_array_kind kind;
    size_t element_bytes; /* 1, 2, 4 or 8; 4 or 8 for floats */
    bool big_endian;
    bool by_columns;       /* Fortran's order: the first dimension changes fastest */
    uint64_t header_bytes; /* before the first number */
    size_t dimensions;
    uint64_t lengths[SOT_ARRAY_DIMENSIONS_MAX]; /* of each dimension, the rows first */
} sot_array_layout;

/* True if the name is that of the format, with or without .gz. The names are *.npy and
 * *.bin. IDX files are *.idx, *.idx3, *idx3-ubyte and similar after a point or a
 * hyphen. */
bool sot_npy_is_named(const char *path);
bool sot_idx_is_named(const char *path);
bool sot_cifar_is_named(const char *path);

/* Each reads the header and nothing else; messages start with `name`. A header is public: it holds
 * the kind of number and the shape, and no record. */
SOTTO_MUST_CHECK sotto_status sot_npy_read_layout(sot_bytes *bytes, const char *name,
                                                  sot_array_layout *out_layout,
                                                  sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_idx_read_layout(sot_bytes *bytes, const char *name,
                                                  sot_array_layout *out_layout,
                                                  sotto_error *error);

/* There is no header, so that the size of the file has to do: nothing is read. */
SOTTO_MUST_CHECK sotto_status sot_cifar_read_layout(const sot_bytes *bytes,
                                                    const char *name,
                                                    sot_array_layout *out_layout,
                                                    sotto_error *error);

/* One more dimension, of `length`; false: more than 2^32 rows, 2^32 numbers per row or 64 dimensions. */
bool sot_array_add_dimension(sot_array_layout *layout, size_t place, uint64_t length);

#endif
