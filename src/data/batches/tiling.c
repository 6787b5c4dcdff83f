#include "data/batches/tiling.h"

#include <assert.h>
#include <string.h>

#include <sodium.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/rng.h"

_Static_assert((int)SOT_COIN_KEY_BYTES == crypto_shorthash_KEYBYTES, "a key of SipHash");
_Static_assert(crypto_shorthash_BYTES == 8, "SipHash-2-4 gives 64 bits");

/* Coins that a thread tosses at a time. */
enum { COINS_AT_ONCE = 1024 };

/* The place of a tile's next record, and the number of free places. */
typedef struct tile_place {
    size_t next, left;
} tile_place;

struct sot_tiling {
    sot_place_coins coins;
    size_t tiles, room;
    sot_pool *pool;    /* NULL: one thread */
    tile_place *place; /* of each tile */
    uint32_t *tile;    /* of each record */
    uint32_t *rows;
    size_t *starts;
    size_t records_room;
};

/* ---- coins ---- */

sotto_status sot_place_coins_draw(sotto_rng *rng, sot_place_coins *out_coins,
                                  sotto_error *error)
{
    sot_rng_bytes(rng, out_coins->key, sizeof out_coins->key);
    const sotto_status status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out_coins, sizeof *out_coins);
    return status;
}

uint64_t sot_place_coin(const sot_place_coins *coins, uint64_t step, uint64_t place,
                        uint64_t number)
{
    unsigned char text[24], digest[crypto_shorthash_BYTES];
    sot_store_le64(text, step);
    sot_store_le64(text + 8, place);
    sot_store_le64(text + 16, number);
    (void)crypto_shorthash(digest, text, sizeof text, coins->key); /* never fails */
    return sot_load_le64(digest);
}

/* ---- tiles ---- */

sotto_status sot_tiling_new(sotto_rng *rng, size_t tiles, size_t room,
                            sot_tiling **out_tiling, sotto_error *error)
{
    assert(tiles >= 1 && tiles <= UINT32_MAX && room >= 1);
    sot_tiling *tiling = sot_new_array(1, sizeof *tiling);
    if (tiling == NULL) return sot_fail_memory(error, 1, sizeof *tiling);
    tiling->tiles = tiles;
    tiling->room = room;
    tiling->place = sot_new_array(tiles, sizeof *tiling->place);
    const sotto_status status = tiling->place == NULL
                                    ? sot_fail_memory(error, tiles, sizeof *tiling->place)
                                    : sot_place_coins_draw(rng, &tiling->coins, error);
    if (status != SOTTO_OK) {
        sot_tiling_free(tiling);
        return status;
    }
    *out_tiling = tiling;
    return SOTTO_OK;
}

/* The set of records that took part, and its size, is a secret. */
static void drop_records(sot_tiling *tiling)
{
    const size_t room = tiling->records_room;
    sot_wipe_and_free(tiling->tile, room * sizeof *tiling->tile);
    sot_wipe_and_free(tiling->rows, room * sizeof *tiling->rows);
    sot_wipe_and_free(tiling->starts, (room + 1) * sizeof *tiling->starts);
    tiling->tile = NULL;
    tiling->rows = NULL;
    tiling->starts = NULL;
    tiling->records_room = 0;
}

void sot_tiling_free(sot_tiling *tiling)
{
    if (tiling == NULL) return;
    if (tiling->starts != NULL) drop_records(tiling);
    sot_wipe_and_free(tiling->place, tiling->tiles * sizeof *tiling->place);
    sot_wipe_and_free(tiling, sizeof *tiling);
}

void sot_tiling_set_pool(sot_tiling *tiling, sot_pool *pool)
{
    tiling->pool = pool;
}

/* At most one tile per record, and one more start. */
static sotto_status make_room(sot_tiling *tiling, size_t count, sotto_error *error)
{
    if (tiling->starts != NULL && count <= tiling->records_room) return SOTTO_OK;
    if (tiling->starts != NULL) drop_records(tiling);
    tiling->tile = sot_new_array(count, sizeof *tiling->tile);
    tiling->rows = sot_new_array(count, sizeof *tiling->rows);
    tiling->starts = sot_new_array(count + 1, sizeof *tiling->starts);
    if (tiling->tile != NULL && tiling->rows != NULL && tiling->starts != NULL) {
        tiling->records_room = count;
        return SOTTO_OK;
    }
    sot_free(tiling->tile); /* nothing was written to them */
    sot_free(tiling->rows);
    sot_free(tiling->starts);
    tiling->tile = NULL;
    tiling->rows = NULL;
    tiling->starts = NULL;
    return sot_fail_memory(error, count + 1,
                           sizeof *tiling->tile + sizeof *tiling->rows +
                               sizeof *tiling->starts);
}

/* The tile of the record at `place`: floor(coin tiles / 2^64). */
static uint32_t tile_of(const sot_tiling *tiling, uint64_t step, uint32_t place)
{
    const uint64_t coin = sot_place_coin(&tiling->coins, step, place, 0);
    return (uint32_t)(((sot_u128)coin * tiling->tiles) >> 64);
}

typedef struct coins_job {
    sot_tiling *tiling;
    uint64_t step;
    const uint32_t *rows;
} coins_job;

static sotto_status toss_some(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    const coins_job *own = context;
    (void)chunk;
    (void)error;
    for (size_t i = begin; i < end; i++)
        own->tiling->tile[i] = tile_of(own->tiling, own->step, own->rows[i]);
    return SOTTO_OK;
}

/* Counts the records of every tile, and says where each tile begins; those without a record are left
 * out. Returns the number of tiles; *out_end is where the singles begin. */
static size_t place_tiles(sot_tiling *tiling, size_t count, size_t *out_end)
{
    size_t at = 0, tiles = 0;
    for (size_t i = 0; i < tiling->tiles; i++)
        tiling->place[i] = (tile_place){0};
    for (size_t i = 0; i < count; i++)
        tiling->place[tiling->tile[i]].left++;
    for (size_t i = 0; i < tiling->tiles; i++) {
        tile_place *place = &tiling->place[i];
        if (place->left > tiling->room) place->left = tiling->room;
        if (place->left > 0) tiling->starts[tiles++] = at;
        place->next = at;
        at += place->left;
    }
    *out_end = at;
    return tiles;
}

sotto_status sot_tiling_cut(sot_tiling *tiling, uint64_t step, const uint32_t *rows,
                            size_t count, sot_cut *out_cut, sotto_error *error)
{
    coins_job own = {.tiling = tiling, .step = step, .rows = rows};
    sotto_status status = make_room(tiling, count, error);
    if (status == SOTTO_OK)
        status =
            sot_parallel_for(tiling->pool, count, COINS_AT_ONCE, toss_some, &own, error);
    if (status != SOTTO_OK) return status;
    size_t single;
    size_t tiles = place_tiles(tiling, count, &single);
    for (size_t i = 0; i < count; i++) {
        tile_place *place = &tiling->place[tiling->tile[i]];
        if (place->left > 0) {
            place->left--;
            tiling->rows[place->next++] = rows[i];
        } else { /* no room: a tile of its own */
            tiling->starts[tiles++] = single;
            tiling->rows[single++] = rows[i];
        }
    }
    assert(single == count);
    tiling->starts[tiles] = count;
    *out_cut = (sot_cut){.rows = tiling->rows, .starts = tiling->starts, .tiles = tiles};
    return SOTTO_OK;
}
