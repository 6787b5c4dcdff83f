/* data/readers/text/libsvm.h: rows of a LIBSVM file, or gzip of one: "label index:value index:value ...".
 *
 * Isolation   A record is one line and nothing but that line.
 * Totality    Every line gives a record, a blank one too. Words are separated by blanks or tabs;
 *             `#` ends what counts of a line. The first word is the label unless it has a colon;
 *             a label that is no number, or none, is NaN. An entry is an index from 1 to the
 *             number of features, a colon and a decimal number; every other word is passed over
 *             without a trace, an index 0 or too large too. Of entries with the same index the first counts.
 * Refused     Only files that cannot be opened, or not read to their end. An empty file has no
 *             records; how many there are is nobody's business.
 * Packed      If the name ends in .gz. The first bytes cannot tell: they are a record's.
 * Memory      Bounded by the number of features: of a line only the first bytes are kept, 1 MiB
 *             and 32 bytes for each feature, 256 MiB at most.
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
void sot_libsvm_close(sot_libsvm *reader); /* wipes what it read; NULL is fine */

/* Fills indices (from 0), values, count and label; the rest of the record is NULL and 0. Borrowed
 * until the next call. At most 2^32 records. */
SOTTO_MUST_CHECK sotto_status sot_libsvm_next(sot_libsvm *reader, sot_record *out_record,
                                              bool *out_more, sotto_error *error);

#endif
