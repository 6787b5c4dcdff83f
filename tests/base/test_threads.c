#include "support.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/threads.h"

static sot_pool *new_pool(size_t threads)
{
    sot_pool *pool = NULL;
    sotto_error error;
    assert_ok(sot_pool_new(threads, &pool, &error), &error);
    assert_int_equal(sot_pool_threads(pool), threads);
    return pool;
}

/* Sums of sqrt(i + 0.5): floating point, so another cut into chunks gives other bits. */
typedef struct sums {
    double of_chunk[512];
    size_t chunk_size;
} sums;

static sotto_status add_roots(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    (void)error;
    sums *all = context;
    assert(begin == chunk * all->chunk_size && end > begin);
    for (size_t i = begin; i < end; i++)
        all->of_chunk[chunk] += sqrt((double)i + 0.5);
    return SOTTO_OK;
}

static double sum_with(sot_pool *pool, size_t items, size_t chunk_size)
{
    sums all = {.chunk_size = chunk_size};
    sotto_error error;
    assert_ok(sot_parallel_for(pool, items, chunk_size, add_roots, &all, &error), &error);
    double total = 0.0;
    for (size_t i = 0; i < sot_size_blocks(items, chunk_size); i++)
        total += all.of_chunk[i];
    return total;
}

static void the_result_is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    const double alone = sum_with(NULL, 40009, 97);
    const size_t threads[] = {1, 2, 3, 8};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        sot_pool *pool = new_pool(threads[i]);
        for (int repeat = 0; repeat < 50; repeat++) {
            const double total = sum_with(pool, 40009, 97);
            assert_memory_equal(&total, &alone, sizeof total);
        }
        sot_pool_free(pool);
    }
}

static sotto_status count_items(size_t chunk, size_t begin, size_t end, void *context,
                                sotto_error *error)
{
    (void)chunk;
    (void)error;
    atomic_int *visits = context;
    for (size_t i = begin; i < end; i++)
        atomic_fetch_add(&visits[i], 1);
    return SOTTO_OK;
}

static void every_item_is_visited_exactly_once(void **state)
{
    (void)state;
    sot_pool *pool = new_pool(4);
    sotto_error error;
    const size_t chunk_sizes[] = {1, 2, 7, 99, 100, 101, SIZE_MAX};
    for (size_t k = 0; k < sizeof chunk_sizes / sizeof *chunk_sizes; k++) {
        atomic_int visits[100] = {0};
        assert_ok(
            sot_parallel_for(pool, 100, chunk_sizes[k], count_items, visits, &error),
            &error);
        for (size_t i = 0; i < 100; i++)
            assert_int_equal(atomic_load(&visits[i]), 1);
    }
    assert_ok(sot_parallel_for(pool, 0, 7, count_items, NULL, &error), &error);
    sot_pool_free(pool);
}

/* Where two chunks meet: passes only if both run at the same time. */
typedef struct meeting {
    pthread_barrier_t barrier;
    pthread_t owner;
    atomic_int unblocked_workers;
    atomic_int workers;
} meeting;

static sotto_status meet(size_t chunk, size_t begin, size_t end, void *context,
                         sotto_error *error)
{
    (void)chunk;
    (void)begin;
    (void)end;
    (void)error;
    meeting *here = context;
    if (!pthread_equal(pthread_self(), here->owner)) {
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, NULL, &blocked);
        atomic_fetch_add(&here->workers, 1);
        if (!sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGTERM))
            atomic_fetch_add(&here->unblocked_workers, 1);
    }
    pthread_barrier_wait(&here->barrier);
    return SOTTO_OK;
}

static void chunks_run_side_by_side_and_workers_take_no_signals(void **state)
{
    (void)state;
    sot_pool *pool = new_pool(3);
    sotto_error error;
    meeting here = {.owner = pthread_self()};
    pthread_barrier_init(&here.barrier, NULL, 3);
    assert_ok(sot_parallel_for(pool, 3, 1, meet, &here, &error), &error);
    assert_int_equal(atomic_load(&here.workers), 2);
    assert_int_equal(atomic_load(&here.unblocked_workers), 0);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGINT)); /* the caller's mask is given back */
    pthread_barrier_destroy(&here.barrier);
    sot_pool_free(pool);
}

