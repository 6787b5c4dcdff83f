#include "models/network/engine/engine.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/engine/parts.h"
#include "numeric/outward.h"

/* ---- public numbers ---- */

double sot_clip_spacing(double bound)
{
    int exponent;
    (void)frexp(bound, &exponent); /* bound = m 2^exponent, 1/2 <= m < 1 */
    return ldexp(1.0, exponent - 22);
}

/* engine.md, "Rounding". */
sot_engine_sensitivity sot_engine_sensitivity_of(const sot_net *net, const sot_clip *clip)
{
    double summed = 0.0;
    for (size_t l = 0; l < net->layer_count; l++) {
        const sot_layer *layer = &net->layers[l];
        if (layer->kind == SOT_LAYER_DENSE && !layer->frozen)
            summed += (double)layer->parameters;
    }
    const double part = clip->bound / clip->spacing; /* exact: a power of two */
    double one = part;
    if (summed > 0.0) {
        const double rounding = SOT_TILE_ROUNDINGS * 0x1p-24;
        const double gamma = sot_div_up(rounding, sot_sub_down(1.0, rounding));
        const double sums = 2.0 * SOT_TILE_ROWS + 1.0;
        one = sot_add_up(one, sot_mul_up(sot_mul_up(gamma, sums), part));
        one = sot_add_up(one, sot_mul_up(1.5 + 0x1p-20, sot_sqrt_up(summed)));
    }
    return (sot_engine_sensitivity){.one = one, .exchanged = 2.0 * one};
}

/* ---- made and freed ---- */

static sotto_status check_clip(const sot_clip *clip, sotto_error *error)
{
    int exponent;
    if (clip == NULL || (clip->spacing == 0.0 && isinf(clip->bound))) return SOTTO_OK;
    if (!(clip->bound >= 0x1p-60 && clip->bound <= 0x1p60)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`clip` is %g; a bound on a record's gradient lies between 1e-18 "
                        "and 1e18; for example `clip=0.1`",
                        clip->bound);
    }
    const bool power = frexp(clip->spacing, &exponent) == 0.5;
    const double part = clip->bound / clip->spacing;
    if (power && part >= 0x1p20 && part <= 0x1p22) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the spacing of units is %g; give a power of two between 2^-22 and "
                    "2^-20 of the bound %g",
                    clip->spacing, clip->bound);
}

static sotto_status make_workers(sot_engine *engine, sotto_error *error)
{
    const size_t threads = engine->pool == NULL ? 1 : sot_pool_threads(engine->pool);
    engine->workers = sot_new_array(threads, sizeof *engine->workers);
    if (engine->workers == NULL)
        return sot_fail_memory(error, threads, sizeof *engine->workers);
    engine->worker_count = threads;
    for (size_t w = 0; w < threads; w++) {
        const sotto_status status =
            sot_worker_make(engine, w == 0, &engine->workers[w], error);
        if (status != SOTTO_OK) return status;
    }
    if (engine->mode != SOT_ENGINE_PLAIN) return SOTTO_OK;
    const size_t floats = SOT_PLAIN_LANES * engine->net->parameters;
    engine->lanes = sot_new_aligned(floats, sizeof *engine->lanes);
    return engine->lanes == NULL ? sot_fail_memory(error, floats, sizeof *engine->lanes)
                                 : SOTTO_OK;
}

sotto_status sot_engine_new_with(const sot_operations *operations, const sot_net *net,
                                 const sot_clip *clip, size_t copies, sot_pool *pool,
                                 sot_engine **out_engine, sotto_error *error)
{
    sotto_status status = check_clip(clip, error);
    if (status != SOTTO_OK) return status;
    if (copies < 1 || copies > SOT_COPIES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a record has %zu copies; give 1 to %d", copies,
                        (int)SOT_COPIES_MAX);
    }
    sot_engine *engine = sot_new_array(1, sizeof *engine);
    if (engine == NULL) return sot_fail_memory(error, 1, sizeof *engine);
    engine->net = net;
    engine->operations = operations;
    engine->pool = pool;
    engine->copies = copies;
    engine->mode = clip == NULL           ? SOT_ENGINE_SCORES
                   : clip->spacing == 0.0 ? SOT_ENGINE_PLAIN
                                          : SOT_ENGINE_CLIPPED;
    if (clip != NULL) engine->clip = *clip;
    sot_engine_lay_out(engine);
    status = make_workers(engine, error);
    if (status != SOTTO_OK) {
        sot_engine_free(engine);
        return status;
    }
    *out_engine = engine;
    return SOTTO_OK;
}

