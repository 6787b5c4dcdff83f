/* One run against trade-off curves: the recursion against its proof's other form, against laws that are known, and its level. */
#include <math.h>

#include <sotto/audit_statistics.h>

#include "numeric/special.h"
#include "random/rng.h"
#include "support.h"

/* ---- the recursion ---- */

/* r = sum of l p_l / m and h = sum of (c - l) p_l / m over the l from the level on: the form in which it was published. The claim is
 * that of mu-GDP. Returns r + h, in units of c/m: the probability that is needed. */
static double needed(uint64_t m, uint64_t c, uint64_t v, double tail, double mu)
{
    long double r = (long double)(tail * (double)v) / (long double)m;
    long double h = (long double)(tail * (double)(c - v)) / (long double)m;
    for (uint64_t i = v; i-- > 0;) {
        const double y = (double)r;
        if (y >= 1.0) return 2.0;
        const long double least = (long double)sot_ndtr(sot_normal_quantile(y) - mu);
        if (least <= h) continue;
        r += (long double)i / (long double)(c - i) * (least - h);
        h = least;
    }
    return (double)((r + h) * (long double)m / (long double)c);
}

static const uint64_t cases[][3] = {{100, 100, 75},   {100, 40, 38},     {300, 300, 190},
                                    {1000, 125, 108}, {1000, 250, 241},  {40, 8, 8},
                                    {500, 16, 15},    {10000, 312, 292}, {64, 64, 64}};
enum { CASES = sizeof cases / sizeof cases[0] };

static void the_probability_is_where_all_is_needed(void **state)
{
    (void)state;
    const double mus[] = {0.0, 0.3, 1.0, 2.5};
    for (size_t i = 0; i < CASES; i++) {
        for (size_t k = 0; k < 4; k++) {
            const uint64_t m = cases[i][0], r = cases[i][1], v = cases[i][2];
            const double p = sotto_audit_one_run_probability_mu(m, r, v, mus[k]);
            assert_within(p, 1e-300, 1.0);
            if (p < 1.0) assert_true(needed(m, r, v, p * (1.0 + 1e-6), mus[k]) > 1.0);
            assert_true(needed(m, r, v, p * (1.0 - 1e-6), mus[k]) <= 1.0 + 1e-9);
        }
    }
}

static double binomial_tail(uint64_t n, double p, uint64_t k)
{
    double sum = 0.0;
    for (uint64_t j = k; j <= n; j++)
        sum += exp(sot_log_binomial((double)n, (double)j) + (double)j * log(p) +
                   (double)(n - j) * log1p(-p));
    return sum;
}

/* Every canary under noise of its own: all of them guessed by their signs are right with probability Phi(mu/2) each, independently.
 * That is mu-GDP, so that the bound is no less. */
static void independent_canaries_stay_below(void **state)
{
    (void)state;
    const double mus[] = {0.2, 0.7, 1.5};
    for (size_t k = 0; k < 3; k++) {
        const double p = sot_ndtr(0.5 * mus[k]);
        for (uint64_t n = 16; n <= 1024; n *= 4) {
            for (double z = 1.0; z <= 4.0; z += 1.0) {
                const uint64_t v = (uint64_t)fmin(
                    (double)n, ceil((double)n * p + z * sqrt((double)n * p * (1.0 - p))));
                const double exact = binomial_tail(n, p, v);
                const double bound = sotto_audit_one_run_probability_mu(n, n, v, mus[k]);
                assert_within(bound, exact * (1.0 - 1e-9), 1.0);
            }
        }
    }
}

/* ---- curves ---- */

static sotto_curve *curve_of(sotto_mechanism mechanism, double number)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_curve *curve = NULL;
    sotto_event event = sotto_event_defaults();
    event.mechanism = mechanism;
    event.count = 1;
    if (mechanism == SOTTO_GDP) event.mu = number;
    if (mechanism == SOTTO_PURE) event.epsilon = number;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    assert_ok(sotto_curve_new(plan, SOTTO_EXACT, mechanism == SOTTO_GDP ? 1e-9 : 0.0, 64,
                              &curve, &error),
              &error);
    sotto_plan_free(plan);
    return curve;
}

/* A curve of finitely many pairs says less than mu, and nearly as much. */
static void a_gaussian_plan_is_nearly_its_mu(void **state)
{
    (void)state;
    sotto_curve *curve = curve_of(SOTTO_GDP, 0.7);
    for (size_t i = 0; i < CASES; i++) {
        const uint64_t m = cases[i][0], r = cases[i][1], v = cases[i][2];
        const double by_mu = sotto_audit_one_run_probability_mu(m, r, v, 0.7);
        const double by_curve = sotto_audit_one_run_probability_curve(m, r, v, curve);
        assert_within(by_curve, by_mu * (1.0 - 1e-9), fmin(1.0, 1.3 * by_mu + 1e-12));
    }
    sotto_curve_free(curve);
}

