#include "base/threads.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"

/* One parallel loop. It lives on the stack of sot_parallel_for(). */
typedef struct parallel_loop {
    sot_chunk_function function;
    void *context;
    size_t items, chunk_size, chunks;
    const atomic_bool *cancelled; /* NULL: cannot be */
    atomic_size_t next_chunk;
    atomic_size_t failed_chunk; /* the lowest known so far; `chunks` for none */
    pthread_mutex_t error_lock; /* guards the two below, and lowering failed_chunk */
    sotto_status status;
    sotto_error error;
} parallel_loop;

struct sot_pool {
    pthread_t *workers;
    size_t worker_count; /* threads other than the caller's */
    pid_t owner;         /* the process that has these threads */
    size_t patience;     /* looks for something to do before a thread sleeps */
    atomic_flag busy;    /* a loop has the workers */
    atomic_bool cancelled;

    sotto_progress_function listener; /* NULL: none */
    void *listener_context;
    pthread_t listening; /* the only thread that asks, and uses the two below */
    double listening_since, asked_seconds;

    pthread_mutex_t lock;     /* guards the rest, which may be looked at without it */
    pthread_cond_t work;      /* there is a loop, or it is time to stop */
    pthread_cond_t idle;      /* the last worker has left the loop */
    parallel_loop *current;   /* NULL if there is none, or no other thread may join */
    atomic_size_t generation; /* counts loops, so that a worker joins each once */
    atomic_size_t active;     /* workers in the loop */
    atomic_bool stopping;
};

/* Loops come one after another, some tens of microseconds apart, and waking a thread takes as
 * long. So it spins for about that time before it sleeps (a pause is 40 to 140 cycles). It does
 * not if there are more threads than processors. */
enum { PATIENCE = 1500 };

static inline void pause_a_little(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#endif
}

#ifdef SOTTO_TESTING
static atomic_size_t threads_until_failure;

void sot_test_fail_thread(size_t nth)
{
    atomic_store(&threads_until_failure, nth);
}

static int create_thread(pthread_t *thread, void *(*body)(void *), void *context)
{
    if (atomic_load(&threads_until_failure) != 0 &&
        atomic_fetch_sub(&threads_until_failure, 1) == 1)
        return EAGAIN;
    return pthread_create(thread, NULL, body, context);
}
#else
static int create_thread(pthread_t *thread, void *(*body)(void *), void *context)
{
    return pthread_create(thread, NULL, body, context);
}
#endif

static void record_failure(parallel_loop *loop, size_t chunk, sotto_status status,
                           const sotto_error *error)
{
    pthread_mutex_lock(&loop->error_lock);
    if (chunk < atomic_load(&loop->failed_chunk)) {
        atomic_store(&loop->failed_chunk, chunk);
        loop->status = status;
        loop->error = *error;
        loop->error.status = status; /* also if the function left it unfilled */
    }
    pthread_mutex_unlock(&loop->error_lock);
}

/* ---- the listener ---- */

static bool may_ask(const sot_pool *pool)
{
    return pool != NULL && pool->listener != NULL &&
           pthread_equal(pool->listening, pthread_self());
}

static void ask(sot_pool *pool)
{
    const double now = sot_clock_seconds();
    if (now - pool->asked_seconds < SOT_POOL_ASK_SECONDS) return;
    pool->asked_seconds = now;
    const sotto_progress question = {.elapsed_seconds = now - pool->listening_since,
                                     .epsilon_so_far = (double)NAN,
                                     .unit = "step",
                                     .asks_only = 1};
    if (pool->listener(&question, pool->listener_context) != 0) sot_pool_cancel(pool);
}

/* ---- loops ---- */

/* Takes chunks in order until none is left, one below has failed, or the loop is cancelled.
 * `asker`: NULL, or the pool whose listener this thread asks.
 *
 * The lowest failure is found: let L be the lowest chunk that fails when run. It is skipped only
 * after a failure below it, and there is none. record_failure() replaces a higher failure that
 * was recorded first. */
static void run_chunks(parallel_loop *loop, sot_pool *asker)
{
    for (;;) {
        if (asker != NULL) ask(asker);
        if (loop->cancelled != NULL && atomic_load(loop->cancelled)) return;
        const size_t chunk = atomic_fetch_add(&loop->next_chunk, 1);
        if (chunk >= atomic_load(&loop->failed_chunk)) return;
        const size_t begin = chunk * loop->chunk_size;
        const size_t left = loop->items - begin;
        const size_t end = begin + (left < loop->chunk_size ? left : loop->chunk_size);
        sotto_error error = {SOTTO_OK, ""};
        const sotto_status status =
            loop->function(chunk, begin, end, loop->context, &error);
        if (status != SOTTO_OK) record_failure(loop, chunk, status, &error);
    }
}

