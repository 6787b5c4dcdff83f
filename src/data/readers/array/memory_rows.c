#include "data/readers/array/memory_rows.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/cells/cell.h"
#include "data/readers/array/view.h"
#include "data/readers/readers.h"

static const uint64_t rows_max = UINT64_C(1) << 32;

struct sot_memory_rows {
    const sotto_schema *schema;
    sotto_records records;
    bool is_matrix;
    size_t next;                /* row */
    char id[SOT_UNIT_ID_BYTES]; /* of the current row's unit */
    size_t id_bytes;
    uint32_t *indices; /* of a matrix: 0, 1, 2, ... */
    double *values;    /* the current row, where it had to be converted */
};

/* ---- shapes ---- */

static sotto_status check_records(const sotto_records *records,
                                  const sotto_schema *schema, sotto_error *error)
{
    const bool is_matrix = sotto_schema_is_matrix(schema);
    const size_t columns =
        is_matrix ? sotto_schema_features(schema) : sotto_schema_size(schema);
    const sotto_array *features = &records->features;
    if (features->columns != columns) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the records have %zu columns, the schema %zu %s; give them all, in "
            "the schema's order",
            features->columns, columns, is_matrix ? "features" : "columns");
    }
    if ((uint64_t)features->rows > rows_max) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are more than 2^32 records; are they the right ones?");
    }
    sotto_status status = sot_view_check(features, "records", error);
    if (status == SOTTO_OK && is_matrix)
        status = sot_view_check_labels(&records->labels, features->rows, error);
    return status == SOTTO_OK
               ? sot_view_check_units(&records->units, features->rows, error)
               : status;
}

sotto_status sot_memory_rows_check_training(const sot_memory_rows *rows,
                                            sotto_error *error)
{
    const bool empty = rows->records.features.rows == 0;
    if (!empty && rows->is_matrix && rows->records.labels.rows == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the records have no labels; give one for each row");
    }
    if (!empty && sotto_schema_unit_rows(rows->schema) > 0 &&
        rows->records.units.rows == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema has a unit, but the records have no units; give the "
                        "id of each row's unit");
    }
    return SOTTO_OK;
}

/* ---- records ---- */

/* The features of a row where they lie, if they lie like an array of doubles. */
static const double *lies_ready(const sotto_array *features, size_t row)
{
    const char *from = sot_view_at(features, row, 0);
    return features->element == SOTTO_FLOAT64 &&
                   features->column_stride_bytes == sizeof(double) &&
                   (uintptr_t)from % _Alignof(double) == 0
               ? (const double *)(const void *)from
               : NULL;
}

/* The same for bytes. */
static const unsigned char *lies_in_bytes(const sotto_array *features, size_t row)
{
    return features->element == SOTTO_UINT8 && features->column_stride_bytes == 1
               ? (const unsigned char *)sot_view_at(features, row, 0)
               : NULL;
}

static void fill_features(sot_memory_rows *rows, size_t row, sot_record *out_record)
{
    const sotto_array *features = &rows->records.features;
    out_record->indices = rows->indices;
    out_record->count = features->columns;
    out_record->values = lies_ready(features, row);
    out_record->bytes = lies_in_bytes(features, row);
    if (out_record->bytes != NULL) {
        for (size_t i = 0; i < features->columns; i++)
            rows->values[i] = (double)out_record->bytes[i];
        out_record->values = rows->values;
    } else if (out_record->values == NULL) {
        for (size_t i = 0; i < features->columns; i++)
            rows->values[i] = sot_view_number(features, row, i);
        out_record->values = rows->values;
    }
    out_record->label = rows->records.labels.rows == 0
                            ? (double)NAN
                            : sot_view_number(&rows->records.labels, row, 0);
}

static void fill_cells(sot_memory_rows *rows, size_t row, sot_record *out_record)
{
    const sotto_array *features = &rows->records.features;
    for (size_t i = 0; i < features->columns; i++) {
        rows->values[i] = sot_cell_of_number(sotto_schema_column(rows->schema, i),
                                             sot_view_number(features, row, i));
    }
    out_record->cells = rows->values;
}

static void fill_unit(sot_memory_rows *rows, size_t row, sot_record *out_record)
{
    rows->id_bytes = sot_view_id(&rows->records.units, row, rows->id);
    out_record->unit = rows->id;
    out_record->unit_bytes = rows->id_bytes;
}

