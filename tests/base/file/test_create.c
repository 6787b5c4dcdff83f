/* New files: complete or absent, and never in the place of another. */
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/create.h"
#include "base/file/file.h"

static char folder[32];
static int directory;

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/create-XXXXXX");
    assert_non_null(mkdtemp(folder));
    directory = open(folder, O_RDONLY | O_DIRECTORY);
    return directory < 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlinkat(directory, "new", 0);
    (void)close(directory);
    return rmdir(folder); /* fails if a temporary is left */
}

static void assert_content(const char *expected)
{
    char text[64] = "";
    const int file = openat(directory, "new", O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(read(file, text, sizeof text - 1), strlen(expected));
    assert_string_equal(text, expected);
    (void)close(file);
}

static void a_new_file_is_complete_and_has_its_mode(void **state)
{
    (void)state;
    struct stat facts;
    assert_int_equal(sot_create_file(directory, "new", "seven\n", 6, 0600), 0);
    assert_content("seven\n");
    assert_int_equal(fstatat(directory, "new", &facts, 0), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(facts.st_nlink, 1);
}

static void a_file_that_is_there_stays(void **state)
{
    (void)state;
    assert_int_equal(sot_create_file(directory, "new", "first", 5, 0600), 0);
    assert_int_equal(sot_create_file(directory, "new", "second", 6, 0600), EEXIST);
    assert_content("first");
}

/* Without /proc a file without a name cannot get one. Back in the whole system, the caller may assert. */
static void create_without_proc(int out_codes[2])
{
    const int system = open("/", O_RDONLY | O_DIRECTORY);
    assert_true(system >= 0);
    assert_int_equal(chroot(folder), 0);
    out_codes[0] = sot_create_file(directory, "new", "seven\n", 6, 0600);
    out_codes[1] = sot_create_file(directory, "new", "other", 5, 0600);
    assert_int_equal(fchdir(system), 0);
    assert_int_equal(chroot("."), 0);
    (void)close(system);
}

static void name_temporary(int n, char out[48])
{
    (void)snprintf(out, 48, ".sotto-%ld-%d.tmp", (long)getpid(), n);
}

static void take_temporaries(int count)
{
    char name[48];
    for (int n = 0; n < count; n++) {
        name_temporary(n, name);
        const int file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
        assert_true(file >= 0);
        (void)close(file);
    }
}

static void free_temporaries(int count)
{
    char name[48];
    for (int n = 0; n < count; n++) {
        name_temporary(n, name);
        assert_int_equal(unlinkat(directory, name, 0), 0); /* it was not ours to use */
    }
}

static void a_system_without_nameless_files_uses_a_temporary_name(void **state)
{
    (void)state;
    int codes[2];
    if (geteuid() != 0) skip();
    take_temporaries(1); /* a killed process of the same number left one */
    create_without_proc(codes);
    assert_int_equal(codes[0], 0);
    assert_int_equal(codes[1], EEXIST);
    assert_content("seven\n");
    assert_int_equal(unlinkat(directory, "new", 0), 0);
    free_temporaries(1);
    take_temporaries(100);
    create_without_proc(codes);
    assert_int_equal(codes[0], EMFILE); /* not EEXIST: there is no such file */
    assert_int_equal(faccessat(directory, "new", F_OK, 0), -1);
    free_temporaries(100);
}

static void a_failed_write_leaves_no_file(void **state)
{
    (void)state;
    static const sot_file_step steps[] = {SOT_FILE_WRITE, SOT_FILE_SYNC};
    for (size_t i = 0; i < 2; i++) {
        sot_test_file_fault(steps[i], 1, 0);
        assert_int_equal(sot_create_file(directory, "new", "seven\n", 6, 0600), EIO);
        assert_int_equal(faccessat(directory, "new", F_OK, 0), -1);
        if (geteuid() != 0) continue;
        int codes[2];
        sot_test_file_fault(steps[i], 1, 0); /* with a temporary name */
        create_without_proc(codes);
        assert_int_equal(codes[0], EIO);
        assert_int_equal(codes[1], 0);
        assert_content("other");
        assert_int_equal(unlinkat(directory, "new", 0), 0);
    }
    sot_test_file_fault(SOT_FILE_NO_STEP, 0, 0);
}

static void a_temporary_second_name_is_dropped_and_no_other(void **state)
{
    (void)state;
    struct stat facts;
    assert_int_equal(sot_create_file(directory, "new", "seven\n", 6, 0600), 0);
    assert_int_equal(fstatat(directory, "new", &facts, 0), 0);
    assert_false(sot_create_drop_temporary(directory, &facts));
    assert_int_equal(linkat(directory, "new", directory, ".sotto-3-0.tmp", 0), 0);
    assert_true(sot_create_drop_temporary(directory, &facts));
    assert_int_equal(faccessat(directory, ".sotto-3-0.tmp", F_OK, 0), -1);
    assert_content("seven\n");
    assert_int_equal(linkat(directory, "new", directory, "copy", 0), 0);
    assert_false(sot_create_drop_temporary(directory, &facts));
    assert_int_equal(unlinkat(directory, "copy", 0), 0);
}

static void a_directory_that_cannot_be_written_gets_no_file(void **state)
{
    (void)state;
    assert_int_equal(sot_create_file(-1, "new", "seven\n", 6, 0600), EBADF);
    struct stat facts;
    assert_int_equal(fstat(directory, &facts), 0);
    assert_false(sot_create_drop_temporary(-1, &facts));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_new_file_is_complete_and_has_its_mode),
        IN_FOLDER(a_file_that_is_there_stays),
        IN_FOLDER(a_system_without_nameless_files_uses_a_temporary_name),
        IN_FOLDER(a_failed_write_leaves_no_file),
        IN_FOLDER(a_temporary_second_name_is_dropped_and_no_other),
        IN_FOLDER(a_directory_that_cannot_be_written_gets_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
