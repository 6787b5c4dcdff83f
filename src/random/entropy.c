#include "random/entropy.h"

#include <errno.h>
#include <string.h>

#if defined(__linux__)
#include <sys/random.h>
#else
#include <unistd.h>
#endif

#include "base/error.h"
#include "base/memory.h"

/* How many bytes were written, or -1 with errno. May write fewer than asked for. */
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
            return sot_fail(error, SOTTO_ENTROPY,
                            "the system's random source failed (%s); sotto draws no "
                            "noise without it",
                            strerror(reason));
        }
    }
    return SOTTO_OK;
}