bool sot_memory_rows_next(sot_memory_rows *rows, sot_record *out_record)
{
    if (rows->next == rows->records.features.rows) return false;
    const size_t row = rows->next++;
    *out_record = (sot_record){0};
    if (rows->is_matrix) {
        fill_features(rows, row, out_record);
    } else {
        fill_cells(rows, row, out_record);
    }
    if (sotto_schema_unit_rows(rows->schema) > 0 && rows->records.units.rows > 0)
        fill_unit(rows, row, out_record);
    return true;
}

size_t sot_memory_rows_count(const sot_memory_rows *rows)
{
    return rows->records.features.rows;
}

sotto_status sot_memory_rows_open(const sotto_records *records,
                                  const sotto_schema *schema, sot_memory_rows **out_rows,
                                  sotto_error *error)
{
    sotto_status status = check_records(records, schema, error);
    if (status != SOTTO_OK) return status;
    const size_t columns = records->features.columns;
    sot_memory_rows *rows = sot_new_array(1, sizeof *rows);
    if (rows == NULL) return sot_fail_memory(error, 1, sizeof *rows);
    rows->schema = schema;
    rows->records = *records;
    rows->is_matrix = sotto_schema_is_matrix(schema);
    rows->values = sot_new_array(columns, sizeof *rows->values);
    rows->indices = sot_new_array(columns, sizeof *rows->indices);
    if (rows->values == NULL || rows->indices == NULL) {
        sot_memory_rows_close(rows);
        return sot_fail_memory(error, columns, sizeof *rows->values);
    }
    for (size_t i = 0; i < columns; i++)
        rows->indices[i] = (uint32_t)i;
    *out_rows = rows;
    return SOTTO_OK;
}

void sot_memory_rows_close(sot_memory_rows *rows)
{
    if (rows == NULL) return;
    sot_wipe_and_free(rows->values,
                      rows->records.features.columns * sizeof *rows->values);
    sot_free(rows->indices);
    sot_wipe_and_free(rows, sizeof *rows);
}

/* ---- the interface ---- */

static sotto_status open_reader(const sot_reader_input *input, void **out_reader,
                                sotto_error *error)
{
    sot_memory_rows *rows = NULL;
    const sotto_status status =
        sot_memory_rows_open(input->records, input->schema, &rows, error);
    *out_reader = rows;
    return status;
}

static void close_reader(void *reader)
{
    sot_memory_rows_close(reader);
}

static sotto_status next_record(void *reader, sot_record *out_record, bool *out_more,
                                sotto_error *error)
{
    (void)error;
    *out_more = sot_memory_rows_next(reader, out_record);
    return SOTTO_OK;
}

/* The unit's id comes beside the cells; other ids are not there. */
static sot_value raw_cell(const void *reader, size_t column)
{
    const sot_memory_rows *rows = reader;
    const sotto_column *described = sotto_schema_column(rows->schema, column);
    if (described->type == SOTTO_COLUMN_ID) {
        const char *unit = sotto_schema_unit(rows->schema);
        return unit != NULL && strcmp(unit, described->name) == 0
                   ? sot_value_of_text(rows->id, rows->id_bytes)
                   : sot_value_of_text(NULL, 0);
    }
    return sot_value_of_number(
        sot_view_number(&rows->records.features, rows->next - 1, column));
}

static uint64_t rows_hint(const void *reader)
{
    return sot_memory_rows_count(reader);
}

static sotto_status check_training(const void *reader, sotto_error *error)
{
    return sot_memory_rows_check_training(reader, error);
}

static sotto_status check_rereading(const void *reader, sotto_error *error)
{
    (void)reader;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`stream` is given, but the records are in memory; leave `stream` out");
}

static sotto_status rewind_reader(void *reader, sotto_error *error)
{
    (void)error;
    ((sot_memory_rows *)reader)->next = 0;
    return SOTTO_OK;
}

static sotto_status check_unchanged(const void *reader, sotto_error *error)
{
    (void)reader;
    (void)error;
    return SOTTO_OK; /* the caller lends them, and does not change them */
}

const sot_reader_kind sot_reader_memory = {
    .name = "records in memory",
    .of_tables = true,
    .of_matrices = true,
    .has_ids = true,
    .keeps_order = true,
    .open = open_reader,
    .close = close_reader,
    .next = next_record,
    .cell = raw_cell,
    .rows_hint = rows_hint,
    .check_training = check_training,
    .check_rereading = check_rereading,
    .rewind = rewind_reader,
    .check_unchanged = check_unchanged,
};
