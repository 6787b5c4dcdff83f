/* data/readers/text/libsvm.h: rows of a LIBSVM file, plain or gzip: "label index:value
 * index:value ...".
 *
 * Isolation: a record is exactly one line.
 *
 * Totality: every line gives a record, a blank one too. Words are separated by blanks or tabs;
 * `#` starts a comment. The first word is the label unless it has a colon. A missing or malformed
 * label is NaN. An entry is an index from 1 to the number of features, a colon and a decimal
 * number. Every other word is ignored silently, also an index 0 or too large. The first of
 * entries with the same index counts.
 *
 * Refused: only files that cannot be opened, or not read to their end. An empty file has no
 * records; their number is secret.
 *
 * Compression: if the name ends in .gz. The first bytes cannot decide: they are a record's.
 *
 * Memory: bounded by the number of features. Only the first bytes of a line are kept, 1 MiB and
 * 32 bytes for each feature, 256 MiB at most.
 */
#ifndef SOT_DATA_READERS_TEXT_LIBSVM_H
#define SOT_DATA_READERS_TEXT_LIBSVM_H

#include <stdbool.h>

#include <sotto/error.h>

#include "data/readers/record.h"

typedef struct sot_libsvm sot_libsvm;

SOTTO_MUST_CHECK sotto_status sot_libsvm_open(const char *path, size_t features,
                                              sot_libsvm **out_reader,
                                              sotto_error *error);
void sot_libsvm_close(sot_libsvm *reader); /* wipes the lines it read; NULL is fine */

/* Fills indices (from 0), values, count and label; the rest of the record is NULL and 0. Borrowed
 * until the next call. At most 2^32 records. */
SOTTO_MUST_CHECK sotto_status sot_libsvm_next(sot_libsvm *reader, sot_record *out_record,
                                              bool *out_more, sotto_error *error);

#endif
