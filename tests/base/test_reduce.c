#include "support.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/reduce.h"

enum { CHUNKS = 5, COUNT = 1537 }; /* more than three blocks, the last not full */

static void fill(int64_t *partials)
{
    for (int64_t i = 0; i < CHUNKS * COUNT; i++) /* both signs, no pattern */
        partials[i] = i * 636413622384 % INT64_C(1000000007) - 500000003;
}

static void sums_over_chunks_are_exact_in_any_order(void **state)
{
    (void)state;
    static int64_t partials[CHUNKS * COUNT], sum[COUNT];
    fill(partials);
    sotto_error error;
    assert_ok(sot_sum_chunks_int64(partials, CHUNKS, COUNT, sum, &error), &error);
    for (size_t i = 0; i < COUNT; i++) {
        int64_t backwards = 0;
        for (size_t chunk = CHUNKS; chunk-- > 0;)
            backwards += partials[chunk * COUNT + i];
        assert_true(sum[i] == backwards);
    }
    assert_ok(sot_sum_chunks_int64(partials, 0, COUNT, sum, &error), &error);
    assert_true(sum[0] == 0 && sum[COUNT - 1] == 0);
    assert_ok(sot_sum_chunks_int64(NULL, CHUNKS, 0, NULL, &error), &error);
}

static void a_detour_beyond_the_range_does_no_harm(void **state)
{
    (void)state;
    const int64_t partials[] = {INT64_MAX, 1, INT64_MAX, INT64_MIN, INT64_MIN, 7};
    const int64_t expected = 6; /* MAX + 1 + MAX + MIN + MIN + 7 */
    int64_t sum = 0;
    sotto_error error;
    assert_ok(sot_sum_chunks_int64(partials, 6, 1, &sum, &error), &error);
    assert_true(sum == expected);
    const int64_t extremes[] = {INT64_MAX, INT64_MIN, 0, 0};
    int64_t kept[2];
    assert_ok(sot_sum_chunks_int64(extremes, 2, 2, kept, &error), &error);
    assert_true(kept[0] == INT64_MAX && kept[1] == INT64_MIN);
}

static void a_total_beyond_the_range_is_refused_and_wiped(void **state)
{
    (void)state;
    static int64_t partials[CHUNKS * COUNT], sum[COUNT];
    fill(partials);
    partials[1 * COUNT + 1500] = INT64_MAX;
    partials[3 * COUNT + 1500] = INT64_MAX;
    memset(sum, 7, sizeof sum);
    sotto_error error;
    assert_refused(sot_sum_chunks_int64(partials, CHUNKS, COUNT, sum, &error),
                   SOTTO_INTERNAL, &error, "64-bit range", NULL);
    assert_null(strstr(error.message, "1500")); /* nothing about the records */
    for (size_t i = 0; i < COUNT; i++)
        assert_true(sum[i] == 0);
    partials[1 * COUNT + 1500] = INT64_MIN;
    partials[3 * COUNT + 1500] = INT64_MIN;
    assert_int_equal(sot_sum_chunks_int64(partials, CHUNKS, COUNT, sum, NULL),
                     SOTTO_INTERNAL);
}

static void one_rank_is_the_whole_world(void **state)
{
    (void)state;
    sot_reduce *reduce = NULL;
    sotto_error error;
    assert_ok(sot_reduce_new(&reduce, &error), &error);
    assert_int_equal(sot_reduce_rank(reduce), 0);
    assert_int_equal(sot_reduce_size(reduce), 1);
    int64_t vector[] = {INT64_MAX, -3, INT64_MIN};
    const int64_t before[] = {INT64_MAX, -3, INT64_MIN};
    assert_ok(sot_reduce_sum_int64(reduce, vector, 3, &error), &error);
    assert_memory_equal(vector, before, sizeof before);
    sot_reduce_free(reduce);
    sot_reduce_free(NULL);
}

/* A second rank that always holds the same vector; it fails when told to. */
typedef struct twin {
    int64_t other[2];
    int fails;
    int freed;
} twin;

static sotto_status add_twin(void *state, int64_t *vector, size_t count,
                             sotto_error *error)
{
    twin *ranks = state;
    if (ranks->fails) return sot_fail(error, SOTTO_IO, "rank 1 is gone");
    int64_t partials[4];
    memcpy(partials, vector, count * sizeof *vector);
    memcpy(partials + count, ranks->other, count * sizeof *vector);
    return sot_sum_chunks_int64(partials, 2, count, vector, error);
}

static void free_twin(void *state)
{
    ((twin *)state)->freed++;
}

static void a_back_end_may_have_more_ranks(void **state)
{
    (void)state;
    twin ranks = {.other = {100, -200}};
    const sot_reduce_backend backend = {
        .rank = 1, .size = 2, .sum_int64 = add_twin, .free = free_twin};
    sot_reduce *reduce = NULL;
    sotto_error error;
    assert_ok(sot_reduce_new_with(&backend, &ranks, &reduce, &error), &error);
    assert_int_equal(sot_reduce_rank(reduce), 1);
    assert_int_equal(sot_reduce_size(reduce), 2);
    int64_t vector[] = {5, 6};
    assert_ok(sot_reduce_sum_int64(reduce, vector, 2, &error), &error);
    assert_true(vector[0] == 105 && vector[1] == -194);
    ranks.fails = 1;
    assert_refused(sot_reduce_sum_int64(reduce, vector, 2, &error), SOTTO_IO, &error,
                   "rank 1 is gone", NULL);
    assert_true(vector[0] == 0 &&
                vector[1] == 0); /* a failed sum leaves nothing behind */
    sot_reduce_free(reduce);
    assert_int_equal(ranks.freed, 1);
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    twin ranks = {.fails = 0};
    const sot_reduce_backend backend = {
        .rank = 0, .size = 2, .sum_int64 = add_twin, .free = free_twin};
    sot_reduce *reduce = NULL;
    sotto_error error;
    (void)sot_test_fail_allocation(1);
    assert_refused(sot_reduce_new_with(&backend, &ranks, &reduce, &error),
                   SOTTO_OUT_OF_MEMORY, &error, "out of memory", NULL);
    assert_null(reduce);
    assert_int_equal(ranks.freed, 0); /* still the caller's */
    (void)sot_test_fail_allocation(1);
    assert_int_equal(sot_reduce_new(&reduce, NULL), SOTTO_OUT_OF_MEMORY);
    assert_int_equal(sot_test_fail_allocation(0), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_over_chunks_are_exact_in_any_order),
        cmocka_unit_test(a_detour_beyond_the_range_does_no_harm),
        cmocka_unit_test(a_total_beyond_the_range_is_refused_and_wiped),
        cmocka_unit_test(one_rank_is_the_whole_world),
        cmocka_unit_test(a_back_end_may_have_more_ranks),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
