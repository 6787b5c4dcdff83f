#include "random/rng.h"

#include <pthread.h>
#include <unistd.h>

#include <sodium.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/chacha20.h"
#include "random/entropy.h"

_Static_assert((int)SOT_RNG_KEY_BYTES == (int)SOT_CHACHA20_KEY_BYTES, "one ChaCha20 key");
_Static_assert(SOT_RNG_POOL_BYTES % SOT_CHACHA20_STEP_BYTES == 0, "whole steps");

atomic_uint_least64_t sot_fork_generation;

static pthread_once_t setup_once = PTHREAD_ONCE_INIT;
static bool setup_succeeded;

static void count_fork_in_child(void)
{
    atomic_fetch_add(&sot_fork_generation, 1);
}

static void set_up(void)
{
    setup_succeeded = pthread_atfork(NULL, NULL, count_fork_in_child) == 0;
}

/* 32 bytes of BLAKE2b(key; message), separated from every other use by `purpose`, which is
 * exactly crypto_generichash_blake2b_PERSONALBYTES = 16 characters. */
static void derive(uint8_t out[SOT_RNG_KEY_BYTES], const char *purpose,
                   const uint8_t *key, const void *message, size_t message_bytes)
{
    assert(strlen(purpose) == crypto_generichash_blake2b_PERSONALBYTES);
    uint8_t personal[crypto_generichash_blake2b_PERSONALBYTES];
    memcpy(personal, purpose, sizeof personal);
    const int failed = crypto_generichash_blake2b_salt_personal(
        out, SOT_RNG_KEY_BYTES, message, message_bytes, key,
        key == NULL ? 0 : SOT_RNG_KEY_BYTES, NULL, personal);
    assert(failed == 0); /* only wrong lengths can fail, and ours are constants */
    (void)failed;
}

/* An empty handle for the current process: no key yet. */
static sotto_status new_handle(bool secure, sotto_rng **out_rng, sotto_error *error)
{
    *out_rng = NULL;
    if (pthread_once(&setup_once, set_up) != 0 || !setup_succeeded) {
        return sot_fail(error, SOTTO_ENTROPY,
                        "cannot detect forks, and a forked child would repeat the noise; "
                        "free memory and try again");
    }
    const sotto_status status = sot_sodium_start(error);
    if (status != SOTTO_OK) return status;
    sotto_rng *rng = sot_new_array(1, sizeof *rng);
    if (rng == NULL) return sot_fail_memory(error, 1, sizeof *rng);

    rng->position = SOT_RNG_POOL_BYTES;
    rng->generation = atomic_load(&sot_fork_generation);
    rng->process = (long)getpid();
    rng->secure = secure;
    *out_rng = rng;
    return SOTTO_OK;
}

sotto_status sotto_rng_new(sotto_rng **out_rng, sotto_error *error)
{
    sotto_rng *rng = NULL;
    sotto_status status = new_handle(true, &rng, error);
    if (status == SOTTO_OK) status = sot_entropy(rng->key, sizeof rng->key, error);
    if (status != SOTTO_OK) {
        sotto_rng_free(rng);
        rng = NULL;
    }
    *out_rng = rng;
    return status;
}

sotto_status sotto_rng_new_for_test(uint64_t seed, sotto_rng **out_rng,
                                    sotto_error *error)
{
    const sotto_status status = new_handle(false, out_rng, error);
    if (status != SOTTO_OK) return status;
    uint8_t message[8];
    sot_store_le64(message, seed);
    derive((*out_rng)->key, "sotto test seed ", NULL, message, sizeof message);
    return SOTTO_OK;
}

bool sotto_rng_is_secure(const sotto_rng *rng)
{
    return rng != NULL && rng->secure;
}

void sot_rng_wipe(sotto_rng *rng)
{
    sot_wipe(rng, sizeof *rng);
}

void sotto_rng_free(sotto_rng *rng)
{
    if (rng == NULL) return;
    sot_rng_wipe(rng);
    sot_free(rng);
}

sotto_status sot_rng_check(const sotto_rng *rng, sotto_error *error)
{
    if (!rng->failed) return SOTTO_OK;
    return sot_fail(error, SOTTO_ENTROPY,
                    "the random source failed after a fork; do not use samples from this "
                    "handle, make a new one");
}

/* True in a process that is not the one which keyed (generation, process). */
static bool forked_since(uint64_t generation, long process)
{
    return generation != atomic_load(&sot_fork_generation) || process != (long)getpid();
}

/* This process is a child: it takes its own key and erases the parent's bits. A test
 * handle does so too; it stays insecure, and its later output can no longer be
 * repeated. */
