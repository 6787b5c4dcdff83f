/* Decimal to binary and back, against MPFR. */
#include "support.h"

#include <float.h>

#include <mpfr.h>

#include "base/text.h"

static const double untouched = -4711.0;

static sot_number parse(const char *text, double *out)
{
    return sot_parse_double(text, strlen(text), out);
}

static sot_number parse_u64(const char *text, uint64_t *out)
{
    return sot_parse_u64(text, strlen(text), out);
}

/* splitmix64 (Steele, Lea & Flood 2014): a fixed stream of test values. */
static uint64_t next_bits(uint64_t *stream)
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Every bit pattern is equally likely: all exponents, subnormals too; finite ones only. */
static double next_double(uint64_t *stream)
{
    double value;
    do {
        value = from_bits(next_bits(stream));
    } while (!isfinite(value));
    return value;
}

static void whole_decimals_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"2.375", 2.375},
        {"+2.375", 2.375},
        {"-2.375", -2.375},
        {".5", 0.5},
        {"5.", 5.0},
        {"0005", 5.0},
        {"1e5", 1e5},
        {"1E+5", 1e5},
        {"12.5e-1", 1.25},
        {"0", 0.0},
        {"-0", -0.0},
        {"0e999999999999999999999", 0.0},
        {"0.000e-999999999999999999999", 0.0},
        {"1.7976931348623157e308", DBL_MAX},
        {"1.7976931348623158079e308", DBL_MAX}, /* still below the halfway point */
        {"4.9406564584124654e-324", DBL_TRUE_MIN},
        {"2.4703282292062328e-324", DBL_TRUE_MIN}, /* just above half of it */
        {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = untouched;
        if (parse(cases[i].text, &value) != SOT_NUMBER_OK ||
            !same_bits(value, cases[i].value))
            fail_msg("%s gave %.17g", cases[i].text, value);
    }
}

static void anything_else_is_malformed(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",    " ",    " 1",    "1 ",    "1\n", "+",     "-",    ".",       "e5",
        "1e",  "1e+",  "1e5.0", "1.2.3", "1,5", "1_000", "--1",  "+-1",     "nan",
        "NaN", "-nan", "inf",   "-inf",  "1f",  "0x1p3", "0X10", "1d5",     "1e5e5",
        "abc", "1abc", "½",     "١",     "1e١", "1..",   ".e1",  "infinity"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = untouched;
        uint64_t count = 4711;
        if (parse(texts[i], &value) != SOT_NUMBER_MALFORMED || value != untouched)
            fail_msg("'%s' was read as a double", texts[i]);
        if (parse_u64(texts[i], &count) != SOT_NUMBER_MALFORMED || count != 4711)
            fail_msg("'%s' was read as a count", texts[i]);
    }
    double value = untouched;
    assert_int_equal(sot_parse_double("1\0002", 3, &value), SOT_NUMBER_MALFORMED);
    assert_int_equal(sot_parse_double("12", 1, &value), SOT_NUMBER_OK);
    assert_true(value == 1.0); /* only the given bytes count */
}

static void overflow_and_underflow_are_told_apart(void **state)
{
    (void)state;
    double value = untouched;
    assert_int_equal(parse("1e400", &value), SOT_NUMBER_TOO_LARGE);
    assert_int_equal(parse("-1e400", &value), SOT_NUMBER_TOO_LARGE);
    assert_int_equal(parse("1.7976931348623159e308", &value), SOT_NUMBER_TOO_LARGE);
    assert_int_equal(parse("1e99999999999999999999", &value), SOT_NUMBER_TOO_LARGE);
    assert_int_equal(parse("1e-400", &value), SOT_NUMBER_TOO_SMALL);
    assert_int_equal(parse("-1e-400", &value), SOT_NUMBER_TOO_SMALL);
    assert_int_equal(parse("2.4703282292062327e-324", &value), SOT_NUMBER_TOO_SMALL);
    assert_int_equal(parse("1e-99999999999999999999", &value), SOT_NUMBER_TOO_SMALL);
    assert_true(value == untouched);
}

static void length_is_capped(void **state)
{
    (void)state;
    char text[SOT_NUMBER_BYTES_MAX + 2];
    memset(text, '0', sizeof text);
    text[0] = '1';
    text[1] = '.';
    double value = untouched;
    assert_int_equal(sot_parse_double(text, SOT_NUMBER_BYTES_MAX, &value), SOT_NUMBER_OK);
    assert_true(value == 1.0);
    assert_int_equal(sot_parse_double(text, SOT_NUMBER_BYTES_MAX + 1, &value),
                     SOT_NUMBER_MALFORMED);
}

