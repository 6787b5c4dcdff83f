/* Model files of every kind: what is written is read, predicted as defined, and scored. */
#include "artifact/model_file/models.h"

#include <unistd.h>

#include "base/file/file.h"

enum { FEATURES = 3, CLASSES = 3 };

#define NORM   "\"row_norm\": {\"bound\": 4.0, \"rule\": \"clip\"}, \"intercept\": 0"
#define NUMBER "{\"features\": 3, \"target\": {\"lower\": -20, \"upper\": 60}, " NORM "}"
#define COUNT  "{\"features\": 3, \"target\": {\"lower\": 0, \"upper\": 9}, " NORM "}"
#define TWO    "{\"features\": 3, \"labels\": [0, 1], " NORM "}"
#define THREE  "{\"features\": 3, \"labels\": [4, 7, 9], " NORM "}"

static const double coefficients[CLASSES * FEATURES] = {
    0.375, -0.5, 1.25, -0x1.8p-3, 0x1.4p-1, 0.75, 1.5, -0.25, 0x1.99999999999ap-4};
static const char *const two[] = {"0", "1"};
static const char *const three[] = {"4", "7", "9"};

static sot_model_content content_of(const char *kind, const char *schema)
{
    sot_model_content content = model_matrix_content();
    content.model = kind;
    content.schema_json = schema;
    content.coefficients = coefficients;
    content.dimension = FEATURES;
    content.class_count = 0;
    content.classes = NULL;
    if (strcmp(schema, TWO) == 0 || strcmp(schema, THREE) == 0) {
        content.class_count = strcmp(schema, TWO) == 0 ? 2 : 3;
        content.classes = content.class_count == 2 ? two : three;
    }
    content.margins = strcmp(kind, "softmax") == 0 ? content.class_count : 1;
    if (strcmp(kind, "custom") == 0) content.loss = "log-cosh";
    return content;
}

static const struct {
    const char *name;
    const char *schema;
    sotto_model_kind kind;
    sotto_prediction prediction;
    size_t outputs;
} kinds[] = {
    {"logistic", TWO, SOTTO_MODEL_LOGISTIC, SOTTO_PREDICTS_PROBABILITIES, 2},
    {"linear", NUMBER, SOTTO_MODEL_LINEAR, SOTTO_PREDICTS_NUMBER, 1},
    {"svm", TWO, SOTTO_MODEL_SVM, SOTTO_PREDICTS_SCORE, 1},
    {"hinge", TWO, SOTTO_MODEL_HINGE, SOTTO_PREDICTS_SCORE, 1},
    {"huber", NUMBER, SOTTO_MODEL_HUBER, SOTTO_PREDICTS_NUMBER, 1},
    {"softmax", TWO, SOTTO_MODEL_SOFTMAX, SOTTO_PREDICTS_PROBABILITIES, 2},
    {"softmax", THREE, SOTTO_MODEL_SOFTMAX, SOTTO_PREDICTS_PROBABILITIES, 3},
    {"poisson", COUNT, SOTTO_MODEL_POISSON, SOTTO_PREDICTS_NUMBER, 1},
    {"custom", TWO, SOTTO_MODEL_CUSTOM, SOTTO_PREDICTS_SCORE, 1},
    {"custom", NUMBER, SOTTO_MODEL_CUSTOM, SOTTO_PREDICTS_NUMBER, 1},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- files ---- */

static void every_kind_comes_back_bit_by_bit(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        const sot_model_content content = content_of(kinds[i].name, kinds[i].schema);
        char *text = model_text(&content);
        const bool old = kinds[i].kind == SOTTO_MODEL_LOGISTIC;
        assert_non_null(strstr(text, old ? "\"version\":1," : "\"version\":2,"));
        assert_true((strstr(text, "\"classes\":") != NULL) == (content.class_count > 0));
        assert_true((strstr(text, "\"coefficients\":[[\"") != NULL) ==
                    (kinds[i].kind == SOTTO_MODEL_SOFTMAX));
        sot_free(text);
        sotto_model *model = model_of(&content);
        assert_int_equal(sotto_model_kind_of(model), kinds[i].kind);
        assert_int_equal(sotto_model_predicts(model), kinds[i].prediction);
        assert_int_equal(sotto_model_outputs(model), kinds[i].outputs);
        assert_int_equal(sotto_model_margins(model), content.margins);
        assert_int_equal(sotto_model_classes(model), content.class_count);
        assert_int_equal(sotto_model_dimension(model), FEATURES);
        for (size_t j = 0; j < content.margins * FEATURES; j++)
            assert_true(sotto_model_coefficient(model, j) == coefficients[j]);
        sotto_model_free(model);
    }
}

