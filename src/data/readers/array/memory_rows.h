/* data/readers/array/memory_rows.h: the array source of data/source/source.h: views of the caller's memory. */
#ifndef SOT_DATA_READERS_ARRAY_MEMORY_ROWS_H
#define SOT_DATA_READERS_ARRAY_MEMORY_ROWS_H

#include <stdbool.h>

#include <sotto/array.h>
#include <sotto/schema.h>

#include "data/readers/record.h"

typedef struct sot_memory_rows sot_memory_rows;

/* Checks kinds and shapes against the schema; looks at no number. The memory is borrowed. */
SOTTO_MUST_CHECK sotto_status sot_memory_rows_open(const sotto_records *records,
                                                   const sotto_schema *schema,
                                                   sot_memory_rows **out_rows,
                                                   sotto_error *error);
void sot_memory_rows_close(sot_memory_rows *rows); /* wipes its copies; NULL is fine */

/* As sot_source_check_training(). */
SOTTO_MUST_CHECK sotto_status sot_memory_rows_check_training(const sot_memory_rows *rows,
                                                             sotto_error *error);

size_t sot_memory_rows_count(const sot_memory_rows *rows);

/* False at the end; never fails. */
bool sot_memory_rows_next(sot_memory_rows *rows, sot_record *out_record);

#endif
