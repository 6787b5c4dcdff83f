/* Trainings whose target is a number, a count or one of several classes: the whole way, forecasts,
 * and that the target's cells show no more than was paid for. */
#include "support.h"

#include <math.h>

#include <sotto/certificate.h>
#include <sotto/loss.h>
#include <sotto/model.h>
#include <sotto/train.h>

#include "train_study.h"

enum { ROWS = 600, FEATURES = 3 };

static double cells[ROWS][FEATURES], labels[ROWS];

#define NORM  ", \"intercept\": 1, \"row_norm\": {\"bound\": 1, \"rule\": \"clip\"}}"
#define RANGE "{\"features\": 3, \"target\": {\"lower\": -40, \"upper\": 80}" NORM
#define COUNT "{\"features\": 3, \"target\": {\"lower\": 0, \"upper\": 30}" NORM
#define TWO   "{\"features\": 3, \"labels\": [-1, 1]" NORM
#define THREE "{\"features\": 3, \"labels\": [2, 5, 9]" NORM

static const struct {
    sotto_model_kind model;
    const char *schema;
    double worst; /* of the private model's score */
} kinds[] = {
    {SOTTO_MODEL_LINEAR, RANGE, 12.0}, {SOTTO_MODEL_HUBER, RANGE, 12.0},
    {SOTTO_MODEL_POISSON, COUNT, 3.5}, {SOTTO_MODEL_SVM, TWO, 0.8},
    {SOTTO_MODEL_HINGE, TWO, 0.8},     {SOTTO_MODEL_SOFTMAX, THREE, 0.75},
    {SOTTO_MODEL_LOGISTIC, TWO, 0.8},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static double next_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ldexp((double)(*state >> 11), -53);
}

/* Labels that follow a rule the model can find. */
static double label_of(const char *schema, const double *x, double chance)
{
    const double score = 1.5 * x[0] - x[1] + 0.5 * x[2];
    if (strcmp(schema, RANGE) == 0) return 20.0 + 40.0 * score + 4.0 * (chance - 0.5);
    if (strcmp(schema, COUNT) == 0) return floor(exp(1.5 + score) + chance);
    if (strcmp(schema, TWO) == 0) return score > 0.0 ? 1.0 : -1.0;
    return x[0] > fmax(x[1], x[2]) ? 2.0 : x[1] > x[2] ? 5.0 : 9.0;
}

static sotto_array view(const double *data, size_t columns)
{
    return (sotto_array){.data = data,
                         .element = SOTTO_FLOAT64,
                         .rows = ROWS,
                         .columns = columns,
                         .row_stride_bytes = (ptrdiff_t)(columns * sizeof(double)),
                         .column_stride_bytes = sizeof(double)};
}

static sotto_records records_for(const char *schema)
{
    uint64_t random = 7;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < FEATURES; j++)
            cells[i][j] = 1.1 * (next_uniform(&random) - 0.5);
        labels[i] = label_of(schema, cells[i], next_uniform(&random));
    }
    return (sotto_records){.features = view(&cells[0][0], FEATURES),
                           .labels = view(labels, 1)};
}

static sotto_schema *parse(const char *text)
{
    sotto_schema *schema = NULL;
    sotto_error error;
    assert_ok(sotto_schema_parse("schema.json", text, strlen(text), &schema, &error),
              &error);
    return schema;
}

static sotto_train_config config_of(size_t kind)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = kinds[kind].model;
    config.method = SOTTO_METHOD_GD;
    config.epsilon = 50.0;
    config.delta = 1e-6;
    config.expected_rows = ROWS;
    config.insecure_test = true;
    config.test_seed = 11;
    return config;
}

/* The accuracy of classes, the root mean squared error of numbers. */
static double score_of(const char *json, const sotto_records *records)
{
    sotto_model *model = NULL;
    sotto_evaluation found;
    sotto_error error;
    assert_ok(sotto_model_parse("model.json", json, strlen(json), &model, &error),
              &error);
    assert_ok(sotto_model_evaluate_records(model, records, 0.5, &found, &error), &error);
    const double score = found.classes == 0 ? sqrt(found.mse) : found.accuracy;
    sotto_evaluation_clear(&found);
    sotto_model_free(model);
    return score;
}

