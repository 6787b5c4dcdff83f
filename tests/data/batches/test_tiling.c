/* Tiles of a step: a record's tile is its own affair. */
#include "support.h"

#include "base/memory.h"
#include "data/batches/tiling.h"

enum { TILES = 7, ROOM = 12, RECORDS = 70 };

static sot_tiling *begin(uint64_t seed)
{
    sotto_error error;
    sotto_rng *rng = NULL;
    sot_tiling *tiling = NULL;
    assert_ok(sotto_rng_new_for_test(seed, &rng, &error), &error);
    assert_ok(sot_tiling_new(rng, TILES, ROOM, &tiling, &error), &error);
    sotto_rng_free(rng);
    return tiling;
}

/* Ascending places with gaps, all but number `without`. */
static size_t places(size_t count, size_t without, uint32_t *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i != without) out[kept++] = (uint32_t)(3 * i + i % 2);
    return kept;
}

/* Whether `cut` has a tile of exactly these records. */
static bool has_tile(const sot_cut *cut, const uint32_t *rows, size_t count)
{
    for (size_t i = 0; i < cut->tiles; i++) {
        const size_t begin = cut->starts[i];
        if (cut->starts[i + 1] - begin != count) continue;
        if (memcmp(cut->rows + begin, rows, count * sizeof *rows) == 0) return true;
    }
    return false;
}

static void every_record_is_in_one_tile_in_order(void **state)
{
    (void)state;
    sotto_error error;
    uint32_t rows[RECORDS];
    sot_tiling *tiling = begin(2);
    for (size_t count = 0; count <= RECORDS; count += 5) {
        unsigned char met[4 * RECORDS] = {0};
        sot_cut cut;
        (void)places(count, RECORDS, rows);
        assert_ok(sot_tiling_cut(tiling, count, rows, count, &cut, &error), &error);
        assert_int_equal(cut.starts[0], 0);
        assert_int_equal(cut.starts[cut.tiles], count);
        for (size_t tile = 0; tile < cut.tiles; tile++) {
            assert_in_range(cut.starts[tile + 1] - cut.starts[tile], 1, ROOM);
            for (size_t i = cut.starts[tile]; i < cut.starts[tile + 1]; i++) {
                assert_int_equal(met[cut.rows[i]]++, 0);
                if (i > cut.starts[tile]) assert_true(cut.rows[i] > cut.rows[i - 1]);
            }
        }
        for (size_t i = 0; i < count; i++)
            assert_int_equal(met[rows[i]], 1);
    }
    sot_tiling_free(tiling);
    sot_tiling_free(NULL);
}

/* A record is taken out of the middle, the others keep their places: of the old tiles one is no longer there, of the
 * new ones one is new; where the tile was full, the one that moves up was a tile of its own. */
static void neighbours_differ_in_one_tile(void **state)
{
    (void)state;
    sotto_error error;
    uint32_t all[RECORDS], fewer[RECORDS], kept_rows[RECORDS];
    size_t kept_starts[RECORDS + 1];
    sot_tiling *tiling = begin(5);
    size_t overfull = 0;
    for (uint64_t step = 1; step <= 20; step++) {
        for (size_t without = 0; without < RECORDS; without++) {
            sot_cut cut;
            const size_t count = places(RECORDS, RECORDS, all);
            const size_t left = places(RECORDS, without, fewer);
            assert_ok(sot_tiling_cut(tiling, step, all, count, &cut, &error), &error);
            memcpy(kept_rows, cut.rows, count * sizeof *kept_rows);
            memcpy(kept_starts, cut.starts, (cut.tiles + 1) * sizeof *kept_starts);
            const sot_cut before = {kept_rows, kept_starts, cut.tiles};
            assert_ok(sot_tiling_cut(tiling, step, fewer, left, &cut, &error), &error);
            size_t gone = 0, come = 0;
            for (size_t i = 0; i < before.tiles; i++) {
                const size_t size = kept_starts[i + 1] - kept_starts[i];
                gone += !has_tile(&cut, kept_rows + kept_starts[i], size);
            }
            for (size_t i = 0; i < cut.tiles; i++) {
                const size_t size = cut.starts[i + 1] - cut.starts[i];
                come += !has_tile(&before, cut.rows + cut.starts[i], size);
            }
            assert_in_range(gone, 1, 2);
            assert_in_range(come, 0, 1);
            overfull += gone == 2;
        }
    }
    assert_true(overfull > 0); /* or the last claim was not tried */
    sot_tiling_free(tiling);
}