static void reading_rounds_to_nearest(void **state)
{
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, 53);
    uint64_t stream = 20240607;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        const unsigned long long digits = next_bits(&stream);
        const int exponent = (int)(next_bits(&stream) % 640) - 330;
        const int length = snprintf(text, sizeof text, "%llu.%llue%d", digits >> 40,
                                    digits & 0xFFFFFFFFFF, exponent);
        double value = untouched;
        const sot_number read = sot_parse_double(text, (size_t)length, &value);
        mpfr_set_str(exact, text, 10, MPFR_RNDN);
        if (mpfr_cmp_d(exact, DBL_MAX) > 0) {
            assert_int_equal(read, SOT_NUMBER_TOO_LARGE);
        } else if (mpfr_cmp_d(exact, DBL_MIN) >= 0) { /* MPFR has no subnormals here */
            assert_int_equal(read, SOT_NUMBER_OK);
            if (mpfr_cmp_d(exact, value) != 0) fail_msg("%s gave %.17g", text, value);
        }
    }
    mpfr_clear(exact);
}

static void halfway_cases_go_to_even(void **state)
{
    (void)state;
    double value = untouched;
    assert_int_equal(parse("9007199254740993", &value), SOT_NUMBER_OK); /* 2^53 + 1 */
    assert_true(value == 9007199254740992.0);
    assert_int_equal(parse("9007199254740995", &value), SOT_NUMBER_OK);
    assert_true(value == 9007199254740996.0);
    /* The smallest excess, 40 digits away, must break the tie. */
    assert_int_equal(
        parse("9007199254740993.0000000000000000000000000000000000000001", &value),
        SOT_NUMBER_OK);
    assert_true(value == 9007199254740994.0);
}

