/* The arithmetic under the samplers, against MPFR. */
#include "laws.h"

#include <mpfr.h>

#include "random/digits.h"
#include "random/discrete_gaussian.h"
#include "random/normal.h"
#include "random/tiles.h"
#include "random/wide.h"

enum { BITS = 2400 };

/* to += word 2^exponent */
static void add_word(mpfr_t to, uint64_t word, long exponent)
{
    mpfr_t part;
    mpfr_init2(part, BITS);
    mpfr_set_ui_2exp(part, (unsigned long)(word >> 32), exponent + 32, MPFR_RNDN);
    mpfr_add(to, to, part, MPFR_RNDN);
    mpfr_set_ui_2exp(part, (unsigned long)(word & UINT32_MAX), exponent, MPFR_RNDN);
    mpfr_add(to, to, part, MPFR_RNDN);
    mpfr_clear(part);
}

static void set_wide(mpfr_t to, const sot_wide *from)
{
    mpfr_set_zero(to, 1);
    for (unsigned i = 0; i <= from->fraction; i++)
        add_word(to, from->word[i], 64 * ((long)i - (long)from->fraction));
}

/* |a - b| in units of 2^(-64 fraction), as a double. */
static double units_apart(const mpfr_t a, const mpfr_t b, unsigned fraction)
{
    mpfr_t difference;
    mpfr_init2(difference, BITS);
    mpfr_sub(difference, a, b, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, 64 * (long)fraction, MPFR_RNDN);
    const double units = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return units;
}

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

static void double_exponential_keeps_its_bound(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(43);
    mpfr_t expected, error;
    mpfr_inits2(200, expected, error, (mpfr_ptr)NULL);
    double worst = 0.0;
    for (int i = 0; i < 60000; i++) {
        const double unit = (double)(sot_rng_u64(rng) >> 11) * 0x1p-53;
        const double t =
            i % 2 == 0 ? 700.0 * unit : ldexp(unit, -(int)sot_rng_below(rng, 60));
        mpfr_set_d(expected, -t, MPFR_RNDN);
        mpfr_exp(expected, expected, MPFR_RNDN);
        mpfr_d_sub(error, sot_exp_negative(t), expected, MPFR_RNDN);
        mpfr_div(error, error, expected, MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(error, MPFR_RNDN)));
    }
    assert_within(worst, 0x1p-54, 0x1p-50); /* stated: 2^-49 */
    assert_true(sot_exp_negative(0.0) == 1.0);
    mpfr_clears(expected, error, (mpfr_ptr)NULL);
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

