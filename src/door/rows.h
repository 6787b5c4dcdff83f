/* door/rows.h: the content of a sotto_rows handle. */
#ifndef SOT_DOOR_ROWS_H
#define SOT_DOOR_ROWS_H

#include <sotto/arrow.h>
#include <sotto/sotto.h>

enum { SOT_ROWS_TEXTS = 6 };

/* A file, or records. */
struct sotto_rows {
    sotto_data_file file;        /* path NULL: these are records */
    char *texts[SOT_ROWS_TEXTS]; /* owned: those of the file */
    sotto_records records;
    sotto_sparse sparse; /* where records.sparse points */
    struct ArrowArrayStream stream;
};

/* The file, or NULL; the records, or NULL. */
const sotto_data_file *sot_rows_file(const sotto_rows *rows);
const sotto_records *sot_rows_records(const sotto_rows *rows);

/* SOTTO_INVALID_ARGUMENT for NULL, and for a stream that has been read. */
SOTTO_MUST_CHECK sotto_status sot_rows_check(const sotto_rows *rows, sotto_error *error);

#endif
