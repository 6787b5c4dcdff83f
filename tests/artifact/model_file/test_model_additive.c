/* Files of additive models: the blocks follow from schema and settings, and a prediction is a sum of look-ups. */
#include "artifact/model_file/models.h"

#include "artifact/model_file/additive.h"
#include "data/encode/blocks.h"

/* age: [20, 52), [52, 84]; town; visits: 0 .. 8; and the constant. */
static const char *const features[] = {
    "age=[20, 52)", "age=[52, 84]", "town=Lund", "town=Ystad", "visits=0",
    "visits=1",     "visits=2",     "visits=3",  "visits=4",   "visits=5",
    "visits=6",     "visits=7",     "visits=8",  "(intercept)"};
enum { DIMENSION = sizeof features / sizeof features[0] };
static const double coefficients[DIMENSION] = {2.0, 4.0, -1.0, 1.0, 0.5, 0.0, 0.0,
                                               0.0, 0.0, 0.0,  0.0, 0.0, 4.0, -0.25};
static const sot_model_setting settings[] = {{.name = "basis", .word = "bins"},
                                             {.name = "bins", .value = 2.0}};

static sot_model_content additive_content(void)
{
    sot_model_content content = model_table_content();
    content.model = "additive";
    content.features = features;
    content.coefficients = coefficients;
    content.dimension = DIMENSION;
    content.settings = settings;
    content.setting_count = 2;
    return content;
}

static void a_file_comes_back(void **state)
{
    (void)state;
    const sot_model_content content = additive_content();
    sotto_model *model = model_of(&content);
    assert_int_equal(sotto_model_dimension(model), DIMENSION);
    assert_int_equal(sotto_model_margins(model), 1);
    assert_int_equal(sotto_model_outputs(model), 2);
    assert_int_equal(sot_encoding_blocks(model->encoding), 3);
    for (size_t i = 0; i < DIMENSION; i++)
        assert_true(sotto_model_coefficient(model, i) == coefficients[i]);
    /* Centred: 4 in the second bin of age is 1 above the mean of 3. */
    assert_true(sot_model_curve_value(model, 0) == -1.0);
    assert_true(sot_model_curve_value(model, 1) == 1.0);
    assert_true(sot_model_curve_spread(model, 1) == 0.0);
    sotto_model_free(model);
}

static void a_prediction_is_a_sum_of_look_ups(void **state)
{
    (void)state;
    const sot_model_content content = additive_content();
    sotto_model *model = model_of(&content);
    /* person, age, town, smokes, visits */
    const double cells[][5] = {{NAN, 52.0, 1.0, NAN, 8.0}, {NAN, NAN, NAN, NAN, NAN}};
    double found[2][2];
    const sotto_array rows = {.data = cells,
                              .element = SOTTO_FLOAT64,
                              .rows = 2,
                              .columns = 5,
                              .row_stride_bytes = sizeof cells[0],
                              .column_stride_bytes = sizeof(double)};
    sotto_error error;
    assert_ok(sotto_model_predict(model, &rows, &found[0][0], &error), &error);
    /* -0.25 + 1 + 1 + (4 - 4.5 / 9), and missing: age 36, Ystad, 4 visits. Ninths are rounded to the grid. */
    const double expected[] = {-0.25 + 1.0 + 1.0 + 3.5, -0.25 - 1.0 + 1.0 - 0.5};
    for (size_t i = 0; i < 2; i++)
        assert_within(log(found[i][1] / found[i][0]), expected[i] - 1e-5,
                      expected[i] + 1e-5);
    sotto_model_free(model);
}

static void numbers_are_predicted_within_their_bounds(void **state)
{
    (void)state;
    static const char *const names[] = {"age>=52",      "town=Lund",   "town=Ystad",
                                        "smokes=false", "smokes=true", "(intercept)"};
    static const double numbers[] = {40.0, 0.0, 0.0, 0.0, 0.0, 0.5};
    static const sot_model_setting steps[] = {{.name = "basis", .word = "steps"},
                                              {.name = "bins", .value = 2.0}};
    char schema[2048];
    model_replace(MODEL_TABLE, "\"target\": \"smokes\"", "\"target\": \"visits\"", schema,
                  sizeof schema);
    sot_model_content content = additive_content();
    content.schema_json = schema;
    content.classes = NULL;
    content.class_count = 0;
    content.features = names;
    content.coefficients = numbers;
    content.dimension = 6;
    content.settings = steps;
    sotto_model *model = model_of(&content);
    const double cells[][5] = {{NAN, 84.0, 0.0, 0.0, NAN}, {NAN, 20.0, 0.0, 0.0, NAN}};
    double found[2];
    const sotto_array rows = {.data = cells,
                              .element = SOTTO_FLOAT64,
                              .rows = 2,
                              .columns = 5,
                              .row_stride_bytes = sizeof cells[0],
                              .column_stride_bytes = sizeof(double)};
    sotto_error error;
    assert_int_equal(sotto_model_predicts(model), SOTTO_PREDICTS_NUMBER);
    assert_ok(sotto_model_predict(model, &rows, found, &error), &error);
    assert_true(found[0] == 8.0 && found[1] == 0.0);
    sotto_model_free(model);
}

