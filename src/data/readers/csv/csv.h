/* data/readers/csv/csv.h: rows of a CSV or TSV file (plain or gzip), one line per record, by the
 * schema.
 *
 * Isolation: a record is exactly one line; a quoted cell ends at the end of its line at the
 * latest. Otherwise one record with an open quote could swallow all later ones, and no
 * sensitivity bound would hold.
 *
 * Totality: every line gives a row, a blank one too: the number of rows is the number of lines,
 * for any content. A cell that is missing, malformed, out of type or of an unknown category
 * counts as the column's `missing` value. Numbers are clipped to the column's bounds. No count,
 * no line number and no message reports it.
 *
 * Refused: only errors seen before the first row (no file, no header, a header without the
 * schema's columns). Also files that cannot be read to the end.
 *
 * Dialects: `csv` has commas or semicolons, by its header; `csv-comma`, `csv-semicolon`, `tsv`
 * state it. With `csv-decimal-comma` (semicolons) and `tsv-decimal-comma` 1,5 is a number, and
 * 1.5 is none: a point may group digits there. No row decides about a dialect.
 *
 * Memory: bounded by the schema. The first bytes of a line are kept, 1 MiB and the length of the
 * schema's names and values. A longer line is read in blocks by the same rules, and gives its row
 * like any other. The reader keeps the bytes of a cell on which its value can depend, and the
 * first 256 of an id (unit.h).
 */
#ifndef SOT_DATA_READERS_CSV_CSV_H
#define SOT_DATA_READERS_CSV_CSV_H

#include <stdbool.h>

#include <sotto/schema.h>

typedef struct sot_csv sot_csv;

/* Returns the delimiter of a header: a comma or a semicolon, outside of quotes; a comma if there
 * is neither; '\0' if there are both. */
char sot_csv_delimiter(const char *line, const char *end);

typedef struct sot_csv_cell {
    char *text; /* in the line, or in the place of its field (parts.h) */
    size_t size_bytes;
} sot_csv_cell;

/* Returns the next cell of a line, without its quotes; `at` moves behind its delimiter, at most to end + 1. SOT_LINES_SLACK
 * bytes behind the end may be read. */
sot_csv_cell sot_csv_next_cell(char delimiter, char **at, const char *end);

/* Opens the file and reads its header; no row is looked at. Messages quote the file's name and
 * the schema, never the file: without a header its first line is a record. The schema is a table's
 * and must outlive the reader. `delimiter` is a comma, a semicolon or a tab; '\0': the header decides. With `without_target` the target, id and ignored columns may be missing from the file:
 * they count as missing in every row. */
SOTTO_MUST_CHECK sotto_status sot_csv_open(const char *path, char delimiter,
                                           const sotto_schema *schema,
                                           bool without_target, sot_csv **out_csv,
                                           sotto_error *error);
void sot_csv_close(sot_csv *csv); /* wipes the rows it read; NULL is fine */

/* The next row: out_values has one double for each column of the schema (a category's index;
 * 0 for id and ignore columns). *out_more is false at the end. At most 2^32 rows. */
SOTTO_MUST_CHECK sotto_status sot_csv_next(sot_csv *csv, double *out_values,
                                           bool *out_more, sotto_error *error);

/* The text of the current row's id column (index of the schema), not NUL-terminated. */
const char *sot_csv_id(const sot_csv *csv, size_t column, size_t *out_size_bytes);

#endif