static void every_kind_goes_the_whole_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        const sotto_train_config config = config_of(i);
        const sotto_records records = records_for(kinds[i].schema);
        sotto_schema *schema = parse(kinds[i].schema);
        sotto_train_result *result = NULL;
        sotto_error error;
        assert_ok(sotto_train_records(&config, schema, &records, &result, &error),
                  &error);
        const char *json = sotto_train_json(result);
        const double score = score_of(json, &records);
        const bool number = strstr(kinds[i].schema, "target") != NULL;
        if (number ? score > kinds[i].worst : score < kinds[i].worst)
            fail_msg("%s scores %g", sotto_model_kind_name(kinds[i].model), score);
        assert_non_null(strstr(json, sotto_model_kind_name(kinds[i].model)));
        assert_true((strstr(json, "the bounds of the target") != NULL) == number);
        /* All of it is recomputed; what remains is that the seed is a test's. */
        assert_refused(sotto_certificate_verify(json, strlen(json), &error),
                       SOTTO_VERIFICATION, &error, "test seed", NULL);
        sotto_train_free(result);
        sotto_schema_free(schema);
    }
}

/* log cosh(u - y): slope tanh, curvature at most 1. */
static void log_cosh(double margin, double label, void *context, sotto_loss_at *out)
{
    (void)context;
    const double rest = fabs(margin - label);
    const double slope = tanh(margin - label);
    out->value = rest + log1p(exp(-2.0 * rest)) - log(2.0);
    out->slope = slope;
    out->curvature = 1.0 - slope * slope;
}

static void a_loss_of_the_callers_goes_the_whole_way(void **state)
{
    (void)state;
    const sotto_loss loss = {.name = "log-cosh",
                             .at = log_cosh,
                             .slope_most = 1.0,
                             .curvature_most = 1.0,
                             .slope_error = 1e-15};
    sotto_train_config config = config_of(0);
    config.model = SOTTO_MODEL_CUSTOM;
    config.loss = &loss;
    const sotto_records records = records_for(RANGE);
    sotto_schema *schema = parse(RANGE);
    sotto_train_result *result = NULL;
    sotto_error error;
    assert_ok(sotto_train_records(&config, schema, &records, &result, &error), &error);
    const char *json = sotto_train_json(result);
    assert_true(score_of(json, &records) < 12.0);
    assert_non_null(strstr(json, "\"loss\": \"log-cosh\""));
    assert_non_null(strstr(json, "the loss log-cosh: that its slope rises"));
    sotto_train_free(result);
    sotto_schema_free(schema);
}

static void a_plan_names_what_is_predicted(void **state)
{
    (void)state;
    static const char *const words[] = {"linear: the number of each row, from -40 to 80",
                                        "huber: the number of each row",
                                        "poisson: the number of each row, from 0 to 30",
                                        "svm: -1, or 1",
                                        "hinge: -1, or 1",
                                        "softmax: 2, 5, or 9",
                                        "logistic: -1, or 1"};
    for (size_t i = 0; i < KINDS; i++) {
        const sotto_train_config config = config_of(i);
        sotto_schema *schema = parse(kinds[i].schema);
        sotto_training *training = NULL;
        sotto_error error;
        assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
        assert_non_null(strstr(sotto_training_text(training), words[i]));
        sotto_training_free(training);
        sotto_schema_free(schema);
    }
}

static void a_forecast_scores_what_the_model_predicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        double means[2];
        for (size_t k = 0; k < 2; k++) {
            sotto_train_config config = config_of(i);
            config.epsilon = k == 0 ? 0.01 : 100.0;
            sotto_schema *schema = parse(kinds[i].schema);
            sotto_training *training = NULL;
            sotto_forecast forecast;
            sotto_error error;
            assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
            assert_ok(
                sotto_training_forecast_data(training, NULL, 1000, 4, &forecast, &error),
                &error);
            const bool number = strstr(kinds[i].schema, "target") != NULL;
            assert_int_equal(forecast.score,
                             number ? SOTTO_FORECAST_RMSE : SOTTO_FORECAST_ACCURACY);
            const double sign = number ? -1.0 : 1.0; /* larger is better */
            assert_true(sign * forecast.without_noise > sign * forecast.trivial);
            means[k] = sign * forecast.mean;
            sotto_training_free(training);
            sotto_schema_free(schema);
        }
        if (!(means[1] > means[0]))
            fail_msg("%s: %g with little noise, %g with much",
                     sotto_model_kind_name(kinds[i].model), means[1], means[0]);
    }
}

typedef struct listener {
    uint64_t heard, stop_at;
} listener;

static int hear(const sotto_progress *progress, void *context)
{
    listener *self = context;
    assert_string_equal(progress->unit, "training");
    assert_int_equal(progress->step, ++self->heard);
    assert_int_equal(progress->steps, 4);
    return self->heard == self->stop_at;
}

