/* The searches: noise, steps, and the textbook's calibration. */
#include "privacy/accounting/plans.h"

static double noise_for(sotto_plan *plan, sotto_accountant accountant, double epsilon,
                        double delta, sotto_account *out_account)
{
    sotto_error error;
    double noise = NAN;
    assert_ok(sotto_account_noise(plan, accountant, epsilon, delta, &noise, out_account,
                                  &error),
              &error);
    return noise;
}

typedef struct target {
    sotto_event event;
    double epsilon;
    double delta;
} target;

/* The noise meets the target by its own account, and two millionths less do not. */
static void check_noise(const target *asked, sotto_accountant accountant)
{
    sotto_account account;
    sotto_event event = asked->event;
    event.noise_multiplier = SOTTO_UNSET;
    sotto_plan *plan = plan_of(event);
    const double noise =
        noise_for(plan, accountant, asked->epsilon, asked->delta, &account);
    sotto_plan_free(plan);
    assert_within(account.epsilon, 0.0, asked->epsilon);
    assert_true(account.delta == asked->delta);
    assert_int_equal(account.accountant, accountant);
    event.noise_multiplier = noise;
    const sotto_account filled = epsilon_of(plan_of(event), accountant, asked->delta);
    assert_true(filled.epsilon == account.epsilon);
    event.noise_multiplier = noise * (1.0 - 2e-6);
    assert_true(epsilon_of(plan_of(event), accountant, asked->delta).epsilon >
                asked->epsilon);
}

static void noise_is_certified_and_within_a_millionth(void **state)
{
    (void)state;
    const target targets[] = {
        {gaussian(NAN, 1), 1.0, 1e-5},        {gaussian(NAN, 37), 0.03, 1e-9},
        {gaussian(NAN, 1), 350000.0, 1e-6}, /* noise 0.0012, near the least of all */
        {gaussian(NAN, 1), 1e-9, 1e-6},       {sampled(0.004, NAN, 15000), 1.0, 1e-6},
        {sampled(0.02, NAN, 500), 4.0, 1e-5}, {sampled(0.5, NAN, 20), 0.5, 1e-3},
    };
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        check_noise(&targets[i], SOTTO_EXACT);
        check_noise(&targets[i], SOTTO_RDP);
    }
    check_noise(&targets[1], SOTTO_BASIC);
}

/* A tiny target needs more noise than 1e9, and an event may have up to 1e12. */
static void noise_is_found_as_far_as_events_go(void **state)
{
    (void)state;
    sotto_plan *plan = plan_of(gaussian(SOTTO_UNSET, 1));
    sotto_account account;
    double noise;
    sotto_error error;
    assert_ok(
        sotto_account_noise(plan, SOTTO_EXACT, 1e-9, 1e-30, &noise, &account, &error),
        &error);
    assert_within(noise, 1e9, 1e11);
    assert_within(account.epsilon, 0.0, 1e-9);
    sotto_plan_free(plan);
}

static void open_events_share_the_noise_with_closed_ones(void **state)
{
    (void)state;
    sotto_account account;
    sotto_plan *plan =
        plan_of(sampled(0.01, NAN, 1000), pure(0.05, 3), gaussian(NAN, 2), gdp(0.1, 1));
    const double noise = noise_for(plan, SOTTO_EXACT, 2.0, 1e-6, &account);
    sotto_plan_free(plan);
    const sotto_account filled =
        epsilon_of(plan_of(sampled(0.01, noise, 1000), pure(0.05, 3), gaussian(noise, 2),
                           gdp(0.1, 1)),
                   SOTTO_EXACT, 1e-6);
    assert_within(filled.epsilon, 2.0 * (1.0 - 1e-5), 2.0);
    /* RDP needs more noise than the exact accountant */
    plan = plan_of(sampled(0.01, NAN, 1000));
    assert_true(noise_for(plan, SOTTO_RDP, 2.0, 1e-6, &account) >
                noise_for(plan, SOTTO_EXACT, 2.0, 1e-6, &account));
    sotto_plan_free(plan);
}

