#include <math.h>
#include <stdio.h>

#include <sotto/tree_aggregation.h>

#include "base/error.h"

/* ceil(log2(n + 1)): the number of binary digits of n. */
static uint64_t heights_of(uint64_t steps)
{
    uint64_t heights = 0;
    for (; steps > 0; steps >>= 1)
        heights++;
    return heights;
}

sotto_status sotto_tree_aggregation_event(double noise_multiplier, const uint64_t *steps,
                                          size_t trees, sotto_event *out_event,
                                          sotto_error *error)
{
    uint64_t largest = 0;
    if (!(noise_multiplier > 0.0) || isinf(noise_multiplier)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`noise_multiplier` is %g; it is positive and finite; for "
                        "example `noise_multiplier=10`",
                        noise_multiplier);
    }
    if (trees == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`steps` is missing: there is no tree; give the number of steps "
                        "of at least one");
    }
    for (size_t i = 0; i < trees; i++) {
        if (steps[i] == 0 || steps[i] > UINT64_C(1) << 62) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "`steps` of tree %zu is %llu; give a number from 1 to 2^62",
                            i + 1, (unsigned long long)steps[i]);
        }
        if (steps[i] > largest) largest = steps[i];
    }
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = noise_multiplier;
    event.count = heights_of(largest);
    (void)snprintf(event.purpose, sizeof event.purpose, "tree aggregation");
    *out_event = event;
    return SOTTO_OK;
}
