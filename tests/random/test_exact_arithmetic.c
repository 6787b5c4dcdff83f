/* Fixed point and lazily drawn digits, against MPFR. */
#include "laws.h"
#include "mpfr_words.h"

static sot_wide random_wide(sotto_rng *rng, uint64_t below, unsigned fraction)
{
    sot_wide result = sot_wide_from_integer(sot_rng_below(rng, below), fraction);
    for (unsigned i = 0; i < fraction; i++)
        result.word[i] = sot_rng_u64(rng);
    return result;
}

static void wide_operations_are_exact_or_one_unit_low(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(41);
    mpfr_t a, b, expected, ours;
    mpfr_inits2(BITS, a, b, expected, ours, (mpfr_ptr)NULL);
    for (int i = 0; i < 2000; i++) {
        const unsigned fraction = 1 + (unsigned)sot_rng_below(rng, SOT_WIDE_FRACTION_MAX);
        const sot_wide x = random_wide(rng, UINT64_C(1) << 30, fraction);
        const sot_wide y = random_wide(rng, UINT64_C(1) << 30, fraction);
        set_wide(a, &x);
        set_wide(b, &y);
        assert_int_equal(sot_wide_compare(&x, &y), mpfr_cmp(a, b) < 0 ? -1 : 1);
        assert_int_equal(sot_wide_compare(&x, &x), 0);

        sot_wide result = sot_wide_add(&x, &y);
        set_wide(ours, &result);
        mpfr_add(expected, a, b, MPFR_RNDN);
        assert_true(mpfr_equal_p(ours, expected));

        result = sot_wide_subtract(&x, &y);
        set_wide(ours, &result);
        mpfr_sub(expected, a, b, MPFR_RNDN);
        if (mpfr_sgn(expected) < 0) mpfr_set_zero(expected, 1);
        assert_true(mpfr_equal_p(ours, expected));

        result = sot_wide_multiply(&x, &y);
        set_wide(ours, &result);
        mpfr_mul(expected, a, b, MPFR_RNDN);
        assert_true(mpfr_cmp(ours, expected) <= 0);
        assert_within(units_apart(ours, expected, fraction), 0.0, 1.0);

        const uint64_t small = 1 + sot_rng_below(rng, 1000);
        result = sot_wide_divide_small(&x, small);
        set_wide(ours, &result);
        mpfr_div_ui(expected, a, (unsigned long)small, MPFR_RNDN);
        assert_within(units_apart(ours, expected, fraction), 0.0, 1.0);

        const unsigned shift = (unsigned)sot_rng_below(rng, 200);
        result = sot_wide_shift_right(&x, shift);
        set_wide(ours, &result);
        mpfr_div_2ui(expected, a, shift, MPFR_RNDN);
        assert_true(mpfr_cmp(ours, expected) <= 0);
        assert_within(units_apart(ours, expected, fraction), 0.0, 1.0);
    }
    mpfr_clears(a, b, expected, ours, (mpfr_ptr)NULL);
    sotto_rng_free(rng);
}

static void wide_exponential_keeps_its_bound(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(42);
    mpfr_t t, expected, ours;
    mpfr_inits2(BITS, t, expected, ours, (mpfr_ptr)NULL);
    double worst = 0.0;
    for (int i = 0; i < 1500; i++) {
        const unsigned fraction = 1 + (unsigned)sot_rng_below(rng, SOT_WIDE_FRACTION_MAX);
        const uint64_t whole = i % 3 == 0   ? 1
                               : i % 3 == 1 ? 40
                                            : 1030; /* some give zero */
        const sot_wide x = random_wide(rng, whole, fraction);
        set_wide(t, &x);
        mpfr_neg(t, t, MPFR_RNDN);
        mpfr_exp(expected, t, MPFR_RNDN);
        const sot_wide result = sot_wide_exp_negative(&x);
        set_wide(ours, &result);
        worst = fmax(worst, units_apart(ours, expected, fraction));
    }
    assert_within(worst, 1.0, 0x1p28); /* stated: 2^30 */
    mpfr_clears(t, expected, ours, (mpfr_ptr)NULL);
    sotto_rng_free(rng);
}

static void ratios_are_exact_to_the_last_digit(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(44);
    mpfr_t dividend, expected, ours;
    mpfr_inits2(BITS, dividend, expected, ours, (mpfr_ptr)NULL);
    for (int i = 0; i < 500; i++) {
        const uint64_t divisor = 1 + (sot_rng_u64(rng) >> sot_rng_below(rng, 60));
        const uint64_t quotient = sot_rng_u64(rng) >> sot_rng_below(rng, 60);
        const sot_u128 low = (sot_u128)quotient * divisor + sot_rng_below(rng, divisor);
        const unsigned fraction = 1 + (unsigned)sot_rng_below(rng, SOT_WIDE_FRACTION_MAX);
        const sot_wide result = sot_wide_ratio(0, low, divisor, fraction);
        mpfr_set_zero(dividend, 1);
        add_word(dividend, (uint64_t)low, 0);
        add_word(dividend, (uint64_t)(low >> 64), 64);
        mpfr_set_zero(expected, 1);
        add_word(expected, divisor, 0);
        mpfr_div(expected, dividend, expected, MPFR_RNDN);
        set_wide(ours, &result);
        assert_true(mpfr_cmp(ours, expected) <= 0);
        assert_within(units_apart(ours, expected, fraction), 0.0, 1.0);
    }
    mpfr_clears(dividend, expected, ours, (mpfr_ptr)NULL);
    sotto_rng_free(rng);
}

