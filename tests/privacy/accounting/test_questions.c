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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_rates_have_tight_ends),
        cmocka_unit_test(the_questions_invert_each_other),
        cmocka_unit_test(basic_composition_takes_the_sum_of_the_deltas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
