/* The steps: records are drawn, their bounded gradients summed in integers, the sum released, the weights moved.
 * Claims: nn.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plant.h"
#include "learn/nn/nn_parts.h"
#include "privacy/mechanisms/gate.h"

/* Copies of records are made for so many tiles at once. */
enum { TILES_AT_ONCE = 4 };

typedef struct nn_walk {
    const sot_learner *learner;
    const sot_nn *nn;
    sot_net *net; /* the learner's: the numbers of its data norms are filled in */
    sotto_gate *gate;
    sot_pool *pool;
    sot_engine *engine;
    sot_nn_rows rows;
    sot_nn_draws *draws;
    sot_nn_validation *validation;
    sot_nn_state state; /* released */
    int64_t *units;     /* one a parameter: the exact sum, then the released one */
    int64_t *noise;     /* a planted bug alone */
    float *gradient;    /* one a trainable parameter */
    /* One step's records, tile by tile: */
    const float **inputs;
    double *labels;
    size_t room;
    size_t starts[TILES_AT_ONCE + 1];
    float *images, *copies; /* of some records: moved, and behind the front */
    size_t copies_room;
} nn_walk;

/* ---- before the first step ---- */

/* Data norms that are not yet learned are paid for, from the first to the last, each on what the layers before it
 * make of the records. */
static sotto_status learn_norms(nn_walk *walk, size_t *out_from, sotto_error *error)
{
    const float *weights = walk->state.weights;
    size_t from = 0, pair = 0;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < walk->net->front; i++) {
        sot_layer *layer = &walk->net->layers[i];
        if (layer->kind != SOT_LAYER_DATA_NORM || layer->mean != NULL) continue;
        status = sot_nn_rows_apply(&walk->rows, walk->net, from, i, weights, walk->pool,
                                   error);
        if (status == SOTTO_OK) {
            status = sot_data_norm_learn(layer, walk->nn->before + 2 * pair, walk->gate,
                                         walk->rows.inputs, walk->rows.count,
                                         walk->nn->rows, walk->pool, error);
        }
        from = i;
        pair++;
    }
    *out_from = from;
    return status;
}

/* Records as the first layer that learns sees them; for copies, which are made anew every step, as they were
 * encoded. */
static sotto_status prepare_rows(nn_walk *walk, const sot_matrix *matrix,
                                 sotto_error *error)
{
    size_t from = 0;
    sotto_status status = sot_nn_rows_of(walk->net, matrix, &walk->rows, error);
    if (status == SOTTO_OK) status = learn_norms(walk, &from, error);
    if (status != SOTTO_OK) return status;
    if (walk->nn->copies == 0)
        return sot_nn_rows_apply(&walk->rows, walk->net, from, walk->net->front,
                                 walk->state.weights, walk->pool, error);
    if (from == 0) return SOTTO_OK;
    sot_nn_rows_free(&walk->rows);
    return sot_nn_rows_of(walk->net, matrix, &walk->rows, error);
}

static sotto_status begin_state(nn_walk *walk, sotto_error *error)
{
    const sot_checkpoint *checkpoint = walk->learner->checkpoint;
    float *first = sot_new_array(walk->net->parameters, sizeof *first);
    if (first == NULL)
        return sot_fail_memory(error, walk->net->parameters, sizeof *first);
    sot_nn_first_parameters(walk->learner, first);
    sotto_status status =
        sot_nn_state_begin(walk->net, &walk->nn->moves, first, &walk->state, error);
    sot_free(first);
    if (status != SOTTO_OK || checkpoint == NULL || checkpoint->state == NULL)
        return status;
    status = sot_nn_restore(walk->net, &walk->state, checkpoint->state,
                            checkpoint->state_bytes, error);
    if (status == SOTTO_OK && (walk->state.step != checkpoint->step ||
                               walk->state.step > walk->nn->moves.steps)) {
        status = sot_fail(error, SOTTO_PARSE,
                          "the checkpoint is of step %llu and says %llu, of %llu; begin "
                          "anew",
                          (unsigned long long)checkpoint->step,
                          (unsigned long long)walk->state.step,
                          (unsigned long long)walk->nn->moves.steps);
    }
    return status;
}

