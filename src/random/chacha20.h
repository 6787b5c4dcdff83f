/* random/chacha20.h: the ChaCha20 stream: under a key that is used once, or at any place.
 *
 * Stream: original variant (Bernstein 2008): 64-bit counter, 64-bit nonce; for keys that are used
 * once both from 0. With these zeros the first 2^32 blocks equal those of RFC 8439.
 *
 * Two implementations: libsodium's is the reference and serves every machine. Its widest
 * registers hold 8 blocks. Processors with AVX-512 take 16 at a time and rotate in one
 * instruction, in chacha20_avx512.c: the same bytes at more than twice the speed. Whole trainings
 * by sgd are 1.2 to 1.9 times as fast (rng.md). Each process compares the two at the first use,
 * and uses libsodium if they differ.
 *
 * Timing: additions, rotations, exclusive ors of registers: no branch and no address depends on
 * the key.
 */
#ifndef SOT_RANDOM_CHACHA20_H
#define SOT_RANDOM_CHACHA20_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SOT_CHACHA20_KEY_BYTES = 32,
    SOT_CHACHA20_BLOCK_BYTES = 64,
    SOT_CHACHA20_STEP_BYTES = 1024
};

/* Writes `count_bytes` of the stream, a multiple of SOT_CHACHA20_STEP_BYTES. */
typedef void (*sot_chacha20_stream)(uint8_t *out, size_t count_bytes,
                                    const uint8_t key[SOT_CHACHA20_KEY_BYTES]);

void sot_chacha20_sodium(uint8_t *out, size_t count_bytes,
                         const uint8_t key[SOT_CHACHA20_KEY_BYTES]);

/* NULL where the compiler or the processor lacks AVX-512. */
sot_chacha20_stream sot_chacha20_avx512(void);

/* The faster of the two. */
void sot_chacha20(uint8_t *out, size_t count_bytes,
                  const uint8_t key[SOT_CHACHA20_KEY_BYTES]);

/* Writes `count` blocks of the stream (key, nonce), from block `first` on; beyond block 2^64 - 1 comes block 0. */
typedef void (*sot_chacha20_blocks_at)(uint8_t *out, size_t count, uint64_t first,
                                       uint64_t nonce,
                                       const uint8_t key[SOT_CHACHA20_KEY_BYTES]);

void sot_chacha20_blocks_sodium(uint8_t *out, size_t count, uint64_t first,
                                uint64_t nonce,
                                const uint8_t key[SOT_CHACHA20_KEY_BYTES]);

/* NULL where the compiler or the processor lacks AVX-512. */
sot_chacha20_blocks_at sot_chacha20_blocks_avx512(void);

/* The faster of the two; libsodium's for a few blocks. */
void sot_chacha20_blocks(uint8_t *out, size_t count, uint64_t first, uint64_t nonce,
                         const uint8_t key[SOT_CHACHA20_KEY_BYTES]);

/* The known-answer test: whether both functions give the bytes of libsodium. */
bool sot_chacha20_agrees(sot_chacha20_stream stream, sot_chacha20_blocks_at blocks);

#endif
