/* data/where/where.h: a condition on the stored cells of one row: the option --where, for every format with column names.
 *
 * Grammar     or      = and {OR and}
 *             and     = not {AND not}
 *             not     = {NOT} ( "(" or ")" | test )
 *             test    = column ( = | != | <> | < | <= | > | >= ) literal
 *                     | column [NOT] IN "(" literal {, literal} ")"
 *                     | column [NOT] BETWEEN literal AND literal
 *                     | column IS [NOT] NULL
 *             column  = a word of ASCII letters, digits and _ that does not begin with a digit and is no keyword, or
 *                       "any name in double quotes", a doubled quote inside
 *             literal = a decimal number | 'text, a doubled quote inside' | TRUE | FALSE
 *             Keywords in either case. The old form COLUMN=VALUE is read too: see sot_where_new().
 * Types       The schema gives the type of a column, no cell does. Numbers and integers compare as doubles, before clipping and
 *             before the missing rule. Booleans compare as 0 and 1. Categories, ids and ignored columns compare byte for byte.
 * Null        A cell that is not there, an empty one and one that is malformed for its column's type are null. A test of a
 *             null is unknown (IS NULL excepted). AND, OR and NOT are those of SQL's three-valued logic. A row is selected
 *             if the condition is true.
 * Totality    Every row has an answer. Answering allocates nothing, and its memory is constant.
 * Refused     Before any row is read: a text outside the grammar, an unknown column, a literal of another type, a text or
 *             a nesting beyond the limits below. The messages state the position in the text.
 * Proof note  src/data/where/where.md
 */
#ifndef SOT_DATA_WHERE_WHERE_H
#define SOT_DATA_WHERE_WHERE_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/schema.h>

#include "data/cells/value.h"

enum {
    SOT_WHERE_BYTES_MAX = 4096, /* of the condition, in its canonical form too */
    SOT_CONDITIONS_MAX = 64,    /* that must all hold */
    SOT_WHERE_DEPTH_MAX = 32,   /* of parentheses and NOTs inside each other */
    SOT_WHERE_TEXT_BYTES_MAX =
        255 /* of a literal: where.md, claim 3; the schema's texts have the same limit */
};

typedef struct sot_where sot_where;

/* Reads a condition. Before the grammar it tries the old form COLUMN=VALUE. No blank stands
 * beside the first '=', and the bytes before it are a column's name. The bytes after it, to the
 * end and without quotes, are the value: a category of the column; for a boolean true, false, 1
 * or 0; for an integer a whole number within its bounds. So town=New York is town = 'New York'.
 * The schema is a table's and must outlive the condition. */
SOTTO_MUST_CHECK sotto_status sot_where_new(const char *text, const sotto_schema *schema,
                                            sot_where **out_where, sotto_error *error);

/* The same for several conditions that must all hold; NULL ends them, and there is at least one. */
SOTTO_MUST_CHECK sotto_status sot_where_new_all(const char *const *texts,
                                                const sotto_schema *schema,
                                                sot_where **out_where,
                                                sotto_error *error);
void sot_where_free(sot_where *where); /* NULL is fine */

/* The canonical form: keywords in capitals, one blank between words, quotes where they are needed, the shortest spelling of
 * numbers. It reads back as the same condition. */
const char *sot_where_text(const sot_where *where);

/* True if the condition tests the column (index of the schema). */
bool sot_where_tests(const sot_where *where, size_t column);

typedef enum sot_truth {
    SOT_FALSE = 0,
    SOT_UNKNOWN = 1,
    SOT_TRUE = 2
} sot_truth; /* in the order in which AND takes the least and OR the most */

/* Gives the cell of a column of the schema in the current row. */
typedef sot_value (*sot_cell_of)(const void *row, size_t column);

sot_truth sot_where_truth(const sot_where *where, sot_cell_of cell_of, const void *row);

/* True if the row is selected: the condition is true, not unknown. */
bool sot_where_selects(const sot_where *where, sot_cell_of cell_of, const void *row);

#endif
