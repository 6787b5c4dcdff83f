/* Releases of long vectors: chunks, each with a stream of its own, over any number of threads.
 *
 * False alarms: 1e-6 a p-value, 1e-8 a correlation; seeds are fixed. */
#include "privacy/mechanisms/release_support.h"
#include "random/laws.h"

#include "base/memory.h"
#include "base/threads.h"
#include "privacy/mechanisms/additive/additive.h"
#include "privacy/mechanisms/gate/tape.h"
#include "random/entropy.h"
#include "random/rng.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

/* A last chunk that is not whole, nor a whole number of pieces. */
enum { CHUNKS = 5, COUNT = (CHUNKS - 1) * SOT_NOISE_CHUNK + 3001 };
_Static_assert((int)COUNT >= (int)SOT_NOISE_LONG, "long");

static const additive mechanisms[] = {
    {ROUNDED, 1e6, 2.0}, {DISCRETE, 1e6, 2.0}, {LAPLACE, 1e6, 2.0}};

static open_gate gate_for(const additive *mechanism, uint64_t count, uint64_t seed)
{
    sotto_error error;
    sotto_event event;
    assert_ok(additive_event(mechanism, &event, &error), &error);
    return open_gate_new(&event, count, SOTTO_ADD_REMOVE, seed);
}

/* `threads` 0: no pool. The exact sums are 3 i - 7; the noise is what `out` holds beyond them. */
static void noise_of_releases(const additive *mechanism, size_t threads, uint64_t seed,
                              size_t releases, size_t count, int64_t *out)
{
    sotto_error error;
    sot_pool *pool = NULL;
    int64_t *exact = new_integers(count);
    for (size_t i = 0; i < count; i++)
        exact[i] = 3 * (int64_t)i - 7;
    if (threads > 0) assert_ok(sot_pool_new(threads, &pool, &error), &error);
    open_gate made = gate_for(mechanism, releases, seed);
    sot_gate_set_pool(made.gate, pool);
    for (size_t r = 0; r < releases; r++) {
        int64_t *noise = out + r * count;
        assert_ok(additive_release(made.gate, mechanism, exact, count, noise, &error),
                  &error);
        for (size_t i = 0; i < count; i++)
            noise[i] -= exact[i];
    }
    assert_ok(sotto_gate_finish(made.gate, &error), &error);
    open_gate_free(&made);
    sot_pool_free(pool);
    free(exact);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    static const size_t threads[] = {1, 2, 3, 7};
    int64_t *first = new_integers(2 * COUNT), *other = new_integers(2 * COUNT);
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        noise_of_releases(&mechanisms[kind], 0, 11, 2, COUNT, first);
        for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
            noise_of_releases(&mechanisms[kind], threads[i], 11, 2, COUNT, other);
            assert_memory_equal(first, other, 2 * COUNT * sizeof *first);
        }
        static const int64_t frozen[ADDITIVE_KINDS][3] = {{483154, 1698731, 977441},
                                                          {1032030, 1032702, 328095},
                                                          {1675628, -862485, 600117}};
        for (size_t i = 0; i < 3; i++) /* and on every machine */
            assert_int_equal(first[i * (COUNT / 2)], frozen[kind][i]);
        noise_of_releases(&mechanisms[kind], 2, 12, 2, COUNT, other);
        assert_memory_not_equal(first, other, SOT_NOISE_CHUNK * sizeof *first);
    }
    free(first);
    free(other);
}

/* A chunk that draws from another's stream repeats it, and so does a release that begins from
 * another's key. Independent noise of this width agrees in one place of 3 million; as to
 * correlation, n noisy products have a standard deviation of sqrt(n) variances. */
static bool are_independent(const int64_t *a, const int64_t *b, size_t count)
{
    size_t equal = 0;
    double products = 0.0, squares_a = 0.0, squares_b = 0.0;
    for (size_t i = 0; i < count; i++) {
        equal += a[i] == b[i];
        products += (double)a[i] * (double)b[i];
        squares_a += (double)a[i] * (double)a[i];
        squares_b += (double)b[i] * (double)b[i];
    }
    return equal <= 2 && fabs(products) <= 6.0 * sqrt(squares_a / (double)count) *
                                               sqrt(squares_b / (double)count) *
                                               sqrt((double)count);
}

static void chunks_and_releases_share_no_noise(void **state)
{
    (void)state;
    enum { RELEASES = 3, PIECES = RELEASES * CHUNKS };
    int64_t *noise = new_integers(RELEASES * COUNT);
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        noise_of_releases(&mechanisms[kind], 2, 13, RELEASES, COUNT, noise);
        for (size_t a = 0; a < PIECES; a++) {
            for (size_t b = 0; b < a; b++) {
                const size_t at_a = a / CHUNKS * COUNT + a % CHUNKS * SOT_NOISE_CHUNK;
                const size_t at_b = b / CHUNKS * COUNT + b % CHUNKS * SOT_NOISE_CHUNK;
                assert_true(are_independent(noise + at_a, noise + at_b, 3001));
            }
        }
        assert_false(are_independent(noise, noise, 3001)); /* the test can tell */
    }
    free(noise);
}