static void rounding_is_the_rounding_of_the_real_number(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(45);
    mpfr_t scaled;
    mpfr_init2(scaled, BITS);
    for (int i = 0; i < 20000; i++) {
        const double sigma = ldexp(1.0 + (double)(sot_rng_u64(rng) >> 12) * 0x1p-52,
                                   (int)sot_rng_below(rng, 76) - 20);
        sot_digits digits = {.count = 1};
        digits.word[0] = sot_rng_u64(rng) >> 7; /* |Z| < 4 */
        const int64_t rounded = sot_digits_round(rng, &digits, sot_dyadic_from(sigma));
        set_scaled(scaled, &digits, sigma); /* with the digits it decided to draw */
        mpfr_round(scaled, scaled);
        assert_int_equal(rounded, mpfr_get_sj(scaled, MPFR_RNDN));
    }
    mpfr_clear(scaled);
    sotto_rng_free(rng);
}

/* Digits that agree with a half-integer for `known` words and then fall on one side of it. */
static void rounding_draws_digits_until_it_is_decided(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(46);
    mpfr_t boundary, digit;
    mpfr_inits2(BITS, boundary, digit, (mpfr_ptr)NULL);
    static const double sigmas[] = {0.3, 1.1, 777.7, 0x1.23456789abcp30,
                                    0x1.fedcba987654p55};
    for (size_t s = 0; s < 5; s++) {
        /* At 2^55 one unit of the first word is more than an integer. */
        for (unsigned known = sigmas[s] > 0x1p50 ? 2 : 1; known <= 12; known++) {
            const int64_t n = 1 + (int64_t)sot_rng_below(rng, 3 + (uint64_t)sigmas[s]);
            mpfr_set_sj(boundary, 2 * (intmax_t)n + 1,
                        MPFR_RNDN); /* (n + 1/2) / (512 sigma) */
            mpfr_div_d(boundary, boundary, sigmas[s], MPFR_RNDN);
            mpfr_div_2ui(boundary, boundary, 10, MPFR_RNDN);
            sot_digits digits = {.count = known};
            for (unsigned i = 0; i < known; i++) {
                mpfr_mul_2ui(boundary, boundary, 64, MPFR_RNDN);
                digits.word[i] = mpfr_get_uj(boundary, MPFR_RNDD);
                mpfr_set_uj(digit, digits.word[i], MPFR_RNDN);
                mpfr_sub(boundary, boundary, digit, MPFR_RNDN);
            }
            sot_digits below = digits;
            sot_digits above = digits;
            below.word[known - 1] -= 1;
            above.word[known - 1] += 1;
            const sot_dyadic sigma = sot_dyadic_from(sigmas[s]);
            assert_int_equal(sot_digits_round(rng, &below, sigma), n);
            assert_int_equal(sot_digits_round(rng, &above, sigma), n + 1);
            /* On the boundary's own digits it needs more than those: then either is possible. */
            const int64_t either = sot_digits_round(rng, &digits, sigma);
            assert_true(digits.count > known && (either == n || either == n + 1));
        }
    }
    mpfr_clears(boundary, digit, (mpfr_ptr)NULL);
    sotto_rng_free(rng);
}

static void magnitudes_round_to_the_nearest_double(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(47);
    mpfr_t exact, error;
    mpfr_inits2(BITS, exact, error, (mpfr_ptr)NULL);
    double worst = 0.0;
    for (int i = 0; i < 20000; i++) {
        sot_digits digits = {0};
        sot_digits_extend(rng, &digits, 16);
        for (unsigned zeros = (unsigned)sot_rng_below(rng, 900), w = 0; zeros > 0; w++) {
            const unsigned here = zeros < 64 ? zeros : 64; /* leading zeros, up to 900 */
            digits.word[w] = here == 64 ? 0 : digits.word[w] >> here;
            zeros -= here;
        }
        const double magnitude = sot_digits_magnitude(rng, &digits);
        set_scaled(exact, &digits, 1.0);
        mpfr_d_sub(error, magnitude, exact, MPFR_RNDN);
        mpfr_div(error, error, exact, MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(error, MPFR_RNDN)));
    }
    assert_within(worst, 0x1p-54, 0x1p-53 * (1.0 + 0x1p-9));
    sot_digits none = {.count = 16};
    assert_true(sot_digits_magnitude(rng, &none) == 0.0);
    mpfr_clears(exact, error, (mpfr_ptr)NULL);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_operations_are_exact_or_one_unit_low),
        cmocka_unit_test(wide_exponential_keeps_its_bound),
        cmocka_unit_test(ratios_are_exact_to_the_last_digit),
        cmocka_unit_test(rounding_is_the_rounding_of_the_real_number),
        cmocka_unit_test(rounding_draws_digits_until_it_is_decided),
        cmocka_unit_test(magnitudes_round_to_the_nearest_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
