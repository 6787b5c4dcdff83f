#include "random/laws.h"

#include "random/normal.h"
#include "random/rounded_gaussian/kernel.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

enum { PLAIN_DRAWS = 150000, FAST_DRAWS = 2000000 };

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* The magnitude of a sot_normal as a double; its first word is precise enough here. */
static double value_of(const sot_normal *normal)
{
    const double magnitude = (double)normal->magnitude.word[0] * 0x1p-55;
    return normal->negative ? -magnitude : magnitude;
}

static void both_normals_are_normal(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(51);
    double *values = calloc(PLAIN_DRAWS * 4, sizeof *values);
    assert_non_null(values);
    sot_normal normal;
    for (size_t i = 0; i < PLAIN_DRAWS; i++) {
        sot_normal_karney(rng, &normal);
        values[i] = value_of(&normal);
    }
    assert_same_law(kolmogorov_p(values, PLAIN_DRAWS, normal_cdf));
    for (size_t i = 0; i < PLAIN_DRAWS * 4; i++) {
        sot_normal_draw(rng, &normal);
        values[i] = value_of(&normal);
    }
    assert_same_law(kolmogorov_p(values, PLAIN_DRAWS * 4, normal_cdf));
    sotto_error error;
    assert_ok(sot_normal_fill(rng, values, PLAIN_DRAWS * 4, &error), &error);
    assert_same_law(kolmogorov_p(values, PLAIN_DRAWS * 4, normal_cdf));
    for (size_t i = 0; i < PLAIN_DRAWS * 4; i++)
        values[i] *= 0.98; /* planted: sigma two percent too small */
    assert_other_law(kolmogorov_p(values, PLAIN_DRAWS * 4, normal_cdf));
    free(values);
    sotto_rng_free(rng);
}

/* Where strips end and cells of the tail begin: |Z| in 1/64ths from 3 on, and all of it. */
static void normal_by_tiles_is_right_beyond_three(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(52);
    enum { DRAWS = 12000000, CELLS = 128 };
    double seen[CELLS + 1] = {0};
    double probability[CELLS + 1];
    sot_normal normal;
    for (int i = 0; i < DRAWS; i++) {
        sot_normal_draw(rng, &normal);
        const double away = fabs(value_of(&normal));
        seen[away < 3.0 ? 0 : 1 + (int)fmin(64.0 * (away - 3.0), CELLS - 1)] += 1.0;
    }
    probability[0] = 1.0 - erfc(3.0 / sqrt(2.0));
    for (int i = 0; i < CELLS; i++) {
        const double end =
            i == CELLS - 1 ? 0.0 : erfc((3.0 + (i + 1) / 64.0) / sqrt(2.0));
        probability[i + 1] = erfc((3.0 + i / 64.0) / sqrt(2.0)) - end;
    }
    assert_same_law(chi_square_p(seen, probability, CELLS + 1, DRAWS));
    sotto_rng_free(rng);
}

static void all_rounded_gaussians_match_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("rounded_gaussian", &root);
    sotto_rng *rng = test_rng(53);
    sotto_error error;
    int64_t *values = new_integers(FAST_DRAWS);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *test_case = json_array_get(cases, i);
        const double sigma =
            as_double(decimal_ratio(json_object_get(test_case, "sigma")));
        assert_law_is_the_vectors(test_case, rounded_tail, &sigma);
        assert_ok(sot_rounded_gaussian_karney(rng, sigma, values, PLAIN_DRAWS, &error),
                  &error);
        assert_same_law(
            integer_sample_p(values, PLAIN_DRAWS, rounded_tail, &sigma, sigma));
        assert_ok(sot_rounded_gaussian_fill(rng, sigma, values, FAST_DRAWS, &error),
                  &error);
        assert_same_law(
            integer_sample_p(values, FAST_DRAWS, rounded_tail, &sigma, sigma));

        const double low = 0.99 * sigma; /* planted: sigma one percent too small */
        assert_ok(sot_rounded_gaussian_fill(rng, low, values, FAST_DRAWS, &error),
                  &error);
        assert_other_law(
            integer_sample_p(values, FAST_DRAWS, rounded_tail, &sigma, sigma));
        /* planted: truncation where rounding belongs */
        assert_ok(sot_rounded_gaussian_fill(rng, 2.0 * sigma, values, FAST_DRAWS, &error),
                  &error);
        for (size_t j = 0; j < FAST_DRAWS; j++)
            values[j] /= 2;
        if (sigma <= 10.0)
            assert_other_law(
                integer_sample_p(values, FAST_DRAWS, rounded_tail, &sigma, sigma));
    }
    free(values);
    json_decref(root);
    sotto_rng_free(rng);
}

