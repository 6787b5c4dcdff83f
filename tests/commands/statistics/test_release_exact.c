/* What is computed: with hardly any noise each statistic is the number it is called. */
#include "support.h"

#include <unistd.h>

#include <sotto/certificate.h>
#include <sotto/release.h>

#include "base/memory.h"

static const char schema_text[] =
    "{\"dataset\": \"exact-1\", \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": -2, \"upper\": 10, \"missing\": "
    "1},"
    "{\"name\": \"k\", \"type\": \"integer\", \"lower\": 0, \"upper\": 9},"
    "{\"name\": \"c\", \"type\": \"category\", \"values\": [\"red\", \"green\", "
    "\"blue\"]},"
    "{\"name\": \"b\", \"type\": \"boolean\"},"
    "{\"name\": \"w\", \"type\": \"number\"}]}";

static const char rows_text[] = "x,k,c,b,w\n"
                                "0.5,3,red,yes,100\n"
                                "-7,4,green,no,-3.5\n"
                                "2.25,9,blue,yes,0\n"
                                "nan,3,green,no,1e300\n"
                                "99,0,green,yes,250\n"
                                "4.75,3,violet,yes,1000\n";

static const char *data_path(void)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "release_exact_%ld.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(rows_text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static sotto_schema *make_schema(void)
{
    sotto_error error;
    sotto_schema *schema;
    assert_ok(sotto_schema_parse("s", schema_text, strlen(schema_text), &schema, &error),
              &error);
    return schema;
}

/* So much epsilon that the noise is 0 in all but one of 10^400 runs. */
static sotto_release_config plain(sotto_statistic statistic, const char *column)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = statistic;
    config.column = column;
    config.epsilon = 1000.0;
    config.insecure_test = true;
    config.test_seed = 11;
    return config;
}

static sotto_release_result *run(const sotto_release_config *config)
{
    sotto_error error;
    sotto_schema *schema = make_schema();
    sotto_release_result *result;
    assert_ok(sotto_release_data(config, schema,
                                 &(const sotto_data_file){.path = data_path()}, &result,
                                 &error),
              &error);
    sotto_schema_free(schema);
    (void)unlink(data_path());
    return result;
}

static double value_of(const sotto_release_config *config)
{
    sotto_release_result *result = run(config);
    assert_int_equal(sotto_release_size(result), 1);
    const double value = sotto_release_at(result, 0).value;
    sotto_release_free(result);
    return value;
}

static void counts_sums_and_means_are_right(void **state)
{
    (void)state;
    static const char *const green[] = {"c=green", NULL};
    static const char *const both[] = {"c=green", "b=false", NULL};
    static const char *const three[] = {"k=3", NULL};
    sotto_release_config config = plain(SOTTO_RELEASE_COUNT, NULL);
    assert_true(value_of(&config) == 6.0);
    config.where = green;
    assert_true(value_of(&config) == 3.0);
    config.where = both;
    assert_true(value_of(&config) == 2.0);
    config.where = three;
    assert_true(value_of(&config) == 3.0);
    /* 0.5, -2 (clipped), 2.25, 1 (missing), 10 (clipped), 4.75. */
    config = plain(SOTTO_RELEASE_SUM, "x");
    assert_within(value_of(&config), 16.5 - 0.05, 16.5 + 0.05); /* scale is 0.01 */
    config = plain(SOTTO_RELEASE_SUM, "k");
    config.epsilon = 9000.0;
    assert_true(value_of(&config) == 22.0);
    config = plain(SOTTO_RELEASE_SUM, "b");
    assert_true(value_of(&config) == 4.0);
    config = plain(SOTTO_RELEASE_MEAN, "x");
    config.epsilon = 500.0;
    assert_within(value_of(&config), 2.75 - 0.05, 2.75 + 0.05);
    config.where = green; /* -2, 1, 10 */
    assert_within(value_of(&config), 3.0 - 0.1, 3.0 + 0.1);
    config.where = NULL;
    config.adjacency = SOTTO_REPLACE_ONE;
    config.public_n = 6;
    assert_within(value_of(&config), 2.75 - 0.05, 2.75 + 0.05);
    config.delta = 1e-5; /* sigma is 0.065 */
    assert_within(value_of(&config), 2.75 - 0.4, 2.75 + 0.4);
}

