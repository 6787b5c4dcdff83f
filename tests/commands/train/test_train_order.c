/* Charge first: what a ledger refuses is never learnt, and what fails later stays charged. */
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

#include <sotto/ledger.h>

#include "base/file/file.h"
#include "privacy/mechanisms/gate/tape.h"
#include "train_study.h"

typedef struct scene {
    char directory[64];
    char ledger[96], data[96], output[96], schema_path[96];
    sotto_schema *schema;
} scene;

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A directory of its own with a schema, a data file and a ledger. */
static scene *set_up(double epsilon)
{
    static scene s;
    sotto_error error;
    strcpy(s.directory, "/tmp/train-order-XXXXXX");
    assert_non_null(mkdtemp(s.directory));
    snprintf(s.ledger, sizeof s.ledger, "%s/budget.ledger", s.directory);
    snprintf(s.data, sizeof s.data, "%s/data.csv", s.directory);
    snprintf(s.output, sizeof s.output, "%s/model.json", s.directory);
    snprintf(s.schema_path, sizeof s.schema_path, "%s/schema.json", s.directory);
    char text[1024];
    snprintf(text, sizeof text, "{\"ledger\": \"budget.ledger\", %s", study_schema + 1);
    write_text(s.schema_path, text);
    write_text(s.data, "age,town,person,smokes\n44.5,Lund,p1,no\n61.25,Ystad,p2,yes\n");
    assert_ok(sotto_schema_load(s.schema_path, &s.schema, &error), &error);
    sotto_ledger_config config = sotto_ledger_defaults();
    strcpy(config.dataset, "study-1");
    config.adjacency = SOTTO_ADD_REMOVE;
    config.epsilon = epsilon;
    config.delta = 1e-5;
    assert_ok(sotto_ledger_init(s.ledger, &config, &error), &error);
    return &s;
}

static void tear_down(scene *s)
{
    sotto_schema_free(s->schema);
    (void)unlink(s->ledger);
    (void)unlink(s->data);
    (void)unlink(s->output);
    (void)unlink(s->schema_path);
    assert_int_equal(rmdir(s->directory), 0); /* nothing else was written */
}

static sotto_train_config a_training(const scene *s)
{
    sotto_train_config config =
        study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, 1e-6);
    config.output = s->output;
    config.threads = 1;
    return config;
}

static double spent(const scene *s)
{
    sotto_error error;
    sotto_ledger *ledger;
    sotto_ledger_balance balance;
    assert_ok(sotto_ledger_open(s->ledger, &ledger, &error), &error);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    assert_ok(sotto_ledger_read_balance(ledger, &balance, &error), &error);
    sotto_ledger_close(ledger);
    return balance.spent;
}

/* How many releases went through the gate during the run. */
static size_t releases_of(const sotto_train_config *config, const scene *s,
                          sotto_status *out_status, sotto_error *error)
{
    sotto_train_result *result = NULL;
    sot_tape *tape = sot_tape_new();
    sot_tape_record(tape);
    *out_status = sotto_train_data(
        config, s->schema, &(const sotto_data_file){.path = s->data}, &result, error);
    sot_tape_stop(tape);
    const size_t count = sot_tape_releases(tape);
    sot_tape_free(tape);
    sotto_train_free(result);
    return count;
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
