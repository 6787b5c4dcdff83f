/* Files that are no checkpoint, failing writes and failing memory: refused or gone on with, never released twice. */
#include "resume_scene.h"

static void files_that_are_no_checkpoint_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "\n",
                                        "{}",
                                        "hello\n",
                                        "{\"sotto_checkpoint\":1}\n",
                                        "{\"sotto_checkpoint\":1,\"version\":\"0.1.0\"}\n"
                                        "00112233445566778899aabbccddeeff"
                                        "00112233445566778899aabbccddeeff\n"};
    for (int has_ledger = 0; has_ledger < 2; has_ledger++) {
        scene s = scene_new(has_ledger);
        sotto_error error;
        size_t releases = 99;
        const sotto_train_config config = scene_config(&s, NULL);
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            scene_write(s.checkpoint, texts[i]);
            assert_refused(scene_train(&s, &config, &releases, &error),
                           SOTTO_INVALID_ARGUMENT, &error, s.checkpoint,
                           "damaged, or no checkpoint", "delete it", NULL);
            assert_int_equal(releases, 0);
            assert_true(scene_has(s.checkpoint)); /* it is not ours */
        }
        assert_int_equal(unlink(s.checkpoint), 0);
        scene_write(s.next, "hello\n");
        assert_refused(scene_train(&s, &config, &releases, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "no checkpoint; move it away",
                       NULL);
        assert_true(scene_has(s.next));
        assert_int_equal(unlink(s.next), 0);
        assert_int_equal(symlink("/etc/hostname", s.checkpoint), 0);
        assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_IO, &error,
                       "symbolic link", NULL);
        if (has_ledger) assert_int_equal(scene_tally(&s).reserves, 0);
        scene_free(&s);
    }
}

/* Any byte changed, any end cut off: with or without a ledger. */
static void a_changed_checkpoint_is_refused(void **state)
{
    (void)state;
    for (int has_ledger = 0; has_ledger < 2; has_ledger++) {
        scene s = scene_new(has_ledger);
        sotto_error error;
        size_t releases = 99;
        const sotto_train_config config = scene_config(&s, NULL);
        scene_stop_at(&s, 4);
        scene_file kept = scene_take(s.checkpoint);
        for (size_t at = 0; at < kept.size_bytes; at += 7) {
            const char byte = kept.bytes[at];
            kept.bytes[at] = (char)(byte ^ 0x15);
            scene_put(s.checkpoint, &kept);
            assert_int_equal(scene_train(&s, &config, &releases, &error),
                             SOTTO_INVALID_ARGUMENT);
            assert_int_equal(releases, 0);
            kept.bytes[at] = byte;
            const scene_file cut = {kept.bytes, at};
            scene_put(s.checkpoint, &cut);
            assert_int_equal(scene_train(&s, &config, &releases, &error),
                             SOTTO_INVALID_ARGUMENT);
            assert_int_equal(releases, 0);
        }
        scene_put(s.checkpoint, &kept);
        assert_ok(scene_train(&s, &config, &releases, &error), &error);
        assert_int_equal(releases, SCENE_STEPS - 4);
        sot_free(kept.bytes);
        scene_free(&s);
    }
}

/* The state as the file has it tells nothing until the ledger has its key. */
static void a_state_that_is_not_recorded_cannot_be_read(void **state)
{
    (void)state;
    static const char words[] = "a state that nobody shall read before it is recorded";
    uint64_t released[] = {3};
    char key[SOTTO_HASH_HEX_BYTES], hash[SOTTO_HASH_HEX_BYTES],
        again[SOTTO_HASH_HEX_BYTES];
    sotto_error error;
    sot_kept_file file = {.kind = SOT_KEPT_STATE,
                          .identity = {.version = "0.1.0"},
                          .step = 3,
                          .released = released,
                          .events = 1,
                          .sampler_error = 0x1p-900,
                          .body = (const unsigned char *)words,
                          .body_bytes = sizeof words};
    sot_kept_hash("a key", 5, key);
    memcpy(file.identity.settings, key, sizeof key);
    memcpy(file.identity.schema, key, sizeof key);
    memcpy(file.identity.data, key, sizeof key);
    memcpy(file.run, key, sizeof key);
    for (int sealed = 0; sealed < 2; sealed++) {
        char *bytes = NULL;
        unsigned char *body = NULL;
        size_t size_bytes = 0, body_bytes = 0;
        sot_kept_file read;
        assert_ok(
            sot_kept_write(&file, sealed ? key : NULL, &bytes, &size_bytes, hash, &error),
            &error);
        assert_ok(sot_kept_parse(bytes, size_bytes, &read, again, &error), &error);
        assert_string_equal(hash, again);
        assert_int_equal(read.kind, SOT_KEPT_STATE);
        assert_int_equal(read.step, 3);
        assert_int_equal(read.events, 1);
        assert_int_equal(read.released[0], 3);
        assert_true(read.sampler_error == 0x1p-900);
        assert_int_equal(read.sealed, sealed);
        bool in_clear = false;
        for (size_t i = 0; i + sizeof words <= size_bytes; i++)
            in_clear = in_clear || memcmp(bytes + i, words, sizeof words) == 0;
        assert_int_equal(in_clear, !sealed);
        assert_ok(sot_kept_unseal(&read, key, &body, &body_bytes, &error), &error);
        assert_int_equal(body_bytes, sizeof words);
        assert_memory_equal(body, words, sizeof words);
        sot_free(body);
        if (sealed) {
            assert_refused(sot_kept_unseal(&read, hash, &body, &body_bytes, &error),
                           SOTTO_VERIFICATION, &error, "does not open", NULL);
            assert_refused(sot_kept_unseal(&read, "", &body, &body_bytes, &error),
                           SOTTO_VERIFICATION, &error, "no key", NULL);
        }
        sot_free(read.released);
        sot_free(bytes);
    }
}

