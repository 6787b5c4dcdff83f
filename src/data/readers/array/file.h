/* data/readers/array/file.h: rows of an array of numbers in a file: NPY, IDX or CIFAR-10, plain or gzip.
 *
 * Isolation   A row is a fixed number of bytes at a place that the header tells; no number changes
 *             where another one is, or how it is read. CIFAR-10 has no header: the name decides, and
 *             every row has the same public length.
 * Totality    Every row gives numbers, whatever its bytes: NaN and infinities are for the encoding
 *             to judge.
 * Refused     Only what is seen before the first row: a header that is none, another number of columns
 *             than the schema has, a plain file that is not as long as its header says, or not made of
 *             whole records; and files that cannot be read to the end. How many rows there are stands in no message.
 * Memory      A block of rows: 1 MiB, or one row. An array by columns that is packed or comes from a pipe: all of it.
 */
#ifndef SOT_DATA_READERS_ARRAY_FILE_H
#define SOT_DATA_READERS_ARRAY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

typedef struct sot_array_file sot_array_file;

/* Whether the name says that the file is NPY or IDX (data/readers/array/layout.h). */
bool sot_array_file_is_named(const char *path);

/* CIFAR-10 (*.bin, with a matrix schema; tables of this name are CSV): a row has SOT_CIFAR_RECORD_BYTES numbers, the first
 * of which is the label. */
enum {
    SOT_CIFAR_FEATURES = 3 * 32 * 32,
    SOT_CIFAR_RECORD_BYTES = 1 + SOT_CIFAR_FEATURES
};

/* Reads the header. `columns` numbers a row are wanted; `what` they are goes into messages
 * ("features"). */
SOTTO_MUST_CHECK sotto_status sot_array_file_open(const char *path, size_t columns,
                                                  const char *what,
                                                  sot_array_file **out_file,
                                                  sotto_error *error);
void sot_array_file_close(sot_array_file *file); /* wipes what it read; NULL is fine */

/* Rows, as the header or, of CIFAR-10, the size says; UINT64_MAX: only the end of the file does.
 * Secret, as every count of rows. */
uint64_t sot_array_file_rows(const sot_array_file *file);

/* Rows to reserve memory for: if the size of the file, or what a packed one says of it, bears the
 * header out; else 0. */
uint64_t sot_array_file_rows_hint(const sot_array_file *file);

/* The next row, `columns` numbers; *out_more is false at the end. */
SOTTO_MUST_CHECK sotto_status sot_array_file_next(sot_array_file *file,
                                                  double *out_values, bool *out_more,
                                                  sotto_error *error);

/* The row that was given last, where its numbers are bytes that lie together: as many as columns.
 * Else NULL. Until the next row. */
const unsigned char *sot_array_file_bytes(const sot_array_file *file);

#endif
