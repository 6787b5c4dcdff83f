#include "data/readers/array/rows.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/cells/cell.h"
#include "data/readers/array/layout.h"
#include "data/readers/readers.h"

struct sot_array_rows {
    const sotto_schema *schema;
    bool is_matrix;
    bool is_cifar;  /* the first number of a row is its label */
    size_t columns; /* without it */
    sot_array_file *features;
    sot_array_file *labels; /* NULL: none */
    uint32_t *indices;      /* of a matrix: 0, 1, 2, ... */
    double *values;
    double
        *raw; /* of a table: the numbers before the schema's bounds; NULL: not wanted */
};

static sotto_status open_labels(sot_array_rows *rows, const char *path,
                                const char *labels, bool without_target,
                                sotto_error *error)
{
    if (labels == NULL) {
        if (!rows->is_matrix || rows->is_cifar || without_target) return SOTTO_OK;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%.90s has features but no labels; give the file of its labels "
                        "too, for example `labels=labels.npy`",
                        path);
    }
    const sotto_status status =
        sot_array_file_open(labels, 1, "label", &rows->labels, error);
    if (status != SOTTO_OK) return status;
    if (sot_array_file_rows(rows->labels) == sot_array_file_rows(rows->features))
        return SOTTO_OK;
    return sot_fail(error, SOTTO_PARSE,
                    "%.90s has another number of labels than %.90s has rows; give the "
                    "files of one set",
                    labels, path);
}

static sotto_status open_features(sot_array_rows *rows, const char *path,
                                  sotto_error *error)
{
    if (!rows->is_cifar)
        return sot_array_file_open(path, rows->columns,
                                   rows->is_matrix ? "features" : "columns",
                                   &rows->features, error);
    if (rows->columns != SOT_CIFAR_FEATURES) {
        return sot_fail(
            error, SOTTO_PARSE,
            "%.90s is CIFAR-10 by its name (3072 numbers per row), but the schema has "
            "%zu features; add \"shape\": [3, 32, 32], or rename the file",
            path, rows->columns);
    }
    return sot_array_file_open(path, SOT_CIFAR_RECORD_BYTES, "bytes", &rows->features,
                               error);
}

sotto_status sot_array_rows_open(const char *path, const char *labels,
                                 const sotto_schema *schema, bool without_target,
                                 sot_array_rows **out_rows, sotto_error *error)
{
    sot_array_rows *rows = sot_new_array(1, sizeof *rows);
    if (rows == NULL) return sot_fail_memory(error, 1, sizeof *rows);
    rows->schema = schema;
    rows->is_matrix = sotto_schema_is_matrix(schema);
    rows->columns =
        rows->is_matrix ? sotto_schema_features(schema) : sotto_schema_size(schema);
    rows->is_cifar = rows->is_matrix && sot_cifar_is_named(path);
    sotto_status status = open_features(rows, path, error);
    if (status == SOTTO_OK)
        status = open_labels(rows, path, labels, without_target, error);
    if (status == SOTTO_OK) {
        rows->values = sot_new_array(rows->columns + 1, sizeof *rows->values);
        rows->indices = sot_new_array(rows->columns, sizeof *rows->indices);
        if (rows->values == NULL || rows->indices == NULL)
            status = sot_fail_memory(error, rows->columns, sizeof *rows->values);
    }
    if (status != SOTTO_OK) {
        sot_array_rows_close(rows);
        return status;
    }
    for (size_t i = 0; i < rows->columns; i++)
        rows->indices[i] = (uint32_t)i;
    *out_rows = rows;
    return SOTTO_OK;
}

void sot_array_rows_close(sot_array_rows *rows)
{
    if (rows == NULL) return;
    sot_array_file_close(rows->features);
    sot_array_file_close(rows->labels);
    sot_wipe_and_free(rows->values, (rows->columns + 1) * sizeof *rows->values);
    if (rows->raw != NULL)
        sot_wipe_and_free(rows->raw, rows->columns * sizeof *rows->raw);
    sot_free(rows->indices);
    sot_free(rows);
}

