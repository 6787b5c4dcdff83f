/* The curve never promises more than the exact trade-off, and comes close to it. */
#include "privacy/accounting/plans.h"

#include <sotto/curve.h>

#include "base/memory.h"
#include "numeric/special.h"

static sotto_curve *new_curve(const sotto_plan *plan, sotto_accountant accountant,
                              double delta_least, size_t points)
{
    sotto_error error;
    sotto_curve *curve;
    assert_ok(sotto_curve_new(plan, accountant, delta_least, points, &curve, &error),
              &error);
    return curve;
}

/* Dong, Roth & Su 2022, (6): the best test between N(0, 1) and N(mu, 1). */
static double gaussian_attack(double mu, double rate)
{
    return sot_ndtr(sot_normal_quantile(rate) + mu);
}

static void the_attack_on_gaussian_noise_is_never_understated(void **state)
{
    (void)state;
    sotto_plan *plan = plan_of(gaussian(1.75, 3));
    sotto_curve *curve = new_curve(plan, SOTTO_EXACT, 1e-10, 65);
    const double mu = sqrt(3.0) / 1.75;
    for (double rate = 1e-7; rate < 1.0; rate *= 1.17) {
        const double exact = gaussian_attack(mu, rate);
        assert_within(sotto_curve_attack(curve, rate), exact, exact * 1.006);
        assert_within(sotto_curve_trade_off(curve, rate), 0.0, 1.0 - exact + 1e-16);
    }
    sotto_curve_free(curve);
    sotto_plan_free(plan);
}

static void sharpening_makes_the_attack_exact_at_its_rate(void **state)
{
    (void)state;
    static const double rates[] = {1e-8, 1e-5, 0.003, 0.1, 0.5, 0.9};
    sotto_error error;
    sotto_plan *plan = plan_of(gaussian(1.75, 3));
    sotto_curve *curve = new_curve(plan, SOTTO_EXACT, 1e-10, 17);
    const double mu = sqrt(3.0) / 1.75;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        const double before = sotto_curve_attack(curve, rates[i]);
        const double exact = gaussian_attack(mu, rates[i]);
        assert_ok(sotto_curve_sharpen(curve, plan, rates[i], &error), &error);
        const double after = sotto_curve_attack(curve, rates[i]);
        assert_true(after <= before);
        assert_within(after, exact, exact * (1.0 + 1e-6));
    }
    assert_int_equal(sotto_curve_size(curve), 17); /* the profile stays */
    sotto_curve_free(curve);
    sotto_plan_free(plan);
}

/* Binary randomized response attains the two lines of a pure guarantee. */
static void a_pure_release_has_the_two_lines_of_its_epsilon(void **state)
{
    (void)state;
    sotto_plan *plan = plan_of(pure(1.25, 1));
    sotto_curve *curve = new_curve(plan, SOTTO_EXACT, 0.0, 9);
    for (double rate = 0.0; rate <= 1.0; rate += 0.01) {
        const double exact = fmin(exp(1.25) * rate, 1.0 - exp(-1.25) * (1.0 - rate));
        assert_within(sotto_curve_attack(curve, rate), exact * (1.0 - 1e-15),
                      exact + 1e-11);
    }
    const double missed = sotto_curve_trade_off(curve, 1.0);
    assert_true(missed == 0.0 && !signbit(missed)); /* 0, not -0 */
    sotto_curve_free(curve);
    sotto_plan_free(plan);
}

/* One sampled step: the Neyman-Pearson tests of both directions stay below the bound. */
static void tests_against_a_sampled_step_stay_below_the_curve(void **state)
{
    (void)state;
    const double q = 0.125, sigma = 0.75;
    sotto_plan *plan = plan_of(sampled(q, sigma, 1));
    sotto_curve *curve = new_curve(plan, SOTTO_EXACT, 1e-8, 129);
    for (double x = -3.0; x < 5.0; x += 0.0625) {
        const double without = sot_ndtr(-x / sigma);
        const double with = (1.0 - q) * without + q * sot_ndtr((1.0 - x) / sigma);
        assert_within(sotto_curve_attack(curve, without), with * (1.0 - 1e-13), 1.0);
        assert_within(sotto_curve_attack(curve, 1.0 - with),
                      (1.0 - without) * (1.0 - 1e-13), 1.0);
        /* Here accusing is the better half, so the bound is near. */
        if (without < 0.01)
            assert_within(sotto_curve_attack(curve, without), with, 1.01 * with + 1e-8);
    }
    sotto_curve_free(curve);
    sotto_plan_free(plan);
}

static void the_profile_falls_from_zero_to_the_least_delta(void **state)
{
    (void)state;
    static const sotto_accountant accountants[] = {SOTTO_EXACT, SOTTO_RDP, SOTTO_BASIC};
    sotto_plan *plan = plan_of(sampled(0.01, 1.1, 1000), pure(0.125, 2));
    for (size_t i = 0; i < sizeof accountants / sizeof accountants[0]; i++) {
        sotto_curve *curve = new_curve(plan, accountants[i], 1e-7, 33);
        const sotto_account *points = sotto_curve_points(curve);
        assert_int_equal(sotto_curve_size(curve), 33);
        assert_true(points[0].epsilon == 0.0);
        for (size_t j = 0; j < 33; j++) {
            assert_int_equal(points[j].accountant, accountants[i]);
            assert_within(points[j].delta, 0.0, 1.0);
            if (!isnan(points[j].delta_lower))
                assert_within(points[j].delta_lower, 0.0, points[j].delta);
            if (j == 0) continue;
            assert_true(points[j].epsilon > points[j - 1].epsilon);
            assert_true(points[j].delta <= points[j - 1].delta);
        }
        assert_within(points[32].delta, 0.0, 1e-7);
        sotto_curve_free(curve);
    }
    sotto_plan_free(plan);
}

