#include "laws.h"

#include "base/memory.h"
#include "random/bernoulli.h"
#include "random/digits.h"
#include "random/discrete_gaussian.h"
#include "random/discrete_laplace.h"

enum { PLAIN_DRAWS = 150000, FAST_DRAWS = 2000000 };

static void laplace_matches_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("discrete_laplace", &root);
    sotto_rng *rng = test_rng(31);
    sotto_error error;
    int64_t *values = new_integers(PLAIN_DRAWS);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *test_case = json_array_get(cases, i);
        const sot_ratio scale = decimal_ratio(json_object_get(test_case, "scale"));
        const double as_number = as_double(scale);
        assert_law_is_the_vectors(test_case, laplace_tail, &as_number);
        assert_ok(sot_discrete_laplace_fill(rng, scale, values, PLAIN_DRAWS, &error),
                  &error);
        assert_same_law(
            integer_sample_p(values, PLAIN_DRAWS, laplace_tail, &as_number, as_number));
        const double wrong = 0.95 * as_number; /* power: five percent too small a scale */
        assert_other_law(
            integer_sample_p(values, PLAIN_DRAWS, laplace_tail, &wrong, as_number));
    }
    free(values);
    json_decref(root);
    sotto_rng_free(rng);
}

/* Planted: zero keeps both its names, so it is drawn twice as often. */
static int64_t laplace_with_two_zeros(sotto_rng *rng, uint64_t scale)
{
    uint64_t u = sot_rng_below(rng, scale);
    while (!sot_bernoulli_exp_unchecked(rng, u, scale))
        u = sot_rng_below(rng, scale);
    uint64_t v = 0;
    while (sot_bernoulli_exp_unchecked(rng, 1, 1))
        v++;
    const int64_t x = (int64_t)(u + scale * v);
    return (sot_rng_u64(rng) & 1) != 0 ? -x : x;
}

static void a_zero_with_two_names_is_caught(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(32);
    int64_t *values = new_integers(PLAIN_DRAWS);
    for (size_t i = 0; i < PLAIN_DRAWS; i++)
        values[i] = laplace_with_two_zeros(rng, 10);
    const double scale = 10.0;
    assert_other_law(integer_sample_p(values, PLAIN_DRAWS, laplace_tail, &scale, scale));
    free(values);
    sotto_rng_free(rng);
}

static void both_gaussians_match_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("discrete_gaussian", &root);
    sotto_rng *rng = test_rng(33);
    sotto_error error;
    int64_t *values = new_integers(FAST_DRAWS);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *test_case = json_array_get(cases, i);
        const sot_ratio variance = decimal_ratio(json_object_get(test_case, "sigma2"));
        const double sigma = sqrt(as_double(variance));
        gaussian_law *law = gaussian_law_new(as_double(variance));
        gaussian_law *low =
            gaussian_law_new(0.98 * as_double(variance)); /* sigma - 1 % */
        assert_law_is_the_vectors(test_case, gaussian_tail, law);

        assert_ok(
            sot_discrete_gaussian_reference(rng, variance, values, PLAIN_DRAWS, &error),
            &error);
        assert_same_law(integer_sample_p(values, PLAIN_DRAWS, gaussian_tail, law, sigma));

        sot_discrete_gaussian *table = NULL;
        assert_ok(sot_discrete_gaussian_new(variance, &table, &error), &error);
        assert_ok(sot_discrete_gaussian_fill(table, rng, values, FAST_DRAWS, &error),
                  &error);
        assert_same_law(integer_sample_p(values, FAST_DRAWS, gaussian_tail, law, sigma));
        assert_other_law(integer_sample_p(values, FAST_DRAWS, gaussian_tail, low, sigma));
        sot_discrete_gaussian_free(table);
        free(law);
        free(low);
    }
    free(values);
    json_decref(root);
    sotto_rng_free(rng);
}

/* Widths 1 and more, strips few and many, tails near and far; a continuous approximation serves as
 * law for large sigma (the discrete and the rounded Gaussian differ by less than 1e-9 there). */
