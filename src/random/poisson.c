#include "random/poisson.h"

#include <math.h>

#include <sodium.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/chacha20.h"
#include "random/digits.h"

enum {
    RECORDS_PER_BLOCK = 8,
    BLOCKS_AT_ONCE = 64,
    BLOCK_BYTES = SOT_CHACHA20_BLOCK_BYTES
};

sotto_status sot_poisson_draw_key(sotto_rng *rng, uint8_t out_key[SOT_RNG_KEY_BYTES],
                                  sotto_error *error)
{
    sot_rng_bytes(rng, out_key, SOT_RNG_KEY_BYTES);
    const sotto_status status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out_key, SOT_RNG_KEY_BYTES);
    return status;
}

/* rate = mantissa 2^exponent < 1, written as 64-bit digits. The mantissa's lowest bit is at binary
 * place -exponent <= 552, within the 576 places we keep. */
static void set_digits(double rate, uint64_t digit[SOT_POISSON_DIGIT_WORDS])
{
    const sot_dyadic exact = sot_dyadic_from(rate);
    const unsigned places =
        (unsigned)-exact.exponent; /* of the lowest bit, at least 53 */
    const unsigned word = (places - 1) / 64;
    const unsigned shift = 64 * (word + 1) - places; /* of the lowest bit in its word */
    assert(word < SOT_POISSON_DIGIT_WORDS);
    const sot_u128 shifted = (sot_u128)exact.mantissa << shift;
    digit[word] = (uint64_t)shifted;
    if (word > 0) digit[word - 1] = (uint64_t)(shifted >> 64);
}

sotto_status sot_poisson_start(const uint8_t key[SOT_RNG_KEY_BYTES], double rate,
                               sot_poisson *out_sampler, sotto_error *error)
{
    if (!(rate == 0.0 || (rate >= 0x1p-500 && rate <= 1.0))) { /* also refuses NaN */
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "rate is %g; give a sampling rate between 0 and 1", rate);
    }
    static const uint8_t personal[crypto_generichash_blake2b_PERSONALBYTES] =
        "sotto poisson  +";
    memset(out_sampler, 0, sizeof *out_sampler);
    memcpy(out_sampler->key, key, SOT_RNG_KEY_BYTES);
    const int failed = crypto_generichash_blake2b_salt_personal(
        out_sampler->extension_key, SOT_RNG_KEY_BYTES, NULL, 0, key, SOT_RNG_KEY_BYTES,
        NULL, personal);
    assert(failed == 0); /* only wrong lengths can fail */
    (void)failed;
    out_sampler->always = rate == 1.0;
    if (rate > 0.0 && rate < 1.0) set_digits(rate, out_sampler->digit);
    return SOTTO_OK;
}

void sot_poisson_wipe(sot_poisson *sampler)
{
    sot_wipe(sampler, sizeof *sampler);
}

/* U < rate, when the first 64 digits of the two agree: eight more words, block `record` of the
 * second stream. */
static bool decide_by_extension(const sot_poisson *sampler, uint64_t step,
                                uint64_t record)
{
    uint8_t block[BLOCK_BYTES];
    sot_chacha20_blocks(block, 1, record, step, sampler->extension_key);
    bool included = false; /* all digits agree: U >= rate */
    for (unsigned i = 1; i < SOT_POISSON_DIGIT_WORDS; i++) {
        const uint64_t word = sot_load_le64(block + 8 * (i - 1));
        if (word == sampler->digit[i]) continue;
        included = word < sampler->digit[i];
        break;
    }
    sot_wipe(block, sizeof block);
    return included;
}

static inline bool is_below_rate(const sot_poisson *sampler, uint64_t step,
                                 uint64_t record, uint64_t word)
{
    if (word != sampler->digit[0]) return word < sampler->digit[0];
    return decide_by_extension(sampler, step, record);
}

bool sot_poisson_includes(const sot_poisson *sampler, uint64_t step, uint64_t record)
{
    if (sampler->always) return true;
    uint8_t block[BLOCK_BYTES];
    sot_chacha20_blocks(block, 1, record / RECORDS_PER_BLOCK, step, sampler->key);
    const uint64_t word = sot_load_le64(block + 8 * (record % RECORDS_PER_BLOCK));
    sot_wipe(block, sizeof block);
    return is_below_rate(sampler, step, record, word);
}

size_t sot_poisson_select(const sot_poisson *sampler, uint64_t step, uint64_t first,
                          size_t count, uint64_t *out_records)
{
    assert(count <= UINT64_MAX - first);
    uint8_t stream[BLOCKS_AT_ONCE * BLOCK_BYTES];
    size_t taken = 0;
    for (uint64_t record = first, end = first + count; record < end;) {
        const uint64_t block = record / RECORDS_PER_BLOCK;
        const uint64_t offset = record % RECORDS_PER_BLOCK;
        uint64_t here = (uint64_t)BLOCKS_AT_ONCE * RECORDS_PER_BLOCK - offset;
        if (here > end - record) here = end - record;
        const uint64_t blocks =
            (offset + here + RECORDS_PER_BLOCK - 1) / RECORDS_PER_BLOCK;
        sot_chacha20_blocks(stream, blocks, block, step, sampler->key);
        for (uint64_t i = 0; i < here; i++) {
            const uint64_t word = sot_load_le64(stream + 8 * (offset + i));
            /* Written always, counted when taken: there is room, and no branch to guess. */
            out_records[taken] = record + i;
            taken += sampler->always || is_below_rate(sampler, step, record + i, word);
        }
        record += here;
    }
    sot_wipe(stream, sizeof stream);
    return taken;
}
