/* Rows on their way into a matrix: encoded, bounded for each unit. */
#include "data/batches/loading.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "data/batches/room.h"

enum { SPARSE_COLUMNS_MIN = 32 };

static const uint64_t NO_SLOT = UINT64_MAX;

/* ---- rows ---- */

static sotto_status append_row(sot_loading *loader, const sot_record *record,
                               sotto_error *error)
{
    sot_matrix *matrix = loader->matrix;
    const sot_features *row = &loader->features;
    sotto_status status = SOTTO_OK;
    if (matrix->rows == matrix->room_rows)
        status = sot_matrix_resize(matrix, sot_room_next(matrix->rows), error);
    if (status != SOTTO_OK) return status;
    if (matrix->cells != NULL) {
        sot_encode_cells(loader->encoding, record,
                         matrix->cells + matrix->rows * matrix->columns);
    } else if (matrix->layout != NULL) {
        sot_encode_bins(loader->encoding, record, matrix->bin_bytes,
                        matrix->bins + matrix->rows * sot_matrix_row_bytes(matrix));
    } else if (matrix->starts == NULL) {
        /* The padding after the last column was zero from the start. */
        sot_encode_dense(loader->encoding, record, &loader->features,
                         matrix->dense + matrix->rows * matrix->stride);
    } else {
        sot_encode(loader->encoding, record, &loader->features);
        assert(row->count <= matrix->columns);
        const size_t begin = (size_t)matrix->starts[matrix->rows];
        status = sot_matrix_reserve_values(matrix, begin + row->count, error);
        if (status != SOTTO_OK) return status;
        if (row->count > 0) {
            memcpy(matrix->indices + begin, row->indices,
                   row->count * sizeof *row->indices);
            memcpy(matrix->values + begin, row->values, row->count * sizeof *row->values);
        }
        matrix->starts[matrix->rows + 1] = begin + row->count;
        if (begin + row->count > matrix->used_values)
            matrix->used_values = begin + row->count;
    }
    /* A row is clipped in place, so that fewer entries may stay than were written. */
    const size_t written = record->cells != NULL ? matrix->columns : record->count + 2;
    if (written > loader->features_used) loader->features_used = written;
    matrix->labels[matrix->rows++] = sot_encode_target(loader->encoding, record);
    if (matrix->rows > matrix->used_rows) matrix->used_rows = matrix->rows;
    return SOTTO_OK;
}

/* Row `from` takes the place of row `to`, which is not behind it. */
static void move_row(sot_matrix *matrix, size_t to, size_t from)
{
    matrix->labels[to] = matrix->labels[from];
    if (matrix->cells != NULL) {
        memmove(matrix->cells + to * matrix->columns,
                matrix->cells + from * matrix->columns,
                matrix->columns * sizeof *matrix->cells);
        return;
    }
    if (matrix->layout != NULL) {
        const size_t row_bytes = sot_matrix_row_bytes(matrix);
        memmove(matrix->bins + to * row_bytes, matrix->bins + from * row_bytes,
                row_bytes);
        return;
    }
    if (matrix->starts == NULL) {
        if (to == from) return;
        memcpy(matrix->dense + to * matrix->stride, matrix->dense + from * matrix->stride,
               matrix->stride * sizeof *matrix->dense);
        return;
    }
    const size_t old = (size_t)matrix->starts[from];
    const size_t count = (size_t)(matrix->starts[from + 1] - matrix->starts[from]);
    const size_t new = (size_t)matrix->starts[to];
    memmove(matrix->indices + new, matrix->indices + old,
            count * sizeof *matrix->indices);
    memmove(matrix->values + new, matrix->values + old, count * sizeof *matrix->values);
    matrix->starts[to + 1] = new + count;
}

void sot_loading_close_gaps(sot_loading *loader)
{
    sot_matrix *matrix = loader->matrix;
    size_t to = 0;
    for (size_t from = 0; from < matrix->rows; from++) {
        const uint64_t slot = loader->slot_of_row[from];
        if (slot == NO_SLOT) continue;
        move_row(matrix, to, from);
        loader->slot_of_row[to] = slot;
        loader->row_of_slot[slot] = to++;
    }
    matrix->rows = to;
    loader->dropped_rows = 0;
}

/* ---- rows of another matrix ---- */