static void pause_milliseconds(long milliseconds)
{
    const struct timespec pause = {0, milliseconds * 1000000};
    nanosleep(&pause, NULL);
}

static sotto_status fail_in_two_chunks(size_t chunk, size_t begin, size_t end,
                                       void *context, sotto_error *error)
{
    (void)begin;
    (void)end;
    atomic_int *ran = context;
    atomic_fetch_add(&ran[chunk], 1);
    if (chunk == 3) {
        pause_milliseconds(5); /* so that chunk 40 fails first in time */
        return sot_fail(error, SOTTO_UNREACHABLE, "chunk %zu failed", chunk);
    }
    if (chunk == 40) return sot_fail(error, SOTTO_IO, "chunk %zu failed", chunk);
    return SOTTO_OK;
}

static void the_lowest_failing_chunk_is_reported(void **state)
{
    (void)state;
    const size_t threads[] = {1, 2, 8};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        sot_pool *pool = new_pool(threads[i]);
        for (int repeat = 0; repeat < 10; repeat++) {
            atomic_int ran[500] = {0};
            sotto_error error;
            assert_refused(
                sot_parallel_for(pool, 500, 1, fail_in_two_chunks, ran, &error),
                SOTTO_UNREACHABLE, &error, "chunk 3 failed", NULL);
            assert_int_equal(error.status, SOTTO_UNREACHABLE);
            for (size_t chunk = 0; chunk <= 3; chunk++)
                assert_int_equal(atomic_load(&ran[chunk]), 1);
            if (threads[i] == 1) assert_int_equal(atomic_load(&ran[4]), 0);
        }
        assert_int_equal(sot_parallel_for(pool, 0, 1, fail_in_two_chunks, NULL, NULL),
                         SOTTO_OK);
        sot_pool_free(pool);
    }
}

static sotto_status fail_one_after_the_other(size_t chunk, size_t begin, size_t end,
                                             void *context, sotto_error *error)
{
    (void)begin;
    (void)end;
    pthread_barrier_wait(context); /* both have started */
    if (chunk == 1) pause_milliseconds(20);
    return sot_fail(error, SOTTO_IO, "chunk %zu failed", chunk);
}

static void a_higher_chunk_that_fails_later_is_not_heard(void **state)
{
    (void)state;
    sot_pool *pool = new_pool(2);
    sotto_error error;
    pthread_barrier_t both;
    pthread_barrier_init(&both, NULL, 2);
    assert_refused(sot_parallel_for(pool, 2, 1, fail_one_after_the_other, &both, &error),
                   SOTTO_IO, &error, "chunk 0 failed", NULL);
    pthread_barrier_destroy(&both);
    sot_pool_free(pool);
}

static sotto_status fail_silently(size_t chunk, size_t begin, size_t end, void *context,
                                  sotto_error *error)
{
    (void)chunk;
    (void)begin;
    (void)end;
    (void)context;
    (void)error;
    return SOTTO_ENTROPY;
}

static void a_chunk_that_says_nothing_still_fails_the_loop(void **state)
{
    (void)state;
    sot_pool *pool = new_pool(2);
    sotto_error error = {SOTTO_OK, "old"};
    assert_refused(sot_parallel_for(pool, 9, 2, fail_silently, NULL, &error),
                   SOTTO_ENTROPY, &error, NULL);
    assert_int_equal(error.status, SOTTO_ENTROPY);
    assert_string_equal(error.message, "");
    assert_int_equal(sot_parallel_for(pool, 9, 2, fail_silently, NULL, NULL),
                     SOTTO_ENTROPY);
    sot_pool_free(pool);
}

typedef struct cancelling {
    sot_pool *pool;
    atomic_int ran;
} cancelling;

static sotto_status cancel_at_five(size_t chunk, size_t begin, size_t end, void *context,
                                   sotto_error *error)
{
    (void)begin;
    (void)end;
    (void)error;
    cancelling *run = context;
    atomic_fetch_add(&run->ran, 1);
    if (chunk == 5) sot_pool_cancel(run->pool);
    if (chunk > 5) pause_milliseconds(1);
    return SOTTO_OK;
}

/* ---- the listener ---- */

typedef struct listener {
    pthread_t caller;
    int questions, answer_from; /* stops at this question; 0: never */
    atomic_int chunks;
} listener;

