/* The accuracy of a model on private rows: nothing shows but what was paid for. */
#include "support.h"

#include <unistd.h>

#include <sotto/model.h>

#include "artifact/model_file/model.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "release_study.h"

/* Of the study's table: whether a row has more than two visits. */
static const char model_text[] =
    "{\"kind\": \"model\", \"version\": 1, \"model\": \"logistic\", \"method\": "
    "\"none\", "
    "\"settings\": {}, \"classes\": [\"<=2\", \">2\"], \"schema\": {\"dataset\": "
    "\"study-1\", \"target\": {\"column\": \"visits\", \"above\": 2}, \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 6},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "
    "\"Kivik\"]}]}, \"features\": [\"age\", \"town=Lund\", \"town=Ystad\", "
    "\"town=Kivik\", \"(intercept)\"], \"coefficients\": [\"0x1.8p+1\", \"-0x1p+0\", "
    "\"0x1p-1\", \"0x1p+0\", \"-0x1p-3\"]}";

static sotto_model *read_model(const char *text)
{
    sotto_model *model = NULL;
    sotto_error error;
    assert_ok(sotto_model_parse("model.json", text, strlen(text), &model, &error),
              &error);
    return model;
}

static sotto_release_config config_of(const sotto_model *model)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = SOTTO_RELEASE_ACCURACY;
    config.model = model;
    config.epsilon = 0.75;
    config.insecure_test = true;
    config.test_seed = 20261115;
    return config;
}