/* sigma * 512 * digits in MPFR, all sixteen words. */
static void set_scaled(mpfr_t to, const sot_digits *digits, double sigma)
{
    mpfr_set_zero(to, 1);
    for (unsigned i = 0; i < digits->count; i++)
        add_word(to, digits->word[i], 9 - 64 * ((long)i + 1));
    mpfr_mul_d(to, to, sigma, MPFR_RNDN);
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

/* height exp(-x^2 / (2 variance)) */
static void set_curve(mpfr_t to, uint32_t height, const mpfr_t variance, double x)
{
    mpfr_set_d(to, x, MPFR_RNDN);
    mpfr_sqr(to, to, MPFR_RNDN);
    mpfr_div(to, to, variance, MPFR_RNDN);
    mpfr_div_si(to, to, -2, MPFR_RNDN);
    mpfr_exp(to, to, MPFR_RNDN);
    mpfr_mul_ui(to, to, height, MPFR_RNDN);
}

/* Quick tiles lie under the curve, and all tiles of a strip reach it: the theorem's two premises.
 * Strip j goes from x = j width to (j + 1) width - gap. The tail's proposals lie above it too. */
static void assert_tiles_fit(const sot_tiles *tiles, const mpfr_t variance, double width,
                             double gap, bool halved)
{
    mpfr_t curve, proposal;
    mpfr_inits2(200, curve, proposal, (mpfr_ptr)NULL);
    uint32_t entry = 0;
    for (uint32_t j = 0; j < tiles->strips; j++) {
        const uint32_t end =
            j + 1 < tiles->strips ? tiles->crossed_begin[j + 1] : tiles->tail;
        const uint32_t crossed = end - tiles->crossed_begin[j];
        set_curve(curve, tiles->height, variance, j * width);
        if (halved && j == 0) mpfr_div_ui(curve, curve, 2, MPFR_RNDN);
        assert_true(mpfr_cmp_ui(curve, tiles->quick_count[j] + crossed) <= 0);
        set_curve(curve, tiles->height, variance, (j + 1) * width - gap);
        if (halved && j == 0) mpfr_div_ui(curve, curve, 2, MPFR_RNDN);
        assert_true(mpfr_cmp_ui(curve, tiles->quick_count[j]) >= 0);
        for (uint32_t i = 0; i < tiles->quick_count[j]; i++)
            assert_int_equal(tiles->strip_of[entry++], j);
        for (uint32_t i = 0; i < crossed; i++)
            assert_int_equal(tiles->strip_of[tiles->crossed_begin[j] + i], j);
    }
    assert_int_equal(entry, tiles->quick);
    assert_int_equal(tiles->used, tiles->tail + SOT_TILES_TAIL);
    assert_true(tiles->used <= SOT_TILES_ENTRIES);
    for (uint32_t cell = 0; cell < SOT_TILES_TAIL_CELLS; cell++) {
        const sot_tile_test test = sot_tile_test_tail(tiles, cell);
        const double begin = tiles->strips * width;
        mpfr_set_ui_2exp(proposal, test.left, -(long)test.shift, MPFR_RNDN);
        set_curve(curve, test.right, variance, begin + begin / 16.0 * cell);
        assert_true(mpfr_cmp(proposal, curve) >= 0);
    }
    mpfr_clears(curve, proposal, (mpfr_ptr)NULL);
}

static void normal_tiles_fit_the_curve(void **state)
{
    (void)state;
    mpfr_t variance;
    mpfr_init2(variance, 200);
    mpfr_set_ui(variance, 1, MPFR_RNDN);
    const sot_tiles *tiles = sot_normal_tiles();
    assert_tiles_fit(tiles, variance, 0x1p-6, 0.0, false);
    assert_true(tiles->quick > SOT_TILES_ENTRIES * 24 / 25); /* it is also fast */
    mpfr_clear(variance);
}

static void discrete_tiles_fit_the_curve(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(49);
    sotto_error error;
    mpfr_t variance;
    mpfr_init2(variance, 200);
    for (int i = 0; i < 120;
         i++) { /* every width, and both sides of each change of width */
        const double fraction = i % 3 == 0   ? 0.0
                                : i % 3 == 1 ? 0x1p-50
                                             : (double)sot_rng_below(rng, 1000) / 1000.0;
        const double sigma = ldexp(1.0 + fraction, i / 3 - 10);
        sot_ratio ratio;
        sot_discrete_gaussian *table = NULL;
        assert_ok(sot_variance_at_least(fmin(sigma, 0x1p30), &ratio, &error), &error);
        assert_ok(sot_discrete_gaussian_new(ratio, &table, &error), &error);
        mpfr_set_uj(variance, ratio.numerator, MPFR_RNDN);
        mpfr_div_2ui(variance, variance,
                     (unsigned long)__builtin_ctzll(ratio.denominator), MPFR_RNDN);
        uint64_t width = 0;
        const sot_tiles *tiles = sot_discrete_gaussian_tiles(table, &width);
        assert_tiles_fit(tiles, variance, (double)width, 1.0, width == 1);
        sot_discrete_gaussian_free(table);
    }
    mpfr_clear(variance);
    sotto_rng_free(rng);
}

typedef struct fixed_exponent {
    uint64_t numerator, denominator;
} fixed_exponent;

static void exponent_of_ratio(sotto_rng *rng, void *point, unsigned fraction,
                              sot_wide *out_lower, sot_wide *out_upper)
{
    (void)rng;
    const fixed_exponent *t = point;
    *out_lower = sot_wide_ratio(0, t->numerator, t->denominator, fraction);
    *out_upper = sot_wide_plus_units(out_lower, 1);
}

/* V agrees with the curve for `known` words and then goes one way: the decision must follow. */
static void comparison_with_the_curve_draws_digits_until_it_is_decided(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(48);
    mpfr_t curve, digit;
    mpfr_inits2(BITS, curve, digit, (mpfr_ptr)NULL);
    for (int i = 0; i < 300; i++) {
        fixed_exponent t = {.numerator = sot_rng_below(rng, 9000), .denominator = 1000};
        const sot_tile_test whole = {.left = 1, .right = 32000};
        mpfr_set_ui(curve, (unsigned long)t.numerator, MPFR_RNDN);
        mpfr_div_si(curve, curve, -(long)t.denominator, MPFR_RNDN);
        mpfr_exp(curve, curve, MPFR_RNDN);
        mpfr_mul_ui(curve, curve, whole.right, MPFR_RNDN);
        sot_tile_test test = whole;
        test.floor =
            (uint32_t)mpfr_get_ui(curve, MPFR_RNDD); /* the tile that it crosses */
        mpfr_sub_ui(curve, curve, test.floor, MPFR_RNDN);
        const unsigned known = 1 + (unsigned)(i % 12);
        sot_digits v = {.count = known};
        for (unsigned w = 0; w < known; w++) {
            mpfr_mul_2ui(curve, curve, 64, MPFR_RNDN);
            v.word[w] = mpfr_get_uj(curve, MPFR_RNDD);
            mpfr_set_uj(digit, v.word[w], MPFR_RNDN);
            mpfr_sub(curve, curve, digit, MPFR_RNDN);
        }
        if (t.numerator == 0) continue; /* exp(0): the curve is an integer */
        sot_digits below = v;
        sot_digits above = v;
        below.word[known - 1] -= 1;
        above.word[known - 1] += 1;
        assert_true(sot_tile_decide_wide(rng, &test, &below, exponent_of_ratio, &t));
        assert_false(sot_tile_decide_wide(rng, &test, &above, exponent_of_ratio, &t));
        (void)sot_tile_decide_wide(rng, &test, &v, exponent_of_ratio, &t);
        assert_true(v.count > known);
    }
    mpfr_clears(curve, digit, (mpfr_ptr)NULL);
    sotto_rng_free(rng);
}

/* The quick decision in doubles and the slow one agree on the same V, tail shifts included. */
static void double_and_wide_comparisons_agree(void **state)
{
    (void)state;
    enum { ROUNDS = 4000 };
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        sotto_rng *setup = test_rng(seed);
        fixed_exponent t = {.numerator = sot_rng_below(setup, 20000),
                            .denominator = 1000};
        sot_tile_test test = {
            .floor = (uint32_t)sot_rng_below(setup, 3), .left = 64, .right = 51200};
        test.shift = (uint32_t)sot_rng_below(setup, 20);
        sotto_rng_free(setup);
        sotto_rng *a = test_rng(seed + ROUNDS);
        sotto_rng *b = test_rng(seed + ROUNDS);
        sot_digits v = {0};
        sot_digits_extend(b, &v, 1);
        const bool quick = sot_tile_under_curve(
            a, &test, (double)t.numerator / (double)t.denominator, exponent_of_ratio, &t);
        assert_int_equal(quick,
                         sot_tile_decide_wide(b, &test, &v, exponent_of_ratio, &t));
        sotto_rng_free(a);
        sotto_rng_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_operations_are_exact_or_one_unit_low),
        cmocka_unit_test(wide_exponential_keeps_its_bound),
        cmocka_unit_test(double_exponential_keeps_its_bound),
        cmocka_unit_test(ratios_are_exact_to_the_last_digit),
        cmocka_unit_test(rounding_is_the_rounding_of_the_real_number),
        cmocka_unit_test(rounding_draws_digits_until_it_is_decided),
        cmocka_unit_test(magnitudes_round_to_the_nearest_double),
        cmocka_unit_test(normal_tiles_fit_the_curve),
        cmocka_unit_test(discrete_tiles_fit_the_curve),
        cmocka_unit_test(comparison_with_the_curve_draws_digits_until_it_is_decided),
        cmocka_unit_test(double_and_wide_comparisons_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
