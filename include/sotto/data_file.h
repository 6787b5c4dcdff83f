/* sotto/data_file.h: where records lie: a file, and what its name and the schema do not say.
 *
 * Formats     The schema and the file's name decide, never the content: where the first bytes are a
 *             record's, one record must not decide how all others are read.
 *               a query is given                   SQLite; a table's schema
 *               *.npy, *.npy.gz                    NPY: an array of numbers
 *               *.idx, *idx3-ubyte ... (.gz)       IDX: the format of MNIST
 *               a matrix schema, *.bin, *.bin.gz   CIFAR-10: records of a label and 3 x 32 x 32 pixels
 *               a table's schema, any other name   CSV; TSV for *.tsv, *.tsv.gz; plain or gzip
 *               a matrix schema, any other name    LIBSVM; gzip for *.gz
 * Docs        docs/records.md
 */
#ifndef SOTTO_DATA_FILE_H
#define SOTTO_DATA_FILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Texts are borrowed for the call. A function that takes a path alone means {.path = path}. */
typedef struct sotto_data_file {
    const char *path;
    /* NPY and IDX with a matrix schema: the file of the labels, NPY or IDX, one number a row. Not
     * needed for predictions, and CIFAR-10 has them in its records; NULL: none. */
    const char *labels;
    /* SQLite: SELECT columns FROM one table [WHERE condition]; NULL: the file is no database. */
    const char *query;
} sotto_data_file;

#ifdef __cplusplus
}
#endif
#endif