static void assert_bins(const sotto_release_config *config, size_t count,
                        const char *const *labels, const double *values)
{
    sotto_release_result *result = run(config);
    assert_int_equal(sotto_release_size(result), count);
    for (size_t i = 0; i < count; i++) {
        const sotto_release_value bin = sotto_release_at(result, i);
        assert_string_equal(bin.label, labels[i]);
        assert_true(bin.value == values[i]);
    }
    sotto_release_free(result);
}

static void histograms_are_right(void **state)
{
    (void)state;
    static const char *const colours[] = {"red", "green", "blue"};
    static const char *const truths[] = {"false", "true"};
    static const char *const whole[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    static const char *const edges[] = {"[-2.0, 0.5)", "[0.5, 2.25)", "[2.25, 10.0]"};
    static const char *const halves[] = {"[-2.0, 4.0)", "[4.0, 10.0]"};
    sotto_release_config config = plain(SOTTO_RELEASE_HISTOGRAM, "c");
    assert_bins(&config, 3, colours,
                (const double[]){2, 3, 1}); /* violet counts as red */
    config = plain(SOTTO_RELEASE_HISTOGRAM, "b");
    assert_bins(&config, 2, truths, (const double[]){2, 4});
    config = plain(SOTTO_RELEASE_HISTOGRAM, "k");
    assert_bins(&config, 10, whole, (const double[]){1, 0, 0, 3, 1, 0, 0, 0, 0, 1});
    config = plain(SOTTO_RELEASE_HISTOGRAM, "x");
    config.edges = "-2,0.5,2.25,10";
    assert_bins(&config, 3, edges, (const double[]){1, 2, 3});
    config.edges = NULL;
    config.bins = 2;
    assert_bins(&config, 2, halves, (const double[]){4, 2});
}

static void quantiles_are_right(void **state)
{
    (void)state;
    sotto_release_config config = plain(SOTTO_RELEASE_QUANTILE, "k"); /* 0 3 3 3 4 9 */
    config.quantile = 0.5;
    assert_true(value_of(&config) == 3.0);
    config.quantile = 0.9;
    assert_true(value_of(&config) == 9.0);
    config.quantile = 0.001;
    assert_true(value_of(&config) == 0.0);
    config = plain(SOTTO_RELEASE_QUANTILE, "x"); /* -2 0.5 1 2.25 4.75 10 */
    config.quantile = 0.25;
    assert_within(value_of(&config), 0.5 - 1e-4, 0.5 + 1e-4);
    config.quantile = 0.999;
    assert_within(value_of(&config), 10.0 - 1e-4, 10.0);
}

static void bounds_are_powers_of_two_around_the_rows(void **state)
{
    (void)state;
    sotto_release_config config = plain(SOTTO_RELEASE_BOUNDS, "w");
    sotto_release_result *result = run(&config);
    assert_int_equal(sotto_release_size(result), 2);
    assert_true(sotto_release_at(result, 0).value == -4.0);
    assert_true(sotto_release_at(result, 1).value == 0x1p40); /* 1e300 is cut there */
    assert_non_null(strstr(sotto_release_json(result), "\"found\": true"));
    sotto_release_free(result);
    /* With little epsilon six rows are not enough, and nothing is made up. */
    config.epsilon = 0.01;
    result = run(&config);
    assert_non_null(strstr(sotto_release_json(result), "\"found\": false"));
    assert_true(sotto_release_at(result, 0).value == -0x1p40);
    assert_true(sotto_release_at(result, 1).value == 0x1p40);
    sotto_release_free(result);
}

static void choices_are_right(void **state)
{
    (void)state;
    sotto_release_config config = plain(SOTTO_RELEASE_CHOICE, "c");
    config.score = SOTTO_SCORE_COUNT;
    sotto_release_result *result = run(&config);
    assert_string_equal(sotto_release_at(result, 0).label, "green");
    assert_non_null(strstr(sotto_release_text(result), "P(u <= OPT - t) <= |Y| exp("));
    sotto_release_free(result);
    /* -2 0.5 1 2.25 4.75 10: revenue 1 for 1 of 4, 2.25 for 3 is 6.75, 4.75 for 2 is 9.5,
     * 4.76 for 1, and 10 for 1 is 10: the best. */
    config = plain(SOTTO_RELEASE_CHOICE, "x");
    config.score = SOTTO_SCORE_REVENUE;
    config.candidates = "1,2.25,4.75,4.76,10";
    config.epsilon = 1e5;
    assert_true(value_of(&config) == 10.0);
    config.candidates = "1,2.25,4.75,4.76,9.25"; /* now 4.75 */
    assert_true(value_of(&config) == 4.75);
    config = plain(SOTTO_RELEASE_CHOICE, "x");
    config.score = SOTTO_SCORE_QUANTILE;
    config.quantile = 0.5;
    config.candidates = "-1.5,1.5,6";
    config.mechanism = SOTTO_EXPONENTIAL;
    assert_true(value_of(&config) == 1.5);
}

/* Scores from a file: quoted candidates, CRLF, negative scores, no header. */
static void given_scores_are_chosen_from(void **state)
{
    (void)state;
    sotto_error error;
    char path[64];
    (void)snprintf(path, sizeof path, "release_scores_%ld.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    fputs("candidate,score\r\n\"a, b\",-3\r\nc,7\r\nd,-1000000\n", file);
    assert_int_equal(fclose(file), 0);
    sotto_release_config config = plain(SOTTO_RELEASE_CHOICE, NULL);
    config.sensitivity = 2;
    sotto_release_result *result;
    assert_ok(sotto_release_data(&config, NULL, &(const sotto_data_file){.path = path},
                                 &result, &error),
              &error);
    assert_string_equal(sotto_release_at(result, 0).label, "c");
    sotto_release_free(result);
    static const char *const wrong[] = {"c;7\n",  "c,\n",      ",3\n",
                                        "",       "\n\n",      "c,7\nc,8\n",
                                        "c,7\nd", "c\x01,7\n", "name,points\nc,7\n"};
    /* No score stops the run: each is rounded down and clipped, and what is no number is 0. */
    static const char *const odd[] = {"c,7.5\nd,3\n", "c,1e17\nd,nan\n", "c,2\nd,\n",
                                      "c,2\nd,-1e999\n", "c,1e999\nd,x\n"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        file = fopen(path, "w");
        fputs(odd[i], file);
        assert_int_equal(fclose(file), 0);
        assert_ok(sotto_release_data(&config, NULL,
                                     &(const sotto_data_file){.path = path}, &result,
                                     &error),
                  &error);
        sotto_release_free(result);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        file = fopen(path, "w");
        fputs(wrong[i], file);
        assert_int_equal(fclose(file), 0);
        assert_refused(sotto_release_data(&config, NULL,
                                          &(const sotto_data_file){.path = path}, &result,
                                          &error),
                       SOTTO_PARSE, &error, path, NULL);
    }
    (void)unlink(path);
    assert_refused(sotto_release_data(&config, NULL,
                                      &(const sotto_data_file){.path = path}, &result,
                                      &error),
                   SOTTO_IO, &error, path, NULL);
    assert_refused(sotto_release_data(&config, NULL,
                                      &(const sotto_data_file){.path = "."}, &result,
                                      &error),
                   SOTTO_IO, &error, "regular", NULL);
}

static size_t count_of(const char *text, const char *line)
{
    size_t count = 0;
    for (const char *at = strstr(text, line); at != NULL; at = strstr(at + 1, line))
        count++;
    return count;
}

static void answers_are_estimated_from_their_file(void **state)
{
    (void)state;
    sotto_error error;
    char path[64];
    (void)snprintf(path, sizeof path, "release_answers_%ld.json", (long)getpid());
    sotto_release_config config = plain(SOTTO_RELEASE_RESPONSES, "c");
    config.adjacency = SOTTO_REPLACE_ONE;
    config.output = path;
    sotto_release_result *result = run(&config);
    const char *const lines = sotto_release_text(result); /* in random order */
    assert_int_equal(count_of(lines, "red\n"), 2);
    assert_int_equal(count_of(lines, "green\n"), 3);
    assert_int_equal(count_of(lines, "blue\n"), 1);
    sotto_release_free(result);
    assert_ok(sotto_release_estimate(path, 0.95, &result, &error), &error);
    assert_int_equal(sotto_release_size(result), 3);
    assert_within(sotto_release_at(result, 1).value, 0.5 - 1e-12, 0.5 + 1e-12);
    assert_string_equal(sotto_release_at(result, 2).label, "blue");
    assert_string_equal(sotto_release_certificate(result), "");
    sotto_release_free(result);
    FILE *file = fopen(path, "w");
    fputs("{\"statistic\": \"rr\", \"epsilon\": 1, \"categories\": [\"a\", \"b\"], "
          "\"answers\": [0, 1, 2]}",
          file);
    assert_int_equal(fclose(file), 0);
    assert_refused(sotto_release_estimate(path, 0.95, &result, &error), SOTTO_PARSE,
                   &error, "answers[2]", NULL);
    (void)unlink(path);
}

/* A release by the operating system's noise verifies; one by a seed never does. */
static void certificates_hold_unless_seeded(void **state)
{
    (void)state;
    sotto_error error;
    sotto_release_config config = plain(SOTTO_RELEASE_MEAN, "x");
    config.epsilon = 0.5;
    sotto_release_result *result = run(&config);
    const char *json = sotto_release_json(result);
    assert_refused(sotto_certificate_verify(json, strlen(json), &error),
                   SOTTO_VERIFICATION, &error, NULL);
    assert_non_null(strstr(sotto_release_text(result), "NOT PRIVATE"));
    sotto_release_free(result);
    config.insecure_test = false;
    config.delta = 1e-6;
    result = run(&config);
    json = sotto_release_json(result);
    assert_ok(sotto_certificate_verify(json, strlen(json), &error), &error);
    assert_null(strstr(sotto_release_text(result), "NOT PRIVATE"));
    sotto_release_free(result);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_schema *schema = make_schema();
    const char *path = data_path();
    sotto_release_config all[] = {
        plain(SOTTO_RELEASE_MEAN, "x"), plain(SOTTO_RELEASE_HISTOGRAM, "c"),
        plain(SOTTO_RELEASE_CHOICE, "x"), plain(SOTTO_RELEASE_RESPONSES, "c")};
    all[2].score = SOTTO_SCORE_REVENUE;
    all[2].candidates = "1,2.5";
    all[3].adjacency = SOTTO_REPLACE_ONE;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (size_t nth = 1;; nth++) {
            sotto_error error;
            sotto_release_result *result = NULL;
            (void)sot_test_fail_allocation(nth);
            const sotto_status status = sotto_release_data(
                &all[i], schema, &(const sotto_data_file){.path = path}, &result, &error);
            const size_t asked = sot_test_fail_allocation(0);
            if (asked < nth) {
                assert_int_equal(status, SOTTO_OK);
                sotto_release_free(result);
                break;
            }
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            assert_null(result);
        }
    }
    sotto_schema_free(schema);
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_sums_and_means_are_right),
        cmocka_unit_test(histograms_are_right),
        cmocka_unit_test(quantiles_are_right),
        cmocka_unit_test(bounds_are_powers_of_two_around_the_rows),
        cmocka_unit_test(choices_are_right),
        cmocka_unit_test(given_scores_are_chosen_from),
        cmocka_unit_test(answers_are_estimated_from_their_file),
        cmocka_unit_test(certificates_hold_unless_seeded),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
