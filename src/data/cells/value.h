/* data/cells/value.h: one raw cell of the current record, before its column's type and bounds are
 * applied.
 *
 * The meaning is the same for every format. So a condition and a unit's id do not depend on the
 * source:
 *
 * - Absent: the record has no such cell, or NULL, or an empty text, as formats without NULL write
 *   it.
 * - Number: where the format stores numbers (arrays, columns of numbers of a database); NaN and
 *   infinities too.
 * - Text: everything else, including the numbers of a text file. Only the first SOT_VALUE_BYTES
 *   bytes of a longer text.
 * - Blanks around a text do not count (sot_value_trimmed()), as in the cells of
 *   data/cells/cell.h: a text of blanks is absent.
 * - Ids: a cell of a column of type id, category or ignore is a text or absent in a database,
 *   never a number. A double cannot represent all of them.
 */
#ifndef SOT_DATA_CELLS_VALUE_H
#define SOT_DATA_CELLS_VALUE_H

#include <stddef.h>

#include "base/text.h"

typedef enum sot_value_kind {
    SOT_VALUE_ABSENT = 0,
    SOT_VALUE_NUMBER = 1,
    SOT_VALUE_TEXT = 2
} sot_value_kind;

/* One more than a number can have: a text too long for a number stays too long. An id
 * needs fewer (data/batches/unit.h). */
enum { SOT_VALUE_BYTES = SOT_NUMBER_BYTES_MAX + 1 };

/* Borrowed from the reader, until the next record is asked for. */
typedef struct sot_value {
    sot_value_kind kind;
    double number;
    const char *text; /* not NUL-terminated */
    size_t size_bytes;
} sot_value;

static inline sot_value sot_value_of_number(double number)
{
    return (sot_value){.kind = SOT_VALUE_NUMBER, .number = number};
}

/* NULL and an empty text are absent. */
static inline sot_value sot_value_of_text(const char *text, size_t size_bytes)
{
    if (text == NULL || size_bytes == 0) return (sot_value){.kind = SOT_VALUE_ABSENT};
    return (sot_value){.kind = SOT_VALUE_TEXT,
                       .text = text,
                       .size_bytes =
                           size_bytes < SOT_VALUE_BYTES ? size_bytes : SOT_VALUE_BYTES};
}

/* A text without the blanks around it. One of SOT_VALUE_BYTES stays: its end may be missing. */
static inline sot_value sot_value_trimmed(sot_value cell)
{
    if (cell.kind != SOT_VALUE_TEXT || cell.size_bytes >= SOT_VALUE_BYTES) return cell;
    const char *text = cell.text;
    size_t size_bytes = cell.size_bytes;
    while (size_bytes > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        size_bytes--;
    }
    while (size_bytes > 0 &&
           (text[size_bytes - 1] == ' ' || text[size_bytes - 1] == '\t'))
        size_bytes--;
    return sot_value_of_text(text, size_bytes);
}

#endif
