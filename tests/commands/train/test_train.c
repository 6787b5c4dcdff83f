/* What a training says and does: settings that are refused, results that do not depend on how it was
 * run, plans that keep their promise, forecasts. */
#include "support.h"

#include <unistd.h>

#include <sotto/certificate.h>
#include <sotto/model.h>

#include "base/memory.h"
#include "train_study.h"

static sotto_schema *parse(const char *text)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("s.json", text, strlen(text), &schema, &error), &error);
    return schema;
}

static const char *write_rows(const char *rows)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "train_%ld.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "age,town,person,smokes\n%s", rows);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char rows[] =
    "44.5,Lund,p1,no\n61.25,Ystad,p2,yes\n18,Lund,p1,no\n"
    "90,Ystad,p3,yes\n33,Kivik,,yes\nnan,,p2,maybe\n70,Lund,p3,no\n";

static sotto_train_config seeded(sotto_method method, double delta)
{
    sotto_train_config config = study_config(method, SOTTO_ADD_REMOVE, delta);
    config.insecure_test = true;
    config.test_seed = 5;
    return config;
}

/* ---- refusals ---- */

static void refuse(const sotto_train_config *config, sotto_status expected,
                   const char *word)
{
    sotto_error error;
    sotto_training *training = NULL;
    sotto_schema *schema = parse(study_schema);
    assert_refused(sotto_training_plan(config, schema, &training, &error), expected,
                   &error, word, NULL);
    assert_null(training);
    sotto_schema_free(schema);
}

static void what_carries_privacy_has_no_default(void **state)
{
    (void)state;
    sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
    config.epsilon = SOTTO_UNSET;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "has no default");
    config.epsilon = 0.0;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "above 0");
    config = seeded(SOTTO_METHOD_GD, SOTTO_UNSET);
    refuse(&config, SOTTO_INVALID_ARGUMENT, "`delta` is missing");
    config = seeded(SOTTO_METHOD_GD, 1e-6);
    config.expected_rows = 0;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "`expected_rows` is missing");
    config = seeded(SOTTO_METHOD_OUTPUT, 1e-6);
    config.expected_rows = 0;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "`expected_rows` is missing");
    config.model = SOTTO_MODEL_UNSET;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "sotto_model_kind");
    config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
    config.public_n = 7;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "replace-one");
}

static void settings_of_another_method_are_refused(void **state)
{
    (void)state;
    sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
    config.steps = 5;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "steps");
    config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
    config.learning_rate = 2.0;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "`learning_rate` has no meaning");
    config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
    config.lambda_theory = true;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "theory");
    config = seeded(SOTTO_METHOD_GD, 1e-6);
    config.calibration = SOTTO_CALIBRATION_KIFER;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "calibration");
    config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
    config.data_is_public = true;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "leave `data_is_public` out");
    config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_NONE;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "declare the rows public");
    config.data_is_public = true;
    config.epsilon = 1.0;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "leave out `epsilon`");
}

static void a_lambda_below_the_theorem_is_refused_with_the_least(void **state)
{
    (void)state;
    sotto_error error;
    sotto_training *training = NULL;
    sotto_schema *schema = parse(study_schema);
    sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
    config.lambda = 0.125;
    assert_refused(sotto_training_plan(&config, schema, &training, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`lambda` is 0.125", "for example",
                   NULL);
    double least = 0.0;
    assert_int_equal(sscanf(strstr(error.message, "`lambda=") + 8, "%lf", &least), 1);
    config.lambda = least * (1.0 + 1e-8);
    assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
    sotto_training_free(training);
    sotto_schema_free(schema);
}

/* Also a pure law, which pays for a small lambda as far as that goes, calls it a wrong setting. */
static void settings_without_a_model_are_refused_before_the_charge(void **state)
{
    (void)state;
    sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, SOTTO_UNSET);
    config.epsilon = 0.01;
    config.lambda = 0.125;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "needs more");
    config = seeded(SOTTO_METHOD_OBJECTIVE, SOTTO_UNSET);
    config.threads = 1025;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "give 1 to 1024");
    config = seeded(SOTTO_METHOD_OBJECTIVE, SOTTO_UNSET);
    config.epsilon = 200.0;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "give at most 186");
    config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
    config.epsilon = 1000.0;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "give at most 549");
    config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-120);
    refuse(&config, SOTTO_INVALID_ARGUMENT, "leave it out for pure noise");
    config = seeded(SOTTO_METHOD_GD, 1e-6);
    config.expected_rows = 100;
    config.learning_rate = 4.0;
    config.lambda = 1e3;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "diverge");
}

