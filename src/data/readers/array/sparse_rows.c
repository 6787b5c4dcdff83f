#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/readers/array/view.h"
#include "data/readers/readers.h"

static const uint64_t rows_max = UINT64_C(1) << 32;

typedef struct sparse_rows {
    const sotto_schema *schema;
    sotto_sparse entries;
    sotto_array labels, units;
    size_t rows, features, next;
    uint32_t *indices; /* of the current row */
    double *values;
    char id[SOT_UNIT_ID_BYTES];
} sparse_rows;

static bool is_place(sotto_element element)
{
    return element == SOTTO_INT32 || element == SOTTO_INT64;
}

static sotto_status check_shapes(const sotto_sparse *entries, sotto_error *error)
{
    const sotto_array *starts = &entries->starts, *indices = &entries->indices;
    if (!is_place(starts->element) || !is_place(indices->element) || starts->rows == 0 ||
        starts->columns != 1 || indices->columns != 1 || entries->values.columns != 1 ||
        indices->rows != entries->values.rows || (uint64_t)starts->rows - 1 > rows_max) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "sparse records need rows + 1 starts (at most 2^32 rows) and one index per "
            "value, in one column each of SOTTO_INT32 or SOTTO_INT64");
    }
    sotto_status status = sot_view_check(starts, "starts", error);
    if (status == SOTTO_OK) status = sot_view_check(indices, "indices", error);
    if (status == SOTTO_OK) status = sot_view_check(&entries->values, "values", error);
    return status;
}

static void close_sparse(void *reader)
{
    sparse_rows *rows = reader;
    if (rows == NULL) return;
    sot_wipe_and_free(rows->indices, rows->features * sizeof *rows->indices);
    sot_wipe_and_free(rows->values, rows->features * sizeof *rows->values);
    sot_wipe_and_free(rows, sizeof *rows);
}

static sotto_status check_input(const sot_reader_input *input, sotto_error *error)
{
    const sotto_records *records = input->records;
    if (!sotto_schema_is_matrix(input->schema) || records->features.rows > 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "sparse records go with a schema of \"features\", and in place of "
            "other features; give a dense array, or such a schema");
    }
    sotto_status status = check_shapes(records->sparse, error);
    const size_t count = status == SOTTO_OK ? records->sparse->starts.rows - 1 : 0;
    if (status == SOTTO_OK)
        status = sot_view_check_labels(&records->labels, count, error);
    if (status == SOTTO_OK) status = sot_view_check_units(&records->units, count, error);
    return status;
}

static sotto_status open_sparse(const sot_reader_input *input, void **out_reader,
                                sotto_error *error)
{
    const sotto_records *records = input->records;
    const sotto_status status = check_input(input, error);
    if (status != SOTTO_OK) return status;
    sparse_rows *rows = sot_new_array(1, sizeof *rows);
    if (rows == NULL) return sot_fail_memory(error, 1, sizeof *rows);
    rows->schema = input->schema;
    rows->entries = *records->sparse;
    rows->labels = records->labels;
    rows->units = records->units;
    rows->rows = records->sparse->starts.rows - 1;
    rows->features = sotto_schema_features(input->schema);
    rows->indices = sot_new_array(rows->features, sizeof *rows->indices);
    rows->values = sot_new_array(rows->features, sizeof *rows->values);
    if (rows->indices == NULL || rows->values == NULL) {
        const size_t features = rows->features;
        close_sparse(rows);
        return sot_fail_memory(error, features, sizeof *rows->values);
    }
    *out_reader = rows;
    return SOTTO_OK;
}

static sotto_status check_training(const void *reader, sotto_error *error)
{
    const sparse_rows *rows = reader;
    if (rows->rows > 0 && rows->labels.rows == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the records have no labels; give one for each row");
    }
    if (rows->rows > 0 && rows->units.rows == 0 &&
        sotto_schema_unit_rows(rows->schema) > 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the schema has a unit, but the records have no units; give the id "
            "of each row's unit");
    }
    return SOTTO_OK;
}

/* Every place fits a double exactly, or is far beyond all features and entries. */
static double place_at(const sotto_array *places, size_t row)
{
    return sot_view_number(places, row, 0);
}

static size_t take_entries(sparse_rows *rows, size_t row)
{
    const double from = place_at(&rows->entries.starts, row),
                 to = place_at(&rows->entries.starts, row + 1);
    size_t count = 0;
    if (!(from >= 0.0 && from <= to && to <= (double)rows->entries.indices.rows))
        return 0;
    for (size_t i = (size_t)from; i < (size_t)to; i++) {
        const double index = place_at(&rows->entries.indices, i);
        const double lowest = count == 0 ? 0.0 : (double)rows->indices[count - 1] + 1.0;
        if (!(index >= lowest && index < (double)rows->features)) continue;
        rows->indices[count] = (uint32_t)index;
        rows->values[count++] = sot_view_number(&rows->entries.values, i, 0);
    }
    return count;
}

static sotto_status next_sparse(void *reader, sot_record *out_record, bool *out_more,
                                sotto_error *error)
{
    sparse_rows *rows = reader;
    (void)error;
    *out_more = rows->next < rows->rows;
    if (!*out_more) return SOTTO_OK;
    const size_t row = rows->next++;
    *out_record = (sot_record){.indices = rows->indices,
                               .values = rows->values,
                               .count = take_entries(rows, row),
                               .label = rows->labels.rows == 0
                                            ? (double)NAN
                                            : sot_view_number(&rows->labels, row, 0)};
    if (sotto_schema_unit_rows(rows->schema) > 0 && rows->units.rows > 0) {
        out_record->unit = rows->id;
        out_record->unit_bytes = sot_view_id(&rows->units, row, rows->id);
    }
    return SOTTO_OK;
}

static uint64_t rows_hint(const void *reader)
{
    return ((const sparse_rows *)reader)->rows;
}

static sotto_status check_rereading(const void *reader, sotto_error *error)
{
    (void)reader;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`stream` is given, but the records are in memory; leave `stream` out");
}

static sotto_status rewind_sparse(void *reader, sotto_error *error)
{
    (void)error;
    ((sparse_rows *)reader)->next = 0;
    return SOTTO_OK;
}

static sotto_status check_unchanged(const void *reader, sotto_error *error)
{
    (void)reader;
    (void)error;
    return SOTTO_OK; /* the caller lends them, and does not change them */
}

const sot_reader_kind sot_reader_sparse = {
    .name = "sparse records in memory",
    .of_matrices = true,
    .is_sparse = true,
    .keeps_order = true,
    .open = open_sparse,
    .close = close_sparse,
    .next = next_sparse,
    .rows_hint = rows_hint,
    .check_training = check_training,
    .check_rereading = check_rereading,
    .rewind = rewind_sparse,
    .check_unchanged = check_unchanged,
};
