/* data/array_file.h: rows of an array of numbers in a file: NPY or IDX, plain or gzip.
 *
 * Isolation   A row is a fixed number of bytes at a place that the header tells; no number changes
 *             where another one is, or how it is read.
 * Totality    Every row gives numbers, whatever its bytes: NaN and infinities are for the encoding
 *             to judge.
 * Refused     Only what is seen before the first row: a header that is none, another number of columns
 *             than the schema has, a plain file that is not as long as its header says; and files that
 *             cannot be read to the end. How many rows there are stands in no message.
 * Memory      A block of rows: 1 MiB, or one row.
 */
#ifndef SOT_DATA_ARRAY_FILE_H
#define SOT_DATA_ARRAY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

typedef struct sot_array_file sot_array_file;

/* Whether the name says that the file is an array: *.npy; *.idx, *.idx3, *idx3-ubyte and the like
 * behind a point or a hyphen; each with .gz too. */
bool sot_array_file_is_named(const char *path);

/* Reads the header. `columns` numbers a row are wanted; `what` they are goes into messages
 * ("features"). */
SOTTO_MUST_CHECK sotto_status sot_array_file_open(const char *path, size_t columns,
                                                  const char *what,
                                                  sot_array_file **out_file,
                                                  sotto_error *error);
void sot_array_file_close(sot_array_file *file); /* wipes what it read; NULL is fine */

/* Rows, as the header says. Secret, as every count of rows. */
uint64_t sot_array_file_rows(const sot_array_file *file);

/* Whether the size of the file bears that out: not of a packed one. */
bool sot_array_file_is_sized(const sot_array_file *file);

/* The next row, `columns` numbers; *out_more is false at the end. */
SOTTO_MUST_CHECK sotto_status sot_array_file_next(sot_array_file *file,
                                                  double *out_values, bool *out_more,
                                                  sotto_error *error);

#endif
