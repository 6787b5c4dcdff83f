#include "laws.h"

#include "random/bernoulli.h"

enum { DRAWS = 300000 };

/* The p-value of `successes` in DRAWS tosses of a coin with probability `p`, 0 < p < 1. */
static double coin_p(double successes, double p)
{
    const double observed[2] = {successes, DRAWS - successes};
    const double probability[2] = {p, 1.0 - p};
    return chi_square_p(observed, probability, 2, DRAWS);
}

static double toss(sotto_rng *rng, bool exponential, uint64_t numerator,
                   uint64_t denominator)
{
    sotto_error error;
    double successes = 0.0;
    for (int i = 0; i < DRAWS; i++) {
        bool success = false;
        assert_ok(exponential
                      ? sot_bernoulli_exp(rng, numerator, denominator, &success, &error)
                      : sot_bernoulli(rng, numerator, denominator, &success, &error),
                  &error);
        successes += success;
    }
    return successes;
}

static void rational_coins_have_their_probability(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(21);
    static const uint64_t ratios[][2] = {{1, 2},
                                         {1, 3},
                                         {3, 7},
                                         {999, 1000},
                                         {UINT64_C(1) << 61, (UINT64_C(1) << 62) - 57}};
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        const double p = (double)ratios[i][0] / (double)ratios[i][1];
        assert_same_law(coin_p(toss(rng, false, ratios[i][0], ratios[i][1]), p));
    }
    assert_true(toss(rng, false, 0, 5) == 0.0);
    assert_true(toss(rng, false, 5, 5) == DRAWS);
    sotto_rng_free(rng);
}

static void wide_coins_have_their_probability(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(22);
    const sot_u128 denominator = ((sot_u128)1 << 126) - 12345;
    double successes = 0.0;
    for (int i = 0; i < DRAWS; i++)
        successes += sot_bernoulli_unchecked(rng, denominator / 5, denominator);
    assert_same_law(coin_p(successes, 0.2));
    successes = 0.0;
    for (int i = 0; i < DRAWS; i++) /* exp(-1.75) with parts near the limit */
        successes += sot_bernoulli_exp_unchecked(rng, denominator / 4 * 7, denominator);
    assert_same_law(coin_p(successes, exp(-1.75)));
    sotto_rng_free(rng);
}

static void exponential_coins_match_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("bernoulli_exp", &root);
    sotto_rng *rng = test_rng(23);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *test_case = json_array_get(cases, i);
        const uint64_t numerator =
            (uint64_t)json_integer_value(json_object_get(test_case, "gamma_num"));
        const uint64_t denominator =
            (uint64_t)json_integer_value(json_object_get(test_case, "gamma_den"));
        const double p = json_number_value(json_object_get(test_case, "p"));
        const double successes = toss(rng, true, numerator, denominator);
        if (p == 1.0) {
            assert_true(successes == DRAWS);
        } else if (p * DRAWS < 10.0 || (1.0 - p) * DRAWS < 10.0) {
            /* A rare side: P(5 or more of mean at most 0.3) < 2e-5, and the mean here is. */
            const double rare = p < 0.5 ? successes : DRAWS - successes;
            assert_within(fmin(p, 1.0 - p) * DRAWS, 0.0, 0.31);
            assert_within(rare, 0.0, 5.0);
        } else {
            assert_same_law(coin_p(successes, p));
        }
    }
    json_decref(root);
    sotto_rng_free(rng);
}

/* Planted: coins of g where g/k belongs, which makes 1 / (1 + g) of exp(-g). */
static bool exp_of_fraction_without_division(sotto_rng *rng, uint64_t numerator,
                                             uint64_t denominator)
{
    for (uint64_t k = 1;; k++) {
        if (!sot_bernoulli_unchecked(rng, numerator, denominator)) return k % 2 == 1;
    }
}

static void a_wrong_recipe_is_caught(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(24);
    double wrong = 0.0;
    double even = 0.0;
    for (int i = 0; i < DRAWS; i++) {
        wrong += exp_of_fraction_without_division(rng, 3, 7);
        even += !sot_bernoulli_exp_unchecked(rng, 3, 7); /* parity the wrong way round */
    }
    assert_other_law(coin_p(wrong, exp(-3.0 / 7.0)));
    assert_other_law(coin_p(even, exp(-3.0 / 7.0)));
    /* and a coin wrong by two parts in a hundred */
    assert_other_law(coin_p(toss(rng, true, 3 * 1047, 7 * 1000), exp(-3.0 / 7.0)));
    sotto_rng_free(rng);
}

static void bad_ratios_are_refused(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(25);
    sotto_error error;
    bool out = true;
    assert_refused(sot_bernoulli(rng, 1, 0, &out, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "denominator", "0", NULL);
    assert_refused(sot_bernoulli(rng, 4, 3, &out, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "4/3", "above 1", NULL);
    assert_refused(sot_bernoulli(rng, 1, SOT_BERNOULLI_MAX + 1, &out, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "2^62", NULL);
    assert_refused(sot_bernoulli_exp(rng, 1, 0, &out, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "denominator", NULL);
    assert_refused(sot_bernoulli_exp(rng, SOT_BERNOULLI_MAX + 1, 1, &out, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "2^62", NULL);
    rng->failed = true;
    assert_refused(sot_bernoulli(rng, 0, 3, &out, &error), SOTTO_ENTROPY, &error, "fork",
                   NULL);
    assert_refused(sot_bernoulli_exp(rng, 50, 1, &out, &error), SOTTO_ENTROPY, &error,
                   "fork", NULL);
    assert_true(out); /* untouched by every refusal */
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rational_coins_have_their_probability),
        cmocka_unit_test(wide_coins_have_their_probability),
        cmocka_unit_test(exponential_coins_match_the_vectors),
        cmocka_unit_test(a_wrong_recipe_is_caught),
        cmocka_unit_test(bad_ratios_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
