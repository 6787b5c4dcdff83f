/* The accountants of the textbooks: each is its theorem, sound, and in its place beside the others. */
#include "privacy/accounting/plans.h"

#include <jansson.h>

#include "privacy/accounting/methods_order.h"

#include <sotto/reference.h>

static const sotto_accountant methods[] = {SOTTO_MOMENTS, SOTTO_GAUSSIAN_DP,
                                           SOTTO_ADVANCED, SOTTO_OPTIMAL};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* ---- the reference vectors ---- */

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : SOTTO_UNSET;
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value == NULL ? "" : value;
}

static double reference_of(const sotto_plan *plan, sotto_reference reference,
                           double delta)
{
    sotto_error error;
    sotto_reference_value value;
    assert_ok(sotto_reference_epsilon(plan, reference, delta, &value, &error), &error);
    assert_int_equal(value.is_guarantee, 1);
    return value.epsilon_said;
}

/* The answer of one expectation about composition; NaN for methods tested elsewhere. */
static double composed(const sotto_plan *plan, const json_t *expect)
{
    sotto_error error;
    sotto_account account;
    const char *method = text(expect, "method");
    const double delta = number(expect, "delta");
    if (strcmp(method, "kov_simplified") == 0)
        return reference_of(plan, SOTTO_REFERENCE_OPTIMAL_SIMPLE, delta);
    if (strcmp(method, "optimal_grid") == 0)
        return reference_of(plan, SOTTO_REFERENCE_OPTIMAL_GRID, delta);
    const sotto_accountant accountant = strcmp(method, "basic") == 0     ? SOTTO_BASIC
                                        : strcmp(method, "optimal") == 0 ? SOTTO_OPTIMAL
                                                                         : SOTTO_ADVANCED;
    if (strcmp(text(expect, "ask"), "delta") == 0) {
        assert_ok(sotto_account_delta(plan, accountant, number(expect, "epsilon"),
                                      &account, &error),
                  &error);
        return account.delta;
    }
    assert_ok(sotto_account_epsilon(plan, accountant, delta, &account, &error), &error);
    return account.epsilon;
}

static void the_composition_theorems_give_the_reference_values(void **state)
{
    (void)state;
    json_error_t problem;
    json_t *vectors = json_load_file(SOTTO_TEST_VECTORS "/accounting.json", 0, &problem);
    assert_non_null(vectors);
    size_t checked = 0;
    for (size_t i = 0; i < json_array_size(vectors); i++) {
        const json_t *vector = json_array_get(vectors, i);
        if (strncmp(text(vector, "id"), "compose-", 8) != 0) continue;
        const json_t *params = json_object_get(vector, "params");
        sotto_plan *plan = plan_of(approximate(number(params, "epsilon_each"),
                                               number(params, "delta_each"),
                                               (uint64_t)number(params, "steps")));
        const json_t *expects = json_object_get(vector, "expect");
        for (size_t k = 0; k < json_array_size(expects); k++) {
            const json_t *expect = json_array_get(expects, k);
            const double value = number(expect, "value");
            const double rtol = number(expect, "rtol");
            const double got = composed(plan, expect);
            if (!(fabs(got / value - 1.0) <= rtol)) {
                print_error("%s, %s: %.15g, reference %.15g\n", text(vector, "id"),
                            text(expect, "method"), got, value);
                fail();
            }
            checked++;
        }
        sotto_plan_free(plan);
    }
    json_decref(vectors);
    assert_int_equal(checked, 30);
}

/* ---- moments ---- */

/* log of sum_k C(a,k) (1-q)^(a-k) q^k e^((k^2-k)/(2 sigma^2)), a = lambda + 1: the moment of the
 * remove direction, which is the larger one at whole orders (Mironov, Talwar & Zhang 2019). */
static double binomial_moment(double rate, double sigma, int lambda)
{
    long double sum = 0.0L;
    const int order = lambda + 1;
    for (int k = 0; k <= order; k++) {
        const long double choose =
            lgammal(order + 1.0L) - lgammal(k + 1.0L) - lgammal(order - k + 1.0L);
        sum += expl(choose + (order - k) * log1pl(-(long double)rate) +
                    k * logl((long double)rate) +
                    (long double)(k * (k - 1)) / (2.0L * sigma * sigma));
    }
    return (double)logl(sum);
}

