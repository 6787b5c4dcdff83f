/* data/cells/cell.h: the value of a cell of a table: a number in the column's type and range,
 * for any content. One rule for every source. Total: an invalid cell is the column's missing
 * value.
 */
#ifndef SOT_DATA_CELLS_CELL_H
#define SOT_DATA_CELLS_CELL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <sotto/schema.h>

#include "data/cells/words.h"

/* A finite number in a column of numbers or integers. */
static inline double sot_cell_bounded(const sotto_column *column, double value)
{
    if (column->type == SOTTO_COLUMN_INTEGER && fabs(value) < 0x1p52 &&
        (double)(int64_t)value != value) {
        return column->missing; /* a fraction; from 2^52 on there are none */
    }
    return value < column->lower   ? column->lower
           : value > column->upper ? column->upper
                                   : value;
}

/* A number, in any column: of a category its place, of a boolean 0 or 1. */
double sot_cell_of_number(const sotto_column *column, double number);

/* Reads a text without surrounding blanks in a column of numbers or integers: a decimal number.
 * If the column has a time unit, a date or a moment too (data/cells/time.h). The result is not
 * clipped yet. False: neither. */
bool sot_cell_read_number(const sotto_column *column, const char *text, size_t size_bytes,
                          double *out_number);

/* A text that stands for a boolean: yes, no, true, 1 ..., in either case. */
double sot_cell_boolean(const sotto_column *column, const char *text, size_t size_bytes);

/* A text, in any column; blanks around it do not count. `categories` holds the values of a category,
 * and may be NULL in other columns. */
double sot_cell_of_text(const sotto_column *column, const sot_words *categories,
                        const char *text, size_t size_bytes);

/* A cell that is not there: 0 for ids and ignored columns. */
double sot_cell_absent(const sotto_column *column);

/* True if a file of rows to predict may lack the column: the target, ids and ignored ones. Never
 * a column that a condition tests (`tested`, one flag per column; NULL: none). */
bool sot_cell_is_optional(const sotto_schema *schema, size_t column, bool without_target,
                          const bool *tested);

#endif
