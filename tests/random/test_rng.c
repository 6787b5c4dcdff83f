#include "laws.h"

#include <pthread.h>

#include "base/memory.h"
#include "random/chacha20.h"
#include "random/entropy.h"
#include "random/rng.h"

/* RFC 8439, A.1, test vectors 1 and 2 (zero key and nonce, blocks 0 and 1); there the original
 * variant and the RFC's agree. */
static const char *const zero_key_blocks[] = {
    "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
    "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
    "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
};

static void bytes_of_hex(const char *hex, uint8_t *out)
{
    for (size_t i = 0; hex[2 * i] != '\0'; i++) {
        unsigned byte = 0;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
}

static void pool_is_the_chacha20_stream_and_its_head_the_next_key(void **state)
{
    (void)state;
    uint8_t expected[128];
    bytes_of_hex(zero_key_blocks[0], expected);
    bytes_of_hex(zero_key_blocks[1], expected + 64);
    sotto_rng *rng = test_rng(1);
    memset(rng->key, 0, sizeof rng->key);
    uint8_t drawn[96];
    sot_rng_bytes(rng, drawn, sizeof drawn);
    assert_memory_equal(rng->key, expected, 32);
    assert_memory_equal(drawn, expected + 32, 96);
    sotto_rng_free(rng);
}

static void wide_and_library_chacha20_are_one_stream(void **state)
{
    (void)state;
    const sot_chacha20_stream wide = sot_chacha20_avx512();
    if (wide == NULL) {
        print_message("no AVX-512 here: libsodium alone makes the stream\n");
        return;
    }
    enum { MOST = 5 * SOT_RNG_POOL_BYTES };
    static uint8_t here[MOST], there[MOST];
    sotto_rng *rng = test_rng(2);
    for (size_t i = 0; i < 200; i++) {
        uint8_t key[SOT_CHACHA20_KEY_BYTES];
        sot_rng_bytes(rng, key, sizeof key);
        const size_t steps = 1 + sot_rng_below(rng, MOST / SOT_CHACHA20_STEP_BYTES);
        wide(here, steps * SOT_CHACHA20_STEP_BYTES, key);
        sot_chacha20_sodium(there, steps * SOT_CHACHA20_STEP_BYTES, key);
        assert_memory_equal(here, there, steps * SOT_CHACHA20_STEP_BYTES);
    }
    sotto_rng_free(rng);
}

/* Any place of any stream, also where the counter's low word carries, and where it ends. */
static void wide_and_library_blocks_are_the_same_at_any_place(void **state)
{
    (void)state;
    enum { MOST = 70 };
    static const uint64_t firsts[] = {0, 5, UINT64_C(0xfffffff7), UINT64_C(0x1fffffff1),
                                      UINT64_MAX - 80};
    const sot_chacha20_blocks_at wide = sot_chacha20_blocks_avx512();
    uint8_t key[SOT_CHACHA20_KEY_BYTES];
    uint8_t here[MOST * SOT_CHACHA20_BLOCK_BYTES], there[sizeof here];
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)(7 * i + 3);
    if (wide == NULL) skip();
    for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
        const uint64_t nonce = UINT64_C(0x9000000000000001) * (f + 1);
        for (size_t count = 0; count <= MOST; count += count < 18 ? 1 : 13) {
            memset(here, 0xee, sizeof here);
            memset(there, 0xee, sizeof there);
            wide(here, count, firsts[f], nonce, key);
            sot_chacha20_blocks_sodium(there, count, firsts[f], nonce, key);
            assert_memory_equal(here, there, sizeof here);
            sot_chacha20_blocks(here, count, firsts[f], nonce, key);
            assert_memory_equal(here, there, sizeof here);
        }
    }
}

/* Wrong codes for the known-answer test: a bit at the end of the stream, a counter of 32 bits. */
static void stream_with_a_wrong_bit(uint8_t *out, size_t count_bytes,
                                    const uint8_t key[SOT_CHACHA20_KEY_BYTES])
{
    sot_chacha20_sodium(out, count_bytes, key);
    out[count_bytes - 1] ^= 0x40;
}

static void blocks_with_a_short_counter(uint8_t *out, size_t count, uint64_t first,
                                        uint64_t nonce,
                                        const uint8_t key[SOT_CHACHA20_KEY_BYTES])
{
    for (size_t i = 0; i < count; i++)
        sot_chacha20_blocks_sodium(out + i * SOT_CHACHA20_BLOCK_BYTES, 1,
                                   (uint32_t)(first + i), nonce, key);
}

