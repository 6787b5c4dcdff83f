/* random/rng.h: the generator behind every sampler.
 *
 * Construction: one call of ChaCha20 (original variant: 64-bit nonce, here 0, and 64-bit counter
 * from 0) under the current key gives SOT_RNG_POOL_BYTES. The first 32 become the next key at
 * once ("fast key erasure"). The others are returned in order, as little-endian words, and
 * overwritten with zeros. So later memory reveals nothing about earlier bits.
 *
 * Units: the pool is consumed in whole words: a request of n bytes takes ceil(n / 8) words. So
 * the position is always a multiple of eight.
 *
 * Failure: only a re-keying after fork() can fail, if the kernel refuses. Sampling functions
 * cannot report it. They mark the handle and continue with a key hashed from the old one and the
 * process id, so that loops end. Every sampler calls sot_rng_check() before it returns a result.
 *
 * Threads: a handle belongs to one thread at a time. Families may be shared: deriving a stream
 * only reads them.
 */
#ifndef SOT_RANDOM_RNG_H
#define SOT_RANDOM_RNG_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <sotto/rng.h>

#include "random/wide.h"

enum {
    SOT_RNG_KEY_BYTES = 32,
    SOT_RNG_POOL_BYTES = 8192, /* 128 ChaCha20 blocks: 1020 words and the next key */
};

struct sotto_rng {
    size_t position;     /* of the next unread byte in `pool` */
    uint64_t generation; /* of the process that keyed this handle, see below */
    long process;        /* its id */
    bool secure;
    bool failed;
    uint8_t key[SOT_RNG_KEY_BYTES]; /* makes the next pool */
    uint8_t pool[SOT_RNG_POOL_BYTES];
};

/* Grows by one in the child of every fork() (pthread_atfork). It is the one process-wide variable
 * of the module: nothing else can show a handle that it was duplicated. A raw clone(2) runs no
 * such handlers. Its child is detected by its process id at the next refill, at most 1020 words
 * later. */
extern atomic_uint_least64_t sot_fork_generation;

/* Makes a new pool; re-keys first if the process has forked. */
void sot_rng_refill(sotto_rng *rng);

/* SOTTO_ENTROPY if a sample since the handle was made could not be keyed properly. */
SOTTO_MUST_CHECK sotto_status sot_rng_check(const sotto_rng *rng, sotto_error *error);

/* 64 uniform bits. */
static inline uint64_t sot_rng_u64(sotto_rng *rng)
{
    if (rng->position == SOT_RNG_POOL_BYTES ||
        rng->generation !=
            atomic_load_explicit(&sot_fork_generation, memory_order_relaxed)) {
        sot_rng_refill(rng);
    }
    uint8_t *next = rng->pool + rng->position;
    uint64_t word = sot_load_le64(next);
    memset(next, 0, sizeof word);
    rng->position += sizeof word;
    return word;
}

/* The same words as repeated sot_rng_u64(), and the same bytes as those words. */
void sot_rng_words(sotto_rng *rng, uint64_t *out, size_t count);
void sot_rng_bytes(sotto_rng *rng, void *out, size_t count_bytes);

/* Exactly uniform on 0 .. n - 1, n >= 1 (Lemire, "Fast random integer generation in an interval",
 * 2019). It is the high half of word * n. Words that would favour some results are rejected: the
 * 2^64 mod n products whose low half is below 2^64 mod n. */
static inline uint64_t sot_rng_below(sotto_rng *rng, uint64_t n)
{
    assert(n >= 1);
    sot_u128 product = (sot_u128)sot_rng_u64(rng) * n;
    if ((uint64_t)product < n) {
        const uint64_t excess = (0 - n) % n; /* 2^64 mod n */
        while ((uint64_t)product < excess)
            product = (sot_u128)sot_rng_u64(rng) * n;
    }
    return (uint64_t)(product >> 64);
}

/* The same for 128 bits: as many random bits as n - 1 has, again until below n. */
sot_u128 sot_rng_below_wide(sotto_rng *rng, sot_u128 n);

/* A family of independent streams, one per chunk of a parallel job. Beginning a family takes one
 * fresh key from the parent, so no two families repeat, for any names. Within it stream number
 * `index` is always the same: results do not depend on the number of threads. The name (at most
 * 64 bytes are used) separates families that serve different purposes. */
typedef struct sot_rng_family {
    uint8_t key[SOT_RNG_KEY_BYTES];
    uint64_t generation;
    long process;
    bool secure;
} sot_rng_family;

SOTTO_MUST_CHECK sotto_status sot_rng_family_begin(sotto_rng *parent, const char *name,
                                                   sot_rng_family *out_family,
                                                   sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_rng_stream(const sot_rng_family *family, uint64_t index,
                                             sotto_rng **out_child, sotto_error *error);
/* The same stream in a handle that the caller holds, on a stack for instance: nothing is allocated
 * and nothing can fail. End it with sot_rng_wipe(). */
void sot_rng_stream_start(const sot_rng_family *family, uint64_t index,
                          sotto_rng *out_child);
void sot_rng_family_end(sot_rng_family *family); /* wipes the key */

/* Overwrites a handle; sotto_rng_free() does it before it frees. */
void sot_rng_wipe(sotto_rng *rng);

#endif
