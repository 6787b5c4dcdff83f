#include "data/readers/array/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static size_t element_bytes(sotto_element element)
{
    switch (element) {
    case SOTTO_FLOAT64:
    case SOTTO_INT64:
        return 8;
    case SOTTO_FLOAT32:
    case SOTTO_INT32:
        return 4;
    case SOTTO_UINT8:
        return 1;
    case SOTTO_ELEMENT_UNSET:
        break;
    }
    return 0;
}

sotto_status sot_view_check(const sotto_array *array, const char *name,
                            sotto_error *error)
{
    if (element_bytes(array->element) == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the element kind of the %s is %d; set it to SOTTO_FLOAT64 or "
                        "another kind of sotto/array.h",
                        name, (int)array->element);
    }
    if (array->data == NULL && array->rows > 0 && array->columns > 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the %s have no data; set the pointer", name);
    }
    return SOTTO_OK;
}

static sotto_status check_column(const sotto_array *array, const char *name, size_t rows,
                                 size_t columns_max, sotto_error *error)
{
    if (array->rows == 0) return SOTTO_OK;
    if ((array->rows != rows && rows != SIZE_MAX) || array->columns < 1 ||
        array->columns > columns_max) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the %s have %zu rows and %zu columns; give as many rows as the "
                        "features have, and at most %zu column%s",
                        name, array->rows, array->columns, columns_max,
                        columns_max == 1 ? "" : "s");
    }
    return sot_view_check(array, name, error);
}

sotto_status sot_view_check_labels(const sotto_array *labels, size_t rows,
                                   sotto_error *error)
{
    return check_column(labels, "labels", rows, 1, error);
}

sotto_status sot_view_check_units(const sotto_array *units, size_t rows,
                                  sotto_error *error)
{
    const size_t columns_max = units->element == SOTTO_UINT8 ? SOT_UNIT_ID_BYTES : 1;
    if (units->rows > 0 && units->element != SOTTO_INT64 &&
        units->element != SOTTO_UINT8) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the element kind of the units is %d; use SOTTO_INT64, or "
                        "SOTTO_UINT8 for the bytes of texts",
                        (int)units->element);
    }
    return check_column(units, "units", rows, columns_max, error);
}

bool sot_view_is_given(const sotto_array *array)
{
    return array->element != SOTTO_ELEMENT_UNSET || array->rows > 0;
}

const char *sot_view_at(const sotto_array *array, size_t row, size_t column)
{
    return (const char *)array->data + (ptrdiff_t)row * array->row_stride_bytes +
           (ptrdiff_t)column * array->column_stride_bytes;
}

double sot_view_number(const sotto_array *array, size_t row, size_t column)
{
    const char *from = sot_view_at(array, row, column);
    double float64;
    float float32;
    int64_t int64;
    int32_t int32;
    switch (array->element) {
    case SOTTO_FLOAT64:
        memcpy(&float64, from, sizeof float64);
        return float64;
    case SOTTO_FLOAT32:
        memcpy(&float32, from, sizeof float32);
        return (double)float32;
    case SOTTO_INT64:
        memcpy(&int64, from, sizeof int64);
        return (double)int64;
    case SOTTO_INT32:
        memcpy(&int32, from, sizeof int32);
        return (double)int32;
    case SOTTO_UINT8:
        return (double)*(const unsigned char *)from;
    case SOTTO_ELEMENT_UNSET:
        break;
    }
    return (double)NAN;
}

size_t sot_view_id(const sotto_array *units, size_t row, char out_id[SOT_UNIT_ID_BYTES])
{
    size_t size = 0;
    if (units->element == SOTTO_INT64) {
        int64_t number;
        memcpy(&number, sot_view_at(units, row, 0), sizeof number);
        return (size_t)snprintf(out_id, SOT_UNIT_ID_BYTES, "%" PRId64, number);
    }
    for (size_t i = 0; i < units->columns; i++) {
        out_id[i] = *sot_view_at(units, row, i);
        if (out_id[i] != '\0') size = i + 1; /* zeros at the end only fill */
    }
    return size;
}
