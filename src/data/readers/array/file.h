/* data/readers/array/file.h: rows of an array of numbers in a file: NPY, IDX or CIFAR-10, plain
 * or gzip.
 *
 * Isolation: a row is a fixed number of bytes at a place given by the header. No number changes
 * the place or the reading of another one. CIFAR-10 has no header: the name decides, and every
 * row has the same public length.
 *
 * Totality: every row gives numbers, for any bytes. The encoding treats NaN and infinities.
 *
 * Refused: only errors seen before the first row, and files that cannot be read to the end.
 * Errors are an invalid header, another number of columns than the schema has, and a plain file
 * of the wrong length. No message has the number of rows.
 *
 * Memory: a block of rows, 1 MiB or one row. A column-major array that is compressed or comes
 * from a pipe: all of it.
 */
#ifndef SOT_DATA_READERS_ARRAY_FILE_H
#define SOT_DATA_READERS_ARRAY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

typedef struct sot_array_file sot_array_file;

/* True if the name is that of an NPY or IDX file (data/readers/array/layout.h). */
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
void sot_array_file_close(sot_array_file *file); /* wipes the bytes it read; NULL is
                                                  * fine */

/* Rows, as the header or, of CIFAR-10, the size says; UINT64_MAX: only the end of the file does.
 * Secret, as every count of rows. */
uint64_t sot_array_file_rows(const sot_array_file *file);

/* Returns the number of rows to reserve memory for. 0 unless the size of the file, or the length
 * stated in a compressed one, agrees with the header. */
uint64_t sot_array_file_rows_hint(const sot_array_file *file);

/* The next row, `columns` numbers; *out_more is false at the end. */
SOTTO_MUST_CHECK sotto_status sot_array_file_next(sot_array_file *file,
                                                  double *out_values, bool *out_more,
                                                  sotto_error *error);

/* The row that was given last, where its numbers are bytes that lie together: as many as columns.
 * Else NULL. Until the next row. */
const unsigned char *sot_array_file_bytes(const sot_array_file *file);

#endif
