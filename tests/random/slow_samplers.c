/* The samplers' laws with hundreds of times more draws than the fast tests: biases of 1e-4 show. */
#include "laws.h"

#include "random/discrete_gaussian.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

enum { BATCH = 1 << 20, CELLS = 2048 };

typedef struct counter {
    double seen[CELLS + 1];
    double draws;
} counter;

/* Cells: value v goes to v + CELLS/2, values outside to the last cell. */
static void count_values(counter *cells, const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t cell = values[i] + CELLS / 2;
        cells->seen[cell >= 0 && cell < CELLS ? cell : CELLS] += 1.0;
    }
    cells->draws += (double)count;
}

static double counter_p(const counter *cells, upper_tail tail, const void *law)
{
    double probability[CELLS + 1];
    for (int i = 0; i < CELLS; i++)
        probability[i] = i - CELLS / 2 > 0
                             ? tail(law, i - CELLS / 2) - tail(law, i + 1 - CELLS / 2)
                             : tail(law, CELLS / 2 - i) - tail(law, CELLS / 2 - i + 1);
    probability[CELLS / 2] = 1.0 - 2.0 * tail(law, 1);
    probability[CELLS] = tail(law, CELLS / 2) + tail(law, CELLS / 2 + 1);
    return chi_square_p(cells->seen, probability, CELLS + 1, cells->draws);
}

static void rounded_gaussian_over_10_8_draws(void **state)
{
    (void)state;
    static const double sigmas[] = {0.3, 1.0, 2.5, 100.0};
    sotto_error error;
    int64_t *values = new_integers(BATCH);
    for (size_t s = 0; s < sizeof sigmas / sizeof sigmas[0]; s++) {
        sotto_rng *rng = test_rng(91 + s);
        counter counts = {0};
        for (int i = 0; i < 256; i++) {
            assert_ok(sot_rounded_gaussian_fill(rng, sigmas[s], values, BATCH, &error),
                      &error);
            count_values(&counts, values, BATCH);
        }
        assert_same_law(counter_p(&counts, rounded_tail, &sigmas[s]));
        const double near = sigmas[s] * 1.001; /* power: a tenth of a percent */
        assert_other_law(counter_p(&counts, rounded_tail, &near));
        sotto_rng_free(rng);
    }
    free(values);
}

static void karney_over_10_7_draws(void **state)
{
    (void)state;
    static const double sigmas[] = {0.3, 2.5};
    sotto_error error;
    int64_t *values = new_integers(BATCH);
    for (size_t s = 0; s < 2; s++) {
        sotto_rng *rng = test_rng(95 + s);
        counter counts = {0};
        for (int i = 0; i < 16; i++) {
            assert_ok(sot_rounded_gaussian_karney(rng, sigmas[s], values, BATCH, &error),
                      &error);
            count_values(&counts, values, BATCH);
        }
        assert_same_law(counter_p(&counts, rounded_tail, &sigmas[s]));
        sotto_rng_free(rng);
    }
    free(values);
}

static void discrete_gaussians_over_10_8_draws(void **state)
{
    (void)state;
    static const sot_ratio variances[] = {{1, 4}, {7, 3}, {25, 1}, {4096, 1}, {40001, 4}};
    sotto_error error;
    int64_t *values = new_integers(BATCH);
    for (size_t v = 0; v < sizeof variances / sizeof variances[0]; v++) {
        gaussian_law *law = gaussian_law_new(as_double(variances[v]));
        gaussian_law *near = gaussian_law_new(1.002 * as_double(variances[v]));
        sotto_rng *rng = test_rng(97 + v);
        sot_discrete_gaussian *table = NULL;
        assert_ok(sot_discrete_gaussian_new(variances[v], &table, &error), &error);
        counter fast = {0};
        for (int i = 0; i < 256; i++) {
            assert_ok(sot_discrete_gaussian_fill(table, rng, values, BATCH, &error),
                      &error);
            count_values(&fast, values, BATCH);
        }
        assert_same_law(counter_p(&fast, gaussian_tail, law));
        assert_other_law(counter_p(&fast, gaussian_tail, near));
        counter reference = {0};
        for (int i = 0; i < 8; i++) {
            assert_ok(
                sot_discrete_gaussian_reference(rng, variances[v], values, BATCH, &error),
                &error);
            count_values(&reference, values, BATCH);
        }
        assert_same_law(counter_p(&reference, gaussian_tail, law));
        sot_discrete_gaussian_free(table);
        sotto_rng_free(rng);
        free(law);
        free(near);
    }
    free(values);
}

/* Independence of neighbouring draws: sums of pairs have twice the variance. */
static void successive_draws_are_independent(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(103);
    sotto_error error;
    const double sigma = 5.0;
    int64_t *values = new_integers(BATCH);
    double lag_sum[4] = {0};
    double draws = 0.0;
    for (int i = 0; i < 128; i++) {
        assert_ok(sot_rounded_gaussian_fill(rng, sigma, values, BATCH, &error), &error);
        static const size_t lags[4] = {1, 4, 255, 256};
        for (int l = 0; l < 4; l++) {
            for (size_t j = lags[l]; j < BATCH; j++)
                lag_sum[l] += (double)values[j] * (double)values[j - lags[l]];
        }
        draws += BATCH;
    }
    for (int l = 0; l < 4; l++) /* five standard deviations: 6e-7 each */
        assert_within(lag_sum[l] / draws / (sigma * sigma), -5.0 / sqrt(draws),
                      5.0 / sqrt(draws));
    free(values);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounded_gaussian_over_10_8_draws),
        cmocka_unit_test(karney_over_10_7_draws),
        cmocka_unit_test(discrete_gaussians_over_10_8_draws),
        cmocka_unit_test(successive_draws_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
