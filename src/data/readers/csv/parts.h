/* data/readers/csv/parts.h: the state of a CSV reader. Private to this folder. */
#ifndef SOT_DATA_READERS_CSV_PARTS_H
#define SOT_DATA_READERS_CSV_PARTS_H

#include <stdint.h>

#include "data/cells/words.h"
#include "data/readers/csv/csv.h"
#include "data/readers/lines.h"
#include "data/readers/reader.h"

/* The meaning of the cells of one column of the file. */
typedef struct sot_csv_field {
    size_t column; /* of the schema */
    const sotto_column *described;
    sot_words *categories; /* of a category */
    bool is_raw;           /* an id, or wanted: its text is asked for */
    bool is_plain;         /* a number as C writes it, whose text is not asked for */
    char *kept;            /* of its cell in a truncated line */
    size_t kept_room;
} sot_csv_field;

struct sot_csv {
    const sotto_schema *schema;
    const char *path;   /* the caller's, while the file is opened */
    const bool *wanted; /* likewise */
    sot_lines *lines;
    char delimiter; /* '\0': the header decides */
    bool decimal_comma;
    sot_csv_field *fields; /* the columns of the file, then those that it lacks */
    size_t field_count;    /* in the file */
    sot_csv_cell *raw;     /* schema column -> text of its cell in the current row */
    double *values;        /* the current row: one for each column of the schema */
    char *kept;            /* of all fields */
    size_t kept_bytes;
    uint64_t rows;
    bool is_fork; /* the categories are borrowed */
};

/* Opens the file; `delimiter` '\0': the header decides. */
SOTTO_MUST_CHECK sotto_status sot_csv_open_input(const sot_reader_input *input,
                                                 char delimiter, bool decimal_comma,
                                                 sot_csv **out_csv, sotto_error *error);

/* A second reader of the same columns, of lines in memory; it borrows from the first. */
SOTTO_MUST_CHECK sotto_status sot_csv_fork(const sot_csv *of, sot_csv **out_fork,
                                           sotto_error *error);

/* The value of any text as a cell of the field. */
double sot_csv_cell_value(sot_csv *csv, const sot_csv_field *field, sot_csv_cell text);

/* The value of a cell that is not there. */
double sot_csv_absent_cell(sot_csv *csv, const sot_csv_field *field);

bool sot_csv_is_number(const sot_csv_field *field);

/* Reads the first line: delimiter and fields (header.c). */
SOTTO_MUST_CHECK sotto_status sot_csv_read_header(sot_csv *csv,
                                                  const sot_reader_input *input,
                                                  sotto_error *error);

/* Reads the row of a truncated line; `bytes` are the kept bytes (long.c). */
SOTTO_MUST_CHECK sotto_status sot_csv_read_long_row(sot_csv *csv, const char *bytes,
                                                    size_t size_bytes, double *out_values,
                                                    sotto_error *error);

#endif
