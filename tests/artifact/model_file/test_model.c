/* Model files: what is written is read, and nothing else is. */
#include "artifact/model_file/models.h"

#include <unistd.h>

#include "base/file/file.h"

static sotto_status parse(const char *text, sotto_error *error)
{
    sotto_model *model = NULL;
    const sotto_status status =
        sotto_model_parse("model.json", text, strlen(text), &model, error);
    assert_true((status == SOTTO_OK) == (model != NULL));
    sotto_model_free(model);
    return status;
}

/* `text` with the first `from` replaced; free with free(). */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *found = strstr(text, from);
    if (found == NULL) fail_msg("the model has no %s", from);
    const size_t before = (size_t)(found - text);
    const size_t size = strlen(text) + strlen(to) + 1;
    char *result = malloc(size);
    assert_non_null(result);
    (void)snprintf(result, size, "%.*s%s%s", (int)before, text, to, found + strlen(from));
    return result;
}

static void a_table_model_comes_back_bit_by_bit(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    assert_int_equal(sotto_model_dimension(model), MODEL_TABLE_DIMENSION);
    for (size_t i = 0; i < MODEL_TABLE_DIMENSION; i++) {
        assert_string_equal(sotto_model_feature(model, i), model_table_features[i]);
        const double back = sotto_model_coefficient(model, i);
        assert_memory_equal(&back, &model_table_coefficients[i], sizeof back);
    }
    assert_int_equal(sotto_model_classes(model), 2);
    assert_string_equal(sotto_model_class(model, 0), "false");
    assert_string_equal(sotto_model_class(model, 1), "true");
    assert_string_equal(sotto_schema_dataset(sotto_model_schema(model)), "clinic-2026");
    sotto_model_free(model);
}

static void a_matrix_model_comes_back_bit_by_bit(void **state)
{
    (void)state;
    const sot_model_content content = model_matrix_content();
    sotto_model *model = model_of(&content);
    assert_int_equal(sotto_model_dimension(model), MODEL_MATRIX_DIMENSION);
    for (size_t i = 0; i < MODEL_MATRIX_DIMENSION; i++) {
        const double back = sotto_model_coefficient(model, i);
        assert_memory_equal(&back, &model_matrix_coefficients[i], sizeof back);
    }
    assert_string_equal(sotto_model_feature(model, 2), "3");
    assert_string_equal(sotto_model_class(model, 0), "-1");
    sotto_model_free(model);
}

static void equal_content_gives_equal_bytes(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    char *first = model_text(&content), *second = model_text(&content);
    assert_string_equal(first, second);
    assert_non_null(strstr(first, "{\"kind\":\"model\",\"version\":1,"));
    assert_non_null(strstr(first, "\"coefficients\":[\"0x1.8p+0\",\"-0x1.4p-1\","));
    assert_non_null(strstr(first, "\"settings\":{\"lambda\":2.375,\"tau\":0.333333"));
    assert_null(strstr(first, "epsilon"));
    sot_free(first);
    sot_free(second);
}

static void a_setting_is_a_number_null_or_a_word(void **state)
{
    (void)state;
    sot_model_setting settings[] = {{.name = "delta_share", .value = (double)INFINITY},
                                    {.name = "schedule", .word = "strong"}};
    sot_model_content content = model_table_content();
    content.settings = settings;
    content.setting_count = 2;
    char *text = model_text(&content);
    sotto_error error;
    assert_non_null(
        strstr(text, "\"settings\":{\"delta_share\":null,\"schedule\":\"strong\"}"));
    assert_ok(parse(text, &error), &error);
    sot_free(text);
    settings[1].word = "<strong>"; /* words are safe to print */
    text = model_text(&content);
    assert_refused(parse(text, &error), SOTTO_PARSE, &error, "settings.schedule", "word",
                   NULL);
    sot_free(text);
}

static void content_that_no_reader_takes_is_not_written(void **state)
{
    (void)state;
    char *text = NULL;
    sotto_error error;
    double coefficients[MODEL_TABLE_DIMENSION] = {1.0, 2.0, (double)NAN, 4.0, 5.0};
    sot_model_content content = model_table_content();
    content.coefficients = coefficients;
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "coefficient 3", "nan", NULL);
    content = model_table_content();
    content.dimension = SOT_MODEL_DIMENSION_MAX + 1;
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "4194305", NULL);
    content.dimension = 0;
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "0 features", NULL);
    content = model_table_content();
    content.delta = 1e-6;
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "no epsilon", NULL);
    content.epsilon = 0.0;
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "epsilon is 0", NULL);
    content.epsilon = 1.0;
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "adjacency", NULL);
    content.adjacency = SOTTO_REPLACE_ONE;
    content.delta = 1.0;
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "delta is 1", NULL);
    content = model_table_content();
    content.schema_json = "[1]";
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_PARSE, &error,
                   "schema", NULL);
    assert_null(text);
}

