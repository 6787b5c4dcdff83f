#include "privacy/mechanisms/release.h"

#include <sotto/randomized_response.h>

#include "privacy/mechanisms/gate/tape.h"

enum { PEOPLE = 60000, CATEGORIES_MOST = 64 };

static sotto_randomized_response_config plain_config(double epsilon, uint32_t categories)
{
    sotto_randomized_response_config config = sotto_randomized_response_defaults();
    config.epsilon = epsilon;
    config.categories = categories;
    config.adjacency = SOTTO_REPLACE_ONE;
    config.purpose = "favourite colour";
    return config;
}

static sotto_coin_survey_config two_coins(uint64_t t, uint64_t of, uint64_t y,
                                          uint64_t out_of)
{
    sotto_coin_survey_config config = sotto_coin_survey_defaults();
    config.truth_numerator = t;
    config.truth_denominator = of;
    config.yes_numerator = y;
    config.yes_denominator = out_of;
    config.adjacency = SOTTO_REPLACE_ONE;
    config.purpose = "have you ever?";
    return config;
}

static sotto_event response_event(const sotto_randomized_response_config *config)
{
    sotto_event event;
    sotto_error error;
    assert_ok(sotto_randomized_response_event(config, &event, &error), &error);
    return event;
}

static sotto_event coin_event(const sotto_coin_survey_config *config)
{
    sotto_event event;
    sotto_error error;
    assert_ok(sotto_coin_survey_event(config, &event, &error), &error);
    return event;
}

static sotto_coin_survey_config survey_of(const json_t *it)
{
    const sot_ratio truth = decimal_ratio(json_object_get(it, "p_truth"));
    const sot_ratio yes = decimal_ratio(json_object_get(it, "p_yes_if_random"));
    return two_coins(truth.numerator, truth.denominator, yes.numerator, yes.denominator);
}

/* ---- the vectors ---- */

static void k_ary_formulas_are_those_of_the_vectors(void **state)
{
    (void)state;
    sotto_error error;
    json_t *root = NULL;
    const json_t *cases = load_cases("krr", &root);
    assert_int_equal(json_array_size(cases), 5);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *it = json_array_get(cases, i);
        const sotto_randomized_response_config config =
            plain_config(json_decimal(json_object_get(it, "epsilon")),
                         (uint32_t)json_integer_value(json_object_get(it, "k")));
        const uint64_t n = (uint64_t)json_integer_value(json_object_get(it, "n"));
        const json_t *each = json_object_get(it, "per_category");
        assert_true(json_array_size(each) > 0);
        for (size_t j = 0; j < json_array_size(each); j++) {
            const json_t *at = json_array_get(each, j);
            sotto_response_outlook got;
            assert_ok(sotto_randomized_response_outlook(
                          &config,
                          json_number_value(json_object_get(at, "true_frequency")), n,
                          &got, &error),
                      &error);
#define EXPECT(field, where, name)                                                       \
    assert_relative(got.field, json_number_value(json_object_get(where, name)), 1e-12)
            EXPECT(truth, it, "p_truth");
            EXPECT(other, it, "q_each_other");
            EXPECT(report_frequency, at, "expected_report_frequency");
            EXPECT(variance, at, "var_fixed_data");
            EXPECT(variance_population, at, "var_iid_population");
#undef EXPECT
        }
    }
    json_decref(root);
}

static void k_ary_estimates_are_those_of_the_vectors(void **state)
{
    (void)state;
    sotto_error error;
    json_t *root = NULL;
    const json_t *cases = load_cases("krr_estimate", &root);
    assert_int_equal(json_array_size(cases), 3);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *it = json_array_get(cases, i);
        const json_t *counts = json_object_get(it, "counts");
        const json_t *estimates = json_object_get(it, "estimates");
        const sotto_randomized_response_config config =
            plain_config(json_decimal(json_object_get(it, "epsilon")),
                         (uint32_t)json_integer_value(json_object_get(it, "k")));
        uint64_t reports[8];
        sotto_frequency got[8];
        assert_in_range(config.categories, 2, 8);
        for (size_t j = 0; j < config.categories; j++)
            reports[j] = (uint64_t)json_integer_value(json_array_get(counts, j));
        assert_ok(sotto_randomized_response_estimate(&config, reports, 0.95,
                                                     SOTTO_INTERVAL_EXACT, got, &error),
                  &error);
        double sum = 0.0;
        for (size_t j = 0; j < config.categories; j++) {
            /* Differences of numbers near 1: absolute accuracy. */
            assert_within(got[j].estimate -
                              json_number_value(json_array_get(estimates, j)),
                          -1e-13, 1e-13);
            sum += got[j].estimate;
        }
        assert_within(sum, 1.0 - 1e-12, 1.0 + 1e-12);
    }
    json_decref(root);
}