static sotto_status make_room(sot_matrix *matrix, const sot_matrix *from, size_t first,
                              size_t count, sotto_error *error)
{
    size_t rows = matrix->room_rows;
    while (rows < matrix->rows + count)
        rows = sot_room_next(rows);
    sotto_status status =
        rows == matrix->room_rows ? SOTTO_OK : sot_matrix_resize(matrix, rows, error);
    if (status != SOTTO_OK || matrix->starts == NULL) return status;
    const uint64_t values = from->starts[first + count] - from->starts[first];
    return sot_matrix_reserve_values(
        matrix, (size_t)(matrix->starts[matrix->rows] + values), error);
}

static void copy_sparse(sot_matrix *matrix, const sot_matrix *from, size_t first,
                        size_t count)
{
    const size_t begin = (size_t)from->starts[first];
    const size_t values = (size_t)from->starts[first + count] - begin;
    const size_t to = (size_t)matrix->starts[matrix->rows];
    if (values > 0) {
        memcpy(matrix->indices + to, from->indices + begin,
               values * sizeof *matrix->indices);
        memcpy(matrix->values + to, from->values + begin,
               values * sizeof *matrix->values);
    }
    for (size_t i = 0; i < count; i++)
        matrix->starts[matrix->rows + i + 1] = to + from->starts[first + i + 1] - begin;
    if (to + values > matrix->used_values) matrix->used_values = to + values;
}

sotto_status sot_loading_add_rows(sot_loading *loader, const sot_matrix *from,
                                  size_t first, size_t count, sotto_error *error)
{
    sot_matrix *matrix = loader->matrix;
    if (count == 0) return SOTTO_OK;
    const sotto_status status = make_room(matrix, from, first, count, error);
    if (status != SOTTO_OK) return status;
    if (matrix->cells != NULL) {
        memcpy(matrix->cells + matrix->rows * matrix->columns,
               from->cells + first * matrix->columns,
               count * matrix->columns * sizeof *matrix->cells);
    } else if (matrix->layout != NULL) {
        const size_t row_bytes = sot_matrix_row_bytes(matrix);
        memcpy(matrix->bins + matrix->rows * row_bytes, from->bins + first * row_bytes,
               count * row_bytes);
    } else if (matrix->starts == NULL) {
        memcpy(matrix->dense + matrix->rows * matrix->stride,
               from->dense + first * matrix->stride,
               count * matrix->stride * sizeof *matrix->dense);
    } else {
        copy_sparse(matrix, from, first, count);
    }
    memcpy(matrix->labels + matrix->rows, from->labels + first,
           count * sizeof *matrix->labels);
    matrix->rows += count;
    if (matrix->rows > matrix->used_rows) matrix->used_rows = matrix->rows;
    return SOTTO_OK;
}

/* ---- units ---- */

/* Asks whether the unit keeps one more record, and makes room for its places. */
static sotto_status offer(sot_loading *loader, const char *unit, size_t unit_bytes,
                          bool *out_kept, uint64_t *out_slot, sotto_error *error)
{
    sotto_status status =
        sot_units_offer(loader->units, unit, unit_bytes, out_kept, out_slot, error);
    if (status != SOTTO_OK || !*out_kept) return status;
    void *array = loader->row_of_slot;
    status = sot_room_reserve(&array, &loader->slots_room, (size_t)*out_slot + 1,
                              SOT_LOADING_ROWS, sizeof *out_slot, error);
    loader->row_of_slot = array;
    if (status != SOTTO_OK) return status;
    array = loader->slot_of_row;
    status = sot_room_reserve(&array, &loader->rows_room, loader->matrix->rows + 1,
                              SOT_LOADING_ROWS, sizeof *out_slot, error);
    loader->slot_of_row = array;
    return status;
}

/* The last row is that of the slot. Replaced rows stay as gaps until there are more of them than of the others. So
 * memory follows the kept rows, and the order of rows stays that of the source. */
static void settle(sot_loading *loader, uint64_t slot)
{
    if (slot < loader->slots) {
        loader->slot_of_row[loader->row_of_slot[slot]] = NO_SLOT;
        loader->dropped_rows++;
    } else {
        loader->slots++;
    }
    loader->slot_of_row[loader->matrix->rows - 1] = slot;
    loader->row_of_slot[slot] = loader->matrix->rows - 1;
    if (loader->dropped_rows > loader->slots + SOT_LOADING_ROWS)
        sot_loading_close_gaps(loader);
}

