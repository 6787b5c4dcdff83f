/* data/source.h: where records come from: a CSV, TSV or LIBSVM file, or arrays in memory.
 *
 * Opening sees what is public (the file's name, its header, the arrays' shapes) and refuses what
 * does not fit the schema. After that no record can stop it: the only failures are of the medium.
 */
#ifndef SOT_DATA_SOURCE_H
#define SOT_DATA_SOURCE_H

#include <stdbool.h>

#include <sotto/array.h>
#include <sotto/schema.h>

#include "data/record.h"

typedef struct sot_source sot_source;

/* A matrix schema asks for LIBSVM, a table's for CSV, or TSV by its name. CSV may be gzip, which
 * its first bytes tell; LIBSVM too, which its name tells (.gz): its first bytes are a record's. With `without_target` the file may lack the target column, and those of type id and
 * ignore (prediction). The schema must outlive the source. */
SOTTO_MUST_CHECK sotto_status sot_source_open_file(const char *path,
                                                   const sotto_schema *schema,
                                                   bool without_target,
                                                   sot_source **out_source,
                                                   sotto_error *error);

/* The records are borrowed. Labels and units may be left out: the label is then NaN, and the unit
 * NULL. A cell that is not finite, a fraction in an integer column, a place outside a category's
 * values, and anything but 0 and 1 for a boolean count as missing; numbers are clipped. */
SOTTO_MUST_CHECK sotto_status sot_source_open_records(const sotto_records *records,
                                                      const sotto_schema *schema,
                                                      sot_source **out_source,
                                                      sotto_error *error);
void sot_source_close(sot_source *source); /* wipes what it read; NULL is fine */

/* Whether a learner can use it: records in memory need labels with a matrix schema, and units
 * when the schema has one. Public; for before the charge. */
SOTTO_MUST_CHECK sotto_status sot_source_check_training(const sot_source *source,
                                                        sotto_error *error);

/* Whether records list the features that are there (LIBSVM) rather than all of them. Public. */
bool sot_source_is_sparse(const sot_source *source);

/* The next record; *out_more is false at the end. At most 2^32 records. */
SOTTO_MUST_CHECK sotto_status sot_source_next(sot_source *source, sot_record *out_record,
                                              bool *out_more, sotto_error *error);

#endif