/* A full disk behind any write: the call fails, and goes on when there is room. */
static void a_failed_write_loses_nothing(void **state)
{
    (void)state;
    static const sot_file_step steps[] = {SOT_FILE_WRITE, SOT_FILE_SYNC, SOT_FILE_RENAME,
                                          SOT_FILE_SYNC_DIRECTORY};
    scene s = scene_new(true);
    sotto_error error;
    sotto_train_config config = scene_config(&s, NULL);
    config.steps = 2;
    config.again = true;
    sot_test_keep_every(0.0);
    int failures = 0;
    uint64_t trainings = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        for (size_t nth = 1;; nth++) {
            sot_test_file_fault(steps[i], nth, 0);
            sotto_status status = scene_train(&s, &config, NULL, &error);
            sot_test_file_fault(SOT_FILE_NO_STEP, 0, 0);
            const bool failed = status != SOTTO_OK;
            failures += failed;
            if (failed) assert_int_equal(status, SOTTO_IO);
            if (failed) assert_ok(scene_train(&s, &config, NULL, &error), &error);
            scene_check_model(&s);
            trainings++;
            const tally counts = scene_tally(&s);
            assert_int_equal(counts.commits, trainings);
            assert_true(counts.reserves <= trainings + 1);
            if (!failed) break;
        }
    }
    assert_true(failures >= 12);
    scene_free(&s);
}

static void memory_that_fails_loses_nothing(void **state)
{
    (void)state;
    scene s = scene_new(true);
    sotto_error error;
    sotto_train_result *result = NULL;
    sotto_train_config config = scene_config(&s, NULL);
    config.steps = 2;
    config.max_minutes = 1e-9;
    assert_int_equal(scene_train(&s, &config, NULL, &error), SOTTO_INTERRUPTED);
    config.max_minutes = SOTTO_UNSET;
    size_t nth = 1;
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    for (; status != SOTTO_OK && nth < 100000; nth += 3) {
        (void)sot_test_fail_allocation(nth);
        status = sotto_train_data(
            &config, s.schema, &(const sotto_data_file){.path = s.data}, &result, &error);
        (void)sot_test_fail_allocation(0);
        if (status != SOTTO_OK) assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    assert_ok(status, &error);
    assert_true(nth > 100);
    sotto_train_free(result);
    scene_check_model(&s);
    assert_int_equal(scene_tally(&s).reserves, 1);
    assert_int_equal(scene_tally(&s).commits, 1);
    scene_free(&s);
}

/* Paid once: the same command gives the output again, or says why it cannot and what brings it back. */
static void a_finished_run_is_handed_out_or_refused(void **state)
{
    (void)state;
    scene s = scene_new(true);
    sotto_error error;
    size_t releases = 99;
    sotto_train_config config = scene_config(&s, NULL);
    config.steps = 2;
    assert_ok(scene_train(&s, &config, NULL, &error), &error);
    scene_file whole = scene_take(s.output);
    const char byte = whole.bytes[whole.size_bytes / 2];

    whole.bytes[whole.size_bytes / 2] = (char)(byte ^ 1);
    scene_put(s.output, &whole);
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "has changed since: put the original back", "`again=true`",
                   NULL);
    scene_write(s.output, "{\"certificate\": 7}\n");
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "has changed since: put the original back", "`again=true`",
                   NULL);
    assert_int_equal(unlink(s.output), 0);
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "is no longer there: restore it from a copy", "`again=true`",
                   NULL);
    assert_int_equal(releases, 0);
    whole.bytes[whole.size_bytes / 2] = byte;
    scene_put(s.output, &whole);

    size_t failures = 0;
    for (size_t nth = 1;; nth++) {
        sotto_train_result *result = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_train_data(
            &config, s.schema, &(const sotto_data_file){.path = s.data}, &result, &error);
        const bool failed = sot_test_fail_allocation(0) >= nth;
        sotto_train_free(result);
        assert_int_equal(status, failed ? SOTTO_OUT_OF_MEMORY : SOTTO_OK);
        failures += status != SOTTO_OK;
        if (!failed) break;
    }
    assert_true(failures > 20);
    assert_ok(scene_train(&s, &config, &releases, &error), &error);
    assert_int_equal(releases, 0);
    assert_int_equal(scene_tally(&s).reserves, 1);
    assert_int_equal(scene_tally(&s).commits, 1);
    scene_check_model(&s);
    sot_free(whole.bytes);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_no_checkpoint_are_refused),
        cmocka_unit_test(a_changed_checkpoint_is_refused),
        cmocka_unit_test(a_state_that_is_not_recorded_cannot_be_read),
        cmocka_unit_test(a_failed_write_loses_nothing),
        cmocka_unit_test(memory_that_fails_loses_nothing),
        cmocka_unit_test(a_finished_run_is_handed_out_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