/* What the command does, as study_run(), with a model's schema. */
static int accuracy_run(const tape_table *table, const tape_place *place, void *context)
{
    const release_study *study = context;
    sotto_release_config config = study->config;
    sotto_error error = {0};
    sotto_release_result *result = NULL;
    if (study->n_is_public) config.public_n = table->rows;
    const sotto_status status = sotto_release_data(
        &config, sotto_model_schema(config.model),
        &(const sotto_data_file){.path = place->input_path}, &result, &error);
    if (status == SOTTO_OK) {
        printf("%s%s", sotto_release_text(result), sotto_release_json(result));
        fprintf(stderr, "%s", sotto_release_certificate(result));
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    sotto_release_free(result);
    return study_exit_code(status);
}

static void check_neighbours(sotto_adjacency adjacency, double delta)
{
    sotto_model *model = read_model(model_text);
    release_study study = {.config = config_of(model),
                           .n_is_public = adjacency == SOTTO_REPLACE_ONE};
    study.config.adjacency = adjacency;
    study.config.delta = delta;
    tape_study tape = study_of(&study);
    tape.run = accuracy_run;
    const char *leak = study_releases(&tape) ? tape_check_neighbours(&tape, adjacency)
                                             : "it releases nothing";
    if (leak != NULL) fail_msg("%s", leak);
    sotto_model_free(model);
}

static void one_row_more_or_less_shows_nothing(void **state)
{
    (void)state;
    check_neighbours(SOTTO_ADD_REMOVE, SOTTO_UNSET);
}

static void one_row_replaced_shows_nothing(void **state)
{
    (void)state;
    check_neighbours(SOTTO_REPLACE_ONE, 1e-6);
}

/* ---- the number ---- */

static const char *write_rows(void)
{
    static char path[64];
    char text[8192];
    size_t size = (size_t)snprintf(text, sizeof text, "town,age,visits\n");
    for (int i = 0; i < 300; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s,%d.5,%d\n",
                                 study_towns[i % 3], 18 + (i * 37) % 72, (i * i) % 7);
    sotto_error error;
    (void)snprintf(path, sizeof path, "/tmp/sotto-accuracy-%ld.csv", (long)getpid());
    assert_ok(sot_file_write(path, text, size, 0600, &error), &error);
    return path;
}

static void the_accuracy_is_that_of_the_rows_but_for_the_noise(void **state)
{
    (void)state;
    sotto_model *model = read_model(model_text);
    const char *path = write_rows();
    sotto_error error;
    for (size_t i = 0; i < 3; i++) {
        const double thresholds[] = {0.5, 0.25, 0.875};
        sotto_evaluation exact;
        sotto_release_result *result = NULL;
        sotto_release_config config = config_of(model);
        config.epsilon = 1e3; /* noise far below one row */
        config.threshold = thresholds[i];
        assert_ok(sotto_model_evaluate_data(model, &(const sotto_data_file){.path = path},
                                            thresholds[i], &exact, &error),
                  &error);
        assert_ok(sotto_release_data(&config, sotto_model_schema(model),
                                     &(const sotto_data_file){.path = path}, &result,
                                     &error),
                  &error);
        const sotto_release_value value = sotto_release_at(result, 0);
        assert_string_equal(value.label, "accuracy");
        assert_within(value.value, exact.accuracy - 1e-3, exact.accuracy + 1e-3);
        assert_within(exact.accuracy, value.lower, value.upper);
        sotto_evaluation_clear(&exact);
        sotto_release_free(result);
    }
    assert_int_equal(unlink(path), 0);
    sotto_model_free(model);
}

/* The same table: which town a row has, by a softmax model; the visits, by a linear one. */
#define STUDY_MODEL(model, target, classes, features, coefficients)                      \
    "{\"kind\": \"model\", \"version\": 2, \"model\": \"" model                          \
    "\", \"method\": \"none\", \"settings\": {}, " classes                               \
    "\"schema\": {\"dataset\": \"study-1\", \"target\": \"" target "\", \"columns\": ["  \
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"           \
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 6},"         \
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "    \
    "\"Kivik\"]}]}, \"features\": [" features                                            \
    ", \"(intercept)\"], \"coefficients\": [" coefficients "]}"
static const char softmax_text[] =
    STUDY_MODEL("softmax", "town", "\"classes\": [\"Lund\", \"Ystad\", \"Kivik\"], ",
                "\"age\", \"visits\"",
                "[\"0x1p+1\", \"0x1p+0\", \"0x1p-3\"], [\"-0x1p+0\", \"0x1.8p+1\", "
                "\"0x0p+0\"], [\"0x1p-1\", \"-0x1p+0\", \"-0x1p-2\"]");
static const char linear_text[] = STUDY_MODEL(
    "linear", "visits", "", "\"age\", \"town=Lund\", \"town=Ystad\", \"town=Kivik\"",
    "\"0x1p+1\", \"0x1p+0\", \"0x1p-3\", \"0x1p+0\", \"0x1p-1\"");

static void several_classes_have_an_accuracy_and_numbers_have_none(void **state)
{
    (void)state;
    sotto_model *model = read_model(softmax_text);
    sotto_model *numbers = read_model(linear_text);
    const char *path = write_rows();
    sotto_error error;
    sotto_evaluation exact;
    sotto_release_result *result = NULL;
    sotto_plan *plan = NULL;
    sotto_release_config config = config_of(model);
    config.epsilon = 1e3;
    assert_ok(sotto_model_evaluate_data(model, &(const sotto_data_file){.path = path},
                                        0.5, &exact, &error),
              &error);
    assert_int_equal(exact.classes, 3);
    assert_ok(sotto_release_data(&config, sotto_model_schema(model),
                                 &(const sotto_data_file){.path = path}, &result, &error),
              &error);
    assert_within(sotto_release_at(result, 0).value, exact.accuracy - 1e-3,
                  exact.accuracy + 1e-3);
    config.threshold = 0.25;
    assert_refused(sotto_release_plan(&config, sotto_model_schema(model), &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "threshold", "softmax", NULL);
    config = config_of(numbers);
    assert_refused(
        sotto_release_plan(&config, sotto_model_schema(numbers), &plan, &error),
        SOTTO_INVALID_ARGUMENT, &error, "predicts numbers", "public rows", NULL);
    sotto_evaluation_clear(&exact);
    sotto_release_free(result);
    sotto_model_free(model);
    sotto_model_free(numbers);
    assert_int_equal(unlink(path), 0);
}

static void the_release_names_its_model(void **state)
{
    (void)state;
    sotto_model *model = read_model(model_text);
    const char *path = write_rows();
    sotto_release_result *result = NULL;
    const sotto_release_config config = config_of(model);
    sotto_error error;
    assert_ok(sotto_release_data(&config, sotto_model_schema(model),
                                 &(const sotto_data_file){.path = path}, &result, &error),
              &error);
    char *changed = malloc(sizeof model_text);
    assert_non_null(changed);
    memcpy(changed, model_text, sizeof model_text);
    strstr(changed, ": \"model\"")[1] = '\n'; /* blanks are not content: equal hashes */
    sotto_model *same = read_model(changed);
    assert_string_equal(same->hash, model->hash);
    strstr(changed, "0x1.8p+1")[4] = '9'; /* another coefficient: another hash */
    sotto_model *other = read_model(changed);
    assert_string_not_equal(other->hash, model->hash);
    assert_non_null(strstr(sotto_release_json(result), model->hash));
    free(changed);
    sotto_release_free(result);
    sotto_model_free(same);
    sotto_model_free(other);
    sotto_model_free(model);
    assert_int_equal(unlink(path), 0);
}

static void settings_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    sotto_model *model = read_model(model_text);
    sotto_model *other = read_model(model_text);
    const sotto_schema *schema = sotto_model_schema(model);
    const char *const where[] = {"town=Lund", NULL};
    sotto_plan *plan = NULL;
    sotto_error error;
    sotto_release_config config = config_of(NULL);
    assert_refused(sotto_release_plan(&config, schema, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "model", NULL);
    config = config_of(model);
    assert_refused(sotto_release_plan(&config, sotto_model_schema(other), &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "own schema", NULL);
    config.threshold = 1.5;
    assert_refused(sotto_release_plan(&config, schema, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "threshold", "1.5", NULL);
    config = config_of(model);
    config.where = where;
    config.adjacency = SOTTO_REPLACE_ONE;
    config.public_n = 8;
    assert_refused(sotto_release_plan(&config, schema, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`public_n` is 8", "condition", NULL);
    config = config_of(model);
    config.statistic = SOTTO_RELEASE_COUNT;
    assert_refused(sotto_release_plan(&config, schema, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error,
                   "`model` has no meaning for this count", NULL);
    config = config_of(model);
    config.adjacency = SOTTO_REPLACE_ONE;
    assert_refused(sotto_release_plan(&config, schema, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "number of rows", NULL);
    sotto_model_free(other);
    sotto_model_free(model);
}

static void no_memory_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    sotto_model *model = read_model(model_text);
    const char *path = write_rows();
    for (size_t nth = 1;; nth += 3) { /* a run has many: every third shows as much */
        sotto_release_result *result = NULL;
        sotto_error error;
        const sotto_release_config config = config_of(model);
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_release_data(&config, sotto_model_schema(model),
                               &(const sotto_data_file){.path = path}, &result, &error);
        (void)sot_test_fail_allocation(0);
        sotto_release_free(result);
        if (status == SOTTO_OK) break;
        assert_null(result);
    }
    assert_int_equal(unlink(path), 0);
    sotto_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_more_or_less_shows_nothing),
        cmocka_unit_test(one_row_replaced_shows_nothing),
        cmocka_unit_test(the_accuracy_is_that_of_the_rows_but_for_the_noise),
        cmocka_unit_test(several_classes_have_an_accuracy_and_numbers_have_none),
        cmocka_unit_test(the_release_names_its_model),
        cmocka_unit_test(settings_that_make_no_sense_are_refused),
        cmocka_unit_test(no_memory_is_an_error_and_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