static void known_answers_refuse_another_stream(void **state)
{
    (void)state;
    assert_true(sot_chacha20_agrees(sot_chacha20_sodium, sot_chacha20_blocks_sodium));
    assert_false(
        sot_chacha20_agrees(stream_with_a_wrong_bit, sot_chacha20_blocks_sodium));
    assert_false(sot_chacha20_agrees(sot_chacha20_sodium, blocks_with_a_short_counter));
    if (sot_chacha20_avx512() != NULL)
        assert_true(
            sot_chacha20_agrees(sot_chacha20_avx512(), sot_chacha20_blocks_avx512()));
}

/* Computed by an independent Python program: ChaCha20 written from the RFC, hashlib.blake2b. */
static void construction_is_frozen(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(0x5eed);
    assert_true(sot_rng_u64(rng) == UINT64_C(0x2a0f35f75327e5f1));
    assert_true(sot_rng_u64(rng) == UINT64_C(0xbcdfe786e10beba7));
    for (int i = 2; i < 1020; i++)
        (void)sot_rng_u64(rng);
    assert_true(sot_rng_u64(rng) == UINT64_C(0xddb0f30d693504b8)); /* from the next key */
    assert_true(sot_rng_u64(rng) == UINT64_C(0x2aec22f9f415a84e));
    sotto_rng_free(rng);

    rng = test_rng(0x5eed);
    sotto_error error;
    sot_rng_family family;
    sotto_rng *child = NULL;
    assert_ok(sot_rng_family_begin(rng, "noise", &family, &error), &error);
    assert_ok(sot_rng_stream(&family, 7, &child, &error), &error);
    assert_true(sot_rng_u64(child) == UINT64_C(0xe377282b297a1fe7));
    assert_true(sot_rng_u64(child) == UINT64_C(0xec93788bd5cd64ad));
    sot_rng_family_end(&family);
    sotto_rng_free(child);
    sotto_rng_free(rng);
}

static void words_and_bytes_are_one_stream(void **state)
{
    (void)state;
    sotto_rng *single = test_rng(77);
    sotto_rng *bulk = test_rng(77);
    uint64_t words[2500];
    sot_rng_words(bulk, words, 2500); /* passes two refills */
    for (size_t i = 0; i < 2500; i++)
        assert_true(words[i] == sot_rng_u64(single));
    uint8_t odd[13]; /* takes two whole words */
    sot_rng_bytes(bulk, odd, sizeof odd);
    uint8_t pair[16];
    sot_store_le64(pair, sot_rng_u64(single));
    sot_store_le64(pair + 8, sot_rng_u64(single));
    assert_memory_equal(odd, pair, sizeof odd);
    assert_true(sot_rng_u64(bulk) == sot_rng_u64(single));
    sotto_rng_free(single);
    sotto_rng_free(bulk);
}

static void drawn_bits_leave_no_trace(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(3);
    uint8_t drawn[500];
    (void)sot_rng_u64(rng);
    uint8_t old_key[SOT_RNG_KEY_BYTES];
    memcpy(old_key, rng->key, sizeof old_key);
    sot_rng_bytes(rng, drawn, sizeof drawn);
    for (size_t i = 0; i < rng->position; i++)
        assert_int_equal(rng->pool[i], 0);
    while (rng->position < SOT_RNG_POOL_BYTES)
        (void)sot_rng_u64(rng);
    (void)sot_rng_u64(rng); /* refill: the key that made the first pool is gone */
    assert_memory_not_equal(rng->key, old_key, sizeof old_key);
    sot_rng_wipe(rng);
    static const sotto_rng zero;
    assert_memory_equal(rng, &zero, sizeof zero);
    sotto_rng_free(rng);
}

static void only_the_system_makes_a_secure_handle(void **state)
{
    (void)state;
    sotto_rng *a = NULL;
    sotto_rng *b = NULL;
    sotto_error error;
    assert_ok(sotto_rng_new(&a, &error), &error);
    assert_ok(sotto_rng_new(&b, &error), &error);
    assert_true(sotto_rng_is_secure(a));
    assert_true(sot_rng_u64(a) != sot_rng_u64(b));
    sotto_rng *seeded = test_rng(1);
    assert_false(sotto_rng_is_secure(seeded));
    assert_false(sotto_rng_is_secure(NULL));

    sot_rng_family family;
    sotto_rng *child = NULL;
    assert_ok(sot_rng_family_begin(seeded, "x", &family, &error), &error);
    assert_ok(sot_rng_stream(&family, 0, &child, &error), &error);
    assert_false(sotto_rng_is_secure(child)); /* insecurity is inherited */
    sotto_rng_free(child);
    sotto_rng_free(seeded);
    sotto_rng_free(a);
    sotto_rng_free(b);
    sotto_rng_free(NULL);
}

