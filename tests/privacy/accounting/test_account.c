/* Epsilon, delta and Renyi divergence of a plan: what they must be whatever computes them. */
#include "privacy/accounting/plans.h"

/* ---- refusals ---- */

static void questions_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account account;
    double rdp;
    sotto_plan *plan = plan_of(gaussian(1.5, 2));
    const double bad_deltas[] = {1.0, 1.5, -1e-9, NAN, HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < sizeof bad_deltas / sizeof bad_deltas[0]; i++) {
        char is[32];
        (void)snprintf(is, sizeof is, "`delta` is %g;", bad_deltas[i]);
        assert_refused(
            sotto_account_epsilon(plan, SOTTO_EXACT, bad_deltas[i], &account, &error),
            SOTTO_INVALID_ARGUMENT, &error, is, "below 1", "1e-6", NULL);
    }
    const double bad_epsilons[] = {-0.5, NAN, HUGE_VAL, 2e9};
    for (size_t i = 0; i < sizeof bad_epsilons / sizeof bad_epsilons[0]; i++) {
        char is[32];
        (void)snprintf(is, sizeof is, "`epsilon` is %g;", bad_epsilons[i]);
        assert_refused(
            sotto_account_delta(plan, SOTTO_EXACT, bad_epsilons[i], &account, &error),
            SOTTO_INVALID_ARGUMENT, &error, is, "0 to 1e9", NULL);
    }
    const double bad_orders[] = {1.0, 0.5, -2.0, NAN, HUGE_VAL};
    for (size_t i = 0; i < sizeof bad_orders / sizeof bad_orders[0]; i++) {
        char is[32];
        (void)snprintf(is, sizeof is, "`order` is %g;", bad_orders[i]);
        assert_refused(sotto_account_rdp(plan, bad_orders[i], &rdp, &error),
                       SOTTO_INVALID_ARGUMENT, &error, is, "above 1", NULL);
    }
    assert_refused(
        sotto_account_epsilon(plan, (sotto_accountant)77, 1e-6, &account, &error),
        SOTTO_INVALID_ARGUMENT, &error, "accountant is 77", "SOTTO_EXACT", NULL);
    sotto_plan_free(plan);
}

