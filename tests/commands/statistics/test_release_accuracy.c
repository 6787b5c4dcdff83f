/* The accuracy of a model on private rows: nothing shows but what was paid for. */
#include "support.h"

#include <unistd.h>

#include <sotto/model.h>

#include "artifact/model_file/model.h"
#include "base/memory.h"
#include "model_study.h"

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

static void check_neighbours(sotto_adjacency adjacency, double delta)
{
    sotto_model *model = read_model(model_text);
    release_study study = {.config = config_of(model),
                           .n_is_public = adjacency == SOTTO_REPLACE_ONE};
    study.config.adjacency = adjacency;
    study.config.delta = delta;
    tape_study tape = study_of(&study);
    tape.run = model_run;
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