static double noise_p(const additive *mechanism, const int64_t *noise, size_t count)
{
    if (mechanism->kind == LAPLACE)
        return integer_sample_p(noise, count, laplace_tail, &mechanism->spread,
                                mechanism->spread);
    /* At this width the discrete and the rounded law are the same to 1e-12. */
    return integer_sample_p(noise, count, rounded_tail, &mechanism->spread,
                            mechanism->spread);
}

static void every_chunk_has_the_stated_law(void **state)
{
    (void)state;
    enum { LENGTH = 6 * SOT_NOISE_LONG };
    int64_t *noise = new_integers(LENGTH);
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        noise_of_releases(&mechanisms[kind], 2, 14, 1, LENGTH, noise);
        assert_same_law(noise_p(&mechanisms[kind], noise, LENGTH));
        for (size_t chunk = 0; chunk < 3; chunk++)
            assert_same_law(noise_p(&mechanisms[kind], noise + chunk * SOT_NOISE_CHUNK,
                                    SOT_NOISE_CHUNK));
    }
    free(noise);
}

/* What a short vector draws is what its generator gives, in order: old results stay. */
static void short_vectors_draw_as_they_always_did(void **state)
{
    (void)state;
    enum { SHORT = SOT_NOISE_LONG - 1 };
    static const int64_t zeros[SHORT];
    int64_t *out = new_integers(SHORT), *plain = new_integers(SHORT);
    sotto_error error;
    sotto_rng *rng = test_rng(15);
    open_gate made = gate_for(&mechanisms[ROUNDED], 1, 15);
    assert_ok(
        additive_release(made.gate, &mechanisms[ROUNDED], zeros, SHORT, out, &error),
        &error);
    assert_ok(sot_rounded_gaussian_fill(rng, 1e6, plain, SHORT, &error), &error);
    assert_memory_equal(out, plain, SHORT * sizeof *out);
    open_gate_free(&made);
    sotto_rng_free(rng);
    free(out);
    free(plain);
}

static void long_vectors_may_be_noised_in_place_and_are_cut_at_the_ends(void **state)
{
    (void)state;
    sotto_error error;
    int64_t *apart = new_integers(COUNT), *in_place = new_integers(COUNT);
    int64_t *exact = new_integers(COUNT);
    for (size_t i = 0; i < COUNT; i++)
        exact[i] = i % 97 == 0 ? INT64_MAX : i % 89 == 0 ? INT64_MIN : (int64_t)i - 5;
    memcpy(in_place, exact, COUNT * sizeof *exact);
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        memcpy(in_place, exact, COUNT * sizeof *exact);
        open_gate made = gate_for(&mechanisms[kind], 1, 16);
        assert_ok(
            additive_release(made.gate, &mechanisms[kind], exact, COUNT, apart, &error),
            &error);
        open_gate_free(&made);
        made = gate_for(&mechanisms[kind], 1, 16);
        assert_ok(additive_release(made.gate, &mechanisms[kind], in_place, COUNT,
                                   in_place, &error),
                  &error);
        open_gate_free(&made);
        assert_memory_equal(apart, in_place, COUNT * sizeof *apart);
        for (size_t i = 0; i < COUNT; i++)
            assert_in_range(apart[i] + SOT_RESULT_MAX, 0, 2 * SOT_RESULT_MAX);
    }
    free(apart);
    free(in_place);
    free(exact);
}

static void sums_of_any_size_are_added_alike_in_blocks(void **state)
{
    (void)state;
    enum { LENGTH = 1000 };
    static const int64_t edges[] = {
        INT64_MIN,           -SOT_SUM_MAX, -(INT64_C(1) << 60) - 1,
        -(INT64_C(1) << 60), -7,           (INT64_C(1) << 60) - 1,
        INT64_C(1) << 60,    SOT_SUM_MAX,  INT64_MAX};
    enum { EDGES = sizeof edges / sizeof edges[0] };
    sotto_rng *rng = test_rng(17);
    int64_t exact[LENGTH], kept[LENGTH], noise[LENGTH], out[LENGTH];
    for (int round = 0; round < 300; round++) {
        for (size_t i = 0; i < LENGTH; i++) { /* one in a block, on the average */
            const bool is_edge = sot_rng_below(rng, 64) == 0;
            exact[i] = is_edge ? edges[sot_rng_below(rng, EDGES)] : (int64_t)i;
            noise[i] = sot_rng_below(rng, 64) == 0 ? edges[sot_rng_below(rng, EDGES)]
                                                   : 2 - (int64_t)i;
        }
        const size_t length = LENGTH - sot_rng_below(rng, 130);
        memcpy(kept, exact, sizeof exact);
        sot_add_noise(exact, noise, length, out);
        sot_add_noise(exact, noise, length, exact);
        for (size_t i = 0; i < length; i++)
            assert_int_equal(out[i], sot_add_clamped(kept[i], noise[i]));
        assert_memory_equal(out, exact, length * sizeof *out); /* in place */
    }
    sotto_rng_free(rng);
}