/* Such a file is refused with these words. */
static void assert_file_refused(const char *kind, const char *schema, const char *from,
                                const char *to, const char *word)
{
    const sot_model_content content = content_of(kind, schema);
    char *text = NULL;
    char changed[4096];
    sotto_model *model = NULL;
    sotto_error error;
    assert_ok(sot_model_write(&content, &text, &error), &error);
    model_replace(text, from, to, changed, sizeof changed);
    assert_refused(
        sotto_model_parse("model.json", changed, strlen(changed), &model, &error),
        SOTTO_PARSE, &error, word, NULL);
    sot_free(text);
}

static void a_file_of_another_kind_than_it_says_is_refused(void **state)
{
    (void)state;
    assert_file_refused("linear", NUMBER, "\"version\":2", "\"version\":1",
                        "version is 1");
    assert_file_refused("logistic", TWO, "\"version\":1", "\"version\":2",
                        "version is 2");
    assert_file_refused("linear", NUMBER, "linear", "cubic", "huber, softmax");
    assert_file_refused("linear", NUMBER, "\"schema\"", "\"classes\":[\"a\"],\"schema\"",
                        "predicts numbers");
    assert_file_refused("linear", NUMBER, "\"method\"", "\"loss\":\"a\",\"method\"",
                        "leave it out");
    assert_file_refused("custom", NUMBER, "\"loss\":\"log-cosh\",", "", "loss");
    assert_file_refused("custom", NUMBER, "log-cosh", "Log cosh", "the name of a loss");
    assert_file_refused("softmax", THREE, "\"classes\":[\"4\",\"7\"",
                        "\"classes\":[\"4\"", "its schema gives 3");
    assert_file_refused("softmax", THREE, "\"coefficients\":[[", "\"coefficients\":[[],[",
                        "4 classes but its schema gives 3");
    assert_file_refused("softmax", THREE, "\"0x1.8p-2\",", "", "2 coefficients");
    assert_file_refused("svm", TWO, "\"coefficients\":[", "\"coefficients\":[\"0x0p+0\",",
                        "4 coefficients");
    assert_file_refused("svm", TWO, "\"labels\":[0,1]", "\"labels\":[0,1,2]",
                        "3 labels; the model svm takes two");
}

static void a_schema_that_the_kind_cannot_use_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *schema, *word;
    } wrong[] = {{"linear", TWO, "is a class"},
                 {"poisson", NUMBER, "has the lower bound -20"},
                 {"svm", NUMBER, "is a number"},
                 {"logistic", THREE, "3 labels; the model logistic takes two"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const sot_model_content content = content_of(wrong[i].kind, wrong[i].schema);
        char *text = model_text(&content);
        sotto_model *model = NULL;
        sotto_error error;
        const sotto_status status =
            sotto_model_parse("m", text, strlen(text), &model, &error);
        assert_true(status == SOTTO_PARSE || status == SOTTO_INVALID_ARGUMENT);
        if (strstr(error.message, wrong[i].word) == NULL)
            fail_msg("the message lacks %s: %s", wrong[i].word, error.message);
        sot_free(text);
    }
}

static void too_many_coefficients_are_not_written(void **state)
{
    (void)state;
    sot_model_content content = content_of("softmax", THREE);
    char *text = NULL;
    sotto_error error;
    content.margins = SOT_MODEL_DIMENSION_MAX / FEATURES + 1;
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "1398102 classes", "4194304", NULL);
    content.margins = 0;
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "0 classes", NULL);
}

