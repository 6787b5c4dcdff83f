#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"

static char directory[256]; /* a new one for each test */

static int make_directory(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    (void)snprintf(directory, sizeof directory, "%s/sotto-file-XXXXXX",
                   parent != NULL ? parent : "/tmp");
    return mkdtemp(directory) == NULL;
}

static const char *in_directory(const char *name)
{
    static char paths[4][1024];
    static int turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

/* Entries other than . and ..; deletes them if asked to. */
static size_t list_directory(int deleting)
{
    size_t count = 0;
    DIR *entries = opendir(directory);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        count++;
        if (deleting && unlink(in_directory(entry->d_name)) != 0)
            (void)rmdir(in_directory(entry->d_name));
    }
    closedir(entries);
    return count;
}

static int remove_directory(void **state)
{
    (void)state;
    (void)list_directory(1);
    return rmdir(directory);
}

static void put(const char *name, const char *text)
{
    sotto_error error;
    assert_ok(sot_file_write(in_directory(name), text, strlen(text), 0644, &error),
              &error);
}

static void assert_content(const char *name, const char *expected)
{
    char *bytes = NULL;
    size_t size = 0;
    sotto_error error;
    assert_ok(sot_file_read(in_directory(name), 1 << 24, &bytes, &size, &error), &error);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(bytes, expected, size + 1); /* with the NUL behind it */
    sot_free(bytes);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    put("model.json", "first");
    assert_content("model.json", "first");
    put("model.json", "");
    assert_content("model.json", "");
    const size_t size = 3 * 1048576 + 17; /* more than three pieces */
    unsigned char *bytes = sot_new_array(size, 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 7 % 256);
    sotto_error error;
    char *back = NULL;
    size_t back_size = 0;
    const char *path = in_directory("large");
    assert_ok(sot_file_write(path, bytes, size, 0644, &error), &error);
    assert_ok(sot_file_read(path, size, &back, &back_size, &error), &error);
    assert_int_equal(back_size, size);
    assert_memory_equal(back, bytes, size);
    sot_free(back);
    sot_free(bytes);
    assert_int_equal(list_directory(0), 2); /* no temporary is left */
}

static void the_cap_is_exact(void **state)
{
    (void)state;
    put("plan.json", "0123456789");
    char *bytes = NULL;
    size_t size = 0;
    sotto_error error;
    const char *path = in_directory("plan.json");
    assert_refused(sot_file_read(path, 9, &bytes, &size, &error), SOTTO_IO, &error,
                   "plan.json", "more than 9 bytes", NULL);
    assert_null(bytes);
    assert_ok(sot_file_read(path, 10, &bytes, &size, &error), &error);
    sot_free(bytes);
}

static void unreadable_files_are_named(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t size = 0;
    sotto_error error;
    assert_refused(sot_file_read(in_directory("none"), 99, &bytes, &size, &error),
                   SOTTO_IO, &error, "none", "No such file or directory", NULL);
    assert_refused(sot_file_read(directory, 99, &bytes, &size, &error), SOTTO_IO, &error,
                   directory, "Is a directory", NULL);
    assert_refused(sot_file_read("a\nb", 99, &bytes, &size, &error), SOTTO_IO, &error,
                   "cannot read a?b:", NULL);
    assert_null(bytes);
}

static void a_stream_is_read_to_its_end(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "from a pipe", 11), 11);
    close(ends[1]);
    FILE *stream = fdopen(ends[0], "rb");
    char *bytes = NULL;
    size_t size = 0;
    sotto_error error;
    assert_ok(sot_file_read_stream(stream, "standard input", 99, &bytes, &size, &error),
              &error);
    assert_string_equal(bytes, "from a pipe");
    assert_int_equal(size, 11);
    sot_free(bytes);
    fclose(stream);
    stream = fopen(in_directory("written only"), "wb");
    assert_refused(
        sot_file_read_stream(stream, "standard input", 99, &bytes, &size, &error),
        SOTTO_IO, &error, "standard input", "Bad file descriptor", NULL);
    fclose(stream);
}

