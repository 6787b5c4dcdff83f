/* data/batches/tiling.h: into which tile of a step a record falls.
 *
 * Idea        A record that takes part in a step falls into one of `tiles` tiles by a coin of its own, and
 *             stands there in the order of places; what does not fit into a tile's room is a tile
 *             of its own. So the tiles of the others stay as they are when a record comes or goes,
 *             and only its own tile changes: a cut of the batch into runs of so many would move every record behind it.
 * Law         The tile of a record is a keyed hash of the step and its place (SipHash-2-4), with a key from the
 *             gate's generator that serves nothing else: nearly uniform. The proof (models/network/learn/nn.md) needs
 *             only that it is the same law for every place, independent of the records and of each other.
 * Coins       The same way for anything else that is drawn a record, a step and a number: sot_place_coin().
 */
#ifndef SOT_DATA_BATCHES_TILING_H
#define SOT_DATA_BATCHES_TILING_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/rng.h>

#include "base/threads.h"

enum { SOT_COIN_KEY_BYTES = 16 };

/* A key for coins of places. Wipe it after use. */
typedef struct sot_place_coins {
    unsigned char key[SOT_COIN_KEY_BYTES];
} sot_place_coins;

SOTTO_MUST_CHECK sotto_status sot_place_coins_draw(sotto_rng *rng,
                                                   sot_place_coins *out_coins,
                                                   sotto_error *error);
/* 64 bits, a function of the key and these three numbers. */
uint64_t sot_place_coin(const sot_place_coins *coins, uint64_t step, uint64_t place,
                        uint64_t number);

typedef struct sot_tiling sot_tiling;

/* `tiles` and `room`, records a tile, at least 1: public. Free with sot_tiling_free(). */
SOTTO_MUST_CHECK sotto_status sot_tiling_new(sotto_rng *rng, size_t tiles, size_t room,
                                             sot_tiling **out_tiling, sotto_error *error);
void sot_tiling_free(sot_tiling *tiling); /* wipes; NULL is fine */

/* Coins are tossed on all threads of the pool, which is borrowed: the same ones. NULL: on one. */
void sot_tiling_set_pool(sot_tiling *tiling, sot_pool *pool);

/* A step's records, tile by tile. */
typedef struct sot_cut {
    const uint32_t *rows; /* places, in the order of places within a tile */
    const size_t *starts; /* tiles + 1 of them: tile i has rows[starts[i]] .. */
    size_t tiles;         /* that have a record */
} sot_cut;

/* Cuts the records at `rows`, ascending places; the result is valid until the next call. */
SOTTO_MUST_CHECK sotto_status sot_tiling_cut(sot_tiling *tiling, uint64_t step,
                                             const uint32_t *rows, size_t count,
                                             sot_cut *out_cut, sotto_error *error);

#endif