static int hear(const sotto_progress *progress, void *context)
{
    listener *here = context;
    assert(progress->asks_only == 1 && progress->elapsed_seconds > 0.0);
    assert(pthread_equal(here->caller, pthread_self()));
    here->questions++;
    return here->answer_from != 0 && here->questions >= here->answer_from;
}

static sotto_status sleep_a_little(size_t chunk, size_t begin, size_t end, void *context,
                                   sotto_error *error)
{
    (void)chunk, (void)begin, (void)end, (void)error;
    listener *here = context;
    const struct timespec pause = {.tv_nsec = 20000000};
    atomic_fetch_add(&here->chunks, 1);
    (void)nanosleep(&pause, NULL);
    return SOTTO_OK;
}

static void the_listener_stops_a_loop_within_it(void **state)
{
    (void)state;
    static const size_t threads[] = {1, 2, 5};
    sotto_error error;
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        listener here = {.caller = pthread_self(), .answer_from = 2};
        sot_pool *pool = new_pool(threads[i]);
        sot_pool_listen(pool, hear, &here);
        assert_refused(sot_parallel_for(pool, 100000, 1, sleep_a_little, &here, &error),
                       SOTTO_INTERRUPTED, &error, "stopped on request", NULL);
        assert_int_equal(here.questions, 2);
        assert_true(atomic_load(&here.chunks) < 10000);
        sot_pool_free(pool);
    }
}

static sotto_status workers_sleep(size_t chunk, size_t begin, size_t end, void *context,
                                  sotto_error *error)
{
    (void)begin, (void)end, (void)error;
    listener *here = context;
    const struct timespec pause = {.tv_nsec = 500000000};
    (void)chunk;
    if (!pthread_equal(here->caller, pthread_self())) {
        atomic_fetch_add(&here->chunks, 1);
        (void)nanosleep(&pause, NULL);
        return SOTTO_OK;
    }
    while (atomic_load(&here->chunks) == 0) /* a worker has the other chunk */
        sched_yield();
    return SOTTO_OK;
}

static void the_listener_is_asked_while_workers_are_waited_for(void **state)
{
    (void)state;
    sotto_error error;
    listener here = {.caller = pthread_self()};
    sot_pool *pool = new_pool(3);
    sot_pool_listen(pool, hear, &here);
    assert_ok(sot_parallel_for(pool, 2, 1, workers_sleep, &here, &error), &error);
    assert_true(here.questions >= 3);
    sot_pool_free(pool);
}

static void cancelling_skips_what_has_not_started(void **state)
{
    (void)state;
    const size_t threads[] = {1, 4};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        cancelling run = {.pool = new_pool(threads[i])};
        sotto_error error;
        assert_refused(sot_parallel_for(run.pool, 10000, 1, cancel_at_five, &run, &error),
                       SOTTO_INTERRUPTED, &error, "stopped on request", NULL);
        assert_true(atomic_load(&run.ran) >= 6 && atomic_load(&run.ran) < 10000);
        const int ran = atomic_load(&run.ran);
        assert_int_equal(
            sot_parallel_for(run.pool, 10000, 1, cancel_at_five, &run, &error),
            SOTTO_INTERRUPTED);
        assert_int_equal(atomic_load(&run.ran), ran); /* nothing starts until resumed */
        sot_pool_resume(run.pool);
        assert_ok(sot_parallel_for(run.pool, 5, 1, cancel_at_five, &run, &error), &error);
        assert_int_equal(atomic_load(&run.ran), ran + 5);
        sot_pool_free(run.pool);
    }
}

typedef struct nested {
    sot_pool *pool;
    double inner_totals[16];
} nested;

static sotto_status run_inner_loop(size_t chunk, size_t begin, size_t end, void *context,
                                   sotto_error *error)
{
    (void)begin;
    (void)end;
    (void)error;
    nested *outer = context;
    outer->inner_totals[chunk] = sum_with(outer->pool, 3001, 7);
    return SOTTO_OK;
}

static void a_loop_inside_a_loop_neither_hangs_nor_differs(void **state)
{
    (void)state;
    nested outer = {.pool = new_pool(4)};
    sotto_error error;
    const double expected = sum_with(NULL, 3001, 7);
    for (int repeat = 0; repeat < 20; repeat++) {
        assert_ok(sot_parallel_for(outer.pool, 16, 1, run_inner_loop, &outer, &error),
                  &error);
        for (size_t i = 0; i < 16; i++)
            assert_true(outer.inner_totals[i] == expected);
    }
    sot_pool_free(outer.pool);
}