static void moments_are_the_best_of_thirty_two_binomial_sums(void **state)
{
    (void)state;
    const double settings[][4] = {{0.01, 4.0, 1e4, 1e-5},
                                  {256.0 / 60000.0, 1.1, 14063, 1e-5},
                                  {0.02, 0.7, 200, 1e-7},
                                  {0.3, 2.5, 40, 1e-3},
                                  {0.1, 30.0, 3, 1e-9}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const double *at = settings[i];
        double least = HUGE_VAL;
        int best = 0;
        for (int lambda = 1; lambda <= 32; lambda++) {
            const double epsilon =
                (at[2] * binomial_moment(at[0], at[1], lambda) - log(at[3])) / lambda;
            if (epsilon < least) {
                least = epsilon;
                best = lambda;
            }
        }
        const sotto_account account = epsilon_of(
            plan_of(sampled(at[0], at[1], (uint64_t)at[2])), SOTTO_MOMENTS, at[3]);
        assert_within(account.epsilon, least * (1.0 - 1e-10), least * (1.0 + 1e-7));
        assert_int_equal((int)account.order, best + 1);
        assert_int_equal(account.kernel, SOTTO_KERNEL_MOMENTS);
        assert_true(isnan(account.epsilon_lower));
    }
    /* Abadi et al., CCS 2016, Sec. 3: q = 0.01, sigma = 4, 10000 steps: 1.26 */
    const double published =
        epsilon_of(plan_of(sampled(0.01, 4.0, 10000)), SOTTO_MOMENTS, 1e-5).epsilon;
    assert_within(published, 1.255, 1.265);
}

