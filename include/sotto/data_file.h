/* sotto/data_file.h: a file of records, with the facts that its name and schema do not give.
 *
 * Formats     The name, the schema and, for a table, its header decide, before anything is
 *             charged. A file of no known format is refused.
 *             - a table or a query is given: SQLite, with a table's schema
 *             - *.npy, *.npy.gz: NPY, an array of numbers
 *             - *.idx, *idx3-ubyte ... (.gz): IDX, the format of MNIST
 *             - a matrix schema, *.bin, *.bin.gz: CIFAR-10, records of a label and 3 x 32 x 32 pixels
 *             - a matrix schema, *.libsvm, *.svm, *.svmlight (.gz): LIBSVM
 *             - a table's schema, *.jsonl, *.ndjson (.gz): JSON lines
 *             - a table's schema, *.tsv, *.tab (.gz): TSV
 *             - a table's schema, other names (.gz): CSV, with the header's commas or semicolons
 * Docs        records.md
 */
#ifndef SOTTO_DATA_FILE_H
#define SOTTO_DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Texts are borrowed for the call. A function that takes only a path means {.path =
 * path}. */
typedef struct sotto_data_file {
    const char *path;
    /* NPY and IDX with a matrix schema: the file of the labels, NPY or IDX, one number per row. Not
     * needed for predictions, and CIFAR-10 has them in its records; NULL: none. Rows and labels are
     * joined by place: both files must be stored, or declared (`stored_table`). */
    const char *labels;
    /* SQLite, old spelling of `table` and `where`: SELECT columns FROM one table [WHERE condition]. NULL: none. */
    const char *query;
    /* Declares the format, one of sotto_data_format(): sotto then reads no byte to detect it. NULL: by name and
     * content. */
    const char *format;
    /* Declares that a stream holds every row of a stored table under the table's own column
     * names. A stream is anything but a named regular file, and every file behind a descriptor
     * (/dev/stdin, /dev/fd/N, /proc/N/fd/N). Without the declaration the number of its rows is
     * secret under both adjacencies. Labels and a schema with a unit are then refused
     * (stability.md). */
    bool stored_table;
    /* A database: the stored table whose columns the schema names. Other columns of the table are not read. NULL: the
     * file is no database, or `query` says it. */
    const char *table;
    /* A condition on the stored cells of each row, in one grammar for every format with column
     * names (records.md). Example: "age >= 18 AND town IN ('Lund', 'Ystad')". Other rows are not
     * read. The number of selected rows is secret under both adjacencies. NULL: all rows. */
    const char *where;
} sotto_data_file;

/* The formats that can be declared: "csv", "tsv", ...; NULL behind the last one. */
SOTTO_API const char *sotto_data_format(size_t index);

#ifdef __cplusplus
}
#endif
#endif