static void *sum_in_another_thread(void *context)
{
    nested *shared = context;
    for (int repeat = 0; repeat < 100; repeat++)
        shared->inner_totals[repeat % 16] = sum_with(shared->pool, 3001, 7);
    return NULL;
}

static void two_threads_may_share_a_pool(void **state)
{
    (void)state;
    nested shared = {.pool = new_pool(3)};
    const double expected = sum_with(NULL, 3001, 7);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, sum_in_another_thread, &shared), 0);
    for (int repeat = 0; repeat < 100; repeat++)
        assert_true(sum_with(shared.pool, 3001, 7) == expected);
    pthread_join(other, NULL);
    for (size_t i = 0; i < 16; i++)
        assert_true(shared.inner_totals[i] == expected);
    sot_pool_free(shared.pool);
}

static void a_forked_child_may_go_on_with_the_pool(void **state)
{
    (void)state;
    sot_pool *pool = new_pool(3);
    const double expected = sum_with(pool, 3001, 7);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* no worker came along: the loop must not wait for one */
        const int same = sum_with(pool, 3001, 7) == expected;
        sot_pool_free(pool);
        _exit(same ? 0 : 1);
    }
    int outcome = -1;
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_true(WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0);
    sot_pool_free(pool);
}

static void thread_counts_are_checked(void **state)
{
    (void)state;
    sot_pool *pool = NULL;
    sotto_error error;
    assert_refused(sot_pool_new(1025, &pool, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "threads", "1025", "1024", NULL);
    assert_null(pool);
    assert_ok(sot_pool_new(0, &pool, &error), &error);
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    assert_int_equal(sot_pool_threads(pool), cpus < 1024 ? (size_t)cpus : 1024);
    sot_pool_free(pool);
    sot_pool_free(NULL);
}

static void a_pool_is_made_whole_or_not_at_all(void **state)
{
    (void)state;
    sotto_error error;
    for (size_t nth = 1; nth <= 4; nth++) { /* the sanitizers see leaked threads */
        sot_pool *pool = NULL;
        sot_test_fail_thread(nth);
        assert_refused(sot_pool_new(5, &pool, &error), SOTTO_OUT_OF_MEMORY, &error,
                       "5 threads", NULL);
        assert_null(pool);
    }
    sot_test_fail_thread(0);
    size_t nth = 0;
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    sot_pool *pool = NULL;
    while (status == SOTTO_OUT_OF_MEMORY) {
        (void)sot_test_fail_allocation(++nth);
        status = sot_pool_new(3, &pool, &error);
    }
    (void)sot_test_fail_allocation(0);
    assert_ok(status, &error);
    assert_int_equal(nth, 3); /* two allocations, each of which failed once */
    sot_pool_free(pool);
}

static void one_thread_makes_no_thread(void **state)
{
    (void)state;
    sot_test_fail_thread(1);
    sot_pool *pool = new_pool(1);
    assert_true(sum_with(pool, 40009, 97) == sum_with(NULL, 40009, 97));
    sot_pool_free(pool);
    sot_test_fail_thread(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_result_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(every_item_is_visited_exactly_once),
        cmocka_unit_test(chunks_run_side_by_side_and_workers_take_no_signals),
        cmocka_unit_test(the_lowest_failing_chunk_is_reported),
        cmocka_unit_test(a_higher_chunk_that_fails_later_is_not_heard),
        cmocka_unit_test(a_chunk_that_says_nothing_still_fails_the_loop),
        cmocka_unit_test(cancelling_skips_what_has_not_started),
        cmocka_unit_test(the_listener_stops_a_loop_within_it),
        cmocka_unit_test(the_listener_is_asked_while_workers_are_waited_for),
        cmocka_unit_test(a_loop_inside_a_loop_neither_hangs_nor_differs),
        cmocka_unit_test(two_threads_may_share_a_pool),
        cmocka_unit_test(a_forked_child_may_go_on_with_the_pool),
        cmocka_unit_test(thread_counts_are_checked),
        cmocka_unit_test(a_pool_is_made_whole_or_not_at_all),
        cmocka_unit_test(one_thread_makes_no_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
