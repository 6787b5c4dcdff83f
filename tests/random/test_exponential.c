#include "laws.h"

#include <mpfr.h>

#include "base/memory.h"
#include "random/exponential.h"
#include "random/normal.h"

enum { DRAWS = 60000 };

static double exponential_cdf(double x)
{
    return x <= 0.0 ? 0.0 : -expm1(-x);
}

static double gamma3_cdf(double x)
{
    return x <= 0.0 ? 0.0 : 1.0 - exp(-x) * (1.0 + x + x * x / 2.0);
}

static double uniform_cdf(double x)
{
    return (x + 1.0) / 2.0; /* on [-1, 1] */
}

static double laplace_cdf(double x)
{
    return x < 0.0 ? 0.5 * exp(x) : 1.0 - 0.5 * exp(-x);
}

static void exponentials_are_exponential(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(61);
    double *values = calloc(DRAWS * 4, sizeof *values);
    for (size_t i = 0; i < DRAWS * 4; i++)
        values[i] = (double)sot_exponential(rng) * 0x1p-64;
    assert_same_law(kolmogorov_p(values, DRAWS * 4, exponential_cdf));
    for (size_t i = 0; i < DRAWS * 4; i++)
        values[i] *= 1.02; /* planted: two percent too long */
    assert_other_law(kolmogorov_p(values, DRAWS * 4, exponential_cdf));
    free(values);
    sotto_rng_free(rng);
}

/* d = 1: Laplace. d = 3: the norm is Gamma(3), and each coordinate of the direction is uniform on
 * [-1, 1] (Archimedes). */
static void vectors_have_their_norm_and_direction(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(62);
    sotto_error error;
    double *sample[4];
    for (int i = 0; i < 4; i++)
        sample[i] = calloc(DRAWS, sizeof(double));
    const sot_gamma_direction line = {.dimension = 1, .scale = 2.5, .grid = 0x1p-30};
    const sot_gamma_direction space = {.dimension = 3, .scale = 0.3, .grid = 0x1p-30};
    for (size_t i = 0; i < DRAWS; i++) {
        int64_t b[3];
        assert_ok(sot_gamma_direction_draw(&line, rng, b, &error), &error);
        sample[0][i] = (double)b[0] * line.grid / line.scale;
        assert_ok(sot_gamma_direction_draw(&space, rng, b, &error), &error);
        const double norm =
            sqrt((double)b[0] * (double)b[0] + (double)b[1] * (double)b[1] +
                 (double)b[2] * (double)b[2]);
        sample[1][i] = norm * space.grid / space.scale;
        sample[2][i] = (double)b[0] / norm;
        sample[3][i] = (double)b[2] / norm;
    }
    assert_same_law(kolmogorov_p(sample[0], DRAWS, laplace_cdf));
    assert_same_law(kolmogorov_p(sample[1], DRAWS, gamma3_cdf));
    assert_same_law(kolmogorov_p(sample[2], DRAWS, uniform_cdf));
    assert_same_law(kolmogorov_p(sample[3], DRAWS, uniform_cdf));
    for (size_t i = 0; i < DRAWS; i++)
        sample[1][i] *= 0.98; /* planted: scale two percent too small */
    assert_other_law(kolmogorov_p(sample[1], DRAWS, gamma3_cdf));
    for (int i = 0; i < 4; i++)
        free(sample[i]);
    sotto_rng_free(rng);
}

