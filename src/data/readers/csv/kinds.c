/* The dialects of CSV and TSV, and their interface. */
#include "data/readers/csv/parts.h"

#include "data/readers/lines.h"
#include "data/readers/readers.h"

static bool is_csv(const char *path, bool is_matrix)
{
    (void)is_matrix;
    return sot_is_named(path, ".csv");
}

static bool is_tsv(const char *path, bool is_matrix)
{
    (void)is_matrix;
    return sot_is_named(path, ".tsv") || sot_is_named(path, ".tab");
}

/* One function for each dialect. A comma cannot both stand between cells and within numbers: there is none for that. */
#define OPEN(dialect, delimiter, decimal_comma)                                          \
    static sotto_status open_##dialect(const sot_reader_input *input, void **out_reader, \
                                       sotto_error *error)                               \
    {                                                                                    \
        sot_csv *csv = NULL;                                                             \
        const sotto_status status =                                                      \
            sot_csv_open_input(input, delimiter, decimal_comma, &csv, error);            \
        *out_reader = csv;                                                               \
        return status;                                                                   \
    }
OPEN(csv_file, '\0', false)
OPEN(comma, ',', false)
OPEN(semicolon, ';', false)
OPEN(decimal, ';', true)
OPEN(tsv, '\t', false)
OPEN(tsv_decimal, '\t', true)

static void close_reader(void *reader)
{
    sot_csv_close(reader);
}

static sot_lines *lines_of(void *reader)
{
    return ((sot_csv *)reader)->lines;
}

static sotto_status fork_reader(const void *reader, void **out_fork, sotto_error *error)
{
    sot_csv *fork = NULL;
    const sotto_status status = sot_csv_fork(reader, &fork, error);
    *out_fork = fork;
    return status;
}

static sotto_status next_record(void *reader, sot_record *out_record, bool *out_more,
                                sotto_error *error)
{
    sot_csv *csv = reader;
    *out_record = (sot_record){.cells = csv->values};
    return sot_csv_next(csv, csv->values, out_more, error);
}

static sot_value raw_cell(const void *reader, size_t column)
{
    const sot_csv_cell *text = &((const sot_csv *)reader)->raw[column];
    return sot_value_of_text(text->text, text->size_bytes);
}

#define TABLE_OF_TEXT                                                                    \
    .of_tables = true, .has_names = true, .has_ids = true, .keeps_order = true,          \
    .begins_with_names = true, .labels = "the target of a table is one of its columns",  \
    .close = close_reader, .next = next_record, .cell = raw_cell, .lines = lines_of,     \
    .fork = fork_reader

const sot_reader_kind sot_reader_csv = {.name = "CSV",
                                        .option = "csv",
                                        .is_usual = true,
                                        .is_named = is_csv,
                                        .open = open_csv_file,
                                        TABLE_OF_TEXT};

const sot_reader_kind sot_reader_csv_comma = {
    .name = "CSV with commas", .option = "csv-comma", .open = open_comma, TABLE_OF_TEXT};

const sot_reader_kind sot_reader_csv_semicolon = {.name = "CSV with semicolons",
                                                  .option = "csv-semicolon",
                                                  .open = open_semicolon,
                                                  TABLE_OF_TEXT};

const sot_reader_kind sot_reader_csv_decimal_comma = {
    .name = "CSV with semicolons and decimal commas",
    .option = "csv-decimal-comma",
    .open = open_decimal,
    TABLE_OF_TEXT};

const sot_reader_kind sot_reader_tsv = {
    .name = "TSV", .option = "tsv", .is_named = is_tsv, .open = open_tsv, TABLE_OF_TEXT};

const sot_reader_kind sot_reader_tsv_decimal_comma = {.name = "TSV with decimal commas",
                                                      .option = "tsv-decimal-comma",
                                                      .open = open_tsv_decimal,
                                                      TABLE_OF_TEXT};