/* The largest epsilon that the refusal names is fine. */
static void the_largest_epsilon_has_a_certificate(void **state)
{
    (void)state;
    const double deltas[] = {SOTTO_UNSET, 1e-6};
    const double most[] = {186.0, 549.0};
    sotto_schema *schema = parse(study_schema);
    for (int i = 0; i < 2; i++) {
        sotto_error error;
        sotto_training *training = NULL;
        sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, deltas[i]);
        config.epsilon = most[i];
        assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
        sotto_training_free(training);
    }
    sotto_schema_free(schema);
}

/* A unit's rows may change in number: no number of rows is public then. */
static void a_public_number_of_rows_needs_units_of_one_row(void **state)
{
    (void)state;
    sotto_error error;
    sotto_training *training = NULL;
    sotto_schema *schema = parse(study_unit_schema);
    sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
    config.adjacency = SOTTO_REPLACE_ONE;
    config.public_n = 7;
    assert_refused(sotto_training_plan(&config, schema, &training, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "person", "give `expected_rows`",
                   NULL);
    sotto_schema_free(schema);
}

static void a_wrong_public_n_is_refused_and_not_corrected(void **state)
{
    (void)state;
    sotto_error error;
    sotto_train_result *result = NULL;
    sotto_schema *schema = parse(study_schema);
    sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
    config.adjacency = SOTTO_REPLACE_ONE;
    config.public_n = 9;
    const char *path = write_rows(rows);
    assert_refused(sotto_train_data(&config, schema,
                                    &(const sotto_data_file){.path = path}, &result,
                                    &error),
                   SOTTO_INVALID_ARGUMENT, &error, "9 rows of `public_n`", NULL);
    assert_null(strstr(error.message, " 7 "));
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* ---- promises ---- */

/* The plan costs what was asked for and not much less, for units too. */
static void the_plan_costs_what_was_asked_for(void **state)
{
    (void)state;
    static const sotto_method methods[] = {SOTTO_METHOD_OBJECTIVE, SOTTO_METHOD_OUTPUT,
                                           SOTTO_METHOD_GD};
    sotto_error error;
    for (size_t i = 0; i < 12; i++) {
        sotto_schema *schema = parse(i % 2 == 0 ? study_schema : study_unit_schema);
        sotto_training *training = NULL;
        sotto_account account;
        sotto_train_config config = seeded(methods[i % 3], 1e-6);
        config.expected_rows = 1000;
        config.adjacency = i < 6 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE;
        assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
        assert_ok(sotto_account_epsilon(sotto_training_events(training), SOTTO_EXACT,
                                        1e-6, &account, &error),
                  &error);
        assert_within(account.epsilon, 0.75 * (1.0 - 2e-3), 0.75);
        assert_int_equal(sotto_plan_adjacency(sotto_training_events(training)),
                         config.adjacency);
        sotto_training_free(training);
        sotto_schema_free(schema);
    }
}

static void the_result_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static const sotto_method methods[] = {SOTTO_METHOD_OBJECTIVE, SOTTO_METHOD_OUTPUT,
                                           SOTTO_METHOD_GD};
    sotto_error error;
    sotto_schema *schema = parse(study_schema);
    const char *path = write_rows(rows);
    for (size_t i = 0; i < 3; i++) {
        sotto_train_config config = seeded(methods[i], 1e-6);
        sotto_train_result *results[2] = {NULL, NULL};
        for (size_t k = 0; k < 2; k++) {
            config.threads = k == 0 ? 1 : 3;
            assert_ok(sotto_train_data(&config, schema,
                                       &(const sotto_data_file){.path = path},
                                       &results[k], &error),
                      &error);
        }
        assert_string_equal(sotto_train_json(results[0]), sotto_train_json(results[1]));
        sotto_train_free(results[0]);
        sotto_train_free(results[1]);
    }
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* The same rows in memory give the same coefficients; only the certificate says where from. */
static void records_in_memory_train_like_a_file(void **state)
{
    (void)state;
    static const double cells[7][4] = {
        {44.5, 0, 0, 0}, {61.25, 1, 0, 1},   {18, 0, 0, 0}, {90, 1, 0, 1},
        {33, NAN, 0, 1}, {NAN, NAN, 0, NAN}, {70, 0, 0, 0}};
    const sotto_records records = {.features = {.data = cells,
                                                .element = SOTTO_FLOAT64,
                                                .rows = 7,
                                                .columns = 4,
                                                .row_stride_bytes = 32,
                                                .column_stride_bytes = 8}};
    sotto_error error;
    sotto_schema *schema = parse(study_schema);
    const char *path = write_rows(rows);
    const sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
    sotto_train_result *results[2] = {NULL, NULL};
    sotto_model *models[2] = {NULL, NULL};
    assert_ok(sotto_train_data(&config, schema, &(const sotto_data_file){.path = path},
                               &results[0], &error),
              &error);
    assert_ok(sotto_train_records(&config, schema, &records, &results[1], &error),
              &error);
    for (size_t i = 0; i < 2; i++) {
        const char *json = sotto_train_json(results[i]);
        assert_ok(sotto_model_parse("m", json, strlen(json), &models[i], &error), &error);
    }
    assert_int_equal(sotto_model_dimension(models[0]), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(sotto_model_coefficient(models[0], i) ==
                    sotto_model_coefficient(models[1], i));
    }
    for (size_t i = 0; i < 2; i++) {
        sotto_model_free(models[i]);
        sotto_train_free(results[i]);
    }
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* No rows, one row, one class, nothing but mistakes: a model like any other, and it verifies. */
static void empty_and_broken_files_are_ordinary(void **state)
{
    (void)state;
    static const char *const files[] = {"", "44,Lund,p1,no\n", "\n",
                                        "nan,zebra,,\ninf,,,,,,\n,,,\n\"\n"};
    static const sotto_method methods[] = {SOTTO_METHOD_OBJECTIVE, SOTTO_METHOD_OUTPUT,
                                           SOTTO_METHOD_GD};
    sotto_error error;
    sotto_schema *schema = parse(study_schema);
    for (size_t i = 0; i < 12; i++) {
        sotto_train_result *result = NULL;
        sotto_train_config config = seeded(methods[i % 3], 1e-6);
        config.insecure_test = false;
        const char *path = write_rows(files[i / 3]);
        assert_ok(sotto_train_data(&config, schema,
                                   &(const sotto_data_file){.path = path}, &result,
                                   &error),
                  &error);
        const char *json = sotto_train_json(result);
        assert_ok(sotto_certificate_verify(json, strlen(json), &error), &error);
        sotto_train_free(result);
        (void)unlink(path);
    }
    sotto_schema_free(schema);
}

/* Nothing that depends on rows is in the file but what was released. */
static void the_file_says_nothing_of_the_computation(void **state)
{
    (void)state;
    static const char *const words[] = {"iteration", "loss\"",    "gradient_norm",
                                        "clipped",   "rows_read", "seconds",
                                        "elapsed"};
    sotto_error error;
    sotto_schema *schema = parse(study_schema);
    sotto_train_result *result = NULL;
    const sotto_train_config config = seeded(SOTTO_METHOD_AUTO, SOTTO_UNSET);
    const char *path = write_rows(rows);
    assert_ok(sotto_train_data(&config, schema, &(const sotto_data_file){.path = path},
                               &result, &error),
              &error);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_null(strstr(sotto_train_json(result), words[i]));
    assert_non_null(strstr(sotto_train_certificate(result), "NOT PRIVATE"));
    assert_non_null(strstr(sotto_train_text(result), "objective (without a delta"));
    sotto_train_free(result);
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void a_model_of_public_rows_has_no_certificate(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = parse(study_schema);
    sotto_train_result *result = NULL;
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_NONE;
    config.data_is_public = true;
    const char *path = write_rows(rows);
    assert_ok(sotto_train_data(&config, schema, &(const sotto_data_file){.path = path},
                               &result, &error),
              &error);
    assert_null(strstr(sotto_train_json(result), "certificate"));
    assert_string_equal(sotto_train_certificate(result), "");
    sotto_train_free(result);
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* ---- advice and forecasts ---- */

static void advice_names_what_could_be_better(void **state)
{
    (void)state;
    sotto_error error;
    sotto_training *training = NULL;
    sotto_schema *schema = parse(study_schema);
    sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, 0.25);
    config.epsilon = 12.0;
    config.expected_rows = 100;
    config.lambda = 500.0;
    assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
    static const char *const expected[] = {"delta 0.25 is above 1/rows", "epsilon 12",
                                           "lambda 500 outweighs"};
    for (size_t i = 0; i < 3; i++) {
        assert_non_null(strstr(sotto_training_text(training), expected[i]));
        assert_non_null(strstr(sotto_training_json(training), expected[i]));
    }
    sotto_training_free(training);
    sotto_schema_free(schema);
}

static void a_forecast_tells_much_noise_from_little(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = parse(study_unit_schema);
    double means[2];
    for (int i = 0; i < 2; i++) {
        sotto_training *training = NULL;
        sotto_forecast forecast;
        sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
        config.epsilon = i == 0 ? 0.001 : 8.0;
        assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
        assert_ok(
            sotto_training_forecast_data(training, NULL, 2000, 20, &forecast, &error),
            &error);
        assert_int_equal(forecast.repeats, 20);
        assert_within(forecast.without_noise, 0.75, 1.0);
        assert_within(forecast.trivial, 0.3, 0.9);
        means[i] = forecast.mean;
        assert_within(forecast.auc.without_noise, 0.75, 1.0);
        assert_within(forecast.auc.trivial, 0.5, 0.5);
        assert_true(forecast.log_loss.without_noise < forecast.log_loss.trivial);
        assert_true(i == 0 || forecast.log_loss.mean < forecast.log_loss.trivial);
        assert_refused(
            sotto_training_forecast_data(training, NULL, 0, 3, &forecast, &error),
            SOTTO_INVALID_ARGUMENT, &error, "public rows", NULL);
        assert_refused(
            sotto_training_forecast_data(training, NULL, 9, 3, &forecast, &error),
            SOTTO_INVALID_ARGUMENT, &error, "at least", NULL);
        sotto_training_free(training);
    }
    assert_true(means[1] > means[0] + 0.05);
    sotto_schema_free(schema);
}

/* Public rows are repeated, or left out, to match the expected rows: the noise is worth as much as there. */
static void a_forecast_is_for_the_expected_rows(void **state)
{
    (void)state;
    static const uint64_t expected[] = {200, 8000};
    sotto_error error;
    sotto_schema *schema = parse(study_unit_schema);
    sotto_forecast forecast[2];
    for (int i = 0; i < 2; i++) {
        sotto_training *training = NULL;
        sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, 1e-6);
        config.epsilon = 0.5;
        config.expected_rows = expected[i];
        assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
        assert_ok(
            sotto_training_forecast_data(training, NULL, 2000, 20, &forecast[i], &error),
            &error);
        assert_int_equal(forecast[i].rows, expected[i]);
        assert_int_equal(forecast[i].held, 400);
        sotto_training_free(training);
    }
    assert_true(forecast[1].log_loss.mean < forecast[0].log_loss.mean);
    sotto_schema_free(schema);
}

/* Student's 95 % quantiles: 12.7062 for one degree of freedom, 2.0930 for 19 (tables). */
static void the_reach_of_a_forecast_is_students(void **state)
{
    (void)state;
    assert_true(isnan(sotto_forecast_reach(0.5, 1)));
    assert_within(sotto_forecast_reach(0.5, 2), 0.5 * 12.7062 * sqrt(1.5) - 1e-3,
                  0.5 * 12.7062 * sqrt(1.5) + 1e-3);
    assert_within(sotto_forecast_reach(0.5, 20), 0.5 * 2.0930 * sqrt(1.05) - 1e-4,
                  0.5 * 2.0930 * sqrt(1.05) + 1e-4);
    assert_within(sotto_forecast_reach(0.0, 20), 0.0, 0.0);
}

/* ---- memory ---- */

static void a_failed_allocation_is_reported_and_nothing_is_lost(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = parse(study_schema);
    const char *path = write_rows(rows);
    const sotto_train_config config = seeded(SOTTO_METHOD_OBJECTIVE, SOTTO_UNSET);
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    size_t nth = 1;
    for (; status == SOTTO_OUT_OF_MEMORY; nth++) {
        sotto_train_result *result = NULL;
        (void)sot_test_fail_allocation(nth);
        status = sotto_train_data(&config, schema, &(const sotto_data_file){.path = path},
                                  &result, &error);
        (void)sot_test_fail_allocation(0);
        assert_true((status == SOTTO_OK) == (result != NULL));
        sotto_train_free(result);
    }
    assert_int_equal(status, SOTTO_OK);
    assert_true(nth > 50);
    (void)unlink(path);
    sotto_schema_free(schema);
}

enum { MESSAGES_MAX = 64 };

typedef struct messages {
    char text[MESSAGES_MAX][SOTTO_MESSAGE_BYTES];
    size_t count;
    bool released;
} messages;

static int note_the_release(const sotto_progress *progress, void *context)
{
    messages *seen = context;
    if (progress->step == progress->steps) seen->released = true;
    return 0;
}

static bool is_among(const messages *seen, const char *text)
{
    for (size_t i = 0; i < seen->count; i++)
        if (strcmp(seen->text[i], text) == 0) return true;
    return false;
}

/* What is said for each allocation that fails before the model is released. */
static void collect_messages(const char *table, messages *seen)
{
    sotto_error error;
    sotto_schema *schema = parse(study_schema);
    const char *path = write_rows(table);
    sotto_train_config config = seeded(SOTTO_METHOD_OUTPUT, SOTTO_UNSET);
    config.lambda = 1.0;
    config.progress = note_the_release;
    config.progress_context = seen;
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    *seen = (messages){0};
    for (size_t nth = 1; status == SOTTO_OUT_OF_MEMORY; nth++) {
        sotto_train_result *result = NULL;
        seen->released = false;
        (void)sot_test_fail_allocation(nth);
        status = sotto_train_data(&config, schema, &(const sotto_data_file){.path = path},
                                  &result, &error);
        (void)sot_test_fail_allocation(0);
        sotto_train_free(result);
        if (status == SOTTO_OK || seen->released || is_among(seen, error.message))
            continue;
        assert_true(seen->count < MESSAGES_MAX);
        strcpy(seen->text[seen->count++], error.message);
    }
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* How much memory was asked for says how many rows there are. */
static void memory_that_runs_out_does_not_tell_the_rows(void **state)
{
    (void)state;
    static messages few, many;
    static char table[1 << 17];
    const char *const row = "44.5,Lund,p1,no\n";
    size_t used = (size_t)snprintf(table, sizeof table, "age,town,person,smokes\n");
    for (int i = 0; i < 5000; i++) {
        memcpy(table + used, row, strlen(row) + 1);
        used += strlen(row);
    }
    collect_messages("age,town,person,smokes\n44.5,Lund,p1,no\n", &few);
    collect_messages(table, &many);
    assert_true(few.count > 3);
    for (size_t i = 0; i < many.count; i++)
        if (!is_among(&few, many.text[i])) fail_msg("only many rows: %s", many.text[i]);
    for (size_t i = 0; i < few.count; i++)
        if (!is_among(&many, few.text[i])) fail_msg("only one row: %s", few.text[i]);
}

static void names_and_values_belong_together(void **state)
{
    (void)state;
    sotto_error error;
    sotto_method method;
    sotto_calibration calibration;
    sotto_model_kind kind;
    for (int i = 0; i <= SOTTO_METHOD_FRANK_WOLFE; i++) {
        assert_ok(
            sotto_method_from_name(sotto_method_name((sotto_method)i), &method, &error),
            &error);
        assert_int_equal(method, i);
    }
    for (int i = SOTTO_SAMPLER_AUTO; i <= SOTTO_SAMPLER_MALA; i++) {
        sotto_sampler sampler;
        assert_ok(sotto_sampler_from_name(sotto_sampler_name((sotto_sampler)i), &sampler,
                                          &error),
                  &error);
        assert_int_equal(sampler, i);
    }
    for (int i = 0; i <= SOTTO_CALIBRATION_REDBERG; i++) {
        assert_ok(sotto_calibration_from_name(
                      sotto_calibration_name((sotto_calibration)i), &calibration, &error),
                  &error);
        assert_int_equal(calibration, i);
    }
    assert_ok(sotto_model_kind_from_name("logistic", &kind, &error), &error);
    assert_int_equal(kind, SOTTO_MODEL_LOGISTIC);
    assert_string_equal(sotto_model_kind_name(SOTTO_MODEL_UNSET), "unknown");
    assert_string_equal(sotto_method_name((sotto_method)-1), "unknown");
    assert_string_equal(sotto_calibration_name((sotto_calibration)9), "unknown");
    assert_refused(sotto_method_from_name("lbfgs", &method, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "'lbfgs'", "objective", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_carries_privacy_has_no_default),
        cmocka_unit_test(settings_of_another_method_are_refused),
        cmocka_unit_test(a_lambda_below_the_theorem_is_refused_with_the_least),
        cmocka_unit_test(settings_without_a_model_are_refused_before_the_charge),
        cmocka_unit_test(the_largest_epsilon_has_a_certificate),
        cmocka_unit_test(a_public_number_of_rows_needs_units_of_one_row),
        cmocka_unit_test(a_wrong_public_n_is_refused_and_not_corrected),
        cmocka_unit_test(the_plan_costs_what_was_asked_for),
        cmocka_unit_test(the_result_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(records_in_memory_train_like_a_file),
        cmocka_unit_test(empty_and_broken_files_are_ordinary),
        cmocka_unit_test(the_file_says_nothing_of_the_computation),
        cmocka_unit_test(a_model_of_public_rows_has_no_certificate),
        cmocka_unit_test(advice_names_what_could_be_better),
        cmocka_unit_test(a_forecast_tells_much_noise_from_little),
        cmocka_unit_test(a_forecast_is_for_the_expected_rows),
        cmocka_unit_test(the_reach_of_a_forecast_is_students),
        cmocka_unit_test(a_failed_allocation_is_reported_and_nothing_is_lost),
        cmocka_unit_test(memory_that_runs_out_does_not_tell_the_rows),
        cmocka_unit_test(names_and_values_belong_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
