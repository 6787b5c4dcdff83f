/* data/readers/sqlite/query.h: rows of a SQLite table, all of them or chosen by a query, by the
 * schema.
 *
 * Isolation: a record is one row of one table. The query sees each row by itself
 * (data/readers/sqlite/text.h), and its table stores the rows (data/readers/sqlite/prepare.h).
 *
 * Order: that of the table's own tree, for any query and indexes (data/readers/sqlite/prepare.h).
 *
 * Totality: every row that meets the condition gives a record. NULL, a blob in a column of
 * numbers and a text that is no number count as missing. Numbers are clipped, as in
 * data/readers/csv/csv.h.
 *
 * Refused: only errors seen before the first row (no database, an unsuitable query, other columns
 * than the schema's). Also files that cannot be read to the end.
 *
 * Snapshot: all passes see the file as it was when it was opened, in one read transaction.
 * Writers wait or, in WAL mode, write concurrently.
 *
 * Assumes: this build of SQLite could have written the rows: cells of at most 10^9 bytes.
 */
#ifndef SOT_DATA_QUERY_H
#define SOT_DATA_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/schema.h>

#include "data/readers/reader.h"

typedef struct sot_query sot_query;

/* All rows of input->file->table, of which the schema's columns are read; or those of input->file->query. */
SOTTO_MUST_CHECK sotto_status sot_query_open_input(const sot_reader_input *input,
                                                   sot_query **out_query,
                                                   sotto_error *error);

/* The same for a query. The columns of the result have the names of the schema's columns; with `without_target` the
 * target, ids and ignored ones may be left out. The schema is a table's and must outlive it. */
SOTTO_MUST_CHECK sotto_status sot_query_open(const char *path, const char *text,
                                             const sotto_schema *schema,
                                             bool without_target, sot_query **out_query,
                                             sotto_error *error);
void sot_query_close(sot_query *query); /* NULL is fine */

/* As sot_csv_next(). */
SOTTO_MUST_CHECK sotto_status sot_query_next(sot_query *query, double *out_values,
                                             bool *out_more, sotto_error *error);

/* The text of the current row's id column (index of the schema), not NUL-terminated. NULL in the
 * table is an empty id. */
const char *sot_query_id(const sot_query *query, size_t column, size_t *out_size_bytes);

/* From the first row on again: the same rows in the same order. */
SOTTO_MUST_CHECK sotto_status sot_query_rewind(sot_query *query, sotto_error *error);

#endif