static void table_follows_its_law_at_every_size(void **state)
{
    (void)state;
    static const double sigmas[] = {0.001, 0.03, 0.7,  3.9,  4.1,    15.5, 63.9,
                                    64.0,  64.1, 127., 128., 300.25, 900.};
    sotto_rng *rng = test_rng(34);
    sotto_error error;
    int64_t *values = new_integers(FAST_DRAWS);
    for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
        sot_ratio variance;
        sot_discrete_gaussian *table = NULL;
        assert_ok(sot_variance_at_least(sigmas[i], &variance, &error), &error);
        assert_ok(sot_discrete_gaussian_new(variance, &table, &error), &error);
        assert_ok(sot_discrete_gaussian_fill(table, rng, values, FAST_DRAWS / 2, &error),
                  &error);
        gaussian_law *law = gaussian_law_new(as_double(variance));
        assert_same_law(
            integer_sample_p(values, FAST_DRAWS / 2, gaussian_tail, law, sigmas[i]));
        free(law);
        sot_discrete_gaussian_free(table);
    }
    static const double large[] = {5000.5, 0x1p20, 0x1.fp24, 0x1p30};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        sot_ratio variance;
        sot_discrete_gaussian *table = NULL;
        assert_ok(sot_variance_at_least(large[i], &variance, &error), &error);
        assert_ok(sot_discrete_gaussian_new(variance, &table, &error), &error);
        assert_ok(sot_discrete_gaussian_fill(table, rng, values, FAST_DRAWS / 2, &error),
                  &error);
        assert_same_law(
            integer_sample_p(values, FAST_DRAWS / 2, rounded_tail, &large[i], large[i]));
        sot_discrete_gaussian_free(table);
    }
    free(values);
    sotto_rng_free(rng);
}

/* The tail beyond four sigma, where few draws fall, tested by itself: cells at single integers. */
static void tail_of_the_table_is_right(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(35);
    sotto_error error;
    const sot_ratio variance = {.numerator = 64 * 64,
                                .denominator = 1}; /* strips end at 256 */
    sot_discrete_gaussian *table = NULL;
    assert_ok(sot_discrete_gaussian_new(variance, &table, &error), &error);
    gaussian_law *law = gaussian_law_new(64.0 * 64.0);
    int64_t *values = new_integers(FAST_DRAWS);
    enum { FIRST = 200, CELLS = 140, ROUNDS = 8 };
    double seen[CELLS + 1] = {0};
    double probability[CELLS + 1] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        assert_ok(sot_discrete_gaussian_fill(table, rng, values, FAST_DRAWS, &error),
                  &error);
        for (size_t i = 0; i < FAST_DRAWS; i++) {
            const int64_t away = values[i] < 0 ? -values[i] : values[i];
            if (away < FIRST) {
                seen[0] += 1.0;
            } else {
                seen[1 + (away < FIRST + CELLS - 1 ? away - FIRST : CELLS - 1)] += 1.0;
            }
        }
    }
    probability[0] = 1.0 - 2.0 * gaussian_tail(law, FIRST);
    for (int i = 0; i < CELLS - 1; i++)
        probability[i + 1] =
            2.0 * (gaussian_tail(law, FIRST + i) - gaussian_tail(law, FIRST + i + 1));
    probability[CELLS] = 2.0 * gaussian_tail(law, FIRST + CELLS - 1);
    const double beyond_strips = 2.0 * gaussian_tail(law, 257) * ROUNDS * FAST_DRAWS;
    assert_within(beyond_strips, 900.0, 1100.0); /* the tail's own draws are among them */
    assert_same_law(
        chi_square_p(seen, probability, CELLS + 1, (double)ROUNDS * FAST_DRAWS));
    sot_discrete_gaussian_free(table);
    free(law);
    free(values);
    sotto_rng_free(rng);
}

static void variance_never_shrinks(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(36);
    sotto_error error;
    for (int i = 0; i < 20000; i++) {
        const double sigma = ldexp(1.0 + (double)(sot_rng_u64(rng) >> 12) * 0x1p-52,
                                   (int)sot_rng_below(rng, 40) - 10);
        sot_ratio variance;
        assert_ok(sot_variance_at_least(sigma, &variance, &error), &error);
        assert_in_range(variance.denominator, 1, UINT64_C(1) << 50);
        /* numerator / 2^k >= mantissa^2 2^(2 exponent), exactly, and the next smaller is not */
        const sot_dyadic exact = sot_dyadic_from(sigma);
        const unsigned k = (unsigned)__builtin_ctzll(variance.denominator);
        const unsigned shift = (unsigned)(-2 * exact.exponent) - k;
        const sot_u128 square = (sot_u128)exact.mantissa * exact.mantissa;
        assert_true((sot_u128)variance.numerator << shift >= square);
        assert_true((sot_u128)(variance.numerator - 1) << shift < square);
        assert_true(variance.numerator >= UINT64_C(1)
                                              << 30); /* so it grew by 2^-30 at most */
    }
    sot_ratio variance;
    assert_ok(sot_variance_at_least(1.5, &variance, &error), &error);
    assert_true(4 * variance.numerator == 9 * variance.denominator); /* 9/4 is exact */
    sotto_rng_free(rng);
}

