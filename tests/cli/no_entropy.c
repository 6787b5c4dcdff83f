/* Loaded before the C library (LD_PRELOAD) by the cases that ask what happens on a machine
 * whose random source is not ready (NO_ENTROPY_MODE=starting), fails from the n-th call on
 * (NO_ENTROPY_MODE=n) or at every call (anything else). */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static ssize_t fail(int code)
{
    errno = code;
    return -1;
}

__attribute__((visibility("default"))) ssize_t getrandom(void *buffer, size_t length,
                                                         unsigned int flags)
{
    static atomic_long calls;
    const char *mode = getenv("NO_ENTROPY_MODE");
    const bool starting = mode != NULL && strcmp(mode, "starting") == 0;
    const long first_failing = mode == NULL ? 0 : strtol(mode, NULL, 10);
    const long call = atomic_fetch_add(&calls, 1) + 1;
    if (starting && (flags & GRND_NONBLOCK) != 0) return fail(EAGAIN);
    if (!starting && call >= first_failing) return fail(EIO);
    return (ssize_t)syscall(SYS_getrandom, buffer, length, flags);
}
