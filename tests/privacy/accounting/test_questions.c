/* Five questions, one answer: epsilon, delta, noise, rate and steps invert each other. */
#include "privacy/accounting/plans.h"

typedef struct setting {
    double rate, noise;
    uint64_t count;
    double delta;
} setting;

static sotto_account at(const setting *s)
{
    return epsilon_of(plan_of(sampled(s->rate, s->noise, s->count)), SOTTO_EXACT,
                      s->delta);
}

/* Renyi's bound is 4 to 80 times as much. The intervals are those of direct sums without a limit of time. */
static void small_rates_have_tight_ends(void **state)
{
    (void)state;
    const struct {
        setting s;
        double least, most;
    } cases[] = {
        {{1e-6, 0.6, 1000000, 1e-9}, 0.0567034, 0.0567050},
        {{1e-6, 0.7, 1000000, 1e-9}, 0.0127688, 0.0127696},
        {{1e-5, 0.7, 100000, 1e-9}, 0.0960549, 0.0960600},
        {{1e-5, 0.77, 100000, 1e-5}, 0.01766338, 0.01766339},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sotto_account account = at(&cases[i].s);
        assert_within(account.epsilon, cases[i].least, cases[i].most);
        assert_within(account.epsilon_lower, 0.999 * cases[i].least, cases[i].most);
    }
}

static void check_inverses(const setting *s)
{
    sotto_error error;
    sotto_account found;
    const double epsilon = at(s).epsilon;
    const double least = epsilon * (1.0 - 1e-6);

    double noise;
    sotto_plan *plan = plan_of(sampled(s->rate, NAN, s->count));
    assert_ok(
        sotto_account_noise(plan, SOTTO_EXACT, epsilon, s->delta, &noise, &found, &error),
        &error);
    sotto_plan_free(plan);
    assert_within(noise, 0.0, s->noise * (1.0 + 1e-6));
    assert_within(found.epsilon, least, epsilon);

    double rate;
    plan = plan_of(sampled(NAN, s->noise, s->count));
    assert_ok(
        sotto_account_rate(plan, SOTTO_EXACT, epsilon, s->delta, &rate, &found, &error),
        &error);
    sotto_plan_free(plan);
    assert_within(rate, s->rate * (1.0 - 1e-6), 1.0);
    assert_within(found.epsilon, least, epsilon);

    uint64_t count;
    plan = plan_of(sampled(s->rate, s->noise, 0));
    assert_ok(
        sotto_account_steps(plan, SOTTO_EXACT, epsilon, s->delta, &count, &found, &error),
        &error);
    sotto_plan_free(plan);
    assert_true(count >= s->count);

    plan = plan_of(sampled(s->rate, s->noise, s->count));
    assert_ok(sotto_account_delta(plan, SOTTO_EXACT, epsilon, &found, &error), &error);
    sotto_plan_free(plan);
    assert_within(found.delta, 0.0, s->delta * (1.0 + 1e-4));
}

