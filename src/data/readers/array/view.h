/* data/readers/array/view.h: numbers and ids of a view of the caller's memory (sotto/array.h). Alignment is not relied
 * upon. */
#ifndef SOT_DATA_READERS_ARRAY_VIEW_H
#define SOT_DATA_READERS_ARRAY_VIEW_H

#include <sotto/array.h>

#include "data/batches/unit.h"

/* Checks that the kind of element is one of sotto/array.h, and the data are present. */
SOTTO_MUST_CHECK sotto_status sot_view_check(const sotto_array *array, const char *name,
                                             sotto_error *error);

/* The same for labels and for units: one column, of ids their bytes, and as many rows as the features; SIZE_MAX: these are
 * not known. No rows: left out. */
SOTTO_MUST_CHECK sotto_status sot_view_check_labels(const sotto_array *labels,
                                                    size_t rows, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_view_check_units(const sotto_array *units, size_t rows,
                                                   sotto_error *error);

/* True if labels or units are given beside a stream: their kind of element is set. Their number
 * of rows does not decide it. It is that of the stream and secret; a refusal because of it would
 * reveal it. */
bool sot_view_is_given(const sotto_array *array);

/* Where an element lies. */
const char *sot_view_at(const sotto_array *array, size_t row, size_t column);

double sot_view_number(const sotto_array *array, size_t row, size_t column);

/* The id as the text that a file would have: 17 and "17" are one unit, in every kind of element. Returns its bytes. */
size_t sot_view_id(const sotto_array *units, size_t row, char out_id[SOT_UNIT_ID_BYTES]);

#endif
