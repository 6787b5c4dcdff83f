/* Plans come from settings and schema alone; what makes no sense is refused before anything. */
#include "support.h"

#include <sotto/release.h>

static const char schema_text[] =
    "{\"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": -2, \"upper\": 10},"
    "{\"name\": \"k\", \"type\": \"integer\", \"lower\": 0, \"upper\": 9},"
    "{\"name\": \"big\", \"type\": \"integer\", \"lower\": 0, \"upper\": 4000000},"
    "{\"name\": \"c\", \"type\": \"category\", \"values\": [\"red\", \"green\"]},"
    "{\"name\": \"one\", \"type\": \"category\", \"values\": [\"only\"]},"
    "{\"name\": \"b\", \"type\": \"boolean\"},"
    "{\"name\": \"w\", \"type\": \"number\"},"
    "{\"name\": \"id\", \"type\": \"id\"}, {\"name\": \"no\", \"type\": \"ignore\"}]}";

static sotto_schema *make_schema(void)
{
    sotto_error error;
    sotto_schema *schema;
    assert_ok(sotto_schema_parse("s", schema_text, strlen(schema_text), &schema, &error),
              &error);
    return schema;
}

static sotto_release_config plain(sotto_statistic statistic, const char *column)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = statistic;
    config.column = column;
    config.epsilon = 0.75;
    return config;
}

static void refuse(const sotto_release_config *config, const char *word)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_schema *schema = make_schema();
    assert_refused(sotto_release_plan(config, schema, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, word, NULL);
    assert_null(plan);
    sotto_schema_free(schema);
}

/* What the plan costs is at most what was asked for, and hardly less. */
static void assert_costs(const sotto_release_config *config, size_t events)
{
    sotto_error error;
    sotto_plan *plan;
    sotto_account account;
    sotto_schema *schema = make_schema();
    assert_ok(sotto_release_plan(config, schema, &plan, &error), &error);
    assert_int_equal(sotto_plan_size(plan), events);
    assert_int_equal(sotto_plan_adjacency(plan), config->adjacency);
    const double delta = isnan(config->delta) ? 0.0 : config->delta;
    assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, delta, &account, &error), &error);
    assert_within(account.epsilon, config->epsilon * (1.0 - 1e-5), config->epsilon);
    sotto_plan_free(plan);
    sotto_schema_free(schema);
}

static void a_plan_costs_what_was_asked_for(void **state)
{
    (void)state;
    const double epsilons[] = {0.01, 0.1, 0.3, 0.75, 1.0, 3.7, 20.0};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        for (int kind = 1; kind <= 2; kind++) {
            for (int gaussian = 0; gaussian < 2; gaussian++) {
                static const char *const red[] = {"c=red", NULL};
                sotto_release_config config = plain(SOTTO_RELEASE_MEAN, "x");
                config.epsilon = epsilons[i];
                config.adjacency = (sotto_adjacency)kind;
                if (gaussian) config.delta = 1e-6;
                config.where = red;
                assert_costs(&config, 2);
                config.statistic = SOTTO_RELEASE_SUM;
                assert_costs(&config, 1);
                config.statistic = SOTTO_RELEASE_COUNT;
                config.column = NULL;
                assert_costs(&config, 1);
                config.statistic = SOTTO_RELEASE_HISTOGRAM;
                config.column = "c";
                assert_costs(&config, 1);
            }
            sotto_release_config config = plain(SOTTO_RELEASE_QUANTILE, "k");
            config.epsilon = epsilons[i];
            config.quantile = 0.5;
            config.adjacency = (sotto_adjacency)kind;
            assert_costs(&config, 1);
        }
    }
    sotto_release_config config = plain(SOTTO_RELEASE_MEAN, "x");
    config.adjacency = SOTTO_REPLACE_ONE;
    config.public_n = 100;
    assert_costs(&config, 1); /* the divisor is public: all of the budget for the sum */
}