static void look_for_work(sot_pool *pool, size_t seen_generation)
{
    for (size_t i = 0; i < pool->patience; i++) {
        if (atomic_load(&pool->generation) != seen_generation ||
            atomic_load(&pool->stopping))
            return;
        pause_a_little();
    }
}

static void look_for_the_end(sot_pool *pool)
{
    for (size_t i = 0; i < pool->patience && atomic_load(&pool->active) > 0; i++)
        pause_a_little();
}

static void *worker_body(void *context)
{
    sot_pool *pool = context;
    size_t seen_generation = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stopping &&
               (pool->current == NULL || pool->generation == seen_generation))
            pthread_cond_wait(&pool->work, &pool->lock);
        if (pool->stopping) break;
        seen_generation = pool->generation;
        parallel_loop *current = pool->current;
        pool->active++;
        pthread_mutex_unlock(&pool->lock);
        run_chunks(current, NULL);
        pthread_mutex_lock(&pool->lock);
        if (--pool->active == 0) pthread_cond_signal(&pool->idle);
        pthread_mutex_unlock(&pool->lock);
        look_for_work(pool, seen_generation);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* The pool is locked. The listener is asked without the lock, which the workers need to leave. */
static void wait_and_ask(sot_pool *pool)
{
    struct timespec end;
    const long nanoseconds = (long)(1e9 * SOT_POOL_ASK_SECONDS);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += nanoseconds;
    if (end.tv_nsec >= 1000000000L) {
        end.tv_nsec -= 1000000000L;
        end.tv_sec++;
    }
    (void)pthread_cond_timedwait(&pool->idle, &pool->lock, &end);
    pthread_mutex_unlock(&pool->lock);
    ask(pool);
    pthread_mutex_lock(&pool->lock);
}

static void run_on_all_threads(sot_pool *pool, parallel_loop *loop, sot_pool *asker)
{
    pthread_mutex_lock(&pool->lock);
    pool->current = loop;
    pool->generation++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);

    run_chunks(loop, asker);

    pthread_mutex_lock(&pool->lock);
    pool->current = NULL; /* a worker that wakes only now stays out */
    pthread_mutex_unlock(&pool->lock);
    look_for_the_end(pool);
    pthread_mutex_lock(&pool->lock);
    while (pool->active > 0) {
        if (asker == NULL) {
            pthread_cond_wait(&pool->idle, &pool->lock);
        } else {
            wait_and_ask(pool);
        }
    }
    pthread_mutex_unlock(&pool->lock);
}

static sotto_status outcome(const parallel_loop *loop, sotto_error *error)
{
    if (loop->status != SOTTO_OK) {
        if (error != NULL) *error = loop->error;
        return loop->status;
    }
    if (atomic_load(&loop->next_chunk) < loop->chunks)
        return sot_fail(error, SOTTO_INTERRUPTED,
                        "stopped on request before the work was done");
    return SOTTO_OK;
}

sotto_status sot_parallel_for(sot_pool *pool, size_t items, size_t chunk_size,
                              sot_chunk_function function, void *context,
                              sotto_error *error)
{
    assert(chunk_size > 0);
    parallel_loop loop = {.function = function, .context = context, .items = items};
    loop.chunk_size = chunk_size;
    loop.chunks = sot_size_blocks(items, chunk_size);
    loop.cancelled = pool != NULL ? &pool->cancelled : NULL;
    /* Every thread claims at most one chunk too many, so the counter cannot wrap. */
    assert(loop.chunks <= SIZE_MAX - SOT_THREADS_MAX - 1);
    atomic_init(&loop.next_chunk, 0);
    atomic_init(&loop.failed_chunk, loop.chunks);
    const int code = pthread_mutex_init(&loop.error_lock, NULL);
    if (code != 0) return sot_fail_memory(error, 1, sizeof loop.error_lock);

    const bool has_workers = pool != NULL && pool->worker_count > 0 && loop.chunks > 1 &&
                             pool->owner == getpid();
    sot_pool *asker = may_ask(pool) ? pool : NULL;
    if (has_workers && !atomic_flag_test_and_set(&pool->busy)) {
        run_on_all_threads(pool, &loop, asker);
        atomic_flag_clear(&pool->busy);
    } else {
        run_chunks(&loop, asker);
    }
    pthread_mutex_destroy(&loop.error_lock);
    return outcome(&loop, error);
}