uint64_t sot_array_rows_hint(const sot_array_rows *rows)
{
    return sot_array_file_rows_hint(rows->features);
}

sotto_status sot_array_rows_next(sot_array_rows *rows, sot_record *out_record,
                                 bool *out_more, sotto_error *error)
{
    double label = (double)NAN;
    sotto_status status =
        sot_array_file_next(rows->features, rows->values, out_more, error);
    /* At the end too: a file of labels must end where the features do. */
    if (status == SOTTO_OK && rows->labels != NULL)
        status = sot_array_file_next(rows->labels, &label, out_more, error);
    if (status != SOTTO_OK || !*out_more) return status;
    if (rows->is_matrix) {
        const size_t first = rows->is_cifar ? 1 : 0;
        const unsigned char *bytes = sot_array_file_bytes(rows->features);
        if (rows->is_cifar) label = rows->values[0];
        *out_record = (sot_record){.indices = rows->indices,
                                   .values = rows->values + first,
                                   .count = rows->columns,
                                   .bytes = bytes == NULL ? NULL : bytes + first,
                                   .label = label};
        return SOTTO_OK;
    }
    if (rows->raw != NULL)
        memcpy(rows->raw, rows->values, rows->columns * sizeof *rows->raw);
    for (size_t i = 0; i < rows->columns; i++) {
        rows->values[i] =
            sot_cell_of_number(sotto_schema_column(rows->schema, i), rows->values[i]);
    }
    *out_record = (sot_record){.cells = rows->values};
    return SOTTO_OK;
}

/* ---- the interface ---- */

static sotto_status open_reader(const sot_reader_input *input, void **out_reader,
                                sotto_error *error)
{
    sot_array_rows *rows = NULL;
    sotto_status status =
        sot_array_rows_open(input->file->path, input->file->labels, input->schema,
                            input->without_target, &rows, error);
    if (status == SOTTO_OK && input->wanted != NULL) {
        rows->raw = sot_new_array(rows->columns, sizeof *rows->raw);
        if (rows->raw == NULL) {
            status = sot_fail_memory(error, rows->columns, sizeof *rows->raw);
            sot_array_rows_close(rows);
            rows = NULL;
        }
    }
    *out_reader = rows;
    return status;
}

static void close_reader(void *reader)
{
    sot_array_rows_close(reader);
}

static sotto_status next_record(void *reader, sot_record *out_record, bool *out_more,
                                sotto_error *error)
{
    return sot_array_rows_next(reader, out_record, out_more, error);
}

static sot_value raw_cell(const void *reader, size_t column)
{
    return sot_value_of_number(((const sot_array_rows *)reader)->raw[column]);
}

static uint64_t rows_hint(const void *reader)
{
    return sot_array_rows_hint(reader);
}

static bool is_npy(const char *path, bool is_matrix)
{
    (void)is_matrix;
    return sot_npy_is_named(path);
}

static bool is_idx(const char *path, bool is_matrix)
{
    (void)is_matrix;
    return sot_idx_is_named(path);
}

static bool is_cifar(const char *path, bool is_matrix)
{
    return is_matrix && sot_cifar_is_named(path);
}

#define ARRAY                                                                            \
    .of_matrices = true, .keeps_order = true, .open = open_reader,                       \
    .close = close_reader, .next = next_record, .rows_hint = rows_hint

const sot_reader_kind sot_reader_npy = {
    .name = "NPY", .of_tables = true, .is_named = is_npy, .cell = raw_cell, ARRAY};

const sot_reader_kind sot_reader_idx = {
    .name = "IDX", .of_tables = true, .is_named = is_idx, .cell = raw_cell, ARRAY};

const sot_reader_kind sot_reader_cifar = {.name = "CIFAR-10",
                                          .labels = "CIFAR-10 carries its own",
                                          .is_named = is_cifar,
                                          ARRAY};
