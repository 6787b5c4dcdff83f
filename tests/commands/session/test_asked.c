/* The identity of a run: the same for the same command, and never a guess. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sotto/data_file.h>

#include "base/json/writer.h"
#include "commands/session/asked.h"
#include "commands/session/session.h"
#include "data/source/source.h"

static char folder[32];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/asked-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    FILE *file = fopen("rows.csv", "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(symlink("loop", "loop"), 0); /* stat(): ELOOP */
    return 0;
}

static int leave_folder(void **state)
{
    (void)state;
    (void)unlink("rows.csv");
    (void)unlink("loop");
    return chdir("/") != 0 || rmdir(folder) != 0;
}

typedef sotto_status (*add_function)(sot_json_writer *writer, const char *key,
                                     const char *path, sotto_error *error);

static sotto_status hash_of(add_function add, const char *path,
                            char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    sot_json_writer *writer = NULL;
    assert_ok(sot_json_writer_new(false, &writer, error), error);
    sot_json_begin_object(writer);
    const sotto_status status = add(writer, "file", path, error);
    sot_json_end_object(writer);
    return sot_asked_finish(writer, status, out_hash, error);
}

static void assert_same(const char *a, const char *b, bool same)
{
    char first[SOTTO_HASH_HEX_BYTES], second[SOTTO_HASH_HEX_BYTES];
    sotto_error error;
    assert_ok(hash_of(sot_asked_path, a, first, &error), &error);
    assert_ok(hash_of(sot_asked_path, b, second, &error), &error);
    assert_int_equal(strcmp(first, second) == 0, same);
}

static void a_path_counts_by_its_place(void **state)
{
    (void)state;
    char whole[64];
    (void)snprintf(whole, sizeof whole, "%s/rows.csv", folder);
    assert_same("rows.csv", "./rows.csv", true);
    assert_same("rows.csv", whole, true);
    assert_same("new.json", "./new.json", true); /* before and after it is written */
    assert_same("new.json", "rows.csv", false);
    assert_same("nowhere/new.json", "nowhere/new.json", true);
}

static void a_path_that_cannot_be_looked_at_is_refused(void **state)
{
    (void)state;
    char hash[SOTTO_HASH_HEX_BYTES];
    sotto_error error;
    assert_refused(hash_of(sot_asked_path, "loop", hash, &error), SOTTO_IO, &error,
                   "cannot look at loop", NULL);
    assert_refused(hash_of(sot_asked_file, "loop", hash, &error), SOTTO_IO, &error,
                   "cannot look at loop", NULL);
}

static void a_file_that_cannot_be_looked_at_is_no_stream(void **state)
{
    (void)state;
    sot_origin origin;
    sotto_error error;
    sotto_data_file file = {.path = "rows.csv"};
    assert_ok(sot_origin_find(&file, NULL, &origin, &error), &error);
    assert_int_equal(origin, SOT_ROWS_STORED);
    file.path = "loop";
    assert_refused(sot_origin_find(&file, NULL, &origin, &error), SOTTO_IO, &error,
                   "cannot look at loop", NULL);
}

/* The format decides how every cell is read: 1,5 is a number, or none. */
static void a_declared_format_counts(void **state)
{
    (void)state;
    const char *const formats[] = {NULL, "csv-semicolon", "csv-decimal-comma"};
    const char settings[SOTTO_HASH_HEX_BYTES] = "";
    sot_session runs[3];
    sotto_error error;
    for (size_t i = 0; i < 3; i++) {
        runs[i] = (sot_session){
            .data_path = "rows.csv", .output = "m.json", .format = formats[i]};
        assert_ok(sot_asked_identify(&runs[i], settings, &error), &error);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(runs[i].asked, runs[j].asked);
            assert_string_not_equal(runs[i].identity.data, runs[j].identity.data);
        }
    }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_path_counts_by_its_place),
        IN_FOLDER(a_path_that_cannot_be_looked_at_is_refused),
        IN_FOLDER(a_declared_format_counts),
        IN_FOLDER(a_file_that_cannot_be_looked_at_is_no_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
