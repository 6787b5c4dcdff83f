#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sotto/output.h>

#include "base/file/file.h"
#include "base/file/output.h"
#include "base/memory.h"

static char before[1024],
    directory[256]; /* a new one for each test, and the current one */

static int make_directory(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    (void)snprintf(directory, sizeof directory, "%s/sotto-output-XXXXXX",
                   parent != NULL ? parent : "/tmp");
    return mkdtemp(directory) == NULL || getcwd(before, sizeof before) == NULL ||
           chdir(directory) != 0;
}

static int remove_directory(void **state)
{
    (void)state;
    char command[300];
    (void)snprintf(command, sizeof command, "rm -r '%s'", directory);
    return chdir(before) != 0 || system(command) != 0;
}

static void leave(const char *name, const char *text, size_t size_bytes)
{
    sotto_error error;
    assert_ok(sot_file_write(name, text, size_bytes, 0644, &error), &error);
}

static void leave_text(const char *name, const char *text)
{
    leave(name, text, strlen(text));
}

static void leave_ledger(const char *name)
{
    char header[4096] = "SQLite format 3";
    memcpy(header + 68, "sott", 4);
    leave(name, header, sizeof header);
}

static bool passes(const char *path, sotto_output_kind kind, bool overwrite)
{
    sotto_error error;
    const sotto_status status = sotto_output_check(path, kind, overwrite, &error);
    if (status != SOTTO_OK && status != SOTTO_INVALID_ARGUMENT)
        fail_msg("%s", error.message);
    return status == SOTTO_OK;
}

enum { KINDS = SOTTO_OUTPUT_SCHEMA };

/* Which kinds replace the file without being asked, as a text of six digits, and whether all do with overwrite. */
static void assert_replaced_by(const char *name, const char *kinds, bool overwritten)
{
    char found[KINDS + 1] = "";
    for (int kind = 1; kind <= KINDS; kind++) {
        found[kind - 1] = passes(name, (sotto_output_kind)kind, false) ? '1' : '0';
        assert_int_equal(passes(name, (sotto_output_kind)kind, true), overwritten);
    }
    assert_string_equal(found, kinds);
}

static void each_kind_replaces_its_own(void **state)
{
    (void)state;
    assert_replaced_by("free", "111111", true);
    leave_text("file", "");
    assert_replaced_by("file", "111111", true);
    leave_text("file", "\xef\xbb\xbf\n<!DOCTYPE HTML>\n<title>");
    assert_replaced_by("file", "010000", true);
    leave_text("file", "<?xml version=\"1.0\"?>\n<svg xmlns=\"");
    assert_replaced_by("file", "001000", true);
    leave_text("file", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    assert_replaced_by("file", "001000", true);
    leave_text("file", "age,town\n42,Lund\n");
    assert_replaced_by("file", "000100", true);
    leave_text("file", "{\"classes\": [\"a\"], \"predictions\": [");
    assert_replaced_by("file", "000100", true);
    leave_text("file", "/* a model of sotto */\n#ifndef MODEL_H\n");
    assert_replaced_by("file", "000010", true);
    static const char *const sources[] = {"// a model", "#include <math.h>\n",
                                          "#pragma once\n", "#define MODEL_H\n"};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        leave_text("file", sources[i]);
        assert_replaced_by("file", "000010", true);
    }
    leave_text("file", "{\"kind\":\"model\",\"columns\":[]}"); /* of public rows */
    assert_replaced_by("file", "100000", true);
}

static void other_files_are_replaced_only_with_overwrite(void **state)
{
    (void)state;
    static const char *const others[] = {"{\"columns\": []}",
                                         "{\"features\": 4}",
                                         "{\"name\": \"somebody's\"}",
                                         "{\"sotto_checkpoint\":1,\"version\":\"0.2.0\"}",
                                         "<?xml version=\"1.0\"?><book/>",
                                         "#!/bin/sh\necho\n",
                                         "sotto public key 1\ned25519 00\n",
                                         "-----BEGIN PRIVATE KEY-----\n",
                                         "%PDF-1.7\n",
                                         "PAR1\001\002"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        leave_text("file", others[i]);
        assert_replaced_by("file", "000000", true);
    }
}