static void more_classes_than_a_model_tells_apart_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    assert_ok(sot_model_check_classes(SOTTO_MODEL_SOFTMAX, 1000, &error), &error);
    assert_ok(sot_model_check_classes(SOTTO_MODEL_LINEAR, 0, &error), &error);
    assert_refused(sot_model_check_classes(SOTTO_MODEL_SOFTMAX, 1001, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "1001 labels", "1000", NULL);
    assert_refused(sot_model_check_classes(SOTTO_MODEL_SVM, 3, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "3 labels", "softmax", NULL);
}

/* ---- predictions ---- */

/* Exact on the grid and shorter than the bound: the scores are exact too. */
static const double rows[][FEATURES] = {
    {1.0, 0.0, 0.0},  {0.5, -0.25, 1.5}, {-1.5, 2.0, 1.0}, {0.0, 0.0, 0.0},
    {2.5, 0.0, 2.75}, {-2.0, 3.0, -1.0}, {0.125, 1.0, 0.5}};
enum { ROWS = sizeof rows / sizeof rows[0] };

static sotto_array view_of(const double *data, size_t columns)
{
    return (sotto_array){.data = data,
                         .element = SOTTO_FLOAT64,
                         .rows = ROWS,
                         .columns = columns,
                         .row_stride_bytes = (ptrdiff_t)(columns * sizeof(double)),
                         .column_stride_bytes = sizeof(double)};
}

static double margin_of(size_t row, size_t class)
{
    double sum = 0.0;
    for (size_t j = 0; j < FEATURES; j++)
        sum += coefficients[class * FEATURES + j] * rows[row][j];
    return sum;
}

static double clipped(double value, double lower, double upper)
{
    return value < lower ? lower : value > upper ? upper : value;
}

/* What the k-th output of the kind is by its definition. */
static double expected_output(size_t kind, size_t row, size_t k)
{
    const double margin = margin_of(row, 0);
    switch (kinds[kind].kind) {
    case SOTTO_MODEL_LOGISTIC:
        return 1.0 / (1.0 + exp(k == 1 ? -margin : margin));
    case SOTTO_MODEL_SOFTMAX: {
        double sum = 0.0;
        for (size_t j = 0; j < kinds[kind].outputs; j++)
            sum += exp(margin_of(row, j) - margin_of(row, k));
        return 1.0 / sum;
    }
    case SOTTO_MODEL_POISSON:
        return clipped(exp(margin), 0.0, 9.0);
    case SOTTO_MODEL_UNSET:
    case SOTTO_MODEL_LINEAR:
    case SOTTO_MODEL_SVM:
    case SOTTO_MODEL_HINGE:
    case SOTTO_MODEL_HUBER:
    case SOTTO_MODEL_CUSTOM:
    case SOTTO_MODEL_NETWORK:  /* test_model_network.c */
    case SOTTO_MODEL_CONCEPT:  /* test_model_concept.c */
    case SOTTO_MODEL_ADDITIVE: /* test_model_additive.c */
        break;
    }
    return kinds[kind].prediction == SOTTO_PREDICTS_SCORE
               ? margin
               : clipped(20.0 + 40.0 * margin, -20.0, 60.0);
}

static void every_kind_predicts_as_it_is_defined(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        const sot_model_content content = content_of(kinds[i].name, kinds[i].schema);
        sotto_model *model = model_of(&content);
        double outputs[ROWS * CLASSES];
        const sotto_array features = view_of(&rows[0][0], FEATURES);
        sotto_error error;
        assert_ok(sotto_model_predict(model, &features, outputs, &error), &error);
        for (size_t row = 0; row < ROWS; row++) {
            for (size_t k = 0; k < kinds[i].outputs; k++) {
                const double expected = expected_output(i, row, k);
                const double found = outputs[row * kinds[i].outputs + k];
                assert_within(found - expected, -1e-14 * fabs(expected),
                              1e-14 * fabs(expected));
            }
        }
        sotto_model_free(model);
    }
}

static void margins_that_are_no_numbers_say_nothing(void **state)
{
    (void)state;
    double found[3];
    const double nothing[] = {1.0, (double)NAN, 2.0};
    sot_model_softmax(nothing, 3, found);
    for (size_t k = 0; k < 3; k++)
        assert_true(found[k] == 1.0 / 3.0);
    const double infinite[] = {1.0, (double)INFINITY};
    sot_model_softmax(infinite, 2, found);
    assert_true(found[0] == 0.5 && found[1] == 0.5);
    const double far[] = {-1e308, 1e308, 0.0};
    sot_model_softmax(far, 3, found);
    assert_true(found[0] == 0.0 && found[1] == 1.0 && found[2] == 0.0);
}

static int keep_places(size_t predicted, const double *outputs, void *context)
{
    size_t **next = context;
    (void)outputs;
    *(*next)++ = predicted;
    return 0;
}