static void targets_nobody_can_meet_are_unreachable(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account account;
    double noise;
    uint64_t steps;
    sotto_plan *plan = plan_of(gaussian(NAN, 1), pure(1.5, 1));
    assert_refused(
        sotto_account_noise(plan, SOTTO_EXACT, 1.0, 1e-6, &noise, &account, &error),
        SOTTO_UNREACHABLE, &error, "epsilon 1 at delta 1e-06", "other events", NULL);
    sotto_plan_free(plan);
    plan = plan_of(gaussian(NAN, 1), approximate(0.1, 1e-5, 1));
    assert_refused(
        sotto_account_noise(plan, SOTTO_EXACT, 1.0, 1e-6, &noise, &account, &error),
        SOTTO_UNREACHABLE, &error, "cannot be reached", NULL);
    sotto_plan_free(plan);
    plan = plan_of(gaussian(0.5, 0));
    assert_refused(
        sotto_account_steps(plan, SOTTO_EXACT, 1.0, 1e-6, &steps, &account, &error),
        SOTTO_UNREACHABLE, &error, "a single step", "more noise", NULL);
    sotto_plan_free(plan);
}

static void searches_without_an_open_target_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account account;
    double noise;
    uint64_t steps;
    sotto_plan *plan = plan_of(gaussian(2.0, 3));
    assert_refused(
        sotto_account_noise(plan, SOTTO_EXACT, 1.0, 1e-6, &noise, &account, &error),
        SOTTO_INVALID_ARGUMENT, &error, "noise_multiplier", "\"search\"", NULL);
    assert_refused(
        sotto_account_steps(plan, SOTTO_EXACT, 1.0, 1e-6, &steps, &account, &error),
        SOTTO_INVALID_ARGUMENT, &error, "count", "\"search\"", NULL);
    sotto_plan_free(plan);
    /* the other target open: each question names the one it cannot fill */
    plan = plan_of(gaussian(NAN, 0));
    assert_refused(
        sotto_account_noise(plan, SOTTO_EXACT, 1.0, 1e-6, &noise, &account, &error),
        SOTTO_INVALID_ARGUMENT, &error, "event 1", "count", "sotto account steps", NULL);
    assert_refused(
        sotto_account_steps(plan, SOTTO_EXACT, 1.0, 1e-6, &steps, &account, &error),
        SOTTO_INVALID_ARGUMENT, &error, "event 1", "noise_multiplier", NULL);
    sotto_plan_free(plan);
    plan = plan_of(gaussian(NAN, 1));
    const double bad[] = {0.0, -1e-6, 1.0, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(
            sotto_account_noise(plan, SOTTO_EXACT, 1.0, bad[i], &noise, &account, &error),
            SOTTO_INVALID_ARGUMENT, &error, "delta is", "1e-6", NULL);
    }
    assert_refused(
        sotto_account_noise(plan, SOTTO_EXACT, -1.0, 1e-6, &noise, &account, &error),
        SOTTO_INVALID_ARGUMENT, &error, "`epsilon` is -1", NULL);
    assert_refused(sotto_account_noise(plan, (sotto_accountant)0, 1.0, 1e-6, &noise,
                                       &account, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "accountant is 0", NULL);
    sotto_plan_free(plan);
}

static void steps_are_the_most_that_fit(void **state)
{
    (void)state;
    const target targets[] = {
        {gaussian(5.0, 0), 3.0, 1e-5},           {sampled(0.01, 1.5, 0), 2.0, 1e-6},
        {sampled(0.001, 4.0, 0), 0.3, 1e-7},     {pure(0.02, 0), 1.0, 1e-6},
        {approximate(0.01, 1e-8, 0), 1.0, 1e-6}, {gaussian(2.0, 0), 2.5, 1e-5},
    };
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        for (int accountant = SOTTO_EXACT; accountant <= SOTTO_BASIC; accountant++) {
            const sotto_accountant which = (sotto_accountant)accountant;
            sotto_error error;
            sotto_account account;
            uint64_t steps = 0;
            sotto_event event = targets[i].event;
            sotto_plan *plan = plan_of(event);
            const sotto_status status =
                sotto_account_steps(plan, which, targets[i].epsilon, targets[i].delta,
                                    &steps, &account, &error);
            sotto_plan_free(plan);
            if (status == SOTTO_UNREACHABLE) { /* one step is too much for this one */
                event.count = 1;
            } else {
                assert_ok(status, &error);
                assert_within(account.epsilon, 0.0, targets[i].epsilon);
                event.count = steps;
                assert_true(epsilon_of(plan_of(event), which, targets[i].delta).epsilon ==
                            account.epsilon);
                event.count = steps + 1;
            }
            plan = plan_of(event);
            const sotto_status more =
                sotto_account_epsilon(plan, which, targets[i].delta, &account, &error);
            sotto_plan_free(plan);
            assert_true(more == SOTTO_UNREACHABLE ||
                        (more == SOTTO_OK && account.epsilon > targets[i].epsilon));
        }
    }
}