sotto_status sot_engine_new(const sot_net *net, const sot_clip *clip, size_t copies,
                            sot_pool *pool, sot_engine **out_engine, sotto_error *error)
{
    return sot_engine_new_with(sot_operations_fast(), net, clip, copies, pool, out_engine,
                               error);
}

void sot_engine_free(sot_engine *engine)
{
    if (engine == NULL) return;
    for (size_t w = 0; w < engine->worker_count; w++)
        sot_worker_end(&engine->workers[w]);
    for (size_t l = 0; l < SOT_NET_LAYERS_MAX; l++)
        sot_packed_free(&engine->packed[l]);
    sot_wipe_and_free(engine->lanes, engine->lanes == NULL
                                         ? 0
                                         : SOT_PLAIN_LANES * engine->net->parameters *
                                               sizeof *engine->lanes);
    sot_free(engine->workers);
    sot_free(engine);
}

/* ---- work for all threads ---- */

/* Work that threads take piece by piece: pieces are independent, so the assignment makes no difference. */
typedef struct job {
    sot_engine *engine;
    const float *parameters;
    const sot_tiles *tiles;
    const float *const *inputs; /* of scores */
    size_t count;
    float *scores;
    double *losses; /* of the lanes of the plain path */
    size_t pieces;
    atomic_size_t next;
    void (*work)(struct job *job, sot_worker *worker, size_t piece);
} job;

static sotto_status run_worker(size_t chunk, size_t begin, size_t end, void *context,
                               sotto_error *error)
{
    job *own = context;
    (void)begin;
    (void)end;
    (void)error;
    for (;;) {
        const size_t piece = atomic_fetch_add(&own->next, 1);
        if (piece >= own->pieces) return SOTTO_OK;
        own->work(own, &own->engine->workers[chunk], piece);
    }
}

static sotto_status run(job *own, bool backward, sotto_error *error)
{
    sot_engine *engine = own->engine;
    const sot_net *net = engine->net;
    for (size_t l = net->front; l < net->layer_count; l++) {
        const sot_layer *layer = &net->layers[l];
        if (layer->kind != SOT_LAYER_DENSE && layer->kind != SOT_LAYER_CONV) continue;
        const sotto_status status = engine->operations->pack(
            layer, own->parameters + layer->first, backward && l > net->front,
            &engine->packed[l], error);
        if (status != SOTTO_OK) return status;
    }
    atomic_init(&own->next, 0);
    return sot_parallel_for(engine->pool, engine->worker_count, 1, run_worker, own,
                            error);
}

/* ---- clipped ---- */

/* Up, the slopes of the losses, and down the upper part. Row r of the pass belongs to record first + r / copies. Returns
 * the sum of losses over the rows. */
static double up_and_down(const sot_pass *pass, const sot_tiles *tiles, size_t first)
{
    const sot_net *net = pass->engine->net;
    double loss = 0.0;
    sot_pass_forward(pass);
    float *top = sot_pass_top(pass);
    for (size_t i = 0; i < pass->rows; i++)
        loss += sot_net_loss_slope(net->loss, sot_pass_scores(pass, i), net->outputs,
                                   tiles->labels[first + i / pass->engine->copies],
                                   top + i * net->outputs);
    sot_pass_down(pass);
    return loss;
}

static sot_pass pass_of(const job *own, sot_worker *worker, size_t first, size_t records)
{
    const size_t copies = own->engine->copies;
    return (sot_pass){.engine = own->engine,
                      .worker = worker,
                      .parameters = own->parameters,
                      .inputs = own->tiles->inputs + first * copies,
                      .squares = own->tiles->squares == NULL
                                     ? NULL
                                     : own->tiles->squares + first * copies,
                      .rows = records * copies};
}

