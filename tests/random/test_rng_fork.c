/* No two processes draw the same bits. */
#include "laws.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random/entropy.h"
#include "random/rng.h"

enum { FORK_WORDS = 1200 };

/* What the child wrote to the pipe; it must leave with status 0. */
static void collect(pid_t child, int from, uint64_t *out, size_t bytes)
{
    size_t have = 0;
    while (have < bytes) {
        const ssize_t got = read(from, (uint8_t *)out + have, bytes - have);
        if (got < 0 && errno == EINTR) continue;
        assert_true(got > 0);
        have += (size_t)got;
    }
    close(from);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void write_and_leave(int to, const uint64_t *words, size_t bytes)
{
    _exit(write(to, words, bytes) == (ssize_t)bytes ? 0 : 1);
}

static void assert_no_common_word(const uint64_t *a, size_t a_count, const uint64_t *b,
                                  size_t b_count)
{
    for (size_t i = 0; i < a_count; i++) {
        for (size_t j = 0; j < b_count; j++)
            assert_true(a[i] != b[j]);
    }
}

static void parent_and_children_draw_different_bits(void **state)
{
    (void)state;
    sotto_rng *handle[2] = {NULL, test_rng(11)};
    sotto_error error;
    assert_ok(sotto_rng_new(&handle[0], &error), &error);
    for (int kind = 0; kind < 2; kind++) {
        sotto_rng *rng = handle[kind];
        static uint64_t child_words[2][FORK_WORDS], parent_words[FORK_WORDS];
        (void)sot_rng_u64(rng); /* the pool is in use */
        for (int i = 0; i < 2; i++) {
            int pipes[2];
            assert_int_equal(pipe(pipes), 0);
            const pid_t child = fork();
            if (child == 0) {
                sot_rng_words(rng, child_words[i], FORK_WORDS);
                write_and_leave(pipes[1], child_words[i], sizeof child_words[i]);
            }
            close(pipes[1]);
            collect(child, pipes[0], child_words[i], sizeof child_words[i]);
        }
        sot_rng_words(rng, parent_words, FORK_WORDS);
        assert_no_common_word(child_words[0], FORK_WORDS, child_words[1], FORK_WORDS);
        assert_no_common_word(child_words[0], FORK_WORDS, parent_words, FORK_WORDS);
        assert_no_common_word(child_words[1], FORK_WORDS, parent_words, FORK_WORDS);
        sotto_rng_free(rng);
    }
}

static void streams_of_a_family_differ_after_fork(void **state)
{
    (void)state;
    sotto_rng *parent = test_rng(12);
    sotto_error error;
    sot_rng_family family;
    assert_ok(sot_rng_family_begin(parent, "noise", &family, &error), &error);
    uint64_t words[2][4];
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    sotto_rng *stream = NULL;
    if (child == 0) {
        if (sot_rng_stream(&family, 0, &stream, NULL) != SOTTO_OK) _exit(1);
        sot_rng_words(stream, words[0], 4);
        write_and_leave(pipes[1], words[0], sizeof words[0]);
    }
    close(pipes[1]);
    collect(child, pipes[0], words[0], sizeof words[0]);
    assert_ok(sot_rng_stream(&family, 0, &stream, &error), &error);
    sot_rng_words(stream, words[1], 4);
    assert_no_common_word(words[0], 4, words[1], 4);
    sotto_rng_free(stream);
    sotto_rng_free(parent);
}

/* fork(2) without the library's handlers: noticed at the next refill, by the process id. */
static void a_raw_fork_is_noticed_at_the_refill(void **state)
{
    (void)state;
#if defined(SYS_fork)
    sotto_rng *rng = test_rng(13);
    (void)sot_rng_u64(rng);
    static uint64_t child_words[FORK_WORDS], parent_words[FORK_WORDS];
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = (pid_t)syscall(SYS_fork);
    if (child == 0) {
        sot_rng_words(rng, child_words, FORK_WORDS);
        write_and_leave(pipes[1], child_words, sizeof child_words);
    }
    close(pipes[1]);
    collect(child, pipes[0], child_words, sizeof child_words);
    sot_rng_words(rng, parent_words, FORK_WORDS);
    assert_no_common_word(child_words + 1019, FORK_WORDS - 1019, parent_words,
                          FORK_WORDS);
    sotto_rng_free(rng);
#else
    (void)state;
#endif
}

static void a_child_without_entropy_releases_nothing(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(14);
    const uint64_t before = sot_rng_u64(rng);
    uint64_t report[4];
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (child == 0) {
        sot_test_set_entropy(SOT_TEST_ENTROPY_FAILS);
        report[0] = sot_rng_u64(rng); /* loops still end: it goes on drawing ... */
        report[1] = sot_rng_u64(rng);
        sotto_error error;
        report[2] = (uint64_t)sot_rng_check(rng, &error); /* ... and tells */
        sot_rng_family family;
        report[3] = (uint64_t)sot_rng_family_begin(rng, "noise", &family, &error);
        write_and_leave(pipes[1], report, sizeof report);
    }
    close(pipes[1]);
    collect(child, pipes[0], report, sizeof report);
    assert_true(report[0] != before && report[0] != report[1]);
    assert_true(report[0] != sot_rng_u64(rng));
    assert_int_equal(report[2], SOTTO_ENTROPY);
    assert_int_equal(report[3], SOTTO_ENTROPY);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parent_and_children_draw_different_bits),
        cmocka_unit_test(streams_of_a_family_differ_after_fork),
        cmocka_unit_test(a_raw_fork_is_noticed_at_the_refill),
        cmocka_unit_test(a_child_without_entropy_releases_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
