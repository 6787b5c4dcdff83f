/* fuzz/require.h: a promise that was broken ends the run, in every build type. */
#ifndef SOTTO_FUZZ_REQUIRE_H
#define SOTTO_FUZZ_REQUIRE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define require(condition)                                                               \
    do {                                                                                 \
        if (condition) break;                                                            \
        fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);          \
        abort();                                                                         \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
