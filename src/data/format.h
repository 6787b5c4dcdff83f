/* data/format.h: which format a file of records has, decided before anything is charged.
 *
 * Declared    `file->format` decides, and no byte of the file is looked at.
 * Name        *.npy, *.idx, *idx3-ubyte, *.bin (with a matrix schema), *.libsvm, *.svm, *.svmlight,
 *             *.csv, *.tsv and their .gz forms. Names of formats that sotto does not read (*.parquet,
 *             *.json, *.png, ...) are refused.
 * Content     The first line of a table is its header, which is public: a file whose first line begins with the
 *             signature of another format (Parquet, PNG, ZIP, SQLite, ...) is refused. LIBSVM has no header; its
 *             first line is a record, and no byte of it decides anything: its name or --format must tell.
 * Proof note  src/data/stability.md, section "Format"
 */
#ifndef SOT_DATA_FORMAT_H
#define SOT_DATA_FORMAT_H

#include <stdbool.h>

#include <sotto/data_file.h>
#include <sotto/error.h>

typedef enum sot_format {
    SOT_FORMAT_CSV = 1,
    SOT_FORMAT_TSV,
    SOT_FORMAT_LIBSVM,
    SOT_FORMAT_NPY,
    SOT_FORMAT_IDX,
    SOT_FORMAT_CIFAR,
    SOT_FORMAT_SQLITE
} sot_format;

/* The format of a file for a schema of a matrix, or of a table. Refuses what it does not recognise
 * (SOTTO_INVALID_ARGUMENT), and settings that do not go with the format. */
SOTTO_MUST_CHECK sotto_status sot_format_decide(const sotto_data_file *file,
                                                bool is_matrix, sot_format *out_format,
                                                sotto_error *error);

#endif