static void empty_and_open_plans_have_no_price(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account account;
    double rdp;
    sotto_plan *plan;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_refused(sotto_account_epsilon(plan, SOTTO_EXACT, 1e-6, &account, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "no events", NULL);
    assert_refused(sotto_account_rdp(plan, 2.0, &rdp, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "no events", NULL);
    sotto_plan_free(plan);
    plan = plan_of(pure(0.1, 1), gaussian(SOTTO_UNSET, 3));
    for (int accountant = SOTTO_EXACT; accountant <= SOTTO_BASIC; accountant++) {
        assert_refused(sotto_account_epsilon(plan, (sotto_accountant)accountant, 1e-6,
                                             &account, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "event 2", "noise_multiplier",
                       "sotto account noise", NULL);
    }
    assert_refused(sotto_account_rdp(plan, 2.0, &rdp, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "noise_multiplier", NULL);
    sotto_plan_free(plan);
    plan = plan_of(gaussian(2.0, 0));
    assert_refused(sotto_account_delta(plan, SOTTO_EXACT, 1.0, &account, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "event 1", "count",
                   "sotto account steps", NULL);
    sotto_plan_free(plan);
}

static void a_delta_that_is_used_up_has_no_epsilon(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account account;
    sotto_plan *plan = plan_of(approximate(0.25, 1e-6, 3));
    for (int accountant = SOTTO_EXACT; accountant <= SOTTO_BASIC; accountant++) {
        assert_refused(sotto_account_epsilon(plan, (sotto_accountant)accountant, 1e-6,
                                             &account, &error),
                       SOTTO_UNREACHABLE, &error, "1e-06", "3e-06", "larger delta", NULL);
    }
    double rdp;
    assert_refused(sotto_account_rdp(plan, 2.0, &rdp, &error), SOTTO_UNSUPPORTED, &error,
                   "approximate", "infinite", NULL);
    sotto_plan_free(plan);
    plan = plan_of(pure(0.25, 1), gaussian(3.0, 1));
    for (int accountant = SOTTO_EXACT; accountant <= SOTTO_BASIC; accountant++) {
        assert_refused(sotto_account_epsilon(plan, (sotto_accountant)accountant, 0.0,
                                             &account, &error),
                       SOTTO_UNREACHABLE, &error, "delta", NULL);
    }
    sotto_plan_free(plan);
}

/* ---- identities ---- */

static void pure_events_at_delta_zero_cost_their_sum(void **state)
{
    (void)state;
    const sotto_account exact =
        epsilon_of(plan_of(pure(0.25, 3), pure(0.5, 2)), SOTTO_EXACT, 0.0);
    assert_true(exact.epsilon == 1.75 && exact.epsilon_lower == 1.75);
    assert_int_equal(exact.kernel, SOTTO_KERNEL_CLOSED_FORM);
    assert_true(
        epsilon_of(plan_of(pure(0.25, 3), pure(0.5, 2)), SOTTO_BASIC, 0.0).epsilon ==
        1.75);
    /* and above the sum there is no delta at all, below it there is */
    assert_true(delta_of(plan_of(pure(0.25, 3)), SOTTO_EXACT, 0.75).delta == 0.0);
    assert_true(delta_of(plan_of(pure(0.25, 3)), SOTTO_EXACT, 0.7499).delta > 0.0);
    /* also where the probability underflows: 20000 coins all heads */
    assert_true(delta_of(plan_of(pure(0.001, 19999)), SOTTO_EXACT, 19.99).delta > 0.0);
}

static void one_approximate_event_is_what_it_says(void **state)
{
    (void)state;
    const sotto_account account =
        epsilon_of(plan_of(approximate(0.3, 1e-6, 1)), SOTTO_EXACT, 1e-6);
    assert_true(account.epsilon == 0.3);
    assert_true(delta_of(plan_of(approximate(0.3, 1e-6, 1)), SOTTO_EXACT, 0.3).delta ==
                1e-6);
    /* delta 0 makes it pure */
    assert_true(epsilon_of(plan_of(approximate(0.3, 0.0, 2)), SOTTO_EXACT, 0.0).epsilon ==
                0.6);
    double rdp;
    sotto_error error;
    sotto_plan *plan = plan_of(approximate(0.3, 0.0, 2));
    assert_ok(sotto_account_rdp(plan, 3.0, &rdp, &error), &error);
    assert_within(rdp, 0.0, 0.6);
    sotto_plan_free(plan);
}

/* The failure of k (epsilon, delta) events is 1 - (1 - delta)^k, and the rest is the pure part. */
static void approximate_events_use_up_delta(void **state)
{
    (void)state;
    const double failed = -expm1(4.0 * log1p(-1e-7));
    const double left = (1e-5 - failed) / (1.0 - failed);
    const double expected =
        epsilon_of(plan_of(pure(0.3, 4), gaussian(2.0, 3)), SOTTO_EXACT, left).epsilon;
    const sotto_account account = epsilon_of(
        plan_of(approximate(0.3, 1e-7, 4), gaussian(2.0, 3)), SOTTO_EXACT, 1e-5);
    assert_relative(account.epsilon, expected, 1e-9);
}

static void gdp_is_a_gaussian_with_one_over_mu(void **state)
{
    (void)state;
    const double from_mu =
        epsilon_of(plan_of(gdp(0.25, 7), sampled(0.01, 1.1, 500)), SOTTO_EXACT, 1e-5)
            .epsilon;
    const double from_sigma =
        epsilon_of(plan_of(gaussian(4.0, 7), sampled(0.01, 1.1, 500)), SOTTO_EXACT, 1e-5)
            .epsilon;
    assert_relative(from_mu, from_sigma, 1e-12);
    assert_relative(epsilon_of(plan_of(gdp(0.25, 7)), SOTTO_EXACT, 1e-5).epsilon,
                    epsilon_of(plan_of(gaussian(4.0, 7)), SOTTO_EXACT, 1e-5).epsilon,
                    1e-13);
}

static void rate_one_is_not_sampled(void **state)
{
    (void)state;
    for (int accountant = SOTTO_EXACT; accountant <= SOTTO_BASIC; accountant++) {
        const sotto_accountant which = (sotto_accountant)accountant;
        assert_relative(epsilon_of(plan_of(sampled(1.0, 2.375, 9)), which, 1e-6).epsilon,
                        epsilon_of(plan_of(gaussian(2.375, 9)), which, 1e-6).epsilon,
                        1e-13);
    }
    /* and a rate just below one is just below it */
    const double whole =
        epsilon_of(plan_of(gaussian(2.375, 9)), SOTTO_EXACT, 1e-6).epsilon;
    assert_within(
        epsilon_of(plan_of(sampled(1.0 - 1e-9, 2.375, 9)), SOTTO_EXACT, 1e-6).epsilon,
        whole * (1.0 - 1e-6), whole * (1.0 + 1e-9));
}

static void equal_events_merge_and_order_does_not_matter(void **state)
{
    (void)state;
    const sotto_event a = sampled(0.02, 1.3, 200), b = pure(0.05, 4), c = gdp(0.3, 1),
                      d = sampled(0.005, 0.8, 300), e = approximate(0.02, 1e-9, 3);
    const double first = epsilon_of(plan_of(a, b, c, d, e), SOTTO_EXACT, 1e-6).epsilon;
    assert_relative(epsilon_of(plan_of(e, d, c, b, a), SOTTO_EXACT, 1e-6).epsilon, first,
                    1e-12);
    assert_relative(epsilon_of(plan_of(c, a, e, b, d), SOTTO_EXACT, 1e-6).epsilon, first,
                    1e-12);
    const sotto_event half = sampled(0.02, 1.3, 100);
    assert_relative(
        epsilon_of(plan_of(half, b, c, half, d, e), SOTTO_EXACT, 1e-6).epsilon, first,
        1e-12);
    assert_relative(
        epsilon_of(plan_of(pure(0.05, 1), a, pure(0.05, 3), c, d, e), SOTTO_EXACT, 1e-6)
            .epsilon,
        first, 1e-12);
}

static void zcdp_falls_to_renyi(void **state)
{
    (void)state;
    const sotto_account exact =
        epsilon_of(plan_of(zcdp(0.01, 5), gaussian(3.0, 1)), SOTTO_EXACT, 1e-6);
    const sotto_account rdp =
        epsilon_of(plan_of(zcdp(0.01, 5), gaussian(3.0, 1)), SOTTO_RDP, 1e-6);
    assert_int_equal(exact.kernel, SOTTO_KERNEL_RDP);
    assert_int_equal(exact.accountant, SOTTO_EXACT);
    assert_true(exact.epsilon == rdp.epsilon && exact.order == rdp.order);
    assert_true(exact.order > 1.0);
    /* A Gaussian is rho-zCDP with rho = 1/(2 sigma^2), and Renyi's bound is the same. */
    assert_relative(epsilon_of(plan_of(zcdp(1.0 / 18.0, 1)), SOTTO_RDP, 1e-6).epsilon,
                    epsilon_of(plan_of(gaussian(3.0, 1)), SOTTO_RDP, 1e-6).epsilon, 1e-9);
}

/* ---- order among the answers ---- */

static void epsilon_moves_the_right_way(void **state)
{
    (void)state;
    double last = HUGE_VAL;
    for (double sigma = 0.6; sigma < 12.0; sigma *= 1.5) {
        const double epsilon =
            epsilon_of(plan_of(sampled(0.01, sigma, 1000)), SOTTO_EXACT, 1e-5).epsilon;
        assert_true(epsilon < last);
        last = epsilon;
    }
    last = 0.0;
    for (double rate = 1e-3; rate <= 1.0; rate *= 2.15) {
        const double epsilon =
            epsilon_of(plan_of(sampled(rate, 2.0, 1000)), SOTTO_EXACT, 1e-5).epsilon;
        assert_true(epsilon > last);
        last = epsilon;
    }
    last = 0.0;
    for (uint64_t count = 50; count < 5000000; count = 7 * count / 2) {
        const double epsilon =
            epsilon_of(plan_of(sampled(0.01, 2.0, count)), SOTTO_EXACT, 1e-5).epsilon;
        assert_true(epsilon > last);
        last = epsilon;
    }
    last = HUGE_VAL;
    for (double delta = 1e-12; delta < 0.5; delta *= 30.0) {
        const double epsilon =
            epsilon_of(plan_of(sampled(0.01, 2.0, 1000)), SOTTO_EXACT, delta).epsilon;
        assert_true(epsilon < last);
        last = epsilon;
    }
}

/* exact <= rdp <= basic for these, and the lower ends below the upper ones. */
static void the_accountants_keep_their_order(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        const sotto_event events[] = {sampled(0.004 * (i + 1), 1.0 + 0.3 * i, 3000),
                                      pure(0.01 * (i + 1), 5), gdp(0.1, 1)};
        const double delta = pow(10.0, -2.0 - i);
        const sotto_account exact = epsilon_of(plans_make(events, 3), SOTTO_EXACT, delta);
        const sotto_account rdp = epsilon_of(plans_make(events, 3), SOTTO_RDP, delta);
        const sotto_account basic = epsilon_of(plans_make(events, 3), SOTTO_BASIC, delta);
        assert_true(exact.epsilon_lower <= exact.epsilon);
        assert_true(exact.epsilon < rdp.epsilon && rdp.epsilon < basic.epsilon);
        assert_true(isnan(rdp.epsilon_lower) && isnan(basic.epsilon_lower));
        assert_true(isnan(exact.order) && rdp.order > 1.0);
        assert_int_equal(rdp.kernel, SOTTO_KERNEL_RDP);
        assert_int_equal(basic.kernel, SOTTO_KERNEL_BASIC);
        assert_int_equal(basic.adjacency, SOTTO_ADD_REMOVE);
    }
}

/* The classical conversion rdp(a) + log(1/delta)/(a - 1) (Mironov 2017, Prop. 3) is larger. */
static void renyi_beats_its_classical_conversion(void **state)
{
    (void)state;
    sotto_error error;
    const double delta = 1e-5;
    const sotto_account best =
        epsilon_of(plan_of(sampled(0.01, 1.1, 2000)), SOTTO_RDP, delta);
    sotto_plan *plan = plan_of(sampled(0.01, 1.1, 2000));
    for (double order = 1.5; order < 64.0; order *= 1.25) {
        double rdp;
        assert_ok(sotto_account_rdp(plan, order, &rdp, &error), &error);
        const double classical = rdp - log(delta) / (order - 1.0);
        const double improved =
            rdp + log1p(-1.0 / order) - (log(delta) + log(order)) / (order - 1.0);
        assert_true(improved < classical);
        assert_true(best.epsilon <= improved * (1.0 + 1e-9));
    }
    sotto_plan_free(plan);
}

static void renyi_divergences_add_and_increase_with_the_order(void **state)
{
    (void)state;
    sotto_error error;
    double last = 0.0, one, many;
    sotto_plan *plan = plan_of(sampled(0.03, 0.9, 1));
    sotto_plan *repeated = plan_of(sampled(0.03, 0.9, 250));
    const double orders[] = {1.0 + 1e-12, 1.0001, 1.25,  2.0,   2.5,
                             17.0,        64.5,   900.0, 4096.0};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        assert_ok(sotto_account_rdp(plan, orders[i], &one, &error), &error);
        assert_ok(sotto_account_rdp(repeated, orders[i], &many, &error), &error);
        assert_true(isfinite(one) && one >= last);
        assert_relative(many, 250.0 * one, 1e-9);
        last = one;
    }
    sotto_plan_free(plan);
    sotto_plan_free(repeated);
    plan = plan_of(gaussian(2.0, 3));
    assert_ok(sotto_account_rdp(plan, 7.5, &one, &error), &error);
    assert_within(one, 3.0 * 7.5 / 8.0, 3.0 * 7.5 / 8.0 * (1.0 + 1e-13));
    sotto_plan_free(plan);
    plan = plan_of(pure(0.5, 1)); /* at most epsilon, at any order */
    assert_ok(sotto_account_rdp(plan, 1e200, &one, &error), &error);
    assert_within(one, 0.5, 0.5 * (1.0 + 1e-12));
    sotto_plan_free(plan);
}

static void an_order_of_a_billion_is_answered_at_once(void **state)
{
    (void)state;
    sotto_error error;
    double rdp;
    sotto_plan *plan = plan_of(sampled(0.01, 1e7, 1));
    assert_ok(sotto_account_rdp(plan, 1e9, &rdp, &error), &error);
    /* a q^2/(2 sigma^2) for small losses, and never above a/(2 sigma^2) */
    assert_within(rdp, 0.99 * 1e9 * 1e-4 / 2e14, 1e9 / 2e14);
    sotto_plan_free(plan);
}

/* ---- epsilon and delta are each other's inverse ---- */

static void epsilon_and_delta_are_inverse(void **state)
{
    (void)state;
    const sotto_event events[][2] = {
        {sampled(0.01, 1.0, 10000), pure(0.0, 1)},
        {sampled(0.004, 1.3, 3000), pure(0.07, 6)},
        {sampled(0.2, 3.0, 150), gdp(0.4, 1)},
        {gaussian(1.7, 4), pure(0.2, 3)},
        {sampled(0.001, 0.7, 20000), approximate(0.01, 1e-8, 2)},
        {sampled(0.01, 1e5, 10000), pure(0.0, 1)},
    };
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        for (double delta = 1e-9; delta < 0.05; delta *= 300.0) {
            const double target = delta + 4e-8;
            const sotto_account there =
                epsilon_of(plans_make(events[i], 2), SOTTO_EXACT, target);
            if (there.epsilon == 0.0) continue;
            const sotto_account back =
                delta_of(plans_make(events[i], 2), SOTTO_EXACT, there.epsilon);
            assert_within(back.delta, target * (1.0 - 1e-6), target * (1.0 + 1e-6));
            assert_true(back.delta_lower <= target &&
                        there.epsilon_lower <= there.epsilon);
            assert_true(there.epsilon <= there.epsilon_lower * (1.0 + 1e-6));
        }
    }
}

/* One ulp around delta(0), where epsilon stops being 0: the search must end. */
static void the_search_ends_one_ulp_below_delta_of_zero(void **state)
{
    (void)state;
    const double at_zero = delta_of(plan_of(gaussian(1000.0, 1)), SOTTO_EXACT, 0.0).delta;
    double delta = at_zero;
    for (int i = 0; i < 8; i++) {
        const double epsilon =
            epsilon_of(plan_of(gaussian(1000.0, 1)), SOTTO_EXACT, delta).epsilon;
        assert_within(epsilon, 0.0, 1e-12);
        delta = nextafter(delta, 0.0);
    }
    /* and on a profile that is flat to 1e-13: one sampled step at a tiny noise */
    (void)epsilon_of(plan_of(sampled(1e-6, 0.05, 1)), SOTTO_EXACT, 1e-6);
}

/* ---- the far ends ---- */

static void extreme_plans_have_finite_answers(void **state)
{
    (void)state;
    /* beyond e^709 */
    sotto_account account =
        epsilon_of(plan_of(sampled(0.01, 0.02, 1)), SOTTO_EXACT, 1e-6);
    assert_within(account.epsilon, 1400.0, 1450.0);
    assert_true(account.epsilon <= account.epsilon_lower * (1.0 + 1e-9));
    /* below the smallest delta that a contour can certify */
    account = epsilon_of(plan_of(sampled(0.01, 1.0, 1000)), SOTTO_EXACT, 1e-310);
    assert_within(account.epsilon, 50.0, 100.0);
    /* tiny losses: delta(0) of a sampled Gaussian is about q sqrt(T)/(sigma sqrt(2 pi)) */
    account = delta_of(plan_of(sampled(0.01, 1e9, 10000)), SOTTO_EXACT, 0.0);
    assert_relative(account.delta, 1e-9 / sqrt(2.0 * acos(-1.0)), 1e-6);
    assert_relative(account.delta, account.delta_lower, 1e-6);
    /* the most of everything */
    account = epsilon_of(plan_of(pure(1e6, SOTTO_COUNT_MAX)), SOTTO_EXACT, 1e-6);
    assert_within(account.epsilon, 1e17, 1e18);
    account = epsilon_of(plan_of(gaussian(1e12, SOTTO_COUNT_MAX)), SOTTO_EXACT, 1e-9);
    assert_within(account.epsilon, 1e-7, 1e-4);
    account = epsilon_of(plan_of(sampled(1e-12, 1e-4, 1)), SOTTO_EXACT, 1e-6);
    assert_true(account.epsilon == 0.0);
    account = epsilon_of(plan_of(pure(0.0, 5), gdp(0.0, 3)), SOTTO_EXACT, 0.0);
    assert_true(account.epsilon == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_out_of_range_are_refused),
        cmocka_unit_test(empty_and_open_plans_have_no_price),
        cmocka_unit_test(a_delta_that_is_used_up_has_no_epsilon),
        cmocka_unit_test(pure_events_at_delta_zero_cost_their_sum),
        cmocka_unit_test(one_approximate_event_is_what_it_says),
        cmocka_unit_test(approximate_events_use_up_delta),
        cmocka_unit_test(gdp_is_a_gaussian_with_one_over_mu),
        cmocka_unit_test(rate_one_is_not_sampled),
        cmocka_unit_test(equal_events_merge_and_order_does_not_matter),
        cmocka_unit_test(zcdp_falls_to_renyi),
        cmocka_unit_test(epsilon_moves_the_right_way),
        cmocka_unit_test(the_accountants_keep_their_order),
        cmocka_unit_test(renyi_beats_its_classical_conversion),
        cmocka_unit_test(renyi_divergences_add_and_increase_with_the_order),
        cmocka_unit_test(an_order_of_a_billion_is_answered_at_once),
        cmocka_unit_test(epsilon_and_delta_are_inverse),
        cmocka_unit_test(the_search_ends_one_ulp_below_delta_of_zero),
        cmocka_unit_test(extreme_plans_have_finite_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