sotto_status sot_loading_add_of_unit(sot_loading *loader, const sot_matrix *from,
                                     size_t row, const char *unit, size_t unit_bytes,
                                     sotto_error *error)
{
    bool kept = false;
    uint64_t slot = 0;
    sotto_status status = offer(loader, unit, unit_bytes, &kept, &slot, error);
    if (status == SOTTO_OK && kept)
        status = sot_loading_add_rows(loader, from, row, 1, error);
    if (status == SOTTO_OK && kept) settle(loader, slot);
    return status;
}

sotto_status sot_loading_add(sot_loading *loader, const sot_record *record,
                             sotto_error *error)
{
    bool kept = false;
    uint64_t slot = 0;
    if (loader->units == NULL) return append_row(loader, record, error);
    sotto_status status =
        offer(loader, record->unit, record->unit_bytes, &kept, &slot, error);
    if (status == SOTTO_OK && kept) status = append_row(loader, record, error);
    if (status == SOTTO_OK && kept) settle(loader, slot);
    return status;
}

/* ---- making and freeing ---- */

/* True if most entries are known to be zero before a row is read. A sparse entry takes 8 bytes
 * and an indirection, a dense one 4 bytes; narrow rows are faster dense. */
static bool is_sparse(const sot_encoding *encoding, const sot_source *source)
{
    const size_t columns = sot_encoding_dimension(encoding);
    if (columns < SPARSE_COLUMNS_MIN) return false;
    return (sot_source_is_sparse(source) && sot_encoding_keeps_zeros(encoding)) ||
           sot_encoding_nonzeros_most(encoding) <= columns / 3;
}

sotto_status sot_loading_begin(sot_loading *loader, const sot_source *source,
                               uint64_t rows, size_t least, sotto_error *error)
{
    const size_t columns = sot_encoding_dimension(loader->encoding);
    sot_matrix *matrix = sot_new_array(1, sizeof *matrix);
    if (matrix == NULL) return sot_fail_memory(error, 1, sizeof *matrix);
    loader->matrix = matrix;
    loader->features.indices = sot_new_array(columns, sizeof *loader->features.indices);
    loader->features.values = sot_new_array(columns, sizeof *loader->features.values);
    if (loader->features.indices == NULL || loader->features.values == NULL)
        return sot_fail_memory(error, columns, sizeof *loader->features.indices);
    matrix->columns = columns;
    matrix->grows = true;
    if (!sot_size_align(columns, SOT_MATRIX_LANES, &matrix->stride))
        return sot_fail_memory(error, columns, sizeof *matrix->dense);
    if (sot_encoding_is_cells(loader->encoding)) {
        matrix->stride = 0;
        matrix->cells = sot_grow_array(NULL, columns * sizeof *matrix->cells);
        if (matrix->cells == NULL)
            return sot_fail_memory(error, columns, sizeof *matrix->cells);
    } else if (sot_encoding_holds_bins(loader->encoding)) {
        matrix->stride = 0;
        matrix->bin_bytes = sot_encoding_bin_bytes(loader->encoding);
        matrix->layout = sot_bins_layout_new(loader->encoding);
        if (matrix->layout == NULL)
            return sot_fail_memory(error, columns, sizeof *matrix->layout->list);
    } else if (is_sparse(loader->encoding, source)) {
        matrix->stride = 0;
        matrix->starts = sot_grow_array(NULL, sizeof *matrix->starts);
        if (matrix->starts == NULL)
            return sot_fail_memory(error, 1, sizeof *matrix->starts);
        const sotto_status status =
            sot_matrix_reserve_values(matrix, SOT_MATRIX_FIRST_VALUES, error);
        if (status != SOTTO_OK) return status;
    }
    /* A guess that cannot be had is not needed. */
    if (rows > least && sot_matrix_resize(matrix, (size_t)rows, NULL) == SOTTO_OK)
        return SOTTO_OK;
    return sot_matrix_resize(matrix, least, error);
}

void sot_loading_end(sot_loading *loader)
{
    const size_t columns = loader->matrix == NULL ? 0 : loader->matrix->columns;
    const size_t rows = loader->matrix == NULL ? 0 : loader->matrix->used_rows;
    const size_t used = loader->features_used < columns ? loader->features_used : columns;
    sot_wipe_and_free(loader->features.indices, used * sizeof *loader->features.indices);
    sot_wipe_and_free(loader->features.values, used * sizeof *loader->features.values);
    sot_free_grown(loader->row_of_slot, loader->slots * sizeof *loader->row_of_slot);
    sot_free_grown(loader->slot_of_row, rows * sizeof *loader->slot_of_row);
    sot_units_free(loader->units);
}