static void classes_are_decided_by_the_largest(void **state)
{
    (void)state;
    char path[64];
    sotto_error error;
    char text[512] = "";
    for (size_t row = 0; row < ROWS; row++) {
        char line[96];
        (void)snprintf(line, sizeof line, "0 1:%g 2:%g 3:%g\n", rows[row][0],
                       rows[row][1], rows[row][2]);
        strcat(text, line);
    }
    (void)snprintf(path, sizeof path, "/tmp/sotto-kinds-%ld.svm", (long)getpid());
    assert_ok(sot_file_write(path, text, strlen(text), 0600, &error), &error);
    for (size_t i = 0; i < KINDS; i++) {
        const sot_model_content content = content_of(kinds[i].name, kinds[i].schema);
        sotto_model *model = model_of(&content);
        size_t places[ROWS], *next = places;
        assert_ok(sotto_model_predict_data(model, &(const sotto_data_file){.path = path},
                                           0.5, keep_places, &next, &error),
                  &error);
        for (size_t row = 0; row < ROWS; row++) {
            size_t best = 0;
            for (size_t k = 1; k < content.margins; k++)
                if (margin_of(row, k) > margin_of(row, best)) best = k;
            if (content.margins == 1 && content.class_count == 2)
                best = margin_of(row, 0) >= 0.0;
            if (content.margins == 2) best = margin_of(row, 1) >= margin_of(row, 0);
            assert_int_equal(places[row], best);
        }
        const bool meant = kinds[i].outputs == 2;
        next = places;
        const sotto_status status =
            sotto_model_predict_data(model, &(const sotto_data_file){.path = path}, 0.25,
                                     keep_places, &next, &error);
        assert_int_equal(status, meant ? SOTTO_OK : SOTTO_INVALID_ARGUMENT);
        if (!meant) assert_non_null(strstr(error.message, "leave `threshold` out"));
        sotto_model_free(model);
    }
    assert_int_equal(unlink(path), 0);
}

/* ---- scores ---- */

static sotto_evaluation evaluate(size_t kind, const double *labels)
{
    const sot_model_content content = content_of(kinds[kind].name, kinds[kind].schema);
    sotto_model *model = model_of(&content);
    const sotto_records records = {.features = view_of(&rows[0][0], FEATURES),
                                   .labels = view_of(labels, 1)};
    sotto_evaluation found;
    sotto_error error;
    assert_ok(sotto_model_evaluate_records(model, &records, 0.5, &found, &error), &error);
    assert_int_equal(found.rows, ROWS);
    sotto_model_free(model);
    return found;
}

static void regressions_are_scored_as_defined(void **state)
{
    (void)state;
    const double labels[ROWS] = {33.0, 48.5, 1e9, -7.0, 60.0, NAN, 12.0};
    const double truth[ROWS] = {33.0, 48.5, 60.0, -7.0, 60.0, 20.0, 12.0};
    double mean = 0.0, variance = 0.0, mse = 0.0, mae = 0.0;
    for (size_t i = 0; i < ROWS; i++) {
        const double miss = truth[i] - expected_output(1, i, 0);
        mean += truth[i] / ROWS;
        mse += miss * miss / ROWS;
        mae += fabs(miss) / ROWS;
    }
    for (size_t i = 0; i < ROWS; i++)
        variance += (truth[i] - mean) * (truth[i] - mean) / ROWS;
    sotto_evaluation found = evaluate(1, labels);
    assert_relative(found.mse, mse, 1e-13);
    assert_relative(found.mae, mae, 1e-13);
    assert_relative(found.r2, 1.0 - mse / variance, 1e-12);
    assert_true(isnan(found.accuracy) && isnan(found.auc) && isnan(found.deviance));
    assert_null(found.confusion);
    assert_int_equal(found.classes, 0);
    const double equal[ROWS] = {5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0};
    found = evaluate(1, equal);
    assert_true(isnan(found.r2) && found.mse > 0.0);
}

static void counts_are_scored_by_their_deviance_too(void **state)
{
    (void)state;
    const double labels[ROWS] = {0.0, 3.0, 1.0, 9.0, 40.0, 2.0, 5.0};
    const size_t poisson = 7;
    double deviance = 0.0;
    for (size_t i = 0; i < ROWS; i++) {
        const double y = fmin(labels[i], 9.0), said = expected_output(poisson, i, 0);
        deviance += 2.0 * ((y > 0.0 ? y * log(y / said) : 0.0) - y + said) / ROWS;
    }
    const sotto_evaluation found = evaluate(poisson, labels);
    assert_relative(found.deviance, deviance, 1e-12);
    assert_true(found.mse > 0.0 && found.r2 < 1.0);
}