/* The real vector b* of the same stream, in units of the grid, 300 bits; |out - b*| in doubles. */
static double distance_to_exact(const sot_gamma_direction *law, uint64_t seed,
                                const int64_t *out)
{
    sotto_rng *rng = test_rng(seed);
    const size_t d = law->dimension;
    mpfr_t *z = calloc(d, sizeof *z);
    mpfr_t sum, word, gamma, length;
    mpfr_inits2(300, sum, word, gamma, length, (mpfr_ptr)NULL);
    mpfr_set_zero(sum, 1);
    for (size_t i = 0; i < d; i++) {
        sot_normal normal;
        sot_normal_draw(rng, &normal);
        (void)sot_digits_magnitude(rng,
                                   &normal.magnitude); /* draws the digits it needs */
        mpfr_init2(z[i], 300);
        mpfr_set_zero(z[i], 1);
        for (unsigned w = 0; w < normal.magnitude.count; w++) {
            mpfr_set_uj_2exp(word, normal.magnitude.word[w], 9 - 64 * ((intmax_t)w + 1),
                             MPFR_RNDN);
            mpfr_add(z[i], z[i], word, MPFR_RNDN);
        }
        if (normal.negative) mpfr_neg(z[i], z[i], MPFR_RNDN);
        mpfr_sqr(word, z[i], MPFR_RNDN);
        mpfr_add(sum, sum, word, MPFR_RNDN);
    }
    mpfr_set_zero(gamma, 1);
    for (size_t i = 0; i < d; i++) {
        const sot_u128 term = sot_exponential(rng);
        mpfr_set_uj_2exp(word, (uint64_t)(term >> 64), 0, MPFR_RNDN);
        mpfr_add(gamma, gamma, word, MPFR_RNDN);
        mpfr_set_uj_2exp(word, (uint64_t)term, -64, MPFR_RNDN);
        mpfr_add(gamma, gamma, word, MPFR_RNDN);
    }
    mpfr_set_d(length, law->scale, MPFR_RNDN);
    mpfr_div_d(length, length, law->grid, MPFR_RNDN);
    mpfr_mul(length, length, gamma, MPFR_RNDN);
    mpfr_sqrt(sum, sum, MPFR_RNDN);
    mpfr_div(length, length, sum, MPFR_RNDN);
    double squares = 0.0;
    for (size_t i = 0; i < d; i++) {
        mpfr_mul(word, z[i], length, MPFR_RNDN);
        mpfr_sub_si(word, word, (long)out[i], MPFR_RNDN);
        const double apart = mpfr_get_d(word, MPFR_RNDA);
        squares += apart * apart;
        mpfr_clear(z[i]);
    }
    free(z);
    mpfr_clears(sum, word, gamma, length, (mpfr_ptr)NULL);
    sotto_rng_free(rng);
    return sqrt(squares);
}

static void result_is_as_near_to_the_real_vector_as_stated(void **state)
{
    (void)state;
    sotto_error error;
    static const sot_gamma_direction laws[] = {
        {.dimension = 1, .scale = 1.0, .grid = 0x1p-40},
        {.dimension = 2, .scale = 0.37, .grid = 0x1p-41},
        {.dimension = 7, .scale = 123.0, .grid = 0x1p-30},
        {.dimension = 1000, .scale = 1e-3, .grid = 0x1p-48},
    };
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        double bound = 0.0;
        assert_ok(sot_gamma_direction_error(&laws[i], &bound, &error), &error);
        /* Half a grid step a coordinate, and little more. */
        const double rounding = 0.5 * laws[i].grid * sqrt((double)laws[i].dimension);
        assert_within(bound, rounding, 1.5 * rounding + laws[i].scale * 2000.0 * 0x1p-48);
        int64_t out[1000];
        for (uint64_t seed = 0; seed < 60; seed++) {
            sotto_rng *rng = test_rng(seed);
            assert_ok(sot_gamma_direction_draw(&laws[i], rng, out, &error), &error);
            sotto_rng_free(rng);
            assert_within(distance_to_exact(&laws[i], seed, out) * laws[i].grid, 0.0,
                          bound);
        }
    }
}

static void bad_settings_are_refused(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(63);
    sotto_error error;
    int64_t out[4] = {7, 7, 7, 7};
    double bound = 0.0;
    const sot_gamma_direction good = {.dimension = 4, .scale = 1.0, .grid = 0x1p-20};
    sot_gamma_direction bad = good;
    const double bad_numbers[] = {0.0, -1.0, (double)INFINITY, (double)NAN, 1e-300};
    for (size_t i = 0; i < 5; i++) {
        bad = good;
        bad.scale = bad_numbers[i];
        assert_refused(sot_gamma_direction_draw(&bad, rng, out, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "scale", NULL);
        bad = good;
        bad.grid = bad_numbers[i];
        assert_refused(sot_gamma_direction_error(&bad, &bound, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "grid", NULL);
    }
    bad = good;
    bad.dimension = 0;
    assert_refused(sot_gamma_direction_draw(&bad, rng, out, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "dimension", "0", NULL);
    bad.dimension = SOT_GAMMA_DIRECTION_MAX + 1;
    assert_refused(sot_gamma_direction_draw(&bad, rng, out, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "dimension", NULL);
    bad = good;
    bad.grid = 0x1p-45;
    assert_refused(sot_gamma_direction_draw(&bad, rng, out, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "too fine", "at least", NULL);
    assert_int_equal(out[0], 7);

    (void)sot_test_fail_allocation(1);
    assert_refused(sot_gamma_direction_draw(&good, rng, out, &error), SOTTO_OUT_OF_MEMORY,
                   &error, "memory", NULL);
    (void)sot_test_fail_allocation(0);
    assert_int_equal(out[0], 7);
    rng->failed = true;
    assert_refused(sot_gamma_direction_draw(&good, rng, out, &error), SOTTO_ENTROPY,
                   &error, "fork", NULL);
    assert_int_equal(out[0], 7);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_are_exponential),
        cmocka_unit_test(vectors_have_their_norm_and_direction),
        cmocka_unit_test(result_is_as_near_to_the_real_vector_as_stated),
        cmocka_unit_test(bad_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
