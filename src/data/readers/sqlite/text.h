/* data/readers/sqlite/text.h: the queries that give records: rows of one table, each by itself.
 *
 * Idea: SELECT expressions FROM one table [WHERE condition], where every expression is a function
 * of one row, and none can fail. Then removing one row from the table removes at most one row of
 * the result, changes no other, and never stops the query.
 *
 * Refused: joins, subqueries, grouping, DISTINCT, ORDER BY, LIMIT, UNION, windows. With them one
 * row of the table may affect many rows of the result. Also || and LIKE with a pattern or an
 * escape that is not one literal: they fail on rows that are too long.
 * sot_query_function_is_total() lists the allowed functions.
 *
 * Assumes: the text is then prepared by SQLite, without text in double quotes
 * (SQLITE_DBCONFIG_DQS_DML). SQLite's own grammar decides the rest.
 */
#ifndef SOT_DATA_READERS_SQLITE_TEXT_H
#define SOT_DATA_READERS_SQLITE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/error.h>

enum { SOT_QUERY_BYTES_MAX = 8192 };

/* Places in the text; comments behind a part are not in it. */
typedef struct sot_query_parts {
    size_t from_end;    /* behind FROM t: INDEXED BY or NOT INDEXED can stand there */
    size_t where_begin; /* behind WHERE; 0: there is no condition */
    size_t where_end;   /* behind the condition, whose parentheses are balanced */
} sot_query_parts;

/* Quotes the word that is refused: a query is a setting. */
SOTTO_MUST_CHECK sotto_status sot_query_check(const char *text,
                                              sot_query_parts *out_parts,
                                              sotto_error *error);

/* True if rows of the table can be left out: there is a WHERE. Total. */
bool sot_query_has_condition(const char *text);

/* True if a column of the result is the table's column `name`: a star, or this name itself. Not
 * an expression, an alias or another name that SQLite reports as this one (_rowid_ as rowid). The
 * text passed sot_query_check(), and its result has `columns` columns. */
bool sot_query_selects_column(const char *text, size_t columns, size_t column,
                              const char *name);

/* Functions of SQLite that depend only on their arguments, and have a value for all
 * arguments. */
bool sot_query_function_is_total(const char *name);

#endif
