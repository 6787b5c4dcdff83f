/* data/readers/reader.h: the interface of readers. Each format has one: a table of functions and
 * of public facts. The list is data/readers/readers.c; data/source/format.h chooses one,
 * data/source/source.h uses it. No code outside of data/readers/ depends on the choice.
 *
 * Isolation: a record of a reader is a function of one stored record and of public facts
 * (data/stability.md).
 *
 * Totality: opening sees public facts (names, header, shape) and refuses a mismatch with the
 * schema. After that no record can stop a reader: every record gives one sot_record. Only the
 * medium can fail, and messages quote no record.
 *
 * Memory: bounded by the schema and by the format's public shape, not by a record.
 *
 * Proof note: src/data/stability.md; CONTRIBUTING.md explains how to add a reader.
 */
#ifndef SOT_DATA_READERS_READER_H
#define SOT_DATA_READERS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/array.h>
#include <sotto/data_file.h>
#include <sotto/schema.h>

#include "data/cells/value.h"
#include "data/readers/lines.h"
#include "data/readers/record.h"

/* The input of a reader. The schema and records in memory outlive the reader; the rest is
 * borrowed for the call. */
typedef struct sot_reader_input {
    const sotto_data_file *file;  /* NULL: records in memory */
    const sotto_records *records; /* NULL: a file */
    const sotto_schema *schema;
    bool without_target; /* the target, ids and ignored columns may be missing */
    /* With a table's schema: the columns whose raw cells `cell` is asked for, one flag per column; NULL: none. */
    const bool *wanted;
    /* The columns that a condition tests: a format with column names must have them.
     * NULL: none. */
    const bool *tested;
} sot_reader_input;

typedef struct sot_reader_kind {
    const char *name;   /* for people: "CSV" */
    const char *option; /* its name for --format; NULL: names and headers decide */

    /* Public facts of the format. */
    bool of_tables;   /* goes with a schema of "columns" */
    bool of_matrices; /* goes with a schema of "features" */
    bool has_names;   /* columns have names, and are matched by name in any order */
    bool has_ids; /* its cells can be texts, so that a column of ids can be one of them */
    bool takes_query; /* needs a table or a query; all others refuse both */
    bool is_sparse;   /* records list the features that are there */
    bool keeps_order; /* rows come in the stored order; false: the order may depend on the
                      * content of rows */
    /* The first line is a header in text, so that it may be looked at to refuse files of other formats. Where the first
     * bytes are a record's, they decide nothing. */
    bool begins_with_names;
    bool is_usual; /* of tables whose names state nothing */
    /* Where labels are, for the refusal of a file of labels; NULL: a file of labels belongs to it (matrix schema). */
    const char *labels;

    /* True if the name of the file is that of this format, for a schema of a matrix or of a
     * table. Opens no file. NULL: no name is. */
    bool (*is_named)(const char *path, bool is_matrix);

    /* True if the settings of the file can leave rows out. Opens no file. NULL: they
     * cannot. */
    bool (*selects)(const sotto_data_file *file);

    /* Opens and matches the header with the schema; no record is looked at. */
    sotto_status (*open)(const sot_reader_input *input, void **out_reader,
                         sotto_error *error);
    void (*close)(void *reader); /* wipes the bytes it read; NULL is fine */

    /* The next record; *out_more is false at the end. At most 2^32 records. The unit is filled in by data/source/source.c, from
     * `cell`; records in memory bring their own. */
    sotto_status (*next)(void *reader, sot_record *out_record, bool *out_more,
                         sotto_error *error);

    /* The raw cell of the current record in a column of a table's schema, one that was wanted. Never fails. NULL: the format
     * has none. */
    sot_value (*cell)(const void *reader, size_t column);

    /* Records, if that is known before the first one is read; 0: not known. Secret; for reserving memory. NULL: never known. */
    uint64_t (*rows_hint)(const void *reader);

    /* Checks that a learner can use the opened records. Public; called before the charge.
     * NULL: it can. */
    sotto_status (*check_training)(const void *reader, sotto_error *error);

    /* Reading on several threads. Both NULL: one record after another only. `lines` returns the lines behind the header,
     * each of which is one record. `fork` makes a second reader with the same public facts, of lines in memory
     * (lines.h); it borrows from the first. */
    sot_lines *(*lines)(void *reader);
    sotto_status (*fork)(const void *reader, void **out_fork, sotto_error *error);

    /* Reading again. All three NULL: the reader is of a file, which is opened again if it is still the same (its stamp). Else
     * whether it can be read again; from the first record on again; whether that gives the same records. */
    sotto_status (*check_rereading)(const void *reader, sotto_error *error);
    sotto_status (*rewind)(void *reader, sotto_error *error);
    sotto_status (*check_unchanged)(const void *reader, sotto_error *error);
} sot_reader_kind;

#endif