/* 7 x 2000 coins: 2000 each with a deviation of 41; 7 of them. */
static void threads_toss_the_same_coins(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    static uint32_t rows[MANY];
    sotto_error error;
    sot_pool *pool = NULL;
    sot_cut alone, together;
    sot_tiling *one = begin(9), *other = begin(9);
    assert_ok(sot_pool_new(3, &pool, &error), &error);
    sot_tiling_set_pool(other, pool);
    for (size_t i = 0; i < MANY; i++)
        rows[i] = (uint32_t)(2 * i + 1);
    assert_ok(sot_tiling_cut(one, 4, rows, MANY, &alone, &error), &error);
    assert_ok(sot_tiling_cut(other, 4, rows, MANY, &together, &error), &error);
    assert_int_equal(alone.tiles, together.tiles);
    assert_memory_equal(alone.rows, together.rows, sizeof rows);
    assert_memory_equal(alone.starts, together.starts,
                        (alone.tiles + 1) * sizeof *alone.starts);
    sot_pool_free(pool);
    sot_tiling_free(one);
    sot_tiling_free(other);
}

static void tiles_are_filled_alike(void **state)
{
    (void)state;
    enum { DRAWS = 14000 };
    sotto_error error;
    sotto_rng *rng = NULL;
    sot_place_coins coins, others;
    size_t seen[TILES] = {0}, equal = 0;
    assert_ok(sotto_rng_new_for_test(3, &rng, &error), &error);
    assert_ok(sot_place_coins_draw(rng, &coins, &error), &error);
    assert_ok(sot_place_coins_draw(rng, &others, &error), &error);
    for (uint64_t i = 0; i < DRAWS; i++) {
        const uint64_t coin = sot_place_coin(&coins, i / 100, i % 100, 0);
        seen[coin / (UINT64_MAX / TILES + 1)]++;
        equal += coin == sot_place_coin(&others, i / 100, i % 100, 0);
        equal += coin == sot_place_coin(&coins, i / 100, i % 100, 1);
        equal += coin == sot_place_coin(&coins, i / 100 + 1, i % 100, 0);
        assert_true(coin == sot_place_coin(&coins, i / 100, i % 100, 0));
    }
    for (size_t i = 0; i < TILES; i++)
        assert_within((double)seen[i], 1710.0, 2290.0);
    assert_int_equal(equal, 0);
    sotto_rng_free(rng);
}

static void want_of_memory_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_rng *rng = NULL;
    sot_tiling *tiling = NULL;
    sot_cut cut;
    uint32_t rows[RECORDS];
    assert_ok(sotto_rng_new_for_test(3, &rng, &error), &error);
    for (size_t nth = 1; nth <= 2; nth++) {
        (void)sot_test_fail_allocation(nth);
        assert_int_equal(sot_tiling_new(rng, TILES, ROOM, &tiling, &error),
                         SOTTO_OUT_OF_MEMORY);
        assert_null(tiling);
    }
    (void)sot_test_fail_allocation(0);
    tiling = begin(4);
    (void)places(RECORDS, RECORDS, rows);
    for (size_t nth = 1; nth <= 3; nth++) {
        (void)sot_test_fail_allocation(nth);
        assert_int_equal(sot_tiling_cut(tiling, 1, rows, RECORDS, &cut, &error),
                         SOTTO_OUT_OF_MEMORY);
    }
    (void)sot_test_fail_allocation(0);
    assert_ok(sot_tiling_cut(tiling, 1, rows, RECORDS, &cut, &error), &error);
    sot_tiling_free(tiling);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_is_in_one_tile_in_order),
        cmocka_unit_test(neighbours_differ_in_one_tile),
        cmocka_unit_test(threads_toss_the_same_coins),
        cmocka_unit_test(tiles_are_filled_alike),
        cmocka_unit_test(want_of_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
