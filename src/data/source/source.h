/* data/source/source.h: the source of records: a file (sotto/data_file.h lists the formats), or
 * arrays in memory.
 *
 * Opening sees public facts (the file's name, its header, the arrays' shapes) and refuses a
 * mismatch with the schema. After that no record can stop it: only the medium can fail.
 */
#ifndef SOT_DATA_SOURCE_SOURCE_H
#define SOT_DATA_SOURCE_SOURCE_H

#include <stdbool.h>

#include <sotto/array.h>
#include <sotto/data_file.h>
#include <sotto/schema.h>

#include "data/readers/record.h"

typedef struct sot_source sot_source;

/* The relation of the rows that are read to the stored records (data/stability.md). Public: from the settings and the
 * kind of file. */
typedef enum sot_origin {
    SOT_ROWS_STORED = 1, /* all rows of a stored table, read by sotto itself */
    SOT_ROWS_DECLARED =
        2, /* a stream, declared by the caller to hold all rows of a stored table */
    SOT_ROWS_GIVEN = 3,            /* records in memory, all of them: the caller's word */
    SOT_ROWS_SELECTED = 4,         /* a condition on the rows of a stored table */
    SOT_ROWS_STREAMED = 5,         /* the output of a program that sotto did not run */
    SOT_ROWS_DECLARED_SELECTED = 6 /* a condition on a declared stream */
} sot_origin;

/* A file is stored if it is regular and has a name. Others are streams, which a program may have
 * made for this run. They are a pipe, a device, a file without a name (unlinked, memfd), and
 * everything behind a descriptor. Examples of the last are /dev/stdin, /dev/fd/N and
 * /proc/N/fd/N. With labels both files must be stored. */
sot_origin sot_origin_of_file(const sotto_data_file *file);
sot_origin sot_origin_of_records(const sotto_records *records);

/* The origin of the file, or of the records (`file` NULL). SOTTO_IO when the system does not state it: a guess would make the same run
 * another one, which is charged again. */
SOTTO_MUST_CHECK sotto_status sot_origin_find(const sotto_data_file *file,
                                              const sotto_records *records,
                                              sot_origin *out_origin, sotto_error *error);

/* "stored", "declared", ...; "none" for 0, "unknown" for all else. */
const char *sot_origin_name(sot_origin origin);

/* The origin of the rows that a condition leaves. */
sot_origin sot_origin_selected(sot_origin origin);

/* True if the number of rows is secret under both adjacencies: a condition or an unknown program
 * may have left records out. */
bool sot_rows_are_secret(sot_origin origin);

/* True if the caller declared a stream to be a stored table. */
bool sot_rows_are_declared(sot_origin origin);

/* Sets whether the rows of a file come in their stored order, for any content. Public. False for
 * a format that is refused: opening the file gives the reason. A failure to read the file is an
 * error. */
SOTTO_MUST_CHECK sotto_status sot_file_keeps_order(const sotto_data_file *file,
                                                   const sotto_schema *schema,
                                                   bool *out_keeps, sotto_error *error);

/* True if the file has only features, and no file of labels is given. Public. */
bool sot_file_lacks_labels(const sotto_data_file *file, const sotto_schema *schema);

/* data/source/format.h decides the format. With `without_target`
 * the file may lack the target, and columns of type id and ignore (prediction). The schema must
 * outlive the source; the texts of `file` are copied. */
SOTTO_MUST_CHECK sotto_status sot_source_open(const sotto_data_file *file,
                                              const sotto_schema *schema,
                                              bool without_target,
                                              sot_source **out_source,
                                              sotto_error *error);

/* The same for a path. */
SOTTO_MUST_CHECK sotto_status sot_source_open_file(const char *path,
                                                   const sotto_schema *schema,
                                                   bool without_target,
                                                   sot_source **out_source,
                                                   sotto_error *error);

/* The records are borrowed. Labels and units may be left out: the label is then NaN, and the unit
 * NULL. Missing are: a cell that is not finite, a fraction in an integer column, a place outside
 * a category's values, and anything but 0 and 1 for a boolean. Numbers are clipped. */
SOTTO_MUST_CHECK sotto_status sot_source_open_records(const sotto_records *records,
                                                      const sotto_schema *schema,
                                                      sot_source **out_source,
                                                      sotto_error *error);
void sot_source_close(sot_source *source); /* wipes the records it read; NULL is fine */

/* The condition on its rows in canonical form, borrowed; NULL: there is none. Public. */
const char *sot_source_where(const sot_source *source);

/* Checks that a learner can use it: records in memory need labels with a matrix schema, and units
 * if the schema has one. Public; called before the charge. */
SOTTO_MUST_CHECK sotto_status sot_source_check_training(const sot_source *source,
                                                        sotto_error *error);

/* Checks that it can be read more than once: not a pipe, not records in memory.
 * Public. */
SOTTO_MUST_CHECK sotto_status sot_source_check_rereading(const sot_source *source,
                                                         sotto_error *error);

/* From the first record on again. A file is opened again, and refused if it is not the one that was
 * opened first, untouched since (device, number, size, times): SOTTO_IO. A query gives the rows of
 * its snapshot. Sources that sot_source_check_rereading() lets pass. */
SOTTO_MUST_CHECK sotto_status sot_source_rewind(sot_source *source, sotto_error *error);

/* The same question without a new pass: for its end. */
SOTTO_MUST_CHECK sotto_status sot_source_check_unchanged(const sot_source *source,
                                                         sotto_error *error);

/* True if records list only the present features (LIBSVM). Public. */
bool sot_source_is_sparse(const sot_source *source);

/* Returns the number of records if it is known before the first one is read. That is so in
 * memory, and in an array file whose size agrees with its header. 0: not known. Secret; for
 * reserving memory. */
uint64_t sot_source_rows(const sot_source *source);

/* Sets the number of threads that data/source/parallel.h uses: 0: one per CPU; 1, the default: the calling one. It
 * changes no record. */
void sot_source_set_threads(sot_source *source, size_t threads);

/* The next record that the condition selects; *out_more is false at the end. At most 2^32 records. */
SOTTO_MUST_CHECK sotto_status sot_source_next(sot_source *source, sot_record *out_record,
                                              bool *out_more, sotto_error *error);

#endif
