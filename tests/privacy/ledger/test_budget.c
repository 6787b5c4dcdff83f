/* The arithmetic of budgets and amounts: on the safe side, and close. */
#include "support.h"

#include <float.h>
#include <mpfr.h>

#include <sotto/ledger.h>

#include "privacy/accounting/budget/budget.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/scratch.h"

enum { BITS = 300 };

/* rdp + log(1 - 1/a) - (log delta + log a)/(a - 1) with 300 bits. */
static void exact_epsilon(mpfr_t out, double order, double rdp, double delta)
{
    mpfr_t a, b, t;
    mpfr_inits2(BITS, a, b, t, (mpfr_ptr)NULL);
    mpfr_set_d(a, order, MPFR_RNDN);
    mpfr_sub_ui(t, a, 1, MPFR_RNDN);
    mpfr_div(b, t, a, MPFR_RNDN);
    mpfr_log(out, b, MPFR_RNDN); /* log(1 - 1/a) */
    mpfr_add_d(out, out, rdp, MPFR_RNDN);
    mpfr_log(a, a, MPFR_RNDN);
    mpfr_set_d(b, delta, MPFR_RNDN);
    mpfr_log(b, b, MPFR_RNDN);
    mpfr_add(a, a, b, MPFR_RNDN);
    mpfr_div(a, a, t, MPFR_RNDN);
    mpfr_sub(out, out, a, MPFR_RNDN);
    mpfr_clears(a, b, t, (mpfr_ptr)NULL);
}

static const double orders[] = {1.001, 1.25, 2.0, 3.7, 12.4, 33.3, 257.0, 1e4, 1e6};
static const double epsilons[] = {1e-3, 0.1, 1.0, 2.375, 8.0, 50.0, 1000.0};
static const double deltas[] = {1e-300, 1e-15, 1e-9, 1e-6, 1e-3, 0.4};

static void a_budget_never_allows_more_than_epsilon(void **state)
{
    (void)state;
    mpfr_t epsilon;
    mpfr_init2(epsilon, BITS);
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        for (size_t j = 0; j < sizeof epsilons / sizeof epsilons[0]; j++) {
            for (size_t k = 0; k < sizeof deltas / sizeof deltas[0]; k++) {
                const double budget =
                    sot_budget_rdp_lower(orders[i], epsilons[j], deltas[k]);
                exact_epsilon(epsilon, orders[i], budget, deltas[k]);
                assert_true(mpfr_cmp_d(epsilon, epsilons[j]) <= 0);
                /* and no looser than the rounding of its terms, the largest of which is
                 * the logarithm over order - 1 */
                const double scale =
                    epsilons[j] + (1.0 - log(deltas[k])) / (orders[i] - 1.0);
                assert_true(mpfr_get_d(epsilon, MPFR_RNDD) >=
                            epsilons[j] - 64.0 * DBL_EPSILON * (1.0 + scale));
                if (budget <= 0.0) continue;
                const double upper =
                    sot_budget_epsilon_upper(orders[i], budget, deltas[k]);
                assert_true(mpfr_cmp_d(epsilon, upper) <= 0);
                assert_within(upper, 0.0,
                              epsilons[j] + 64.0 * DBL_EPSILON * (1.0 + scale));
            }
        }
    }
    mpfr_clear(epsilon);
}

static void the_chosen_order_lets_the_most_noise_through(void **state)
{
    (void)state;
    for (size_t j = 1; j < sizeof epsilons / sizeof epsilons[0]; j++) {
        for (size_t k = 1; k < sizeof deltas / sizeof deltas[0] - 1; k++) {
            const double chosen = sot_budget_best_order(epsilons[j], deltas[k]);
            const double share =
                sot_budget_rdp_lower(chosen, epsilons[j], deltas[k]) / chosen;
            assert_true(share > 0.0);
            for (double t = 1e-3; t < 4e5; t *= 1.05) {
                const double other =
                    sot_budget_rdp_lower(1.0 + t, epsilons[j], deltas[k]) / (1.0 + t);
                assert_true(other <= share * 1.001);
            }
        }
    }
}