static sotto_status begin(nn_walk *walk, sot_table *table, sotto_error *error)
{
    const sot_net *net = walk->net;
    const uint64_t copies = walk->nn->copies;
    walk->units = sot_new_array(net->parameters, sizeof *walk->units);
    walk->gradient = sot_new_array(net->trainable, sizeof *walk->gradient);
    if (walk->units == NULL || walk->gradient == NULL)
        return sot_fail_memory(error, net->parameters, sizeof *walk->units);
    sotto_status status = begin_state(walk, error);
    /* The coins' keys before every release: no draw of noise decides where they come from. */
    if (status == SOTTO_OK)
        status = sot_nn_draws_new(&walk->nn->sampler, sot_gate_rng(walk->gate),
                                  &walk->draws, error);
    if (status == SOTTO_OK) status = prepare_rows(walk, sot_table_matrix(table), error);
    if (status == SOTTO_OK)
        status = sot_engine_new(net, &walk->nn->clip, copies == 0 ? 1 : (size_t)copies,
                                walk->pool, &walk->engine, error);
    if (status == SOTTO_OK)
        status = sot_nn_validation_new(walk->learner, walk->state.weights, walk->pool,
                                       &walk->validation, error);
    return status;
}

static void drop_copies(nn_walk *walk)
{
    const size_t size = sot_shape_size(walk->net->input);
    const size_t after = sot_shape_size(sot_net_front_shape(walk->net));
    sot_wipe_and_free(walk->images, walk->copies_room * size * sizeof *walk->images);
    sot_wipe_and_free(walk->copies, walk->copies_room * after * sizeof *walk->copies);
    walk->images = NULL;
    walk->copies = NULL;
    walk->copies_room = 0;
}

static void end(nn_walk *walk)
{
    const size_t parameters = walk->net->parameters;
    sot_engine_free(walk->engine);
    sot_nn_rows_free(&walk->rows);
    sot_nn_draws_free(walk->draws);
    sot_nn_validation_free(walk->validation);
    sot_nn_state_free(&walk->state);
    sot_wipe_and_free(walk->units, parameters * sizeof *walk->units);
    sot_wipe_and_free(walk->noise, parameters * sizeof *walk->noise);
    sot_free(walk->gradient); /* of released sums */
    sot_wipe_and_free(walk->inputs, walk->room * sizeof *walk->inputs);
    sot_wipe_and_free(walk->labels, walk->room * sizeof *walk->labels);
    drop_copies(walk);
}

/* ---- a step's sum ---- */

/* Room for `records` of a step, who they are being a secret. */
static sotto_status make_room(nn_walk *walk, size_t records, sotto_error *error)
{
    if (records <= walk->room) return SOTTO_OK;
    sot_wipe_and_free(walk->inputs, walk->room * sizeof *walk->inputs);
    sot_wipe_and_free(walk->labels, walk->room * sizeof *walk->labels);
    walk->inputs = sot_new_array(records, sizeof *walk->inputs);
    walk->labels = sot_new_array(records, sizeof *walk->labels);
    const bool got = walk->inputs != NULL && walk->labels != NULL;
    if (!got) {
        sot_free(walk->inputs);
        sot_free(walk->labels);
        walk->inputs = NULL;
        walk->labels = NULL;
    }
    walk->room = got ? records : 0;
    return got ? SOTTO_OK
               : sot_fail_memory(error, records,
                                 sizeof *walk->inputs + sizeof *walk->labels);
}

static sotto_status sum_records(nn_walk *walk, const sot_cut *cut, sotto_error *error)
{
    const size_t count = cut->starts[cut->tiles];
    const sotto_status status = make_room(walk, count, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < count; i++) {
        walk->inputs[i] = walk->rows.inputs[cut->rows[i]];
        walk->labels[i] = walk->rows.labels[cut->rows[i]];
    }
    const sot_tiles tiles = {.inputs = walk->inputs,
                             .labels = walk->labels,
                             .starts = cut->starts,
                             .tiles = cut->tiles,
                             .copies = 1};
    return sot_engine_add(walk->engine, walk->state.weights, &tiles, walk->units, error);
}

