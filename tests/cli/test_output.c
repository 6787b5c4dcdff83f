/* What is shown never claims more than what was computed. */
#include "support.h"

#include <float.h>

#include "cli/frame/frame.h"
#include "cli/frame/output.h"

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
    sotto_error error;
    sotto_json_writer *json = sotto_json_new();
    sotto_json_text(json, "label", NULL); /* no such member */
    sotto_json_number(json, "epsilon", (double)NAN);
    assert_ok(cli_json_print(json, &error), &error);
    assert_refused(cli_json_print(NULL, &error), SOTTO_OUT_OF_MEMORY, &error,
                   "out of memory for the answer", NULL);
    json = sotto_json_new();
    sotto_json_number(json, "epsilon", HUGE_VAL);
    assert_refused(cli_json_print(json, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "not finite", NULL);
    json = sotto_json_new();
    sotto_json_embed(json, "plan", "{\"events\": [1,}");
    assert_refused(cli_json_print(json, &error), SOTTO_PARSE, &error, "plan: line 1",
                   NULL);
}

static void kept_members_are_those_of_the_file(void **state)
{
    (void)state;
    static const char *const names[] = {"epsilon", "absent", "settings"};
    const char *text = NULL;
    sotto_error error;
    sotto_json_writer *json = sotto_json_new();
    sotto_json *file = cli_json_keep(
        json,
        "{\"settings\":{\"steps\":7},\"epsilon\":2.0,\"certificate\":{\"hash\":\"ab\"}}",
        names, 3);
    assert_string_equal(cli_certificate_text(file, "hash"), "ab");
    assert_null(cli_certificate_text(file, "tuning"));
    assert_ok(sotto_json_finish(json, &text, &error), &error);
    assert_string_equal(text, "{\"epsilon\": 2.0, \"settings\": {\"steps\": 7}}\n");
    sotto_json_free(file);
    sotto_json_writer_free(json);
    assert_null(cli_json_keep(NULL, "{", names, 3));
    assert_null(cli_certificate_text(NULL, "hash"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shown_bounds_stay_on_their_safe_side),
        cmocka_unit_test(rounding_is_as_by_hand),
        cmocka_unit_test(numbers_read_back_as_the_same_double),
        cmocka_unit_test(an_incomplete_answer_is_an_error),
        cmocka_unit_test(kept_members_are_those_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