/* Records that go through together. */
static size_t step_of(const sot_engine *engine)
{
    return engine->copies > 1 ? 1 : engine->chunk;
}

static void clip_tile(job *own, sot_worker *worker, size_t tile)
{
    sot_engine *engine = own->engine;
    const size_t begin = own->tiles->starts[tile], end = own->tiles->starts[tile + 1];
    const size_t step = step_of(engine);
    assert(end >= begin && end - begin <= SOT_TILE_ROWS);
    for (size_t first = begin; first < end; first += step) {
        const size_t records = end - first < step ? end - first : step;
        const sot_pass pass = pass_of(own, worker, first, records);
        (void)up_and_down(&pass, own->tiles, first);
        if (engine->copies > 1) {
            sot_clip_copies(&pass);
        } else {
            sot_clip_chunk(&pass, first == begin);
        }
    }
    if (engine->copies == 1 && end > begin) sot_clip_end_tile(engine, worker);
}

enum { MERGED_TOGETHER = 1 << 14 }; /* numbers: enough to be worth a thread's while */

/* Numbers begin .. end - 1 of all workers, to the first one's. */
static sotto_status merge_units(size_t chunk, size_t begin, size_t end, void *context,
                                sotto_error *error)
{
    const sot_engine *engine = context;
    int64_t *restrict units = engine->workers[0].units;
    (void)chunk;
    (void)error;
    for (size_t w = 1; w < engine->worker_count; w++) {
        int64_t *restrict others = engine->workers[w].units;
        for (size_t k = begin; k < end; k++) {
            units[k] += others[k];
            others[k] = 0;
        }
    }
    return SOTTO_OK;
}

sotto_status sot_engine_add(sot_engine *engine, const float *parameters,
                            const sot_tiles *tiles, int64_t *units, sotto_error *error)
{
    assert(engine->mode == SOT_ENGINE_CLIPPED && tiles->copies == engine->copies);
    const size_t parameter_count = engine->net->parameters;
    job own = {.engine = engine,
               .parameters = parameters,
               .tiles = tiles,
               .pieces = tiles->tiles,
               .work = clip_tile};
    engine->workers[0].units = units;
    sotto_status status = run(&own, true, error);
    for (size_t w = 0; w < engine->worker_count; w++)
        sot_clip_flush(engine, &engine->workers[w]);
    if (status == SOTTO_OK && engine->worker_count > 1)
        status = sot_parallel_for(engine->pool, parameter_count, MERGED_TOGETHER,
                                  merge_units, engine, error);
    /* Nothing of a sum that failed is left for the next one. */
    for (size_t w = 1; status != SOTTO_OK && w < engine->worker_count; w++)
        memset(engine->workers[w].units, 0, parameter_count * sizeof *units);
    engine->workers[0].units = NULL;
    return status;
}

/* ---- plain ---- */

/* Eight at a time: loops of a fixed length become vectors. */
static void add_floats(const float *restrict values, size_t count, float share,
                       float *restrict sum)
{
    enum { LANES = 8 };
    size_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            sum[k + lane] += share * values[k + lane];
    for (; k < count; k++)
        sum[k] += share * values[k];
}

/* Adds the gradients of the rows of a pass to a lane. */
static void add_rows(const sot_pass *pass, float *sum)
{
    const sot_engine *engine = pass->engine;
    const sot_net *net = engine->net;
    sot_worker *worker = pass->worker;
    for (size_t i = 0; i < pass->rows && engine->lower_end > net->front; i++) {
        sot_pass_down_row(pass, i, false);
        for (size_t l = net->front; l < engine->lower_end; l++)
            if (engine->layers[l].trained)
                add_floats(worker->formed + net->layers[l].first,
                           net->layers[l].parameters, 1.0F, sum + net->layers[l].first);
    }
    for (size_t l = engine->lower_end; l < net->layer_count; l++) {
        const sot_layer *layer = &net->layers[l];
        if (!engine->layers[l].trained) continue;
        if (layer->kind == SOT_LAYER_DENSE) {
            sot_pass_rows(pass, l);
            engine->operations->dense_gradient(
                layer, worker->deltas + engine->chunk * engine->layers[l].delta_at,
                worker->rows, pass->rows, true, sum + layer->first);
            continue;
        }
        const float *late = worker->late + engine->chunk * engine->layers[l].late_at;
        for (size_t i = 0; i < pass->rows; i++)
            add_floats(late + i * layer->parameters, layer->parameters, 1.0F,
                       sum + layer->first);
    }
}

