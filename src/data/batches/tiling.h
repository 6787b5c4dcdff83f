/* data/batches/tiling.h: the tiles of the records of a step.
 *
 * Idea: a record of a step falls into one of `tiles` tiles by its own coin, and is placed there
 * in the order of places. A record that does not fit into its tile gets its own tile. So adding
 * or removing a record changes only its own tile. Tiles of consecutive records would shift every
 * later record.
 *
 * Distribution: the tile of a record is a keyed hash of the step and its place (SipHash-2-4),
 * nearly uniform. The key comes from the gate's generator and is used for nothing else. The proof
 * (models/network/learn/nn.md) needs only two properties. The distribution is the same for every
 * place, and independent of the records and of other places.
 *
 * Coins: the same for any other random number per record, step and number: sot_place_coin().
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

/* Assigns the records at `rows`, ascending places, to tiles; the result is valid until
 * the next call. */
SOTTO_MUST_CHECK sotto_status sot_tiling_cut(sot_tiling *tiling, uint64_t step,
                                             const uint32_t *rows, size_t count,
                                             sot_cut *out_cut, sotto_error *error);

#endif