static void more_moments_cost_no_more(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account account;
    sotto_plan *plan = plan_of(sampled(0.1, 30.0, 3)); /* wants a moment far above 32 */
    double last = HUGE_VAL;
    for (uint32_t most = 1; most <= SOTTO_LAMBDA_MAX; most *= 4) {
        assert_ok(sotto_account_moments(plan, most, 1e-9, &account, &error), &error);
        assert_true(account.epsilon < last && account.order <= most + 1.0);
        last = account.epsilon;
    }
    assert_true(last >=
                epsilon_of(plan_of(sampled(0.1, 30.0, 3)), SOTTO_RDP, 1e-9).epsilon);
    assert_ok(sotto_account_moments(plan, 32, 1e-9, &account, &error), &error);
    const sotto_account usual =
        epsilon_of(plan_of(sampled(0.1, 30.0, 3)), SOTTO_MOMENTS, 1e-9);
    assert_memory_equal(&account, &usual, sizeof usual);
    assert_refused(sotto_account_moments(plan, 0, 1e-9, &account, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`lambda_max` is 0", NULL);
    assert_refused(sotto_account_moments(plan, 1025, 1e-9, &account, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "1 to 1024", NULL);
    assert_refused(sotto_account_moments(plan, 32, 1.0, &account, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "delta is 1", NULL);
    sotto_plan_free(plan);
}

static void the_moments_of_a_gaussian_are_in_closed_form(void **state)
{
    (void)state;
    const double square = 7.0 / (3.0 * 3.0) + 0.25 * 0.25; /* mu^2 */
    double least = HUGE_VAL;
    for (int lambda = 1; lambda <= 32; lambda++)
        least = fmin(least, 0.5 * (lambda + 1) * square - log(1e-6) / lambda);
    const sotto_account account =
        epsilon_of(plan_of(gaussian(3.0, 7), gdp(0.25, 1)), SOTTO_MOMENTS, 1e-6);
    assert_within(account.epsilon, least, least * (1.0 + 1e-13));
    const sotto_account back =
        delta_of(plan_of(gaussian(3.0, 7), gdp(0.25, 1)), SOTTO_MOMENTS, account.epsilon);
    assert_relative(back.delta, 1e-6, 1e-10);
}

/* ---- gdp ---- */

static void gdp_is_exact_for_gaussians(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        const sotto_event events[] = {gaussian(0.4 + 1.7 * i, 1u + (unsigned)(i * i)),
                                      gdp(0.05 * i, 3)};
        const double delta = pow(10.0, -1.0 - 2.0 * i);
        const sotto_account exact = epsilon_of(plans_make(events, 2), SOTTO_EXACT, delta);
        const sotto_account mu =
            epsilon_of(plans_make(events, 2), SOTTO_GAUSSIAN_DP, delta);
        assert_relative(mu.epsilon, exact.epsilon, 1e-12);
        assert_true(mu.epsilon_lower <= exact.epsilon &&
                    mu.epsilon >= exact.epsilon_lower);
        const sotto_account back =
            delta_of(plans_make(events, 2), SOTTO_GAUSSIAN_DP, mu.epsilon);
        assert_within(back.delta_lower, 0.0, delta * (1.0 + 1e-12));
        assert_relative(back.delta, delta, 1e-9);
    }
    const sotto_account free_of_cost =
        epsilon_of(plan_of(gdp(0.0, 5)), SOTTO_GAUSSIAN_DP, 0.0);
    assert_true(free_of_cost.epsilon == 0.0);
}

/* ---- advanced and optimal ---- */

/* delta of independent losses +-e_i, by all 2^n outcomes, and the failures d_i. */
static double enumerated_delta(const double *epsilons, const double *deltas, int count,
                               double epsilon)
{
    long double sum = 0.0L;
    long double kept = 1.0L;
    for (int i = 0; i < count; i++)
        kept *= 1.0L - deltas[i];
    for (unsigned outcome = 0; outcome < 1u << count; outcome++) {
        long double probability = 1.0L;
        long double loss = 0.0L;
        for (int i = 0; i < count; i++) {
            const int is_true = (outcome >> i & 1u) != 0;
            const long double e = is_true ? epsilons[i] : -(long double)epsilons[i];
            probability /= 1.0L + expl(-e);
            loss += e;
        }
        if (loss > epsilon) sum += probability * -expm1l(epsilon - loss);
    }
    return (double)(1.0L - kept * (1.0L - sum));
}

static void optimal_composition_is_the_enumeration_of_all_outcomes(void **state)
{
    (void)state;
    enum { COUNT = 11 };
    double epsilons[COUNT];
    double deltas[COUNT];
    sotto_event events[COUNT];
    for (int i = 0; i < COUNT; i++) {
        epsilons[i] = 0.03 + 0.117 * i;
        deltas[i] = i % 3 == 0 ? 0.0 : 1e-5 * i;
        events[i] = approximate(epsilons[i], deltas[i], 1);
    }
    for (double epsilon = 0.0; epsilon < 7.0; epsilon += 0.83) {
        const double right = enumerated_delta(epsilons, deltas, COUNT, epsilon);
        const sotto_account got =
            delta_of(plans_make(events, COUNT), SOTTO_OPTIMAL, epsilon);
        assert_true(got.delta >= right * (1.0 - 1e-14));
        assert_relative(got.delta, right, 1e-9);
        assert_true(got.delta_lower <= right * (1.0 + 1e-12));
    }
}

static void advanced_composition_of_different_events_is_the_formula(void **state)
{
    (void)state;
    const double squares = 20 * 0.1 * 0.1 + 5 * 0.3 * 0.3;
    const double drift = 20 * 0.1 * expm1(0.1) + 5 * 0.3 * expm1(0.3);
    const double slack = 1e-6 - 20 * 1e-8;
    const double right = sqrt(2.0 * -log(slack) * squares) + drift;
    const sotto_account got = epsilon_of(
        plan_of(approximate(0.1, 1e-8, 20), pure(0.3, 5)), SOTTO_ADVANCED, 1e-6);
    assert_within(got.epsilon, right * (1.0 - 1e-14), right * (1.0 + 1e-12));
    const sotto_account back = delta_of(plan_of(approximate(0.1, 1e-8, 20), pure(0.3, 5)),
                                        SOTTO_ADVANCED, got.epsilon);
    assert_relative(back.delta, 1e-6, 1e-9);
}

/* A Gaussian event has no delta of its own: half of delta is divided, half is slack. */
static void gaussian_events_enter_composition_at_a_share_of_delta(void **state)
{
    (void)state;
    const double each =
        epsilon_of(plan_of(gaussian(20.0, 1)), SOTTO_EXACT, 1e-5 / 200.0).epsilon;
    const double right =
        sqrt(2.0 * -log(0.5e-5) * 100.0) * each + 100.0 * each * expm1(each);
    const sotto_account got =
        epsilon_of(plan_of(gaussian(20.0, 100)), SOTTO_ADVANCED, 1e-5);
    assert_relative(got.epsilon, right, 1e-9);
    const sotto_account listed =
        epsilon_of(plan_of(approximate(each, 1e-5 / 200.0, 100)), SOTTO_EXACT, 1e-5);
    const sotto_account optimal =
        epsilon_of(plan_of(gaussian(20.0, 100)), SOTTO_OPTIMAL, 1e-5);
    assert_relative(optimal.epsilon, listed.epsilon, 1e-9);
    assert_true(isnan(optimal.epsilon_lower)); /* the Gaussians may cost less */
}

/* ---- all of them ---- */

static void no_method_is_below_the_exact_answer(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        const sotto_event poisson = sampled(0.003 * (i + 1), 0.8 + 0.4 * i, 500u << i);
        const sotto_event whole = gaussian(2.0 + 5.0 * i, 1u << i);
        const sotto_event stated = approximate(0.02 * (i + 1), 1e-12, 40);
        const double delta = pow(10.0, -2.0 - i);
        const sotto_account least = epsilon_of(plan_of(poisson), SOTTO_EXACT, delta);
        const sotto_account rdp = epsilon_of(plan_of(poisson), SOTTO_RDP, delta);
        const sotto_account moments = epsilon_of(plan_of(poisson), SOTTO_MOMENTS, delta);
        const sotto_account optimal = epsilon_of(plan_of(poisson), SOTTO_OPTIMAL, delta);
        const sotto_account advanced =
            epsilon_of(plan_of(poisson), SOTTO_ADVANCED, delta);
        assert_true(least.epsilon_lower <= rdp.epsilon && rdp.epsilon <= moments.epsilon);
        assert_true(least.epsilon <= optimal.epsilon &&
                    optimal.epsilon <= advanced.epsilon);

        const double mu = epsilon_of(plan_of(whole), SOTTO_GAUSSIAN_DP, delta).epsilon;
        assert_true(mu <= epsilon_of(plan_of(whole), SOTTO_RDP, delta).epsilon);
        assert_true(mu <= epsilon_of(plan_of(whole), SOTTO_OPTIMAL, delta).epsilon);

        const double best = epsilon_of(plan_of(stated), SOTTO_OPTIMAL, delta).epsilon;
        sotto_plan *plan = plan_of(stated);
        const double simple = reference_of(plan, SOTTO_REFERENCE_OPTIMAL_SIMPLE, delta);
        const double grid = reference_of(plan, SOTTO_REFERENCE_OPTIMAL_GRID, delta);
        sotto_plan_free(plan);
        assert_true(best <= grid && best <= simple);
        assert_true(simple <= epsilon_of(plan_of(stated), SOTTO_ADVANCED, delta).epsilon);
        assert_true(best <= epsilon_of(plan_of(stated), SOTTO_BASIC, delta).epsilon);
    }
}

static void random_plans_keep_the_order(void **state)
{
    (void)state;
    enum { PLANS = 50 };
    int answered = 0;
    for (uint64_t i = 0; i < PLANS; i++)
        answered += order_check_plan(300 + i, (cross_range){1e-3, 300.0});
    assert_true(answered >= 3 * PLANS); /* rdp, basic, and one more at least */
}

/* Plans every method covers. */
static double gaussian_epsilon(sotto_accountant accountant, double noise, uint64_t count,
                               double delta)
{
    return epsilon_of(plan_of(gaussian(noise, count)), accountant, delta).epsilon;
}

static void epsilon_moves_the_right_way_for_every_method(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        double last = HUGE_VAL;
        for (double noise = 3.0; noise < 3000.0; noise *= 3.1) {
            const double epsilon = gaussian_epsilon(methods[i], noise, 60, 1e-6);
            assert_true(epsilon < last && epsilon >= 0.0);
            last = epsilon;
        }
        last = 0.0;
        for (uint64_t count = 1; count < 20000; count *= 5) {
            const double epsilon = gaussian_epsilon(methods[i], 30.0, count, 1e-6);
            assert_true(epsilon > last);
            last = epsilon;
        }
        last = HUGE_VAL;
        for (double delta = 1e-30; delta < 0.4; delta *= 700.0) {
            const double epsilon = gaussian_epsilon(methods[i], 30.0, 60, delta);
            assert_true(epsilon < last);
            last = epsilon;
        }
    }
    double last_moments = 0.0, last_optimal = 0.0;
    for (double rate = 1e-6; rate <= 1.0; rate *= 9.7) {
        const sotto_event event = sampled(rate, 8.0, 300);
        const double moments = epsilon_of(plan_of(event), SOTTO_MOMENTS, 1e-6).epsilon;
        const double optimal = epsilon_of(plan_of(event), SOTTO_OPTIMAL, 1e-6).epsilon;
        assert_true(moments >= last_moments && optimal >= last_optimal);
        last_moments = moments;
        last_optimal = optimal;
    }
}

static void a_count_is_as_many_copies(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        const sotto_event once = gaussian(7.0, 1);
        const double counted = gaussian_epsilon(methods[i], 7.0, 3, 1e-5);
        const double copied =
            epsilon_of(plan_of(once, once, once), methods[i], 1e-5).epsilon;
        assert_relative(copied, counted, 1e-12);
    }
}