static void coin_surveys_are_those_of_the_vectors(void **state)
{
    (void)state;
    sotto_error error;
    json_t *root = NULL;
    const json_t *cases = load_cases("coin_survey", &root);
    assert_int_equal(json_array_size(cases), 4);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *it = json_array_get(cases, i);
        const sotto_coin_survey_config config = survey_of(it);
        const double epsilon = json_number_value(json_object_get(it, "epsilon"));
        double upper = 0.0;
        assert_ok(sotto_coin_survey_epsilon(&config, &upper, &error), &error);
        assert_within(upper, epsilon, epsilon * (1.0 + 4e-15));
        const sotto_event event = coin_event(&config);
        assert_int_equal(event.mechanism, SOTTO_RANDOMIZED_RESPONSE);
        assert_int_equal(event.categories, 2);
        assert_true(event.epsilon == upper);
        sotto_response_outlook outlook;
        assert_ok(sotto_coin_survey_outlook(&config, 0.25, 1000, &outlook, &error),
                  &error);
        assert_relative(outlook.truth,
                        json_number_value(json_object_get(it, "P_yes_given_yes")), 1e-15);
        assert_relative(outlook.other,
                        json_number_value(json_object_get(it, "P_yes_given_no")), 1e-15);
        sotto_frequency got;
        assert_ok(sotto_coin_survey_estimate(
                      &config, (uint64_t)json_integer_value(json_object_get(it, "yes")),
                      (uint64_t)json_integer_value(json_object_get(it, "n")), 0.95,
                      SOTTO_INTERVAL_NORMAL, &got, &error),
                  &error);
        assert_within(got.estimate - json_number_value(json_object_get(it, "estimate")),
                      -1e-14, 1e-14);
    }
    json_decref(root);
    /* A yes-coin that favours "yes" makes a "no" the telling report: ln(1 + (1/2)/(1/8)) = ln 5. */
    const sotto_coin_survey_config telling = two_coins(1, 2, 3, 4);
    double upper = 0.0;
    assert_ok(sotto_coin_survey_epsilon(&telling, &upper, &error), &error);
    assert_within(upper, log(5.0) * (1.0 - 1e-16), log(5.0) * (1.0 + 4e-15));
    const sotto_coin_survey_config fine =
        two_coins((UINT64_C(1) << 31) - 2, UINT64_C(1) << 31, 1, UINT64_C(1) << 31);
    assert_ok(sotto_coin_survey_epsilon(&fine, &upper, &error), &error);
    const double exact = log1p(0x1.fffffff8p+30 * 0x1p31 / 2.0);
    assert_within(upper, exact * (1.0 - 1e-15), exact * (1.0 + 1e-14));
}

/* ---- the draw ---- */

/* Reports of people who all have the same answer. */
static void tally_reports(const sotto_randomized_response_config *config, uint32_t answer,
                          uint64_t seed, double *out_seen)
{
    sotto_error error;
    uint32_t *answers = malloc(PEOPLE * sizeof *answers);
    assert_non_null(answers);
    for (size_t i = 0; i < PEOPLE; i++)
        answers[i] = answer;
    const release at = open_gate(SOTTO_REPLACE_ONE, response_event(config), 1, seed);
    assert_ok(sotto_randomized_response_release(at.gate, config, answers, PEOPLE, answers,
                                                &error),
              &error);
    finish_gate(at);
    memset(out_seen, 0, config->categories * sizeof *out_seen);
    for (size_t i = 0; i < PEOPLE; i++) {
        assert_true(answers[i] < config->categories);
        out_seen[answers[i]] += 1.0;
    }
    free(answers);
}