/* Wherever the certificate stands in the file: the search meets it across the edges of its window. */
static void certified_files_are_kept(void **state)
{
    (void)state;
    static char text[3 * 4096];
    static const char member[] = "\"certificate\": {}}";
    sotto_error error;
    for (size_t at = 4000; at < 4200; at++) {
        (void)snprintf(text, sizeof text, "{\"kind\": \"model\"%*s%s", (int)(at - 16), "",
                       member);
        leave_text("file", text);
        assert_false(passes("file", SOTTO_OUTPUT_HTML, false));
        assert_true(passes("file", SOTTO_OUTPUT_CERTIFIED, false)); /* the run decides */
        assert_int_equal(
            sot_output_admit("file", SOTTO_OUTPUT_CERTIFIED, false, NULL, 0, &error),
            SOTTO_INVALID_ARGUMENT);
    }
    assert_ok(sot_output_admit("file", SOTTO_OUTPUT_CERTIFIED, true, NULL, 0, &error),
              &error);
    assert_ok(sot_output_admit("file", SOTTO_OUTPUT_CERTIFIED, false, text, strlen(text),
                               &error),
              &error);
    assert_ok(sotto_output_put("file", SOTTO_OUTPUT_CERTIFIED, false, text, strlen(text),
                               &error),
              &error);
    assert_refused(
        sotto_output_put("file", SOTTO_OUTPUT_CERTIFIED, false, "{}", 2, &error),
        SOTTO_INVALID_ARGUMENT, &error, "file", "certified", "`overwrite=true`", NULL);
}

static void ledgers_and_secret_keys_are_never_replaced(void **state)
{
    (void)state;
    leave_ledger("budget");
    assert_replaced_by("budget", "000000", false);
    assert_replaced_by("./budget-journal", "000000", false);
    assert_replaced_by("budget-wal", "000000", false);
    assert_replaced_by("budget-shm", "000000", false);
    assert_replaced_by("other-journal", "111111", true);
    assert_int_equal(link("budget", "second name"), 0);
    assert_replaced_by("second name", "000000", false);
    leave_text("key", "sotto secret key 1\ned25519 00\n");
    assert_replaced_by("key", "000000", false);
    char database[4096] = "SQLite format 3";
    leave("database", database, sizeof database);
    assert_replaced_by("database", "000000", true);
}

