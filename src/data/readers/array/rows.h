/* data/readers/array/rows.h: the NPY, IDX and CIFAR-10 source of data/source/source.h. It has an
 * array of features or of cells, and an array of labels beside it; the records of CIFAR-10
 * contain their labels. */
#ifndef SOT_DATA_READERS_ARRAY_ROWS_H
#define SOT_DATA_READERS_ARRAY_ROWS_H

#include <sotto/schema.h>

#include "data/readers/array/file.h"
#include "data/readers/record.h"

typedef struct sot_array_rows sot_array_rows;

/* With a matrix schema a row has the features, and `labels` names the file of the labels, one per
 * row. NULL: none, which is refused unless `without_target`, or the file is CIFAR-10. With a
 * table's schema a row has a number for each column of the schema, in its order (sotto/array.h);
 * `labels` is then NULL. */
SOTTO_MUST_CHECK sotto_status sot_array_rows_open(const char *path, const char *labels,
                                                  const sotto_schema *schema,
                                                  bool without_target,
                                                  sot_array_rows **out_rows,
                                                  sotto_error *error);
void sot_array_rows_close(sot_array_rows *rows); /* wipes the rows it read; NULL is
                                                  * fine */

/* Rows to reserve memory for: sot_array_file_rows_hint(). */
uint64_t sot_array_rows_hint(const sot_array_rows *rows);

SOTTO_MUST_CHECK sotto_status sot_array_rows_next(sot_array_rows *rows,
                                                  sot_record *out_record, bool *out_more,
                                                  sotto_error *error);

#endif