static void delta_is_the_inverse_of_epsilon_for_every_method(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        const double epsilon = gaussian_epsilon(methods[i], 25.0, 40, 1e-4);
        const sotto_account back =
            delta_of(plan_of(gaussian(25.0, 40)), methods[i], epsilon);
        assert_within(back.delta, 1e-4 * (1.0 - 1e-6), 1e-4 * (1.0 + 1e-6));
        assert_true(back.accountant == methods[i]);
    }
}

static void searches_end_on_the_safe_side_of_every_method(void **state)
{
    (void)state;
    sotto_error error;
    for (size_t i = 0; i < METHODS; i++) {
        double noise;
        uint64_t steps;
        sotto_account account;
        sotto_plan *plan = plan_of(gaussian(SOTTO_UNSET, 50));
        assert_ok(
            sotto_account_noise(plan, methods[i], 1.5, 1e-5, &noise, &account, &error),
            &error);
        sotto_plan_free(plan);
        assert_true(account.epsilon <= 1.5);
        assert_true(gaussian_epsilon(methods[i], noise * (1.0 - 2e-6), 50, 1e-5) > 1.5);
        plan = plan_of(gaussian(60.0, 0));
        assert_ok(
            sotto_account_steps(plan, methods[i], 1.5, 1e-5, &steps, &account, &error),
            &error);
        sotto_plan_free(plan);
        assert_true(account.epsilon <= 1.5);
        assert_true(gaussian_epsilon(methods[i], 60.0, steps + 1, 1e-5) > 1.5);
    }
}

