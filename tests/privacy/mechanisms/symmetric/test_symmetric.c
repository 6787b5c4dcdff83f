/* Symmetric matrices under Gaussian noise: its two scales, its mirror, its refusals. */
#include "support.h"

#include "base/memory.h"
#include "privacy/mechanisms/release_support.h"
#include "privacy/mechanisms/symmetric/symmetric.h"

enum { SIZE = 5, RELEASES = 6000 };

static sotto_gaussian_config some_config(void)
{
    sotto_gaussian_config config = sotto_gaussian_defaults();
    config.l2_sensitivity = 200.0;
    config.sigma = 1000.0;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.purpose = "second moments";
    return config;
}

static open_gate gate_for(const sotto_gaussian_config *config, uint64_t count)
{
    sotto_error error;
    sotto_event event;
    assert_ok(sotto_gaussian_event(config, &event, &error), &error);
    return open_gate_new(&event, count, SOTTO_ADD_REMOVE, 11);
}

static void exact_matrix(int64_t *exact)
{
    for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < SIZE; j++)
            exact[i * SIZE + j] = (int64_t)(1000 * (i + 1) * (j + 1));
}

/* The sums of squares over sigma^2 are chi-square; at 6 deviations a false alarm has probability 2e-9
 * a test of two sides, and the generator's seed is fixed. */
static void expect_chi_square(double squares, double degrees)
{
    assert_within(squares, degrees - 6.0 * sqrt(2.0 * degrees),
                  degrees + 6.0 * sqrt(2.0 * degrees));
}

static void noise_is_isotropic_for_the_frobenius_norm(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_gaussian_config config = some_config();
    open_gate made = gate_for(&config, RELEASES);
    int64_t exact[SIZE * SIZE], noisy[SIZE * SIZE];
    double diagonal = 0.0, beside = 0.0, product = 0.0;
    exact_matrix(exact);
    for (size_t r = 0; r < RELEASES; r++) {
        assert_ok(sot_symmetric_release(made.gate, &config, exact, SIZE, noisy, &error),
                  &error);
        for (size_t i = 0; i < SIZE; i++) {
            for (size_t j = 0; j <= i; j++) {
                const double noise =
                    (double)(noisy[i * SIZE + j] - exact[i * SIZE + j]) / config.sigma;
                assert_int_equal(noisy[i * SIZE + j], noisy[j * SIZE + i]);
                if (i == j)
                    diagonal += noise * noise;
                else
                    beside += 2.0 * noise * noise; /* there twice */
            }
        }
        product += (double)(noisy[1] - exact[1]) * (double)(noisy[2] - exact[2]) /
                   (config.sigma * config.sigma / 2.0);
    }
    expect_chi_square(diagonal, (double)RELEASES * SIZE);
    expect_chi_square(beside, (double)RELEASES * SIZE * (SIZE - 1) / 2.0);
    assert_within(product, -6.0 * sqrt(RELEASES), 6.0 * sqrt(RELEASES));
    open_gate_free(&made);
}

/* In any direction of the Euclidean space the noise has the same variance: a step of rank one is hidden as
 * well as a step along the diagonal. */
static void every_direction_is_hidden_alike(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_gaussian_config config = some_config();
    open_gate made = gate_for(&config, RELEASES);
    const int64_t exact[SIZE * SIZE] = {0};
    int64_t noisy[SIZE * SIZE];
    double squares = 0.0;
    for (size_t r = 0; r < RELEASES; r++) {
        assert_ok(sot_symmetric_release(made.gate, &config, exact, SIZE, noisy, &error),
                  &error);
        double along = 0.0; /* <E, x x^T> with |x| = 1, all coordinates equal */
        for (size_t i = 0; i < SIZE * SIZE; i++)
            along += (double)noisy[i] / (double)SIZE;
        squares += along * along / (config.sigma * config.sigma);
    }
    expect_chi_square(squares, RELEASES);
    open_gate_free(&made);
}

static void what_has_no_proof_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_gaussian_config config = some_config();
    open_gate made = gate_for(&config, 1);
    const int64_t exact[SIZE * SIZE] = {0};
    int64_t noisy[SIZE * SIZE];
    config.sigma = 0x1p-20;
    assert_refused(sot_symmetric_release(made.gate, &config, exact, SIZE, noisy, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "sigma", "at least", NULL);
    config = some_config();
    config.sampling = SOTTO_POISSON;
    config.rate = 0.25;
    assert_refused(sot_symmetric_release(made.gate, &config, exact, SIZE, noisy, &error),
                   SOTTO_UNSUPPORTED, &error, "sampled", NULL);
    config = some_config();
    assert_refused(sot_symmetric_release(made.gate, &config, exact,
                                         SOT_SYMMETRIC_SIZE_MOST + 1, noisy, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "8193 rows", NULL);
    config.adjacency = SOTTO_REPLACE_ONE;
    assert_int_equal(
        sot_symmetric_release(made.gate, &config, exact, SIZE, noisy, &error),
        SOTTO_NOT_IN_PLAN);
    config = some_config();
    config.sigma = 999.0; /* less noise than was planned */
    assert_int_equal(
        sot_symmetric_release(made.gate, &config, exact, SIZE, noisy, &error),
        SOTTO_NOT_IN_PLAN);
    open_gate_free(&made);
}

static void a_failed_allocation_releases_nothing(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_gaussian_config config = some_config();
    open_gate made = gate_for(&config, 1);
    const int64_t exact[SIZE * SIZE] = {0};
    int64_t noisy[SIZE * SIZE] = {77};
    (void)sot_test_fail_allocation(1);
    assert_int_equal(
        sot_symmetric_release(made.gate, &config, exact, SIZE, noisy, &error),
        SOTTO_OUT_OF_MEMORY);
    (void)sot_test_fail_allocation(0);
    assert_int_equal(noisy[0], 77);
    assert_ok(sot_symmetric_release(made.gate, &config, exact, SIZE, noisy, &error),
              &error);
    assert_true(sotto_gate_sampler_error_upper(made.gate) >= SIZE * SIZE * 0x1p-900);
    open_gate_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_isotropic_for_the_frobenius_norm),
        cmocka_unit_test(every_direction_is_hidden_alike),
        cmocka_unit_test(what_has_no_proof_is_refused),
        cmocka_unit_test(a_failed_allocation_releases_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
