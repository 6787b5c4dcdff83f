/* The words of a command line become values exactly, or are refused with a remedy. */
#include "support.h"

#include "cli/frame/frame.h"

/* The frame needs a program; its table is cli/main.c's, and not under test here. */
const cli_command cli_root = {.name = "test", .summary = "", .example = ""};

static const char *colour(size_t index)
{
    static const char *const names[] = {"red", "green", "blue"};
    return index < 3 ? names[index] : NULL;
}

static const cli_option any = {"any", CLI_NUMBER, CLI_OPTIONAL, "", .value = "X"};
static const cli_option positive = {"positive", CLI_NUMBER,   CLI_OPTIONAL,
                                    "",         .value = "X", .range = CLI_POSITIVE};
static const cli_option rate = {"rate", CLI_NUMBER,   CLI_OPTIONAL,
                                "",     .value = "X", .range = CLI_RATE};
static const cli_option below_one = {"delta", CLI_NUMBER,   CLI_OPTIONAL,
                                     "",      .value = "X", .range = CLI_BELOW_ONE};
static const cli_option count = {"count",      CLI_COUNT,
                                 CLI_OPTIONAL, "",
                                 .value = "T", .count_max = UINT64_C(1000000000000)};
static const cli_option wide = {"wide", CLI_COUNT,    CLI_OPTIONAL,
                                "",     .value = "T", .count_max = UINT64_MAX};
static const cli_option choice = {"colour", CLI_CHOICE,      CLI_OPTIONAL,
                                  "",       .value = "NAME", .choices = colour};

static void numbers_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "1",
                                        "-1.5",
                                        "+2.375",
                                        ".5",
                                        "5.",
                                        "1e-5",
                                        "1E5",
                                        "1e-320",
                                        "4.9e-324",
                                        "1.7976931348623157e308",
                                        "0e999999999999999999",
                                        "00012.500",
                                        "123456789012345678901234567890",
                                        "0.1e+2"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sotto_error error;
        cli_value value;
        assert_ok(cli_value_parse(&any, texts[i], &value, &error), &error);
        assert_within(value.number, strtod(texts[i], NULL), strtod(texts[i], NULL));
        assert_true(value.given);
        assert_string_equal(value.text, texts[i]);
    }
}

static void what_is_not_wholly_a_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",    " ",     "1 ",     " 1",     "1x",   "x1",    "nan",   "NaN",
        "inf", "-inf",  "1,5",    "0x10",   "1e",   "1e+",   "e5",    ".",
        "+",   "-",     "--1",    "1..2",   "1e5.", "1_000", "1e5e5", "infinity",
        "1\n", "1e400", "-1e400", "1e-400", "½"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sotto_error error;
        cli_value value = {.number = 7.0};
        assert_refused(cli_value_parse(&any, texts[i], &value, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "--any is ", "give a number",
                       NULL);
        assert_within(value.number, 7.0, 7.0); /* nothing is written on failure */
    }
}

