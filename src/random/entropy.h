/* random/entropy.h: bytes from the operating system. */
#ifndef SOT_RANDOM_ENTROPY_H
#define SOT_RANDOM_ENTROPY_H

#include <stddef.h>

#include <sotto/error.h>

/* Fills `out` from the kernel's generator: getrandom(2) on Linux (blocks until the kernel is
 * seeded, restarted when a signal interrupts it), getentropy(3) elsewhere. SOTTO_ENTROPY when
 * the system refuses; `out` is then all zero. */
SOTTO_MUST_CHECK sotto_status sot_entropy(void *out, size_t count_bytes,
                                          sotto_error *error);

/* Starts libsodium, which chooses its vector code then; call it before anything else of libsodium, as often as
 * needed. sodium_init() ends the process when the system has no entropy for it; this gives SOTTO_ENTROPY. */
SOTTO_MUST_CHECK sotto_status sot_sodium_start(sotto_error *error);

#ifdef SOTTO_TESTING
/* The answer of the system from now on, in the whole process. */
typedef enum sot_test_entropy {
    SOT_TEST_ENTROPY_REAL,
    SOT_TEST_ENTROPY_FAILS,   /* every call is refused */
    SOT_TEST_ENTROPY_STUTTERS /* interrupted, then one byte, then interrupted, ... */
} sot_test_entropy;

void sot_test_set_entropy(sot_test_entropy behaviour);
#endif

#endif
