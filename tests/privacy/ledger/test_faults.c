/* Disks that fail or fill up, directories that cannot be written, memory that runs out.
 *
 * Whatever fails: what reserve() reported as charged is charged, the chain verifies, and what was
 * refused may at most be charged too. */
#include "support.h"

#include "privacy/ledger/scratch.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "privacy/ledger/failing_vfs.h"
#include "privacy/ledger/kept.h"

/* ---- SQLite's own allocations, which can fail too ---- */

static sqlite3_mem_methods real_memory;
static long memory_countdown; /* 0: none fails */

static void *failing_malloc(int size)
{
    if (memory_countdown > 0 && --memory_countdown == 0) return NULL;
    return real_memory.xMalloc(size);
}

static void *failing_realloc(void *memory, int size)
{
    if (memory_countdown > 0 && --memory_countdown == 0) return NULL;
    return real_memory.xRealloc(memory, size);
}

static void install_failing_memory(void)
{
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory), SQLITE_OK);
    sqlite3_mem_methods methods = real_memory;
    methods.xMalloc = failing_malloc;
    methods.xRealloc = failing_realloc;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK);
}

/* ---- one run, and what must be true after it ---- */

typedef struct promise {
    uint64_t charges;  /* reservations that were reported as made */
    uint64_t releases; /* what the caller then released */
    uint64_t failures;
} promise;