static void a_looser_accountant_gives_a_higher_curve(void **state)
{
    (void)state;
    sotto_plan *plan = plan_of(sampled(0.01, 1.1, 1000));
    sotto_curve *exact = new_curve(plan, SOTTO_EXACT, 1e-9, 129);
    sotto_curve *renyi = new_curve(plan, SOTTO_RDP, 1e-9, 129);
    for (double rate = 1e-6; rate < 0.3; rate *= 1.9) {
        assert_true(sotto_curve_attack(exact, rate) <
                    sotto_curve_attack(renyi, rate) * (1.0 + 1e-3));
    }
    sotto_curve_free(exact);
    sotto_curve_free(renyi);
    sotto_plan_free(plan);
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_curve *curve;
    sotto_plan *plan = plan_of(gaussian(2.0, 1));
    assert_refused(sotto_curve_new(plan, SOTTO_EXACT, -0.5, 9, &curve, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "delta", "-0.5", NULL);
    assert_refused(sotto_curve_new(plan, SOTTO_EXACT, SOTTO_UNSET, 9, &curve, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "delta", NULL);
    assert_refused(sotto_curve_new(plan, SOTTO_EXACT, 1e-9, 1, &curve, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "points", NULL);
    assert_refused(sotto_curve_new(plan, SOTTO_EXACT, 1e-9, 5000, &curve, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "4096", NULL);
    assert_refused(sotto_curve_new(plan, SOTTO_EXACT, 0.0, 9, &curve, &error),
                   SOTTO_UNREACHABLE, &error, "delta", NULL);
    curve = new_curve(plan, SOTTO_EXACT, 1e-9, 9);
    assert_refused(sotto_curve_sharpen(curve, plan, 0.0, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "false positive", NULL);
    assert_refused(sotto_curve_sharpen(curve, plan, 1.0, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "false positive", NULL);
    assert_true(sotto_curve_attack(curve, SOTTO_UNSET) == 1.0);
    sotto_curve_free(curve);
    sotto_plan_free(plan);
}

/* A release that tells nothing: the curve is the diagonal. */
static void nothing_released_is_guessing(void **state)
{
    (void)state;
    sotto_error error;
    char *svg;
    sotto_plan *plan = plan_of(gdp(0.0, 1));
    sotto_curve *curve = new_curve(plan, SOTTO_EXACT, 1e-9, 5);
    assert_within(sotto_curve_attack(curve, 0.25), 0.25, 0.25 + 1e-12);
    assert_ok(sotto_curve_to_svg(curve, &svg, &error), &error);
    sotto_free(svg);
    sotto_curve_free(curve);
    sotto_plan_free(plan);
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        count++;
    return count;
}

static void the_picture_is_one_whole_file(void **state)
{
    (void)state;
    sotto_error error;
    char *svg;
    sotto_plan *plan = plan_of(gaussian(1.75, 3));
    sotto_curve *curve = new_curve(plan, SOTTO_EXACT, 1e-10, 65);
    assert_ok(sotto_curve_to_svg(curve, &svg, &error), &error);
    assert_true(strncmp(svg, "<svg ", 5) == 0);
    assert_non_null(strstr(svg, "viewBox=\"0 0 "));
    assert_non_null(strstr(svg, "prefers-color-scheme:dark"));
    assert_true(strcmp(svg + strlen(svg) - 7, "</svg>\n") == 0);
    assert_int_equal(occurrences(svg, "<polyline "), 5);
    assert_int_equal(occurrences(svg, "<text "), occurrences(svg, "</text>"));
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    assert_int_equal(occurrences(svg, "http"),
                     1); /* the name space: nothing is fetched */
    sotto_free(svg);
    sotto_curve_free(curve);
    sotto_plan_free(plan);
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    sotto_plan *plan = plan_of(pure(0.5, 2));
    for (size_t n = 1;; n++) {
        sotto_curve *curve = NULL;
        char *svg = NULL;
        (void)sot_test_fail_allocation(n);
        sotto_status status = sotto_curve_new(plan, SOTTO_EXACT, 0.0, 5, &curve, &error);
        if (status == SOTTO_OK) status = sotto_curve_sharpen(curve, plan, 0.1, &error);
        if (status == SOTTO_OK) status = sotto_curve_to_svg(curve, &svg, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sotto_free(svg);
        sotto_curve_free(curve);
        if (asked < n) {
            assert_ok(status, &error);
            break;
        }
        assert_true(status == SOTTO_OUT_OF_MEMORY || status == SOTTO_OK);
    }
    sotto_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_attack_on_gaussian_noise_is_never_understated),
        cmocka_unit_test(sharpening_makes_the_attack_exact_at_its_rate),
        cmocka_unit_test(a_pure_release_has_the_two_lines_of_its_epsilon),
        cmocka_unit_test(tests_against_a_sampled_step_stay_below_the_curve),
        cmocka_unit_test(the_profile_falls_from_zero_to_the_least_delta),
        cmocka_unit_test(a_looser_accountant_gives_a_higher_curve),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(nothing_released_is_guessing),
        cmocka_unit_test(the_picture_is_one_whole_file),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
