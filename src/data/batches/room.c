/* The memory of a matrix that grows. */
#include "data/batches/room.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

sotto_status sot_room_reserve(void **array, size_t *room, size_t needed, size_t least,
                              size_t size, sotto_error *error)
{
    if (needed <= *room) return SOTTO_OK;
    size_t wanted = *room < least ? least : 2 * *room;
    if (wanted < needed) wanted = needed;
    void *moved = sot_move_array(*array, *room, wanted, size);
    if (moved == NULL) return sot_fail_memory(error, wanted, size);
    *array = moved;
    *room = wanted;
    return SOTTO_OK;
}

static sotto_status resize_dense(sot_matrix *matrix, size_t rows, sotto_error *error)
{
    size_t floats;
    if (!sot_size_mul(rows, matrix->stride, &floats)) floats = SIZE_MAX;
    float *moved = sot_new_aligned(floats, sizeof *moved);
    if (moved == NULL) return sot_fail_memory(error, floats, sizeof *moved);
    if (matrix->rows > 0)
        memcpy(moved, matrix->dense, matrix->rows * matrix->stride * sizeof *moved);
    sot_wipe_and_free(matrix->dense, matrix->room_rows * matrix->stride * sizeof *moved);
    matrix->dense = moved;
    return SOTTO_OK;
}

static sotto_status resize_cells(sot_matrix *matrix, size_t rows, sotto_error *error)
{
    size_t places;
    if (!sot_size_mul(rows, matrix->columns, &places)) places = SIZE_MAX;
    uint32_t *moved = sot_move_array(matrix->cells, matrix->room_rows * matrix->columns,
                                     places, sizeof *moved);
    if (moved == NULL) return sot_fail_memory(error, places, sizeof *moved);
    matrix->cells = moved;
    return SOTTO_OK;
}

static sotto_status resize_bins(sot_matrix *matrix, size_t rows, sotto_error *error)
{
    const size_t row_bytes = sot_matrix_row_bytes(matrix);
    unsigned char *moved =
        sot_move_array(matrix->bins, matrix->room_rows, rows, row_bytes);
    if (moved == NULL) return sot_fail_memory(error, rows, row_bytes);
    matrix->bins = moved;
    return SOTTO_OK;
}

sotto_status sot_matrix_resize(sot_matrix *matrix, size_t rows, sotto_error *error)
{
    const size_t old = matrix->room_rows;
    double *labels = sot_move_array(matrix->labels, old, rows, sizeof *labels);
    if (labels == NULL) return sot_fail_memory(error, rows, sizeof *labels);
    matrix->labels = labels;
    if (matrix->starts == NULL) {
        const sotto_status status =
            matrix->layout != NULL  ? resize_bins(matrix, rows, error)
            : matrix->cells != NULL ? resize_cells(matrix, rows, error)
                                    : resize_dense(matrix, rows, error);
        if (status != SOTTO_OK) return status;
    } else {
        uint64_t *starts =
            sot_move_array(matrix->starts, old + 1, rows + 1, sizeof *starts);
        if (starts == NULL) return sot_fail_memory(error, rows + 1, sizeof *starts);
        matrix->starts = starts;
    }
    matrix->room_rows = rows;
    return SOTTO_OK;
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

void sot_matrix_free(sot_matrix *matrix)
{
    if (matrix == NULL) return;
    const size_t rows = matrix->room_rows;
    const size_t values = matrix->room_values;
    sot_wipe_and_free(matrix->labels, rows * sizeof *matrix->labels);
    sot_wipe_and_free(matrix->dense, rows * matrix->stride * sizeof *matrix->dense);
    sot_wipe_and_free(matrix->starts, (rows + 1) * sizeof *matrix->starts);
    sot_wipe_and_free(matrix->indices, values * sizeof *matrix->indices);
    sot_wipe_and_free(matrix->values, values * sizeof *matrix->values);
    sot_wipe_and_free(matrix->cells, rows * matrix->columns * sizeof *matrix->cells);
    if (matrix->layout != NULL)
        sot_wipe_and_free(matrix->bins, rows * sot_matrix_row_bytes(matrix));
    sot_bins_layout_free(matrix->layout);
    sot_free(matrix);
}