/* Opens, reserves, releases, commits; stops at the first refusal. */
static sotto_status one_run(const char *path, promise *kept, sotto_error *error)
{
    sotto_ledger *ledger = NULL;
    sotto_reservation reservation;
    sotto_plan *plan = pure_plan(0.001);
    sotto_status status = sotto_ledger_open(path, &ledger, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_reserve(ledger, plan, 0.0, "a fault", &reservation, error);
    if (status == SOTTO_OK) {
        kept->charges++;
        kept->releases++;
        status = sotto_ledger_commit(ledger, &reservation, SOME_HASH, error);
    }
    if (status != SOTTO_OK) kept->failures++;
    sotto_ledger_close(ledger);
    sotto_plan_free(plan);
    return status;
}

static sotto_status count_charge(const sotto_ledger_entry *entry, void *context,
                                 sotto_error *error)
{
    (void)error;
    if (entry->kind == SOTTO_LEDGER_RESERVE) ++*(uint64_t *)context;
    return SOTTO_OK;
}

static void assert_kept(const char *path, const promise *kept)
{
    sotto_error error;
    sotto_ledger *ledger = NULL;
    uint64_t charges = 0;
    assert_ok(sotto_ledger_open(path, &ledger, &error), &error);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    assert_ok(sotto_ledger_visit(ledger, count_charge, &charges, &error), &error);
    sotto_ledger_close(ledger);
    assert_true(charges >= kept->charges && charges >= kept->releases);
    assert_true(charges <= kept->charges + kept->failures);
}

/* ---- a failing disk ---- */

static void a_disk_that_fails_at_any_write_loses_no_charge(void **state)
{
    (void)state;
    const int codes[] = {SQLITE_IOERR_WRITE, SQLITE_FULL};
    const long lengths[] = {1, 1000000}; /* a hiccup, and a dead disk */
    const scratch made = scratch_new();
    promise kept = {0};
    sotto_error error;
    failing_set(0, 0, 0);
    sotto_ledger_close(ledger_new(&made, 1000.0, 0.0));
    for (int c = 0; c < 2; c++) {
        for (int l = 0; l < 2; l++) {
            uint64_t refused = 0;
            for (long n = 1; n < 200; n++) {
                (void)failing_set(n, lengths[l], codes[c]);
                const sotto_status status = one_run(made.path, &kept, &error);
                const long seen = failing_set(0, 0, 0);
                if (status != SOTTO_OK) {
                    refused++;
                    assert_int_equal(status, SOTTO_IO);
                    assert_non_null(strstr(error.message, "ledger "));
                }
                assert_kept(made.path, &kept);
                if (seen < n) break; /* the fault was never reached */
            }
            assert_true(refused >= 10);
        }
    }
    scratch_free(&made);
}

/* The output is made and paid for: a hiccup must not lose its row, and a dead disk must not hang. */
static void a_commit_outlasts_a_hiccup(void **state)
{
    (void)state;
    static const char other[] =
        "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100";
    const scratch made = scratch_new();
    sotto_error error;
    failing_set(0, 0, 0);
    sotto_ledger *ledger = ledger_new(&made, 1000.0, 0.0);
    sotto_reservation reservation;
    long n = 1;
    for (long seen = 1; seen >= n; n++) {
        assert_ok(reserve(ledger, pure_plan(0.001), &reservation, &error), &error);
        (void)failing_set(n, 1, SQLITE_IOERR_WRITE);
        assert_ok(
            sot_ledger_commit_surely(ledger, &reservation, SOME_HASH, NULL, NULL, &error),
            &error);
        seen = failing_set(0, 0, 0);
    }
    assert_true(n > 5);
    /* It is there: the same output is no second commit, and another one is refused at once. */
    assert_ok(
        sot_ledger_commit_surely(ledger, &reservation, SOME_HASH, NULL, NULL, &error),
        &error);
    assert_refused(
        sot_ledger_commit_surely(ledger, &reservation, other, NULL, NULL, &error),
        SOTTO_INVALID_ARGUMENT, &error, "committed already", NULL);
    assert_ok(reserve(ledger, pure_plan(0.001), &reservation, &error), &error);
    (void)failing_set(1, 1000000, SQLITE_FULL);
    assert_refused(
        sot_ledger_commit_surely(ledger, &reservation, SOME_HASH, NULL, NULL, &error),
        SOTTO_IO, &error, "ledger ", NULL);
    (void)failing_set(0, 0, 0);
    assert_ok(
        sot_ledger_commit_surely(ledger, &reservation, SOME_HASH, NULL, NULL, &error),
        &error);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* ---- a limit on the size of files, as a quota would be ---- */

/* Runs `work` in a child that may be crippled; returns its exit code. */
static int in_child(int (*work)(const scratch *made), const scratch *made)
{
    int result = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(work(made));
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    return WEXITSTATUS(result);
}

/* Exit code: how many charges were reported before the limit struck; 100: it never did, or
 * with something else than an error. */
static int charge_up_to_a_limit(const scratch *made)
{
    struct stat found;
    promise kept = {0};
    sotto_error error;
    (void)signal(SIGXFSZ, SIG_IGN);
    if (stat(made->path, &found) != 0) return 100;
    const struct rlimit limit = {(rlim_t)found.st_size + 8192,
                                 (rlim_t)found.st_size + 8192};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 100;
    for (int i = 0; i < 90; i++) {
        const sotto_status status = one_run(made->path, &kept, &error);
        if (status == SOTTO_OK) continue;
        return status == SOTTO_IO ? (int)kept.charges : 100;
    }
    return 100;
}

static void a_full_file_refuses_and_keeps_what_is_charged(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger_close(ledger_new(&made, 1000.0, 0.0));
    promise kept = {0};
    for (int i = 0; i < 3; i++) {
        const int charges = in_child(charge_up_to_a_limit, &made);
        assert_true(charges < 100);
        kept.charges += (uint64_t)charges;
        kept.failures++;
        assert_kept(made.path, &kept);
    }
    assert_true(kept.charges > 3);
    scratch_free(&made);
}

/* A limit at every page: no ledger, or a whole one. Exit code: how many limits were too low. */
static int init_under_limits(const scratch *made)
{
    enum { PAGE = 4096, MOST = 16 };
    const sotto_ledger_config config = config_of(1.0, 1e-6);
    sotto_error error;
    (void)signal(SIGXFSZ, SIG_IGN);
    for (int pages = 0; pages < MOST; pages++) {
        const struct rlimit limit = {(rlim_t)(pages * PAGE) + 1, RLIM_INFINITY};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 100;
        const sotto_status status = sotto_ledger_init(made->path, &config, &error);
        if (status == SOTTO_OK) return pages;
        if (status != SOTTO_IO || access(made->path, F_OK) == 0) return 101;
    }
    return 102;
}

static void an_init_that_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    const int refused = in_child(init_under_limits, &made);
    assert_true(refused > 1 && refused < 100);
    promise kept = {0};
    assert_kept(made.path, &kept);
    DIR *folder = opendir(made.folder);
    size_t files = 0;
    for (struct dirent *file = readdir(folder); file != NULL; file = readdir(folder))
        files += strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0;
    (void)closedir(folder);
    assert_int_equal(files, 1);
    scratch_free(&made);
}

/* ---- nothing may be written ---- */

enum { NOBODY = 65534 };

static int use_as_nobody(const scratch *made)
{
    sotto_error error;
    promise kept = {0};
    struct stat found;
    if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) return 100;
    const sotto_ledger_config config = config_of(1.0, 0.0);
    if (sotto_ledger_init(made->path, &config, &error) != SOTTO_OK) return 1;
    /* a directory where no journal can be made */
    if (chmod(made->folder, 0500) != 0) return 2;
    if (one_run(made->path, &kept, &error) != SOTTO_IO) return 3;
    if (sotto_ledger_init(made->folder, &config, &error) != SOTTO_IO) return 4;
    if (chmod(made->folder, 0700) != 0) return 5;
    /* a file that cannot be written, but read */
    if (chmod(made->path, 0400) != 0) return 6;
    if (one_run(made->path, &kept, &error) != SOTTO_IO) return 7;
    if (strstr(error.message, "writable") == NULL) return 8;
    if (chmod(made->path, 0600) != 0) return 9;
    if (one_run(made->path, &kept, &error) != SOTTO_OK) return 10;
    if (kept.charges != 1 || stat(made->path, &found) != 0) return 11;
    return unlink(made->path) == 0 ? 0 : 12;
}

