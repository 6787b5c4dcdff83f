/* Bounds from counts against tests/vectors/pate_audit.json (60 digits) and against exact sums. */
#include "pate_vectors.h"

#include <sotto/audit_statistics.h>

#include "base/memory.h"
#include "privacy/accounting/plans.h"

/* ---- Clopper and Pearson ---- */

static void limits_are_the_vectors_and_outward(void **state)
{
    (void)state;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "clopper_pearson", NULL, 10), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        const uint64_t k = (uint64_t)pate_number(it, "k");
        const uint64_t n = (uint64_t)pate_number(it, "n");
        const double alpha = pate_number(it, "alpha");
        const double lower = sotto_audit_rate_lower(k, n, alpha);
        const double upper = sotto_audit_rate_upper(k, n, alpha);
        assert_vector(lower, pate_number(it, "lower"));
        assert_vector(upper, pate_number(it, "upper"));
        assert_true(lower <= pate_number(it, "lower"));
        assert_true(upper >= pate_number(it, "upper"));
    }
    assert_true(isnan(sotto_audit_rate_lower(3, 2, 0.05)));
    assert_true(isnan(sotto_audit_rate_upper(0, 0, 0.05)));
    assert_true(isnan(sotto_audit_rate_lower(1, 2, 0.0)));
    assert_true(isnan(sotto_audit_rate_lower(1, 2, SOTTO_UNSET)));
    json_decref(all);
}

/* P[Bin(n, p) >= k] in long double. */
static long double tail_of(int n, long double p, int k)
{
    long double sum = 0.0L;
    for (int j = k; j <= n; j++) {
        sum += expl(lgammal((long double)n + 1) - lgammal((long double)j + 1) -
                    lgammal((long double)(n - j) + 1) + (long double)j * logl(p) +
                    (long double)(n - j) * log1pl(-p));
    }
    return sum;
}

static void limits_keep_their_level_for_every_probability(void **state)
{
    (void)state;
    const double alphas[] = {0.5, 0.05, 1e-6};
    for (int n = 1; n <= 12; n++) {
        for (int k = 0; k <= n; k++) {
            for (size_t i = 0; i < 3; i++) {
                const double lower =
                    sotto_audit_rate_lower((uint64_t)k, (uint64_t)n, alphas[i]);
                const double upper =
                    sotto_audit_rate_upper((uint64_t)k, (uint64_t)n, alphas[i]);
                if (k > 0) {
                    const double tail = (double)tail_of(n, (long double)lower, k);
                    assert_within(tail, alphas[i] * (1.0 - 1e-9),
                                  alphas[i] * (1.0 + 1e-15));
                }
                if (k < n) {
                    const double tail =
                        (double)tail_of(n, 1.0L - (long double)upper, n - k);
                    assert_within(tail, alphas[i] * (1.0 - 1e-8),
                                  alphas[i] * (1.0 + 1e-12));
                }
            }
        }
    }
}

/* ---- epsilon from counts ---- */

static void bounds_from_counts_are_the_vectors(void **state)
{
    (void)state;
    sotto_error error;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "eps_lower_from_counts", NULL, 9), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        const sotto_audit_counts counts = {
            .true_positives = (uint64_t)pate_number(it, "tp"),
            .members = (uint64_t)pate_number(it, "n_in"),
            .false_positives = (uint64_t)pate_number(it, "fp"),
            .others = (uint64_t)pate_number(it, "n_out")};
        sotto_audit_bounds got;
        assert_ok(sotto_audit_bounds_of(&counts, pate_number(it, "alpha"),
                                        pate_number(it, "delta"), &got, &error),
                  &error);
        assert_vector(got.true_positive_rate_lower, pate_number(it, "tpr_lower"));
        assert_vector(got.false_positive_rate_upper, pate_number(it, "fpr_upper"));
        assert_vector(got.epsilon_lower_accuse, pate_number(it, "eps_lower_one_sided"));
        assert_vector(got.epsilon_lower, pate_number(it, "eps_lower_two_sided"));
        assert_vector(got.mu_lower, pate_number(it, "mu_lower"));
        assert_true(got.epsilon_lower <= pate_number(it, "eps_lower_two_sided"));
        assert_true(got.mu_lower <= pate_number(it, "mu_lower"));
        const json_t *gaussian_epsilon = json_object_get(it, "gdp_eps_at_delta");
        if (json_is_null(gaussian_epsilon)) {
            assert_true(isnan(got.gaussian_epsilon_lower));
        } else {
            const double value = json_number_value(gaussian_epsilon);
            assert_within(got.gaussian_epsilon_lower, value - 1e-7, value);
        }
    }
    json_decref(all);
}

