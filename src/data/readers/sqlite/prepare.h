/* data/readers/sqlite/prepare.h: from the text of a query to a statement that reads a stored
 * table.
 *
 * Isolation: SQLite's authorizer sees everything that the text refers to while it is prepared:
 * one table, total functions. The table is stored in the file, not a view or a virtual one, and
 * has no columns that are computed on reading. So SQLite evaluates nothing that the check has not
 * seen.
 *
 * Order: rows come in the order of the table's own tree. SQLite's planner would otherwise choose
 * the order by the table's statistics, which depend on the records. So it gets no choice: the
 * condition has a unary plus, from which no search is derived. NOT INDEXED forbids other indexes
 * of a table with rowids. For a table without rowids SQLite ignores NOT INDEXED; INDEXED BY its
 * primary key does the same. SQLite's program for the query is checked for it.
 *
 * Proof note: src/data/stability.md, sections "Query" and "Order"
 */
#ifndef SOT_DATA_READERS_SQLITE_PREPARE_H
#define SOT_DATA_READERS_SQLITE_PREPARE_H

#include <stdint.h>

#include <sqlite3.h>

#include <sotto/error.h>

#include "data/readers/sqlite/text.h"

enum { SOT_QUERY_NAME_BYTES = 128 };

/* A database that is open, and the table that a query reads. */
typedef struct sot_query_table {
    sqlite3 *database;
    const char *path;
    const char *asked; /* the setting, for messages: "--table" or "the query" */
    char name[SOT_QUERY_NAME_BYTES]; /* "": not known yet */
} sot_query_table;

/* A failure to read; never SQLite's own words about a row, which may quote it. */
SOTTO_MUST_CHECK sotto_status sot_query_fail(const char *path, int code,
                                             sotto_error *error);

/* One number that SQLite knows, of the table, ?1, if the text has that, and a name, ?2 (NULL: none). */
SOTTO_MUST_CHECK sotto_status sot_query_ask(const sot_query_table *table, const char *sql,
                                            const char *name, int64_t *out_number,
                                            sotto_error *error);

/* Sets the name to that of the setting --table, and refuses a name that is no stored
 * table. */
SOTTO_MUST_CHECK sotto_status sot_query_name_table(sot_query_table *table,
                                                   const char *name, sotto_error *error);

/* Sets the name of the table. The text passed sot_query_check(), which gave the parts. Finalize the statement. */
SOTTO_MUST_CHECK sotto_status sot_query_prepare(sot_query_table *table, const char *text,
                                                const sot_query_parts *parts,
                                                sqlite3_stmt **out_statement,
                                                sotto_error *error);

#endif