/* sigma * 1000 rounded has no visible steps left; the law is the normal's at every scale. */
static void every_scale_follows_the_law(void **state)
{
    (void)state;
    static const double sigmas[] = {0.1,    0.3,    3.7,    100.0,    12345.678, 0x1p20,
                                    0x1p31, 0x1p40, 0x1p44, 0x1.1p44, 0x1p52,    0x1p56};
    sotto_rng *rng = test_rng(54);
    sotto_error error;
    int64_t *values = new_integers(FAST_DRAWS);
    for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
        assert_ok(
            sot_rounded_gaussian_fill(rng, sigmas[i], values, FAST_DRAWS / 4, &error),
            &error);
        assert_same_law(integer_sample_p(values, FAST_DRAWS / 4, rounded_tail, &sigmas[i],
                                         sigmas[i]));
    }
    free(values);
    sotto_rng_free(rng);
}

/* On a fine grid every residue must be reachable: low bits are uniform at large sigma. Doubles from
 * a 53-bit uniform would leave holes (Mironov 2012). */
static void no_integer_is_left_out(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(55);
    sotto_error error;
    enum { DRAWS = 400000, CELLS = 256 };
    int64_t *values = new_integers(DRAWS);
    static const double sigmas[] = {0x1p20, 0x1p44, 0x1p54};
    for (size_t s = 0; s < 3; s++) {
        assert_ok(sot_rounded_gaussian_fill(rng, sigmas[s], values, DRAWS, &error),
                  &error);
        double seen[CELLS] = {0};
        double probability[CELLS];
        for (size_t i = 0; i < DRAWS; i++)
            seen[(uint64_t)values[i] % CELLS] += 1.0;
        for (size_t i = 0; i < CELLS; i++)
            probability[i] = 1.0 / CELLS;
        assert_same_law(chi_square_p(seen, probability, CELLS, DRAWS));
    }
    free(values);
    sotto_rng_free(rng);
}

static void vector_and_portable_code_give_the_same_bits(void **state)
{
    (void)state;
    static const double sigmas[] = {
        0x1p-20,          0.1,          0.49,           0.5,       1.0, 10.0, 1e3, 1e6,
        0x1p40,           0x1.3579bp30, 0x1.2345678p41, /* open ends: not powers of 2 */
        0x1.9abcdef01p43, 0x1p44,       0x1.8p44,       0x1.fedp55};
    static const size_t counts[] = {1, 2, 3, 4, 5, 255, 256, 257, 1000, 40000};
    int64_t *fast = new_integers(40000);
    int64_t *plain = new_integers(40000);
    sotto_error error;
    for (size_t s = 0; s < sizeof sigmas / sizeof sigmas[0]; s++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            sotto_rng *a = test_rng(56 + s * 100 + c);
            sotto_rng *b = test_rng(56 + s * 100 + c);
            assert_ok(sot_rounded_gaussian_fill(a, sigmas[s], fast, counts[c], &error),
                      &error);
            assert_ok(sot_rounded_gaussian_fill_portable(b, sigmas[s], plain, counts[c],
                                                         &error),
                      &error);
            assert_memory_equal(fast, plain, counts[c] * sizeof *fast);
            assert_true(sot_rng_u64(a) == sot_rng_u64(b)); /* and took the same words */
            sotto_rng_free(a);
            sotto_rng_free(b);
        }
    }
    free(fast);
    free(plain);
    if (!sot_rounded_gaussian_is_vectorised())
        print_message(
            "no vector code here: the portable code was compared with itself\n");
}

/* What a vector kernel settles, integers settle too, and alike. */
static void every_kernel_settles_what_is_settled(void **state)
{
    (void)state;
    enum { COUNT = SOT_ROUNDED_GAUSSIAN_BLOCK };
    static const double sigmas[] = {0x1p-20, 0.3, 1.0, 41.5, 1e6, 0x1.3579bp30, 0x1p44};
    const sot_rounded_gaussian_kernel kernels[] = {sot_rounded_gaussian_avx2(),
                                                   sot_rounded_gaussian_avx512()};
    sotto_rng *rng = test_rng(60);
    for (size_t k = 0; k < 2; k++) {
        if (kernels[k] == NULL) continue;
        for (size_t i = 0; i < 7 * 60; i++) {
            const double sigma = sigmas[i % 7];
            const sot_rounded_gaussian_task task = {.tiles = sot_normal_tiles(),
                                                    .sigma = sigma,
                                                    .exact_sigma =
                                                        sot_dyadic_from(sigma)};
            const size_t count = i % 5 == 0 ? 1 + sot_rng_below(rng, COUNT) : COUNT;
            uint64_t words[COUNT];
            int64_t plain[COUNT], fast[COUNT];
            uint16_t open[COUNT], later[COUNT];
            sot_rng_words(rng, words, count);
            const size_t opens =
                sot_rounded_gaussian_portable(&task, words, count, plain, open);
            const size_t laters = kernels[k](&task, words, count, fast, later);
            size_t o = 0, l = 0;
            for (size_t j = 0; j < count; j++) {
                const bool is_open = o < opens && open[o] == j;
                const bool is_later = l < laters && later[l] == j;
                assert_true(is_later || (!is_open && fast[j] == plain[j]));
                o += is_open;
                l += is_later;
            }
            assert_int_equal(o, opens);
            assert_int_equal(l, laters); /* in order, each once */
            /* And not much more: 4.1 % are open, at 2^44 another 6 %, and lanes are left over. */
            assert_in_range(laters, 0, opens + 63 + (sigma == 0x1p44 ? 50 : 0));
        }
    }
    sotto_rng_free(rng);
}