static void a_certified_model_is_read_and_verified(void **state)
{
    (void)state;
    sotto_error error;
    char *text = model_certified_text(0.5);
    assert_ok(parse(text, &error), &error);
    assert_ok(sotto_certificate_verify(text, strlen(text), &error), &error);
    sotto_free(text);
    text = model_certified_text(0.4375);
    assert_ok(parse(text, &error), &error);
    assert_refused(sotto_certificate_verify(text, strlen(text), &error),
                   SOTTO_VERIFICATION, &error, "epsilon 0.4375", "0.5", NULL);
    sotto_free(text);
}

/* Each change of one field, and a word of the refusal. */
static void every_field_is_checked(void **state)
{
    (void)state;
    static const char *const changes[][3] = {
        {"\"kind\":\"model\"", "\"kind\":\"release\"", "kind"},
        {"\"kind\":\"model\",", "", "kind"},
        {"\"kind\":\"model\"", "\"kind\":7", "kind"},
        {"\"version\":1", "\"version\":2", "version"},
        {"\"version\":1", "\"version\":0", "version"},
        {"\"version\":1", "\"version\":\"1\"", "version"},
        {"\"version\":1,", "", "version"},
        {"\"model\":\"logistic\"", "\"model\":\"svm\"", "model"},
        {"\"method\":\"none\"", "\"method\":\"\"", "method"},
        {"\"method\":\"none\"", "\"method\":\"no\\u0007ne\"", "method"},
        {"\"method\":\"none\",", "", "method"},
        {"\"settings\":{\"lambda\":2.375", "\"settings\":{\"lambda\":\"2\"", "lambda"},
        {"\"settings\":{\"lambda\":2.375", "\"settings\":{\"La\":2.375", "La"},
        {"\"settings\":{\"lambda\":2.375", "\"settings\":[{\"lambda\":2.375", "line"},
        {"\"classes\":[\"false\",\"true\"]", "\"classes\":[\"true\",\"false\"]",
         "classes[0]"},
        {"\"classes\":[\"false\",\"true\"]", "\"classes\":[\"false\"]", "1 classes"},
        {"\"classes\":[\"false\",\"true\"]", "\"classes\":\"false\"", "classes"},
        {"\"target\":\"smokes\"", "\"target\":\"smoke\"", "schema"},
        {"\"target\":\"smokes\"", "\"target\":\"town\"", "classes"},
        {"\"lower\":20", "\"lower\":200", "schema"},
        {"\"features\":[\"age\"", "\"features\":[\"Age\"", "features[0]"},
        {"\"features\":[\"age\",", "\"features\":[", "4 features"},
        {"\"features\":[\"age\"", "\"features\":[17", "features[0]"},
        {"[\"0x1.8p+0\"", "[\"0x1.80p+0\"", "coefficients[0]"},
        {"[\"0x1.8p+0\"", "[\"inf\"", "coefficients[0]"},
        {"[\"0x1.8p+0\"", "[1.5", "coefficients[0]"},
        {"[\"0x1.8p+0\",", "[", "4 coefficients"},
        {"[\"0x1.8p+0\",", "[\"0x1p+0\",\"0x1.8p+0\",", "6 coefficients"},
        {"\"settings\"", "\"setings\"", "setings"},
        {"\"settings\"", "\"epsilon\":1.0,\"settings\"", "certificate"},
        {"\"settings\"", "\"certificate\":{},\"settings\"", "epsilon"},
        {"\"settings\"", "\"certificate\":7,\"settings\"", "certificate"},
    };
    const sot_model_content content = model_table_content();
    char *text = model_text(&content);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        sotto_error error;
        char *changed = replaced(text, changes[i][0], changes[i][1]);
        const sotto_status status = parse(changed, &error);
        if (status == SOTTO_OK || strstr(error.message, changes[i][2]) == NULL) {
            fail_msg("%s -> %s: %s, lacks '%s'", changes[i][0], changes[i][1],
                     status == SOTTO_OK ? "accepted" : error.message, changes[i][2]);
        }
        free(changed);
    }
    sot_free(text);
}

