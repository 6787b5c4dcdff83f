/* Loaded before the C library (LD_PRELOAD) by the cases that ask what happens on a machine
 * whose random source is not ready (NO_ENTROPY_MODE=starting) or fails (anything else). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) ssize_t getrandom(void *buffer, size_t length,
                                                         unsigned int flags)
{
    const char *mode = getenv("NO_ENTROPY_MODE");
    if (mode == NULL || strcmp(mode, "starting") != 0) {
        errno = EIO;
        return -1;
    }
    if ((flags & GRND_NONBLOCK) == 0) {
        return (ssize_t)syscall(SYS_getrandom, buffer, length, flags);
    }
    errno = EAGAIN;
    return -1;
}