/* Between opening and closing, another process may take the name. */
static void the_rule_holds_when_the_file_is_closed(void **state)
{
    (void)state;
    sotto_error error;
    sotto_output *output = NULL;
    assert_ok(sotto_output_open("out", SOTTO_OUTPUT_DATA, true, &output, &error), &error);
    assert_ok(sotto_output_write(output, "1,2\n", 4, &error), &error);
    leave_ledger("out");
    assert_refused(sotto_output_close(output, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "out", "ledger", NULL);
    assert_replaced_by("out", "000000", false);
}

/* Two reports at once: the later one replaces its own kind, a certified file does not. */
static void a_name_taken_meanwhile_is_judged_by_its_kind(void **state)
{
    (void)state;
    sotto_error error;
    sotto_output *first = NULL, *second = NULL;
    assert_ok(sotto_output_open("r", SOTTO_OUTPUT_HTML, false, &first, &error), &error);
    assert_ok(sotto_output_open("r", SOTTO_OUTPUT_HTML, false, &second, &error), &error);
    assert_ok(sotto_output_write(first, "<html>1", 7, &error), &error);
    assert_ok(sotto_output_write(second, "<html>2", 7, &error), &error);
    assert_ok(sotto_output_close(first, &error), &error);
    assert_ok(sotto_output_close(second, &error), &error);
    assert_ok(sotto_output_open("c", SOTTO_OUTPUT_CERTIFIED, false, &first, &error),
              &error);
    leave_text("c", "{\"certificate\": 1}");
    assert_refused(sotto_output_close(first, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "certified", NULL);
}

static void links_directories_and_devices_are_not_replaced(void **state)
{
    (void)state;
    sotto_error error;
    leave_text("data", "1\n");
    assert_int_equal(symlink("data", "link"), 0);
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_refused(sotto_output_check("link", SOTTO_OUTPUT_DATA, true, &error), SOTTO_IO,
                   &error, "symbolic link", NULL);
    assert_refused(sotto_output_check("folder", SOTTO_OUTPUT_DATA, true, &error),
                   SOTTO_IO, &error, "directory", NULL);
    assert_refused(sotto_output_check("/dev/null", SOTTO_OUTPUT_CERTIFIED, true, &error),
                   SOTTO_IO, &error, "regular file", NULL);
    assert_ok(sotto_output_put("/dev/null", SOTTO_OUTPUT_DATA, false, "1\n", 2, &error),
              &error);
    assert_refused(
        sotto_output_put("/dev/full", SOTTO_OUTPUT_DATA, false, "1\n", 2, &error),
        SOTTO_IO, &error, "No space left", NULL);
    assert_false(sotto_output_is_same("/dev/null", "/dev/null"));
    assert_true(sotto_output_is_same("data", "link"));
}

static void a_kind_that_is_none_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    static const int kinds[] = {0, KINDS + 1};
    for (size_t i = 0; i < 2; i++) {
        assert_refused(
            sotto_output_put("file", (sotto_output_kind)kinds[i], true, "1\n", 2, &error),
            SOTTO_INVALID_ARGUMENT, &error, "sotto_output_kind", NULL);
        assert_int_not_equal(access("file", F_OK), 0);
    }
}

/* The same length is not the same content. */
static void another_certified_file_is_kept(void **state)
{
    (void)state;
    static const char first[] = "{\"certificate\": 1}", other[] = "{\"certificate\": 2}";
    sotto_error error;
    leave_text("file", first);
    assert_refused(sotto_output_put("file", SOTTO_OUTPUT_CERTIFIED, false, other,
                                    strlen(other), &error),
                   SOTTO_INVALID_ARGUMENT, &error, "certified", "`overwrite=true`", NULL);
    assert_ok(sotto_output_put("file", SOTTO_OUTPUT_CERTIFIED, true, other, strlen(other),
                               &error),
              &error);
}

static void memory_that_fails_leaves_the_old_file(void **state)
{
    (void)state;
    static const char *const names[] = {"data", "data-wal"};
    sotto_error error;
    size_t failures = 0;
    for (size_t i = 0; i < 2; i++) {
        leave_text(names[i], "1\n");
        for (size_t nth = 1;; nth++) {
            char *text = NULL;
            size_t size_bytes = 0;
            (void)sot_test_fail_allocation(nth);
            const sotto_status status =
                sotto_output_put(names[i], SOTTO_OUTPUT_DATA, false, "22\n", 3, &error);
            const bool failed = sot_test_fail_allocation(0) >= nth;
            assert_ok(sot_file_read(names[i], 100, &text, &size_bytes, &error), &error);
            assert_string_equal(text, status == SOTTO_OK ? "22\n" : "1\n");
            sot_free(text);
            if (status != SOTTO_OK) assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            failures += status != SOTTO_OK;
            if (!failed) break;
            leave_text(names[i], "1\n");
        }
    }
    assert_true(failures >= 6);
}

/* As after a signal: the bytes so far are gone, and the name is free. */
static void an_unlinked_output_leaves_nothing(void **state)
{
    (void)state;
    sotto_error error;
    sotto_output *output = NULL;
    sotto_output_unlink(NULL);
    assert_ok(sotto_output_open("out", SOTTO_OUTPUT_DATA, true, &output, &error), &error);
    assert_ok(sotto_output_write(output, "1,2\n", 4, &error), &error);
    sotto_output_unlink(output);
    sotto_output_discard(output);
    assert_int_not_equal(access("out", F_OK), 0);
    assert_int_equal(rmdir(directory), 0); /* it is empty */
    assert_int_equal(mkdir(directory, 0700), 0);
}

/* It is written, and never read: nothing else writes to it, and the reader waits for these bytes. */
static void a_fifo_is_written_at_once(void **state)
{
    (void)state;
    sotto_error error;
    char read_back[8] = "";
    assert_int_equal(mkfifo("out", 0600), 0);
    const int both_ends = open("out", O_RDWR); /* so that no open(2) waits */
    assert_true(both_ends >= 0);
    (void)alarm(10); /* a read of the FIFO would wait for ever */
    assert_ok(sotto_output_put("out", SOTTO_OUTPUT_DATA, false, "1,2\n", 4, &error),
              &error);
    (void)alarm(0);
    assert_int_equal(read(both_ends, read_back, sizeof read_back), 4);
    assert_string_equal(read_back, "1,2\n");
    assert_int_equal(close(both_ends), 0);
}

#define OUTPUT_TEST(test)                                                                \
    cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OUTPUT_TEST(each_kind_replaces_its_own),
        OUTPUT_TEST(other_files_are_replaced_only_with_overwrite),
        OUTPUT_TEST(certified_files_are_kept),
        OUTPUT_TEST(ledgers_and_secret_keys_are_never_replaced),
        OUTPUT_TEST(the_rule_holds_when_the_file_is_closed),
        OUTPUT_TEST(a_name_taken_meanwhile_is_judged_by_its_kind),
        OUTPUT_TEST(links_directories_and_devices_are_not_replaced),
        OUTPUT_TEST(a_kind_that_is_none_is_refused),
        OUTPUT_TEST(another_certified_file_is_kept),
        OUTPUT_TEST(memory_that_fails_leaves_the_old_file),
        OUTPUT_TEST(an_unlinked_output_leaves_nothing),
        OUTPUT_TEST(a_fifo_is_written_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