static void a_silent_system_is_reported(void **state)
{
    (void)state;
    sotto_rng *rng = NULL;
    sotto_error error;
    sot_test_set_entropy(SOT_TEST_ENTROPY_FAILS);
    assert_refused(sotto_rng_new(&rng, &error), SOTTO_ENTROPY, &error, "random source",
                   NULL);
    assert_null(rng);
    sot_test_set_entropy(SOT_TEST_ENTROPY_STUTTERS);
    assert_ok(sotto_rng_new(&rng, &error), &error);
    uint8_t zero[SOT_RNG_KEY_BYTES / 2] = {0};
    assert_memory_not_equal(rng->key + sizeof zero, zero,
                            sizeof zero); /* filled to the end */
    sot_test_set_entropy(SOT_TEST_ENTROPY_REAL);
    sotto_rng_free(rng);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    sotto_rng *rng = NULL;
    sotto_error error;
    (void)sot_test_fail_allocation(1);
    assert_refused(sotto_rng_new(&rng, &error), SOTTO_OUT_OF_MEMORY, &error, "memory",
                   NULL);
    assert_null(rng);
    (void)sot_test_fail_allocation(1);
    assert_refused(sotto_rng_new_for_test(5, &rng, &error), SOTTO_OUT_OF_MEMORY, &error,
                   "memory", NULL);
    assert_null(rng);
    (void)sot_test_fail_allocation(0);
    sotto_rng *parent = test_rng(1);
    sot_rng_family family;
    assert_ok(sot_rng_family_begin(parent, "a", &family, &error), &error);
    (void)sot_test_fail_allocation(1);
    assert_refused(sot_rng_stream(&family, 1, &rng, &error), SOTTO_OUT_OF_MEMORY, &error,
                   "memory", NULL);
    assert_null(rng);
    (void)sot_test_fail_allocation(0);
    sotto_rng_free(parent);
}

enum { CHUNKS = 24, WORDS_PER_CHUNK = 1500 };

typedef struct chunk_job {
    const sot_rng_family *family;
    uint64_t *out;
    unsigned first, step;
} chunk_job;

static void *fill_chunks(void *argument)
{
    const chunk_job *job = argument;
    for (unsigned chunk = job->first; chunk < CHUNKS; chunk += job->step) {
        sotto_rng *stream = NULL;
        if (sot_rng_stream(job->family, chunk, &stream, NULL) != SOTTO_OK) return NULL;
        sot_rng_words(stream, job->out + (size_t)chunk * WORDS_PER_CHUNK,
                      WORDS_PER_CHUNK);
        sotto_rng_free(stream);
    }
    return NULL;
}

