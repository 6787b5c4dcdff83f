/* Symmetric matrices of every size: the noise has the distribution of the proof, also where a matrix has more entries
 * than a chunk of a long vector, and where a row is longer than a piece of noise.
 *
 * False alarms: 1e-6 a p-value, 1e-8 a correlation; seeds are fixed. */
#include "privacy/mechanisms/release_support.h"
#include "random/laws.h"

#include "base/threads.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/additive/additive.h"
#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/symmetric/symmetric.h"
#include "random/rng.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

/* 181^2 is below SOT_NOISE_LONG and 182^2 above; 1024 is a piece of a row. */
static const size_t sizes[] = {1, 2, 64, 181, 182, 183, 200, 256, 500, 1023, 1024, 1100};
enum { SIZES = sizeof sizes / sizeof sizes[0], SIZE_MOST = 1100 };

/* 1/sqrt(2), rounded up: of the sampler's scale off the diagonal. */
#define ROOT_HALF_UP 0x1.6a09e667f3bcdp-1
#define SIGMA        1e6

static sotto_gaussian_config some_config(void)
{
    sotto_gaussian_config config = sotto_gaussian_defaults();
    config.l2_sensitivity = 200.0;
    config.sigma = SIGMA;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.purpose = "second moments";
    return config;
}

static open_gate gate_for(const sotto_gaussian_config *config, uint64_t count,
                          uint64_t seed)
{
    sotto_error error;
    sotto_event event;
    assert_ok(sotto_gaussian_event(config, &event, &error), &error);
    return open_gate_new(&event, count, SOTTO_ADD_REMOVE, seed);
}

static int64_t exact_at(size_t i, size_t j)
{
    return 1000 * (int64_t)(i + 1) * (int64_t)(j + 1);
}

static void fill_exact(int64_t *exact, size_t size)
{
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            exact[i * size + j] = exact_at(i, j);
}

/* Releases a matrix in place, `threads` 0 without a pool, and leaves the noise in it. */
static void noise_of(int64_t *matrix, size_t size, size_t threads, uint64_t seed)
{
    sotto_error error;
    sot_pool *pool = NULL;
    const sotto_gaussian_config config = some_config();
    open_gate made = gate_for(&config, 1, seed);
    if (threads > 0) assert_ok(sot_pool_new(threads, &pool, &error), &error);
    sot_gate_set_pool(made.gate, pool);
    fill_exact(matrix, size);
    assert_ok(sot_symmetric_release(made.gate, &config, matrix, size, matrix, &error),
              &error);
    assert_ok(sotto_gate_finish(made.gate, &error), &error);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            matrix[i * size + j] -= exact_at(i, j);
    open_gate_free(&made);
    sot_pool_free(pool);
}

/* The lower triangle without the diagonal, row by row; its length. */
static size_t below_diagonal(const int64_t *matrix, size_t size, int64_t *out)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < i; j++)
            out[count++] = matrix[i * size + j];
    return count;
}

static void every_size_has_the_stated_distribution(void **state)
{
    (void)state;
    const double sigma = SIGMA, beside = SIGMA * ROOT_HALF_UP;
    int64_t *noise = new_integers(SIZE_MOST * SIZE_MOST);
    int64_t *apart = new_integers(SIZE_MOST * SIZE_MOST);
    int64_t *diagonal = new_integers(SIZES * SIZE_MOST);
    size_t on_diagonal = 0;
    for (size_t s = 0; s < SIZES; s++) {
        const size_t size = sizes[s];
        noise_of(noise, size, 0, 31 + s);
        for (size_t i = 0; i < size; i++) {
            diagonal[on_diagonal++] = noise[i * size + i];
            for (size_t j = 0; j < i; j++)
                assert_int_equal(noise[i * size + j], noise[j * size + i]);
        }
        const size_t count = below_diagonal(noise, size, apart);
        if (count > 1000)
            assert_same_law(
                integer_sample_p(apart, count, rounded_tail, &beside, beside));
    }
    assert_same_law(integer_sample_p(diagonal, on_diagonal, rounded_tail, &sigma, sigma));
    free(noise);
    free(apart);
    free(diagonal);
}

/* Noise that repeats, or that a pair shares with another pair, agrees in many places; independent noise of this width
 * agrees in one place of 2.5 million. Products of n independent samples have a standard deviation of
 * sqrt(n) variances. */
static void expect_independent(const int64_t *a, const int64_t *b, size_t count)
{
    size_t equal = 0;
    double products = 0.0;
    const double variance = SIGMA * SIGMA / 2.0;
    for (size_t i = 0; i < count; i++) {
        equal += a[i] == b[i];
        products += (double)a[i] * (double)b[i] / variance;
    }
    assert_true(equal <= 8);
    assert_within(products, -6.0 * sqrt((double)count), 6.0 * sqrt((double)count));
}