/* The declared sensitivity, by hand. */
static void sensitivities_follow_from_the_schema(void **state)
{
    (void)state;
    static const char *const red[] = {"c=red", NULL};
    const struct {
        sotto_statistic statistic;
        const char *column;
        sotto_adjacency adjacency;
        bool filtered;
        double sensitivity;
    } cases[] = {
        {SOTTO_RELEASE_SUM, "x", SOTTO_ADD_REMOVE, false, 10.0},
        {SOTTO_RELEASE_SUM, "x", SOTTO_REPLACE_ONE, false, 12.0},
        {SOTTO_RELEASE_SUM, "k", SOTTO_ADD_REMOVE, false, 9.0},
        {SOTTO_RELEASE_SUM, "k", SOTTO_REPLACE_ONE, true, 9.0},
        {SOTTO_RELEASE_SUM, "b", SOTTO_ADD_REMOVE, true, 1.0},
        {SOTTO_RELEASE_MEAN, "x", SOTTO_ADD_REMOVE, false, 6.0},
        {SOTTO_RELEASE_MEAN, "x", SOTTO_REPLACE_ONE, true, 12.0},
        {SOTTO_RELEASE_MEAN, "b", SOTTO_ADD_REMOVE, false, 0.5},
        {SOTTO_RELEASE_COUNT, NULL, SOTTO_ADD_REMOVE, false, 1.0},
        {SOTTO_RELEASE_COUNT, NULL, SOTTO_REPLACE_ONE, true, 1.0},
        {SOTTO_RELEASE_HISTOGRAM, "c", SOTTO_ADD_REMOVE, false, 1.0},
        {SOTTO_RELEASE_HISTOGRAM, "c", SOTTO_REPLACE_ONE, false, 2.0},
        {SOTTO_RELEASE_BOUNDS, "w", SOTTO_ADD_REMOVE, false, 1.0},
        {SOTTO_RELEASE_BOUNDS, "w", SOTTO_REPLACE_ONE, false, 2.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_error error;
        sotto_plan *plan;
        sotto_schema *schema = make_schema();
        sotto_release_config config = plain(cases[i].statistic, cases[i].column);
        config.adjacency = cases[i].adjacency;
        config.where = cases[i].filtered ? red : NULL;
        assert_ok(sotto_release_plan(&config, schema, &plan, &error), &error);
        /* Bounds that are no multiples of the grid are rounded to it. */
        assert_relative(sotto_plan_event(plan, 0)->sensitivity, cases[i].sensitivity,
                        1e-8);
        sotto_plan_free(plan);
        sotto_schema_free(schema);
    }
}

static void privacy_settings_have_no_default_and_are_checked(void **state)
{
    (void)state;
    sotto_release_config config = plain(SOTTO_RELEASE_COUNT, NULL);
    const double epsilons[] = {SOTTO_UNSET, 0.0, -1.0, INFINITY, 2e6};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        config.epsilon = epsilons[i];
        refuse(&config, "epsilon");
    }
    config = plain(SOTTO_RELEASE_COUNT, NULL);
    const double deltas[] = {0.0, 1.0, -1e-6, INFINITY};
    for (size_t i = 0; i < sizeof deltas / sizeof deltas[0]; i++) {
        config.delta = deltas[i];
        refuse(&config, "delta");
    }
    config = plain(SOTTO_RELEASE_COUNT, NULL);
    config.mechanism = SOTTO_GAUSSIAN;
    refuse(&config, "`delta` is missing");
    config.mechanism = SOTTO_DISCRETE_LAPLACE;
    config.delta = 1e-6;
    refuse(&config, "leave `delta` out");
    config.mechanism = SOTTO_EXPONENTIAL;
    refuse(&config, "mechanism");
    config = plain(SOTTO_RELEASE_COUNT, NULL);
    config.adjacency = SOTTO_ADJACENCY_UNSET;
    refuse(&config, "adjacency");
    config = plain(SOTTO_RELEASE_COUNT, NULL);
    config.public_n = 100;
    refuse(&config, "replace-one");
    config = plain(SOTTO_RELEASE_COUNT, NULL);
    config.confidence = 1.0;
    refuse(&config, "confidence");
    config = plain(SOTTO_STATISTIC_UNSET, NULL);
    refuse(&config, "statistic");
    config = plain(SOTTO_RELEASE_QUANTILE, "k");
    config.quantile = 0.5;
    config.delta = 1e-6;
    refuse(&config, "pure");
}

