/* A step's sum: its records are sampled, divided into tiles, passed through the front where that
 * is not done once, and added up in integers. Claims: nn.md. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/learn/loop.h"

/* ---- room ---- */

static void drop_front(sot_nn_walking *walk)
{
    const size_t size = sot_shape_size(walk->net->input);
    const size_t after = sot_front_stride(walk->net);
    sot_wipe_and_free(walk->images, walk->front_room * size * sizeof *walk->images);
    sot_wipe_and_free(walk->behind, walk->front_room * after * sizeof *walk->behind);
    walk->images = NULL;
    walk->behind = NULL;
    walk->front_room = 0;
}

static void drop_room(sot_nn_walking *walk)
{
    sot_wipe_and_free(walk->inputs, walk->room * sizeof *walk->inputs);
    sot_wipe_and_free(walk->labels, walk->room * sizeof *walk->labels);
    sot_wipe_and_free(walk->squares, walk->room * sizeof *walk->squares);
    walk->inputs = NULL;
    walk->labels = NULL;
    walk->squares = NULL;
    walk->room = 0;
}

void sot_nn_walk_drop_records(sot_nn_walking *walk)
{
    drop_room(walk);
    drop_front(walk);
}

/* Room for `records` of a step, who they are being a secret. */
static sotto_status make_room(sot_nn_walking *walk, size_t records, sotto_error *error)
{
    if (records <= walk->room) return SOTTO_OK;
    drop_room(walk);
    walk->inputs = sot_new_array(records, sizeof *walk->inputs);
    walk->labels = sot_new_array(records, sizeof *walk->labels);
    walk->squares = sot_new_array(records, sizeof *walk->squares);
    if (walk->inputs != NULL && walk->labels != NULL && walk->squares != NULL) {
        walk->room = records;
        return SOTTO_OK;
    }
    drop_room(walk); /* nothing was written to them */
    return sot_fail_memory(error, records,
                           sizeof *walk->inputs + sizeof *walk->labels +
                               sizeof *walk->squares);
}

static sotto_status sum_records(sot_nn_walking *walk, const sot_cut *cut,
                                sotto_error *error)
{
    const size_t count = cut->starts[cut->tiles];
    const sotto_status status = make_room(walk, count, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < count; i++) {
        walk->inputs[i] = walk->rows.inputs[cut->rows[i]];
        walk->labels[i] = walk->rows.labels[cut->rows[i]];
    }
    const double *squares = walk->rows.squares;
    for (size_t i = 0; squares != NULL && i < count; i++)
        walk->squares[i] = squares[cut->rows[i]];
    const sot_tiles tiles = {.inputs = walk->inputs,
                             .labels = walk->labels,
                             .squares = squares == NULL ? NULL : walk->squares,
                             .starts = cut->starts,
                             .tiles = cut->tiles,
                             .copies = 1};
    return sot_engine_add(walk->engine, walk->state.weights, &tiles, walk->units, error);
}

/* Room for `count` inputs, before (copies) and behind the front. */
static sotto_status make_front_room(sot_nn_walking *walk, size_t count,
                                    sotto_error *error)
{
    const size_t size = sot_shape_size(walk->net->input);
    const size_t after = sot_front_stride(walk->net);
    if (count <= walk->front_room) return SOTTO_OK;
    drop_front(walk);
    if (walk->nn->copies > 0)
        walk->images = sot_new_aligned(count * size, sizeof *walk->images);
    walk->behind = sot_new_aligned(count * after, sizeof *walk->behind);
    walk->front_room = count;
    if ((walk->nn->copies == 0 || walk->images != NULL) && walk->behind != NULL)
        return SOTTO_OK;
    return sot_fail_memory(error, count, (size + after) * sizeof *walk->images);
}

