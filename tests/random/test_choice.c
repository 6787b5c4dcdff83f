#include "choice_laws.h"
#include "laws.h"

#include "random/choice.h"

enum { DRAWS = 60000, MOST = 32 };

typedef enum sampler { REJECTION, WEIGHTED, FLIP } sampler;

/* How often each candidate was drawn. */
static void tally(sotto_rng *rng, sampler which, sot_slope slope, const int64_t *scores,
                  const uint64_t *measures, size_t count, double *out_seen)
{
    sot_u128 sums[MOST];
    size_t order[MOST];
    assert_in_range(count, 1, MOST);
    memset(out_seen, 0, count * sizeof *out_seen);
    for (int i = 0; i < DRAWS; i++) {
        size_t drawn = 0;
        if (which == REJECTION) drawn = sot_choice_rejection(rng, slope, scores, count);
        if (which == WEIGHTED)
            drawn = sot_choice_weighted(rng, slope, scores, measures, count, sums);
        if (which == FLIP)
            drawn = sot_choice_permute_and_flip(rng, slope, scores, count, order);
        assert_true(drawn < count);
        out_seen[drawn] += 1.0;
    }
}

typedef struct scene {
    sot_slope slope;
    size_t count;
    int64_t scores[8];
    uint64_t measures[8];
} scene;

static double slope_of(const scene *at)
{
    return (double)at->slope.numerator / (double)at->slope.denominator;
}

/* Tied, negated, shifted to the ends of int64, far apart, alone. */
static const scene scenes[] = {
    {{1, 2}, 5, {3, 3, 0, -2, 3}, {1, 1, 1, 1, 1}},
    {{1, 2}, 5, {-3, -3, 0, 2, -3}, {1, 1, 1, 1, 1}},
    {{7, 10}, 4, {INT64_MAX, INT64_MAX - 1, INT64_MAX - 4, INT64_MIN}, {1, 1, 1, 1}},
    {{7, 10}, 3, {INT64_MIN, INT64_MIN + 1, INT64_MIN + 2}, {1, 1, 1}},
    {{1, 3}, 4, {0, -1000000000, 2, 1}, {1, 1, 1, 1}},
    {{1, 1}, 1, {-17}, {1}},
    {{(UINT64_C(1) << 53) - 1, (sot_u128)3 << 53}, 3, {5, 4, 2}, {1, 1, 1}},
    {{(UINT64_C(1) << 53) - 1, (sot_u128)1 << 126},
     3,
     {INT64_MAX, 0, INT64_MIN},
     {1, 1, 1}},
};

static void plain_choices_have_their_exact_law(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(301);
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        const scene *at = &scenes[i];
        double law[8], flip_law[8], seen[8];
        exponential_law(slope_of(at), at->scores, NULL, at->count, law);
        permute_and_flip_law(slope_of(at), at->scores, at->count, flip_law);
        tally(rng, REJECTION, at->slope, at->scores, NULL, at->count, seen);
        assert_same_law(chi_square_p(seen, law, at->count, DRAWS));
        tally(rng, WEIGHTED, at->slope, at->scores, at->measures, at->count, seen);
        assert_same_law(chi_square_p(seen, law, at->count, DRAWS));
        tally(rng, FLIP, at->slope, at->scores, NULL, at->count, seen);
        assert_same_law(chi_square_p(seen, flip_law, at->count, DRAWS));
    }
    sotto_rng_free(rng);
}

/* Large measures far behind balance small ones in front; a measure of zero is never met, even if its
 * score is the best. */
static const scene weighted_scenes[] = {
    {{1, 2}, 3, {0, 2, 1}, {1, 5, 10}},
    {{1, 2}, 3, {0, 4, -1}, {100, 0, 100}},
    {{1, 1}, 4, {0, -20, -41, 7}, {3, UINT64_C(1) << 30, UINT64_C(1) << 60, 0}},
    {{1, 1},
     4,
     {0, -42, -43, -44},
     {1, UINT64_C(1) << 60, UINT64_C(1) << 61, UINT64_C(1) << 59}},
    {{1, 1},
     4,
     {0, -45, -46, -300},
     {1, UINT64_C(1) << 61, UINT64_C(1) << 60, UINT64_C(1) << 59}},
    {{3, 7}, 5, {0, -5, -11, -23, -48}, {2, 17, 250, 40000, 1000000000}},
    {{1, 1}, 2, {INT64_MAX, INT64_MIN}, {0, 9}},
};

