#include "random/chacha20.h"

#include <sodium.h>

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
