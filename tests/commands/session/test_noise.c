/* Noise margins and Fieller's interval against the laws themselves. */
#include "support.h"

#include <sotto/rng.h>

#include "commands/session/noise.h"
#include "random/discrete_laplace.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

static sot_noise laplace(double scale)
{
    return (sot_noise){
        .mechanism = SOTTO_DISCRETE_LAPLACE, .scale = scale, .dimension = 1};
}

static sot_noise gaussian(double sigma)
{
    return (sot_noise){.mechanism = SOTTO_GAUSSIAN, .scale = sigma, .dimension = 1};
}

/* P(|noise| > k), by summing the probabilities one by one. */
static double summed_tail(const sot_noise *noise, double k)
{
    double inside = 0.0;
    for (double x = -k; x <= k; x += 1.0) {
        if (noise->mechanism == SOTTO_GAUSSIAN) {
            const double s = noise->scale * sqrt(2.0);
            inside += 0.5 * (erf((x + 0.5) / s) - erf((x - 0.5) / s));
        } else {
            inside += tanh(0.5 / noise->scale) * exp(-fabs(x) / noise->scale);
        }
    }
    return 1.0 - inside;
}

static void margins_are_the_least_that_hold(void **state)
{
    (void)state;
    const double scales[] = {0.3, 0.9, 2.375, 17.5, 400.25};
    const double confidences[] = {0.5, 0.9, 0.95, 0.999};
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 4; k++) {
            const sot_noise both[] = {laplace(scales[i]), gaussian(scales[i])};
            for (int j = 0; j < 2; j++) {
                const double margin = sot_noise_margin(&both[j], confidences[k]);
                assert_true(margin == floor(margin));
                assert_within(summed_tail(&both[j], margin), 0.0,
                              (1.0 - confidences[k]) * (1.0 + 1e-9));
                if (margin >= 1.0) {
                    assert_within(summed_tail(&both[j], margin - 1.0),
                                  (1.0 - confidences[k]) * (1.0 - 1e-9), 1.0);
                }
            }
        }
    }
}

static void deviations_are_those_of_the_laws(void **state)
{
    (void)state;
    const double scales[] = {0.6, 2.375, 17.5};
    for (size_t i = 0; i < 3; i++) {
        const sot_noise both[] = {laplace(scales[i]), gaussian(scales[i])};
        for (int j = 0; j < 2; j++) {
            double variance = 0.0;
            for (double x = -2000.0; x <= 2000.0; x += 1.0) {
                const double s = scales[i] * sqrt(2.0);
                const double p = j == 0
                                     ? tanh(0.5 / scales[i]) * exp(-fabs(x) / scales[i])
                                     : 0.5 * (erf((x + 0.5) / s) - erf((x - 0.5) / s));
                variance += p * x * x;
            }
            assert_relative(sot_noise_deviation(&both[j]), sqrt(variance), 2e-3);
        }
    }
}

/* P(|A - theta B| >= d), B's values one by one. */
static double summed_ratio_tail(bool is_gaussian, double a, double b, double theta,
                                double d)
{
    double sum = 0.0;
    for (double k = -1500.0; k <= 1500.0; k += 1.0) {
        const double s = b * sqrt(2.0);
        const double mass = is_gaussian ? 0.5 * (erf((k + 0.5) / s) - erf((k - 0.5) / s))
                                        : tanh(0.5 / b) * exp(-fabs(k) / b);
        for (int sign = -1; sign <= 1; sign += 2) {
            const double x = d + sign * theta * k;
            const double tail = is_gaussian ? 0.5 * erfc(x / (a * sqrt(2.0)))
                                : x >= 0.0  ? 0.5 * exp(-x / a)
                                            : 1.0 - 0.5 * exp(x / a);
            sum += mass * tail;
        }
    }
    return fmin(1.0, sum);
}