static void plans_a_theorem_does_not_cover_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account account;
    sotto_plan *plan = plan_of(gaussian(2.0, 1), pure(0.1, 3));
    assert_refused(sotto_account_epsilon(plan, SOTTO_MOMENTS, 1e-5, &account, &error),
                   SOTTO_UNSUPPORTED, &error, "moments accountant", "event 2", "pure",
                   "exact", NULL);
    assert_refused(sotto_account_delta(plan, SOTTO_GAUSSIAN_DP, 1.0, &account, &error),
                   SOTTO_UNSUPPORTED, &error, "gdp accountant", "event 2", "pure", NULL);
    sotto_plan_free(plan);
    plan = plan_of(sampled(0.1, 2.0, 1));
    assert_refused(sotto_account_epsilon(plan, SOTTO_GAUSSIAN_DP, 1e-5, &account, &error),
                   SOTTO_UNSUPPORTED, &error, "a sampled gaussian", NULL);
    sotto_plan_free(plan);
    for (size_t i = 0; i < METHODS; i++) { /* no Gaussian is private at delta 0 */
        plan = plan_of(gaussian(2.0, 1));
        assert_refused(sotto_account_epsilon(plan, methods[i], 0.0, &account, &error),
                       SOTTO_UNREACHABLE, &error, "delta", NULL);
        sotto_plan_free(plan);
    }
    plan = plan_of(pure(0.1, 4)); /* advanced composition needs a slack */
    assert_refused(sotto_account_epsilon(plan, SOTTO_ADVANCED, 0.0, &account, &error),
                   SOTTO_UNREACHABLE, &error, "larger `delta`", NULL);
    assert_ok(sotto_account_epsilon(plan, SOTTO_OPTIMAL, 0.0, &account, &error), &error);
    assert_relative(account.epsilon, 0.4, 1e-15);
    sotto_plan_free(plan);
    plan = plan_of(approximate(0.1, 1e-6, 4));
    assert_refused(sotto_account_epsilon(plan, SOTTO_ADVANCED, 3e-6, &account, &error),
                   SOTTO_UNREACHABLE, &error, NULL);
    assert_refused(sotto_account_epsilon(plan, SOTTO_OPTIMAL, 3e-6, &account, &error),
                   SOTTO_UNREACHABLE, &error, NULL);
    sotto_plan_free(plan);
}