static void a_forecast_tells_of_each_training_and_stops_on_request(void **state)
{
    (void)state;
    listener all = {.stop_at = 0}, two = {.stop_at = 2};
    const sotto_train_config config = config_of(0);
    sotto_schema *schema = parse(kinds[0].schema);
    sotto_training *training = NULL;
    sotto_forecast forecast;
    sotto_error error;
    assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
    assert_ok(sotto_training_forecast_watched(training, NULL, 100, 4, hear, &all,
                                              &forecast, &error),
              &error);
    assert_int_equal(all.heard, 4);
    assert_refused(sotto_training_forecast_watched(training, NULL, 100, 4, hear, &two,
                                                   &forecast, &error),
                   SOTTO_INTERRUPTED, &error, "training 2 of 4", NULL);
    assert_int_equal(two.heard, 2);
    sotto_training_free(training);
    sotto_schema_free(schema);
}

static void counts_far_from_zero_are_advised_against(void **state)
{
    (void)state;
    sotto_train_config config = config_of(2);
    sotto_schema *schema =
        parse("{\"features\": 3, \"target\": {\"lower\": 0, \"upper\": 5000}" NORM);
    sotto_training *training = NULL;
    sotto_error error;
    assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
    assert_non_null(strstr(sotto_training_text(training), "counts up to 5000"));
    sotto_training_free(training);
    sotto_schema_free(schema);
}

static void assert_plan_refused(sotto_model_kind model, const char *text,
                                const char *word)
{
    sotto_train_config config = config_of(0);
    sotto_schema *schema = parse(text);
    sotto_training *training = NULL;
    sotto_error error;
    config.model = model;
    assert_refused(sotto_training_plan(&config, schema, &training, &error),
                   SOTTO_INVALID_ARGUMENT, &error, word, NULL);
    sotto_schema_free(schema);
}

static void a_target_of_another_kind_is_refused_before_the_charge(void **state)
{
    (void)state;
    assert_plan_refused(SOTTO_MODEL_LINEAR, TWO, "is a class");
    assert_plan_refused(SOTTO_MODEL_LOGISTIC, RANGE, "is a number");
    assert_plan_refused(SOTTO_MODEL_SVM, THREE, "give `model=softmax`");
    assert_plan_refused(SOTTO_MODEL_POISSON, RANGE, "counts start at 0");
    assert_plan_refused(SOTTO_MODEL_CUSTOM, RANGE, "`loss` is missing");
    assert_plan_refused((sotto_model_kind)77, RANGE, "the model is 77");
}

/* ---- neighbours ---- */

#define STUDY(target)                                                                    \
    "{\"dataset\": \"study-1\", \"target\": \"" target "\", \"columns\": ["              \
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"           \
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "    \
    "\"Kivik\"]},"                                                                       \
    "{\"name\": \"person\", \"type\": \"id\"},"                                          \
    "{\"name\": \"smokes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}"

static void the_target_shows_nothing(void **state)
{
    (void)state;
    static const struct {
        sotto_model_kind model;
        const char *schema;
    } studies[] = {{SOTTO_MODEL_LINEAR, STUDY("age")},
                   {SOTTO_MODEL_POISSON, STUDY("age")},
                   {SOTTO_MODEL_SOFTMAX, STUDY("town")}};
    for (size_t i = 0; i < sizeof studies / sizeof studies[0]; i++) {
        for (size_t k = 0; k < 2; k++) {
            train_study study = {
                .schema = studies[i].schema,
                .config =
                    study_config(SOTTO_METHOD_GD,
                                 k == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE, 1e-6)};
            study.config.model = studies[i].model;
            const tape_study tape = study_of(&study);
            assert_true(study_releases(&tape));
            const char *leak = study_leak_of(&tape, study.config.adjacency, 5, 2);
            if (leak != NULL)
                fail_msg("%s: %s", sotto_model_kind_name(studies[i].model), leak);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_goes_the_whole_way),
        cmocka_unit_test(a_loss_of_the_callers_goes_the_whole_way),
        cmocka_unit_test(a_plan_names_what_is_predicted),
        cmocka_unit_test(a_forecast_scores_what_the_model_predicts),
        cmocka_unit_test(a_forecast_tells_of_each_training_and_stops_on_request),
        cmocka_unit_test(counts_far_from_zero_are_advised_against),
        cmocka_unit_test(a_target_of_another_kind_is_refused_before_the_charge),
        cmocka_unit_test(the_target_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
