/* Records on their way through the layers that have nothing to learn: once, before the first step. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/learn/parts.h"

/* Rows that are worked on at once where they take the place of their inputs. */
enum { ROWS_AT_ONCE = 1024 };

/* ---- from the matrix ---- */

/* Expands a sparse matrix; its only column that is no feature of the network is the
 * constant one. */
static sotto_status write_out(const sot_matrix *matrix, size_t size, sot_nn_rows *rows,
                              sotto_error *error)
{
    float *dense = sot_new_array(matrix->rows * size, sizeof *dense);
    if (dense == NULL) return sot_fail_memory(error, matrix->rows, size * sizeof *dense);
    rows->owned = dense;
    rows->owned_floats = matrix->rows * size;
    for (size_t i = 0; i < matrix->rows; i++) {
        rows->inputs[i] = dense + i * size;
        for (uint64_t k = matrix->starts[i]; k < matrix->starts[i + 1]; k++)
            if (matrix->indices[k] < size)
                dense[i * size + matrix->indices[k]] = matrix->values[k];
    }
    return SOTTO_OK;
}

sotto_status sot_nn_rows_of(const sot_net *net, const sot_matrix *matrix,
                            sot_nn_rows *out_rows, sotto_error *error)
{
    *out_rows =
        (sot_nn_rows){.count = matrix->rows, .labels = matrix->labels, .encoded = true};
    out_rows->inputs = sot_new_array(matrix->rows, sizeof *out_rows->inputs);
    if (out_rows->inputs == NULL)
        return sot_fail_memory(error, matrix->rows, sizeof *out_rows->inputs);
    if (matrix->dense == NULL)
        return write_out(matrix, sot_shape_size(net->input), out_rows, error);
    for (size_t i = 0; i < matrix->rows; i++)
        out_rows->inputs[i] = matrix->dense + i * matrix->stride;
    return SOTTO_OK;
}

sotto_status sot_nn_rows_square(sot_nn_rows *rows, const sot_engine *engine,
                                sotto_error *error)
{
    if (!sot_engine_wants_squares(engine)) return SOTTO_OK;
    rows->squares = sot_new_array(rows->count, sizeof *rows->squares);
    if (rows->squares == NULL)
        return sot_fail_memory(error, rows->count, sizeof *rows->squares);
    return sot_engine_squares(engine, rows->inputs, rows->count, rows->squares, error);
}

void sot_nn_rows_free(sot_nn_rows *rows)
{
    sot_wipe_and_free(rows->squares, rows->count * sizeof *rows->squares);
    sot_wipe_and_free(rows->owned, rows->owned_floats * sizeof *rows->owned);
    sot_free(rows->inputs); /* addresses */
    *rows = (sot_nn_rows){0};
}

/* ---- through layers ---- */

/* Makes the network that begins with layer `from` and whose front ends before layer `to`. Rows
 * that are no longer encoded are channels last already: a vector, for which nothing is turned. */
static void cut_out(const sot_net *net, size_t from, size_t to, bool encoded,
                    sot_net *out_part)
{
    *out_part = *net;
    out_part->layer_count = net->layer_count - from;
    out_part->front = to - from;
    for (size_t i = 0; i < out_part->layer_count; i++)
        out_part->layers[i] = net->layers[from + i];
    if (!encoded)
        out_part->input = (sot_shape){1, 1, sot_shape_size(net->layers[from].in)};
}

/* Outputs that are as long as inputs take their place, some rows at a time. `size`: from a row to the next. */
static sotto_status apply_in_place(sot_nn_rows *rows, const sot_net *part, size_t size,
                                   const float *parameters, sot_pool *pool,
                                   sotto_error *error)
{
    float *room = sot_new_aligned(ROWS_AT_ONCE * size, sizeof *room);
    if (room == NULL) return sot_fail_memory(error, ROWS_AT_ONCE, size * sizeof *room);
    sotto_status status = SOTTO_OK;
    for (size_t begin = 0; status == SOTTO_OK && begin < rows->count;
         begin += ROWS_AT_ONCE) {
        const size_t left = rows->count - begin;
        const size_t count = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        status = sot_front_apply(part, parameters, rows->inputs + begin, count, pool,
                                 room, size, error);
        if (status == SOTTO_OK)
            memcpy(rows->owned + begin * size, room, count * size * sizeof *room);
    }
    sot_wipe_and_free(room, ROWS_AT_ONCE * size * sizeof *room);
    return status;
}

static sotto_status apply_anew(sot_nn_rows *rows, const sot_net *part, size_t size,
                               const float *parameters, sot_pool *pool,
                               sotto_error *error)
{
    const size_t count = rows->count;
    float *room = sot_new_aligned(count * size, sizeof *room);
    if (room == NULL) return sot_fail_memory(error, count, size * sizeof *room);
    const sotto_status status =
        sot_front_apply(part, parameters, rows->inputs, count, pool, room, size, error);
    if (status != SOTTO_OK) {
        sot_wipe_and_free(room, count * size * sizeof *room);
        return status;
    }
    sot_wipe_and_free(rows->owned, rows->owned_floats * sizeof *rows->owned);
    rows->owned = room;
    rows->owned_floats = count * size;
    for (size_t i = 0; i < count; i++)
        rows->inputs[i] = room + i * size;
    return SOTTO_OK;
}

sotto_status sot_nn_rows_apply(sot_nn_rows *rows, const sot_net *net, size_t from,
                               size_t to, const float *parameters, sot_pool *pool,
                               sotto_error *error)
{
    sot_net part;
    cut_out(net, from, to, rows->encoded, &part);
    if (sot_net_front_is_identity(&part)) return SOTTO_OK;
    const size_t before = sot_shape_size(part.layers[0].in);
    const size_t after = sot_front_stride(&part);
    const bool in_place = rows->owned != NULL &&
                          before == sot_shape_size(sot_net_front_shape(&part)) &&
                          rows->owned_floats == rows->count * after;
    const sotto_status status =
        in_place ? apply_in_place(rows, &part, after, parameters, pool, error)
                 : apply_anew(rows, &part, after, parameters, pool, error);
    if (status == SOTTO_OK) rows->encoded = false;
    return status;
}