static void counts_may_be_written_with_an_exponent(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {{"0", 0},
                 {"007", 7},
                 {"+12", 12},
                 {"1e6", 1000000},
                 {"2.5e3", 2500},
                 {"2500.00e0", 2500},
                 {"12000e-3", 12},
                 {"0.00012e5", 12},
                 {"0e99999999999999999999", 0},
                 {"1.", 1},
                 {"1.0", 1},
                 {"9007199254740993", UINT64_C(9007199254740993)}, /* not a double */
                 {"18446744073709551615", UINT64_MAX},
                 {"1844674407370955161.5e1", UINT64_MAX},
                 {"1e19", UINT64_C(10000000000000000000)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value = 4711;
        if (parse_u64(cases[i].text, &value) != SOT_NUMBER_OK || value != cases[i].value)
            fail_msg("%s gave %llu", cases[i].text, (unsigned long long)value);
    }
}

static void counts_out_of_range_or_broken_are_refused(void **state)
{
    (void)state;
    uint64_t value = 4711;
    assert_int_equal(parse_u64("18446744073709551616", &value), SOT_NUMBER_TOO_LARGE);
    assert_int_equal(parse_u64("1e20", &value), SOT_NUMBER_TOO_LARGE);
    assert_int_equal(parse_u64("1e99999999999999999999", &value), SOT_NUMBER_TOO_LARGE);
    assert_int_equal(parse_u64("1.5", &value), SOT_NUMBER_NOT_INTEGRAL);
    assert_int_equal(parse_u64("1e-1", &value), SOT_NUMBER_NOT_INTEGRAL);
    assert_int_equal(parse_u64("1.00000000000000000000000001", &value),
                     SOT_NUMBER_NOT_INTEGRAL);
    assert_int_equal(parse_u64("1e-99999999999999999999", &value),
                     SOT_NUMBER_NOT_INTEGRAL);
    assert_int_equal(parse_u64("-1", &value), SOT_NUMBER_MALFORMED);
    assert_int_equal(parse_u64("-0", &value), SOT_NUMBER_MALFORMED);
    assert_true(value == 4711);
}

static void printed_numbers_look_as_people_write_them(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0.0"},
                 {-0.0, "-0.0"},
                 {1.0, "1.0"},
                 {-2.375, "-2.375"},
                 {0.1, "0.1"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {0.0001, "0.0001"},
                 {0.00012345, "0.00012345"},
                 {1e-5, "1e-5"},
                 {1.25e-7, "1.25e-7"},
                 {100.0, "100.0"},
                 {1e15, "1000000000000000.0"},
                 {9007199254740993.0, "9007199254740992.0"},
                 {1e16, "1e16"},
                 {1e22, "1e22"},
                 {1e23, "1e23"},
                 {DBL_MAX, "1.7976931348623157e308"},
                 {-DBL_MAX, "-1.7976931348623157e308"},
                 {DBL_MIN, "2.2250738585072014e-308"},
                 {DBL_TRUE_MIN, "5e-324"},
                 {-2.2250738585072011e-308, "-2.225073858507201e-308"},
                 {0x1p-44, "5.684341886080802e-14"}, /* the nearest 16 digits miss */
                 {0x1p-1073, "1e-323"},              /* nearer than 9e-324 */
                 {0x1p-1074 * 3, "1.5e-323"},
                 {(double)INFINITY, "inf"},
                 {-(double)INFINITY, "-inf"},
                 {(double)NAN, "nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SOT_DOUBLE_TEXT_BYTES];
        sot_format_double(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

/* The significant digits of a printed number: not the zeros that only place the point. */
static size_t take_digits(const char *text, char *digits)
{
    size_t count = 0, kept = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0')) continue;
        digits[count++] = *text;
        if (*text != '0') kept = count;
    }
    digits[kept] = '\0';
    return kept;
}

/* The decimal of `count` digits next to `value`; does it read back as it? */
static int reads_back_with(double value, size_t count, mpfr_rnd_t rounding, char *text,
                           size_t size_bytes)
{
    mpfr_t exact;
    mpfr_init2(exact, 53);
    mpfr_set_d(exact, value, MPFR_RNDN);
    mpfr_snprintf(text, size_bytes, "%.*R*e", (int)count - 1, rounding, exact);
    mpfr_clear(exact);
    double back = untouched;
    return parse(text, &back) == SOT_NUMBER_OK && back == value;
}

static void check_shortest(double value)
{
    char text[SOT_DOUBLE_TEXT_BYTES], other[64], digits[64], nearest_digits[64];
    sot_format_double(value, text);
    double back = untouched;
    if (strlen(text) >= sizeof text || parse(text, &back) != SOT_NUMBER_OK ||
        !same_bits(back, value))
        fail_msg("%a was printed as %s", value, text);
    const size_t count = take_digits(text, digits);
    if (count > 17) fail_msg("%a needed %zu digits: %s", value, count, text);
    if (count > 1 && (reads_back_with(value, count - 1, MPFR_RNDD, other, sizeof other) ||
                      reads_back_with(value, count - 1, MPFR_RNDU, other, sizeof other)))
        fail_msg("%a has a shorter form than %s: %s", value, text, other);
    if (!reads_back_with(value, count, MPFR_RNDN, other, sizeof other)) return;
    (void)take_digits(other, nearest_digits);
    if (strcmp(digits, nearest_digits) != 0)
        fail_msg("%a was printed as %s, but %s is nearer", value, text, other);
}

static void printed_numbers_are_the_nearest_of_the_shortest_that_read_back(void **state)
{
    (void)state;
    uint64_t stream = 31415;
    for (int i = 0; i < 20000; i++)
        check_shortest(next_double(&stream));
    for (int i = 0; i < 20000;
         i++) { /* numbers people meet: few digits, small exponents */
        const double digits = (double)(next_bits(&stream) % 1000000);
        check_shortest((digits + 1.0) / 1000.0);
    }
    for (int exponent = -1074; exponent <= 1023; exponent++) { /* the uneven neighbours */
        check_shortest(ldexp(1.0, exponent));
        if (exponent > -1074) check_shortest(nextafter(ldexp(1.0, exponent), 0.0));
    }
}

static void hexadecimal_has_the_very_bits(void **state)
{
    (void)state;
    const double cases[] = {0.0,     -0.0,    1.0,          -1.5,  0.1,
                            DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 3e-310};
    uint64_t stream = 2718;
    for (size_t i = 0; i < 5000; i++) {
        const size_t fixed = sizeof cases / sizeof *cases;
        const double value = i < fixed ? cases[i] : next_double(&stream);
        char text[SOT_DOUBLE_TEXT_BYTES], expected[64];
        sot_format_hex(value, text);
        (void)snprintf(expected, sizeof expected, "%a", value);
        assert_string_equal(text, expected);
        assert_true(same_bits(strtod(text, NULL), value));
    }
    char text[SOT_DOUBLE_TEXT_BYTES];
    sot_format_hex(-(double)INFINITY, text);
    assert_string_equal(text, "-inf");
}

static void any_decimal_point_is_understood(void **state)
{
    (void)state;
    char digits[32];
    int exponent = 0;
    sot_split_scientific("1.25e+03", digits, &exponent);
    assert_string_equal(digits, "125");
    assert_int_equal(exponent, 3);
    sot_split_scientific("-1,25e-300", digits, &exponent);
    assert_string_equal(digits, "125");
    assert_int_equal(exponent, -300);
    sot_split_scientific("1\xd9\xab"
                         "25e+00",
                         digits, &exponent); /* U+066B, Persian */
    assert_string_equal(digits, "125");
    assert_int_equal(exponent, 0);
    sot_split_scientific("7e-05", digits, &exponent);
    assert_string_equal(digits, "7");
    assert_int_equal(exponent, -5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_decimals_are_read),
        cmocka_unit_test(anything_else_is_malformed),
        cmocka_unit_test(overflow_and_underflow_are_told_apart),
        cmocka_unit_test(length_is_capped),
        cmocka_unit_test(reading_rounds_to_nearest),
        cmocka_unit_test(halfway_cases_go_to_even),
        cmocka_unit_test(counts_may_be_written_with_an_exponent),
        cmocka_unit_test(counts_out_of_range_or_broken_are_refused),
        cmocka_unit_test(printed_numbers_look_as_people_write_them),
        cmocka_unit_test(printed_numbers_are_the_nearest_of_the_shortest_that_read_back),
        cmocka_unit_test(hexadecimal_has_the_very_bits),
        cmocka_unit_test(any_decimal_point_is_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
