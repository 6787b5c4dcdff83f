/* sotto/array.h: records in the caller's memory, read in place.
 *
 * Idea        A view of the caller's numbers: a pointer, the kind of number, rows, columns and the
 *             distances between them in bytes. Rows or columns may be contiguous, or neither.
 *             Nothing is copied to make a view; the library reads it during a call and keeps none of it.
 * Cells       With a table's schema a view has one column for each column of the schema, in its
 *             order. A boolean is 0 or 1, a category is its place in `values`. Ignored columns
 *             may hold anything. NaN and invalid cells are missing. With a matrix schema
 *             ("features": d) it has d columns.
 */
#ifndef SOTTO_ARRAY_H
#define SOTTO_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are part of the ABI: written out and never renumbered. */
typedef enum sotto_element {
    SOTTO_ELEMENT_UNSET = 0,
    SOTTO_FLOAT64 = 1,
    SOTTO_FLOAT32 = 2,
    SOTTO_INT64 = 3,
    SOTTO_INT32 = 4,
    SOTTO_UINT8 = 5 /* also one-byte booleans */
} sotto_element;

struct ArrowArrayStream; /* sotto/arrow.h */

typedef struct sotto_array {
    const void *data; /* of row 0, column 0; borrowed; must be aligned to its elements */
    sotto_element element;
    size_t rows;
    size_t columns;
    ptrdiff_t row_stride_bytes;
    ptrdiff_t column_stride_bytes;
} sotto_array;

/* A sparse matrix, compressed by rows (CSR): row i has the entries starts[i] .. starts[i + 1] -
 * 1. Places are SOTTO_INT32 or SOTTO_INT64, and each array has one column. An entry is ignored if
 * its index is no feature's, or not above the index before it in its row. A row with invalid
 * starts has no entries. Features that are not listed are 0. */
typedef struct sotto_sparse {
    sotto_array starts; /* one more than there are rows */
    sotto_array indices;
    sotto_array values; /* one for each index */
} sotto_sparse;

/* The records of a training or an evaluation. All parts have the same number of rows. */
typedef struct sotto_records {
    sotto_array features; /* cells of the schema, or features of a matrix */
    sotto_array labels; /* one column: the label of a matrix schema; rows 0: none. With a
                             table's schema the target is one of the cells, and this is unused */
    /* Whose row it is, when the schema has a unit; rows 0: none. One column of SOTTO_INT64, or the
     * bytes of texts: SOTTO_UINT8, at most 256 columns, filled up with zeros. The number 17 and the
     * text "17" are the same unit. */
    sotto_array units;
    /* The rows are the result of a query, a filter or a stream, so their number depends on the
     * content of stored records. The number is then secret under both adjacencies, and a schema
     * with a unit is refused. The certificate states that it is not checked that each row came
     * from one stored record (stability.md). False: the rows are a stored table, all of it, under
     * its own column names. */
    bool selected;
    /* Declares that rows computed on reading (a relation, a cursor) are every row of a stored
     * table, under the table's own column names. Not together with `selected`. */
    bool declared;
    /* A stream in place of `features`; NULL: none. Columns are found by name. With a table's schema, labels and units may come apart
     * from the stream, which then lacks their columns: labels hold the cells of the target. They are given if their `element` is set,
     * with no rows too. The stream is taken over when it is opened; release it afterwards if its `release` is not NULL: sotto/arrow.h. */
    struct ArrowArrayStream *stream;
    /* The stream provides a table that is in memory as a whole, so its rows count as those of an
     * array. A stream without this and without `declared` counts as selected. */
    bool in_memory;
    /* With a matrix schema: entries in place of `features`, borrowed; NULL: none. */
    const sotto_sparse *sparse;
} sotto_records;

#ifdef __cplusplus
}
#endif
#endif