/* False alarms: 1e-6 a comparison. */
static void k_ary_reports_have_their_exact_law(void **state)
{
    (void)state;
    sotto_error error;
    json_t *root = NULL;
    const json_t *cases = load_cases("krr", &root);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *it = json_array_get(cases, i);
        const sotto_randomized_response_config config =
            plain_config(json_decimal(json_object_get(it, "epsilon")),
                         (uint32_t)json_integer_value(json_object_get(it, "k")));
        sotto_response_outlook channel;
        assert_ok(sotto_randomized_response_outlook(&config, 0.5, 1, &channel, &error),
                  &error);
        const uint32_t answers[] = {0, config.categories - 1, config.categories,
                                    UINT32_MAX};
        for (uint64_t j = 0; j < 4; j++) {
            double law[CATEGORIES_MOST], seen[CATEGORIES_MOST];
            for (uint32_t v = 0; v < config.categories; v++) {
                law[v] = v == answers[j] ? channel.truth : channel.other;
                if (j >= 2) law[v] = 1.0 / config.categories; /* no category: at random */
            }
            tally_reports(&config, answers[j], 1000 + 10 * i + j, seen);
            assert_same_law(chi_square_p(seen, law, config.categories, PEOPLE));
        }
    }
    json_decref(root);
}

static void coin_reports_have_their_exact_law(void **state)
{
    (void)state;
    sotto_error error;
    json_t *root = NULL;
    const json_t *cases = load_cases("coin_survey", &root);
    uint32_t *answers = malloc(3 * PEOPLE * sizeof *answers);
    uint32_t *reports = malloc(3 * PEOPLE * sizeof *reports);
    assert_non_null(answers);
    assert_non_null(reports);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const sotto_coin_survey_config config = survey_of(json_array_get(cases, i));
        sotto_response_outlook channel;
        assert_ok(sotto_coin_survey_outlook(&config, 0.5, 1, &channel, &error), &error);
        const double yes_coin =
            (double)config.yes_numerator / (double)config.yes_denominator;
        const double yes[3] = {channel.other, channel.truth,
                               yes_coin}; /* no, yes, neither */
        for (size_t j = 0; j < 3 * PEOPLE; j++)
            answers[j] = (uint32_t)(j % 3);
        const release at = open_gate(SOTTO_REPLACE_ONE, coin_event(&config), 1, 1100 + i);
        assert_ok(sotto_coin_survey_release(at.gate, &config, answers, 3 * PEOPLE,
                                            reports, &error),
                  &error);
        finish_gate(at);
        double seen[3][2] = {{0}};
        for (size_t j = 0; j < 3 * PEOPLE; j++)
            seen[j % 3][reports[j]] += 1.0;
        for (size_t j = 0; j < 3; j++) {
            const double law[2] = {1.0 - yes[j], yes[j]};
            assert_same_law(chi_square_p(seen[j], law, 2, PEOPLE));
        }
    }
    free(answers);
    free(reports);
    json_decref(root);
}

/* What is no category keeps the promise too: against every answer, every report. */
static void an_unknown_answer_keeps_epsilon(void **state)
{
    (void)state;
    sotto_error error;
    for (uint32_t k = 2; k <= 50; k += 7) {
        for (double epsilon = 0.01; epsilon < 20.0; epsilon *= 2.5) {
            const sotto_randomized_response_config config = plain_config(epsilon, k);
            sotto_response_outlook by;
            assert_ok(sotto_randomized_response_outlook(&config, 0.5, 1, &by, &error),
                      &error);
            assert_true(log(by.truth * k) <= epsilon && -log(by.other * k) <= epsilon);
        }
    }
    for (uint64_t t = 1; t < 12; t++) {
        for (uint64_t y = 1; y < 12; y++) {
            const sotto_coin_survey_config config = two_coins(t, 12, y, 12);
            double epsilon = 0.0;
            sotto_response_outlook by;
            assert_ok(sotto_coin_survey_epsilon(&config, &epsilon, &error), &error);
            assert_ok(sotto_coin_survey_outlook(&config, 0.5, 1, &by, &error), &error);
            const double yes[3] = {by.truth, by.other, (double)y / 12.0};
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    assert_true(log(yes[a] / yes[b]) <= epsilon * (1.0 + 1e-14));
                    assert_true(log((1.0 - yes[a]) / (1.0 - yes[b])) <=
                                epsilon * (1.0 + 1e-13));
                }
            }
        }
    }
}

/* ---- intervals ---- */

