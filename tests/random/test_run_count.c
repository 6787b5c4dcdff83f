#include "laws.h"

#include <sotto/selection_cost.h>

#include "random/bernoulli.h"
#include "random/run_count.h"

enum { DRAWS = 20000, CELLS = 400 };

/* The p-value of DRAWS numbers of `drawn` against `law`; the last cell is all that is beyond. */
static double p_value(const uint64_t *drawn, const sotto_runs *law)
{
    double observed[CELLS] = {0}, probability[CELLS], rest = 1.0;
    for (size_t i = 0; i < DRAWS; i++)
        observed[drawn[i] < CELLS ? drawn[i] : CELLS - 1] += 1.0;
    for (uint64_t k = 0; k + 1 < CELLS; k++) {
        probability[k] = sotto_runs_probability(law, k);
        rest -= probability[k];
    }
    probability[CELLS - 1] = fmax(0.0, rest);
    return chi_square_p(observed, probability, CELLS, DRAWS);
}

static sotto_runs law_of(double shape, double mean)
{
    sotto_error error;
    sotto_runs runs;
    assert_ok(sotto_runs_from_mean(isnan(shape) ? SOTTO_RUNS_POISSON
                                                : SOTTO_RUNS_NEGATIVE_BINOMIAL,
                                   shape, mean, &runs, &error),
              &error);
    return runs;
}

static void negative_binomial_numbers_have_their_law(void **state)
{
    (void)state;
    static uint64_t drawn[DRAWS];
    const double laws[][2] = {{-0.9, 1.8}, {-0.5, 3.0}, {-0.05, 4.0}, {0.0, 10.0},
                              {0.3, 1.05}, {0.5, 20.0}, {1.0, 10.0},  {1.0, 100.0},
                              {1.7, 6.0},  {2.0, 1.2},  {12.5, 15.0}};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        const sotto_runs law = law_of(laws[i][0], laws[i][1]);
        sotto_rng *rng = test_rng(700 + i);
        for (size_t j = 0; j < DRAWS; j++)
            drawn[j] = sot_run_count_negative_binomial(rng, law.shape, law.gamma);
        assert_same_law(p_value(drawn, &law));
        const sotto_runs more = law_of(laws[i][0], 1.0 + 1.3 * (laws[i][1] - 1.0));
        /* Near shape -1 the mean is all in the far tail and says little about the law. */
        if (laws[i][0] > -0.6) assert_other_law(p_value(drawn, &more));
        const sotto_runs bent = law_of(laws[i][0] + 0.4, laws[i][1]);
        if (laws[i][0] < 2.0 && laws[i][1] > 1.5) assert_other_law(p_value(drawn, &bent));
        sotto_rng_free(rng);
    }
}

static void poisson_numbers_have_their_law(void **state)
{
    (void)state;
    static uint64_t drawn[DRAWS];
    const double means[] = {0.25, 1.0, 3.375, 33.0};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        const sotto_runs law = law_of(SOTTO_UNSET, means[i]);
        const sotto_runs more = law_of(SOTTO_UNSET, 1.1 * means[i]);
        sotto_rng *rng = test_rng(720 + i);
        for (size_t j = 0; j < DRAWS; j++)
            drawn[j] = sot_run_count_poisson(rng, means[i]);
        assert_same_law(p_value(drawn, &law));
        assert_other_law(p_value(drawn, &more));
        sotto_rng_free(rng);
    }
}

/* Coins of a double's probability, also where its digits begin beyond the first word. */
static void coins_of_doubles_succeed_as_often_as_they_should(void **state)
{
    (void)state;
    const double chances[] = {0.3, 0.5, 0.001, 1.0 - 0x1p-7, 1.0 / 3.0};
    sotto_rng *rng = test_rng(740);
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        double seen[2] = {0};
        const double law[2] = {1.0 - chances[i], chances[i]};
        for (int j = 0; j < 100000; j++)
            seen[sot_bernoulli_double(rng, chances[i]) ? 1 : 0] += 1.0;
        assert_same_law(chi_square_p(seen, law, 2, 100000));
    }
    for (int i = 0; i < 1000; i++) {
        assert_true(sot_bernoulli_double(rng, 1.0));
        assert_false(sot_bernoulli_double(rng, 0.0));
        assert_false(sot_bernoulli_double(rng, 0x1p-1074));
        assert_false(sot_bernoulli_double(rng, 0x1p-70));
        assert_true(sot_bernoulli_double(rng, 1.0 - 0x1p-53));
    }
    sotto_rng_free(rng);
}

/* Words chosen to agree with the first digits of the probability: the later ones decide. */
static void coins_of_doubles_compare_every_digit(void **state)
{
    (void)state;
    /* 2^-40 + 2^-90: the first word is 2^24, the second 2^38 and nothing after it. */
    const double chance = 0x1p-40 + 0x1p-90;
    const struct {
        uint64_t first, second;
        bool below;
    } cases[] = {{(UINT64_C(1) << 24) - 1, UINT64_MAX, true},
                 {(UINT64_C(1) << 24) + 1, 0, false},
                 {UINT64_C(1) << 24, (UINT64_C(1) << 38) - 1, true},
                 {UINT64_C(1) << 24, UINT64_C(1) << 38, false}};
    for (size_t i = 0; i < 4; i++) {
        sotto_rng *rng = test_rng(750);
        (void)sot_rng_u64(rng); /* fills the pool, which the test then writes */
        sot_store_le64(rng->pool + rng->position, cases[i].first);
        sot_store_le64(rng->pool + rng->position + 8, cases[i].second);
        assert_true(sot_bernoulli_double(rng, chance) == cases[i].below);
        sotto_rng_free(rng);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(negative_binomial_numbers_have_their_law),
        cmocka_unit_test(poisson_numbers_have_their_law),
        cmocka_unit_test(coins_of_doubles_succeed_as_often_as_they_should),
        cmocka_unit_test(coins_of_doubles_compare_every_digit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
