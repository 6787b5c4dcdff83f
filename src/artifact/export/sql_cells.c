/* Words, numbers and cells in the part of SQL that SQLite, PostgreSQL and DuckDB share. */
#include <float.h>
#include <string.h>

#include "artifact/export/sql.h"
#include "base/text.h"

/* ---- words ---- */

void sot_sql_text(sot_sql *self, const char *text)
{
    sot_output_text(&self->output, text);
}

void sot_sql_number(sot_sql *self, double value)
{
    char digits[SOT_DOUBLE_TEXT_BYTES];
    sot_format_double(value == 0.0 ? 0.0 : value, digits);
    const bool is_negative = digits[0] == '-';
    if (is_negative) sot_sql_text(self, "(");
    sot_sql_text(self, digits);
    if (strchr(digits, 'e') == NULL) sot_sql_text(self, "e0");
    if (is_negative) sot_sql_text(self, ")");
}

/* A text between marks, the marks in it doubled. */
static void sot_sql_quoted(sot_sql *self, const char *text, char mark)
{
    sot_output_bytes(&self->output, &mark, 1);
    for (; *text != '\0'; text++) {
        if (*text == mark) sot_output_bytes(&self->output, &mark, 1);
        sot_output_bytes(&self->output, text, 1);
    }
    sot_output_bytes(&self->output, &mark, 1);
}

static void put_column(sot_sql *self, const sotto_column *column)
{
    if (self->table != NULL) {
        sot_sql_quoted(self, self->table, '"');
        sot_sql_text(self, ".");
    }
    sot_sql_quoted(self, column->name, '"');
}

/* A cell to compare. The plus takes the type of a column of texts from it in SQLite, which would compare the number as
 * a text. */
static void put_cell(sot_sql *self, const sotto_column *column)
{
    sot_sql_text(self, "+");
    put_column(self, column);
}

void sot_sql_double(sot_sql *self, const sotto_column *column)
{
    sot_sql_text(self, "CAST(");
    put_column(self, column);
    sot_sql_text(self, " AS DOUBLE PRECISION)");
}

/* ---- cells ---- */

/* The cell as a word without blanks around it, as data/cells/cell.c reads it. */
static void put_word(sot_sql *self, const sotto_column *column)
{
    sot_sql_text(self, "TRIM(CAST(");
    put_column(self, column);
    sot_sql_text(self, " AS TEXT), ' \t')");
}

/* Begins a CASE about a number, with the answers to cells that are none. */
void sot_sql_begin_number(sot_sql *self, const sotto_column *column, double missing)
{
    sot_sql_text(self, "CASE");
    if (column->type == SOTTO_COLUMN_INTEGER) {
        sot_sql_text(self, " WHEN ");
        put_cell(self, column);
        sot_sql_text(self, " <> floor(");
        put_cell(self, column);
        sot_sql_text(self, ") THEN ");
        sot_sql_number(self, missing);
    }
    sot_sql_text(self, " WHEN ");
    put_cell(self, column);
    sot_sql_text(self, " < ");
    sot_sql_number(self, -DBL_MAX);
    sot_sql_text(self, " THEN ");
    sot_sql_number(self, missing);
}

void sot_sql_below(sot_sql *self, const sotto_column *column, const char *comparison,
                   double bound)
{
    sot_sql_text(self, " WHEN ");
    put_cell(self, column);
    sot_sql_text(self, comparison);
    sot_sql_number(self, bound);
    sot_sql_text(self, " THEN ");
}

void sot_sql_end(sot_sql *self, double missing)
{
    sot_sql_text(self, " ELSE ");
    sot_sql_number(self, missing);
    sot_sql_text(self, " END");
}

/* The contribution of each value of a category or boolean. */
void sot_sql_choice(sot_sql *self, const sotto_column *column, const double *values,
                    size_t missing)
{
    static const char *const words[2][6] = {{"0", "0.0", "false", "no", "f", "n"},
                                            {"1", "1.0", "true", "yes", "t", "y"}};
    const bool is_boolean = column->type == SOTTO_COLUMN_BOOLEAN;
    const size_t count = is_boolean ? 12 : column->value_count;
    sot_sql_text(self, is_boolean ? "CASE LOWER(" : "CASE ");
    put_word(self, column);
    if (is_boolean) sot_sql_text(self, ")");
    for (size_t i = 0; i < count; i++) {
        sot_sql_text(self, " WHEN ");
        sot_sql_quoted(self, is_boolean ? words[i / 6][i % 6] : column->values[i], '\'');
        sot_sql_text(self, " THEN ");
        sot_sql_number(self, values[is_boolean ? i / 6 : i]);
    }
    sot_sql_end(self, values[missing]);
}