/* With coins that nearly always tell the truth the interval is that of the reports themselves. */
static void exact_intervals_are_those_of_the_vectors(void **state)
{
    (void)state;
    sotto_error error;
    json_error_t problem;
    json_t *root = json_load_file(SOTTO_TEST_VECTORS "/pate_audit.json", 0, &problem);
    assert_non_null(root);
    const json_t *cases = json_object_get(root, "clopper_pearson");
    assert_true(json_array_size(cases) > 3);
    const sotto_coin_survey_config config =
        two_coins((UINT64_C(1) << 31) - 1, UINT64_C(1) << 31, 1, UINT64_C(1) << 31);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *it = json_array_get(cases, i);
        /* The vectors give each side its own alpha. */
        const double alpha = json_number_value(json_object_get(it, "alpha"));
        if (alpha > 0.25) continue;
        sotto_frequency got;
        assert_ok(sotto_coin_survey_estimate(
                      &config, (uint64_t)json_integer_value(json_object_get(it, "k")),
                      (uint64_t)json_integer_value(json_object_get(it, "n")),
                      1.0 - 2.0 * alpha, SOTTO_INTERVAL_EXACT, &got, &error),
                  &error);
        const double lower = json_number_value(json_object_get(it, "lower"));
        const double upper = json_number_value(json_object_get(it, "upper"));
        assert_within(got.lower - lower, -2e-9, 2e-9);
        assert_within(got.upper - upper, -2e-9, 2e-9);
    }
    json_decref(root);
}

/* 1500 surveys of 400 people of a population in which 30 % would say yes, two fair coins, 95 %. Exact
 * intervals cover at least as often as stated: at most 1425 - 5.5 standard deviations would be missing
 * with probability 2e-8. Normal ones about as often. */
static void intervals_cover_as_often_as_stated(void **state)
{
    (void)state;
    enum { SURVEYS = 1500, CROWD = 400 };
    sotto_error error;
    const sotto_coin_survey_config config = two_coins(1, 2, 1, 2);
    const release at = open_gate(SOTTO_REPLACE_ONE, coin_event(&config), SURVEYS, 1200);
    sotto_rng *people = test_rng(1201);
    int covered[2] = {0, 0};
    double mean = 0.0, squares = 0.0, variance = 0.0;
    for (int i = 0; i < SURVEYS; i++) {
        uint32_t answers[CROWD];
        uint64_t yes = 0;
        for (int j = 0; j < CROWD; j++)
            answers[j] = sot_rng_below(people, 10) < 3 ? 1 : 0;
        assert_ok(
            sotto_coin_survey_release(at.gate, &config, answers, CROWD, answers, &error),
            &error);
        for (int j = 0; j < CROWD; j++)
            yes += answers[j];
        for (int kind = 0; kind < 2; kind++) {
            sotto_frequency got;
            assert_ok(sotto_coin_survey_estimate(&config, yes, CROWD, 0.95,
                                                 kind == 0 ? SOTTO_INTERVAL_EXACT
                                                           : SOTTO_INTERVAL_NORMAL,
                                                 &got, &error),
                      &error);
            covered[kind] += got.lower <= 0.3 && 0.3 <= got.upper ? 1 : 0;
            mean += got.estimate / (2.0 * SURVEYS);
            squares += (got.estimate - 0.3) * (got.estimate - 0.3) / (2.0 * SURVEYS);
            variance += got.variance_population / (2.0 * SURVEYS);
        }
    }
    assert_true(covered[0] >= 1425 - 47);
    assert_in_range(covered[1], 1425 - 60, 1425 + 47);
    assert_within(mean, 0.3 - 5.5 * sqrt(0.0024 / SURVEYS),
                  0.3 + 5.5 * sqrt(0.0024 / SURVEYS));
    assert_relative(squares, 0.0024, 5.5 * sqrt(2.0 / SURVEYS)); /* .4 * .6 / (400 / 4) */
    assert_relative(variance, 0.0024, 0.02);
    sotto_rng_free(people);
    finish_gate(at);
}

static void intervals_lie_within_zero_and_one(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_randomized_response_config config = plain_config(0.5, 3);
    const uint64_t reports[][3] = {{0, 0, 50}, {50, 0, 0}, {1, 1, 1}, {1 << 20, 3, 0}};
    for (size_t i = 0; i < 4; i++) {
        for (int kind = SOTTO_INTERVAL_EXACT; kind <= SOTTO_INTERVAL_NORMAL; kind++) {
            sotto_frequency got[3];
            assert_ok(sotto_randomized_response_estimate(
                          &config, reports[i], 0.99, (sotto_interval)kind, got, &error),
                      &error);
            for (size_t j = 0; j < 3; j++) {
                assert_true(0.0 <= got[j].lower && got[j].lower <= got[j].upper);
                assert_true(got[j].upper <= 1.0);
                assert_true(got[j].variance >= 0.0 &&
                            got[j].variance <= got[j].variance_population);
            }
        }
    }
}

/* ---- refusals, memory, tape ---- */

