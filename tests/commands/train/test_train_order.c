/* Charge first: what a ledger refuses is never learnt, and what fails later stays charged. */
#include "commands/order_scene.h"
#include "train_study.h"

static scene *set_up(double epsilon)
{
    const sotto_ledger_config config = order_ledger("study-1", epsilon, 1e-5);
    return order_set_up(study_schema,
                        "age,town,person,smokes\n44.5,Lund,p1,no\n61.25,Ystad,p2,yes\n",
                        &config);
}

static sotto_train_config a_training(const scene *s)
{
    sotto_train_config config =
        study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, 1e-6);
    config.output = s->output;
    config.threads = 1;
    return config;
}

static sotto_status train(const void *config, const scene *s, sotto_error *error)
{
    sotto_train_result *result = NULL;
    const sotto_status status = sotto_train_data(
        config, s->schema, &(const sotto_data_file){.path = s->data}, &result, error);
    sotto_train_free(result);
    return status;
}

static size_t releases_of(const sotto_train_config *config, const scene *s,
                          sotto_status *out_status, sotto_error *error)
{
    return order_releases(train, config, s, out_status, error);
}

static void nothing_passes_the_gate_when_the_budget_is_short(void **state)
{
    (void)state;
    sotto_error error;
    sotto_status status;
    scene *s = set_up(4.0);
    sotto_train_config config = a_training(s);
    assert_int_equal(releases_of(&config, s, &status, &error), 2);
    assert_int_equal(status, SOTTO_OK);
    config.again = true;
    const double once = spent(s);
    assert_true(once > 0.0);
    assert_int_equal(access(s->output, F_OK), 0);
    assert_int_equal(unlink(s->output), 0);
    for (int i = 0; i < 20 && status == SOTTO_OK; i++) {
        (void)unlink(s->output);
        (void)releases_of(&config, s, &status, &error);
    }
    assert_refused(status, SOTTO_BUDGET_EXCEEDED, &error, "you may still run", NULL);
    const double most = spent(s);
    (void)unlink(s->output);
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_int_equal(status, SOTTO_BUDGET_EXCEEDED);
    assert_true(spent(s) == most);
    assert_int_equal(access(s->output, F_OK), -1);
    tear_down(s);
}

static void a_failure_behind_the_charge_keeps_it(void **state)
{
    (void)state;
    sotto_error error;
    sotto_status status;
    scene *s = set_up(10.0);
    const sotto_train_config config = a_training(s);
    sot_test_file_fault(SOT_FILE_WRITE, 2, 0); /* the sealed output */
    assert_int_equal(releases_of(&config, s, &status, &error), 2);
    assert_refused(status, SOTTO_IO, &error, "the charge stands", "same command", NULL);
    assert_int_equal(access(s->output, F_OK), -1);
    const double once = spent(s);
    assert_true(once > 0.0);
    assert_int_equal(releases_of(&config, s, &status, &error), 2);
    assert_int_equal(status, SOTTO_OK);
    assert_int_equal(access(s->output, F_OK), 0);
    assert_true(spent(s) == once);
    tear_down(s);
}

typedef struct watcher {
    uint64_t stop_at;
    double epsilon;
} watcher;

static int watch(const sotto_progress *progress, void *context)
{
    watcher *seen = context;
    assert_true(progress->epsilon_so_far >= seen->epsilon);
    seen->epsilon = progress->epsilon_so_far;
    return progress->step == seen->stop_at;
}

/* Stopped at any step: the charge stands, and there is no model, not even half of one. Methods that keep
 * how far they are: test_resume.c. */
static void an_interrupted_training_leaves_a_charge_and_no_file(void **state)
{
    (void)state;
    static const sotto_method methods[] = {SOTTO_METHOD_OBJECTIVE, SOTTO_METHOD_OUTPUT};
    sotto_error error;
    sotto_status status;
    scene *s = set_up(20.0);
    double before = 0.0;
    for (size_t i = 0; i < 4; i++) {
        watcher seen = {.stop_at = i % 2};
        sotto_train_config config = a_training(s);
        config.method = methods[i / 2];
        config.expected_rows = 8;
        config.progress = watch;
        config.progress_context = &seen;
        (void)releases_of(&config, s, &status, &error);
        assert_refused(status, SOTTO_INTERRUPTED, &error, "stopped on request",
                       "the charge stands", NULL);
        assert_int_equal(access(s->output, F_OK), -1);
        assert_true(seen.epsilon <= config.epsilon);
        assert_true(i % 2 == 1 ? spent(s) == before : spent(s) > before);
        before = spent(s);
        config.progress = NULL; /* the same run goes on, and nothing is charged */
        if (i % 2 == 0) continue;
        (void)releases_of(&config, s, &status, &error);
        assert_int_equal(status, SOTTO_OK);
        assert_true(spent(s) == before);
        assert_int_equal(unlink(s->output), 0);
    }
    tear_down(s);
}

/* Public mistakes cost nothing. */
static void a_wrong_file_or_setting_is_not_charged(void **state)
{
    (void)state;
    sotto_error error;
    sotto_status status;
    scene *s = set_up(10.0);
    sotto_train_config config = a_training(s);
    sotto_train_result *result = NULL;
    assert_refused(sotto_train_data(&config, s->schema,
                                    &(const sotto_data_file){.path = "no/such.csv"},
                                    &result, &error),
                   SOTTO_IO, &error, "no/such.csv", NULL);
    config.lambda = 1e-3;
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_refused(status, SOTTO_INVALID_ARGUMENT, &error, "for example", NULL);
    config = a_training(s);
    config.output = s->data;
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_refused(status, SOTTO_INVALID_ARGUMENT, &error, "replace the data", NULL);
    config.output = s->ledger;
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_refused(status, SOTTO_INVALID_ARGUMENT, &error, "replace the ledger", NULL);
    config = a_training(s);
    write_text(s->data, "age,town\n1,Lund\n");
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_refused(status, SOTTO_PARSE, &error, "lacks the column", NULL);
    assert_true(spent(s) == 0.0);
    tear_down(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_passes_the_gate_when_the_budget_is_short),
        cmocka_unit_test(a_failure_behind_the_charge_keeps_it),
        cmocka_unit_test(an_interrupted_training_leaves_a_charge_and_no_file),
        cmocka_unit_test(a_wrong_file_or_setting_is_not_charged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