static void the_mode_is_the_callers_less_the_umask(void **state)
{
    (void)state;
    struct stat status;
    const mode_t before = umask(022);
    sotto_error error;
    put("public", "old");
    assert_ok(sot_file_write(in_directory("public"), "x", 1, 0666, &error), &error);
    assert_int_equal(stat(in_directory("public"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0644);
    assert_ok(sot_file_write(in_directory("secret"), "x", 1, 0600, &error), &error);
    assert_int_equal(stat(in_directory("secret"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    umask(before);
}

static void only_regular_files_are_replaced(void **state)
{
    (void)state;
    sotto_error error;
    put("real", "kept");
    assert_int_equal(symlink("real", in_directory("link")), 0);
    assert_refused(sot_file_write(in_directory("link"), "x", 1, 0644, &error), SOTTO_IO,
                   &error, "link", "symbolic link", NULL);
    assert_content("real", "kept");
    struct stat status;
    assert_int_equal(lstat(in_directory("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(symlink("nowhere", in_directory("dangling")), 0);
    assert_refused(sot_file_write(in_directory("dangling"), "x", 1, 0644, &error),
                   SOTTO_IO, &error, "symbolic link", NULL);
    assert_int_equal(mkdir(in_directory("folder"), 0755), 0);
    assert_refused(sot_file_write(in_directory("folder"), "x", 1, 0644, &error), SOTTO_IO,
                   &error, "folder", "it is a directory", NULL);
    assert_refused(sot_file_write(in_directory("folder/"), "x", 1, 0644, &error),
                   SOTTO_IO, &error, "names a directory", NULL);
    assert_refused(sot_file_write(in_directory("folder/.."), "x", 1, 0644, &error),
                   SOTTO_IO, &error, "it is a directory", NULL);
    assert_int_equal(mkfifo(in_directory("fifo"), 0644), 0);
    assert_refused(sot_file_write(in_directory("fifo"), "x", 1, 0644, &error), SOTTO_IO,
                   &error, "fifo", "not a regular file", NULL);
    assert_refused(sot_file_write("", "x", 1, 0644, &error), SOTTO_IO, &error,
                   "names a directory", NULL);
    assert_int_equal(list_directory(0), 5);
}

static void a_missing_directory_is_named(void **state)
{
    (void)state;
    sotto_error error;
    assert_refused(sot_file_write(in_directory("no/such"), "x", 1, 0644, &error),
                   SOTTO_IO, &error, "no/such", "No such file or directory", NULL);
    put("file", "kept");
    assert_refused(sot_file_write(in_directory("file/below"), "x", 1, 0644, &error),
                   SOTTO_IO, &error, "file/below", "Not a directory", NULL);
    assert_content("file", "kept");
    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_refused(sot_file_write(in_directory(name), "x", 1, 0644, &error), SOTTO_IO,
                   &error, "...: File name too long", NULL);
}

static void a_path_needs_no_directory_part(void **state)
{
    (void)state;
    char before[1024];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(directory), 0);
    sotto_error error;
    const sotto_status status = sot_file_write("bare", "here", 4, 0644, &error);
    assert_int_equal(chdir(before), 0);
    assert_ok(status, &error);
    assert_content("bare", "here");
}

static void every_failing_step_leaves_the_old_file(void **state)
{
    (void)state;
    put("ledger", "old");
    char *large = sot_new_array(2 * 1048576 + 1, 1);
    memset(large, 'n', 2 * 1048576);
    for (int step = SOT_FILE_OPEN; step <= SOT_FILE_RENAME; step++) {
        sot_test_file_fault((sot_file_step)step, step == SOT_FILE_WRITE ? 2 : 1, 0);
        sotto_error error;
        assert_refused(
            sot_file_write(in_directory("ledger"), large, 2 * 1048576, 0644, &error),
            SOTTO_IO, &error, "ledger", "Input/output error", NULL);
        assert_content("ledger", "old");
        assert_int_equal(list_directory(0), 1); /* the temporary is gone */
    }
    sot_test_file_fault(SOT_FILE_SYNC_DIRECTORY, 1, 0);
    sotto_error error;
    assert_refused(
        sot_file_write(in_directory("ledger"), large, 2 * 1048576, 0644, &error),
        SOTTO_IO, &error, "ledger", "it is written", NULL);
    assert_content("ledger", large); /* in place, as the message says */
    assert_int_equal(list_directory(0), 1);
    sot_test_file_fault(SOT_FILE_NO_STEP, 0, 0);
    sot_free(large);
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    put("ledger", "old");
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 100000;
    char *large = sot_new_array(300000, 1);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    sotto_error error;
    const sotto_status status =
        sot_file_write(in_directory("ledger"), large, 300000, 0644, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_refused(status, SOTTO_IO, &error, "ledger", "File too large", NULL);
    assert_content("ledger", "old");
    assert_int_equal(list_directory(0), 1);
    sot_free(large);
}

static int leave(const char *name, const char *text)
{
    const int file = open(in_directory(name), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    return file;
}

/* The numbers of processes are used again, in containers at once: only a lock says that a writer is there. */
static void temporaries_are_removed_when_their_writer_is_gone(void **state)
{
    (void)state;
    char own[64];
    for (int n = 0; n < 100; n++) {
        (void)snprintf(own, sizeof own, ".sotto-%ld-%d.tmp", (long)getpid(), n);
        close(leave(own, "stale"));
    }
    close(leave(".sotto-1-6737.tmp", "stale of process 1"));
    const int busy = leave(".sotto-1-6738.tmp", "another process writes this");
    assert_int_equal(flock(busy, LOCK_EX | LOCK_NB), 0);
    close(leave(".sotto-notes.txt", "not ours"));
    assert_int_equal(mkdir(in_directory(".sotto-1-1.tmp"), 0755), 0);
    assert_int_equal(symlink("model.json", in_directory(".sotto-1-2.tmp")), 0);
    put("model.json", "new");
    assert_content("model.json", "new");
    assert_content(".sotto-1-6738.tmp", "another process writes this");
    assert_content(".sotto-notes.txt", "not ours");
    assert_int_equal(list_directory(0), 5); /* with the directory and the link */
    close(busy);
    put("model.json", "newer");
    assert_int_equal(list_directory(0), 4);
}

/* A sweep removes files by their names: only by the exact form that sotto writes. */
static void files_with_similar_names_are_not_swept(void **state)
{
    (void)state;
    static const char *const names[] = {
        ".sotto-notes.tmp",  ".sotto-1-notes.tmp", ".sotto-1-.tmp",   ".sotto--1.tmp",
        ".sotto-1-2.tmp.gz", ".sotto-1-2 .tmp",    ".sotto-1-2A.tmp", "x.sotto-1-2.tmp",
        ".sotto-1.tmp",      ".sotto-1-2",         ".sotto-1-2.tm"};
    enum { NAMES = sizeof names / sizeof names[0] };
    for (size_t i = 0; i < NAMES; i++)
        close(leave(names[i], "the user's"));
    close(leave(".sotto-4711-691c5e2f0b3a.tmp", "stale"));
    put("model.json", "new");
    for (size_t i = 0; i < NAMES; i++)
        assert_content(names[i], "the user's");
    assert_int_equal(list_directory(0), NAMES + 1);
}

/* The next write would remove such an output, and with it a paid result. */
static void an_output_has_no_name_of_a_temporary(void **state)
{
    (void)state;
    sotto_error error;
    const char *path = in_directory(".sotto-1-a.tmp");
    assert_refused(sot_file_check_write(path, &error), SOTTO_IO, &error,
                   "the name is that of a temporary file", NULL);
    assert_int_equal(sot_file_write(path, "paid", 4, 0600, &error), SOTTO_IO);
    assert_int_equal(list_directory(0), 0);
}

/* `named`: as on a system without nameless files. */
static sot_file_writer *begin_slow(bool named)
{
    sotto_error error;
    sot_file_writer *writer = NULL;
    if (named) sot_test_file_fault(SOT_FILE_NAMELESS, 1, 0);
    assert_ok(sot_file_begin(in_directory("slow"), 0644, &writer, &error), &error);
    return writer;
}

static void a_second_write_spares_the_first_ones_temporary(void **state)
{
    (void)state;
    sotto_error error;
    for (int named = 0; named < 2; named++) {
        sot_file_writer *writer = begin_slow(named == 1);
        assert_ok(sot_file_add(writer, "begun", 5, &error), &error);
        put("quick", "done");
        assert_int_equal(list_directory(0), named == 0 ? 1 : 3);
        assert_ok(sot_file_add(writer, ", ended", 7, &error), &error);
        assert_ok(sot_file_finish(writer, false, &error), &error);
        sot_file_abandon(writer);
        assert_content("slow", "begun, ended");
        assert_int_equal(list_directory(0), 2);
        writer = begin_slow(named == 1);
        assert_ok(sot_file_add(writer, "lost", 4, &error), &error);
        sot_file_abandon(writer);
        assert_content("slow", "begun, ended");
        assert_int_equal(list_directory(0), 2);
    }
}

static void a_new_file_never_replaces_one(void **state)
{
    (void)state;
    sotto_error error;
    sot_file_writer *writer = NULL;
    assert_ok(sot_file_begin(in_directory("key"), 0600, &writer, &error), &error);
    put("key", "somebody was faster");
    assert_int_equal(sot_file_finish(writer, true, &error), SOTTO_IO);
    assert_int_equal(errno, EEXIST);
    assert_content("key", "somebody was faster");
    sot_file_abandon(writer);
    assert_int_equal(list_directory(0), 1);
}

static void one_file_is_recognised_by_any_name(void **state)
{
    (void)state;
    char spelled[1024], missing[1024];
    put("a", "content");
    assert_int_equal(link(in_directory("a"), in_directory("hard")), 0);
    assert_int_equal(symlink("a", in_directory("soft")), 0);
    (void)snprintf(spelled, sizeof spelled, "%s/./a", directory);
    assert_true(sot_file_is_same(in_directory("a"), spelled));
    assert_true(sot_file_is_same(in_directory("a"), in_directory("hard")));
    assert_true(sot_file_is_same(in_directory("a"), in_directory("soft")));
    (void)snprintf(missing, sizeof missing, "%s/../%s/missing", directory,
                   strrchr(directory, '/') + 1);
    assert_true(sot_file_is_same(missing, in_directory("missing")));
    assert_false(sot_file_is_same(missing, in_directory("other")));
    assert_false(sot_file_is_same(in_directory("a"), in_directory("missing")));
    put("b", "content");
    assert_false(sot_file_is_same(in_directory("a"), in_directory("b")));
}

enum { LARGE = 3 * 1048576 };

/* Fills with one letter, so that any mixture of two contents shows. */
static char *all_of(char letter)
{
    char *text = sot_new_array(LARGE + 1, 1);
    assert_non_null(text);
    memset(text, letter, LARGE);
    return text;
}

static void killed_at_any_step_the_file_is_old_or_new(void **state)
{
    (void)state;
    char *old = all_of('o'), *new = all_of('n');
    for (int step = SOT_FILE_OPEN; step <= SOT_FILE_SYNC_DIRECTORY; step++) {
        put("model.json", old);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            sot_test_file_fault((sot_file_step)step, step == SOT_FILE_WRITE ? 2 : 1, 1);
            (void)!sot_file_write(in_directory("model.json"), new, LARGE, 0644, NULL);
            _exit(0); /* not reached */
        }
        int outcome = 0;
        assert_int_equal(waitpid(child, &outcome, 0), child);
        assert_true(WIFSIGNALED(outcome) && WTERMSIG(outcome) == SIGKILL);
        assert_content("model.json", step <= SOT_FILE_RENAME ? old : new);
        (void)list_directory(1);
    }
    sot_free(old);
    sot_free(new);
}

static void killed_at_any_moment_the_file_is_old_or_new(void **state)
{
    (void)state;
    char *old = all_of('o'), *new = all_of('n');
    put("model.json", old);
    for (int round = 0; round < 12; round++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            for (int turn = 0;; turn++)
                if (sot_file_write(in_directory("model.json"), turn % 2 ? old : new,
                                   LARGE, 0644, NULL) != SOTTO_OK)
                    _exit(1);
        const struct timespec pause = {0, 3000000 + round * 1700000};
        nanosleep(&pause, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        int outcome = 0;
        assert_int_equal(waitpid(child, &outcome, 0), child);
        assert_true(WIFSIGNALED(outcome));
        char *bytes = NULL;
        size_t size = 0;
        sotto_error error;
        assert_ok(sot_file_read(in_directory("model.json"), LARGE, &bytes, &size, &error),
                  &error);
        assert_int_equal(size, LARGE);
        assert_true(memcmp(bytes, old, LARGE) == 0 || memcmp(bytes, new, LARGE) == 0);
        sot_free(bytes);
    }
    sot_free(old);
    sot_free(new);
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    put("large", "old");
    char *text = all_of('x');
    put("large", text);
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    size_t nth = 0;
    for (; status == SOTTO_OUT_OF_MEMORY; nth++) {
        char *bytes = NULL;
        size_t size = 0;
        (void)sot_test_fail_allocation(nth + 1);
        status = sot_file_read(in_directory("large"), LARGE, &bytes, &size, NULL);
        if (status != SOTTO_OK) assert_null(bytes);
        sot_free(bytes);
    }
    assert_int_equal(status, SOTTO_OK);
    assert_true(nth > 3); /* the buffer grew, and failed to grow, several times */
    status = SOTTO_OUT_OF_MEMORY;
    for (nth = 0; status == SOTTO_OUT_OF_MEMORY; nth++) {
        (void)sot_test_fail_allocation(nth + 1);
        status = sot_file_write(in_directory("large"), "new", 3, 0644, NULL);
        (void)sot_test_fail_allocation(0);
        assert_content("large", status == SOTTO_OK ? "new" : text);
    }
    assert_int_equal(status, SOTTO_OK);
    assert_int_equal(nth, 4);
    sot_free(text);
}

#define FILE_TEST(test)                                                                  \
    cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(what_is_written_is_read),
        FILE_TEST(the_cap_is_exact),
        FILE_TEST(unreadable_files_are_named),
        FILE_TEST(a_stream_is_read_to_its_end),
        FILE_TEST(the_mode_is_the_callers_less_the_umask),
        FILE_TEST(only_regular_files_are_replaced),
        FILE_TEST(a_missing_directory_is_named),
        FILE_TEST(a_path_needs_no_directory_part),
        FILE_TEST(every_failing_step_leaves_the_old_file),
        FILE_TEST(a_full_disk_leaves_the_old_file),
        FILE_TEST(temporaries_are_removed_when_their_writer_is_gone),
        FILE_TEST(files_with_similar_names_are_not_swept),
        FILE_TEST(an_output_has_no_name_of_a_temporary),
        FILE_TEST(a_second_write_spares_the_first_ones_temporary),
        FILE_TEST(a_new_file_never_replaces_one),
        FILE_TEST(one_file_is_recognised_by_any_name),
        FILE_TEST(killed_at_any_step_the_file_is_old_or_new),
        FILE_TEST(killed_at_any_moment_the_file_is_old_or_new),
        FILE_TEST(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
