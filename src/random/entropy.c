#include "random/entropy.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <sodium.h>

#if defined(__linux__)
#include <sys/random.h>
#else
#include <unistd.h>
#endif

#include "base/error.h"
#include "base/memory.h"

/* The number of bytes written, or -1 with errno. May write fewer than asked for. */
static ptrdiff_t ask_system(unsigned char *out, size_t count_bytes)
{
#if defined(__linux__)
    return getrandom(out, count_bytes, 0);
#else
    const size_t piece = count_bytes < 256 ? count_bytes : 256; /* getentropy's limit */
    return getentropy(out, piece) == 0 ? (ptrdiff_t)piece : -1;
#endif
}

#ifdef SOTTO_TESTING
#include <stdatomic.h>

static atomic_int test_behaviour;
static atomic_uint test_calls;

void sot_test_set_entropy(sot_test_entropy behaviour)
{
    atomic_store(&test_behaviour, (int)behaviour);
}

static ptrdiff_t ask(unsigned char *out, size_t count_bytes)
{
    const int behaviour = atomic_load(&test_behaviour);
    if (behaviour == SOT_TEST_ENTROPY_FAILS) {
        errno = ENOSYS;
        return -1;
    }
    if (behaviour == SOT_TEST_ENTROPY_STUTTERS) {
        if (atomic_fetch_add(&test_calls, 1) % 2 == 0) {
            errno = EINTR;
            return -1;
        }
        return ask_system(out, 1);
    }
    return ask_system(out, count_bytes);
}
#else
static ptrdiff_t ask(unsigned char *out, size_t count_bytes)
{
    return ask_system(out, count_bytes);
}
#endif

sotto_status sot_entropy(void *out, size_t count_bytes, sotto_error *error)
{
    unsigned char *next = out;
    size_t missing = count_bytes;
    while (missing > 0) {
        const ptrdiff_t got = ask(next, missing);
        if (got > 0) {
            next += got;
            missing -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            const int reason = got == 0 ? EIO : errno;
            sot_wipe(out, count_bytes);
            return sot_fail(
                error, SOTTO_ENTROPY,
                "the system's random source failed (%s); sotto makes no noise without it",
                strerror(reason));
        }
    }
    return SOTTO_OK;
}

/* ---- starting libsodium ---- */

/* sodium_init() fills the canary of sodium_malloc(), which sotto does not use, and ends the process if it cannot.
 * For the time of that call randomness comes from here, where a failure is remembered instead. Other threads, of an
 * application that uses libsodium as well, get libsodium's own. */
static _Thread_local bool is_starting;
static _Thread_local bool start_failed;

static void fill(void *out, size_t count_bytes)
{
    if (!is_starting) {
        randombytes_sysrandom_implementation.buf(out, count_bytes);
    } else if (sot_entropy(out, count_bytes, NULL) != SOTTO_OK) {
        start_failed = true;
    }
}

static uint32_t fill_word(void)
{
    uint32_t word;
    fill(&word, sizeof word);
    return word;
}

static const char *name(void)
{
    return "sotto";
}

sotto_status sot_sodium_start(sotto_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_started;
    static randombytes_implementation ours = {
        .implementation_name = name, .random = fill_word, .buf = fill};
    sotto_status status = SOTTO_OK;
    (void)pthread_mutex_lock(&lock);
    if (!is_started) {
        (void)randombytes_set_implementation(&ours);
        is_starting = true;
        start_failed = false;
        const int code = sodium_init();
        is_starting = false;
        (void)randombytes_set_implementation(&randombytes_sysrandom_implementation);
        is_started = code >= 0 && !start_failed;
        if (!is_started)
            status = sot_fail(error, SOTTO_ENTROPY,
                              code < 0 ? "libsodium cannot be started"
                                       : "the system's random source failed while "
                                         "libsodium started; run sotto doctor");
    }
    (void)pthread_mutex_unlock(&lock);
    return status;
}