static void measures_weigh_exactly(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(302);
    for (size_t i = 0; i < sizeof weighted_scenes / sizeof weighted_scenes[0]; i++) {
        const scene *at = &weighted_scenes[i];
        double law[8], seen[8];
        exponential_law(slope_of(at), at->scores, at->measures, at->count, law);
        tally(rng, WEIGHTED, at->slope, at->scores, at->measures, at->count, seen);
        assert_same_law(chi_square_p(seen, law, at->count, DRAWS));
        for (size_t j = 0; j < at->count; j++) {
            if (at->measures[j] == 0) assert_true(seen[j] == 0.0);
        }
    }
    sotto_rng_free(rng);
}

/* The test has the power to see a slope three percent off. */
static void a_slope_slightly_wrong_is_caught(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(303);
    const int64_t scores[] = {0, -1, -2, -3, -4, -5, -6, -7};
    const uint64_t measures[] = {1, 1, 1, 1, 1, 1, 1, 1};
    double law[8], seen[8];
    exponential_law(0.53, scores, NULL, 8, law);
    tally(rng, REJECTION, (sot_slope){1, 2}, scores, NULL, 8, seen);
    assert_other_law(chi_square_p(seen, law, 8, DRAWS));
    tally(rng, WEIGHTED, (sot_slope){1, 2}, scores, measures, 8, seen);
    assert_other_law(chi_square_p(seen, law, 8, DRAWS));
    permute_and_flip_law(0.53, scores, 8, law);
    tally(rng, FLIP, (sot_slope){1, 2}, scores, NULL, 8, seen);
    assert_other_law(chi_square_p(seen, law, 8, DRAWS));
    sotto_rng_free(rng);
}

static void the_coin_over_e_is_exact(void **state)
{
    (void)state;
    enum { TOSSES = 400000 };
    const uint64_t ratios[][2] = {{8, 3},
                                  {1, 1},
                                  {5, 2},
                                  {UINT64_C(1) << 62, UINT64_C(1729382256910270464)},
                                  {1, 7}};
    sotto_rng *rng = test_rng(304);
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        const double p = (double)ratios[i][0] / (double)ratios[i][1] * exp(-1.0);
        double seen[2] = {0};
        for (int toss = 0; toss < TOSSES; toss++)
            seen[sot_bernoulli_over_e(rng, ratios[i][0], ratios[i][1]) ? 1 : 0] += 1.0;
        const double law[2] = {1.0 - p, p};
        assert_same_law(chi_square_p(seen, law, 2, TOSSES));
        const double wrong[2] = {1.0 - 0.99 * p, 0.99 * p}; /* power: one percent */
        if (p > 0.5) assert_other_law(chi_square_p(seen, wrong, 2, TOSSES));
    }
    sotto_rng_free(rng);
}

/* Slots beyond the second have two percent of the coin: looked at alone. */
static void rare_slots_of_the_coin_are_exact(void **state)
{
    (void)state;
    enum { TOSSES = 3000000 };
    sotto_rng *rng = test_rng(305);
    double failures = 0.0;
    for (int toss = 0; toss < TOSSES; toss++)
        failures += sot_bernoulli_over_e(rng, 8, 3) ? 0.0 : 1.0;
    const double p = 1.0 - 8.0 / 3.0 * exp(-1.0); /* 0.018988 */
    const double law[2] = {p, 1.0 - p};
    const double seen[2] = {failures, TOSSES - failures};
    assert_same_law(chi_square_p(seen, law, 2, TOSSES));
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_choices_have_their_exact_law),
        cmocka_unit_test(measures_weigh_exactly),
        cmocka_unit_test(a_slope_slightly_wrong_is_caught),
        cmocka_unit_test(the_coin_over_e_is_exact),
        cmocka_unit_test(rare_slots_of_the_coin_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