static void extreme_plans_have_sound_answers_or_none(void **state)
{
    (void)state;
    const double rates[] = {1e-9, 1e-3, 1.0};
    const double noises[] = {0.3, 1000.0};
    const uint64_t counts[] = {1, 1000000000};
    const double deltas[] = {1e-30, 1e-5};
    for (int at = 0; at < 3 * 2 * 2 * 2; at++) {
        const sotto_event event =
            sampled(rates[at % 3], noises[at / 3 % 2], counts[at / 6 % 2]);
        const double delta = deltas[at / 12];
        sotto_account exact;
        sotto_error error;
        sotto_plan *plan = plan_of(event);
        const int has_exact =
            sotto_account_epsilon(plan, SOTTO_EXACT, delta, &exact, &error) == SOTTO_OK;
        for (size_t i = 0; i < METHODS; i++) {
            sotto_account got;
            const sotto_status status =
                sotto_account_epsilon(plan, methods[i], delta, &got, &error);
            if (status != SOTTO_OK) {
                assert_true(status == SOTTO_UNREACHABLE || status == SOTTO_UNSUPPORTED);
                continue;
            }
            assert_true(isfinite(got.epsilon) && got.epsilon >= 0.0);
            if (has_exact) assert_true(got.epsilon >= exact.epsilon_lower * (1.0 - 1e-9));
        }
        sotto_plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_composition_theorems_give_the_reference_values),
        cmocka_unit_test(moments_are_the_best_of_thirty_two_binomial_sums),
        cmocka_unit_test(more_moments_cost_no_more),
        cmocka_unit_test(the_moments_of_a_gaussian_are_in_closed_form),
        cmocka_unit_test(gdp_is_exact_for_gaussians),
        cmocka_unit_test(optimal_composition_is_the_enumeration_of_all_outcomes),
        cmocka_unit_test(advanced_composition_of_different_events_is_the_formula),
        cmocka_unit_test(gaussian_events_enter_composition_at_a_share_of_delta),
        cmocka_unit_test(no_method_is_below_the_exact_answer),
        cmocka_unit_test(random_plans_keep_the_order),
        cmocka_unit_test(epsilon_moves_the_right_way_for_every_method),
        cmocka_unit_test(a_count_is_as_many_copies),
        cmocka_unit_test(delta_is_the_inverse_of_epsilon_for_every_method),
        cmocka_unit_test(searches_end_on_the_safe_side_of_every_method),
        cmocka_unit_test(plans_a_theorem_does_not_cover_are_refused),
        cmocka_unit_test(extreme_plans_have_sound_answers_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