static void the_law_of_a_ratio_is_that_of_a_sum_over_all_counts(void **state)
{
    (void)state;
    const double a_scales[] = {1000.0, 7.25e8};
    const double b_scales[] = {0.4, 1.0, 3.2, 55.0};
    const double thetas[] = {-1.7, -0.02, 0.001, 0.3, 1.0, 4.0};
    const double distances[] = {0.0, 0.1, 1.0, 2.5, 9.0};
    for (int kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < 2 * 4 * 6 * 5; i++) {
            const double a = a_scales[i % 2];
            const double b = b_scales[i / 2 % 4];
            const double theta = thetas[i / 8 % 6] * a;
            const double d = distances[i / 48] * a;
            const sot_noise sum = kind ? gaussian(a) : laplace(a);
            const sot_noise count = kind ? gaussian(b) : laplace(b);
            const double exact = summed_ratio_tail(kind, a, b, fabs(theta), d);
            const double tail = sot_noise_ratio_tail(&sum, &count, theta, d);
            assert_within(tail - exact, -1e-8, 1e-8);
        }
    }
}

/* At 95%, of 4000 draws the covered share is within 0.936 .. 0.964, four standard deviations:
 * 6e-5. */
static void intervals_of_ratios_cover_as_stated(void **state)
{
    (void)state;
    sotto_error error;
    const double half = 0x1p29;
    const struct {
        bool is_gaussian;
        double rows, theta, count_scale;
        double least, most; /* share of draws that cover */
    } cases[] = {
        {false, 60.0, 0.4, 3.2, 0.936, 0.964},
        {false, 400.0, -0.7, 10.0, 0.936, 0.964},
        {true, 60.0, 0.4, 4.0, 0.936, 0.964},
        {true, 900.0, 0.05, 25.0, 0.936, 0.964},
        /* Hardly any rows: the range of the column cuts the interval, which then covers
                  * more often. */
        {false, 4.0, 0.3, 3.2, 0.936, 1.0},
        {true, 4.0, -0.3, 4.0, 0.936, 1.0},
        {true, 1.0, 1.0, 4.0, 0.936, 1.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum { DRAWS = 4000 };
        static int64_t a[DRAWS], b[DRAWS];
        sotto_rng *rng;
        assert_ok(sotto_rng_new_for_test(77 + i, &rng, &error), &error);
        const double sum_scale = cases[i].count_scale * half / 2.0;
        const sot_noise sum =
            cases[i].is_gaussian ? gaussian(sum_scale) : laplace(sum_scale);
        const sot_noise count = cases[i].is_gaussian ? gaussian(cases[i].count_scale)
                                                     : laplace(cases[i].count_scale);
        if (cases[i].is_gaussian) {
            assert_ok(sot_rounded_gaussian_fill(rng, sum.scale, a, DRAWS, &error),
                      &error);
            assert_ok(sot_rounded_gaussian_fill(rng, count.scale, b, DRAWS, &error),
                      &error);
        } else {
            const sot_ratio wide = {(uint64_t)sum.scale, 1};
            const sot_ratio narrow = {(uint64_t)(count.scale * 1000.0), 1000};
            assert_ok(sot_discrete_laplace_fill(rng, wide, a, DRAWS, &error), &error);
            assert_ok(sot_discrete_laplace_fill(rng, narrow, b, DRAWS, &error), &error);
        }
        const double theta = cases[i].theta * half;
        int covered = 0;
        for (size_t k = 0; k < DRAWS; k++) {
            double lower, upper;
            sot_noise_ratio_interval(&sum, &count, theta * cases[i].rows + (double)a[k],
                                     cases[i].rows + (double)b[k], half, 0.95, &lower,
                                     &upper);
            assert_true(-half <= lower && lower <= upper && upper <= half);
            covered += lower <= theta && theta <= upper;
        }
        print_message("case %zu: %.4f\n", i, covered / (double)DRAWS);
        assert_within(covered / (double)DRAWS, cases[i].least, cases[i].most);
        sotto_rng_free(rng);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_are_the_least_that_hold),
        cmocka_unit_test(deviations_are_those_of_the_laws),
        cmocka_unit_test(the_law_of_a_ratio_is_that_of_a_sum_over_all_counts),
        cmocka_unit_test(intervals_of_ratios_cover_as_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