/* Rounding to a coarse grid is a function of rounding to a finer one only through the real
 * number: the same stream at sigma and at 2^k sigma must agree after division, up to half a unit. */
static void one_stream_is_one_real_number_at_every_scale(void **state)
{
    (void)state;
    enum { COUNT = 256 }; /* one block: later blocks differ in the words taken */
    int64_t coarse[COUNT];
    int64_t fine[COUNT];
    sotto_error error;
    for (uint64_t seed = 0; seed < 200; seed++) {
        sotto_rng *a = test_rng(seed);
        sotto_rng *b = test_rng(seed);
        assert_ok(sot_rounded_gaussian_fill(a, 3.7, coarse, COUNT, &error), &error);
        assert_ok(sot_rounded_gaussian_fill(b, 3.7 * 0x1p30, fine, COUNT, &error),
                  &error);
        size_t agree = 0;
        for (size_t i = 0; i < COUNT; i++)
            agree += fabs((double)fine[i] * 0x1p-30 - (double)coarse[i]) <= 0.5 + 0x1p-30;
        assert_true(agree >=
                    COUNT - 4); /* deferred ones may draw further digits in between */
        sotto_rng_free(a);
        sotto_rng_free(b);
    }
}

static void bad_sigmas_are_refused(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(57);
    sotto_error error;
    int64_t out[2] = {7, 7};
    const double bad[] = {
        0.0,        -0.0, -1.0, 0x1p-21, 0x1.1p56, (double)INFINITY, -(double)INFINITY,
        (double)NAN};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(sot_rounded_gaussian_fill(rng, bad[i], out, 2, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "sigma", "2^56", NULL);
        assert_refused(sot_rounded_gaussian_fill_portable(rng, bad[i], out, 2, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "sigma", NULL);
        assert_refused(sot_rounded_gaussian_karney(rng, bad[i], out, 2, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "sigma", NULL);
    }
    assert_int_equal(out[0], 7);
    assert_ok(sot_rounded_gaussian_fill(rng, 1.0, NULL, 0, &error), &error);
    sotto_rng_free(rng);
}

static void nothing_is_released_without_entropy(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(58);
    sotto_error error;
    rng->failed = true;
    static const int64_t zero[300];
    static const double zero_doubles[300];
    int64_t out[300];
    double doubles[300];
    memset(out, 1, sizeof out);
    assert_refused(sot_rounded_gaussian_fill(rng, 10.0, out, 300, &error), SOTTO_ENTROPY,
                   &error, "fork", NULL);
    assert_memory_equal(out, zero, sizeof out);
    memset(out, 1, sizeof out);
    assert_refused(sot_rounded_gaussian_karney(rng, 10.0, out, 300, &error),
                   SOTTO_ENTROPY, &error, "fork", NULL);
    assert_memory_equal(out, zero, sizeof out);
    memset(doubles, 1, sizeof doubles);
    assert_refused(sot_normal_fill(rng, doubles, 300, &error), SOTTO_ENTROPY, &error,
                   "fork", NULL);
    assert_memory_equal(doubles, zero_doubles, sizeof doubles);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_normals_are_normal),
        cmocka_unit_test(normal_by_tiles_is_right_beyond_three),
        cmocka_unit_test(all_rounded_gaussians_match_the_vectors),
        cmocka_unit_test(every_scale_follows_the_law),
        cmocka_unit_test(no_integer_is_left_out),
        cmocka_unit_test(vector_and_portable_code_give_the_same_bits),
        cmocka_unit_test(every_kernel_settles_what_is_settled),
        cmocka_unit_test(one_stream_is_one_real_number_at_every_scale),
        cmocka_unit_test(bad_sigmas_are_refused),
        cmocka_unit_test(nothing_is_released_without_entropy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