static void what_cannot_be_written_cannot_be_charged(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    if (geteuid() == 0) assert_int_equal(chown(made.folder, NOBODY, NOBODY), 0);
    assert_int_equal(in_child(use_as_nobody, &made), 0);
    scratch_free(&made);
}

static int open_as_another(const scratch *made)
{
    sotto_error error;
    sotto_ledger *ledger = NULL;
    if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0) return 100;
    if (sotto_ledger_open(made->path, &ledger, &error) != SOTTO_IO) return 1;
    return strstr(error.message, "another user") != NULL ? 0 : 2;
}

static void a_ledger_of_another_user_is_refused(void **state)
{
    (void)state;
    if (geteuid() != 0) skip();
    const scratch made = scratch_new();
    sotto_ledger_close(ledger_new(&made, 1.0, 0.0));
    assert_int_equal(chmod(made.folder, 0755), 0);
    assert_int_equal(in_child(open_as_another, &made), 0);
    /* and a directory of somebody else */
    assert_int_equal(chown(made.folder, NOBODY, NOBODY), 0);
    sotto_error error;
    sotto_ledger *ledger = NULL;
    assert_refused(sotto_ledger_open(made.path, &ledger, &error), SOTTO_IO, &error,
                   "belongs to another user", NULL);
    assert_int_equal(chown(made.folder, 0, 0), 0);
    scratch_free(&made);
}

/* ---- memory ---- */