/* Lane k has the tiles k, k + SOT_PLAIN_LANES, ...: the same sums on any number of threads. */
static void plain_lane(job *own, sot_worker *worker, size_t lane)
{
    sot_engine *engine = own->engine;
    float *sum = engine->lanes + lane * engine->net->parameters;
    const size_t step = step_of(engine);
    memset(sum, 0, engine->net->parameters * sizeof *sum);
    for (size_t tile = lane; tile < own->tiles->tiles; tile += SOT_PLAIN_LANES) {
        const size_t end = own->tiles->starts[tile + 1];
        for (size_t first = own->tiles->starts[tile]; first < end; first += step) {
            const size_t records = end - first < step ? end - first : step;
            const sot_pass pass = pass_of(own, worker, first, records);
            own->losses[lane] += up_and_down(&pass, own->tiles, first);
            add_rows(&pass, sum);
        }
    }
}

typedef struct lane_sum {
    const sot_engine *engine;
    size_t lanes;
    float *sum;
} lane_sum;

/* Numbers begin .. end - 1 of all lanes, in their order. */
static sotto_status add_lanes(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    const lane_sum *own = context;
    const float share = 1.0F / (float)own->engine->copies;
    (void)chunk;
    (void)error;
    for (size_t lane = 0; lane < own->lanes; lane++)
        add_floats(own->engine->lanes + lane * own->engine->net->parameters + begin,
                   end - begin, share, own->sum + begin);
    return SOTTO_OK;
}

sotto_status sot_engine_add_plain(sot_engine *engine, const float *parameters,
                                  const sot_tiles *tiles, float *sum, double *out_loss,
                                  sotto_error *error)
{
    assert(engine->mode == SOT_ENGINE_PLAIN && tiles->copies == engine->copies);
    double losses[SOT_PLAIN_LANES] = {0.0};
    const size_t parameter_count = engine->net->parameters;
    const size_t lanes =
        tiles->tiles < SOT_PLAIN_LANES ? tiles->tiles : (size_t)SOT_PLAIN_LANES;
    job own = {.engine = engine,
               .parameters = parameters,
               .tiles = tiles,
               .losses = losses,
               .pieces = lanes,
               .work = plain_lane};
    const sotto_status status = run(&own, true, error);
    if (status != SOTTO_OK) return status;
    double loss = 0.0;
    for (size_t lane = 0; lane < lanes; lane++)
        loss += losses[lane];
    lane_sum own_sum = {.engine = engine, .lanes = lanes, .sum = sum};
    const sotto_status added = sot_parallel_for(
        engine->pool, parameter_count, MERGED_TOGETHER, add_lanes, &own_sum, error);
    if (added != SOTTO_OK) return added;
    *out_loss = loss / (double)engine->copies;
    return SOTTO_OK;
}

/* ---- scores ---- */

static void score_chunk(job *own, sot_worker *worker, size_t piece)
{
    const sot_engine *engine = own->engine;
    const size_t outputs = engine->net->outputs, first = piece * engine->chunk;
    const size_t left = own->count - first;
    const sot_pass pass = {.engine = engine,
                           .worker = worker,
                           .parameters = own->parameters,
                           .inputs = own->inputs + first,
                           .rows = left < engine->chunk ? left : engine->chunk};
    sot_pass_forward(&pass);
    for (size_t i = 0; i < pass.rows; i++)
        memcpy(own->scores + (first + i) * outputs, sot_pass_scores(&pass, i),
               outputs * sizeof *own->scores);
}

sotto_status sot_engine_scores(sot_engine *engine, const float *parameters,
                               const float *const *inputs, size_t count, float *scores,
                               sotto_error *error)
{
    job own = {.engine = engine,
               .parameters = parameters,
               .inputs = inputs,
               .count = count,
               .scores = scores,
               .pieces = count / engine->chunk + (count % engine->chunk != 0),
               .work = score_chunk};
    return run(&own, false, error);
}
