/* What the textbooks say, amplification by sampling, the course's noise, and the question `rate`. */
#include "privacy/accounting/plans.h"

#include <jansson.h>

#include <sotto/reference.h>

#include "base/memory.h"

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

static sotto_reference_value said(sotto_plan *plan, sotto_reference reference,
                                  double delta)
{
    sotto_error error;
    sotto_reference_value value;
    assert_ok(sotto_reference_epsilon(plan, reference, delta, &value, &error), &error);
    sotto_plan_free(plan);
    return value;
}

/* ---- the reference vectors ---- */

static void check_central_limit(const json_t *vector)
{
    const json_t *params = json_object_get(vector, "params");
    const json_t *expects = json_object_get(vector, "expect");
    const json_t *mu = json_array_get(expects, 0);
    const json_t *epsilon = json_array_get(expects, 1);
    const sotto_reference_value value =
        said(plan_of(sampled(number(params, "q"), number(params, "sigma"),
                             (uint64_t)number(params, "steps"))),
             SOTTO_REFERENCE_CENTRAL_LIMIT, number(epsilon, "delta"));
    assert_relative(value.mu, number(mu, "value"), number(mu, "rtol"));
    assert_relative(value.epsilon_said, number(epsilon, "value"),
                    number(epsilon, "rtol"));
    assert_int_equal(value.is_guarantee, 0);
}

static void check_amplification(const json_t *vector)
{
    sotto_error error;
    double epsilon, delta;
    const json_t *params = json_object_get(vector, "params");
    const json_t *expect = json_array_get(json_object_get(vector, "expect"), 0);
    const json_t *value = json_object_get(expect, "value");
    assert_ok(sotto_amplify_by_sampling(number(params, "epsilon"),
                                        number(params, "delta"), number(params, "q"),
                                        &epsilon, &delta, &error),
              &error);
    const double epsilon_right = json_number_value(json_array_get(value, 0));
    const double delta_right = json_number_value(json_array_get(value, 1));
    assert_within(epsilon, epsilon_right * (1.0 - 1e-14), epsilon_right * (1.0 + 1e-12));
    assert_within(delta, delta_right * (1.0 - 1e-15), delta_right * (1.0 + 1e-12));
}

static void the_reference_vectors_are_met(void **state)
{
    (void)state;
    json_error_t problem;
    json_t *vectors = json_load_file(SOTTO_TEST_VECTORS "/accounting.json", 0, &problem);
    assert_non_null(vectors);
    size_t limits = 0, amplified = 0;
    for (size_t i = 0; i < json_array_size(vectors); i++) {
        const json_t *vector = json_array_get(vectors, i);
        if (strncmp(text(vector, "id"), "gdp-clt-", 8) == 0) {
            check_central_limit(vector);
            limits++;
        } else if (strncmp(text(vector, "id"), "amplify-", 8) == 0) {
            check_amplification(vector);
            amplified++;
        }
    }
    json_decref(vectors);
    assert_int_equal(limits, 3);
    assert_int_equal(amplified, 3);
}

/* ---- amplification ---- */

