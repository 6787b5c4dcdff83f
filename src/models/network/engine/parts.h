/* models/network/engine/parts.h: the common part of the files of the engine.
 *
 * Layers: from the first trained one (net->front) upward there are two parts.
 *
 * - lower: below the first dense layer (conv, pools, norms; may be empty). One record after
 *   another, forward and backward, so that it stays in the cache.
 * - upper: from the first dense layer on. Vectors, all records of a chunk together.
 *
 * Chunks: a tile is processed in chunks of records, as many as fit the cache: a public function
 * of the network. With several copies a chunk is the copies of one record.
 *
 * Gradients:
 *
 * - summed: dense layers without copies. One product per chunk, added to the tile's float sum.
 * - formed: all others. The record's own gradient, as floats.
 */
#ifndef SOT_MODELS_NETWORK_ENGINE_PARTS_H
#define SOT_MODELS_NETWORK_ENGINE_PARTS_H

#include <stdatomic.h>

#include "models/network/engine/engine.h"
#include "models/network/operations/operations.h"

enum {
    SOT_CHUNK_ROWS_MIN = 8,
    SOT_COPIES_MAX = 256,
    SOT_PLAIN_LANES = 8,     /* sums of the plain path, added up in order */
    SOT_FLUSH_RECORDS = 256, /* of 2^22 units at most: int32 holds their sum */
    SOT_WORKER_BLOCKS = 20
};

/* Roundings that a term of a tile's sum can meet: one per record, and one more a chunk. */
enum { SOT_TILE_ROUNDINGS = SOT_TILE_ROWS + SOT_TILE_ROWS / SOT_CHUNK_ROWS_MIN };

/* The amount by which factors are too small, so that rounding never makes a record's part too long: engine.md. */
#define SOT_CLIP_SHRINK (1.0 - 0x1p-22)

typedef enum sot_engine_mode {
    SOT_ENGINE_SCORES,
    SOT_ENGINE_PLAIN,
    SOT_ENGINE_CLIPPED
} sot_engine_mode;

/* Where a layer's numbers stand in a worker's arrays, a row of a chunk. */
typedef struct sot_engine_layer {
    size_t size;      /* of the output */
    bool in_place;    /* its output takes its input's place */
    bool trained;     /* has parameters that are not frozen */
    bool summed;      /* dense, not formed */
    size_t out_at;    /* outputs, [chunk][size] */
    size_t places_at; /* max pool: [chunk][size] */
    size_t saved_at;  /* group norm: [chunk][2 groups] */
    size_t delta_at;  /* dense: deltas at its output, [chunk][size] */
    size_t late_at;   /* formed in the upper part: [chunk][parameters] */
} sot_engine_layer;

typedef struct sot_worker {
    float *outs, *saved;
    uint32_t *places;
    float *deltas;      /* of dense layers */
    float *lower_delta; /* at the output of the lower part, [chunk][size] */
    float *ping, *pong; /* deltas of one record in the lower part */
    float *formed;      /* one record's gradient, placed as the parameters */
    float *late;        /* formed gradients of the upper part */
    float *sum;         /* of a tile, placed as the parameters */
    float *scratch;     /* of conv */
    float *zeros;       /* the input of a record that adds nothing */
    const float **rows; /* inputs of a dense layer, [chunk] */
    double *shares;     /* squared norms, [layer][chunk] */
    double *factors;    /* [layer][chunk] */
    int32_t *few;       /* units since the last flush, placed as the parameters */
    int64_t *units;     /* the worker's sum; the first one's is the caller's */
    size_t waiting;     /* records in `few` */
    struct {
        void *memory;
        size_t size_bytes;
    } blocks[SOT_WORKER_BLOCKS];
    size_t block_count;
} sot_worker;

struct sot_engine {
    const sot_net *net;
    const sot_operations *operations;
    sot_engine_mode mode;
    sot_clip clip;
    sot_pool *pool;
    size_t copies, chunk;
    size_t lower_end; /* layers front .. lower_end - 1 are the lower part */
    size_t trained;   /* layers */
    sot_engine_layer layers[SOT_NET_LAYERS_MAX];
    size_t outs, saved, places, deltas, late; /* numbers a row */
    size_t lower_most;  /* of a record between layers of the lower part */
    size_t inputs_most; /* of a dense layer */
    size_t scratch;
    sot_packed packed[SOT_NET_LAYERS_MAX];
    sot_worker *workers;
    size_t worker_count;
    float *lanes; /* plain: SOT_PLAIN_LANES x parameters */
};

/* One pass over some rows of a chunk. */
typedef struct sot_pass {
    const sot_engine *engine;
    sot_worker *worker;
    const float *parameters;
    const float *const *inputs;
    const double *squares; /* of the inputs; NULL: not at hand */
    size_t rows;
} sot_pass;

/* sot_engine_new() with operations of the caller's choice. */
SOTTO_MUST_CHECK sotto_status sot_engine_new_with(const sot_operations *operations,
                                                  const sot_net *net,
                                                  const sot_clip *clip, size_t copies,
                                                  sot_pool *pool, sot_engine **out_engine,
                                                  sotto_error *error);

/* ---- layout.c ---- */

/* Fills in everything public: places and sizes. */
void sot_engine_lay_out(sot_engine *engine);
SOTTO_MUST_CHECK sotto_status sot_worker_make(const sot_engine *engine, bool first,
                                              sot_worker *worker, sotto_error *error);
void sot_worker_end(sot_worker *worker); /* wipes */

/* ---- pass.c ---- */

/* Outputs of all layers. */
void sot_pass_forward(const sot_pass *pass);
/* The scores of row i, after sot_pass_forward(). */
const float *sot_pass_scores(const sot_pass *pass, size_t i);
/* Deltas at the scores, [row][outputs]: to be filled before sot_pass_down(). */
float *sot_pass_top(const sot_pass *pass);
/* The way down the upper part: deltas of dense layers; formed gradients of its norms (`late`). */
void sot_pass_down(const sot_pass *pass);
/* The way down the lower part for row i: formed gradients, to worker->formed, or added to it. */
void sot_pass_down_row(const sot_pass *pass, size_t i, bool add);
/* Fills worker->rows with the inputs of a dense layer. */
void sot_pass_rows(const sot_pass *pass, size_t l);

/* ---- clip.c ---- */

/* From sot_pass_down() on: norms, factors, units and sums of one chunk of records. */
void sot_clip_chunk(const sot_pass *pass, bool first_of_tile);
/* The same for the copies of one record. */
void sot_clip_copies(const sot_pass *pass);
/* Rounds the tile's sum to units; empties `few` when it is full, or always. */
void sot_clip_end_tile(const sot_engine *engine, sot_worker *worker);
void sot_clip_flush(const sot_engine *engine, sot_worker *worker);

#endif