static void the_reason_is_named_when_it_is_the_size(void **state)
{
    (void)state;
    sotto_error error;
    cli_value value;
    assert_refused(cli_value_parse(&any, "1e400", &value, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "too large", NULL);
    assert_refused(cli_value_parse(&any, "1e-400", &value, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "too close to 0", NULL);
    assert_refused(cli_value_parse(&count, "1e13", &value, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "too large", "1000000000000", NULL);
}

static void ranges_hold_at_their_ends(void **state)
{
    (void)state;
    static const struct {
        const cli_option *option;
        const char *text;
        bool accepted;
    } cases[] = {
        {&positive, "0", false},
        {&positive, "-0", false},
        {&positive, "5e-324", true},
        {&rate, "0", false},
        {&rate, "1", true},
        {&rate, "1.0000001", false},
        {&rate, "1e-300", true},
        {&below_one, "0", true},
        {&below_one, "1", false},
        {&below_one, "-1e-300", false},
        {&below_one, "0.9999999999999999", true},
        {&below_one, "0.99999999999999999999", false}, /* reads as 1 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_error error;
        cli_value value;
        const sotto_status status =
            cli_value_parse(cases[i].option, cases[i].text, &value, &error);
        if ((status == SOTTO_OK) != cases[i].accepted) fail_msg("%s", cases[i].text);
    }
}

static void counts_are_exact_in_every_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t count;
    } cases[] = {
        {"1", 1},
        {"+1", 1},
        {"0001", 1},
        {"1e0", 1},
        {"1e6", 1000000},
        {"1.5e3", 1500},
        {"0.001e3", 1},
        {"14063", 14063},
        {"100e-2", 1},
        {"12.0", 12},
        {"12.", 12},
        {"9.007199254740993e15", UINT64_C(9007199254740993)},
        {"18446744073709551615", UINT64_MAX},
        {"0.0000000000000000001e20", 10},
        {"1000000000000000000000e-20", 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_error error;
        cli_value value;
        assert_ok(cli_value_parse(&wide, cases[i].text, &value, &error), &error);
        assert_int_equal(value.count, cases[i].count);
    }
}

static void what_is_not_a_count_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "0.0",
                                        "0e5",
                                        "-1",
                                        "1.5",
                                        "1e-1",
                                        "",
                                        "x",
                                        "1e18446744073709551616",
                                        "nan",
                                        "1e13",
                                        "1000000000001",
                                        "1e1000000",
                                        "18446744073709551616",
                                        "0.1",
                                        "-0",
                                        "1e-99999999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sotto_error error;
        cli_value value = {.count = 7};
        assert_refused(cli_value_parse(&count, texts[i], &value, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "--count is ",
                       "whole number from 1 to 1000000000000", NULL);
        assert_int_equal(value.count, 7);
    }
}

static void choices_are_listed_and_the_near_one_suggested(void **state)
{
    (void)state;
    sotto_error error;
    cli_value value;
    assert_ok(cli_value_parse(&choice, "green", &value, &error), &error);
    assert_refused(cli_value_parse(&choice, "gren", &value, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "did you mean green?",
                   "red, green or blue", NULL);
    assert_refused(cli_value_parse(&choice, "purple", &value, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "red, green or blue", NULL);
    assert_null(strstr(error.message, "did you mean"));
}

static void suggestions_forgive_slips_but_do_not_guess(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        const char *candidate;
        bool near;
    } cases[] = {
        {"accoutn", "account", true}, {"acount", "account", true},
        {"xccount", "account", true}, {"noise", "noise-multiplier", true},
        {"nois", "steps", false},     {"frobnicate", "completion", false},
        {"", "account", false},       {"x", "account", false},
        {"exat", "exact", true},      {"pld", "rdp", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cli_suggestion best = {0};
        cli_suggest(&best, cases[i].word, cases[i].candidate);
        if ((best.word != NULL) != cases[i].near) fail_msg("%s", cases[i].word);
    }
}

static void every_status_has_its_exit_code(void **state)
{
    (void)state;
    assert_int_equal(cli_exit_code(SOTTO_OK), 0);
    assert_int_equal(cli_exit_code(SOTTO_INVALID_ARGUMENT), 2);
    assert_int_equal(cli_exit_code(SOTTO_PARSE), 2);
    assert_int_equal(cli_exit_code(SOTTO_UNSUPPORTED), 2);
    assert_int_equal(cli_exit_code(SOTTO_BUDGET_EXCEEDED), 3);
    assert_int_equal(cli_exit_code(SOTTO_INTERRUPTED), 130);
    assert_int_equal(cli_exit_code(SOTTO_OUT_OF_MEMORY), 1);
    assert_int_equal(cli_exit_code(SOTTO_IO), 1);
    assert_int_equal(cli_exit_code(SOTTO_UNREACHABLE), 1);
    assert_int_equal(cli_exit_code(SOTTO_NOT_IN_PLAN), 1);
    assert_int_equal(cli_exit_code(SOTTO_ENTROPY), 1);
    assert_int_equal(cli_exit_code(SOTTO_VERIFICATION), 1);
    assert_int_equal(cli_exit_code(SOTTO_INTERNAL), 1);
    assert_int_equal(cli_exit_code((sotto_status)1234), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_as_strtod_reads_them),
        cmocka_unit_test(what_is_not_wholly_a_number_is_refused),
        cmocka_unit_test(the_reason_is_named_when_it_is_the_size),
        cmocka_unit_test(ranges_hold_at_their_ends),
        cmocka_unit_test(counts_are_exact_in_every_spelling),
        cmocka_unit_test(what_is_not_a_count_is_refused),
        cmocka_unit_test(choices_are_listed_and_the_near_one_suggested),
        cmocka_unit_test(suggestions_forgive_slips_but_do_not_guess),
        cmocka_unit_test(every_status_has_its_exit_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