static void settings_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    sotto_randomized_response_config bad = sotto_randomized_response_defaults();
    assert_refused(sotto_randomized_response_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "categories", NULL);
    bad = plain_config(SOTTO_UNSET, 3);
    assert_refused(sotto_randomized_response_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "epsilon", NULL);
    bad = plain_config(1.0, 3);
    bad.adjacency = SOTTO_ADD_REMOVE;
    assert_refused(sotto_randomized_response_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "replace-one", NULL);
    bad = plain_config(1.0, 3);
    bad.purpose = NULL;
    assert_refused(sotto_randomized_response_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "purpose", NULL);
    const uint64_t wrong[][4] = {{0, 2, 1, 2},
                                 {2, 2, 1, 2},
                                 {1, 0, 1, 2},
                                 {1, 2, 0, 2},
                                 {1, 2, 2, 2},
                                 {1, 2, 1, 0},
                                 {1, (UINT64_C(1) << 31) + 1, 1, 2}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const sotto_coin_survey_config coins =
            two_coins(wrong[i][0], wrong[i][1], wrong[i][2], wrong[i][3]);
        double epsilon = 0.0;
        sotto_frequency frequency;
        sotto_response_outlook outlook;
        const char *which = i < 3 || i == 6 ? "truth" : "yes";
        assert_refused(sotto_coin_survey_epsilon(&coins, &epsilon, &error),
                       SOTTO_INVALID_ARGUMENT, &error, which, NULL);
        assert_refused(sotto_coin_survey_event(&coins, &event, &error),
                       SOTTO_INVALID_ARGUMENT, &error, which, NULL);
        assert_refused(sotto_coin_survey_estimate(&coins, 1, 2, 0.9, SOTTO_INTERVAL_EXACT,
                                                  &frequency, &error),
                       SOTTO_INVALID_ARGUMENT, &error, which, NULL);
        assert_refused(sotto_coin_survey_outlook(&coins, 0.5, 2, &outlook, &error),
                       SOTTO_INVALID_ARGUMENT, &error, which, NULL);
    }
    sotto_coin_survey_config coins = two_coins(1, 2, 1, 2);
    coins.adjacency = SOTTO_ADD_REMOVE;
    assert_refused(sotto_coin_survey_event(&coins, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "replace-one", NULL);
}