static void amplification_is_sound_at_every_size(void **state)
{
    (void)state;
    sotto_error error;
    double last = 0.0, epsilon, delta;
    for (double each = 1e-12; each < 1e6; each *= 31.0) {
        assert_ok(sotto_amplify_by_sampling(each, 0.0, 1e-3, &epsilon, &delta, &error),
                  &error);
        const long double rate = 1e-3; /* the double's value */
        const long double right =
            each < 700.0 ? log1pl(rate * expm1l(each)) : each + logl(rate);
        assert_true(epsilon >= right && epsilon <= each);
        assert_relative(epsilon, (double)right, 1e-14);
        assert_true(epsilon > last && delta == 0.0);
        last = epsilon;
    }
    assert_ok(sotto_amplify_by_sampling(0.7, 1e-5, 1.0, &epsilon, &delta, &error),
              &error);
    assert_true(epsilon == 0.7 && delta == 1e-5);
    assert_refused(sotto_amplify_by_sampling(-1.0, 0.0, 0.1, &epsilon, &delta, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`epsilon` is -1", NULL);
    assert_refused(sotto_amplify_by_sampling(1.0, 1.0, 0.1, &epsilon, &delta, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`delta` is 1", NULL);
    assert_refused(sotto_amplify_by_sampling(1.0, 0.0, 0.0, &epsilon, &delta, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`rate` is 0", NULL);
}

/* A chain of k steps, each by the definition: P_i <= e^epsilon P_(i+1) + delta. */
static void group_privacy_is_the_chain_of_its_rows(void **state)
{
    (void)state;
    sotto_error error;
    double epsilon, delta;
    static const double each[] = {0.0, 1e-9, 0.1, 1.0, 3.0};
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        for (uint64_t rows = 1; rows <= 9; rows++) {
            long double sum = 0.0L, front = 1.0L;
            for (uint64_t k = 0; k < rows; k++) {
                sum += front * 1e-13L;
                front *= expl((long double)each[i]);
            }
            assert_ok(sotto_group_privacy(each[i], 1e-13, rows, &epsilon, &delta, &error),
                      &error);
            assert_within(epsilon, (double)rows * each[i],
                          (double)rows * each[i] * (1.0 + 1e-15));
            assert_within(delta, (double)(sum * (1.0L - 1e-15L)),
                          (double)(sum * (1.0L + 1e-12L)));
        }
    }
    assert_ok(sotto_group_privacy(800.0, 0.0, 3, &epsilon, &delta, &error), &error);
    assert_true(epsilon >= 2400.0 && epsilon < 2400.1 && delta == 0.0);
    assert_refused(sotto_group_privacy(5.0, 1e-6, 5, &epsilon, &delta, &error),
                   SOTTO_UNREACHABLE, &error, "grows to 1 or more", NULL);
    assert_refused(sotto_group_privacy(1.0, 0.0, 0, &epsilon, &delta, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`rows` is 0", NULL);
}

/* ---- references ---- */

/* MNIST at sigma 1.1: the approximation is 2.4% below what is certified to be true. */
static void the_central_limit_may_be_too_small_and_says_so(void **state)
{
    (void)state;
    const sotto_event event = sampled(256.0 / 60000.0, 1.1, 14063);
    const sotto_reference_value limit =
        said(plan_of(event), SOTTO_REFERENCE_CENTRAL_LIMIT, 1e-5);
    const sotto_account exact = epsilon_of(plan_of(event), SOTTO_EXACT, 1e-5);
    assert_true(limit.epsilon_said < 0.98 * exact.epsilon_lower);
    assert_int_equal(limit.is_guarantee, 0);
    assert_non_null(strstr(sotto_reference_label(limit.reference), "not a guarantee"));
    assert_string_equal(sotto_reference_name(limit.reference), "gdp-clt");
    assert_string_equal(sotto_reference_name((sotto_reference)99), "unknown");
    assert_string_equal(sotto_reference_label((sotto_reference)99), "unknown");
}

static void the_leading_term_is_the_formula_within_its_lemma(void **state)
{
    (void)state;
    sotto_error error;
    sotto_reference_value value;
    const double rate = 0.01, sigma = 4.0, count = 10000.0;
    double least = HUGE_VAL;
    const int limit = (int)floor(sigma * sigma * -log(rate * sigma));
    for (int lambda = 1; lambda <= limit; lambda++) {
        const double alpha =
            count * rate * rate * lambda * (lambda + 1) / ((1.0 - rate) * sigma * sigma);
        least = fmin(least, (alpha - log(1e-5)) / lambda);
    }
    value = said(plan_of(sampled(rate, sigma, 10000)),
                 SOTTO_REFERENCE_MOMENTS_LEADING_TERM, 1e-5);
    assert_relative(value.epsilon_said, least, 1e-13);
    assert_int_equal(value.is_guarantee, 0);
    sotto_plan *plan =
        plan_of(sampled(0.2, 4.0, 10)); /* the rate is above 1/(16 sigma) */
    assert_refused(sotto_reference_epsilon(plan, SOTTO_REFERENCE_MOMENTS_LEADING_TERM,
                                           1e-5, &value, &error),
                   SOTTO_UNSUPPORTED, &error, "rate 0.2", "outside the lemma", NULL);
    sotto_plan_free(plan);
    plan = plan_of(gaussian(4.0, 10));
    assert_refused(sotto_reference_epsilon(plan, SOTTO_REFERENCE_MOMENTS_LEADING_TERM,
                                           1e-5, &value, &error),
                   SOTTO_UNSUPPORTED, &error, "gdp", NULL);
    sotto_plan_free(plan);
}

static void the_lecture_form_holds_below_one(void **state)
{
    (void)state;
    sotto_error error;
    sotto_reference_value value;
    for (int i = 1; i <= 6; i++) {
        const sotto_event event = approximate(0.0005 * i, 1e-9, 900);
        value = said(plan_of(event), SOTTO_REFERENCE_ADVANCED_LECTURE, 1e-5);
        assert_relative(value.epsilon_said, 0.001 * i * sqrt(1800.0 * -log(1e-5 - 9e-7)),
                        1e-12);
        assert_int_equal(value.is_guarantee, 1);
        const double drv = epsilon_of(plan_of(event), SOTTO_ADVANCED, 1e-5).epsilon;
        assert_true(value.epsilon_said >= drv); /* the drift is below the other half */
    }
    sotto_plan *plan = plan_of(pure(0.1, 100));
    assert_refused(sotto_reference_epsilon(plan, SOTTO_REFERENCE_ADVANCED_LECTURE, 1e-5,
                                           &value, &error),
                   SOTTO_UNSUPPORTED, &error, "below 1", NULL);
    assert_refused(sotto_reference_epsilon(plan, SOTTO_REFERENCE_ADVANCED_LECTURE, 0.9,
                                           &value, &error),
                   SOTTO_UNSUPPORTED, &error, "1/2", NULL);
    assert_refused(sotto_reference_epsilon(plan, (sotto_reference)9, 0.1, &value, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "reference is 9", NULL);
    assert_refused(
        sotto_reference_epsilon(plan, SOTTO_REFERENCE_CENTRAL_LIMIT, 1.0, &value, &error),
        SOTTO_INVALID_ARGUMENT, &error, "`delta` is 1", NULL);
    sotto_plan_free(plan);
    plan = plan_of(pure(0.1, 2), pure(0.2, 2));
    assert_refused(
        sotto_reference_epsilon(plan, SOTTO_REFERENCE_OPTIMAL_GRID, 1e-5, &value, &error),
        SOTTO_UNSUPPORTED, &error, "one epsilon", NULL);
    sotto_plan_free(plan);
}

/* ---- the course's noise ---- */

static double lecture(sotto_lecture_noise lemma, double epsilon, double delta,
                      double rate, uint64_t steps)
{
    sotto_error error;
    double noise;
    assert_ok(sotto_lecture_noise_multiplier(lemma, epsilon, delta, rate, steps, &noise,
                                             &error),
              &error);
    return noise;
}

/* 100 steps over 10^4 records with L = 1: 0.1489 on each coordinate of the mean gradient, whose
 * sensitivity is 2L/n, against 0.00932 for the exact account. */
static void the_lectures_noise_is_its_formula(void **state)
{
    (void)state;
    const double log_a = log(2.0 / 1e-6), log_b = log(2.5 * 100.0 / 1e-6);
    const double gd = lecture(SOTTO_LECTURE_DP_GD, 0.9, 1e-6, 1.0, 100);
    assert_relative(gd * 2e-4, sqrt(64.0 * 100.0 * log_a * log_b) / (1e4 * 0.9), 1e-12);
    assert_relative(gd * 2e-4, 0.1489, 1e-3);
    const double n = 1e4, steps = 1e8;
    const double sgd = lecture(SOTTO_LECTURE_DP_SGD, 0.9, 1e-6, 1.0 / n, 100000000);
    assert_relative(
        2.0 * sgd, sqrt(64.0 * steps * log_a * log(2.5 * steps / (1e-6 * n))) / (n * 0.9),
        1e-9);
    const double corrected =
        lecture(SOTTO_LECTURE_DP_SGD_CORRECTED, 0.9, 1e-6, 1.0 / n, 100000000);
    assert_within(corrected, sgd * 1.03, sgd * 1.06); /* what was lost to first order */
    assert_relative(lecture(SOTTO_LECTURE_MOMENTS, 3.0, 1e-5, 0.01, 10000),
                    2.0 * 0.01 * sqrt(1e4 * log(1e5)) / 3.0, 1e-13);
    assert_string_equal(sotto_lecture_noise_name(SOTTO_LECTURE_MOMENTS), "theorem-15.8");
    assert_string_equal(sotto_lecture_noise_name((sotto_lecture_noise)9), "unknown");
}

/* What the course proves is true: its noise costs at most the target, by far. */
static void the_lectures_theorems_keep_their_promise(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        const double epsilon = 0.05 * (i + 0.5);
        const double delta = pow(10.0, -3.0 - i % 5);
        const uint64_t steps = UINT64_C(10) << i;
        const double gd = lecture(SOTTO_LECTURE_DP_GD, epsilon, delta, 1.0, steps);
        assert_true(epsilon_of(plan_of(gaussian(gd, steps)), SOTTO_EXACT, delta).epsilon <
                    0.2 * epsilon);
        const double rate = 1.0 / sqrt((double)steps);
        const double sgd =
            lecture(SOTTO_LECTURE_DP_SGD_CORRECTED, epsilon, delta, rate, steps);
        assert_true(
            epsilon_of(plan_of(sampled(rate, sgd, steps)), SOTTO_EXACT, delta).epsilon <
            0.2 * epsilon);
    }
}

static void the_lectures_conditions_are_checked(void **state)
{
    (void)state;
    sotto_error error;
    double noise;
    const struct {
        sotto_lecture_noise lemma;
        double epsilon, delta, rate;
        uint64_t steps;
        sotto_status status;
        const char *word;
    } bad[] = {
        {SOTTO_LECTURE_DP_GD, 1.0, 1e-6, 1.0, 10, SOTTO_UNSUPPORTED, "below 1"},
        {SOTTO_LECTURE_DP_GD, 0.5, 1e-6, 0.1, 10, SOTTO_UNSUPPORTED, "all records"},
        {SOTTO_LECTURE_DP_SGD, 0.5, 1e-6, 1.0, 10, SOTTO_UNSUPPORTED, "sampled"},
        {SOTTO_LECTURE_DP_SGD, 0.5, 1e-3, 1e-6, 10, SOTTO_UNSUPPORTED, "not below 1"},
        {SOTTO_LECTURE_DP_SGD_CORRECTED, 0.9, 1e-6, 1e-3, 10, SOTTO_UNSUPPORTED,
         "base release"},
        {SOTTO_LECTURE_MOMENTS, 0.0, 1e-6, 0.1, 10, SOTTO_INVALID_ARGUMENT,
         "`epsilon` is 0"},
        {SOTTO_LECTURE_MOMENTS, 1.0, 0.0, 0.1, 10, SOTTO_INVALID_ARGUMENT,
         "`delta` is 0"},
        {SOTTO_LECTURE_MOMENTS, 1.0, 1e-6, 2.0, 10, SOTTO_INVALID_ARGUMENT,
         "`rate` is 2"},
        {SOTTO_LECTURE_MOMENTS, 1.0, 1e-6, 0.1, 0, SOTTO_INVALID_ARGUMENT,
         "`steps` is 0"},
        {(sotto_lecture_noise)9, 1.0, 1e-6, 0.1, 10, SOTTO_INVALID_ARGUMENT,
         "lemma is 9"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(sotto_lecture_noise_multiplier(bad[i].lemma, bad[i].epsilon,
                                                      bad[i].delta, bad[i].rate,
                                                      bad[i].steps, &noise, &error),
                       bad[i].status, &error, bad[i].word, NULL);
    }
}

/* ---- rate ---- */

static void the_rate_found_is_the_largest_that_is_certified(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_accountant accountants[] = {SOTTO_EXACT, SOTTO_RDP, SOTTO_MOMENTS,
                                            SOTTO_ADVANCED, SOTTO_BASIC};
    for (size_t i = 0; i < sizeof accountants / sizeof accountants[0]; i++) {
        double rate;
        sotto_account account;
        sotto_plan *plan = plan_of(sampled(SOTTO_UNSET, 6.0, 400), pure(0.05, 2));
        if (accountants[i] == SOTTO_MOMENTS) {
            sotto_plan_free(plan);
            plan = plan_of(sampled(SOTTO_UNSET, 6.0, 400));
        }
        assert_ok(
            sotto_account_rate(plan, accountants[i], 1.0, 1e-6, &rate, &account, &error),
            &error);
        assert_true(account.epsilon <= 1.0 && rate < 1.0);
        const sotto_event more = sampled(rate * (1.0 + 2e-6), 6.0, 400);
        const double beyond =
            accountants[i] == SOTTO_MOMENTS
                ? epsilon_of(plan_of(more), SOTTO_MOMENTS, 1e-6).epsilon
                : epsilon_of(plan_of(more, pure(0.05, 2)), accountants[i], 1e-6).epsilon;
        assert_true(beyond > 1.0);
        sotto_plan_free(plan);
    }
}

static void a_rate_of_one_is_found_where_it_is_allowed(void **state)
{
    (void)state;
    sotto_error error;
    double rate;
    sotto_account account;
    sotto_plan *plan = plan_of(sampled(SOTTO_UNSET, 100.0, 3));
    assert_ok(sotto_account_rate(plan, SOTTO_EXACT, 1.0, 1e-5, &rate, &account, &error),
              &error);
    assert_true(rate == 1.0);
    sotto_plan_free(plan);
    plan = plan_of(sampled(SOTTO_UNSET, 1.0, 1000), pure(3.0, 1));
    assert_refused(
        sotto_account_rate(plan, SOTTO_EXACT, 1.0, 1e-6, &rate, &account, &error),
        SOTTO_UNREACHABLE, &error, "cannot be reached", NULL);
    assert_refused(
        sotto_account_rate(plan, SOTTO_EXACT, -1.0, 1e-6, &rate, &account, &error),
        SOTTO_INVALID_ARGUMENT, &error, "`epsilon` is -1", NULL);
    assert_refused(
        sotto_account_rate(plan, SOTTO_EXACT, 1.0, 0.0, &rate, &account, &error),
        SOTTO_INVALID_ARGUMENT, &error, "`delta` is 0", NULL);
    assert_refused(sotto_account_epsilon(plan, SOTTO_EXACT, 1e-6, &account, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "rate open", "account rate", NULL);
    sotto_plan_free(plan);
    plan = plan_of(sampled(0.1, 1.0, 10));
    assert_refused(
        sotto_account_rate(plan, SOTTO_EXACT, 1.0, 1e-6, &rate, &account, &error),
        SOTTO_INVALID_ARGUMENT, &error, "no event", "search", NULL);
    sotto_plan_free(plan);
}

static void an_open_rate_is_written_and_read_as_search(void **state)
{
    (void)state;
    sotto_error error;
    char *json;
    sotto_plan *plan = plan_of(sampled(SOTTO_UNSET, 1.5, 10));
    assert_ok(sotto_plan_to_json(plan, &json, &error), &error);
    assert_non_null(strstr(json, "\"rate\":\"search\""));
    sotto_plan_free(plan);
    assert_ok(sotto_plan_parse(json, strlen(json), &plan, &error), &error);
    assert_true(isnan(sotto_plan_event(plan, 0)->rate));
    assert_int_equal(sotto_plan_event(plan, 0)->sampling, SOTTO_POISSON);
    sotto_plan_free(plan);
    sotto_free(json);
}

/* ---- memory ---- */

typedef sotto_status (*question)(const sotto_plan *plan, double *out, sotto_error *error);

static sotto_status ask_rate(const sotto_plan *plan, double *out, sotto_error *error)
{
    sotto_account account;
    return sotto_account_rate(plan, SOTTO_BASIC, 30.0, 1e-3, out, &account, error);
}

static sotto_status ask_optimal(const sotto_plan *plan, double *out, sotto_error *error)
{
    sotto_account account;
    const sotto_status status =
        sotto_account_delta(plan, SOTTO_OPTIMAL, 2.0, &account, error);
    *out = account.delta;
    return status;
}

static sotto_status ask_grid(const sotto_plan *plan, double *out, sotto_error *error)
{
    sotto_reference_value value;
    const sotto_status status =
        sotto_reference_epsilon(plan, SOTTO_REFERENCE_OPTIMAL_GRID, 1e-4, &value, error);
    *out = value.epsilon_said;
    return status;
}

static sotto_status ask_simple(const sotto_plan *plan, double *out, sotto_error *error)
{
    sotto_reference_value value;
    const sotto_status status = sotto_reference_epsilon(
        plan, SOTTO_REFERENCE_OPTIMAL_SIMPLE, 1e-4, &value, error);
    *out = value.epsilon_said;
    return status;
}

static void failed_allocations_never_change_an_answer(void **state)
{
    (void)state;
    const struct {
        question ask;
        sotto_event event;
    } calls[] = {{ask_rate, sampled(SOTTO_UNSET, 2.0, 3)},
                 {ask_optimal, gaussian(9.0, 4)},
                 {ask_optimal, pure(0.3, 9)},
                 {ask_grid, pure(0.3, 9)},
                 {ask_simple, gaussian(9.0, 4)}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        sotto_error error;
        double right = 0.0, value = 0.0;
        sotto_plan *plan = plan_of(calls[i].event);
        assert_ok(calls[i].ask(plan, &right, &error), &error);
        size_t failures = 0;
        for (size_t n = 1;; n = n < 40 ? n + 1 : n + n / 3) {
            (void)sot_test_fail_allocation(n);
            const sotto_status status = calls[i].ask(plan, &value, &error);
            const size_t asked = sot_test_fail_allocation(0);
            if (status == SOTTO_OK) {
                assert_true(value == right);
            } else {
                assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
                failures++;
            }
            if (asked < n) break;
        }
        assert_true(failures > 0);
        sotto_plan_free(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_vectors_are_met),
        cmocka_unit_test(amplification_is_sound_at_every_size),
        cmocka_unit_test(group_privacy_is_the_chain_of_its_rows),
        cmocka_unit_test(the_central_limit_may_be_too_small_and_says_so),
        cmocka_unit_test(the_leading_term_is_the_formula_within_its_lemma),
        cmocka_unit_test(the_lecture_form_holds_below_one),
        cmocka_unit_test(the_lectures_noise_is_its_formula),
        cmocka_unit_test(the_lectures_theorems_keep_their_promise),
        cmocka_unit_test(the_lectures_conditions_are_checked),
        cmocka_unit_test(the_rate_found_is_the_largest_that_is_certified),
        cmocka_unit_test(a_rate_of_one_is_found_where_it_is_allowed),
        cmocka_unit_test(an_open_rate_is_written_and_read_as_search),
        cmocka_unit_test(failed_allocations_never_change_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
