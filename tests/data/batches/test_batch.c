/* Which records take part in a step, and the order of a pass. False alarms: below 1e-9 a test. */
#include "support.h"

#include "base/memory.h"
#include "data/batches/batch.h"

static sot_batches *begin(sotto_sampling sampling, double rate, uint64_t batch,
                          uint64_t seed)
{
    sotto_error error;
    sotto_rng *rng = NULL;
    sot_batches *batches = NULL;
    assert_ok(sotto_rng_new_for_test(seed, &rng, &error), &error);
    assert_ok(sot_batches_new(rng, sampling, rate, batch, &batches, &error), &error);
    sotto_rng_free(rng); /* the samples have randomness of their own */
    return batches;
}

/* Every record by its own coin: chunks or not, the same records. */
static void coins_belong_to_places(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    sotto_error error;
    sot_batches *whole = begin(SOTTO_POISSON, 0.125, 0, 3);
    sot_batches *parts = begin(SOTTO_POISSON, 0.125, 0, 3);
    size_t total = 0;
    for (uint64_t step = 1; step <= 20; step++) {
        const uint32_t *rows, *some;
        size_t count, found = 0;
        assert_ok(sot_batches_of_step(whole, step, 0, COUNT, &rows, &count, &error),
                  &error);
        for (uint64_t first = 0; first < COUNT; first += 500) {
            size_t few;
            assert_ok(sot_batches_of_step(parts, step, first, 500, &some, &few, &error),
                      &error);
            for (size_t i = 0; i < few; i++)
                assert_int_equal(rows[found++], first + some[i]);
        }
        assert_int_equal(found, count);
        total += count;
    }
    /* 80000 coins: a deviation of 94; 7 of them. */
    assert_within((double)total, 10000.0 - 660.0, 10000.0 + 660.0);
    sot_batches_free(whole);
    sot_batches_free(parts);
}

/* More coins than a thread tosses at a time, and than there are chunks for. */
static void threads_toss_the_same_coins(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 8192, 20001, 600001};
    sotto_error error;
    sot_pool *pool = NULL;
    sot_batches *alone = begin(SOTTO_POISSON, 0.0625, 0, 3);
    sot_batches *together = begin(SOTTO_POISSON, 0.0625, 0, 3);
    assert_ok(sot_pool_new(3, &pool, &error), &error);
    sot_batches_set_pool(together, pool);
    for (uint64_t step = 1; step <= 4; step++) {
        const uint32_t *rows, *others;
        size_t count, other_count;
        assert_ok(
            sot_batches_of_step(alone, step, 7, counts[step - 1], &rows, &count, &error),
            &error);
        assert_ok(sot_batches_of_step(together, step, 7, counts[step - 1], &others,
                                      &other_count, &error),
                  &error);
        assert_int_equal(count, other_count);
        if (count > 0) assert_memory_equal(rows, others, count * sizeof *rows);
    }
    sot_pool_free(pool);
    sot_batches_free(alone);
    sot_batches_free(together);
}

static void a_single_record_is_uniform_and_drawn_afresh(void **state)
{
    (void)state;
    enum { COUNT = 5, DRAWS = 20000 };
    sotto_error error;
    sot_batches *batches = begin(SOTTO_SINGLE_RECORD, SOTTO_UNSET, 0, 5);
    size_t seen[COUNT] = {0};
    for (uint64_t step = 1; step <= DRAWS; step++) {
        const uint32_t *rows;
        size_t count;
        assert_ok(sot_batches_of_step(batches, step, 0, COUNT, &rows, &count, &error),
                  &error);
        assert_int_equal(count, 1);
        assert_in_range(rows[0], 0, COUNT - 1);
        seen[rows[0]]++;
    }
    for (size_t i = 0; i < COUNT; i++) /* 4000 with a deviation of 57; 7 of them */
        assert_within((double)seen[i], 3600.0, 4400.0);
    const uint32_t *rows;
    size_t count = 7;
    assert_ok(sot_batches_of_step(batches, 1, 0, 0, &rows, &count, &error), &error);
    assert_int_equal(count, 0);
    sot_batches_free(batches);
}

