/* The memory of a matrix that grows. */
#include "data/batches/room.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

/* Growth does not copy, so that many small steps cost little. */
enum { DOUBLED_MOST = 1 << 16 };

size_t sot_room_next(size_t room)
{
    return room < DOUBLED_MOST ? 2 * room : room + room / 4;
}

static sotto_status grow(void **array, size_t count, size_t size, sotto_error *error)
{
    size_t bytes;
    void *grown =
        sot_size_mul(count, size, &bytes) ? sot_grow_array(*array, bytes) : NULL;
    if (grown == NULL) return sot_fail_memory(error, count, size);
    *array = grown;
    return SOTTO_OK;
}

sotto_status sot_room_reserve(void **array, size_t *room, size_t needed, size_t least,
                              size_t size, sotto_error *error)
{
    if (needed <= *room) return SOTTO_OK;
    size_t wanted = *room < least ? least : sot_room_next(*room);
    if (wanted < needed) wanted = needed;
    const sotto_status status = grow(array, wanted, size, error);
    if (status == SOTTO_OK) *room = wanted;
    return status;
}

/* The rows of the layout that the matrix has. */
static sotto_status grow_rows(sot_matrix *matrix, size_t rows, sotto_error *error)
{
    void *array = matrix->dense;
    size_t size = matrix->stride * sizeof *matrix->dense;
    if (matrix->layout != NULL) {
        array = matrix->bins;
        size = sot_matrix_row_bytes(matrix);
    } else if (matrix->cells != NULL) {
        array = matrix->cells;
        size = matrix->columns * sizeof *matrix->cells;
    }
    const sotto_status status = grow(&array, rows, size, error);
    if (status != SOTTO_OK) return status;
    if (matrix->layout != NULL) {
        matrix->bins = array;
    } else if (matrix->cells != NULL) {
        matrix->cells = array;
    } else {
        matrix->dense = array;
    }
    return SOTTO_OK;
}

sotto_status sot_matrix_resize(sot_matrix *matrix, size_t rows, sotto_error *error)
{
    void *array = matrix->labels;
    sotto_status status = grow(&array, rows, sizeof *matrix->labels, error);
    matrix->labels = array;
    if (status == SOTTO_OK && matrix->starts == NULL) {
        status = grow_rows(matrix, rows, error);
    } else if (status == SOTTO_OK) {
        array = matrix->starts;
        status = grow(&array, rows + 1, sizeof *matrix->starts, error);
        matrix->starts = array;
    }
    if (status == SOTTO_OK) matrix->room_rows = rows;
    return status;
}

sotto_status sot_matrix_reserve_values(sot_matrix *matrix, size_t needed,
                                       sotto_error *error)
{
    size_t room = matrix->room_values;
    void *array = matrix->indices;
    sotto_status status = sot_room_reserve(&array, &room, needed, SOT_MATRIX_FIRST_VALUES,
                                           sizeof *matrix->indices, error);
    matrix->indices = array;
    if (status != SOTTO_OK) return status;
    room = matrix->room_values;
    array = matrix->values;
    status = sot_room_reserve(&array, &room, needed, SOT_MATRIX_FIRST_VALUES,
                              sizeof *matrix->values, error);
    matrix->values = array;
    if (status == SOTTO_OK) matrix->room_values = room;
    return status;
}

/* Arrays of a matrix that was read grow; those of others are plain. */
static void drop(const sot_matrix *matrix, void *array, size_t count, size_t used,
                 size_t size)
{
    if (matrix->grows) {
        sot_free_grown(array, used * size);
    } else {
        sot_wipe_and_free(array, count * size);
    }
}

void sot_matrix_free(sot_matrix *matrix)
{
    if (matrix == NULL) return;
    const size_t rows = matrix->room_rows, used = matrix->used_rows;
    const size_t values = matrix->room_values, used_values = matrix->used_values;
    drop(matrix, matrix->labels, rows, used, sizeof *matrix->labels);
    drop(matrix, matrix->dense, rows, used, matrix->stride * sizeof *matrix->dense);
    drop(matrix, matrix->starts, rows + 1, used + 1, sizeof *matrix->starts);
    drop(matrix, matrix->indices, values, used_values, sizeof *matrix->indices);
    drop(matrix, matrix->values, values, used_values, sizeof *matrix->values);
    drop(matrix, matrix->cells, rows, used, matrix->columns * sizeof *matrix->cells);
    if (matrix->layout != NULL)
        drop(matrix, matrix->bins, rows, used, sot_matrix_row_bytes(matrix));
    sot_bins_layout_free(matrix->layout);
    sot_free(matrix);
}