static void every_stated_guarantee_is_checked(void **state)
{
    (void)state;
    static const char *const changes[][3] = {
        {"\"epsilon\": 0.5,", "", "epsilon"},
        {"\"epsilon\": 0.5,", "\"epsilon\": 0.0,", "epsilon"},
        {"\"epsilon\": 0.5,", "\"epsilon\": -1.0,", "epsilon"},
        {"\"delta\": 0.0,", "\"delta\": 1.0,", "delta"},
        {"\"delta\": 0.0,", "\"delta\": null,", "delta"},
        {"\"adjacency\": \"add-remove\"", "\"adjacency\": \"none\"", "adjacency"},
        {"\"unit\": \"row\"", "\"unit\": 1", "unit"},
    };
    char *text = model_certified_text(0.5);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        sotto_error error;
        char *changed = replaced(text, changes[i][0], changes[i][1]);
        assert_refused(parse(changed, &error), SOTTO_PARSE, &error, changes[i][2], NULL);
        free(changed);
    }
    sotto_free(text);
}

static void a_file_that_ends_early_is_refused(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    char *text = model_text(&content);
    const size_t size = strlen(text) - 2; /* without the last brace */
    for (size_t end = 0; end <= size; end++) {
        sotto_model *model = NULL;
        sotto_error error;
        assert_int_equal(sotto_model_parse(NULL, text, end, &model, &error), SOTTO_PARSE);
        assert_null(model);
    }
    sot_free(text);
}

static void garbage_is_refused(void **state)
{
    (void)state;
    static const char *const garbage[] = {"",
                                          "{}",
                                          "[]",
                                          "null",
                                          "\x89PNG\r\n\x1a\n",
                                          "age,town\n1,Lund\n",
                                          "{\"kind\":\"model\"}"};
    for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
        sotto_error error;
        assert_int_equal(parse(garbage[i], &error), SOTTO_PARSE);
        assert_null(strchr(error.message, '\n'));
    }
}

static void a_model_too_large_to_be_one_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_model *model = NULL;
    const sot_model_content content = model_matrix_content();
    char *text = model_text(&content);
    /* Four thousand million features, of which six have coefficients: refused before any
     * memory is taken for them. */
    char *wide = replaced(text, "\"features\":6", "\"features\":4000000000");
    assert_int_equal(parse(wide, &error), SOTTO_PARSE);
    free(wide);
    sot_free(text);
    assert_refused(sotto_model_parse("model.json", "{", SOTTO_CERTIFIED_BYTES_MAX + 1,
                                     &model, &error),
                   SOTTO_PARSE, &error, "model.json", NULL);
}

static void loading_names_the_file(void **state)
{
    (void)state;
    char directory[] = "/tmp/sotto-model-XXXXXX";
    char path[64];
    sotto_error error;
    sotto_model *model = NULL;
    assert_non_null(mkdtemp(directory));
    (void)snprintf(path, sizeof path, "%s/m.json", directory);
    assert_refused(sotto_model_load(path, &model, &error), SOTTO_IO, &error, "m.json",
                   NULL);
    assert_ok(sot_file_write(path, "{\"kind\": 1}", 11, 0600, &error), &error);
    assert_refused(sotto_model_load(path, &model, &error), SOTTO_PARSE, &error, "m.json",
                   "kind", NULL);
    char *text = model_certified_text(0.5);
    assert_ok(sot_file_write(path, text, strlen(text), 0600, &error), &error);
    assert_ok(sotto_model_load(path, &model, &error), &error);
    sotto_model_free(model);
    sotto_free(text);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(directory), 0);
}

static void no_memory_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    char *good = model_text(&content);
    size_t failures = 0;
    for (size_t nth = 1;; nth++, failures++) {
        sotto_error error;
        sotto_model *model = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_model_parse("model.json", good, strlen(good), &model, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            sotto_model_free(model);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(model);
    }
    assert_true(failures > 10);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        char *text = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sot_model_write(&content, &text, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            assert_string_equal(text, good);
            sot_free(text);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(text);
    }
    sot_free(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_model_comes_back_bit_by_bit),
        cmocka_unit_test(a_matrix_model_comes_back_bit_by_bit),
        cmocka_unit_test(equal_content_gives_equal_bytes),
        cmocka_unit_test(a_setting_is_a_number_null_or_a_word),
        cmocka_unit_test(content_that_no_reader_takes_is_not_written),
        cmocka_unit_test(a_certified_model_is_read_and_verified),
        cmocka_unit_test(every_field_is_checked),
        cmocka_unit_test(every_stated_guarantee_is_checked),
        cmocka_unit_test(a_file_that_ends_early_is_refused),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(a_model_too_large_to_be_one_is_refused),
        cmocka_unit_test(loading_names_the_file),
        cmocka_unit_test(no_memory_is_an_error_and_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
