#include "laws.h"

#include "random/poisson.h"

static uint8_t counting_key[SOT_RNG_KEY_BYTES];

static sot_poisson start(double rate)
{
    for (unsigned i = 0; i < SOT_RNG_KEY_BYTES; i++)
        counting_key[i] = (uint8_t)i;
    sot_poisson sampler;
    sotto_error error;
    assert_ok(sot_poisson_start(counting_key, rate, &sampler, &error), &error);
    return sampler;
}

/* Computed by an independent Python program (ChaCha20 from the RFC): key 00 01 .. 1f, step 3. */
static void choice_is_frozen(void **state)
{
    (void)state;
    static const uint64_t expected[] = {1, 10, 12, 15, 26, 31, 34, 38, 39, 45, 53, 56};
    sot_poisson sampler = start(0.25);
    uint64_t records[64];
    assert_int_equal(sot_poisson_select(&sampler, 3, 0, 64, records), 12);
    assert_memory_equal(records, expected, sizeof expected);
    /* The word of step 2^40 + 5, record 2^33 + 6 is 0x5e6674eea16544e8. */
    const uint64_t step = (UINT64_C(1) << 40) + 5;
    const uint64_t record = (UINT64_C(1) << 33) + 6;
    sampler.digit[0] = UINT64_C(0x5e6674eea16544e8);
    assert_false(sot_poisson_includes(&sampler, step, record));
    sampler.digit[0] += 1;
    assert_true(sot_poisson_includes(&sampler, step, record));
}

static void choice_does_not_depend_on_the_partition(void **state)
{
    (void)state;
    enum { RECORDS = 5000 };
    const sot_poisson sampler = start(0.3);
    static uint64_t whole[RECORDS], part[RECORDS];
    const uint64_t base = (UINT64_C(1) << 33) + 3;
    const size_t taken = sot_poisson_select(&sampler, 9, base, RECORDS, whole);
    sotto_rng *rng = test_rng(81);
    for (int round = 0; round < 20; round++) {
        size_t together = 0;
        for (uint64_t at = 0; at < RECORDS;) {
            uint64_t here = sot_rng_below(rng, 700);
            if (here > RECORDS - at) here = RECORDS - at;
            together += sot_poisson_select(&sampler, 9, base + at, here, part + together);
            at += here;
        }
        assert_int_equal(together, taken);
        assert_memory_equal(whole, part, taken * sizeof *whole);
    }
    for (uint64_t i = 0, next = 0; i < RECORDS; i++) {
        const bool in = next < taken && whole[next] == base + i;
        assert_int_equal(sot_poisson_includes(&sampler, 9, base + i), in);
        next += in;
    }
    sotto_rng_free(rng);
}

/* Counts a step are binomial, and steps, records and keys independent of each other. */
static void records_are_taken_at_their_rate(void **state)
{
    (void)state;
    enum { RECORDS = 4096, STEPS = 300 };
    static const double rates[] = {0.5, 0.01, 0.9, 1.0 / 3.0};
    static uint64_t records[RECORDS];
    for (size_t r = 0; r < 4; r++) {
        const sot_poisson sampler = start(rates[r]);
        static double per_record[RECORDS];
        memset(per_record, 0, sizeof per_record);
        double total = 0.0;
        double repeated = 0.0; /* taken in this step and in the one before */
        static bool before[RECORDS], now[RECORDS];
        for (uint64_t step = 0; step < STEPS; step++) {
            memset(now, 0, sizeof now);
            const size_t taken = sot_poisson_select(&sampler, step, 0, RECORDS, records);
            total += (double)taken;
            for (size_t i = 0; i < taken; i++) {
                per_record[records[i]] += 1.0;
                now[records[i]] = true;
            }
            for (size_t i = 0; i < RECORDS && step > 0; i++)
                repeated += now[i] && before[i];
            memcpy(before, now, sizeof now);
        }
        const double p = rates[r];
        const double all[2] = {total, RECORDS * STEPS - total};
        const double share[2] = {p, 1.0 - p};
        assert_same_law(chi_square_p(all, share, 2, (double)RECORDS * STEPS));
        const double wrong[2] = {0.98 * p,
                                 1.0 - 0.98 * p}; /* power: rate off by 2 percent */
        if (p >= 0.3)
            assert_other_law(chi_square_p(all, wrong, 2, (double)RECORDS * STEPS));
        /* Mean and variance over records: sum of squares against the binomial's, normal limit. */
        double squares = 0.0;
        for (size_t i = 0; i < RECORDS; i++)
            squares += (per_record[i] - STEPS * p) * (per_record[i] - STEPS * p);
        const double expected = STEPS * p * (1.0 - p);
        assert_within(squares / RECORDS / expected, 1.0 - 5.0 * sqrt(2.2 / RECORDS),
                      1.0 + 5.0 * sqrt(2.2 / RECORDS));
        const double pairs = (double)RECORDS * (STEPS - 1);
        assert_within(repeated / pairs, p * p - 5.0 * sqrt(p * p * 3.0 / pairs),
                      p * p + 5.0 * sqrt(p * p * 3.0 / pairs));
    }
}

