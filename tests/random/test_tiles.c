/* The bell curve cut into tiles: tables, exp() and comparisons, against MPFR. */
#include "laws.h"
#include "mpfr_words.h"

#include "random/discrete_gaussian.h"
#include "random/normal.h"
#include "random/tiles.h"

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

/* floor + V - h(x), for the real x and V whose first digits are known: at both ends of what the
 * unknown digits can do. */
static void chords_keep_their_distance_from_the_curve(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(48);
    mpfr_t curve, above;
    mpfr_inits2(200, curve, above, (mpfr_ptr)NULL);
    const sot_tiles *tiles = sot_normal_tiles();
    const sot_normal_chord *chords = sot_normal_chords();
    const double error = sot_normal_chord_error(tiles);
    double worst = 0.0;
    assert_true(tiles->height >= 128);
    for (uint32_t entry = tiles->quick; entry < tiles->tail; entry++) {
        for (int i = 0; i < 20; i++) {
            const uint32_t strip = tiles->strip_of[entry];
            const uint64_t whole = UINT64_C(1) << SOT_NORMAL_PLACE_BITS;
            const uint64_t place = i == 0   ? 0
                                   : i == 1 ? whole - 1
                                   : i == 2 ? whole / 2
                                            : sot_rng_below(rng, whole);
            const uint64_t word = i % 7 == 0   ? 0
                                  : i % 7 == 1 ? UINT64_MAX
                                               : sot_rng_u64(rng);
            /* Forty bits of the word are known, or all of them. */
            const uint64_t unknown = i % 2 == 0 ? 1 : UINT64_C(1) << 24;
            const uint64_t known = place / unknown * unknown;
            for (uint64_t end = 0; end <= 1; end++) {
                mpfr_set_uj(above, word, MPFR_RNDN);
                mpfr_add_ui(above, above, end, MPFR_RNDN);
                mpfr_div_2ui(above, above, 64, MPFR_RNDN);
                mpfr_add_ui(above, above, sot_tiles_floor(tiles, entry), MPFR_RNDN);
                mpfr_set_uj(curve,
                            ((uint64_t)strip << SOT_NORMAL_PLACE_BITS) + known +
                                end * unknown,
                            MPFR_RNDN);
                mpfr_div_2ui(curve, curve, 55, MPFR_RNDN);
                mpfr_sqr(curve, curve, MPFR_RNDN);
                mpfr_div_si(curve, curve, -2, MPFR_RNDN);
                mpfr_exp(curve, curve, MPFR_RNDN);
                mpfr_mul_ui(curve, curve, tiles->height, MPFR_RNDN);
                mpfr_sub(above, above, curve, MPFR_RNDN);
                mpfr_sub_d(above, above,
                           sot_normal_above(&chords[strip], entry, known, word),
                           MPFR_RNDN);
                worst = fmax(worst, fabs(mpfr_get_d(above, MPFR_RNDA)));
            }
        }
    }
    assert_within(worst, 0.99 * error, error); /* reached at x = 0, where h'' = -C */
    mpfr_clears(curve, above, (mpfr_ptr)NULL);
    sotto_rng_free(rng);
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

/* lower <= exact <= upper, and the two are no more than `units` last places apart. */
static void assert_encloses(const sot_wide *lower, const sot_wide *upper,
                            const mpfr_t exact, double units)
{
    mpfr_t low, high;
    mpfr_inits2(BITS, low, high, (mpfr_ptr)NULL);
    set_wide(low, lower);
    set_wide(high, upper);
    assert_true(mpfr_cmp(low, exact) <= 0 && mpfr_cmp(exact, high) <= 0);
    assert_within(units_apart(low, high, lower->fraction), 0.0, units);
    mpfr_clears(low, high, (mpfr_ptr)NULL);
}

static void exponents_are_enclosed(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(50);
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (int i = 0; i < 500; i++) {
        const unsigned fraction =
            3 + (unsigned)sot_rng_below(rng, SOT_WIDE_FRACTION_MAX - 2);
        sot_wide lower, upper;
        sot_digits magnitude = {.count = 1};
        magnitude.word[0] = sot_rng_below(rng, UINT64_C(44) << 55);
        sot_normal_exponent(rng, &magnitude, fraction, &lower, &upper);
        assert_int_equal(magnitude.count, fraction - 1);
        sot_digits_extend(rng, &magnitude,
                          SOT_DIGITS_MAX); /* whatever comes, it is inside */
        set_scaled(exact, &magnitude, 1.0);
        mpfr_sqr(exact, exact, MPFR_RNDN);
        mpfr_div_ui(exact, exact, 2, MPFR_RNDN);
        assert_encloses(&lower, &upper, exact,
                        0x1p64 * 0x1p16); /* 44 512 2^64 units, and 2^18 */

        sot_discrete_gaussian_point point = {
            .variance = {.numerator = 1 + sot_rng_below(rng, UINT64_C(1) << 62)},
            .x = sot_rng_below(rng, UINT64_C(1) << 38)};
        point.variance.denominator =
            1 + sot_rng_below(rng, 1 + (point.variance.numerator >> 20));
        if (i % 2 == 0) point.variance.numerator = UINT64_C(1) << 62;
        if (i % 4 == 0) point.variance.denominator = UINT64_C(1) << 42;
        sot_discrete_gaussian_exponent(rng, &point, fraction, &lower, &upper);
        mpfr_set_uj(exact, point.x, MPFR_RNDN);
        mpfr_sqr(exact, exact, MPFR_RNDN);
        mpfr_t part;
        mpfr_init2(part, BITS);
        mpfr_set_uj(part, point.variance.denominator, MPFR_RNDN);
        mpfr_mul(exact, exact, part, MPFR_RNDN);
        mpfr_set_uj(part, point.variance.numerator, MPFR_RNDN);
        mpfr_div(exact, exact, part, MPFR_RNDN);
        mpfr_div_ui(exact, exact, 2, MPFR_RNDN);
        mpfr_clear(part);
        assert_encloses(&lower, &upper, exact, 1.0);
    }
    mpfr_clear(exact);
    sotto_rng_free(rng);
}

static void curve_is_enclosed(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(60);
    mpfr_t exact;
    mpfr_init2(exact, BITS);
    for (int i = 0; i < 300; i++) {
        const sot_tile_test test = {.right = 1 + (uint32_t)sot_rng_below(rng, 1u << 23)};
        const unsigned fraction =
            3 + (unsigned)sot_rng_below(rng, SOT_WIDE_FRACTION_MAX - 2);
        const sot_wide t = sot_wide_ratio(0, sot_rng_below(rng, 20000), 1009, fraction);
        sot_wide lower, upper;
        sot_tile_curve(&test, &t, &t, &lower, &upper);
        set_wide(exact, &t);
        mpfr_neg(exact, exact, MPFR_RNDN);
        mpfr_exp(exact, exact, MPFR_RNDN);
        mpfr_mul_ui(exact, exact, test.right, MPFR_RNDN);
        assert_encloses(&lower, &upper, exact, 0x1p31 * test.right);
    }
    mpfr_clear(exact);
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
        cmocka_unit_test(double_exponential_keeps_its_bound),
        cmocka_unit_test(normal_tiles_fit_the_curve),
        cmocka_unit_test(chords_keep_their_distance_from_the_curve),
        cmocka_unit_test(discrete_tiles_fit_the_curve),
        cmocka_unit_test(exponents_are_enclosed),
        cmocka_unit_test(curve_is_enclosed),
        cmocka_unit_test(comparison_with_the_curve_draws_digits_until_it_is_decided),
        cmocka_unit_test(double_and_wide_comparisons_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