static void bad_counts_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_audit_bounds bounds;
    const sotto_audit_counts bad[] = {
        {3, 2, 0, 2}, {1, 2, 3, 2}, {0, 0, 0, 2}, {1, 2, 0, 0}, {0, UINT64_MAX, 0, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_refused(sotto_audit_bounds_of(&bad[i], 0.05, 0.0, &bounds, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "runs", NULL);
    }
    const sotto_audit_counts fine = {1, 2, 0, 2};
    assert_refused(sotto_audit_bounds_of(&fine, 0.0, 0.0, &bounds, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "alpha", NULL);
    assert_refused(sotto_audit_bounds_of(&fine, 0.05, 1.0, &bounds, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "delta", NULL);
    const sotto_audit_counts clear = {990, 1000, 0, 1000};
    for (size_t failing = 1;; failing++) {
        (void)sot_test_fail_allocation(failing);
        const sotto_status status =
            sotto_audit_bounds_of(&clear, 0.05, 1e-5, &bounds, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_true(failing < 100);
    }
}

/* ---- a claim as a curve ---- */

static sotto_audit_verdict verdict_of(sotto_plan *plan, const sotto_audit_counts *counts,
                                      double alpha)
{
    sotto_error error;
    sotto_curve *curve = NULL;
    sotto_audit_verdict verdict;
    assert_ok(sotto_curve_new(plan, SOTTO_EXACT, 1e-9, 16, &curve, &error), &error);
    assert_ok(sotto_audit_against_curve(counts, alpha, curve, plan, &verdict, &error),
              &error);
    sotto_curve_free(curve);
    sotto_plan_free(plan);
    return verdict;
}

/* A Gaussian claim of mu is refuted by counts whose mu_lower is above it, and not by others: the curve
 * is the Gaussian trade-off. */
static void gaussian_claims_fall_where_their_mu_does(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_audit_counts counts = {860, 1000, 160, 1000};
    sotto_audit_bounds bounds;
    assert_ok(sotto_audit_bounds_of(&counts, 0.01, 0.0, &bounds, &error), &error);
    assert_within(bounds.mu_lower, 1.5, 2.1);
    const double mu = bounds.mu_lower;
    assert_true(verdict_of(plan_of(gdp(0.99 * mu, 1)), &counts, 0.01).refuted);
    assert_false(verdict_of(plan_of(gdp(1.01 * mu, 1)), &counts, 0.01).refuted);
    const sotto_audit_verdict verdict = verdict_of(plan_of(gdp(mu, 1)), &counts, 0.01);
    assert_relative(verdict.promised, verdict.false_negative_rate_upper, 0.01);
}

/* Sampled Gaussian steps have no Gaussian curve: rates that a Gaussian release of the same epsilon at a small delta
 * allows are refuted by its own curve, and rates it can have are not. */
static void sampled_claims_are_tested_by_their_own_curve(void **state)
{
    (void)state;
    const sotto_audit_counts wild = {700, 1000, 300, 1000};
    const sotto_audit_counts tame = {520, 1000, 490, 1000};
    assert_true(verdict_of(plan_of(sampled(0.01, 1.0, 100)), &wild, 1e-6).refuted);
    assert_false(verdict_of(plan_of(sampled(0.01, 1.0, 100)), &tame, 1e-6).refuted);
    /* A curve as it is, and refusals. */
    sotto_error error;
    sotto_curve *curve = NULL;
    sotto_audit_verdict verdict;
    sotto_plan *plan = plan_of(pure(1.0, 1));
    assert_ok(sotto_curve_new(plan, SOTTO_EXACT, 0.0, 2, &curve, &error), &error);
    assert_ok(sotto_audit_against_curve(&wild, 0.05, curve, NULL, &verdict, &error),
              &error);
    assert_false(verdict.refuted); /* log(7/3) < 1 */
    const sotto_audit_counts wilder = {900, 1000, 100, 1000};
    assert_ok(sotto_audit_against_curve(&wilder, 0.05, curve, NULL, &verdict, &error),
              &error);
    assert_true(verdict.refuted);
    assert_refused(sotto_audit_against_curve(&wild, 1.0, curve, NULL, &verdict, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "alpha", NULL);
    sotto_curve_free(curve);
    sotto_plan_free(plan);
}

/* ---- one run ---- */

static void one_run_probabilities_are_the_vectors(void **state)
{
    (void)state;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "one_run", "p_values", 8), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        const double p = sotto_audit_one_run_probability(
            (uint64_t)pate_number(it, "m"), (uint64_t)pate_number(it, "r"),
            (uint64_t)pate_number(it, "v"), pate_number(it, "eps"),
            pate_number(it, "delta"));
        assert_vector(p, pate_number(it, "p"));
        assert_true(p >= pate_number(it, "p"));
    }
    const json_t *bounds = pate_cases(all, "one_run", "eps_lower", 10);
    json_array_foreach(bounds, index, it)
    {
        const double value = pate_number(it, "eps");
        const double epsilon = sotto_audit_one_run_epsilon(
            (uint64_t)pate_number(it, "m"), (uint64_t)pate_number(it, "r"),
            (uint64_t)pate_number(it, "v"), pate_number(it, "delta"),
            pate_number(it, "beta"));
        assert_within(epsilon, value - 1e-7, value + 1e-12);
    }
    json_decref(all);
}

/* The maximum over i by brute force, in long double. */
static void the_largest_mean_is_found(void **state)
{
    (void)state;
    const uint64_t numbers[][2] = {{20, 20},   {20, 11},   {57, 40},    {57, 1},
                                   {300, 290}, {300, 100}, {1600, 1600}};
    const double epsilons[] = {0.0, 0.4, 2.0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (size_t e = 0; e < 3; e++) {
            const int r = (int)numbers[i][0], v = (int)numbers[i][1];
            const long double p = 1.0L / (1.0L + expl(-(long double)epsilons[e]));
            long double sum = 0.0L, most = 0.0L;
            for (int j = v - 1; j >= 0; j--) {
                sum += expl(lgammal((long double)r + 1) - lgammal((long double)j + 1) -
                            lgammal((long double)(r - j) + 1) + (long double)j * logl(p) +
                            (long double)(r - j) * log1pl(-p));
                most = fmaxl(most, sum / (long double)(v - j));
            }
            const double tail = (double)tail_of(r, p, v);
            const double exact = tail + 2.0 * 2000.0 * 1e-6 * (double)most;
            const double got = sotto_audit_one_run_probability(
                2000, (uint64_t)r, (uint64_t)v, epsilons[e], 1e-6);
            assert_within(got, fmin(1.0, exact) * (1.0 - 1e-11),
                          exact * (1.0 + 1e-9) + 1e-290);
        }
    }
}

static void one_run_bounds_stay_in_range(void **state)
{
    (void)state;
    assert_true(isnan(sotto_audit_one_run_probability(10, 11, 3, 1.0, 0.0)));
    assert_true(isnan(sotto_audit_one_run_probability(10, 5, 6, 1.0, 0.0)));
    assert_true(isnan(sotto_audit_one_run_probability(10, 5, 3, -1.0, 0.0)));
    assert_true(isnan(sotto_audit_one_run_probability(10, 0, 0, 1.0, 0.0)));
    assert_true(isnan(sotto_audit_one_run_epsilon(10, 5, 3, 0.0, 0.0)));
    assert_true(sotto_audit_one_run_probability(10, 5, 0, 1.0, 0.1) == 1.0);
    assert_true(sotto_audit_one_run_epsilon(1000, 1000, 0, 0.0, 0.05) == 0.0);
    /* Far beyond the range of doubles: a hundred thousand right guesses, a mean that is not small. */
    const double p = sotto_audit_one_run_probability(100000, 100000, 100000, 0.0, 1e-5);
    assert_within(p, 2.0 / 51000.0, 2.0 / 49000.0);
    assert_within(sotto_audit_one_run_epsilon(100000, 100000, 100000, 1e-5, 0.05), 8.0,
                  8.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_the_vectors_and_outward),
        cmocka_unit_test(limits_keep_their_level_for_every_probability),
        cmocka_unit_test(bounds_from_counts_are_the_vectors),
        cmocka_unit_test(bad_counts_are_refused),
        cmocka_unit_test(gaussian_claims_fall_where_their_mu_does),
        cmocka_unit_test(sampled_claims_are_tested_by_their_own_curve),
        cmocka_unit_test(one_run_probabilities_are_the_vectors),
        cmocka_unit_test(the_largest_mean_is_found),
        cmocka_unit_test(one_run_bounds_stay_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
