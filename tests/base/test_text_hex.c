#include "support.h"

#include <float.h>

#include "base/text.h"

static sot_number parse(const char *text, double *out_value)
{
    return sot_parse_hex(text, strlen(text), out_value);
}

static void every_double_comes_back(void **state)
{
    (void)state;
    static const double edges[] = {0.0,
                                   -0.0,
                                   1.0,
                                   -1.5,
                                   DBL_MAX,
                                   -DBL_MAX,
                                   DBL_MIN,
                                   0x1p-1074,
                                   0x1.8p-1073,
                                   -0x0.fffffffffffffp-1022,
                                   0x1.fffffffffffffp+1023,
                                   M_PI};
    uint64_t bits = UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = 0; i < 100000; i++) {
        double value, back = 7.0;
        char text[SOT_DOUBLE_TEXT_BYTES];
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        memcpy(&value, &bits, sizeof value);
        if (i < sizeof edges / sizeof edges[0]) value = edges[i];
        if (!isfinite(value)) continue;
        sot_format_hex(value, text);
        assert_int_equal(parse(text, &back), SOT_NUMBER_OK);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

static void other_spellings_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "0",
                                        "1.5",
                                        "0x",
                                        "0x1",
                                        "0x1p",
                                        "0x1p+",
                                        "0x1p0",
                                        "0x1p+00",
                                        "0x1.p+0",
                                        "0x1.80p+0",
                                        "0x2p+0",
                                        "0x0p+1",
                                        "0x0.8p+0",
                                        "0x10p+0",
                                        "0X1p+0",
                                        "0x1P+0",
                                        "0x1.Ap+0",
                                        "+0x1p+0",
                                        " 0x1p+0",
                                        "0x1p+0 ",
                                        "0x1p+1024",
                                        "-0x1p+9999",
                                        "0x1p-1075",
                                        "0x1.8p-1074",
                                        "0x1p+12345",
                                        "0x1.00000000000001p+0",
                                        "0x1.123456789abcdep+0",
                                        "nan",
                                        "inf",
                                        "-",
                                        "-0x",
                                        "0x1..8p+0",
                                        "0x.8p+0",
                                        "0x1.8.p+0",
                                        "0x1p++1",
                                        "0x1p+1a",
                                        "0x1.8p+0x1p+0x1p+0x1p+0x1p+0x1p+0"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double value = 2.375;
        assert_int_equal(parse(wrong[i], &value), SOT_NUMBER_MALFORMED);
        assert_true(value == 2.375);
    }
}

static void the_text_ends_where_it_is_said_to(void **state)
{
    (void)state;
    double value = 0.0;
    assert_int_equal(sot_parse_hex("0x1.8p+0garbage", 8, &value), SOT_NUMBER_OK);
    assert_true(value == 1.5);
    for (size_t size = 0; size < 8; size++)
        assert_int_equal(sot_parse_hex("0x1.8p+0", size, &value), SOT_NUMBER_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_double_comes_back),
        cmocka_unit_test(other_spellings_are_refused),
        cmocka_unit_test(the_text_ends_where_it_is_said_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