static void amounts_are_rounded_to_their_safe_side(void **state)
{
    (void)state;
    int64_t up = -1, down = -1;
    const double values[] = {0.0,       DBL_TRUE_MIN, 1e-30,     0.1,    0x1p-40,
                             1.0 / 3.0, 7.0,          1234.5678, 0x1p21, 4e6};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_true(sot_amount_up(values[i], SOT_CHARGE_UNIT, &up));
        assert_true(sot_amount_down(values[i], SOT_CHARGE_UNIT, &down));
        assert_true(up - down <= 1 && down >= 0);
        assert_true(sot_amount_value_down(up, SOT_CHARGE_UNIT) >= values[i]);
        assert_true(sot_amount_value_up(down, SOT_CHARGE_UNIT) <= values[i]);
        assert_true(values[i] == 0.0 || up > 0);
    }
    up = -7;
    const double refused[] = {NAN, -DBL_TRUE_MIN, -1.0, INFINITY, 4194304.0, DBL_MAX};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_false(sot_amount_up(refused[i], SOT_CHARGE_UNIT, &up));
        assert_false(sot_amount_down(refused[i], SOT_CHARGE_UNIT, &up));
    }
    assert_int_equal(up, -7);
    /* beyond 53 bits */
    const int64_t odd = (INT64_C(1) << 60) + 1;
    assert_true(sot_amount_value_up(odd, 0) > 0x1p60);
    assert_true(sot_amount_value_down(odd, 0) == 0x1p60);
}

static void sums_of_amounts_stop_before_they_wrap(void **state)
{
    (void)state;
    int64_t sum = -7;
    assert_true(sot_amount_add(sot_amount_max - 5, 5, &sum) && sum == sot_amount_max);
    assert_false(sot_amount_add(sot_amount_max - 5, 6, &sum));
    assert_false(sot_amount_add(sot_amount_max, sot_amount_max, &sum));
    assert_true(sum == sot_amount_max);
}

/* 1 + e^epsilon, exactly what the proof multiplies a total variation with. */
static void sampler_errors_are_not_undercharged(void **state)
{
    (void)state;
    for (size_t j = 0; j < sizeof epsilons / sizeof epsilons[0]; j++) {
        const double factor = sot_budget_sampler_factor(epsilons[j]);
        if (epsilons[j] > 700.0) {
            assert_true(isinf(factor));
            continue;
        }
        mpfr_t exact;
        mpfr_init2(exact, BITS);
        mpfr_set_d(exact, epsilons[j], MPFR_RNDN);
        mpfr_exp(exact, exact, MPFR_RNDN);
        mpfr_add_ui(exact, exact, 1, MPFR_RNDN);
        assert_true(mpfr_cmp_d(exact, factor) <= 0);
        assert_true(mpfr_cmp_d(exact, factor * (1.0 - 1e-14)) >= 0);
        mpfr_clear(exact);
    }
}

/* The two columns of a plan with (epsilon, delta) events. */
static void approximate_events_go_into_two_columns(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_APPROXIMATE;
    event.epsilon = 0.25;
    event.delta = 1e-7;
    event.count = 3;
    sotto_plan *plan = plan_of(&event);
    sotto_plan *pure = pure_plan(0.25);
    double rdp = 0.0, delta = 0.0, one = 0.0;
    assert_ok(sotto_account_rdp_with_delta(plan, 12.4, &rdp, &delta, &error), &error);
    assert_ok(sotto_account_rdp(pure, 12.4, &one, &error), &error);
    assert_relative(rdp, 3.0 * one, 1e-12);
    const double exact = -expm1(3.0 * log1p(-1e-7));
    assert_within(delta, exact, exact * (1.0 + 1e-14));
    assert_refused(sotto_account_rdp(plan, 12.4, &rdp, &error), SOTTO_UNSUPPORTED, &error,
                   "approximate", NULL);
    assert_refused(sotto_account_rdp_with_delta(plan, 1.0, &rdp, &delta, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "order", NULL);
    sotto_plan_free(plan);
    sotto_plan_free(pure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_never_allows_more_than_epsilon),
        cmocka_unit_test(the_chosen_order_lets_the_most_noise_through),
        cmocka_unit_test(amounts_are_rounded_to_their_safe_side),
        cmocka_unit_test(sums_of_amounts_stop_before_they_wrap),
        cmocka_unit_test(sampler_errors_are_not_undercharged),
        cmocka_unit_test(approximate_events_go_into_two_columns),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
