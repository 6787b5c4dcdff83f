/* sotto/array.h: records that are already in memory, as they lie there.
 *
 * Idea        A view of the caller's numbers: a pointer, the kind of number, rows, columns and the
 *             distances between them in bytes. Rows or columns may be contiguous, or neither.
 *             Nothing is copied to make a view; the library reads it during a call and keeps none of it.
 * Cells       With a table's schema a view has one column for each column of the schema, in its
 *             order: a number; 0 or 1 for a boolean; the place in `values` for a category; anything
 *             for an ignored column. NaN is a missing cell, like every cell that makes no sense.
 *             With a matrix schema ("features": d) it has d columns.
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

typedef struct sotto_array {
    const void *data; /* of row 0, column 0; borrowed; must be aligned to its elements */
    sotto_element element;
    size_t rows;
    size_t columns;
    ptrdiff_t row_stride_bytes;
    ptrdiff_t column_stride_bytes;
} sotto_array;

/* The records of a training or an evaluation. All parts have the same number of rows. */
typedef struct sotto_records {
    sotto_array features; /* cells of the schema, or features of a matrix */
    sotto_array labels; /* one column: the label of a matrix schema; rows 0: none. With a
                             table's schema the target is one of the cells, and this is unused */
    /* Whose row it is, when the schema has a unit; rows 0: none. One column of SOTTO_INT64, or the
     * bytes of texts: SOTTO_UINT8, at most 256 columns, filled up with zeros. The number 17 and the
     * text "17" are the same unit. */
    sotto_array units;
    /* The rows are the result of a query, a filter or a stream, so that how many there are depends on
     * what stored records say. Their number is then secret under both adjacencies, a schema with a unit is
     * refused, and the certificate lists that each row came from one stored record as not checked
     * (src/data/stability.md). False: the rows are a stored table, all of it, under its own column names. */
    bool selected;
    /* Declares that rows which were computed when they were read (a relation, a cursor) are every row of a stored
     * table, under the table's own column names. Not beside `selected`. */
    bool declared;
} sotto_records;

#ifdef __cplusplus
}
#endif
#endif