static void steps_never_exceed_what_a_plan_accepts(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account account;
    uint64_t steps = 0;
    sotto_plan *plan = plan_of(pure(0.0, 0));
    assert_ok(sotto_account_steps(plan, SOTTO_EXACT, 1.0, 1e-6, &steps, &account, &error),
              &error);
    assert_true(steps == SOTTO_COUNT_MAX);
    sotto_plan_free(plan);
    plan = plan_of(gaussian(4.7e6, 0)); /* 1e12 of these cost 0.89 */
    assert_ok(sotto_account_steps(plan, SOTTO_EXACT, 1.0, 1e-6, &steps, &account, &error),
              &error);
    assert_true(steps == SOTTO_COUNT_MAX);
    sotto_plan_free(plan);
}

/* A noise that scale and sensitivity already bound cannot be searched beyond them. */
static void the_search_does_not_promise_more_noise_than_there_is(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account account;
    double noise;
    sotto_event event = gaussian(NAN, 1);
    event.scale = 6.0;
    event.sensitivity = 2.0;
    sotto_plan *plan = plan_of(event);
    assert_refused(
        sotto_account_noise(plan, SOTTO_EXACT, 1.0, 1e-6, &noise, &account, &error),
        SOTTO_UNREACHABLE, &error, "cannot be reached", NULL);
    assert_within(noise_for(plan, SOTTO_EXACT, 5.0, 1e-6, &account), 0.5, 3.0);
    sotto_plan_free(plan);
}

static void the_classical_calibration_is_the_textbooks(void **state)
{
    (void)state;
    sotto_error error;
    double noise;
    assert_ok(sotto_gaussian_noise_classical(0.75, 1e-5, &noise, &error), &error);
    const double formula = sqrt(2.0 * log(1.25e5)) / 0.75;
    assert_within(noise, formula, formula * (1.0 + 1e-13));
    sotto_account account;
    for (double epsilon = 0.01; epsilon < 1.0; epsilon *= 2.0) {
        for (double delta = 1e-12; delta < 0.5; delta *= 100.0) {
            sotto_plan *plan = plan_of(gaussian(NAN, 1));
            assert_ok(sotto_gaussian_noise_classical(epsilon, delta, &noise, &error),
                      &error);
            assert_true(noise_for(plan, SOTTO_EXACT, epsilon, delta, &account) < noise);
            sotto_plan_free(plan);
        }
    }
    const double bad[] = {1.0, 1.5, 0.0, -0.5, NAN, HUGE_VAL};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(sotto_gaussian_noise_classical(bad[i], 1e-5, &noise, &error),
                       SOTTO_UNSUPPORTED, &error, "epsilon is", "between 0 and 1",
                       "analytic", NULL);
    }
    assert_refused(sotto_gaussian_noise_classical(0.5, 0.0, &noise, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`delta` is 0", NULL);
    assert_refused(sotto_gaussian_noise_classical(0.5, 1.0, &noise, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`delta` is 1", NULL);
    assert_refused(sotto_gaussian_noise_classical(0.5, NAN, &noise, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "delta is", NULL);
    assert_refused(sotto_gaussian_noise_classical(1e-310, 1e-5, &noise, &error),
                   SOTTO_UNREACHABLE, &error, "`epsilon` is 1e-310", "larger", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_certified_and_within_a_millionth),
        cmocka_unit_test(noise_is_found_as_far_as_events_go),
        cmocka_unit_test(open_events_share_the_noise_with_closed_ones),
        cmocka_unit_test(targets_nobody_can_meet_are_unreachable),
        cmocka_unit_test(searches_without_an_open_target_are_refused),
        cmocka_unit_test(steps_are_the_most_that_fit),
        cmocka_unit_test(steps_never_exceed_what_a_plan_accepts),
        cmocka_unit_test(the_search_does_not_promise_more_noise_than_there_is),
        cmocka_unit_test(the_classical_calibration_is_the_textbooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