/* Under a pure claim the binomial tail is exact, and this is a little more; 1 - y has no more than 16 digits. */
static void a_pure_claim_gets_no_less_than_the_binomial_tail(void **state)
{
    (void)state;
    sotto_curve *curve = curve_of(SOTTO_PURE, 0.8);
    for (size_t i = 0; i < CASES; i++) {
        const uint64_t m = cases[i][0], r = cases[i][1], v = cases[i][2];
        const double exact = sotto_audit_one_run_probability(m, r, v, 0.8, 0.0);
        const double by_curve = sotto_audit_one_run_probability_curve(m, r, v, curve);
        assert_within(by_curve, exact * (1.0 - 1e-9), fmin(1.0, 2.0 * exact + 1e-12));
    }
    sotto_curve_free(curve);
}

/* ---- the largest mu ---- */

static void the_bound_is_refuted_and_a_little_more_is_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const uint64_t m = cases[i][0], r = cases[i][1], v = cases[i][2];
        const double mu = sotto_audit_one_run_mu(m, r, v, 0.05);
        assert_within(mu, 0.01, 4.0);
        assert_true(sotto_audit_one_run_probability_mu(m, r, v, mu) <= 0.05);
        assert_true(sotto_audit_one_run_probability_mu(m, r, v, mu * (1.0 + 1e-5)) >
                    0.05 * (1.0 - 1e-3));
    }
    assert_true(sotto_audit_one_run_mu(1000, 1000, 500, 0.05) == 0.0);
    assert_true(sotto_audit_one_run_mu(1000, 1000, 0, 0.05) == 0.0);
    assert_true(isnan(sotto_audit_one_run_mu(10, 11, 3, 0.05)));
    assert_true(isnan(sotto_audit_one_run_mu(10, 5, 3, 1.0)));
    assert_true(isnan(sotto_audit_one_run_probability_mu(10, 5, 3, -1.0)));
    assert_true(isnan(sotto_audit_one_run_probability_mu(10, 5, 3, NAN)));
    assert_true(sotto_audit_one_run_probability_mu(10, 5, 0, 0.5) == 1.0);
}

/* ---- the level ---- */

enum { CANARIES = 128, STUDIES = 100 };

/* Canaries that are each mu away where they are in, under noise of deviation 1: mu-GDP, exactly. A claim of that mu is refuted no
 * more often than alpha says: 100 studies at 5 %, more than 18 of them with a chance of 1e-6. And a good part of mu is seen. */
static void a_true_mu_is_refuted_no_more_often_than_stated(void **state)
{
    (void)state;
    const double mus[] = {0.5, 1.5};
    sotto_error error;
    sotto_rng *rng = NULL;
    assert_ok(sotto_rng_new_for_test(77, &rng, &error), &error);
    for (size_t k = 0; k < 2; k++) {
        for (int choice = SOTTO_ONE_RUN_FIXED; choice <= SOTTO_ONE_RUN_UNION; choice++) {
            double alarms = 0.0, seen = 0.0;
            for (int study = 0; study < STUDIES; study++) {
                double scores[CANARIES];
                bool included[CANARIES];
                sotto_one_run found;
                for (size_t i = 0; i < CANARIES; i++) {
                    included[i] = (sot_rng_u64(rng) & 1) != 0;
                    scores[i] = sot_normal_quantile(
                                    ((double)(sot_rng_u64(rng) >> 11) + 0.5) * 0x1p-53) +
                                (included[i] ? mus[k] : 0.0);
                }
                assert_ok(sotto_audit_one_run(scores, included, CANARIES,
                                              (sotto_one_run_choice)choice,
                                              choice == SOTTO_ONE_RUN_FIXED ? 64 : 0,
                                              1e-5, 0.05, &found, &error),
                          &error);
                alarms += found.mu_lower > mus[k] ? 1.0 : 0.0;
                seen += found.mu_lower / mus[k] / STUDIES;
                assert_true(found.mu_correct <= found.mu_guesses);
            }
            print_message("mu %.1f, choice %d: %.0f alarms, %.2f of it seen\n", mus[k],
                          choice, alarms, seen);
            assert_within(alarms, 0.0, 18.0);
            assert_true(seen > (k == 0 ? 0.02 : 0.2));
        }
    }
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_probability_is_where_all_is_needed),
        cmocka_unit_test(independent_canaries_stay_below),
        cmocka_unit_test(a_gaussian_plan_is_nearly_its_mu),
        cmocka_unit_test(a_pure_claim_gets_no_less_than_the_binomial_tail),
        cmocka_unit_test(the_bound_is_refuted_and_a_little_more_is_not),
        cmocka_unit_test(a_true_mu_is_refuted_no_more_often_than_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