/* The records of a step, from number `first` on: as they were encoded, or copies of that. */
static void take_inputs(sot_nn_walking *walk, uint64_t step, const uint32_t *places,
                        size_t count)
{
    const size_t copies = (size_t)walk->nn->copies;
    const size_t size = sot_shape_size(walk->net->input);
    for (size_t i = 0; i < count; i++) {
        const float *record = walk->rows.inputs[places[i]];
        walk->labels[i] = walk->rows.labels[places[i]];
        if (copies == 0) walk->inputs[i] = record;
        for (size_t copy = 0; copy < copies; copy++) {
            float *image = walk->images + (i * copies + copy) * size;
            sot_augment(walk->net->input, record,
                        sot_nn_copy_coin(walk->draws, step, places[i], copy), image);
            walk->inputs[i * copies + copy] = image;
        }
    }
}

/* Tiles `begin` .. `end` - 1, through the front. */
static sotto_status sum_some_tiles(sot_nn_walking *walk, uint64_t step,
                                   const sot_cut *cut, size_t begin, size_t end,
                                   sotto_error *error)
{
    const sot_net *net = walk->net;
    const size_t copies = walk->nn->copies == 0 ? 1 : (size_t)walk->nn->copies;
    const size_t first = cut->starts[begin], count = cut->starts[end] - first;
    const size_t after = sot_front_stride(net);
    sotto_status status = make_room(walk, count * copies, error);
    if (status == SOTTO_OK) status = make_front_room(walk, count * copies, error);
    if (status != SOTTO_OK) return status;
    take_inputs(walk, step, cut->rows + first, count);
    if (!sot_net_front_is_identity(net)) {
        status = sot_front_apply(net, walk->state.weights, walk->inputs, count * copies,
                                 walk->pool, walk->behind, after, error);
        for (size_t i = 0; i < count * copies; i++)
            walk->inputs[i] = walk->behind + i * after;
    }
    for (size_t i = begin; i <= end; i++)
        walk->starts[i - begin] = cut->starts[i] - first;
    const sot_tiles tiles = {.inputs = walk->inputs,
                             .labels = walk->labels,
                             .starts = walk->starts,
                             .tiles = end - begin,
                             .copies = copies};
    if (status == SOTTO_OK)
        status =
            sot_engine_add(walk->engine, walk->state.weights, &tiles, walk->units, error);
    return status;
}

/* As many tiles as have room in a quarter of a gigabyte; one at least. */
static size_t tiles_at_once(const sot_nn_walking *walk)
{
    const size_t copies = walk->nn->copies == 0 ? 1 : (size_t)walk->nn->copies;
    const size_t floats = sot_shape_size(walk->net->input) + sot_front_stride(walk->net);
    const size_t most = ((size_t)1 << 26) / (SOT_TILE_ROWS * copies * floats);
    return most < 1 ? 1 : most < SOT_TILES_AT_ONCE ? most : SOT_TILES_AT_ONCE;
}

/* Some tiles at a time: the sum does not depend on the division into calls, and a step of
 * any size fits into memory. */
static sotto_status sum_through_front(sot_nn_walking *walk, uint64_t step,
                                      const sot_cut *cut, sotto_error *error)
{
    const size_t some = tiles_at_once(walk);
    sotto_status status = SOTTO_OK;
    for (size_t begin = 0; status == SOTTO_OK && begin < cut->tiles; begin += some) {
        const size_t end = begin + some < cut->tiles ? begin + some : cut->tiles;
        status = sum_some_tiles(walk, step, cut, begin, end, error);
    }
    return status;
}

sotto_status sot_nn_walk_sum(sot_nn_walking *walk, uint64_t step, size_t *out_count,
                             sotto_error *error)
{
    sot_cut cut;
    memset(walk->units, 0, walk->net->parameters * sizeof *walk->units);
    const sotto_status status =
        sot_nn_draw(walk->draws, step, walk->rows.count, &cut, error);
    if (status != SOTTO_OK) return status;
    *out_count = cut.starts[cut.tiles];
    return walk->fronts ? sum_through_front(walk, step, &cut, error)
                        : sum_records(walk, &cut, error);
}
