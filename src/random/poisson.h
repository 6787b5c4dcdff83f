/* random/poisson.h: Poisson sampling of records, by a keyed hash of (step, record).
 *
 * Distribution: at each step each record is taken independently with probability exactly `rate`
 * (the real number that the double is).
 *
 * Idea: the uniform number of (step, record) is a fixed 64-bit place in the ChaCha20 stream of
 * the key: nonce = step, eight records per block. So the choice does not depend on order,
 * partition, thread or machine, and one record can be asked for by itself. Rates with digits
 * beyond the 64th continue in a second stream where the first 64 leave it open.
 *
 * Assumes: ChaCha20 is a pseudo-random function; the key is secret and serves one data pass with
 * each step number used once. Amplification by sampling needs the choice to stay secret.
 *
 * Fork: parent and child with the same key choose the same records, on purpose.
 *
 * Timing: selecting takes the same stream for all records; the number of results is visible in
 * time. Not constant-time.
 */
#ifndef SOT_RANDOM_POISSON_H
#define SOT_RANDOM_POISSON_H

#include "random/rng.h"

enum { SOT_POISSON_DIGIT_WORDS = 9 }; /* one of the first stream, eight of the second */

typedef struct sot_poisson {
    uint8_t key[SOT_RNG_KEY_BYTES];
    uint8_t extension_key[SOT_RNG_KEY_BYTES];
    bool always;                             /* rate = 1 */
    uint64_t digit[SOT_POISSON_DIGIT_WORDS]; /* rate = sum of digit[i] 2^(-64 (i + 1)) */
} sot_poisson;

/* A sampler with that key. rate = 0, or 2^-500 <= rate <= 1. Wipe it with sot_poisson_wipe(). */
SOTTO_MUST_CHECK sotto_status sot_poisson_start(const uint8_t key[SOT_RNG_KEY_BYTES],
                                                double rate, sot_poisson *out_sampler,
                                                sotto_error *error);
void sot_poisson_wipe(sot_poisson *sampler);

/* A fresh key. */
SOTTO_MUST_CHECK sotto_status sot_poisson_draw_key(sotto_rng *rng,
                                                   uint8_t out_key[SOT_RNG_KEY_BYTES],
                                                   sotto_error *error);

bool sot_poisson_includes(const sot_poisson *sampler, uint64_t step, uint64_t record);

/* Writes those of the records first, ..., first + count - 1 that are taken, in ascending order;
 * `out_records` has room for `count`. Returns their number. first + count must not pass 2^64 - 1. */
size_t sot_poisson_select(const sot_poisson *sampler, uint64_t step, uint64_t first,
                          size_t count, uint64_t *out_records);

#endif