/* Every pair of five places: ten of them, 2000 times each with a deviation of 42; 7 of them. */
static void a_batch_without_replacement_is_any_set_as_likely(void **state)
{
    (void)state;
    enum { COUNT = 5, DRAWS = 20000 };
    sotto_error error;
    sot_batches *batches = begin(SOTTO_WITHOUT_REPLACEMENT, SOTTO_UNSET, 2, 8);
    size_t seen[COUNT][COUNT] = {{0}};
    const uint32_t *rows;
    size_t count;
    for (uint64_t step = 1; step <= DRAWS; step++) {
        assert_ok(sot_batches_of_step(batches, step, 0, COUNT, &rows, &count, &error),
                  &error);
        assert_int_equal(count, 2);
        assert_true(rows[0] < rows[1] && rows[1] < COUNT);
        seen[rows[0]][rows[1]]++;
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = i + 1; j < COUNT; j++)
            assert_within((double)seen[i][j], 1700.0, 2300.0);
    assert_ok(sot_batches_of_step(batches, 1, 0, 1, &rows, &count, &error), &error);
    assert_int_equal(count, 1); /* no more than there are */
    sot_batches_free(batches);
}

static void without_sampling_all_take_part(void **state)
{
    (void)state;
    sotto_error error;
    sot_batches *batches = begin(SOTTO_NOT_SAMPLED, SOTTO_UNSET, 0, 8);
    const uint32_t *rows;
    size_t count;
    assert_ok(sot_batches_of_step(batches, 3, 0, 7, &rows, &count, &error), &error);
    assert_int_equal(count, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(rows[i], i);
    sot_batches_free(batches);
}

static void orders_are_uniform(void **state)
{
    (void)state;
    enum { DRAWS = 24000 };
    sotto_error error;
    sotto_rng *rng = NULL;
    size_t seen[24] = {0};
    assert_ok(sotto_rng_new_for_test(11, &rng, &error), &error);
    for (int draw = 0; draw < DRAWS; draw++) {
        uint32_t order[4];
        unsigned met = 0;
        size_t place = 0;
        assert_ok(sot_shuffle(rng, 4, order, &error), &error);
        for (size_t i = 0; i < 4; i++) { /* the order's number, in base 4 - i */
            size_t smaller = 0;
            for (size_t j = i + 1; j < 4; j++)
                smaller += order[j] < order[i];
            place = place * (4 - i) + smaller;
            met |= 1u << order[i];
        }
        assert_int_equal(met, 15);
        seen[place]++;
    }
    double chi = 0.0; /* 23 degrees of freedom: above 95 with probability 1e-10 */
    for (size_t i = 0; i < 24; i++)
        chi += ((double)seen[i] - 1000.0) * ((double)seen[i] - 1000.0) / 1000.0;
    assert_within(chi, 0.0, 95.0);
    uint32_t one = 7;
    assert_ok(sot_shuffle(rng, 1, &one, &error), &error);
    assert_int_equal(one, 0);
    assert_ok(sot_shuffle(rng, 0, &one, &error), &error);
    sotto_rng_free(rng);
}

static void other_samplings_and_want_of_memory_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_rng *rng = NULL;
    sot_batches *batches = NULL;
    assert_ok(sotto_rng_new_for_test(2, &rng, &error), &error);
    assert_refused(
        sot_batches_new(rng, (sotto_sampling)9, SOTTO_UNSET, 0, &batches, &error),
        SOTTO_INVALID_ARGUMENT, &error, "9", NULL);
    (void)sot_test_fail_allocation(1);
    assert_int_equal(sot_batches_new(rng, SOTTO_POISSON, 0.5, 0, &batches, &error),
                     SOTTO_OUT_OF_MEMORY);
    assert_null(batches);
    assert_ok(sot_batches_new(rng, SOTTO_POISSON, 0.5, 0, &batches, &error), &error);
    const uint32_t *rows;
    size_t count;
    for (size_t nth = 1; nth <= 2; nth++) {
        (void)sot_test_fail_allocation(nth);
        assert_int_equal(sot_batches_of_step(batches, 1, 0, 90, &rows, &count, &error),
                         SOTTO_OUT_OF_MEMORY);
    }
    (void)sot_test_fail_allocation(0);
    assert_ok(sot_batches_of_step(batches, 1, 0, 90, &rows, &count, &error), &error);
    sot_batches_free(batches);
    sot_batches_free(NULL);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coins_belong_to_places),
        cmocka_unit_test(threads_toss_the_same_coins),
        cmocka_unit_test(a_single_record_is_uniform_and_drawn_afresh),
        cmocka_unit_test(a_batch_without_replacement_is_any_set_as_likely),
        cmocka_unit_test(without_sampling_all_take_part),
        cmocka_unit_test(orders_are_uniform),
        cmocka_unit_test(other_samplings_and_want_of_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