static void bad_settings_are_refused(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(37);
    sotto_error error;
    int64_t out[2] = {7, 7};
    sot_discrete_gaussian *table = NULL;
    const uint64_t small = UINT64_C(1) << 50;
    const uint64_t large = UINT64_C(1) << 62;
    const sot_ratio bad[] = {{0, 1}, {1, 0}, {small + 1, 1}, {1, small + 1}};
    for (size_t i = 0; i < 4; i++) {
        assert_refused(sot_discrete_laplace_fill(rng, bad[i], out, 2, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "scale", "2^50", NULL);
        assert_refused(sot_discrete_gaussian_reference(rng, bad[i], out, 2, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "sigma^2", "2^50", NULL);
    }
    const sot_ratio bad_table[] = {
        {0, 1}, {1, 0}, {large + 1, 1}, {large, large + 1}, {1, (UINT64_C(2) << 20)}};
    for (size_t i = 0; i < 5; i++) {
        assert_refused(sot_discrete_gaussian_new(bad_table[i], &table, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "sigma^2", "2^62", NULL);
        assert_null(table);
    }
    const sot_ratio tiny = {1, UINT64_C(2) << 20};
    assert_refused(sot_discrete_gaussian_reference(rng, tiny, out, 2, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "2^-20", NULL);
    sot_ratio variance;
    const double bad_sigma[] = {0.0,        -1.0, 0x1p-11, 0x1.1p30, (double)INFINITY,
                                (double)NAN};
    for (size_t i = 0; i < 6; i++)
        assert_refused(sot_variance_at_least(bad_sigma[i], &variance, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "sigma", "2^30", NULL);
    assert_int_equal(out[0], 7); /* nothing was written */
    sotto_rng_free(rng);
}

static void nothing_is_released_without_entropy_or_memory(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(38);
    sotto_error error;
    const sot_ratio variance = {100, 1};
    sot_discrete_gaussian *table = NULL;
    (void)sot_test_fail_allocation(1);
    assert_refused(sot_discrete_gaussian_new(variance, &table, &error),
                   SOTTO_OUT_OF_MEMORY, &error, "memory", NULL);
    assert_null(table);
    (void)sot_test_fail_allocation(0);
    assert_ok(sot_discrete_gaussian_new(variance, &table, &error), &error);
    rng->failed = true;
    static const int64_t zero[64];
    int64_t out[64];
    memset(out, 1, sizeof out);
    assert_refused(sot_discrete_gaussian_fill(table, rng, out, 64, &error), SOTTO_ENTROPY,
                   &error, "fork", NULL);
    assert_memory_equal(out, zero, sizeof out);
    memset(out, 1, sizeof out);
    assert_refused(sot_discrete_gaussian_reference(rng, variance, out, 64, &error),
                   SOTTO_ENTROPY, &error, "fork", NULL);
    assert_memory_equal(out, zero, sizeof out);
    memset(out, 1, sizeof out);
    assert_refused(sot_discrete_laplace_fill(rng, variance, out, 64, &error),
                   SOTTO_ENTROPY, &error, "fork", NULL);
    assert_memory_equal(out, zero, sizeof out);
    sot_discrete_gaussian_free(table);
    sot_discrete_gaussian_free(NULL);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace_matches_the_vectors),
        cmocka_unit_test(a_zero_with_two_names_is_caught),
        cmocka_unit_test(both_gaussians_match_the_vectors),
        cmocka_unit_test(table_follows_its_law_at_every_size),
        cmocka_unit_test(tail_of_the_table_is_right),
        cmocka_unit_test(variance_never_shrinks),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(nothing_is_released_without_entropy_or_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
