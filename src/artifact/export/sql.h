/* artifact/export/sql.h: parts of an SQL expression.
 *
 * Cells     A number is compared before it is used. NULL, NaN, infinities and text (which SQLite orders behind
 *           numbers) are missing. A fraction in a column of whole numbers is missing too. The contribution of every such cell,
 *           and of each bound, is a constant that sql.c computes as data/encode/encode.c does.
 * Literals  A number has an exponent, else DuckDB takes it for a DECIMAL. A negative one stands in parentheses:
 *           two minus signs begin a comment. The first term is cast, so that PostgreSQL adds doubles.
 */
#ifndef SOT_ARTIFACT_EXPORT_SQL_H
#define SOT_ARTIFACT_EXPORT_SQL_H

#include "artifact/model_file/model.h"
#include "artifact/page/blocks.h"

/* One expression in the making. */
typedef struct sot_sql {
    sot_output output;
    const sotto_model *model;
    const sot_encoding *encoding;
    const char *table; /* before each column; NULL: none */
} sot_sql;

void sot_sql_text(sot_sql *self, const char *text);
void sot_sql_number(sot_sql *self, double value);
/* Writes a cell as a double; its comparisons come first. */
void sot_sql_double(sot_sql *self, const sotto_column *column);

/* Begins a CASE about a number, with the answers to cells that are none. Then one WHEN for each bound, ascending, whose
 * result the caller writes, and the end with the result of missing cells. */
void sot_sql_begin_number(sot_sql *self, const sotto_column *column, double missing);
void sot_sql_below(sot_sql *self, const sotto_column *column, const char *comparison,
                   double bound);
void sot_sql_end(sot_sql *self, double missing);

/* Writes the contribution of each value of a category or boolean. */
void sot_sql_choice(sot_sql *self, const sotto_column *column, const double *values,
                    size_t missing);

#endif
