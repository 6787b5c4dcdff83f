/* Decimals in records: the quick way gives the bits of the careful one, or stands aside. */
#include "data/files.h"

#include "base/text.h"
#include "data/cells/decimal.h"

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Both ways through `text`: returns whether the quick one took it. */
static bool compare(const char *text)
{
    char padded[96] = {0};
    const size_t length = strlen(text);
    assert_true(length + SOT_DECIMAL_SLACK < sizeof padded);
    memcpy(padded, text, length);
    const char *at = padded;
    double careful = 0.0;
    double quick = 0.0;
    double whole = 0.0;
    const sot_number parsed = sot_parse_double(text, length, &careful);
    if (parsed == SOT_NUMBER_TOO_SMALL) careful = 0.0;
    const bool good = parsed == SOT_NUMBER_OK || parsed == SOT_NUMBER_TOO_SMALL;
    const bool taken = sot_scan_decimal(&at, &quick) && at == padded + length;
    const bool read = sot_read_decimal(text, length, &whole);
    if (read != good || (read && !same_bits(whole, careful)) ||
        (taken && (!good || !same_bits(quick, careful)))) {
        fail_msg("'%s': careful %d %a, quick %d %a, whole %d %a", text, good, careful,
                 taken, quick, read, whole);
    }
    return taken;
}

/* Digits, a point and an exponent at random places. */
static void write_random(uint64_t *stream, char *text)
{
    const size_t digits = 1 + next_bits(stream) % 21;
    const size_t point = next_bits(stream) % 24;
    const int exponent = (int)(next_bits(stream) % 60) - 30;
    const uint64_t kind = next_bits(stream);
    if (kind % 3 == 1) *text++ = '-';
    if (kind % 3 == 2) *text++ = '+';
    for (size_t i = 0; i < digits; i++) {
        if (i == point) *text++ = '.';
        *text++ = (char)('0' + (kind >> 8 & 1 ? next_bits(stream) % 10 : 9 * (i % 2)));
    }
    *text = '\0';
    if (kind >> 9 & 1) sprintf(text, "%c%d", kind >> 10 & 1 ? 'e' : 'E', exponent);
}

static void numbers_are_those_of_the_careful_parser(void **state)
{
    (void)state;
    enum { NUMBERS = 400000 };
    uint64_t stream = 71;
    size_t taken = 0;
    for (int i = 0; i < NUMBERS; i++) {
        char text[64];
        write_random(&stream, text);
        taken += compare(text);
    }
    assert_true(taken > NUMBERS / 2); /* or the quick way is none */
}

/* Odd integers of 54 bits over 2^k lie half-way between two doubles; so near as decimals of 19
 * digits can be, above and below. */
static void ties_go_to_the_even_neighbour(void **state)
{
    (void)state;
    uint64_t stream = 72;
    for (int i = 0; i < 60000; i++) {
        uint64_t number = next_bits(&stream) >> 10 | UINT64_C(1) << 53 | 1;
        const int scale = (int)(next_bits(&stream) % 4);
        for (int k = 0; k < scale; k++)
            number *= 5;
        for (int nudge = -1; nudge <= 1; nudge++) {
            char text[64];
            snprintf(text, sizeof text, "%llue-%d",
                     (unsigned long long)(number + (uint64_t)(int64_t)nudge), scale);
            assert_true(compare(text));
        }
        /* Powers of ten above one, too: an odd half of a unit in the last place. */
        char text[64];
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)(number >> 20),
                 scale + 15);
        assert_true(compare(text));
    }
}

static void every_written_double_is_read_back(void **state)
{
    (void)state;
    uint64_t stream = 73;
    for (int i = 0; i < 100000; i++) {
        const double value =
            ((double)(next_bits(&stream) >> 11) * 0x1p-52 - 1.0) * (i % 2 ? 1.0 : 4096.0);
        char text[64];
        double read = 0.0;
        snprintf(text, sizeof text, "%.*g", 17, value);
        (void)compare(text);
        assert_true(sot_read_decimal(text, strlen(text), &read) &&
                    same_bits(read, value));
    }
}

static void what_is_no_number_is_not_read(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "-",
                                        "+",
                                        ".",
                                        "-.",
                                        "e5",
                                        "1e",
                                        "1e+",
                                        "0x10",
                                        "nan",
                                        "inf",
                                        "-inf",
                                        "1..2",
                                        "--1",
                                        "+-1",
                                        " 1",
                                        "1 ",
                                        "1_0",
                                        "1,5",
                                        "1e5.",
                                        "1e1e",
                                        "1.e",
                                        "\xff",
                                        "1\t",
                                        "1e99999999999999999",
                                        "1e309",
                                        "-1e400",
                                        "12a",
                                        "1234567a",
                                        "12345678a",
                                        "123456789012345678901x",
                                        "/",
                                        ":",
                                        "0:",
                                        "0/"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value = 0.0;
        assert_false(sot_read_decimal(texts[i], strlen(texts[i]), &value));
        assert_false(compare(texts[i]));
    }
    char *nines = malloc(4096);
    memset(nines, '9', 4096);
    double value;
    assert_false(sot_read_decimal(nines, 4096, &value)); /* longer than any number */
    assert_true(sot_read_decimal(nines, 300, &value) && value == 1e300);
    free(nines);
}

static void odd_spellings_are_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"5.", 5.0},
                 {".5", 0.5},
                 {"-0", -0.0},
                 {"00012.50", 12.5},
                 {"+7e0", 7.0},
                 {"1E+02", 100.0},
                 {"1e-400", 0.0},
                 {"0e999999", 0.0},
                 {"1e22", 1e22},
                 {"1e23", 1e23},
                 {"9007199254740993", 9007199254740992.0},
                 {"18446744073709551615", 18446744073709551616.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 3.0;
        assert_true(sot_read_decimal(cases[i].text, strlen(cases[i].text), &value));
        assert_true(same_bits(value, cases[i].value));
        (void)compare(cases[i].text);
    }
}

static void the_scan_stops_behind_the_number(void **state)
{
    (void)state;
    const char text[32] = "12.5e1,7";
    const char *at = text;
    double value = 0.0;
    assert_true(sot_scan_decimal(&at, &value));
    assert_true(value == 125.0 && at == text + 6);
    at = text + 6;
    assert_false(sot_scan_decimal(&at, &value));
    assert_ptr_equal(at, text + 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_careful_parser),
        cmocka_unit_test(ties_go_to_the_even_neighbour),
        cmocka_unit_test(every_written_double_is_read_back),
        cmocka_unit_test(what_is_no_number_is_not_read),
        cmocka_unit_test(odd_spellings_are_numbers),
        cmocka_unit_test(the_scan_stops_behind_the_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
