/* New files: complete or absent, and never in the place of another. */
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/create.h"

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

/* Without /proc a file without a name cannot get one. */
static int create_without_proc(void)
{
    if (chroot(folder) != 0 || chdir("/") != 0) return 1;
    const int root = open("/", O_RDONLY | O_DIRECTORY);
    if (root < 0 || sot_create_file(root, "new", "seven\n", 6, 0600) != 0) return 2;
    return sot_create_file(root, "new", "other", 5, 0600) == EEXIST ? 0 : 3;
}

static void a_system_without_nameless_files_uses_a_temporary_name(void **state)
{
    (void)state;
    int result = -1;
    if (geteuid() != 0) skip();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(create_without_proc());
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    assert_content("seven\n");
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
    assert_int_not_equal(sot_create_file(-1, "new", "seven\n", 6, 0600), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_new_file_is_complete_and_has_its_mode),
        IN_FOLDER(a_file_that_is_there_stays),
        IN_FOLDER(a_system_without_nameless_files_uses_a_temporary_name),
        IN_FOLDER(a_temporary_second_name_is_dropped_and_no_other),
        IN_FOLDER(a_directory_that_cannot_be_written_gets_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