/* Room for `count` copies, before and behind the front. */
static sotto_status make_copies_room(nn_walk *walk, size_t count, sotto_error *error)
{
    const size_t size = sot_shape_size(walk->net->input);
    const size_t after = sot_shape_size(sot_net_front_shape(walk->net));
    if (count <= walk->copies_room) return SOTTO_OK;
    drop_copies(walk);
    walk->images = sot_new_aligned(count * size, sizeof *walk->images);
    walk->copies = sot_new_aligned(count * after, sizeof *walk->copies);
    walk->copies_room = count;
    if (walk->images != NULL && walk->copies != NULL) return SOTTO_OK;
    return sot_fail_memory(error, count, (size + after) * sizeof *walk->images);
}

/* Tiles `begin` .. `end` - 1, every record as so many copies. */
static sotto_status sum_copies(nn_walk *walk, uint64_t step, const sot_cut *cut,
                               size_t begin, size_t end, sotto_error *error)
{
    const sot_net *net = walk->net;
    const size_t copies = (size_t)walk->nn->copies;
    const size_t first = cut->starts[begin], count = cut->starts[end] - first;
    const size_t size = sot_shape_size(net->input);
    const size_t after = sot_shape_size(sot_net_front_shape(net));
    sotto_status status = make_room(walk, count * copies, error);
    if (status == SOTTO_OK) status = make_copies_room(walk, count * copies, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < count; i++) {
        const uint32_t place = cut->rows[first + i];
        walk->labels[i] = walk->rows.labels[place];
        for (size_t copy = 0; copy < copies; copy++) {
            float *image = walk->images + (i * copies + copy) * size;
            sot_augment(net->input, walk->rows.inputs[place],
                        sot_nn_copy_coin(walk->draws, step, place, copy), image);
            walk->inputs[i * copies + copy] = image;
        }
    }
    if (!sot_net_front_is_identity(net)) {
        status = sot_front_apply(net, walk->state.weights, walk->inputs, count * copies,
                                 walk->pool, walk->copies, error);
        for (size_t i = 0; i < count * copies; i++)
            walk->inputs[i] = walk->copies + i * after;
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

/* Some tiles at a time: the sum is the same however it is cut into calls, and a step of any size has room. */
static sotto_status sum_all_copies(nn_walk *walk, uint64_t step, const sot_cut *cut,
                                   sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t begin = 0; status == SOTTO_OK && begin < cut->tiles;
         begin += TILES_AT_ONCE) {
        const size_t end =
            begin + TILES_AT_ONCE < cut->tiles ? begin + TILES_AT_ONCE : cut->tiles;
        status = sum_copies(walk, step, cut, begin, end, error);
    }
    return status;
}

/* The exact sum of the step's records into walk->units; *out_count of them. */
static sotto_status sum_step(nn_walk *walk, uint64_t step, size_t *out_count,
                             sotto_error *error)
{
    sot_cut cut;
    memset(walk->units, 0, walk->net->parameters * sizeof *walk->units);
    const sotto_status status =
        sot_nn_draw(walk->draws, step, walk->rows.count, &cut, error);
    if (status != SOTTO_OK) return status;
    *out_count = cut.starts[cut.tiles];
    return walk->nn->copies > 0 ? sum_all_copies(walk, step, &cut, error)
                                : sum_records(walk, &cut, error);
}

/* ---- a step ---- */

/* Moves the units of layers that learn together, to the beginning. */
static void gather(const sot_net *net, int64_t *units)
{
    for (size_t i = 0, at = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        const size_t count = layer->frozen ? 0 : layer->parameters;
        memmove(units + at, units + layer->first, count * sizeof *units);
        at += count;
    }
}

/* What a program does that keeps a buffer of noise and uses it again. */
static sotto_status release_with_old_noise(nn_walk *walk, size_t count,
                                           sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    if (walk->noise == NULL) {
        walk->noise = sot_new_array(walk->net->parameters, sizeof *walk->noise);
        if (walk->noise == NULL) return sot_fail_memory(error, count, sizeof(int64_t));
        status = sotto_gaussian_release(walk->gate, &walk->nn->noise, walk->noise, count,
                                        walk->noise, error);
    }
    for (size_t i = 0; i < count; i++)
        walk->units[i] += walk->noise[i];
    return status;
}

/* The one release of a step, however many tiles it has. */
static sotto_status release(nn_walk *walk, sotto_error *error)
{
    const size_t count = walk->net->trainable;
    gather(walk->net, walk->units);
    if (SOT_PLANTED(nn_noise_reused)) return release_with_old_noise(walk, count, error);
    const size_t parts = SOT_PLANTED(nn_noise_per_tile) ? 1 + walk->nn->sampler.tiles : 1;
    sotto_status status = SOTTO_OK;
    for (size_t part = 0; status == SOTTO_OK && part < parts; part++)
        status = sotto_gaussian_release(walk->gate, &walk->nn->noise, walk->units, count,
                                        walk->units, error);
    return status;
}

static sotto_status take_step(nn_walk *walk, uint64_t step, sotto_error *error)
{
    const sot_nn *nn = walk->nn;
    size_t count = 0;
    sotto_status status = sum_step(walk, step, &count, error);
    if (status == SOTTO_OK) status = release(walk, error);
    if (status != SOTTO_OK) return status;
    const double divisor =
        SOT_PLANTED(nn_batch_as_divisor) ? fmax(1.0, (double)count) : nn->sampler.divisor;
    const double scale = nn->clip.spacing / divisor;
    for (size_t i = 0; i < walk->net->trainable; i++)
        walk->gradient[i] = (float)((double)walk->units[i] * scale);
    sot_nn_move(walk->net, &nn->moves, walk->gradient, &walk->state);
    return SOTTO_OK;
}

/* Released numbers alone: a later run draws other coins and other noise. */
static sotto_status keep(const nn_walk *walk, sotto_error *error)
{
    const sot_checkpoint *checkpoint = walk->learner->checkpoint;
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (checkpoint == NULL || !checkpoint->is_due(checkpoint->context)) return SOTTO_OK;
    sotto_status status = sot_nn_save(walk->net, &walk->state, &bytes, &size, error);
    if (status == SOTTO_OK)
        status =
            checkpoint->keep(checkpoint->context, walk->state.step, bytes, size, error);
    sot_free(bytes);
    return status;
}

static sotto_status walk_all(nn_walk *walk, sotto_error *error)
{
    const sotto_train_config *config = walk->learner->setup.config;
    const sot_steps steps = sot_nn_steps(walk->nn);
    const sot_progress progress =
        sot_progress_begin(config->progress, config->progress_context);
    const uint64_t every = steps.count / SOT_STEPS_REPORTS + 1;
    sotto_status status =
        sot_steps_report(&steps, config, &progress, walk->state.step, error);
    while (status == SOTTO_OK && walk->state.step < steps.count) {
        const uint64_t step = walk->state.step + 1;
        status = take_step(walk, step, error);
        if (status == SOTTO_OK)
            status =
                sot_nn_validate(walk->validation, &walk->state, step, steps.count, error);
        if (status == SOTTO_OK) status = keep(walk, error);
        if (status == SOTTO_OK && (step % every == 0 || step == steps.count))
            status = sot_steps_report(&steps, config, &progress, step, error);
    }
    return status;
}

sotto_status sot_nn_walk(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                         sot_pool *pool, double *out_theta, sotto_error *error)
{
    nn_walk walk = {.learner = learner,
                    .nn = learner->state,
                    .net = learner->net,
                    .gate = gate,
                    .pool = pool};
    sotto_status status = begin(&walk, table, error);
    if (status == SOTTO_OK) status = walk_all(&walk, error);
    if (status == SOTTO_OK)
        status =
            sot_nn_write_result(walk.net, &walk.state, learner->grid, out_theta, error);
    end(&walk);
    return status;
}
