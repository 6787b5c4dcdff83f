/* models/network/engine/engine.h: a network on many records: scores, and sums of clipped
 * gradients in integers.
 *
 * Idea: records come in tiles of at most SOT_TILE_ROWS, with one forward and one backward pass
 * per tile (deltas only). A dense layer's share of a record's squared norm is |delta|^2
 * (|input|^2 + 1), exact without forming the gradient. Layers with several positions form each
 * record's own gradient. Then the clip factor of each record is known. Formed gradients are
 * scaled and truncated toward zero to units, record by record. Dense ones are one product of
 * scaled deltas and inputs per tile, a float sum of at most SOT_TILE_ROWS terms, rounded to
 * units. Across tiles everything is added in int64: exact, in any order, on any number of
 * threads.
 *
 * Theorem: let two lists of tiles differ by one record added to, removed from or replaced in one
 * tile (records over the tile's room are their own tiles). Then the units differ by at most
 * sot_engine_sensitivity(), or twice the record's part plus the same rounding for a replacement.
 * A record's part depends only on that record, the parameters and public settings.
 *
 * Assumes: parameters are finite and public.
 *
 * Proof note: src/models/network/engine/engine.md
 */
#ifndef SOT_MODELS_NETWORK_ENGINE_ENGINE_H
#define SOT_MODELS_NETWORK_ENGINE_ENGINE_H

#include <sotto/clipping.h>

#include "base/threads.h"
#include "models/network/layers/net.h"

enum { SOT_TILE_ROWS = 128 };

/* The bound of a record's gradient; public. */
typedef struct sot_clip {
    sotto_clipping rule; /* flat, per-layer, automatic */
    double
        bound; /* C: of the whole gradient; infinite with `spacing` 0: not clipped (public data) */
    double spacing; /* of a unit: sot_clip_spacing(), a power of two, about C 2^-22 */
} sot_clip;

/* The power of two that makes C between 2^21 and 2^22 units. */
double sot_clip_spacing(double bound);

/* Units by which the sum moves when one record is added to, or taken from, one tile; rounded up. When it is
 * exchanged for another: at most `exchanged`. */
typedef struct sot_engine_sensitivity {
    double one, exchanged;
} sot_engine_sensitivity;
sot_engine_sensitivity sot_engine_sensitivity_of(const sot_net *net,
                                                 const sot_clip *clip);

/* Some records, divided into tiles. Inputs are those of layer net->front (the front's output).
 * With `copies` above 1 per record has that number of inputs, one after another, whose gradients
 * are averaged before they are clipped (augmentation). */
typedef struct sot_tiles {
    const float *const *inputs; /* copies x records pointers, tile by tile */
    const double *labels;       /* one per record */
    const size_t *
        starts; /* tiles + 1 places among the records; each at most SOT_TILE_ROWS apart */
    size_t tiles;
    size_t copies; /* 1: none */
    const double
        *squares; /* of each input, from sot_engine_squares(); NULL: not at hand */
} sot_tiles;

typedef struct sot_engine sot_engine;

/* Room for everything: one worker a thread of the pool. `clip` NULL: scores only. Free with sot_engine_free(). */
SOTTO_MUST_CHECK sotto_status sot_engine_new(const sot_net *net, const sot_clip *clip,
                                             size_t copies, sot_pool *pool,
                                             sot_engine **out_engine, sotto_error *error);
void sot_engine_free(sot_engine *engine); /* wipes; NULL is fine */

/* True if the records' norms use the norms of inputs. It then saves time to compute them once for
 * many steps. They are a function of only the record. */
bool sot_engine_wants_squares(const sot_engine *engine);

/* squares[i] = |inputs[i]|^2, as the engine would compute it. */
SOTTO_MUST_CHECK sotto_status sot_engine_squares(const sot_engine *engine,
                                                 const float *const *inputs, size_t count,
                                                 double *squares, sotto_error *error);

/* Adds the tiles' sum of clipped gradients, in units, to units[0 .. net->parameters): frozen layers' stay
 * as they are. Records whose gradient is not finite add nothing. After SOTTO_INTERRUPTED (the pool was
 * cancelled) the units are worthless. */
SOTTO_MUST_CHECK sotto_status sot_engine_add(sot_engine *engine, const float *parameters,
                                             const sot_tiles *tiles, int64_t *units,
                                             sotto_error *error);

/* The plain path, for public data: adds the sum of gradients (with copies: of their means) in
 * float, the same for any number of threads. Values that are not finite stay so. *out_loss: the
 * sum of losses. */
SOTTO_MUST_CHECK sotto_status sot_engine_add_plain(sot_engine *engine,
                                                   const float *parameters,
                                                   const sot_tiles *tiles, float *sum,
                                                   double *out_loss, sotto_error *error);

/* scores[i outputs + c] of `count` records, inputs of layer net->front. */
SOTTO_MUST_CHECK sotto_status sot_engine_scores(sot_engine *engine,
                                                const float *parameters,
                                                const float *const *inputs, size_t count,
                                                float *scores, sotto_error *error);

/* ---- the front ---- */

/* Floats from one output of the front to the next, where they are kept: they begin where lines of the cache do. */
size_t sot_front_stride(const sot_net *net);

/* Computes the output of the front for `count` encoded rows (data/batches/matrix.h: images as
 * planes one after another, as in files; a constant column at the end is ignored). Turns planes
 * to channels last, then applies the layers. A record's result is a function of only that record
 * and the network, the same bits for any other rows in the call. Frozen layers of the front read
 * `parameters`. Row i's output begins at out + i stride. */
SOTTO_MUST_CHECK sotto_status sot_front_apply(const sot_net *net, const float *parameters,
                                              const float *const *rows, size_t count,
                                              sot_pool *pool, float *out, size_t stride,
                                              sotto_error *error);

/* ---- the reference (reference.c), in double, one record at a time ---- */

/* The record's whole gradient, net->parameters numbers; returns its loss. */
SOTTO_MUST_CHECK sotto_status sot_reference_gradient(
    const sot_net *net, const double *parameters, const float *input, double label,
    double *out_gradient, double *out_loss, sotto_error *error);

#endif