static void estimates_of_nothing_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_frequency got[2];
    sotto_response_outlook outlook;
    const sotto_coin_survey_config coins = two_coins(1, 2, 1, 2);
    const sotto_randomized_response_config config = plain_config(1.0, 2);
    const uint64_t none[] = {0, 0};
    const uint64_t many[] = {UINT64_MAX, 2};
    assert_refused(sotto_randomized_response_estimate(&config, none, 0.95,
                                                      SOTTO_INTERVAL_EXACT, got, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "0 reports", NULL);
    assert_refused(sotto_randomized_response_estimate(&config, many, 0.95,
                                                      SOTTO_INTERVAL_EXACT, got, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "2^33", NULL);
    assert_refused(
        sotto_coin_survey_estimate(&coins, 3, 2, 0.95, SOTTO_INTERVAL_EXACT, got, &error),
        SOTTO_INVALID_ARGUMENT, &error, "yes", NULL);
    for (int i = 0; i < 3; i++) {
        const double confidences[] = {0.49, 1.0, SOTTO_UNSET};
        assert_refused(sotto_coin_survey_estimate(&coins, 1, 2, confidences[i],
                                                  SOTTO_INTERVAL_EXACT, got, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "confidence", NULL);
    }
    assert_refused(
        sotto_coin_survey_estimate(&coins, 1, 2, 0.9, SOTTO_INTERVAL_UNSET, got, &error),
        SOTTO_INVALID_ARGUMENT, &error, "interval", NULL);
    assert_refused(sotto_coin_survey_outlook(&coins, 1.5, 2, &outlook, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "frequency", NULL);
    assert_refused(sotto_randomized_response_outlook(&config, 0.5, 0, &outlook, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "0 people", NULL);
    const sotto_randomized_response_config unset = sotto_randomized_response_defaults();
    assert_refused(sotto_randomized_response_outlook(&unset, 0.5, 1, &outlook, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "categories", NULL);
    assert_refused(sotto_randomized_response_estimate(&unset, none, 0.95,
                                                      SOTTO_INTERVAL_EXACT, got, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "categories", NULL);
}

/* The number of answers is public, and may be 0: that is known after the charge, which must not be lost. */
static void no_answers_are_a_release_too(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_randomized_response_config config = plain_config(1.0, 3);
    release at = shut_gate(SOTTO_REPLACE_ONE, response_event(&config), 1, 1299);
    assert_ok(sotto_gate_open(at.gate, &error), &error);
    assert_ok(sotto_randomized_response_release(at.gate, &config, NULL, 0, NULL, &error),
              &error);
    assert_refused(
        sotto_randomized_response_release(at.gate, &config, NULL, 0, NULL, &error),
        SOTTO_NOT_IN_PLAN, &error, NULL);
    finish_gate(at);
}

static void what_is_not_planned_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    const uint32_t answers[] = {0, 2, 1};
    uint32_t reports[] = {9, 9, 9};
    const sotto_randomized_response_config config = plain_config(1.0, 3);
    release at = shut_gate(SOTTO_REPLACE_ONE, response_event(&config), 1, 1300);
#define RELEASE(settings, count)                                                         \
    sotto_randomized_response_release(at.gate, &(settings), answers, count, reports,     \
                                      &error)
    assert_refused(RELEASE(config, 3), SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_ok(sotto_gate_open(at.gate, &error), &error);
    const sotto_randomized_response_config other = plain_config(1.0, 4);
    assert_refused(RELEASE(other, 3), SOTTO_NOT_IN_PLAN, &error, NULL);
    (void)sot_test_fail_allocation(1);
    assert_refused(RELEASE(config, 3), SOTTO_OUT_OF_MEMORY, &error, NULL);
    (void)sot_test_fail_allocation(0);
    assert_true(reports[0] == 9 && reports[1] == 9 && reports[2] == 9);
    assert_ok(RELEASE(config, 3), &error);
    assert_refused(RELEASE(config, 3), SOTTO_NOT_IN_PLAN, &error, NULL);
    finish_gate(at);

    at = open_gate(SOTTO_ADD_REMOVE, response_event(&config), 1, 1301);
    assert_refused(RELEASE(config, 3), SOTTO_NOT_IN_PLAN, &error, "replace-one", NULL);
#undef RELEASE
    free_gate(at);
}

static void the_tape_counts_the_people(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_randomized_response_config config = plain_config(1.0, 3);
    const struct {
        size_t count;
        uint32_t answers[4];
        bool is_neighbour;
    } data[] = {{3, {0, 2, 1}, true},
                {3, {2, 2, 1}, true},
                {3, {0, UINT32_MAX, 1}, true}, /* an unknown category */
                {3, {2, 0, 1}, false},         /* two people */
                {4, {0, 2, 1, 1}, false}};     /* one more */
    for (size_t other = 0; other < sizeof data / sizeof data[0]; other++) {
        sot_tape *tape = sot_tape_new();
        assert_non_null(tape);
        uint32_t reports[2][4] = {{0}};
        for (size_t i = 0; i < 2; i++) {
            const size_t which = i == 0 ? 0 : other;
            if (i == 0) sot_tape_record(tape);
            if (i == 1) sot_tape_replay(tape, false);
            const release at =
                open_gate(SOTTO_REPLACE_ONE, response_event(&config), 1, 1310);
            assert_ok(
                sotto_randomized_response_release(at.gate, &config, data[which].answers,
                                                  data[which].count, reports[i], &error),
                &error);
            sot_tape_stop(tape);
            free_gate(at);
        }
        assert_true((sot_tape_difference(tape) == NULL) == data[other].is_neighbour);
        if (data[other].is_neighbour)
            assert_memory_equal(reports[0], reports[1], sizeof reports[0]);
        sot_tape_free(tape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_ary_formulas_are_those_of_the_vectors),
        cmocka_unit_test(k_ary_estimates_are_those_of_the_vectors),
        cmocka_unit_test(coin_surveys_are_those_of_the_vectors),
        cmocka_unit_test(k_ary_reports_have_their_exact_law),
        cmocka_unit_test(coin_reports_have_their_exact_law),
        cmocka_unit_test(an_unknown_answer_keeps_epsilon),
        cmocka_unit_test(exact_intervals_are_those_of_the_vectors),
        cmocka_unit_test(intervals_cover_as_often_as_stated),
        cmocka_unit_test(intervals_lie_within_zero_and_one),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(estimates_of_nothing_are_refused),
        cmocka_unit_test(no_answers_are_a_release_too),
        cmocka_unit_test(what_is_not_planned_is_refused),
        cmocka_unit_test(the_tape_counts_the_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
