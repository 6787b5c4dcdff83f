/* data/schema/matrix.h: the schema of the numbers of a matrix, and of its images. */
#ifndef SOT_DATA_SCHEMA_MATRIX_H
#define SOT_DATA_SCHEMA_MATRIX_H

#include <stddef.h>

#include <sotto/schema.h>

/* Where a shape comes from. */
typedef enum sot_shape_origin {
    SOT_SHAPE_NONE = 0,  /* a table, or a matrix of no image: the shape is 0, 0, 0 */
    SOT_SHAPE_GIVEN = 1, /* "shape" of the schema */
    SOT_SHAPE_INFERRED =
        2 /* s * s features are 1 x s x s, 3 * s * s are 3 x s x s; s >= 2 */
} sot_shape_origin;

/* Planes, height and width of a row: its numbers lie plane by plane, each row by row, as files have
 * them; the product is sotto_schema_features(). Public. */
sot_shape_origin sot_schema_shape(const sotto_schema *schema, size_t out_shape[3]);

/* Returns the bounds, scale and missing value of all numbers of a matrix, as a column without a
 * name; borrowed. NULL: none are given, and only the row norm bounds a row. */
const sotto_column *sot_schema_numbers(const sotto_schema *schema);

#endif