static void several_classes_are_scored_as_defined(void **state)
{
    (void)state;
    const double labels[ROWS] = {4, 7, 9, 4, 9, 7, 1e9}; /* the last counts as 4 */
    const size_t truth[ROWS] = {0, 1, 2, 0, 2, 1, 0};
    const size_t softmax = 6;
    uint64_t confusion[CLASSES * CLASSES] = {0};
    double log_loss = 0.0, brier = 0.0, right = 0.0;
    for (size_t i = 0; i < ROWS; i++) {
        size_t best = 0;
        for (size_t k = 0; k < CLASSES; k++) {
            const double p = expected_output(softmax, i, k);
            if (p > expected_output(softmax, i, best)) best = k;
            brier += 0.5 * pow(p - (k == truth[i] ? 1.0 : 0.0), 2.0) / ROWS;
        }
        confusion[truth[i] * CLASSES + best]++;
        right += best == truth[i];
        log_loss -= log(expected_output(softmax, i, truth[i])) / ROWS;
    }
    sotto_evaluation found = evaluate(softmax, labels);
    assert_int_equal(found.classes, CLASSES);
    assert_memory_equal(found.confusion, confusion, sizeof confusion);
    assert_relative(found.accuracy, right / ROWS, 1e-15);
    assert_relative(found.log_loss, log_loss, 1e-13);
    assert_relative(found.brier, brier, 1e-13);
    assert_true(isnan(found.auc) && isnan(found.mse));
    sotto_evaluation_clear(&found);
}

static void a_score_has_an_auc_but_no_probabilities(void **state)
{
    (void)state;
    const double labels[ROWS] = {1, 1, 0, 0, 1, 0, 1};
    sotto_evaluation scored = evaluate(2, labels), probable = evaluate(0, labels);
    assert_true(isnan(scored.log_loss) && isnan(scored.brier));
    assert_true(scored.accuracy == probable.accuracy && scored.auc == probable.auc);
    assert_memory_equal(scored.confusion, probable.confusion, 4 * sizeof(uint64_t));
    sotto_evaluation_clear(&scored);
    sotto_evaluation_clear(&probable);
}

static void no_memory_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    const sot_model_content content = content_of("softmax", THREE);
    char *text = model_text(&content);
    const double labels[ROWS] = {4, 7, 9, 4, 9, 7, 4};
    const sotto_records records = {.features = view_of(&rows[0][0], FEATURES),
                                   .labels = view_of(labels, 1)};
    for (size_t nth = 1;; nth++) {
        sotto_model *model = NULL;
        sotto_evaluation found = {.rows = 0};
        double outputs[ROWS * CLASSES];
        sotto_error error;
        (void)sot_test_fail_allocation(nth);
        sotto_status status = sotto_model_parse("m", text, strlen(text), &model, &error);
        if (status == SOTTO_OK)
            status = sotto_model_predict(model, &records.features, outputs, &error);
        if (status == SOTTO_OK)
            status = sotto_model_evaluate_records(model, &records, 0.5, &found, &error);
        (void)sot_test_fail_allocation(0);
        sotto_evaluation_clear(&found);
        sotto_model_free(model);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sot_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_comes_back_bit_by_bit),
        cmocka_unit_test(a_file_of_another_kind_than_it_says_is_refused),
        cmocka_unit_test(a_schema_that_the_kind_cannot_use_is_refused),
        cmocka_unit_test(too_many_coefficients_are_not_written),
        cmocka_unit_test(more_classes_than_a_model_tells_apart_are_refused),
        cmocka_unit_test(every_kind_predicts_as_it_is_defined),
        cmocka_unit_test(margins_that_are_no_numbers_say_nothing),
        cmocka_unit_test(classes_are_decided_by_the_largest),
        cmocka_unit_test(regressions_are_scored_as_defined),
        cmocka_unit_test(counts_are_scored_by_their_deviance_too),
        cmocka_unit_test(several_classes_are_scored_as_defined),
        cmocka_unit_test(a_score_has_an_auc_but_no_probabilities),
        cmocka_unit_test(no_memory_is_an_error_and_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
