#include "base/clock.h"

#include <time.h>

double sot_clock_seconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* fails for unknown clocks only */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