/* digit[] holds the rate exactly: rebuilt from its words it is the same double. */
static void rate_is_kept_to_the_last_bit(void **state)
{
    (void)state;
    static const double rates[] = {0.5,
                                   0.1,
                                   1.0 / 3.0,
                                   0x1.fffffffffffffp-1,
                                   0x1.23456789abcdfp-12,
                                   0x1.fffffffffffffp-64,
                                   0x1.8p-65,
                                   0x1.0000000000001p-300,
                                   0x1p-500,
                                   0x1.0000000000001p-500};
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
        const sot_poisson sampler = start(rates[r]);
        double sum = 0.0;
        unsigned bits = 0;
        for (unsigned i = SOT_POISSON_DIGIT_WORDS; i-- > 0;) {
            const uint64_t word = sampler.digit[i];
            sum += ldexp((double)(word & UINT32_MAX), -64 * ((int)i + 1));
            sum += ldexp((double)(word >> 32), -64 * ((int)i + 1) + 32);
            bits += (unsigned)__builtin_popcountll(word);
        }
        assert_true(sum == rates[r]); /* at most 53 bits in all: every sum is exact */
        uint64_t mantissa;
        memcpy(&mantissa, &rates[r], sizeof mantissa);
        mantissa &= (UINT64_C(1) << 52) - 1;
        assert_int_equal(bits, 1 + __builtin_popcountll(mantissa));
    }
}

/* When the first 64 digits agree, the second stream decides. With key 00 .. 1f, step 3, record 13:
 * first word 0x5fc1265499e1661a, then 0x9cdec3effdcc4145, 0xba0aaa50caae9cf0 (the Python program). */
static void open_comparisons_go_on_in_the_second_stream(void **state)
{
    (void)state;
    sot_poisson sampler = start(0.25);
    sampler.digit[0] = UINT64_C(0x5fc1265499e1661a);
    memset(sampler.digit + 1, 0, sizeof sampler.digit - sizeof sampler.digit[0]);
    assert_false(sot_poisson_includes(&sampler, 3, 13));
    sampler.digit[1] = UINT64_C(0x9cdec3effdcc4145);
    assert_false(sot_poisson_includes(&sampler, 3, 13));
    sampler.digit[2] = UINT64_C(0xba0aaa50caae9cf0);
    assert_false(sot_poisson_includes(&sampler, 3, 13));
    sampler.digit[2] += 1;
    assert_true(sot_poisson_includes(&sampler, 3, 13));
    uint64_t record = 0;
    assert_int_equal(sot_poisson_select(&sampler, 3, 13, 1, &record), 1);
    assert_int_equal(record, 13);
}

static void extremes_are_exact(void **state)
{
    (void)state;
    uint64_t records[1000];
    const sot_poisson all = start(1.0);
    assert_int_equal(sot_poisson_select(&all, 1, 5, 1000, records), 1000);
    assert_true(sot_poisson_includes(&all, 1, UINT64_MAX));
    assert_true(records[999] == 1004);
    const sot_poisson none = start(0.0);
    assert_int_equal(sot_poisson_select(&none, 1, 5, 1000, records), 0);
    assert_int_equal(sot_poisson_select(&all, 1, 5, 0, records), 0);
    sot_poisson sampler = start(0.5);
    sot_poisson_wipe(&sampler);
    static const sot_poisson zero;
    assert_memory_equal(&sampler, &zero, sizeof zero);
}

static void bad_rates_are_refused(void **state)
{
    (void)state;
    sot_poisson sampler;
    sotto_error error;
    const double bad[] = {-0.1, 1.0000001, (double)NAN, (double)INFINITY, 0x1p-501};
    for (size_t i = 0; i < 5; i++)
        assert_refused(sot_poisson_start(counting_key, bad[i], &sampler, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "rate", "0 and 1", NULL);
    sotto_rng *rng = test_rng(82);
    uint8_t key[SOT_RNG_KEY_BYTES];
    uint8_t other[SOT_RNG_KEY_BYTES];
    assert_ok(sot_poisson_draw_key(rng, key, &error), &error);
    assert_ok(sot_poisson_draw_key(rng, other, &error), &error);
    assert_memory_not_equal(key, other, sizeof key);
    rng->failed = true;
    assert_refused(sot_poisson_draw_key(rng, key, &error), SOTTO_ENTROPY, &error, "fork",
                   NULL);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice_is_frozen),
        cmocka_unit_test(choice_does_not_depend_on_the_partition),
        cmocka_unit_test(records_are_taken_at_their_rate),
        cmocka_unit_test(rate_is_kept_to_the_last_bit),
        cmocka_unit_test(open_comparisons_go_on_in_the_second_stream),
        cmocka_unit_test(extremes_are_exact),
        cmocka_unit_test(bad_rates_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
