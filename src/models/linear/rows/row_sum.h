/* models/linear/rows/row_sum.h: a sum of vectors, one per row, in double, with a known number of
 * roundings.
 *
 * Rows are added up in blocks of SOT_ROW_SUM_BLOCK, in the order given, one block after another.
 * A row's part has at most SOT_ROW_SUM_BLOCK + count / SOT_ROW_SUM_BLOCK + 2 additions. The same
 * bits for any number of threads.
 */
#ifndef SOT_MODELS_LINEAR_ROWS_ROW_SUM_H
#define SOT_MODELS_LINEAR_ROWS_ROW_SUM_H

#include <stdint.h>

#include "base/threads.h"
#include "data/batches/matrix.h"

enum { SOT_ROW_SUM_BLOCK = 1024 };

/* Adds the part of one row to `sum`: `vectors` times sot_rows_plain_width() numbers, as in theta,
 * with zeros after the columns. `scratch` has `vectors` numbers. A function of only the row
 * and theta. */
typedef void (*sot_row_part)(const void *problem, size_t row, const double *theta,
                             double *scratch, double *sum);

typedef struct sot_row_sum {
    const sot_matrix *matrix;
    const uint32_t *rows; /* places in the matrix; NULL: all */
    size_t count;         /* of them; unused if `rows` is NULL */
    size_t vectors;       /* theta and the sum are `vectors` times matrix->columns */
    sot_row_part part;
    const void *problem;
    sot_pool *pool; /* NULL: one thread */
} sot_row_sum;

SOTTO_MUST_CHECK sotto_status sot_row_sum_add(const sot_row_sum *asked,
                                              const double *theta, double *inout_sum,
                                              sotto_error *error);

#endif