static void statistics_refuse_what_they_cannot_mean(void **state)
{
    (void)state;
    static const char *const red[] = {"c=red", NULL};
    sotto_release_config config = plain(SOTTO_RELEASE_COUNT, "x");
    refuse(&config, "of whole rows");
    config = plain(SOTTO_RELEASE_COUNT, NULL);
    config.threads = 1025; /* before the charge */
    refuse(&config, "give 1 to 1024");
    config = plain(SOTTO_RELEASE_SUM, NULL);
    refuse(&config, "of a column");
    config = plain(SOTTO_RELEASE_SUM, "id");
    refuse(&config, "never released");
    config = plain(SOTTO_RELEASE_SUM, "no");
    refuse(&config, "never released");
    config = plain(SOTTO_RELEASE_SUM, "c");
    refuse(&config, "needs numbers");
    config = plain(SOTTO_RELEASE_MEAN, "w");
    refuse(&config, "no bounds");
    config = plain(SOTTO_RELEASE_COUNT, NULL);
    config.adjacency = SOTTO_REPLACE_ONE;
    refuse(&config, "public");
    config = plain(SOTTO_RELEASE_MEAN, "x");
    config.adjacency = SOTTO_REPLACE_ONE;
    refuse(&config, "public");
    config = plain(SOTTO_RELEASE_HISTOGRAM, "x");
    refuse(&config, "has no bins");
    config.bins = 3;
    config.edges = "1,2";
    refuse(&config, "`bins` and `edges` were both given");
    config = plain(SOTTO_RELEASE_HISTOGRAM, "big");
    refuse(&config, "has no bins");
    config = plain(SOTTO_RELEASE_HISTOGRAM, "c");
    config.bins = 3;
    refuse(&config, "whose values are the bins");
    config = plain(SOTTO_RELEASE_HISTOGRAM, "x");
    config.bins = 100001;
    refuse(&config, "fewer");
    static const char *const edges[] = {"1",   "1,1", "2,1",  "1,,2",
                                        "1,a", "",    "1,2,", "nan,1"};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        config = plain(SOTTO_RELEASE_HISTOGRAM, "x");
        config.edges = edges[i];
        refuse(&config, "edges");
    }
    config = plain(SOTTO_RELEASE_BOUNDS, "c");
    refuse(&config, "values are public");
    config = plain(SOTTO_RELEASE_RESPONSES, "c");
    refuse(&config, "replace-one");
    config.adjacency = SOTTO_REPLACE_ONE;
    config.where = red;
    refuse(&config, "secret");
    config = plain(SOTTO_RELEASE_RESPONSES, "x");
    refuse(&config, "categories");
    config = plain(SOTTO_RELEASE_RESPONSES, "one");
    refuse(&config, "from 2");
    const double quantiles[] = {SOTTO_UNSET, 0.0, 1.0, 0.12345, -0.5, 1e-9};
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        config = plain(SOTTO_RELEASE_QUANTILE, "k");
        config.quantile = quantiles[i];
        refuse(&config, "quantile");
    }
}

