/* A file that is replaced in two steps: what is there after each, and who may do it. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/pair.h"
#include "base/memory.h"

static char folder[32], path[64], next[72];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/pair-XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/kept", folder);
    (void)snprintf(next, sizeof next, "%s.next", path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(next);
    return rmdir(folder);
}

static sot_pair *open_pair(void)
{
    sotto_error error;
    sot_pair *pair = NULL;
    assert_ok(sot_pair_open(path, &pair, &error), &error);
    return pair;
}

static void assert_holds(sot_pair *pair, sot_pair_which which, const char *text)
{
    sotto_error error;
    char *bytes = NULL;
    size_t size_bytes = 0;
    assert_true(sot_pair_has(pair, which));
    for (int i = 0; i < 2; i++) { /* as often as one likes */
        assert_ok(sot_pair_read(pair, which, 100, &bytes, &size_bytes, &error), &error);
        assert_int_equal(size_bytes, strlen(text));
        assert_string_equal(bytes, text);
        sot_free(bytes);
    }
}

static void the_old_file_stays_until_the_new_one_is_placed(void **state)
{
    (void)state;
    sotto_error error;
    struct stat facts;
    sot_pair *pair = open_pair();
    assert_false(sot_pair_has(pair, SOT_PAIR_PLACED));
    assert_false(sot_pair_has(pair, SOT_PAIR_STAGED));
    assert_ok(sot_pair_stage(pair, "one", 3, &error), &error);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(stat(next, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0600);
    assert_ok(sot_pair_place(pair, &error), &error);
    assert_ok(sot_pair_stage(pair, "another", 7, &error), &error);
    assert_ok(sot_pair_stage(pair, "two", 3, &error), &error);
    assert_holds(pair, SOT_PAIR_PLACED, "one");
    assert_holds(pair, SOT_PAIR_STAGED, "two");
    sot_pair_close(pair); /* as a crash would */
    pair = open_pair();
    assert_holds(pair, SOT_PAIR_PLACED, "one");
    assert_holds(pair, SOT_PAIR_STAGED, "two");
    assert_ok(sot_pair_place(pair, &error), &error);
    assert_holds(pair, SOT_PAIR_PLACED, "two");
    assert_false(sot_pair_has(pair, SOT_PAIR_STAGED));
    sot_pair_remove(pair, SOT_PAIR_PLACED);
    sot_pair_close(pair);
    assert_int_equal(access(path, F_OK), -1);
}

static void a_second_one_is_refused_at_every_moment(void **state)
{
    (void)state;
    sotto_error error;
    sot_pair *first = open_pair(), *second = open_pair(), *third = NULL;
    assert_ok(sot_pair_stage(first, "one", 3, &error), &error);
    assert_refused(sot_pair_open(path, &third, &error), SOTTO_IO, &error,
                   "another process", NULL);
    /* One that looked before there was anything. */
    assert_refused(sot_pair_stage(second, "mine", 4, &error), SOTTO_IO, &error,
                   "another process", NULL);
    assert_ok(sot_pair_place(first, &error), &error);
    assert_refused(sot_pair_stage(second, "mine", 4, &error), SOTTO_IO, &error,
                   "another process", NULL);
    assert_int_equal(access(next, F_OK), -1);
    assert_refused(sot_pair_open(path, &third, &error), SOTTO_IO, &error,
                   "another process", NULL);
    assert_holds(first, SOT_PAIR_PLACED, "one");
    sot_pair_close(first);
    sot_pair_close(second);
    assert_ok(sot_pair_open(path, &third, &error), &error);
    /* A file that somebody put there meanwhile is not replaced. */
    assert_ok(sot_file_write(path, "other", 5, 0600, &error), &error);
    assert_refused(sot_pair_stage(third, "mine", 4, &error), SOTTO_IO, &error,
                   "replaced meanwhile", NULL);
    sot_pair_close(third);
    assert_int_equal(access(path, F_OK), 0);
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_pair *pair = NULL;
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(sot_pair_open(path, &pair, &error), SOTTO_IO, &error, path, NULL);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(sot_pair_open(path, &pair, &error), SOTTO_IO, &error,
                   "not a regular file", NULL);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("nowhere", next), 0);
    assert_refused(sot_pair_open(path, &pair, &error), SOTTO_IO, &error, "symbolic link",
                   NULL);
    assert_refused(sot_pair_open("no/such/folder/kept", &pair, &error), SOTTO_IO, &error,
                   "no/such/folder", NULL);
}

static void a_failed_step_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    sot_pair *pair = open_pair();
    sot_test_file_fault(SOT_FILE_WRITE, 1, 0);
    assert_refused(sot_pair_stage(pair, "one", 3, &error), SOTTO_IO, &error, next, NULL);
    assert_int_equal(access(next, F_OK), -1); /* half a file is of no use */
    sot_test_file_fault(SOT_FILE_SYNC, 1, 0);
    assert_refused(sot_pair_stage(pair, "one", 3, &error), SOTTO_IO, &error, next, NULL);
    assert_ok(sot_pair_stage(pair, "one", 3, &error), &error);
    sot_test_file_fault(SOT_FILE_RENAME, 1, 0);
    assert_refused(sot_pair_place(pair, &error), SOTTO_IO, &error, path, NULL);
    assert_holds(pair, SOT_PAIR_STAGED, "one");
    sot_test_file_fault(SOT_FILE_SYNC_DIRECTORY, 1, 0);
    assert_refused(sot_pair_place(pair, &error), SOTTO_IO, &error, "durable", NULL);
    assert_holds(pair, SOT_PAIR_PLACED, "one");
    sot_pair_close(pair);
    for (size_t nth = 1; nth < 5; nth++) {
        pair = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sot_pair_open(path, &pair, &error);
        (void)sot_test_fail_allocation(0);
        assert_true(status == SOTTO_OUT_OF_MEMORY || status == SOTTO_OK);
        if (status == SOTTO_OK) sot_pair_close(pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_old_file_stays_until_the_new_one_is_placed,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_second_one_is_refused_at_every_moment,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_failed_step_is_reported, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