/* Makes the threads with all signals blocked; they inherit the mask. */
static int start_workers(sot_pool *pool, size_t count)
{
    sigset_t all, before;
    sigfillset(&all);
    int code = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (code != 0) return code;
    while (code == 0 && pool->worker_count < count) {
        code = create_thread(&pool->workers[pool->worker_count], worker_body, pool);
        if (code == 0) pool->worker_count++;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

static void stop_workers(sot_pool *pool)
{
    if (pool->owner != getpid()) return; /* a forked child has none of the threads */
    pthread_mutex_lock(&pool->lock);
    assert(pool->current == NULL && pool->active == 0);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->worker_count; i++)
        (void)pthread_join(pool->workers[i], NULL);
}

/* Waited for with a time limit, which the wall clock must not move. */
static int init_idle(sot_pool *pool)
{
    pthread_condattr_t attributes;
    int code = pthread_condattr_init(&attributes);
    if (code != 0) return code;
    code = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (code == 0) code = pthread_cond_init(&pool->idle, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    return code;
}

static int init_locks(sot_pool *pool)
{
    int code = pthread_mutex_init(&pool->lock, NULL);
    if (code != 0) return code;
    code = pthread_cond_init(&pool->work, NULL);
    if (code != 0) goto no_work;
    code = init_idle(pool);
    if (code != 0) goto no_idle;
    return 0;
no_idle:
    pthread_cond_destroy(&pool->work);
no_work:
    pthread_mutex_destroy(&pool->lock);
    return code;
}

static size_t online_cpus(void)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (cpus < 1) return 1;
    return cpus > SOT_THREADS_MAX ? SOT_THREADS_MAX : (size_t)cpus;
}

static sotto_status fail_thread(sotto_error *error, size_t threads, int code)
{
    char text[64];
    return sot_fail(
        error, SOTTO_OUT_OF_MEMORY,
        "could not start %zu threads (%s); ask for fewer, for example `threads=1`",
        threads, sot_errno_text(code, text, sizeof text));
}

sotto_status sot_threads_check(size_t threads, sotto_error *error)
{
    if (threads <= SOT_THREADS_MAX) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`threads` is %zu; give 1 to %d, or 0 for one per CPU", threads,
                    SOT_THREADS_MAX);
}

static sotto_status make_pool(size_t threads, bool takes_fewer, sot_pool **out_pool,
                              sotto_error *error)
{
    const sotto_status status = sot_threads_check(threads, error);
    if (status != SOTTO_OK) return status;
    if (threads == 0) threads = online_cpus();
    sot_pool *pool = sot_new_array(1, sizeof *pool);
    if (pool == NULL) return sot_fail_memory(error, 1, sizeof *pool);
    pool->workers = sot_new_array(threads - 1, sizeof *pool->workers);
    if (pool->workers == NULL) {
        sot_free(pool);
        return sot_fail_memory(error, threads - 1, sizeof *pool->workers);
    }
    atomic_flag_clear(&pool->busy);
    atomic_init(&pool->cancelled, false);
    atomic_init(&pool->generation, 0);
    atomic_init(&pool->active, 0);
    atomic_init(&pool->stopping, false);
    pool->patience = threads <= online_cpus() ? PATIENCE : 0;
    pool->owner = getpid();
    int code = init_locks(pool);
    if (code != 0) {
        sot_free(pool->workers);
        sot_free(pool);
        return fail_thread(error, threads, code);
    }
    code = start_workers(pool, threads - 1);
    if (code != 0 && !takes_fewer) {
        sot_pool_free(pool);
        return fail_thread(error, threads, code);
    }
    *out_pool = pool;
    return SOTTO_OK;
}

sotto_status sot_pool_new(size_t threads, sot_pool **out_pool, sotto_error *error)
{
    return make_pool(threads, false, out_pool, error);
}

sotto_status sot_pool_new_at_most(size_t threads, sot_pool **out_pool, sotto_error *error)
{
    return make_pool(threads, true, out_pool, error);
}

void sot_pool_free(sot_pool *pool)
{
    if (pool == NULL) return;
    stop_workers(pool);
    if (pool->owner == getpid()) {
        pthread_cond_destroy(&pool->idle);
        pthread_cond_destroy(&pool->work);
        pthread_mutex_destroy(&pool->lock);
    }
    sot_free(pool->workers);
    sot_free(pool);
}

size_t sot_pool_threads(const sot_pool *pool)
{
    return pool->worker_count + 1;
}

void sot_pool_cancel(sot_pool *pool)
{
    atomic_store(&pool->cancelled, true);
}

void sot_pool_resume(sot_pool *pool)
{
    atomic_store(&pool->cancelled, false);
}

void sot_pool_listen(sot_pool *pool, sotto_progress_function function, void *context)
{
    pool->listener = function;
    pool->listener_context = context;
    pool->listening = pthread_self();
    pool->listening_since = sot_clock_seconds();
    pool->asked_seconds = pool->listening_since;
}
