/* Releases on a random sample: brackets beside independent bookkeeping (loss_pair.h), closed forms beside
 * definitions, the order of answers, refusals. */
#include "privacy/accounting/sampled_cases.h"

static void sampled_releases_lie_in_their_brackets(void **state)
{
    (void)state;
    uint64_t seed = 20261118;
    for (int i = 0; i < 12; i++) {
        const sampled_case one = random_case(&seed);
        (void)check_case(&one, cross_between(&seed, 1e-8, 1e-2));
    }
}

/* delta(epsilon) of one release from its outcomes: sum of (p - e^epsilon q)_+. */
static void one_release_has_its_definition(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 200; i++) {
        sampled_case one = random_case(&seed);
        one.event.count = 1;
        if (one.event.mechanism == SOTTO_LAPLACE) continue; /* cells are no outcomes */
        const double most =
            log1p(one.event.rate * expm1(one.base.high[one.base.count - 1]));
        const double epsilon = fmin(most, 5.0) * cross_uniform(&seed);
        double removed = 0.0, added = 0.0;
        for (size_t k = 0; k < one.base.count; k++) {
            const double p = one.base.p[k], q = one.base.q[k];
            const double mixed = (1.0 - one.event.rate) * q + one.event.rate * p;
            removed += fmax(0.0, mixed - exp(epsilon) * q);
            added += fmax(0.0, q - exp(epsilon) * mixed);
        }
        const sotto_account account = delta_of(plan_of(one.event), SOTTO_EXACT, epsilon);
        assert_int_equal(account.kernel, SOTTO_KERNEL_CLOSED_FORM);
        const double truth = fmax(removed, added);
        assert_within(account.delta, truth - 1e-14, truth + 1e-10);
        assert_within(account.delta_lower, truth - 1e-10, truth + 1e-14);
    }
}

/* Laplace noise by connect-the-dots on 2^22 nodes of width 2e-6 (Python, numpy 2.4, from the density of the outcomes):
 * off by some 1e-7 of delta. Both ends of both accountants. */
static void laplace_noise_on_a_sample_has_its_delta(void **state)
{
    (void)state;
    static const struct {
        double rate, noise, epsilon, delta;
        uint64_t count;
    } cases[] = {{0.01, 1.0, 1.1237, 1.00091229e-05, 1000},
                 {0.01, 1.0, 0.9, 0.00015805, 1000},
                 {0.05, 2.0, 2.0, 1.40552579e-07, 300}};
    static const sotto_accountant both[] = {SOTTO_EXACT, SOTTO_PLD};
    for (int i = 0; i < 6; i++) {
        sotto_event event = plans_event(SOTTO_LAPLACE);
        event.noise_multiplier = cases[i / 2].noise;
        event.count = cases[i / 2].count;
        event.sampling = SOTTO_POISSON;
        event.rate = cases[i / 2].rate;
        const double truth = cases[i / 2].delta;
        const sotto_account account =
            delta_of(plan_of(event), both[i % 2], cases[i / 2].epsilon);
        assert_within(account.delta, truth * (1.0 - 1e-6), truth * 1.001);
        assert_within(account.delta_lower, truth * 0.995, truth * (1.0 + 1e-6));
    }
}

static loss_pair spliced_response(double epsilon, double rate, loss_side side)
{
    const double without =
        1.0 / (1.0 + exp(epsilon)); /* of the answer that x makes likelier */
    const double ratio = 1.0 + rate * expm1(epsilon);
    const double p[3] = {without, 1.0 - without * (1.0 + ratio), without * ratio};
    loss_pair pair = loss_pair_new(side, 3);
    for (int i = 0; i < 3; i++) {
        pair.loss[i] = (i - 1) * log(ratio);
        pair.p[i] = p[i];
        pair.q[i] = p[2 - i];
    }
    return pair;
}

