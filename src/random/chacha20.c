#include "random/chacha20.h"

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

void sot_chacha20(uint8_t *out, size_t count_bytes,
                  const uint8_t key[SOT_CHACHA20_KEY_BYTES])
{
    const sot_chacha20_stream wide = sot_chacha20_avx512();
    (wide != NULL ? wide : sot_chacha20_sodium)(out, count_bytes, key);
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

void sot_chacha20_blocks(uint8_t *out, size_t count, uint64_t first, uint64_t nonce,
                         const uint8_t key[SOT_CHACHA20_KEY_BYTES])
{
    const sot_chacha20_blocks_at wide = sot_chacha20_blocks_avx512();
    const bool few = 8 * count <= SOT_CHACHA20_STEP_BYTES / SOT_CHACHA20_BLOCK_BYTES;
    (wide == NULL || few ? sot_chacha20_blocks_sodium : wide)(out, count, first, nonce,
                                                              key);
}
