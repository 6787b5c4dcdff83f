/* data/readers/arrow/cell.h: the meaning of a value of an Arrow column. The type of the column
 * does not matter: a value counts as its text in a file would (data/cells/cell.h), and has one
 * spelling. 1, 1.0, the decimal 1.00 and true are the category and the id "1". Total.
 */
#ifndef SOT_DATA_READERS_ARROW_CELL_H
#define SOT_DATA_READERS_ARROW_CELL_H

#include <sotto/schema.h>

#include "data/cells/words.h"
#include "data/readers/arrow/array.h"

/* The digits of the largest number that is spelled by all of them, 10^300, its sign and a NUL. */
enum { SOT_ARROW_SPELLED_BYTES = 304 };

typedef struct sot_arrow_text {
    const char *text;  /* in `room` or in the batch; blanks around it are left out */
    size_t size_bytes; /* 0: missing */
    char room[SOT_ARROW_SPELLED_BYTES];
} sot_arrow_text;

/* The one spelling of a value: whole numbers by their digits, others by the shortest decimal. */
void sot_arrow_spell(const sot_arrow_value *value, sot_arrow_text *out_text);

/* A number, or a text that is one; NaN: missing. */
double sot_arrow_number(const sot_arrow_value *value);

/* The use of the cells of a column of the stream. */
typedef struct sot_arrow_use {
    const sotto_column *column;  /* NULL: a feature of a matrix, a number as it is */
    const sot_words *categories; /* of a category */
    int64_t tick_ns; /* of dates and timestamps, whose column has a time unit; else 0 */
} sot_arrow_use;

/* The number of sot_arrow_number(), before the bounds; dates and timestamps in the time unit of the column. */
double sot_arrow_raw_number(const sot_arrow_use *use, const sot_arrow_value *value);

double sot_arrow_cell(const sot_arrow_use *use, const sot_arrow_value *value);

/* The cells from `place` on, `count` of them, into every `stride`-th number of `out`. */
void sot_arrow_fill(const sot_arrow_use *use, const sot_arrow_column *column,
                    uint64_t place, size_t count, double *out, size_t stride);

#endif
