/* sotto/rng.h: the source of all randomness.
 *
 * Idea        A ChaCha20 key stream (libsodium), keyed once from the operating system's
 *             getrandom(). Every consumer receives its own handle; streams derived from one
 *             handle are independent.
 * Assumes     (1) ChaCha20 output is indistinguishable from uniform bits; (2) the kernel's random
 *             source is seeded; (3) an attacker sees neither memory nor timing.
 * Fork        A handle used in a child process after fork() re-keys itself: parent and child
 *             never produce the same bits. (A child of a raw clone(2) notices after at most 1020
 *             words.) A test handle does the same, and can then no longer be repeated.
 * Threads     A handle belongs to one thread at a time. Test mode Only sotto_rng_new_for_test()
 * takes a seed, and every release with such a handle is marked "not private" in its certificate.
 */
#ifndef SOTTO_RNG_H
#define SOTTO_RNG_H

#include <stdbool.h>
#include <stdint.h>

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_rng sotto_rng;

/* A handle keyed by the operating system. Free it with sotto_rng_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_rng_new(sotto_rng **out_rng,
                                                      sotto_error *error);

/* A repeatable handle for tests and teaching. Never private. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_rng_new_for_test(uint64_t seed,
                                                               sotto_rng **out_rng,
                                                               sotto_error *error);

/* True for sotto_rng_new(), false for sotto_rng_new_for_test(). */
SOTTO_API bool sotto_rng_is_secure(const sotto_rng *rng);

/* Wipes the key and frees; NULL is fine. */
SOTTO_API void sotto_rng_free(sotto_rng *rng);

#ifdef __cplusplus
}
#endif
#endif
