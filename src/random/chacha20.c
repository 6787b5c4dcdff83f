#include "random/chacha20.h"

#include <stdatomic.h>
#include <string.h>

#include <sodium.h>

#include "random/wide.h"

_Static_assert(SOT_CHACHA20_KEY_BYTES == crypto_stream_chacha20_KEYBYTES,
               "one ChaCha20 key");

void sot_chacha20_sodium(uint8_t *out, size_t count_bytes,
                         const uint8_t key[SOT_CHACHA20_KEY_BYTES])
{
    static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];
    (void)crypto_stream_chacha20(out, count_bytes, nonce, key); /* cannot fail */
}

void sot_chacha20_blocks_sodium(uint8_t *out, size_t count, uint64_t first,
                                uint64_t nonce, const uint8_t key[SOT_CHACHA20_KEY_BYTES])
{
    uint8_t bytes[crypto_stream_chacha20_NONCEBYTES];
    const size_t count_bytes = count * SOT_CHACHA20_BLOCK_BYTES;
    sot_store_le64(bytes, nonce);
    memset(out, 0, count_bytes);
    (void)crypto_stream_chacha20_xor_ic(out, out, count_bytes, bytes, first, key);
}

bool sot_chacha20_agrees(sot_chacha20_stream stream, sot_chacha20_blocks_at blocks)
{
    enum { BLOCKS = 2 * SOT_CHACHA20_STEP_BYTES / SOT_CHACHA20_BLOCK_BYTES + 1 };
    const uint64_t nonce = UINT64_C(0x0706050403020100);
    const uint64_t first = UINT64_C(0xffffffff) - 5; /* the counter's halves meet */
    uint8_t key[SOT_CHACHA20_KEY_BYTES];
    uint8_t ours[BLOCKS * SOT_CHACHA20_BLOCK_BYTES], theirs[sizeof ours];
    const size_t steps_bytes = 2 * SOT_CHACHA20_STEP_BYTES;
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)(0x9d * i + 0x51);
    stream(ours, steps_bytes, key);
    sot_chacha20_sodium(theirs, steps_bytes, key);
    if (memcmp(ours, theirs, steps_bytes) != 0) return false;
    blocks(ours, BLOCKS, first, nonce, key);
    sot_chacha20_blocks_sodium(theirs, BLOCKS, first, nonce, key);
    return memcmp(ours, theirs, sizeof ours) == 0;
}

/* Asks the processor and runs the known-answer test, once a process; threads that ask at the
 * same time find the same answer. */
static bool use_wide(void)
{
    enum { UNKNOWN, YES, NO };
    static atomic_int known = UNKNOWN;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == UNKNOWN) {
        const sot_chacha20_stream stream = sot_chacha20_avx512();
        answer =
            stream != NULL && sot_chacha20_agrees(stream, sot_chacha20_blocks_avx512())
                ? YES
                : NO;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == YES;
}

void sot_chacha20(uint8_t *out, size_t count_bytes,
                  const uint8_t key[SOT_CHACHA20_KEY_BYTES])
{
    (use_wide() ? sot_chacha20_avx512() : sot_chacha20_sodium)(out, count_bytes, key);
}

void sot_chacha20_blocks(uint8_t *out, size_t count, uint64_t first, uint64_t nonce,
                         const uint8_t key[SOT_CHACHA20_KEY_BYTES])
{
    const bool few = 8 * count <= SOT_CHACHA20_STEP_BYTES / SOT_CHACHA20_BLOCK_BYTES;
    (few || !use_wide() ? sot_chacha20_blocks_sodium
                        : sot_chacha20_blocks_avx512())(out, count, first, nonce, key);
}