static void no_pair_shares_noise_with_another(void **state)
{
    (void)state;
    enum { SIZE = 1100, PAIRS = SIZE * (SIZE - 1) / 2 };
    static const size_t lags[] = {1, 2, 181, 256, 1023, 1024, 1099, 1100, 8192, 32768};
    int64_t *noise = new_integers(SIZE * SIZE), *other = new_integers(SIZE * SIZE);
    int64_t *apart = new_integers(PAIRS), *next = new_integers(PAIRS);
    noise_of(noise, SIZE, 0, 41);
    assert_int_equal(below_diagonal(noise, SIZE, apart), PAIRS);
    for (size_t i = 0; i < sizeof lags / sizeof lags[0]; i++)
        expect_independent(apart, apart + lags[i], PAIRS - lags[i]);
    noise_of(other, SIZE, 0, 42);
    (void)below_diagonal(other, SIZE, next);
    expect_independent(apart, next, PAIRS);
    free(noise);
    free(other);
    free(apart);
    free(next);
}

/* In any direction of the space of symmetric matrices the noise has the same variance: the sum of all entries, over the
 * size, is the direction of equal entries. Chi-square with RELEASES degrees of freedom, within 9 deviations: the
 * probability of more is below 1e-9. */
static void every_direction_of_a_long_matrix_is_hidden_alike(void **state)
{
    (void)state;
    enum { SIZE = 200, RELEASES = 400 };
    sotto_error error;
    const sotto_gaussian_config config = some_config();
    open_gate made = gate_for(&config, RELEASES, 43);
    const int64_t *exact = new_integers(SIZE * SIZE);
    int64_t *noisy = new_integers(SIZE * SIZE);
    double squares = 0.0;
    for (size_t r = 0; r < RELEASES; r++) {
        assert_ok(sot_symmetric_release(made.gate, &config, exact, SIZE, noisy, &error),
                  &error);
        double along = 0.0;
        for (size_t i = 0; i < SIZE * SIZE; i++)
            along += (double)noisy[i] / (double)SIZE;
        squares += along * along / (SIGMA * SIGMA);
    }
    assert_within(squares, RELEASES - 9.0 * sqrt(2.0 * RELEASES),
                  RELEASES + 9.0 * sqrt(2.0 * RELEASES));
    open_gate_free(&made);
    free((void *)(uintptr_t)exact);
    free(noisy);
}

/* The reference: one sample for each entry of the lower triangle, in order, from one generator. */
static void the_noise_is_that_of_the_plain_order(void **state)
{
    (void)state;
    const double beside = sot_mul_up(SIGMA, ROOT_HALF_UP);
    int64_t *noise = new_integers(SIZE_MOST * SIZE_MOST);
    int64_t *row = new_integers(SIZE_MOST);
    for (size_t s = 0; s < SIZES; s++) {
        sotto_error error;
        const size_t size = sizes[s];
        sotto_rng *rng = test_rng(44);
        noise_of(noise, size, 0, 44);
        for (size_t i = 0; i < size; i++) {
            if (i > 0)
                assert_ok(sot_rounded_gaussian_fill(rng, beside, row, i, &error), &error);
            assert_ok(sot_rounded_gaussian_fill(rng, SIGMA, row + i, 1, &error), &error);
            assert_memory_equal(noise + i * size, row, (i + 1) * sizeof *row);
        }
        sotto_rng_free(rng);
    }
    free(noise);
    free(row);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    enum { SIZE = 300 };
    static const size_t threads[] = {1, 2, 3, 7};
    int64_t *first = new_integers(SIZE * SIZE), *other = new_integers(SIZE * SIZE);
    noise_of(first, SIZE, 0, 45);
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        noise_of(other, SIZE, threads[i], 45);
        assert_memory_equal(first, other, SIZE * SIZE * sizeof *first);
    }
    noise_of(other, SIZE, 2, 46);
    assert_memory_not_equal(first, other, SIZE * SIZE * sizeof *first);
    free(first);
    free(other);
}

