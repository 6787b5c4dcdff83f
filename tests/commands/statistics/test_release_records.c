/* Releases of records that are handed over: the same as of a file, and streams count as selected rows. */
#include "data/arrow.h"
#include "data/schemas.h"

#include <sotto/release.h>

static const char schema_text[] =
    "{'columns': [{'name': 'age', 'type': 'number', 'lower': 0, 'upper': 100}]}";
static const char unit_text[] =
    "{'unit': {'column': 'person', 'rows': 1}, 'columns': ["
    "{'name': 'age', 'type': 'number', 'lower': 0, 'upper': 100}, "
    "{'name': 'person', 'type': 'id'}]}";
static const double ages[] = {10, 20, 30, 40, 50, 60};

static void add_ages(arrow_producer *producer)
{
    arrow_add_column(producer, "age", "g", NULL);
    arrow_add_batch(producer, 6)->buffers[0][1] = ages;
}

static sotto_release_config counting(void)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = SOTTO_RELEASE_COUNT;
    config.epsilon = 1.0;
    config.insecure_test = true;
    config.test_seed = 7;
    return config;
}

static sotto_status release(arrow_producer *producer, const sotto_release_config *config,
                            const char *text, sotto_records records,
                            sotto_release_result **out, sotto_error *error)
{
    struct ArrowArrayStream stream = arrow_stream_of(producer);
    sotto_schema *schema = schema_of(text);
    records.stream = &stream;
    *out = NULL;
    const sotto_status status =
        sotto_release_records(config, schema, &records, out, error);
    if (stream.release != NULL) stream.release(&stream);
    sotto_schema_free(schema);
    assert_true(arrow_all_released(producer));
    return status;
}

static void a_stream_releases_what_a_file_does(void **state)
{
    (void)state;
    sotto_error error;
    sotto_release_result *of_stream = NULL, *of_file = NULL, *of_array = NULL;
    const sotto_release_config config = counting();
    arrow_producer producer = {.columns = 0};
    add_ages(&producer);
    assert_ok(
        release(&producer, &config, schema_text, (sotto_records){0}, &of_stream, &error),
        &error);
    sotto_schema *schema = schema_of(schema_text);
    const char *path = write_file("ages.csv", "age\n10\n20\n30\n40\n50\n60\n");
    assert_ok(sotto_release_data(&config, schema, &(const sotto_data_file){.path = path},
                                 &of_file, &error),
              &error);
    const sotto_records array = {
        .features = {ages, SOTTO_FLOAT64, 6, 1, sizeof *ages, sizeof *ages}};
    assert_ok(sotto_release_records(&config, schema, &array, &of_array, &error), &error);
    const double value = sotto_release_at(of_file, 0).value;
    assert_true(sotto_release_at(of_stream, 0).value == value);
    assert_true(sotto_release_at(of_array, 0).value == value);
    assert_non_null(strstr(sotto_release_json(of_stream), "one stored record"));
    assert_null(strstr(sotto_release_json(of_array), "one stored record"));
    sotto_release_free(of_stream);
    sotto_release_free(of_file);
    sotto_release_free(of_array);
    sotto_schema_free(schema);
    (void)unlink(path);
}

static void rows_of_a_stream_are_secret_unless_it_is_declared(void **state)
{
    (void)state;
    sotto_error error;
    sotto_release_result *result = NULL;
    sotto_release_config config = counting();
    config.statistic = SOTTO_RELEASE_MEAN;
    config.column = "age";
    config.adjacency = SOTTO_REPLACE_ONE;
    config.public_n = 6;
    arrow_producer producer = {.columns = 0};
    add_ages(&producer);
    assert_refused(
        release(&producer, &config, schema_text, (sotto_records){0}, &result, &error),
        SOTTO_INVALID_ARGUMENT, &error, "`public_n` is 6", "`stored_table=true`", NULL);
    assert_int_equal(producer.asked, 0);
    assert_ok(release(&producer, &config, schema_text, (sotto_records){.declared = true},
                      &result, &error),
              &error);
    assert_non_null(strstr(sotto_release_json(result), "every row of a stored table"));
    sotto_release_free(result);
}

static void a_unit_of_a_stream_must_be_declared(void **state)
{
    (void)state;
    sotto_error error;
    sotto_release_result *result = NULL;
    const sotto_release_config config = counting();
    static const int64_t people[] = {1, 1, 1, 1, 2, 2};
    arrow_producer producer = {.columns = 0};
    arrow_add_column(&producer, "person", "l", NULL);
    arrow_add_column(&producer, "age", "g", NULL);
    arrow_batch *batch = arrow_add_batch(&producer, 6);
    batch->buffers[0][1] = people;
    batch->buffers[1][1] = ages;
    assert_refused(
        release(&producer, &config, unit_text, (sotto_records){0}, &result, &error),
        SOTTO_INVALID_ARGUMENT, &error, "unit", NULL);
    assert_int_equal(producer.asked, 0);
    assert_ok(release(&producer, &config, unit_text, (sotto_records){.in_memory = true},
                      &result, &error),
              &error);
    sotto_release_free(result);
}

static void files_are_needed_for_scores_and_accuracies(void **state)
{
    (void)state;
    sotto_error error;
    sotto_release_result *result = NULL;
    sotto_release_config config = counting();
    config.statistic = SOTTO_RELEASE_CHOICE;
    config.score = SOTTO_SCORE_GIVEN;
    arrow_producer producer = {.columns = 0};
    add_ages(&producer);
    assert_int_equal(
        release(&producer, &config, schema_text, (sotto_records){0}, &result, &error),
        SOTTO_INVALID_ARGUMENT);
    assert_int_equal(producer.asked, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_releases_what_a_file_does),
        cmocka_unit_test(rows_of_a_stream_are_secret_unless_it_is_declared),
        cmocka_unit_test(a_unit_of_a_stream_must_be_declared),
        cmocka_unit_test(files_are_needed_for_scores_and_accuracies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
