/* data/query_text.h: which queries give records: rows of one table, each by itself.
 *
 * Idea        SELECT expressions FROM one table [WHERE condition], where every expression is a
 *             function of one row, and none can fail. Then taking one row out of the table takes at most
 *             one row out of the result, changes no other, and never stops the query.
 * Refused     Joins, subqueries, grouping, DISTINCT, ORDER BY, LIMIT, UNION, windows: with them one row
 *             of the table may decide about many rows of the result. || and LIKE with a pattern
 *             that is not written out: they fail on rows that are too long. Which functions are fine
 *             only SQLite can tell: sot_query_function_is_total().
 * Assumes     The text is then prepared by SQLite, without text in double quotes
 *             (SQLITE_DBCONFIG_DQS_DML): its own grammar decides about all the rest.
 */
#ifndef SOT_DATA_QUERY_TEXT_H
#define SOT_DATA_QUERY_TEXT_H

#include <stdbool.h>

#include <sotto/error.h>

enum { SOT_QUERY_BYTES_MAX = 8192 };

/* Quotes the word that is refused: a query is a setting. */
SOTTO_MUST_CHECK sotto_status sot_query_check(const char *text, sotto_error *error);

/* Functions of SQLite that depend on their arguments alone, and have a value for any of them. */
bool sot_query_function_is_total(const char *name);

#endif