/* ---- failures ---- */

static void assert_all(const int64_t *values, int64_t expected)
{
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(values[i], expected);
}

static sotto_status fails_in_the_middle(sotto_rng *rng, const void *law, int64_t *out,
                                        size_t count, sotto_error *error)
{
    int *pieces = (int *)(uintptr_t)law;
    memset(out, 1, count * sizeof *out);
    rng->failed = ++*pieces > 30;
    return sot_rng_check(rng, error);
}

static void a_release_that_fails_leaves_no_part_of_itself(void **state)
{
    (void)state;
    sotto_error error;
    int64_t *out = new_integers(COUNT);
    int64_t *exact = new_integers(COUNT);
    int pieces = 0;
    sot_additive mechanism = {.adjacency = SOTTO_ADD_REMOVE,
                              .norm = SOTTO_L2,
                              .sensitivity = 2.0,
                              .fill = fails_in_the_middle,
                              .law = &pieces};
    assert_ok(additive_event(&mechanisms[ROUNDED], &mechanism.event, &error), &error);
    open_gate made = open_gate_new(&mechanism.event, 3, SOTTO_ADD_REMOVE, 18);
    for (size_t i = 0; i < COUNT; i++)
        out[i] = 77;
    assert_refused(sot_additive_release(made.gate, &mechanism, exact, COUNT, out, &error),
                   SOTTO_ENTROPY, &error, "random source", NULL);
    assert_all(out, 0);

    for (size_t i = 0; i < COUNT; i++)
        out[i] = 77;
    made.rng->failed = true; /* before the first draw: nothing is touched */
    assert_refused(sot_additive_release(made.gate, &mechanism, exact, COUNT, out, &error),
                   SOTTO_ENTROPY, &error, "random source", NULL);
    assert_all(out, 77);
    made.rng->failed = false;

    sot_pool *pool = NULL;
    assert_ok(sot_pool_new(2, &pool, &error), &error);
    sot_gate_set_pool(made.gate, pool);
    sot_pool_cancel(pool);
    assert_refused(sot_additive_release(made.gate, &mechanism, exact, COUNT, out, &error),
                   SOTTO_INTERRUPTED, &error, NULL);
    assert_all(out, 0);
    /* All three were let through and used up their place. */
    assert_int_equal(sotto_gate_released(made.gate, 0), 3);
    assert_refused(sotto_gate_finish(made.gate, &error), SOTTO_NOT_IN_PLAN, &error, NULL);
    open_gate_free(&made);
    sot_pool_free(pool);
    free(out);
    free(exact);
}

static void long_releases_survive_every_failing_allocation(void **state)
{
    (void)state;
    sotto_error error;
    int64_t *out = new_integers(COUNT);
    int64_t *exact = new_integers(COUNT);
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        for (size_t nth = 1;; nth++) {
            open_gate made = gate_for(&mechanisms[kind], 1, 19);
            for (size_t i = 0; i < COUNT; i++)
                out[i] = 77;
            (void)sot_test_fail_allocation(nth);
            const sotto_status status =
                additive_release(made.gate, &mechanisms[kind], exact, COUNT, out, &error);
            (void)sot_test_fail_allocation(0);
            open_gate_free(&made);
            if (status == SOTTO_OK) break;
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            assert_all(out, 77);
            assert_in_range(nth, 1, 5);
        }
    }
    free(out);
    free(exact);
}

/* The tape sees two releases that begin from the same state of the generator. */
static void the_tape_sees_no_key_twice(void **state)
{
    (void)state;
    sotto_error error;
    int64_t *values = new_integers(COUNT);
    sot_tape *tape = sot_tape_new();
    assert_non_null(tape);
    sot_tape_record(tape);
    open_gate made = gate_for(&mechanisms[ROUNDED], 2, 20);
    for (int i = 0; i < 2; i++)
        assert_ok(additive_release(made.gate, &mechanisms[ROUNDED], values, COUNT, values,
                                   &error),
                  &error);
    sot_tape_stop(tape);
    assert_null(sot_tape_difference(tape));
    assert_int_equal(sot_tape_releases(tape), 2);
    open_gate_free(&made);
    sot_tape_free(tape);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(chunks_and_releases_share_no_noise),
        cmocka_unit_test(every_chunk_has_the_stated_law),
        cmocka_unit_test(short_vectors_draw_as_they_always_did),
        cmocka_unit_test(long_vectors_may_be_noised_in_place_and_are_cut_at_the_ends),
        cmocka_unit_test(sums_of_any_size_are_added_alike_in_blocks),
        cmocka_unit_test(a_release_that_fails_leaves_no_part_of_itself),
        cmocka_unit_test(long_releases_survive_every_failing_allocation),
        cmocka_unit_test(the_tape_sees_no_key_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
