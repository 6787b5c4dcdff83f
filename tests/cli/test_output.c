/* What is shown never claims more than what was computed. */
#include "support.h"

#include <float.h>

#include "cli/frame.h"
#include "cli/output.h"

const cli_command cli_root = {.name = "test", .summary = "", .example = ""};

/* Bit patterns from a fixed stream (splitmix64): doubles of every size and sign. */
static double next_double(uint64_t *stream)
{
    double value = 0.0;
    do {
        *stream += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t bits = *stream;
        bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
        bits ^= bits >> 31;
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value) || fabs(value) > DBL_MAX / 10.0);
    return value;
}

static void shown_bounds_stay_on_their_safe_side(void **state)
{
    (void)state;
    uint64_t stream = 2375;
    for (size_t i = 0; i < 100000; i++) {
        const double value = next_double(&stream);
        char text[CLI_NUMBER_BYTES];
        const int digits = 1 + (int)(i % 17);
        /* One unit of the last digit, and the rounding of reading it back. */
        const double room = fabs(value) * (pow(10.0, 1 - digits) + 1e-15) + DBL_TRUE_MIN;
        const double up = strtod(cli_rounded_up(value, digits, text), NULL);
        assert_within(up, value, value + room);
        const double down = strtod(cli_rounded_down(value, digits, text), NULL);
        assert_within(down, value - room, value);
    }
}

static void rounding_is_as_by_hand(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *up;
        const char *down;
    } cases[] = {
        {6.187715, 6, "6.18772", "6.18771"},
        {0.0, 6, "0", "0"},
        {1.0, 6, "1", "1"},
        {0.1, 6, "0.1", "0.1"}, /* reads back as the same double */
        {9.9999999, 3, "10", "9.99"},
        {0.99999999, 6, "1", "0.999999"},
        {1.0000001, 6, "1.00001", "1"},
        {-2.3817412, 6, "-2.38174", "-2.38175"},
        {1.23456789e-7, 6, "1.23457e-07", "1.23456e-07"},
        {123456789.0, 6, "1.23457e+08", "1.23456e+08"},
        {10.8300001, 4, "10.84", "10.83"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[CLI_NUMBER_BYTES];
        (void)cli_rounded_up(cases[i].value, cases[i].digits, text);
        assert_string_equal(text, cases[i].up);
        (void)cli_rounded_down(cases[i].value, cases[i].digits, text);
        assert_string_equal(text, cases[i].down);
    }
}

static void numbers_read_back_as_the_same_double(void **state)
{
    (void)state;
    uint64_t stream = 1984;
    char text[CLI_NUMBER_BYTES];
    for (size_t i = 0; i < 20000; i++) {
        const double value = next_double(&stream);
        const double read_back = strtod(cli_shortest(value, text), NULL);
        assert_within(read_back, value, value);
    }
    assert_string_equal(cli_shortest(0.1, text), "0.1");
    assert_string_equal(cli_shortest(1e-5, text), "1e-05");
    assert_string_equal(cli_shortest(0.1 + 0.2, text), "0.30000000000000004");
}

/* An answer with a part that could not be made is not printed. */
static void an_incomplete_answer_is_an_error(void **state)
{
    (void)state;
    for (int what = 0; what < 3; what++) {
        sotto_error error;
        cli_json answer = cli_json_new(), row = cli_json_new();
        json_t *rows = json_array();
        cli_json_text(&row, "label", NULL); /* no such member */
        assert_int_equal(json_object_size(row.object), 0);
        if (what == 1) cli_json_add(&answer, "rows", NULL);
        if (what == 2) row.failed = true;
        cli_json_append(&answer, rows, &row);
        assert_int_equal(answer.failed, what > 0);
        assert_int_equal(json_array_size(rows), what < 2);
        cli_json_add(&answer, "rows", rows);
        if (what == 0)
            assert_ok(cli_json_print(&answer, &error), &error);
        else
            assert_refused(cli_json_print(&answer, &error), SOTTO_OUT_OF_MEMORY, &error,
                           "out of memory for the answer", NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shown_bounds_stay_on_their_safe_side),
        cmocka_unit_test(rounding_is_as_by_hand),
        cmocka_unit_test(numbers_read_back_as_the_same_double),
        cmocka_unit_test(an_incomplete_answer_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
