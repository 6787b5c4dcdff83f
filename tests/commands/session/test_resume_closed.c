/* Runs that cannot be resumed: closed behind a failure, under another output, beyond a limit on file sizes. */
#include "resume_scene.h"

#include <signal.h>
#include <sys/resource.h>

static const char four_rows[] =
    "age,town,person,smokes\n44.5,Lund,p1,no\n61.25,Ystad,p2,yes\n"
    "23.75,Lund,p3,yes\n31.5,Lund,p4,no\n";
static const char three_rows[] =
    "age,town,person,smokes\n44.5,Lund,p1,no\n61.25,Ystad,p2,yes\n"
    "23.75,Lund,p3,yes\n";

/* A training of four rows, declared public, that was stopped behind step 4; then the file loses a row. */
static void stop_scene(scene *out, sotto_train_config *out_config, scene_file *out_kept)
{
    *out = scene_new(false);
    sotto_error error;
    sotto_ledger_config ledger = sotto_ledger_defaults();
    strcpy(ledger.dataset, "study-1");
    ledger.adjacency = SOTTO_REPLACE_ONE;
    ledger.epsilon = 20.0;
    ledger.delta = 1e-5;
    assert_ok(sotto_ledger_init(out->ledger, &ledger, &error), &error);
    out->has_ledger = true;
    scene_write(out->data, four_rows);
    stopper listener = {.stop_at = 4};
    sotto_train_config config = scene_config(out, &listener);
    config.adjacency = SOTTO_REPLACE_ONE;
    config.expected_rows = 0;
    config.public_n = 4;
    assert_int_equal(scene_train(out, &config, NULL, &error), SOTTO_INTERRUPTED);
    *out_kept = scene_take(out->checkpoint);
    scene_write(out->data, three_rows);
    config.progress = NULL;
    config.progress_context = NULL;
    *out_config = config;
}

/* Such a failure may follow from the records: under one charge there is one. */
static void a_failure_that_may_follow_from_records_closes_the_run(void **state)
{
    (void)state;
    sotto_train_config config;
    scene_file kept;
    sotto_error error;
    size_t releases = 99;
    scene s;
    stop_scene(&s, &config, &kept);
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "the 4 rows of `public_n`",
                   "the charge stands, and a new run is charged again", NULL);
    assert_int_equal(releases, 0);
    assert_false(scene_has(s.checkpoint));
    assert_false(scene_has(s.next));
    const tally counts = scene_tally(&s);
    assert_int_equal(counts.reserves, 1);
    assert_int_equal(counts.commits, 0);
    assert_int_equal(counts.checkpoints,
                     2); /* that of step 4, and one that no file has */
    assert_int_equal(counts.last_step, 5);

    scene_write(s.data,
                four_rows); /* neither the rows nor a copy of the file open it again */
    scene_put(s.checkpoint, &kept);
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "is older than the last checkpoint recorded in ledger row 2",
                   NULL);
    assert_int_equal(releases, 0);
    assert_int_equal(unlink(s.checkpoint), 0);
    assert_ok(scene_train(&s, &config, &releases, &error), &error);
    assert_int_equal(releases, SCENE_STEPS);
    assert_int_equal(scene_tally(&s).reserves, 2);
    scene_check_model(&s);
    sot_free(kept.bytes);
    scene_free(&s);
}

/* A run that could not be closed stays open, and the next call closes it. */
static void a_run_is_closed_or_stays_as_it_was(void **state)
{
    (void)state;
    sotto_train_config config;
    scene_file kept;
    sotto_error error;
    scene s;
    stop_scene(&s, &config, &kept);
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    size_t nth = 1;
    for (; status == SOTTO_OUT_OF_MEMORY; nth++) {
        sotto_train_result *result = NULL;
        assert_true(scene_has(s.checkpoint));
        (void)sot_test_fail_allocation(nth);
        status = sotto_train_data(
            &config, s.schema, &(const sotto_data_file){.path = s.data}, &result, &error);
        (void)sot_test_fail_allocation(0);
        assert_null(result);
        const tally counts = scene_tally(&s);
        assert_int_equal(counts.reserves, 1);
        assert_int_equal(counts.checkpoints, status == SOTTO_OUT_OF_MEMORY ? 1 : 2);
    }
    assert_true(nth > 100);
    assert_int_equal(status, SOTTO_INVALID_ARGUMENT);
    assert_false(scene_has(s.checkpoint));
    sot_free(kept.bytes);
    scene_free(&s);
}

/* Beside another output it would be a second result of one charge, or, without a ledger, of no charge. */
static void a_checkpoint_belongs_to_its_output(void **state)
{
    (void)state;
    for (int has_ledger = 0; has_ledger < 2; has_ledger++) {
        scene s = scene_new(has_ledger);
        char other[112], copy[128], detour[200];
        sotto_error error;
        size_t releases = 99;
        scene_stop_at(&s, 4);
        scene_file kept = scene_take(s.checkpoint);
        sotto_train_config config = scene_config(&s, NULL);
        snprintf(other, sizeof other, "%s/other.json", s.folder);
        snprintf(copy, sizeof copy, "%s.checkpoint", other);
        scene_put(copy, &kept);
        config.output = other;
        assert_refused(scene_train(&s, &config, &releases, &error),
                       SOTTO_INVALID_ARGUMENT, &error,
                       "another output: give the same to resume it", NULL);
        assert_int_equal(releases, 0);
        assert_false(scene_has(other));
        snprintf(detour, sizeof detour, "%s/../%s/model.json", s.folder,
                 strrchr(s.folder, '/') + 1);
        config.output = detour; /* another spelling of the same place */
        assert_ok(scene_train(&s, &config, &releases, &error), &error);
        assert_int_equal(releases, SCENE_STEPS - 4);
        scene_check_model(&s);
        sot_free(kept.bytes);
        scene_free(&s);
    }
}

/* The output and the rows of the ledger fit, or nothing is charged. */
static void a_limit_on_file_sizes_is_found_before_the_charge(void **state)
{
    (void)state;
    scene s = scene_new(true);
    sotto_error error;
    size_t releases = 99;
    struct rlimit before, limit;
    const sotto_train_config config = scene_config(&s, NULL);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    bool is_done = false;
    for (rlim_t kilobytes = 16; !is_done; kilobytes += 16) {
        limit = (struct rlimit){.rlim_cur = kilobytes << 10, .rlim_max = before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const sotto_status status = scene_train(&s, &config, &releases, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        is_done = status == SOTTO_OK;
        assert_int_equal(scene_tally(&s).reserves, is_done);
        if (is_done) break;
        assert_refused(status, SOTTO_IO, &error, "the limit on file sizes is",
                       "ulimit -f", NULL);
        assert_int_equal(releases, 0);
        assert_false(scene_has(s.checkpoint));
        assert_false(scene_has(s.next));
        assert_true(kilobytes < 1024);
    }
    (void)signal(SIGXFSZ, handler);
    assert_int_equal(scene_tally(&s).commits, 1);
    scene_check_model(&s);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_that_may_follow_from_records_closes_the_run),
        cmocka_unit_test(a_run_is_closed_or_stays_as_it_was),
        cmocka_unit_test(a_checkpoint_belongs_to_its_output),
        cmocka_unit_test(a_limit_on_file_sizes_is_found_before_the_charge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