static void rekey_after_fork(sotto_rng *rng)
{
    sot_wipe(rng->pool, sizeof rng->pool);
    rng->generation = atomic_load(&sot_fork_generation);
    rng->process = (long)getpid();
    uint8_t fresh[SOT_RNG_KEY_BYTES];
    if (sot_entropy(fresh, sizeof fresh, NULL) == SOTTO_OK) {
        memcpy(rng->key, fresh, sizeof fresh);
        sot_wipe(fresh, sizeof fresh);
        return;
    }
    rng->failed = true;
    uint8_t message[16];
    sot_store_le64(message, (uint64_t)rng->process);
    sot_store_le64(message + 8, rng->generation);
    derive(fresh, "sotto fork child", rng->key, message, sizeof message);
    memcpy(rng->key, fresh, sizeof fresh);
    sot_wipe(fresh, sizeof fresh);
}

void sot_rng_refill(sotto_rng *rng)
{
    if (forked_since(rng->generation, rng->process)) rekey_after_fork(rng);
    sot_chacha20(rng->pool, sizeof rng->pool, rng->key); /* each key is used once */
    memcpy(rng->key, rng->pool, sizeof rng->key);
    sot_wipe(rng->pool, sizeof rng->key);
    rng->position = sizeof rng->key;
}

void sot_rng_bytes(sotto_rng *rng, void *out, size_t count_bytes)
{
    uint8_t *to = out;
    while (count_bytes > 0) {
        if (rng->position == SOT_RNG_POOL_BYTES ||
            rng->generation != atomic_load(&sot_fork_generation)) {
            sot_rng_refill(rng);
        }
        uint8_t *from = rng->pool + rng->position;
        const size_t left = SOT_RNG_POOL_BYTES - rng->position;
        const size_t piece = count_bytes < left ? count_bytes : left;
        const size_t whole_words =
            (piece + 7) / 8 * 8; /* at most `left`, a multiple of 8 */
        memcpy(to, from, piece);
        memset(from, 0, whole_words);
        rng->position += whole_words;
        to += piece;
        count_bytes -= piece;
    }
}

void sot_rng_words(sotto_rng *rng, uint64_t *out, size_t count)
{
    sot_rng_bytes(rng, out, count * sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = SOT_LE64(out[i]); /* nothing to do on little-endian machines */
}

sot_u128 sot_rng_below_wide(sotto_rng *rng, sot_u128 n)
{
    assert(n >= 1);
    const sot_u128 last = n - 1;
    const uint64_t last_high = (uint64_t)(last >> 64);
    if (last_high == 0 && (uint64_t)n != 0) return sot_rng_below(rng, (uint64_t)n);
    const uint64_t mask = last_high == 0 ? 0 : UINT64_MAX >> sot_leading_zeros(last_high);
    for (;;) {
        const uint64_t high = sot_rng_u64(rng) & mask;
        if (high > last_high) continue; /* decided without the low word */
        const sot_u128 candidate = ((sot_u128)high << 64) | sot_rng_u64(rng);
        if (candidate <= last) return candidate;
    }
}

sotto_status sot_rng_family_begin(sotto_rng *parent, const char *name,
                                  sot_rng_family *out_family, sotto_error *error)
{
    uint8_t fresh[SOT_RNG_KEY_BYTES];
    sot_rng_bytes(parent, fresh, sizeof fresh);
    derive(out_family->key, "sotto rng family", fresh, name, strnlen(name, 64));
    sot_wipe(fresh, sizeof fresh);
    out_family->generation = parent->generation;
    out_family->process = parent->process;
    out_family->secure = parent->secure;
    return sot_rng_check(parent, error);
}

sotto_status sot_rng_stream(const sot_rng_family *family, uint64_t index,
                            sotto_rng **out_child, sotto_error *error)
{
    const sotto_status status = new_handle(family->secure, out_child, error);
    if (status == SOTTO_OK) sot_rng_stream_start(family, index, *out_child);
    return status;
}

void sot_rng_stream_start(const sot_rng_family *family, uint64_t index,
                          sotto_rng *out_child)
{
    uint8_t message[8];
    sot_store_le64(message, index);
    derive(out_child->key, "sotto rng stream", family->key, message, sizeof message);
    out_child->position = SOT_RNG_POOL_BYTES; /* the pool is made before it is read */
    out_child->secure = family->secure;
    out_child->failed = false;
    /* With the family's process in it, the first refill notices a fork in between. */
    out_child->generation = family->generation;
    out_child->process = family->process;
}

void sot_rng_family_end(sot_rng_family *family)
{
    sot_wipe(family, sizeof *family);
}