static void several_classes_have_a_vector_each(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"target\": \"y\", \"columns\": [{\"name\": \"x\", \"type\": \"boolean\"}, "
        "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"a\", \"b\", \"c\"]}]}";
    static const char *const names[] = {"x=false", "x=true", "(intercept)"};
    static const char *const classes[] = {"a", "b", "c"};
    static const double numbers[] = {0.0, 2.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    sot_model_content content = additive_content();
    content.schema_json = schema;
    content.classes = classes;
    content.class_count = content.margins = 3;
    content.features = names;
    content.coefficients = numbers;
    content.dimension = 3;
    sotto_model *model = model_of(&content);
    const double cells[][2] = {{1.0, NAN}, {0.0, NAN}};
    double found[2][3];
    const sotto_array rows = {.data = cells,
                              .element = SOTTO_FLOAT64,
                              .rows = 2,
                              .columns = 2,
                              .row_stride_bytes = sizeof cells[0],
                              .column_stride_bytes = sizeof(double)};
    sotto_error error;
    assert_int_equal(sotto_model_margins(model), 3);
    assert_ok(sotto_model_predict(model, &rows, &found[0][0], &error), &error);
    assert_within(log(found[0][0] / found[0][2]), 1.0 - 1e-6, 1.0 + 1e-6);
    assert_true(found[0][0] == found[1][1] && found[0][1] == found[1][0]);
    sotto_model_free(model);
}

/* An interaction has two axes, and a list for each bin of the first. */
static void curves_of_an_interaction_are_a_table(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"target\": \"y\", \"interactions\": [[\"x\", \"z\"]], \"columns\": ["
        "{\"name\": \"x\", \"type\": \"boolean\"}, {\"name\": \"z\", \"type\": "
        "\"integer\", \"lower\": 0, \"upper\": 2}, "
        "{\"name\": \"y\", \"type\": \"boolean\"}]}";
    static const char *const names[] = {"x=false",       "x=true",        "z=0",
                                        "z=1",           "z=2",           "x=false & z=0",
                                        "x=false & z=1", "x=false & z=2", "x=true & z=0",
                                        "x=true & z=1",  "x=true & z=2",  "(intercept)"};
    static const double numbers[] = {0.0, 0.0, 0.0, 0.0,  0.0, 3.0,
                                     0.0, 0.0, 0.0, -3.0, 0.0, 0.5};
    static const char *const classes[] = {"false", "true"};
    sot_model_content content = additive_content();
    char *json = NULL;
    sotto_error error;
    content.schema_json = schema;
    content.classes = classes;
    content.features = names;
    content.coefficients = numbers;
    content.dimension = 12;
    sotto_model *model = model_of(&content);
    assert_ok(sotto_model_curves(model, &json, &error), &error);
    assert_non_null(strstr(json,
                           "\"interaction\":[{\"column\":\"x\",\"values\":[\"false\","
                           "\"true\"]},{\"column\":\"z\",\"lower\":0.0,\"upper\":2.0,"
                           "\"edges\":[1.0,2.0]}],\"adds\":[[["));
    sot_free(json);
    const double cells[][3] = {{0.0, 0.0, NAN}, {1.0, 1.0, NAN}, {1.0, 2.0, NAN}};
    const double expected[] = {3.5, -2.5, 0.5};
    double found[3][2];
    const sotto_array rows = {.data = cells,
                              .element = SOTTO_FLOAT64,
                              .rows = 3,
                              .columns = 3,
                              .row_stride_bytes = sizeof cells[0],
                              .column_stride_bytes = sizeof(double)};
    assert_ok(sotto_model_predict(model, &rows, &found[0][0], &error), &error);
    for (size_t i = 0; i < 3; i++)
        assert_within(log(found[i][1] / found[i][0]), expected[i] - 1e-5,
                      expected[i] + 1e-5);
    sotto_model_free(model);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    const sot_model_content content = additive_content();
    model_refuse_damaged(&content, "\"basis\":\"bins\"", "\"basis\":\"auto\"", "basis");
    model_refuse_damaged(&content, "\"basis\":\"bins\"", "\"basis\":\"haar\"", "basis");
    model_refuse_damaged(&content, "\"basis\":\"bins\"", "\"basis\":\"steps\"",
                         "features");
    model_refuse_damaged(&content, "\"basis\":\"bins\",", "", "basis");
    model_refuse_damaged(&content, "\"bins\":2.0", "\"bins\":3.0", "features");
    model_refuse_damaged(&content, "\"bins\":2.0", "\"bins\":2.5", "bins");
    model_refuse_damaged(&content, "\"bins\":2.0", "\"bins\":1e300", "bins");
    model_refuse_damaged(&content, "\"version\":6", "\"version\":2", "version");
    model_refuse_damaged(&content, "age=[20, 52)", "age=[20, 50)", "name");
}

static void no_memory_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    const sot_model_content content = additive_content();
    char *text = model_text(&content);
    for (size_t nth = 1;; nth++) {
        sotto_model *model = NULL;
        sotto_error error;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_model_parse("m", text, strlen(text), &model, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            assert_true(nth > 10);
            sotto_model_free(model);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(model);
    }
    sot_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_comes_back),
        cmocka_unit_test(a_prediction_is_a_sum_of_look_ups),
        cmocka_unit_test(numbers_are_predicted_within_their_bounds),
        cmocka_unit_test(several_classes_have_a_vector_each),
        cmocka_unit_test(curves_of_an_interaction_are_a_table),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(no_memory_is_an_error_and_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