static void choices_refuse_what_they_cannot_mean(void **state)
{
    (void)state;
    sotto_release_config config = plain(SOTTO_RELEASE_CHOICE, NULL);
    refuse(&config, "sensitivity");
    config.sensitivity = 1;
    config.column = "c";
    refuse(&config, "of whole rows");
    config = plain(SOTTO_RELEASE_CHOICE, "x");
    config.score = SOTTO_SCORE_COUNT;
    refuse(&config, "most common");
    config = plain(SOTTO_RELEASE_CHOICE, "big");
    config.score = SOTTO_SCORE_COUNT;
    refuse(&config, "most common");
    config.score = SOTTO_SCORE_REVENUE;
    refuse(&config, "list them");
    static const char *const prices[] = {"0,1", "-1,2", "1,0.5", "0.00000012", "6e8"};
    for (size_t i = 0; i < sizeof prices / sizeof prices[0]; i++) {
        config = plain(SOTTO_RELEASE_CHOICE, "x");
        config.score = SOTTO_SCORE_REVENUE;
        config.candidates = prices[i];
        refuse(&config, "candidates");
    }
    config.candidates = "1,2";
    config.column = "c";
    refuse(&config, "needs numbers");
    config = plain(SOTTO_RELEASE_CHOICE, "x");
    config.score = SOTTO_SCORE_QUANTILE;
    config.candidates = "1,2";
    refuse(&config, "quantile");
}

static void settings_of_another_statistic_are_refused(void **state)
{
    (void)state;
    static const char *const red[] = {"c=red", NULL};
    sotto_release_config config = plain(SOTTO_RELEASE_COUNT, NULL);
    config.bins = 3;
    refuse(&config, "`bins` has no meaning for this count");
    config.bins = 0;
    config.edges = "1,2";
    refuse(&config, "`edges` has no meaning for this count");
    config = plain(SOTTO_RELEASE_COUNT, NULL);
    config.quantile = 0.5;
    refuse(&config, "`quantile` has no meaning for this count");
    config = plain(SOTTO_RELEASE_COUNT, NULL);
    config.candidates = "1";
    refuse(&config, "`candidates` has no meaning for this count");
    config = plain(SOTTO_RELEASE_COUNT, NULL);
    config.monotone = true;
    refuse(&config, "`monotone` has no meaning for this count");
    config = plain(SOTTO_RELEASE_COUNT, NULL);
    config.score = SOTTO_SCORE_COUNT;
    refuse(&config, "`score` has no meaning for this count");
    config = plain(SOTTO_RELEASE_CHOICE, NULL);
    config.sensitivity = 1;
    config.where = red;
    refuse(&config, "`where` has no meaning for this choice");
    config.where = NULL;
    config.adjacency = SOTTO_REPLACE_ONE;
    config.public_n = 5;
    refuse(&config, "`public_n` has no meaning for this choice");
}

static void conditions_name_public_values(void **state)
{
    (void)state;
    static const char *const wrong[] = {"c",      "c=violet", "q=1",  "b=maybe",
                                        "k=x",    "x=red",    "id=7", "=red",
                                        "c='red", "c=red OR", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *const where[] = {wrong[i], NULL};
        sotto_release_config config = plain(SOTTO_RELEASE_COUNT, NULL);
        config.where = where;
        refuse(&config, "`where`, byte");
    }
}

static void names_go_both_ways(void **state)
{
    (void)state;
    sotto_error error;
    for (int i = 0; i <= 3; i++) {
        sotto_score score;
        assert_ok(sotto_score_from_name(sotto_score_name((sotto_score)i), &score, &error),
                  &error);
        assert_int_equal(score, i);
    }
    sotto_score score;
    assert_refused(sotto_score_from_name("profit", &score, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "profit", "revenue", NULL);
    assert_string_equal(sotto_score_name((sotto_score)9), "unknown");
    assert_string_equal(sotto_statistic_name(SOTTO_RELEASE_MEAN), "mean");
    assert_string_equal(sotto_statistic_name((sotto_statistic)0), "unknown");
    assert_string_equal(sotto_statistic_name((sotto_statistic)11), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_costs_what_was_asked_for),
        cmocka_unit_test(sensitivities_follow_from_the_schema),
        cmocka_unit_test(privacy_settings_have_no_default_and_are_checked),
        cmocka_unit_test(statistics_refuse_what_they_cannot_mean),
        cmocka_unit_test(choices_refuse_what_they_cannot_mean),
        cmocka_unit_test(settings_of_another_statistic_are_refused),
        cmocka_unit_test(conditions_name_public_values),
        cmocka_unit_test(names_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
