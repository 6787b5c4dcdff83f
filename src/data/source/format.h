/* data/source/format.h: which format a file of records has, decided before anything is charged.
 *
 * Declared    `file->format` decides, and no byte of the file is looked at.
 * Name        *.npy, *.idx, *idx3-ubyte, *.bin (with a matrix schema), *.libsvm, *.svm,
 *             *.svmlight, *.csv, *.tsv, *.tab, *.jsonl, *.ndjson, and with .gz. Names of formats
 *             that sotto does not read (*.parquet, *.json, *.png, ...) are refused.
 * Content     The first line of a table is its header, which is public. A file whose first line
 *             begins with the signature of another format (Parquet, PNG, ZIP, SQLite, ...) is
 *             refused. LIBSVM and JSON lines have no header. Their first line is a record, and no
 *             byte of it may decide: the name or --format does.
 * Proof note  src/data/stability.md, section "Format"
 */
#ifndef SOT_DATA_SOURCE_FORMAT_H
#define SOT_DATA_SOURCE_FORMAT_H

#include <stdbool.h>

#include <sotto/data_file.h>
#include <sotto/error.h>

#include "data/readers/reader.h"

/* Returns the reader of a file for a schema of a matrix, or of a table. Refuses an unknown format
 * (SOTTO_INVALID_ARGUMENT), and settings that do not fit the format. */
SOTTO_MUST_CHECK sotto_status sot_format_decide(const sotto_data_file *file,
                                                bool is_matrix,
                                                const sot_reader_kind **out_kind,
                                                sotto_error *error);

/* Names of the formats that `is_meant` says yes to, for messages: "NPY, IDX or CIFAR-10". Returns `text`. */
enum { SOT_FORMAT_LIST_BYTES = 128 };
const char *sot_format_list(bool (*is_meant)(const sot_reader_kind *kind),
                            char text[SOT_FORMAT_LIST_BYTES]);

#endif
