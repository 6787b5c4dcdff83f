/* base/threads.h: work in fixed chunks, over any number of threads, with the same result.
 *
 * Idea: `items` are divided into chunks of `chunk_size` (the last may be shorter). The division
 * depends only on these two numbers, never on the threads. A chunk that writes only to its own
 * place, or uses only its own random stream, gives the same bits on any number of threads.
 *
 * Errors: the error of the lowest failing chunk is reported, independent of timing. Chunks are
 * started in order, and all below a failed one are finished. Chunks above it may or may not have
 * run; their results are invalid.
 *
 * Nesting: a pool works on one loop at a time. A loop started inside another, by a second thread,
 * or in a child process after fork runs on its own thread. There is never a deadlock, and the
 * result is the same.
 *
 * Signals: worker threads block all signals; handlers run on the application's threads.
 */
#ifndef SOT_BASE_THREADS_H
#define SOT_BASE_THREADS_H

#include <stddef.h>

#include <sotto/error.h>
#include <sotto/progress.h>

enum { SOT_THREADS_MAX = 1024 };

typedef struct sot_pool sot_pool;

/* Refuses more than SOT_THREADS_MAX. For settings, before anything is charged. */
SOTTO_MUST_CHECK sotto_status sot_threads_check(size_t threads, sotto_error *error);

/* `threads` counts the calling one: 1 creates none, 0 asks for one per CPU that is online.
 * If a thread cannot be had, those already made are ended. Free with sot_pool_free(). */
SOTTO_MUST_CHECK sotto_status sot_pool_new(size_t threads, sot_pool **out_pool,
                                           sotto_error *error);

/* The same with the threads that can be had: at least the calling one. */
SOTTO_MUST_CHECK sotto_status sot_pool_new_at_most(size_t threads, sot_pool **out_pool,
                                                   sotto_error *error);

/* Ends and joins the threads; no loop may be running. NULL is fine. */
void sot_pool_free(sot_pool *pool);

size_t sot_pool_threads(const sot_pool *pool);

/* Items begin .. end - 1. `error` is this chunk's own. Must not unwind or end the thread. */
typedef sotto_status (*sot_chunk_function)(size_t chunk, size_t begin, size_t end,
                                           void *context, sotto_error *error);

/* Runs all chunks and returns when they have ended. A NULL pool means one thread. No items:
 * nothing runs. SOTTO_INTERRUPTED if the pool was cancelled before every chunk had started
 * and none failed. */
SOTTO_MUST_CHECK sotto_status sot_parallel_for(sot_pool *pool, size_t items,
                                               size_t chunk_size,
                                               sot_chunk_function function, void *context,
                                               sotto_error *error);

/* From any thread or signal handler: chunks not yet started are skipped, in the running loop
 * and in later ones, until sot_pool_resume(). */
void sot_pool_cancel(sot_pool *pool);
void sot_pool_resume(sot_pool *pool);

/* From now on the loops that this thread starts ask `function`, if there is one, whether to
 * continue. They ask at most every SOT_POOL_ASK_SECONDS, by the clock, between chunks and while
 * waiting for workers. Any answer but 0 cancels the pool. */
#define SOT_POOL_ASK_SECONDS 0.1
void sot_pool_listen(sot_pool *pool, sotto_progress_function function, void *context);

#ifdef SOTTO_TESTING
/* The creation of thread number `nth` (1 is the next one) fails, once; 0 turns it off. */
void sot_test_fail_thread(size_t nth);
#endif

#endif