static void fill_with_threads(unsigned threads, uint64_t *out)
{
    sotto_rng *parent = test_rng(99);
    sotto_error error;
    sot_rng_family family;
    assert_ok(sot_rng_family_begin(parent, "noise", &family, &error), &error);
    pthread_t thread[8];
    chunk_job job[8];
    for (unsigned i = 0; i < threads; i++) {
        job[i] = (chunk_job){.family = &family, .out = out, .first = i, .step = threads};
        assert_int_equal(pthread_create(&thread[i], NULL, fill_chunks, &job[i]), 0);
    }
    for (unsigned i = 0; i < threads; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    sot_rng_family_end(&family);
    sotto_rng_free(parent);
}

static void same_seed_any_threads_same_bits(void **state)
{
    (void)state;
    static uint64_t one[CHUNKS * WORDS_PER_CHUNK], many[CHUNKS * WORDS_PER_CHUNK];
    fill_with_threads(1, one);
    for (unsigned threads = 2; threads <= 8; threads += 3) {
        memset(many, 0, sizeof many);
        fill_with_threads(threads, many);
        assert_memory_equal(one, many, sizeof one);
    }
    for (size_t i = 1; i < CHUNKS; i++) /* and the streams differ from each other */
        assert_memory_not_equal(one, one + i * WORDS_PER_CHUNK, 16);
}

static void families_never_repeat(void **state)
{
    (void)state;
    sotto_rng *parent = test_rng(5);
    sotto_error error;
    sot_rng_family family[3];
    assert_ok(sot_rng_family_begin(parent, "noise", &family[0], &error), &error);
    assert_ok(sot_rng_family_begin(parent, "noise", &family[1], &error), &error);
    sotto_rng *again = test_rng(5);
    assert_ok(sot_rng_family_begin(again, "batch", &family[2], &error), &error);
    assert_memory_not_equal(family[0].key, family[1].key, SOT_RNG_KEY_BYTES);
    assert_memory_not_equal(family[0].key, family[2].key, SOT_RNG_KEY_BYTES);
    sotto_rng_free(parent);
    sotto_rng_free(again);
}

static void bounded_integers_are_uniform(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(15);
    enum { DRAWS = 300000, MOST = 100 };
    static const uint64_t bounds[] = {1, 2, 3, 7, 64, 100};
    for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
        double seen[2][MOST] = {{0}};
        double probability[MOST];
        for (size_t i = 0; i < bounds[b]; i++)
            probability[i] = 1.0 / (double)bounds[b];
        for (int i = 0; i < DRAWS; i++) {
            const uint64_t drawn = sot_rng_below(rng, bounds[b]);
            assert_true(drawn < bounds[b]);
            seen[0][drawn] += 1.0;
        }
        assert_same_law(chi_square_p(seen[0], probability, bounds[b], DRAWS));
        /* the wide one, on multiples: floor(U / 2^70) for U below bound 2^70 */
        const sot_u128 unit = (sot_u128)1 << 70;
        for (int i = 0; i < DRAWS / 4; i++)
            seen[1][(size_t)(sot_rng_below_wide(rng, bounds[b] * unit) / unit)] += 1.0;
        assert_same_law(chi_square_p(seen[1], probability, bounds[b], DRAWS / 4));
    }
    sotto_rng_free(rng);
}

/* n = 3 * 2^62. A plain modulo gives the first third of the results twice as often; the high half
 * of a product, without redrawing, gives half of all results remainder 0 modulo 3. */
static void large_bounds_have_no_bias(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(16);
    enum { DRAWS = 200000 };
    const uint64_t n = UINT64_C(3) << 62;
    double fair[2][3] = {{0}};
    double modulo[3] = {0};
    double product[3] = {0};
    const double third[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    for (int i = 0; i < DRAWS; i++) {
        const uint64_t drawn = sot_rng_below(rng, n);
        fair[0][drawn >> 62] += 1.0;
        fair[1][drawn % 3] += 1.0;
        modulo[(sot_rng_u64(rng) % n) >> 62] += 1.0;
        product[(uint64_t)(((sot_u128)sot_rng_u64(rng) * n) >> 64) % 3] += 1.0;
    }
    assert_same_law(chi_square_p(fair[0], third, 3, DRAWS));
    assert_same_law(chi_square_p(fair[1], third, 3, DRAWS));
    assert_other_law(chi_square_p(modulo, third, 3, DRAWS));
    assert_other_law(chi_square_p(product, third, 3, DRAWS));
    assert_true(sot_rng_below_wide(rng, (sot_u128)1 << 64) >> 64 == 0);
    sotto_rng_free(rng);
}

/* A coin that errs by 2 percent must not pass for fair: the statistic has power. */
static void a_biased_bit_is_caught(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(17);
    enum { DRAWS = 200000 };
    double fair[2] = {0};
    double biased[2] = {0};
    const double half[2] = {0.5, 0.5};
    for (int i = 0; i < DRAWS; i++) {
        fair[sot_rng_u64(rng) & 1] += 1.0;
        biased[sot_rng_below(rng, 100) < 52] += 1.0;
    }
    assert_same_law(chi_square_p(fair, half, 2, DRAWS));
    assert_other_law(chi_square_p(biased, half, 2, DRAWS));
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_is_the_chacha20_stream_and_its_head_the_next_key),
        cmocka_unit_test(wide_and_library_chacha20_are_one_stream),
        cmocka_unit_test(known_answers_refuse_another_stream),
        cmocka_unit_test(wide_and_library_blocks_are_the_same_at_any_place),
        cmocka_unit_test(construction_is_frozen),
        cmocka_unit_test(words_and_bytes_are_one_stream),
        cmocka_unit_test(drawn_bits_leave_no_trace),
        cmocka_unit_test(only_the_system_makes_a_secure_handle),
        cmocka_unit_test(a_silent_system_is_reported),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(same_seed_any_threads_same_bits),
        cmocka_unit_test(families_never_repeat),
        cmocka_unit_test(bounded_integers_are_uniform),
        cmocka_unit_test(large_bounds_have_no_bias),
        cmocka_unit_test(a_biased_bit_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