static void a_long_matrix_may_be_noised_in_place_and_is_cut_at_the_ends(void **state)
{
    (void)state;
    enum { SIZE = 257 };
    sotto_error error;
    const sotto_gaussian_config config = some_config();
    int64_t *exact = new_integers(SIZE * SIZE), *apart = new_integers(SIZE * SIZE);
    int64_t *in_place = new_integers(SIZE * SIZE);
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < SIZE; j++)
            exact[i * SIZE + j] = (i + j) % 97 == 0   ? INT64_MAX
                                  : (i + j) % 89 == 0 ? INT64_MIN
                                                      : exact_at(i, j);
    memcpy(in_place, exact, SIZE * SIZE * sizeof *exact);
    open_gate made = gate_for(&config, 1, 47);
    assert_ok(sot_symmetric_release(made.gate, &config, exact, SIZE, apart, &error),
              &error);
    open_gate_free(&made);
    made = gate_for(&config, 1, 47);
    assert_ok(sot_symmetric_release(made.gate, &config, in_place, SIZE, in_place, &error),
              &error);
    open_gate_free(&made);
    assert_memory_equal(apart, in_place, SIZE * SIZE * sizeof *apart);
    for (size_t i = 0; i < SIZE * SIZE; i++)
        assert_in_range(apart[i] + SOT_RESULT_MAX, 0, 2 * SOT_RESULT_MAX);
    free(exact);
    free(apart);
    free(in_place);
}

/* ---- failures ---- */

static sotto_status fails_in_the_middle(sotto_rng *rng, const void *law,
                                        const int64_t *exact_sums, size_t count,
                                        int64_t *out_noisy_sums, sotto_error *error)
{
    (void)law;
    memcpy(out_noisy_sums, exact_sums, count / 2 * sizeof *exact_sums);
    rng->failed = true;
    return sot_rng_check(rng, error);
}

/* At a random source that fails, and wherever the noise of a matrix fails. */
static void a_release_that_fails_leaves_no_part_of_itself(void **state)
{
    (void)state;
    enum { SIZE = 200 };
    sotto_error error;
    const sotto_gaussian_config config = some_config();
    int64_t *exact = new_integers(SIZE * SIZE), *out = new_integers(SIZE * SIZE);
    sot_additive mechanism = {.adjacency = SOTTO_ADD_REMOVE,
                              .norm = SOTTO_L2,
                              .sensitivity = 200.0,
                              .add = fails_in_the_middle};
    fill_exact(exact, SIZE);
    assert_ok(sotto_gaussian_event(&config, &mechanism.event, &error), &error);
    open_gate made = gate_for(&config, 2, 48);
    assert_refused(
        sot_additive_release(made.gate, &mechanism, exact, SIZE * SIZE, out, &error),
        SOTTO_ENTROPY, &error, "random source", NULL);
    for (size_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(out[i], 0);
    made.rng->failed = true;
    assert_refused(sot_symmetric_release(made.gate, &config, exact, SIZE, exact, &error),
                   SOTTO_ENTROPY, &error, "random source", NULL);
    for (size_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(exact[i], 0);
    assert_int_equal(sotto_gate_released(made.gate, 0), 2); /* both places are used up */
    open_gate_free(&made);
    free(exact);
    free(out);
}

/* The tape compares all entries in the L2 norm: a pair counts twice, as in the Frobenius norm. */
static void the_tape_measures_a_long_matrix_in_the_frobenius_norm(void **state)
{
    (void)state;
    enum { SIZE = 182 };
    static const int64_t moved[] = {141, 142}; /* 141 sqrt(2) < 200 < 142 sqrt(2) */
    const sotto_gaussian_config config = some_config();
    int64_t *values = new_integers(SIZE * SIZE);
    for (size_t k = 0; k < 2; k++) {
        sotto_error error;
        sot_tape *tape = sot_tape_new();
        assert_non_null(tape);
        for (int replay = 0; replay < 2; replay++) {
            memset(values, 0, SIZE * SIZE * sizeof *values);
            if (replay == 1) values[SIZE - 1] = values[(SIZE - 1) * SIZE] = moved[k];
            if (replay == 1)
                sot_tape_replay(tape, false);
            else
                sot_tape_record(tape);
            open_gate made = gate_for(&config, 1, 49);
            assert_ok(
                sot_symmetric_release(made.gate, &config, values, SIZE, values, &error),
                &error);
            open_gate_free(&made);
            sot_tape_stop(tape);
        }
        assert_true((sot_tape_difference(tape) == NULL) == (k == 0));
        sot_tape_free(tape);
    }
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_has_the_stated_distribution),
        cmocka_unit_test(no_pair_shares_noise_with_another),
        cmocka_unit_test(every_direction_of_a_long_matrix_is_hidden_alike),
        cmocka_unit_test(the_noise_is_that_of_the_plain_order),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_long_matrix_may_be_noised_in_place_and_is_cut_at_the_ends),
        cmocka_unit_test(a_release_that_fails_leaves_no_part_of_itself),
        cmocka_unit_test(the_tape_measures_a_long_matrix_in_the_frobenius_norm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