static sotto_status whole_life(const char *path, promise *kept, sotto_error *error)
{
    sotto_ledger *ledger = NULL;
    sotto_account account;
    exported all = {NULL, 0};
    sotto_reservation reservation;
    sotto_plan *plan = NULL;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_PURE;
    event.epsilon = 0.001;
    event.count = 1;
    sotto_status status = sotto_ledger_open(path, &ledger, error);
    if (status == SOTTO_OK) status = sotto_plan_new(SOTTO_ADD_REMOVE, &plan, error);
    if (status == SOTTO_OK) status = sotto_plan_add(plan, &event, error);
    if (status == SOTTO_OK) {
        status = sotto_ledger_reserve(ledger, plan, 0.0, "a fault", &reservation, error);
        if (status != SOTTO_OK) kept->failures++;
        if (status == SOTTO_OK) kept->charges++;
    }
    if (status == SOTTO_OK)
        status = sotto_ledger_commit(ledger, &reservation, SOME_HASH, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_grant(ledger, 0.5, 0.0, "more", NULL, error);
    if (status == SOTTO_OK) status = sotto_ledger_check(ledger, NULL, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_export(ledger, append_line, &all, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_check_export(all.text, all.size_bytes, NULL, NULL, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_account(ledger, SOTTO_BASIC, &account, error);
    free(all.text);
    sotto_plan_free(plan);
    sotto_ledger_close(ledger);
    return status;
}

static void every_failing_allocation_is_reported_and_loses_no_charge(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_error error;
    size_t n = 1;
    for (; n < 2000; n++) { /* a new ledger each time: a longer one allocates more */
        promise kept = {0};
        sotto_ledger_close(ledger_new(&made, 1000.0, 0.0));
        (void)sot_test_fail_allocation(n);
        const sotto_status status = whole_life(made.path, &kept, &error);
        (void)sot_test_fail_allocation(0);
        assert_kept(made.path, &kept);
        assert_int_equal(unlink(made.path), 0);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    assert_true(n > 50 && n < 2000);
    const sotto_ledger_config config = config_of(1.0, 1e-6);
    char other[128];
    (void)snprintf(other, sizeof other, "%s/other", made.folder);
    for (n = 1; n < 100; n++) {
        (void)sot_test_fail_allocation(n);
        const sotto_status status = sotto_ledger_init(other, &config, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_int_equal(access(other, F_OK), -1);
    }
    assert_true(n > 5 && n < 100);
    scratch_free(&made);
}

/* SQLite sometimes names another cause, or gets by without the memory; never is a reported
 * charge missing. */
static void sqlite_out_of_memory_loses_no_charge(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_error error;
    promise kept = {0};
    sotto_ledger_close(ledger_new(&made, 1000.0, 0.0));
    long n = 1, refused = 0;
    for (; n < 20000; n += 1 + n / 64) {
        memory_countdown = n;
        const sotto_status status = one_run(made.path, &kept, &error);
        const bool reached = memory_countdown == 0;
        memory_countdown = 0;
        if (status != SOTTO_OK) refused++;
        if (!reached) break;
        if (n % 4 == 0) assert_kept(made.path, &kept);
    }
    assert_true(n < 20000 && refused > 20);
    assert_kept(made.path, &kept);
    scratch_free(&made);
}

static int register_faults(void **state)
{
    (void)state;
    install_failing_memory();
    assert_int_equal(sqlite3_initialize(), SQLITE_OK);
    failing_register();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_that_fails_at_any_write_loses_no_charge),
        cmocka_unit_test(a_commit_outlasts_a_hiccup),
        cmocka_unit_test(an_init_that_fails_leaves_nothing_behind),
        cmocka_unit_test(a_full_file_refuses_and_keeps_what_is_charged),
        cmocka_unit_test(what_cannot_be_written_cannot_be_charged),
        cmocka_unit_test(a_ledger_of_another_user_is_refused),
        cmocka_unit_test(every_failing_allocation_is_reported_and_loses_no_charge),
        cmocka_unit_test(sqlite_out_of_memory_loses_no_charge),
    };
    return cmocka_run_group_tests(tests, register_faults, NULL);
}