static void the_questions_invert_each_other(void **state)
{
    (void)state;
    const setting settings[] = {{0.00427, 1.1, 14063, 1e-5}, {1e-3, 0.8, 20000, 1e-7}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        check_inverses(&settings[i]);
}

/* The doubles of 5e-8 and of five times 1e-8 differ in their last bits. */
static void basic_composition_takes_the_sum_of_the_deltas(void **state)
{
    (void)state;
    const sotto_account five =
        epsilon_of(plan_of(approximate(0.1, 1e-8, 5)), SOTTO_BASIC, 5e-8);
    assert_within(five.epsilon, 0.5, 0.5 + 1e-15);
    sotto_account account;
    sotto_plan *plan = plan_of(approximate(0.1, 1e-8, 5));
    assert_int_equal(sotto_account_epsilon(plan, SOTTO_BASIC, 4.99e-8, &account, NULL),
                     SOTTO_UNREACHABLE);
    sotto_plan_free(plan);
}

static sotto_event with_open_noise(sotto_mechanism mechanism, double sensitivity,
                                   uint64_t count)
{
    sotto_event event = plans_event(mechanism);
    event.count = count;
    event.sensitivity = sensitivity;
    return event;
}

/* The noise is the least one: the plan with this scale is within epsilon, with a little less it is not. */
static void every_mechanism_with_a_scale_has_its_noise(void **state)
{
    (void)state;
    static const sotto_mechanism all[] = {SOTTO_LAPLACE, SOTTO_DISCRETE_GAUSSIAN,
                                          SOTTO_DISCRETE_LAPLACE};
    static const double sensitivities[] = {1.0, 3.0};
    for (size_t i = 0; i < 6; i++) {
        const sotto_mechanism mechanism = all[i / 2];
        const bool is_laplace = mechanism == SOTTO_LAPLACE;
        const double sensitivity = is_laplace ? (double)NAN : sensitivities[i % 2];
        const sotto_event open = with_open_noise(mechanism, sensitivity, 4 + i % 2);
        sotto_plan *plan = plan_of(open);
        sotto_account found;
        sotto_error error;
        double noise;
        assert_ok(
            sotto_account_noise(plan, SOTTO_EXACT, 0.8, 1e-6, &noise, &found, &error),
            &error);
        assert_refused(sotto_account_epsilon(plan, SOTTO_EXACT, 1e-6, &found, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "open", NULL);
        sotto_plan_free(plan);
        for (int less = 0; less < 2; less++) {
            const double used = noise * (1.0 - 1e-5 * less);
            sotto_event closed = open;
            if (is_laplace)
                closed.noise_multiplier = used;
            else
                closed.scale = used * sensitivity;
            const double epsilon = epsilon_of(plan_of(closed), SOTTO_EXACT, 1e-6).epsilon;
            assert_true(less ? epsilon > 0.8 : epsilon <= 0.8);
        }
    }
}

/* Gaussian noise: rho = count/(2 sigma^2). Pure releases: at most epsilon tanh(epsilon/2). */
static void a_target_in_zcdp_is_met(void **state)
{
    (void)state;
    sotto_error error;
    double noise, rho;
    sotto_plan *plan = plan_of(gaussian(NAN, 10), zcdp(0.25, 1));
    assert_ok(sotto_account_zcdp_noise(plan, 0.75, &noise, &rho, &error), &error);
    assert_relative(noise, sqrt(10.0), 1e-11);
    assert_within(rho, 0.75 * (1.0 - 1e-10), 0.75);
    assert_refused(sotto_account_zcdp_noise(plan, 0.25, &noise, &rho, &error),
                   SOTTO_UNREACHABLE, &error, "rho 0.25", NULL);
    assert_refused(sotto_account_zcdp_noise(plan, 0.0, &noise, &rho, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`rho` is 0", NULL);
    sotto_plan_free(plan);

    plan = plan_of(with_open_noise(SOTTO_DISCRETE_GAUSSIAN, 2.0, 10));
    assert_ok(sotto_account_zcdp_noise(plan, 0.5, &noise, &rho, &error), &error);
    assert_relative(noise, sqrt(10.0), 1e-9);
    sotto_plan_free(plan);

    plan = plan_of(with_open_noise(SOTTO_LAPLACE, NAN, 1));
    assert_ok(sotto_account_zcdp_noise(plan, 0.5, &noise, &rho, &error), &error);
    assert_within(rho, 0.0, 0.5);
    assert_within(tanh(0.5 / noise) / noise, 0.49, 1.0);
    sotto_plan_free(plan);

    plan = plan_of(gaussian(NAN, 1), approximate(0.1, 1e-8, 1));
    assert_refused(sotto_account_zcdp_noise(plan, 0.5, &noise, &rho, &error),
                   SOTTO_UNSUPPORTED, &error, "event 2 has a delta", NULL);
    sotto_plan_free(plan);
    plan = plan_of(sampled(0.1, NAN, 1));
    assert_refused(sotto_account_zcdp_noise(plan, 0.5, &noise, &rho, &error),
                   SOTTO_UNREACHABLE, &error, "no rho", NULL);
    sotto_plan_free(plan);
    plan = plan_of(gaussian(1.0, 1));
    assert_refused(sotto_account_zcdp_noise(plan, 0.5, &noise, &rho, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "open", NULL);
    sotto_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_rates_have_tight_ends),
        cmocka_unit_test(the_questions_invert_each_other),
        cmocka_unit_test(every_mechanism_with_a_scale_has_its_noise),
        cmocka_unit_test(a_target_in_zcdp_is_met),
        cmocka_unit_test(basic_composition_takes_the_sum_of_the_deltas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