/* Batches of fixed size: (1-q)Q + qP against Q where x is likelier, mirrored, and the rest without loss. */
static void a_batch_is_the_spliced_pair(void **state)
{
    (void)state;
    const double epsilon = 0.875, rate = 10.0 / 80.0;
    sotto_event event = pure(epsilon, 40);
    event.sampling = SOTTO_WITHOUT_REPLACEMENT;
    event.population = 80;
    event.batch = 10;
    loss_pair below = loss_repeat(spliced_response(epsilon, rate, LOSS_BELOW), 40, 4000);
    loss_pair above = loss_repeat(spliced_response(epsilon, rate, LOSS_ABOVE), 40, 4000);
    for (double at = 0.25; at < 3.0; at += 0.5) {
        const sotto_account account =
            delta_of(plan_under(SOTTO_REPLACE_ONE, event), SOTTO_EXACT, at);
        assert_within(account.delta, loss_delta(&below, at) * (1.0 - 1e-9),
                      loss_delta(&above, at) * (1.0 + 1e-4) + 1e-12);
    }
    loss_pair_free(&below);
    loss_pair_free(&above);
}

/* A sample costs less than all records, and at most what its amplified epsilon costs. */
static void a_sample_costs_less_than_its_amplified_epsilon(void **state)
{
    (void)state;
    const double rate = 0.02, epsilon = 0.875;
    sotto_event event = pure(epsilon, 900);
    event.sampling = SOTTO_POISSON;
    event.rate = rate;
    const double coins = epsilon_of(plan_of(event), SOTTO_EXACT, 1e-6).epsilon;
    const double amplified = log1p(rate * expm1(epsilon));
    const double former =
        epsilon_of(plan_of(pure(amplified, 900)), SOTTO_EXACT, 1e-6).epsilon;
    assert_true(coins < 0.75 * former);
    event.sampling = SOTTO_WITHOUT_REPLACEMENT;
    event.rate = SOTTO_UNSET;
    event.population = 500;
    event.batch = 10;
    const sotto_account batch =
        epsilon_of(plan_under(SOTTO_REPLACE_ONE, event), SOTTO_EXACT, 1e-6);
    assert_true(batch.epsilon < former && batch.epsilon >= coins * (1.0 - 1e-5));
}

/* A rate next to 1 is next to no sampling. */
static void a_rate_of_one_is_no_sample(void **state)
{
    (void)state;
    const double rates[] = {1.0, 1.0 - 1e-10};
    sotto_event event = plans_event(SOTTO_DISCRETE_GAUSSIAN);
    event.scale = 6.0;
    event.sensitivity = 2.0;
    event.count = 12;
    const double whole = epsilon_of(plan_of(event), SOTTO_EXACT, 1e-6).epsilon;
    event.sampling = SOTTO_POISSON;
    for (int i = 0; i < 2; i++) {
        event.rate = rates[i];
        assert_relative(epsilon_of(plan_of(event), SOTTO_EXACT, 1e-6).epsilon, whole,
                        2e-5);
    }
}

/* Vectors of more than one step have no known pair, and Poisson sampling under replace-one no proof. */
static void samples_without_a_pair_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_plan *plan = plan_of(pure(0.1, 1));
    sotto_event event = plans_event(SOTTO_DISCRETE_GAUSSIAN);
    event.scale = 5.0;
    event.sensitivity = 2.0;
    event.dimension = 3;
    event.sampling = SOTTO_POISSON;
    event.rate = 0.1;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "sampled discrete-gaussian", "one number", NULL);
    event.dimension = 0;
    event.sensitivity = 1.5;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "whole grid steps", NULL);
    event.sensitivity = 2.0;
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    sotto_plan_free(plan);
    plan = plan_under(SOTTO_REPLACE_ONE, pure(0.1, 1));
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "discrete-gaussian", "add-remove", NULL);
    sotto_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampled_releases_lie_in_their_brackets),
        cmocka_unit_test(one_release_has_its_definition),
        cmocka_unit_test(laplace_noise_on_a_sample_has_its_delta),
        cmocka_unit_test(a_batch_is_the_spliced_pair),
        cmocka_unit_test(a_sample_costs_less_than_its_amplified_epsilon),
        cmocka_unit_test(a_rate_of_one_is_no_sample),
        cmocka_unit_test(samples_without_a_pair_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
