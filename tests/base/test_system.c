#include "support.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sotto/system.h>
#include <sotto/version.h>

static void every_text_is_filled_and_ends(void **state)
{
    (void)state;
    sotto_system system;
    sotto_error error;
    memset(&system, 0xFF, sizeof system);
    assert_ok(sotto_system_describe(&system, &error), &error);
    const struct {
        const char *text;
        size_t room;
    } texts[] = {{system.version, sizeof system.version},
                 {system.compiler, sizeof system.compiler},
                 {system.build, sizeof system.build},
                 {system.operating_system, sizeof system.operating_system},
                 {system.cpu_model, sizeof system.cpu_model},
                 {system.cpu_features, sizeof system.cpu_features},
                 {system.entropy, sizeof system.entropy}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const size_t length = strnlen(texts[i].text, texts[i].room);
        assert_true(length > 0 && length < texts[i].room);
        for (size_t at = 0; at < length; at++)
            assert_true((unsigned char)texts[i].text[at] >= ' ');
    }
    assert_string_equal(system.version, SOTTO_VERSION_STRING);
    assert_non_null(
        strstr(system.build, "for tests")); /* this is not the shipped library */
}

static void the_loaded_libraries_are_named(void **state)
{
    (void)state;
    sotto_system system;
    sotto_error error;
    assert_ok(sotto_system_describe(&system, &error), &error);
    assert_in_range(system.part_count, 2, SOTTO_SYSTEM_PARTS_MAX);
    int found = 0;
    for (uint32_t i = 0; i < system.part_count; i++) {
        assert_true(strlen(system.parts[i].version) > 0);
        if (strcmp(system.parts[i].name, "libsodium") == 0) found |= 1;
        if (strcmp(system.parts[i].name, "zlib") == 0) found |= 2;
    }
    assert_int_equal(found, 3);
}

static void the_numbers_are_the_systems(void **state)
{
    (void)state;
    sotto_system system;
    sotto_error error;
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_CORE, &before), 0);
    limit = before;
    limit.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_CORE, &limit), 0);
    const sotto_status status = sotto_system_describe(&system, &error);
    assert_int_equal(setrlimit(RLIMIT_CORE, &before), 0);
    assert_ok(status, &error);
    assert_int_equal(system.core_limit_bytes, 0);
    assert_int_equal(system.page_bytes, sysconf(_SC_PAGESIZE));
    assert_int_equal(system.cpu_count, sysconf(_SC_NPROCESSORS_ONLN));
    assert_true(
        system.entropy_ready); /* a machine that runs tests has long been seeded */
    assert_string_equal(system.entropy, "getrandom: ready");
#ifdef __x86_64__
    assert_non_null(strstr(system.cpu_features, "sse2")); /* part of the architecture */
    assert_int_equal(system.has_rdrand, strstr(system.cpu_features, "rdrand") != NULL);
#endif
}

/* Every getrandom() of this process fails with `code` from now on. */
static int spoil_getrandom(unsigned code)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | code),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

static void a_random_source_that_is_not_ready_is_reported(void **state)
{
    (void)state;
    const struct {
        unsigned code;
        const char *text;
    } cases[] = {{EAGAIN, "getrandom: the kernel has not gathered enough entropy yet"},
                 {ENOSYS, "getrandom: Function not implemented"}};
    for (size_t i = 0; i < 2; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) { /* 77: this kernel has no seccomp */
            sotto_system system;
            if (spoil_getrandom(cases[i].code) != 0) _exit(77);
            if (sotto_system_describe(&system, NULL) != SOTTO_OK) _exit(1);
            if (system.entropy_ready) _exit(2);
            _exit(strcmp(system.entropy, cases[i].text) == 0 ? 0 : 3);
        }
        int outcome = -1;
        assert_int_equal(waitpid(child, &outcome, 0), child);
        assert_true(WIFEXITED(outcome));
        if (WEXITSTATUS(outcome) == 77) skip();
        assert_int_equal(WEXITSTATUS(outcome), 0);
    }
}

static void nowhere_to_write_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    assert_refused(sotto_system_describe(NULL, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "out_system", NULL);
    assert_int_equal(sotto_system_describe(NULL, NULL), SOTTO_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_is_filled_and_ends),
        cmocka_unit_test(the_loaded_libraries_are_named),
        cmocka_unit_test(the_numbers_are_the_systems),
        cmocka_unit_test(a_random_source_that_is_not_ready_is_reported),
        cmocka_unit_test(nowhere_to_write_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
